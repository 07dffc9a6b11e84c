"""An error of plait's own costs `plait diff` the test that shows it, never a difference, nor its exit code."""

import contextlib

import pytest
import spoil_tasks

from lab import DEMO, version
from plait.cli.main import read_arguments
from plait.commands.diff import campaign, command, runs
from plait.commands.diff.campaign import DiffCampaign
from plait.commands.diff.command import _code
from plait.commands.diff.options import DiffOptions
from plait.report.diff_text import diff_text
from plait.subject.name import Subject

IN_WORKERS = {
    "generating": ("plait.generate.condiff", "Stages", "next_stage", 2),
    "exploring": ("plait.explore.dpor", "Dpor", "executed", 60),
    "repeating": ("plait.commands.diff.worker", "", "observe_twice", 1),
    "explaining": ("plait.judge.difference.explain", "", "explain_outcome", 1),
}
HERE = {
    "minimising": (campaign.Minimising, "minimise"),
    "explaining": (campaign, "difference_finding"),
    "reproducing": (campaign, "write_diff_reproducer"),
    "reading sources": (campaign, "sources"),
    "summing up": (campaign.DiffCampaign, "_stats"),
}

MARKS = """
import threading

from plait.judge.difference.serial import Observer

observe = Observer.observe


def spoiled(self, test, **named):
    if any(call.method == "reset" for call in test.calls):
        raise IndexError("on purpose")
    return observe(self, test, **named)


Observer.observe = spoiled


class Marks:
    def __init__(self):
        self._lock = threading.Lock()
        self.first = self.second = 0

    def both(self):
        with self._lock:
            return self.first, self.second

    def mark(self):
        with self._lock:
            self.first = 1{between}
            self.second = 1

    def reset(self):
        with self._lock:
            self.first = 0
            self.second = 0
"""
NARROWED = "\n        with self._lock:"


def on_purpose(*_args, **_named):
    raise IndexError("on purpose")


@pytest.fixture
def compare_accounts(account, tmp_path, monkeypatch):
    """Compares the demo's two versions, in processes that live as long as the tests."""
    monkeypatch.chdir(tmp_path)

    def compare():
        asked = DiffOptions(Subject("account", "Account"), "old", "new", project=tmp_path, max_tests=40)
        return DiffCampaign(account, asked, version("old", DEMO / "old"), version("new", DEMO / "new")).run()

    return compare


@contextlib.contextmanager
def spoiled(sides, *where):
    for side in ("old", "new"):
        sides.on(side, spoil_tasks.spoil, *where).result()
    try:
        yield
    finally:
        for side in ("old", "new"):
            sides.on(side, spoil_tasks.mend).result()


def noted(result, stage):
    assert (result.verdict, _code(result)) == ("difference", 1), result.notes
    (finding, *_others) = result.findings
    assert finding.test is not None
    assert finding.schedule is not None
    assert diff_text(result)
    notes = [note for note in result.notes if note.startswith(f"[plait bug] {stage}: ")]
    assert notes, result.notes
    assert "IndexError" in notes[0]
    return finding, notes[0]


@pytest.mark.parametrize("stage", IN_WORKERS)
def test_an_error_in_a_worker(stage, compare_accounts, account):
    with spoiled(account, *IN_WORKERS[stage]):
        result = compare_accounts()
    _finding, note = noted(result, stage)
    assert stage == "generating" or "test: x = Account(" in note


def test_an_error_while_a_test_is_traced(compare):
    """The changed method differs beside two others; tests with the first of these fail in whatever process they run."""
    result = compare(MARKS.format(between=""), MARKS.format(between=NARROWED), "Marks", tests=80)
    finding, note = noted(result, "tracing")
    assert "x.mark() | x.reset()" in note
    assert finding.methods == ["Marks.both", "Marks.mark"]


@pytest.mark.parametrize("stage", HERE)
def test_an_error_in_this_process(stage, compare_accounts, monkeypatch):
    owner, name = HERE[stage]
    monkeypatch.setattr(owner, name, on_purpose)
    finding, note = noted(compare_accounts(), stage)
    assert stage == "summing up" or "test: x = Account(" in note
    assert (finding.reproducer is None) == (stage == "reproducing")


def test_a_search_that_breaks_off_keeps_what_it_has(compare_accounts, monkeypatch):
    """What vanished was found before: the search, which looks for something new, breaks off at its next step."""

    def is_new(search, found):
        search.vanished = found
        search.over = on_purpose
        return False

    monkeypatch.setattr(campaign.DiffSearch, "_is_new", is_new)
    noted(compare_accounts(), "searching")


def test_an_error_while_reporting(compare_accounts, monkeypatch, capsys):
    result = compare_accounts()
    monkeypatch.setattr(command, "diff", lambda *_args, **_named: result)
    for name in ("diff_text", "diff_statement"):
        with monkeypatch.context() as patched:
            patched.setattr(command, name, on_purpose)
            result.notes.clear()
            assert command.run_diff(read_arguments("diff", ["account:Account", "--path", str(DEMO / "new")], DEMO)) == 1
        assert result.findings[0].summary in " ".join(capsys.readouterr().out.split())
        assert any(note.startswith("[plait bug] reporting: IndexError") for note in result.notes)


def test_an_error_while_remembering(compare, monkeypatch):
    monkeypatch.setattr(runs, "keep", on_purpose)
    old = "class Box:\n    def __init__(self):\n        self.n = 0\n\n    def put(self):\n        self.n += 1\n"
    result = compare(old, old.replace("self.n += 1", "self.n += 2"), "Box", tests=4)
    assert any(note.startswith("[plait bug] remembering: IndexError") for note in result.notes)
