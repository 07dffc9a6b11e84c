"""What code under test does while it is imported and looked at stays in the worker, and is told in one line."""

import re
import time

import pytest

from plait.cli.main import main
from plait.commands.check.worker import tasks
from plait.commands.check.worker.stream import StreamOptions
from plait.errors import UsageError
from plait.generate.catalogue import Hints
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec

COUNTER = """
class A:
    def __init__(self):
        self.n = 0
    def add(self):
        n = self.n
        self.n = n + 1
        return self.n
"""
PICKLED = """
    def __reduce__(self):
        import os
        return (os.system, ("touch {marker}",))
"""
UNUSABLE = {
    "module __getattr__": (
        "class Custom(Exception):\n    def __init__(self, a, b):\n        super().__init__(a)\n" + PICKLED
        + "def __getattr__(name):\n    raise Custom(name, 1)\n" + COUNTER,
        "subject:A cannot be tested: `from subject import A` does not work: subject.Custom: __path__",
    ),
    "absent behind __getattr__": (
        "def __getattr__(name):\n    raise ZeroDivisionError(name)\n",
        "subject:A cannot be tested: it cannot be looked up: ZeroDivisionError: A",
    ),
    "MemoryError of its own": (
        "class Mine(MemoryError):\n" + PICKLED + "raise Mine('no')\n", "subject cannot be imported: Mine: no",
    ),
    "GeneratorExit without a text": (
        "class Mine(GeneratorExit):\n    def __str__(self): raise RuntimeError\n" + PICKLED + "raise Mine\n",
        "subject cannot be imported: Mine: <its text raised RuntimeError>",
    ),
    "metaclass": (
        "class Meta(type):\n    def __getattribute__(cls, name): raise ZeroDivisionError(name)\n"
        + COUNTER.replace("class A:", "class A(metaclass=Meta):"),
        "subject:A cannot be tested: its methods cannot be looked up: ZeroDivisionError: ",
    ),
}  # fmt: skip


def spec_of(folder, source):
    (folder / "subject.py").write_text(source)
    return WorkerSpec(module="subject", qualname="A", roots=(folder,))


def prepare(workers):
    workers.submit(tasks.interface_of, "subject:A", timeout=30).result()
    return workers.submit(tasks.alone, "subject:A", StreamOptions("A"), Hints(), None, timeout=30).result().value


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_subject_that_cannot_be_looked_at_is_told_in_one_line(name, tmp_path):
    source, line = UNUSABLE[name]
    marker = tmp_path / "ran"
    with Workers(spec_of(tmp_path, source.replace("{marker}", str(marker))), count=1) as workers:
        with pytest.raises(UsageError) as error:
            prepare(workers)
    assert str(error.value).startswith(line)
    assert "\n" not in str(error.value)
    assert not marker.exists()


def test_what_calls_raise_and_return_is_only_theirs(tmp_path):
    """The methods beside them are tested all the same."""
    source = (
        COUNTER
        + """
    def quit(self):
        raise GeneratorExit
    def own(self):
        raise type("Own", (BaseException,), {})("x")
    def named(self):
        raise Named("x")
    def deep(self):
        return nest()
    def keep(self):
        self.kept = nest()
class Meta(type):
    def __getattribute__(cls, name): raise ZeroDivisionError(name)
Named = Meta("Named", (Exception,), {})
def nest():
    made = []
    for _ in range(100_000):
        made = [made]
    return made
"""
    )
    with Workers(spec_of(tmp_path, source), count=1) as workers:
        found = prepare(workers)
        stream = workers.submit(
            tasks.begin_stream, "subject:A", StreamOptions("A", streams=1), Hints(exclude=("quit", "own", "named")),
            None, timeout=30,
        ).result().value  # fmt: skip
        chunk = workers.submit(tasks.advance, stream, tasks.Portion(3, 20.0), timeout=60).result().value[1]
    assert found.errors == {"quit": "GeneratorExit", "own": "subject.Own: x", "named": "subject.Named: x"}
    returned = {name for name, times in found.returned.items() if times}
    assert (returned, set(found.returned) - returned) == ({"A", "add", "deep", "keep"}, {"quit", "own", "named"})
    assert chunk.tests == 3
    assert chunk.notes == []


@pytest.mark.parametrize("command", ["check", "diff"])
def test_an_endless_import_ends_with_the_budget(command, tmp_path, monkeypatch, capsys):
    for version in ("old", "new"):
        (tmp_path / version).mkdir()
        source = COUNTER + f"    def more(self): return {version!r}\nwhile True: pass\n"
        (tmp_path / version / "subject.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    place = ["--path", "new"] if command == "check" else ["--old", "old", "--new", "new"]
    started = time.monotonic()
    assert main([command, "subject:A", *place, "--budget", "2s", "--workers", "2", "--quiet"]) == 2
    assert time.monotonic() - started < 40  # 2 s on a quiet machine; 120 s before there was a limit
    said = capsys.readouterr().err.splitlines()
    # Of the budget, what the start of the processes has left: less than 2 s on a busy machine.
    assert re.match(r"plait: subject:A cannot be imported: no answer after [\d.]+ s at subject\.py:", said[-1])


def test_forged_acts_cost_the_worker_and_nothing_else(tmp_path, monkeypatch, capsys):
    source = COUNTER + "import plait.workers.guard\nplait.workers.guard._drain = lambda: [{'forged': 'x'}]\n"
    (tmp_path / "subject.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    assert main(["check", "subject:A", "--max-tests", "2", "--budget", "5s", "--workers", "1", "--quiet"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert "its process sent what is no answer: StoppedAct were expected" in said[-1]
