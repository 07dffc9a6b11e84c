from pathlib import Path

import pytest

from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.subject.name import Subject
from result_schema import undescribed

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def earlier():
    """What the checks of this file have found, by what was asked."""
    return {}


@pytest.fixture
def run(tmp_path, monkeypatch, earlier):
    """`plait check` on a class of `subjects`, bounded by tests: the same result on every machine.

    What was asked before in the same file has the same result, which tests only read; ``again`` runs it anew.
    """
    monkeypatch.chdir(tmp_path)

    def check_it(name, *, tests=60, module="subjects", again=False, **options):
        key = repr((module, name, tests, sorted(options.items())))
        if again or key not in earlier:
            asked = CheckOptions(
                Subject.parse(f"{module}:{name}", path=HERE), project=HERE, max_tests=tests, workers=1, streams=1,
                **options,
            )  # fmt: skip
            earlier[key] = check(asked)
            assert undescribed(earlier[key].as_json()) == []
        return earlier[key]

    return check_it
