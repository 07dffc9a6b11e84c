"""Calls one after another, of classes whose own threads and loops have no end."""

import sys

import pytest

from plait.judge.oracle.sequential import SequentialRunner
from plait.model.test import Call, Test
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World

SOURCE = """
import threading

class Monitor:
    def __init__(self):
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.loop, daemon=True)
        self.thread.start()

    def loop(self):
        while not self.stopped.wait(1):
            pass

    def join(self):
        self.thread.join()

    def stop(self):
        self.stopped.set()

class Loop(Monitor):
    def __init__(self):
        self.stopped = threading.Event()
"""


@pytest.fixture
def outcomes(tmp_path, monkeypatch):
    monkeypatch.setattr(SequentialRunner, "endless", {})
    monkeypatch.setattr(SequentialRunner, "ends", {})
    world = World(PLACES, cache=tmp_path / "code")
    monkeypatch.setattr(ENGINE, "modules", ENGINE.modules)

    def run(*names, cls="Monitor"):
        calls = (Call(cls, f"{cls}()", result="x"), *(Call(each, f"{{receiver}}.{each}()") for each in names))
        with world.entered():
            if "monitors" not in sys.modules:
                world.importer.load_source("monitors", SOURCE)
                world.snapshot()
            return [each.status for each in SequentialRunner()(Test(("from monitors import *",), calls, ()))]

    return run


def test_who_waits_for_a_thread_that_never_ends_waits_for_ever(outcomes):
    assert outcomes("join") == ["ok", "blocked"]
    assert outcomes("stop", "join") == ["ok", "ok", "ok"]


def test_a_loop_that_only_lets_time_pass_has_no_end(outcomes):
    assert outcomes("stop", "loop", cls="Loop") == ["ok", "ok", "ok"]
    assert outcomes("loop", "stop", cls="Loop") == ["ok", "endless"]
    assert SequentialRunner.endless == {"loop": "x.loop()"}


def test_a_call_without_an_end_is_made_again_only_behind_what_ends_it(outcomes, monkeypatch):
    SequentialRunner.endless["loop"] = "x.loop()"
    assert outcomes("stop", "loop", cls="Loop") == ["ok", "ok", "endless"]
    assert SequentialRunner.left_out() != []
    SequentialRunner.ends["loop"] = frozenset({"stop"})
    assert outcomes("stop", "loop", cls="Loop") == ["ok", "ok", "ok"]
    assert outcomes("loop", cls="Loop") == ["ok", "endless"]
    assert SequentialRunner.left_out() == []
