"""A thread that reads the same things over and over is taken out only if it really waits."""

from textwrap import dedent, indent

import pytest

from plait.explore.dpor import Dpor
from plait.explore.runner import explore
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World

BOX = """
import time

LENGTH = 200


class Box:
    def __init__(self):
        self.items = [0] * LENGTH
        self.up = False
        self.other = self.seen = 0

    def put(self):
        self.other = 1
        self.other = 2

    def rise(self):
        self.other = 1
        self.up = True

    def rise_later(self):
        self.other = 1
        time.sleep(1)
        self.up = True

"""
GETTING_ON = {
    "a search through a list": """
        def look(self):
            for each in self.items:
                if each == 1:
                    return
            self.seen = self.other
    """,
    "a search that counts": """
        def look(self):
            at = 0
            while at < LENGTH:
                if self.items[0] == 1:
                    return
                at += 1
            self.seen = self.other
    """,
    "a number of attempts": """
        def look(self):
            for _ in range(LENGTH):
                if self.up:
                    return
            self.seen = self.other
    """,
    "a loop in a loop": """
        def look(self):
            for _ in self.items:
                for each in (0, 0):
                    if self.up:
                        return
            self.seen = self.other
    """,
}
WAITING = {
    "a flag": """
        def look(self):
            while not self.up:
                pass
            self.seen = self.other
    """,
    "a copy": """
        def look(self):
            while True:
                now = (self.up, {"copy": object()})
                if now[0]:
                    break
            self.seen = self.other
    """,
    "a flag beside a short list": """
        def look(self):
            few = [1, 2]
            while not self.up:
                for _ in few:
                    self.other
            self.seen = self.other
    """,
}


@pytest.fixture
def run(tmp_path):
    """Explore ``look`` against another method; returns the search, and what was seen in the end."""

    def of(body, writer, *, gil=False):
        name = f"spinning_{len(list(tmp_path.parent.iterdir()))}"  # modules stay loaded
        (tmp_path / f"{name}.py").write_text(BOX + indent(dedent(body), "    "))
        world = World(PLACES, cache=tmp_path / "cache")
        module = world.load(name, roots=[tmp_path])
        world.snapshot()
        boxes, seen = [], set()

        def prepare():
            boxes.append(module.Box())
            return [boxes[-1].look, getattr(boxes[-1], writer)]

        def note(_engine, status):
            if status == "finished":
                seen.add(boxes[-1].seen)
            return False

        ENGINE.gil = gil
        try:
            found = explore(prepare, Dpor(), max_executions=3_000, on_execution=note)
        finally:
            ENGINE.gil = False
        return found, seen

    return of


@pytest.mark.parametrize("program", GETTING_ON)
def test_what_gets_on_is_not_taken_out(program, run):
    """The reader may be through at any moment: before, between and behind the writer's steps."""
    found, seen = run(GETTING_ON[program], "put")
    assert found.exhausted
    assert seen == {0, 1, 2}


@pytest.mark.parametrize("gil", [False, True])
@pytest.mark.parametrize("program", WAITING)
@pytest.mark.parametrize("writer", ["rise", "rise_later"])
def test_what_waits_is_taken_out(writer, program, gil, run):
    """Also while the other one sleeps and nobody can go on: time passes all the same."""
    found, seen = run(WAITING[program], writer, gil=gil)
    assert not found.statuses["hang"]
    assert found.exhausted
    assert seen == {1}
