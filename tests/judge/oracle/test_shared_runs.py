"""What sequential runs of a process share: outcomes are those of fresh runs, in whatever order they are asked for."""

import sys
import textwrap
from collections import Counter
from pathlib import Path
from random import Random

from plait.commands.check.worker.stream import Stream, StreamOptions
from plait.generate.catalogue import build_catalogue
from plait.judge.oracle.sequential import SequentialRunner
from plait.model.test import Test
from plait.run.engine import ENGINE
from plait.run.importing.world import find_in
from plait.subject.interface.discovery import discover

FAULTY = Path(__file__).parents[3] / "benchmarks" / "covcon" / "faulty"
SOURCE = """
    import threading

    class Box:
        def __init__(self, size=2):
            if size < 0:
                raise ValueError(size)
            self.items, self.size, self.ready = [], size, threading.Event()

        def put(self, item):
            if len(self.items) >= self.size:
                raise OverflowError(item)
            self.items.append(item)

        def take(self):
            return self.items.pop()

        def wait(self):
            self.ready.wait()

        def seen(self):
            return len(self.items)
"""
CALLS = ("x.put(1)", "x.put('a')", "r1 = x.take()", "x.take()", "x.seen()", "x.put(r1)", "x.wait()", "x.nothing()")


def test_outcomes_are_those_of_fresh_runs(world, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before, random = ENGINE.modules, Random(0)
    with world.entered():
        world.importer.load_source("shared_box", textwrap.dedent(SOURCE))
        world.snapshot()
        shared = SequentialRunner()
        executed = ENGINE.executions
        for _ in range(150):
            made = random.choice(("x = Box()", "x = Box(1)", "x = Box(-1)"))
            lines = [made, *random.choices(CALLS, k=random.randint(0, 5))]
            test = Test.from_lines(["from shared_box import Box"], lines, ())
            told = []
            monkeypatch.setattr(SequentialRunner, "listener", lambda test, found, told=told: told.append((test, found)))
            found = shared(test)
            monkeypatch.setattr(SequentialRunner, "listener", None)
            assert all(each == (test, found) for each in told)
            assert found == SequentialRunner(apart=True)(test), lines
        assert ENGINE.executions - executed < 300  # half of them are fresh runs: some of the others were known
        again = SequentialRunner()
        executed = ENGINE.executions
        assert again(test) == found
        assert ENGINE.executions == executed
        world.snapshot()  # other modules: nothing is known of them
        assert again(test) == found
        assert ENGINE.executions == executed + 1
    ENGINE.modules = before


def test_a_chunk_may_end_with_its_first_finding(world, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = ENGINE.modules
    with world.entered():
        owner = find_in(world.load("as_map", roots=[FAULTY]), "AsMap")
        world.snapshot()
        interface = discover(owner, name="as_map:AsMap")
        stream = Stream.begin(StreamOptions("AsMap", streams=1), interface, build_catalogue(owner, interface))
        chunk = stream.run(25, float("inf"), lambda _test: None, until_found=True)
        assert len(chunk.findings) >= 1
        assert chunk.tests < 25
        assert stream.tests == chunk.tests
        assert not chunk.over
    ENGINE.modules = before


TREE = """
    class Tree:
        def __init__(self):
            self.parts = {}

        def put(self, name, part):
            self.parts[name] = part

        def size(self):
            return 1 + sum(part.size() for part in self.parts.values())

        def path(self, name, before=()):
            if name in before:
                raise RecursionError(name)
            return self.path(self.parts.get(name, name), (*before, name))
"""


def test_a_recursion_of_one_call_does_not_leave_its_method_out(world, tmp_path, monkeypatch):
    """What a class raises by itself is an answer; what the interpreter ends may be the fault of one argument."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(SequentialRunner, "endless", {})
    monkeypatch.setattr(SequentialRunner, "recursions", Counter())
    before = ENGINE.modules
    with world.entered():
        world.importer.load_source("tree_of_parts", textwrap.dedent(TREE))
        world.snapshot()

        def last(*lines):
            found = SequentialRunner(apart=True)(
                Test.from_lines(["from tree_of_parts import Tree"], ["x = Tree()", *lines], ())
            )
            return found[-1].status, found[-1].exception

        assert last("x.path('a')") == ("raised", "RecursionError")
        assert last("x.put('x', x)", "x.size()")[0] == "endless"
        assert last("x.size()") == ("ok", None)
        assert SequentialRunner.left_out() == []
        for _ in range(2):
            assert last("x.put('x', x)", "x.size()")[0] == "endless"
        assert last("x.size()")[0] == "endless"
        assert [note.endswith("size is left out") for note in SequentialRunner.left_out()] == [True]
    ENGINE.modules = before
