"""Modules that are hostile while they are imported: one line says so, or the race beside it is found.

``PLAIT_LONG=1`` takes all of `importing`, else those of which one was not survived.
"""

import importlib
import os
import sys
import time
from pathlib import Path

import pytest

from in_process import plait

SUBJECTS = Path(__file__).parent / "subjects"
LONG = os.environ.get("PLAIT_LONG") == "1"
FEW = ("finder without end", "numbers of few digits", "names of nonsense", "closed, and asleep", "module of lies")


def _acts():
    sys.path.insert(0, str(SUBJECTS))
    try:
        return importlib.import_module("importing")
    finally:
        sys.path.remove(str(SUBJECTS))


importing = _acts()
ALL = {**importing.ACTS, **importing.ENDLESS}

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ALL if LONG else FEW)
def test_it_is_told_in_one_line_or_found(name, tmp_path):
    text, code = importing.source(name)
    (tmp_path / "subject_module.py").write_text(text)
    budget = ["--budget", "1s"] if name in importing.ENDLESS else ["--budget", "60s"]
    started = time.monotonic()
    done = plait(
        tmp_path, "check", "subject_module:Subject", "--max-tests", "8", "--workers", "1", "--quiet", *budget,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert time.monotonic() - started < 40  # a second on a quiet machine; three minutes before there was a limit
    assert done.returncode == code, said
    assert ("x.bump()" in said) == (code == 1)
    assert code != 2 or done.stderr.count("\n") == 1
    assert "plait bug" not in said
    assert "Traceback" not in said
    assert [each for each in said if not each.isprintable() and each != "\n"] == []
    assert [line for line in said.splitlines() if line.startswith(("::", "##["))] == []


def test_there_are_many():
    assert len(ALL) >= 30
    assert set(FEW) <= set(ALL)
