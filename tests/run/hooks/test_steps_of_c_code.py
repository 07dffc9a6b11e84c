"""What C code does in several steps, or by waiting in the system, under the scheduler: `defaultdict` and `flock`."""

import itertools
import sys
import textwrap

import pytest

from plait.explore.dpor import Dpor
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World
from plait.run.testbed import Testbed

_numbers = itertools.count()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(PLACES, cache=tmp_path_factory.mktemp("code"))


@pytest.fixture
def outcomes(world, tmp_path, monkeypatch):
    """All endings of a test: its status and, per call, the result (objects are numbered) or the exception's name."""
    monkeypatch.chdir(tmp_path)
    before = ENGINE.modules

    def explore(source, prefix, *suffixes, gil=False):
        name = f"steps_{next(_numbers)}"
        world.importer.load_source(name, textwrap.dedent(source))
        world.snapshot()
        bed = Testbed(Test.from_lines([f"from {name} import *"], prefix, suffixes), PLACES)
        found = set()

        def finish():
            if ENGINE.status == "redundant":
                return
            done = sorted(bed.done, key=lambda each: (each.thread, each.index))
            objects = {}
            results = [
                type(each.error).__name__ if each.error
                else each.value if type(each.value) in (int, type(None))
                else objects.setdefault(id(each.value), f"object {len(objects)}")
                for each in done
            ]  # fmt: skip
            found.add((ENGINE.status, *results))

        search = Dpor()
        monkeypatch.setattr(ENGINE, "gil", gil)
        while (following := search.next_prefix()) is not None:
            ENGINE.execute(bed.prepare, following, search, free=search.free, finish=finish)
            search.executed(ENGINE)
        return found

    with world.entered():
        yield explore
    ENGINE.modules = before


LOCKS = """
    import threading
    from collections import defaultdict

    class Part:
        def __init__(self):
            self.users = 0

    class Table:
        def __init__(self, factory):
            self.parts = defaultdict(factory)

        def part(self, key):
            return self.parts[key]

        def keys(self):
            return len(self.parts)
"""


@pytest.mark.parametrize("gil", [False, True])
@pytest.mark.parametrize("factory", ["Part", "lambda: [1]", "threading.RLock"])
def test_a_key_that_python_code_fills_may_be_filled_twice(outcomes, factory, gil):
    found = outcomes(LOCKS, [f"x = Table({factory})"], ["x.part('a')"], ["x.part('a')"], gil=gil)
    assert found == {("finished", "object 0", "object 0"), ("finished", "object 0", "object 1")}


@pytest.mark.parametrize("factory", ["list", "threading.Lock"])
def test_one_that_c_code_fills_is_filled_once(outcomes, factory):
    found = outcomes(LOCKS, [f"x = Table({factory})"], ["x.part('a')"], ["x.part('a')"])
    assert found == {("finished", "object 0", "object 0")}


def test_reading_a_missing_key_is_seen_as_a_write(outcomes):
    found = outcomes(LOCKS, ["x = Table(list)"], ["x.part('a')"], ["x.keys()"])
    assert found == {("finished", "object 0", 0), ("finished", "object 0", 1)}


FILES = """
    import fcntl
    import os
    import threading

    class Shared:
        '''One descriptor for all threads: the second one loses the first one's.'''

        def __init__(self):
            self.fd = None

        def hold(self):
            self.fd = os.open('plait-lock', os.O_CREAT | os.O_RDWR)
            fcntl.flock(self.fd, fcntl.LOCK_EX)
            fd, self.fd = self.fd, None
            os.close(fd)

    class Apart:
        def __init__(self):
            self.inside = 0

        def hold(self, how=fcntl.LOCK_EX):
            fd = os.open('plait-lock', os.O_CREAT | os.O_RDWR)
            fcntl.flock(fd, how)
            self.inside += 1
            seen = self.inside
            self.inside -= 1
            os.close(fd)
            return seen

        def with_file(self):
            with open('plait-lock', 'w') as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                self.inside += 1
                seen = self.inside
                self.inside -= 1
                return seen

        def attempt(self):
            fd = os.open('plait-lock', os.O_CREAT | os.O_RDWR)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            finally:
                os.close(fd)

        def twice(self):
            one = os.open('plait-lock', os.O_CREAT | os.O_RDWR)
            fcntl.flock(one, fcntl.LOCK_EX)
            fcntl.flock(one, fcntl.LOCK_EX)
            two = os.open('plait-lock', os.O_CREAT | os.O_RDWR)
            fcntl.flock(two, fcntl.LOCK_EX)
"""
pytestmark_files = pytest.mark.skipif(sys.platform == "win32", reason="there is no flock")


@pytestmark_files
def test_a_file_lock_excludes_threads(outcomes):
    assert outcomes(FILES, ["x = Apart()"], ["x.hold()"], ["x.hold()"]) == {("finished", 1, 1)}
    assert outcomes(FILES, ["x = Apart()"], ["x.hold()"], ["x.with_file()"]) == {("finished", 1, 1)}


@pytestmark_files
def test_shared_ones_do_not(outcomes):
    shared = "x.hold(1)"
    assert ("finished", 1, 2) in outcomes(FILES, ["x = Apart()"], [shared], [shared])


@pytestmark_files
def test_an_attempt_does_not_wait(outcomes):
    found = outcomes(FILES, ["x = Apart()"], ["x.attempt()"], ["x.attempt()"])
    assert found == {("finished", None, None), ("finished", "BlockingIOError", None),
                     ("finished", None, "BlockingIOError")}  # fmt: skip


@pytestmark_files
def test_another_open_file_is_another_owner(outcomes):
    assert outcomes(FILES, ["x = Apart()"], ["x.twice()"], ["len('')"]) == {("deadlock", 0)}


@pytestmark_files
def test_a_lost_descriptor(outcomes):
    found = outcomes(FILES, ["x = Shared()"], ["x.hold()"], ["x.hold()"])
    assert ("finished", None, None) in found
    assert {status for status, *_ in found} == {"finished", "deadlock"}
    assert any("TypeError" in ending or "OSError" in ending for ending in found)
