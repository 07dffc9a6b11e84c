"""A worker that speaks the protocol and lies costs the truth about its own class, and nothing else.

The code under test has taken its worker over (`liar`), so no verdict on it means anything. The parent must come to an
end, with a result file that can be read and a report that commands nothing, and must write nothing but what it was
asked for. A sound run of another class in the same folder is what it would have been.
"""

import importlib
import json
import os
import sys
from pathlib import Path

import pytest

from in_process import plait

SUBJECTS = Path(__file__).parent / "subjects"
FORMS = ("json", "html", "junit", "sarif", "badge")
LONGEST = 200_000  # characters that are printed, whatever was sent


def _lies():
    sys.path.insert(0, str(SUBJECTS))
    try:
        return importlib.import_module("lies").LIES
    finally:
        sys.path.remove(str(SUBJECTS))


def check(folder, subject, lie="", tests=3):
    """The exit code, what was printed, and the result; written in every form."""
    files = [word for form in FORMS for word in (f"--{form}", f"{form}.out")]
    words = ["--path", SUBJECTS, "--max-tests", tests, "--workers", "1", "--quiet", *files]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAIT_LIE", lie)
        done = plait(folder, "check", subject, *words)
    file = folder / "json.out"
    result = json.loads(file.read_text("utf-8"), parse_constant=pytest.fail) if file.exists() else None
    return done.returncode, done.stdout + done.stderr, result


@pytest.mark.parametrize("lie", _lies())
def test_a_lie_harms_nobody_else(lie, tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    code, said, result = check(folder, "liar:Liar", lie)
    if lie == "unusable, it says":  # before anything was tried: there is nothing to tell
        assert (code, result) == (2, None), said
    else:
        assert code in (0, 1, 3), said
        assert result["subject"] == "liar:Liar"
    assert "Traceback" not in said
    assert len(said) < LONGEST
    assert [each for each in said if not each.isprintable() and each != "\n"] == []
    assert [line for line in said.splitlines() if line.startswith(("::", "##["))] == []
    assert os.listdir(tmp_path) == ["project"]
    wanted = {".plait", "plait-out", *(f"{form}.out" for form in FORMS)}
    assert {entry.name for entry in folder.iterdir()} <= wanted


def test_lies_are_not_told_of_others(tmp_path):
    """A class in the same folder, checked between lies and after them, is told as in a folder of its own."""
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    alone.mkdir()
    shared.mkdir()
    _, _, truth = check(alone, "ledger:Ledger", tests=20)
    for lie in ("entries of the store", "wrong counts", "another stream"):
        check(shared, "liar:Liar", lie)
    _, _, found = check(shared, "ledger:Ledger", tests=20)
    assert [each["summary"] for each in found["findings"]] == [each["summary"] for each in truth["findings"]]
    assert truth["findings"]
