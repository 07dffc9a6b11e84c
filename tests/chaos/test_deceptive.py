"""Classes that deceive whoever looks at them or at their values: the race beside the deceit is found and told.

``PLAIT_LONG=1`` takes all of `deceptive`, else those of which one was not.
"""

import importlib
import os
import sys
from pathlib import Path

import pytest

from in_process import plait

SUBJECTS = Path(__file__).parent / "subjects"
LONG = os.environ.get("PLAIT_LONG") == "1"
FEW = (
    "wrapped in a circle",
    "doc without end",
    "names of nonsense",
    "error of lies",
    "text of escapes",
    "enum of lies",
)
NOT_TESTED = {  # what is said of those that have no race to show, or cannot be looked at
    "new that returns another": (3, "all methods always raised"),
    "metaclass of instances": (2, "its methods cannot be looked up: ZeroDivisionError"),
}
LONGEST = 100_000  # characters that are printed, however long what code under test says is


def _deceits():
    sys.path.insert(0, str(SUBJECTS))
    try:
        return importlib.import_module("deceptive")
    finally:
        sys.path.remove(str(SUBJECTS))


deceptive = _deceits()

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", deceptive.BODIES if LONG else FEW)
def test_the_race_beside_it_is_found(name, tmp_path):
    (tmp_path / "subject_module.py").write_text(deceptive.source(name), encoding="utf-8")
    done = plait(
        tmp_path, "check", "subject_module:Subject", "--max-tests", "8", "--workers", "1", "--quiet",
        "--budget", "90s", "--html", "page.html", "--junit", "junit.xml", "--json", "result.json",
    )  # fmt: skip
    said = done.stdout + done.stderr
    code, told = NOT_TESTED.get(name, (1, "x.bump()"))
    assert done.returncode == code, said
    assert told in said
    assert "plait bug" not in said
    assert "Traceback" not in said
    assert len(said) < LONGEST
    assert [each for each in said if not each.isprintable() and each != "\n"] == []
    assert [line for line in said.splitlines() if line.startswith(("::", "##["))] == []


def test_there_are_many():
    assert len(deceptive.BODIES) >= 55
    assert set(FEW) <= set(deceptive.BODIES)
