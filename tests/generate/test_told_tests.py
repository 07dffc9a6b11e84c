"""An observer that calls the object back is told: where the call that tells it does not end, it is a test."""

from random import Random

import pytest

from in_process import plait
from plait.generate.callables import Listener, Told
from plait.generate.catalogue import build_catalogue
from plait.generate.sequence import Sequences
from plait.generate.telling import ToldTests
from plait.judge.oracle.sequential import SequentialRunner
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World
from plait.subject.interface.discovery import discover

SOURCE = """
import threading


class Subject:
    def __init__(self):
        self._lock = threading.Lock()
        self._observers = []
        self._value = 0

    def attach(self, observer) -> None:
        with self._lock:
            self._observers.append(observer)

    def set(self, value: int) -> None:
        with self._lock:
            self._value = value
            for observer in list(self._observers):
                observer(value)

    def get(self, default: int = 0) -> int:
        with self._lock:
            return self._value or default


class Silent(Subject):
    def set(self, value: int) -> None:
        with self._lock:
            self._value = value
            observers = list(self._observers)
        for observer in observers:
            observer(value)


class Reentrant(Subject):
    def __init__(self):
        super().__init__()
        self._lock = threading.RLock()


class Factories(Subject):
    def set(self, value: int) -> None:
        with self._lock:
            for observer in self._observers:
                self._value = observer(value)


class Runner(Subject):
    def attach(self, action) -> None:
        with self._lock:
            action()

    def set(self, value: int) -> None:
        with self._lock:
            self._value = value
"""


def planned(tmp_path, name):
    world = World(PLACES, cache=tmp_path / "code")
    before = ENGINE.modules
    with world.entered():
        (tmp_path / "telling.py").write_text(SOURCE)
        module = world.load("telling", roots=[tmp_path])
        world.snapshot()
        owner = getattr(module, name)
        catalogue = build_catalogue(owner, discover(owner, name=f"telling:{name}"))
        tests = ToldTests(Sequences(catalogue, SequentialRunner(), Random(0)), Random(0)).take(20, lambda _test: True)
    ENGINE.modules = before
    return tests


def test_an_observer_calls_back_where_it_is_told_under_a_lock(tmp_path):
    tests = planned(tmp_path, "Subject")
    assert tests
    for test in tests:
        assert test.prefix[-1].source.startswith("x.attach(Listener(x.get")
        assert [[call.method for call in thread] for thread in test.suffixes] == [["set"], ["get"]]


@pytest.mark.parametrize("name", ["Silent", "Reentrant", "Factories", "Runner"])
def test_there_is_no_test_where_that_does_no_harm_or_is_meant(tmp_path, name):
    assert planned(tmp_path, name) == []


def test_a_call_that_uses_the_result_has_not_only_told():
    told = Told()
    with pytest.raises(LookupError):
        told.only()
    told(1)
    told.only()
    _answer = told(1)
    with pytest.raises(LookupError):
        told.only()


def test_an_observer_ignores_what_it_is_told():
    got = []
    observer = Listener(got.append, "a")
    observer(1, by=2)
    assert got == ["a"]
    assert observer == Listener(got.append, "b")
    assert observer != Listener(got.pop)


@pytest.mark.parametrize("name", ["check", "diff"])
def test_a_lock_that_is_held_while_observers_are_told_is_found(tmp_path, name):
    told = SOURCE.partition("class Silent")[0]
    sound = told.replace("            for observer", "        for observer")
    sound = sound.replace("                observer(value)", "            observer(value)")
    for version, source in (("old", sound), ("new", told)):
        (tmp_path / version).mkdir()
        (tmp_path / version / "watched.py").write_text(source)
    versions = ["--old", f"dir:{tmp_path / 'old'}", "--new", f"dir:{tmp_path / 'new'}"]
    versions = versions if name == "diff" else ["--at", f"dir:{tmp_path / 'new'}"]
    done = plait(tmp_path, name, "watched:Subject", *versions, "--max-tests", "20", "--quiet")
    assert done.returncode == 1
    assert "Listener(x.get" in done.stdout
