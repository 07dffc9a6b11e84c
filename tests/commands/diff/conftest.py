import textwrap

import pytest

from lab import DEMO, version
from plait.commands.diff.command import diff
from plait.commands.diff.options import DiffOptions
from plait.commands.diff.sides import open_sides
from plait.subject.name import Subject


@pytest.fixture(scope="session")
def account():
    """The demo's two versions in processes of their own."""
    subject = Subject("account", "Account")
    with open_sides(subject, version("old", DEMO / "old"), version("new", DEMO / "new"), workers=2) as sides:
        yield sides


@pytest.fixture
def compare(tmp_path, monkeypatch):
    """`plait diff` on two texts of a module, bounded by tests: the same result on every machine."""
    monkeypatch.chdir(tmp_path)

    def compare_them(old, new, name, *, tests=150, **options):
        for folder, source in (("old", old), ("new", new)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "subject.py").write_text(textwrap.dedent(source), encoding="utf-8")
        asked = DiffOptions(
            Subject("subject", name), str(tmp_path / "old"), str(tmp_path / "new"), project=tmp_path, max_tests=tests,
            **options,
        )  # fmt: skip
        return diff(asked)

    return compare_them
