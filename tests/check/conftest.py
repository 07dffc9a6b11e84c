from pathlib import Path

import pytest

from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.subject.name import Subject

HERE = Path(__file__).parent


@pytest.fixture
def run(tmp_path, monkeypatch):
    """`plait check` on a class of `subjects`, bounded by tests: the same result on every machine."""
    monkeypatch.chdir(tmp_path)

    def check_it(name, *, tests=60, module="subjects", **options):
        asked = CheckOptions(
            Subject.parse(f"{module}:{name}", path=HERE), project=HERE, max_tests=tests, workers=1, streams=1, **options
        )
        return check(asked)

    return check_it
