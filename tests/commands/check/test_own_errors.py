"""An error of plait's own costs the test that shows it, never a finding, and the exit code is that of the findings.

Workers are processes of their own, so the class under test spoils one stage of the plait that runs it, in code that is
not rewritten.
"""

import json
import os

import pytest

from plait.cli.main import main
from plait.commands.check import summary
from plait.commands.check.totals import Totals
from plait.commands.check.worker import tasks
from plait.errors import PlaitBugError
from plait.workers.pool import Workers

COUNTER = """
SPOIL = {spoil!r}

class Counter:
    def __init__(self):
        self.n = 0
        exec(compile(SPOIL, "spoil", "exec"), {{}})

    def increment(self):
        self.n += 1

    def get(self):
        return self.n
"""
EVERY = """
import sys
owner = {owner}
if not hasattr(owner, "_sound"):
    owner._sound = sound = owner.{name}
    calls = []
    def spoiled(*args, **kwargs):
        calls.append(0)
        if len(calls) % {every} == {every} - 1:
            raise IndexError("on purpose")
        return sound(*args, **kwargs)
    owner.{name} = spoiled
"""
STAGES = {
    "generating": ("sys.modules['plait.generate.deeper'].DeeperTests", "next_test", 2),
    "exploring": ("sys.modules['plait.explore.dpor'].Dpor", "executed", 5),
    "judging": ("sys.modules['plait.judge.oracle.safety'].Examination", "judge", 40),
    "minimising": ("sys.modules['plait.judge.minimise.tests'].Minimiser", "minimise", 1),
    "explaining": ("sys.modules['plait.commands.check.worker.finding']", "explain_violation", 1),
    "comparing": ("sys.modules['plait.commands.check.worker.stream']", "look_of", 1),
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with a class that loses updates; ``spoil`` is run whenever one is built."""
    monkeypatch.chdir(tmp_path)

    def make(spoil="pass"):
        (tmp_path / "counter.py").write_text(COUNTER.format(spoil=spoil))
        return "counter.py:Counter"

    return make


def check(subject, *more):
    code = main(["check", subject, "--max-tests", "10", "--workers", "1", "--json", "result.json", *more])
    with open("result.json", encoding="utf-8") as file:
        return code, json.load(file)


@pytest.mark.parametrize("stage", STAGES)
def test_an_error_at_one_stage(stage, project):
    owner, name, every = STAGES[stage]
    code, result = check(project(EVERY.format(owner=owner, name=name, every=every)))
    assert code == 1, result["notes"]
    assert result["verdict"] == "violation"
    notes = [note for note in result["notes"] if note.startswith("[plait bug]")]
    assert any("IndexError: on purpose" in note for note in notes), result["notes"]
    assert stage == "generating" or any("x = Counter()" in note for note in notes)
    for finding in result["findings"]:
        assert finding["schedule"]
        assert os.path.exists(finding["reproducer"])


def test_a_run_with_an_error_is_not_taken_for_done(project):
    owner, name, every = STAGES["judging"]
    check(project(EVERY.format(owner=owner, name=name, every=every)))
    _code, again = check("counter.py:Counter")
    assert not any("nothing has changed since" in note for note in again["notes"])


def test_an_error_between_the_chunks(project, monkeypatch):
    sound = Totals.add

    def add(self, number, chunk):
        sound(self, number, chunk)
        if self.findings:
            raise IndexError("on purpose")

    monkeypatch.setattr(Totals, "add", add)
    code, result = check(project())
    assert code == 1
    assert any("IndexError: on purpose" in note for note in result["notes"])


def test_an_error_while_summing_up(project, monkeypatch):
    monkeypatch.setattr(summary, "relate", lambda *_: {}["on purpose"])
    code, result = check(project())
    assert code == 1
    assert result["findings"]
    assert any("[plait bug] summing up" in note for note in result["notes"])


def test_a_worker_with_an_error_of_its_own_ends_one_stream(project, monkeypatch):
    sound, chunks = Workers.submit, []

    def submit(self, task, *arguments, **limits):
        future = sound(self, task, *arguments, **limits)
        chunks.extend([task] if task in (tasks.advance, tasks.follow_recordings) else [])
        if chunks != [task]:
            return future
        failing = type(future)()
        failing.set_exception(PlaitBugError("on purpose"))
        return failing

    monkeypatch.setattr(Workers, "submit", submit)
    code, result = check(project())
    assert code == 1
    assert any("[plait bug] running tests" in note for note in result["notes"])


def test_a_folder_that_cannot_be_written(project, tmp_path, capsys):
    subject = project()
    for name in (".plait", "plait-out"):
        (tmp_path / name).write_text("in the way: nothing can be written below it, not even by root")
    code = main(["check", subject, "--max-tests", "8", "--workers", "1"])
    told = capsys.readouterr()
    assert code == 1
    assert ".plait cannot be written" in told.out
    assert "a regression test in plait-out cannot be written" in told.out


PROXY = """
class NotConfigured(Exception):
    def __init__(self, name, where):  # which makes it one that cannot be unpickled
        super().__init__(f"{name} is not configured")

class Settings:
    @property
    def __class__(self):
        raise NotConfigured("settings", "here")

    def __getattr__(self, name):
        raise NotConfigured(name, "here")

settings = Settings()
"""


def test_a_lazy_proxy_among_the_globals(project, tmp_path):
    subject = project()
    with (tmp_path / "counter.py").open("a") as file:
        file.write(PROXY)
    code, result = check(subject)
    assert code == 1
    assert not any("[plait bug]" in note for note in result["notes"])
