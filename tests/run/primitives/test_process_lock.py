"""Locks and values of `multiprocessing` under the scheduler: beside the real ones, and shared by virtual threads."""

import importlib
import inspect
import multiprocessing
import multiprocessing.sharedctypes
import multiprocessing.synchronize
import subprocess
import sys

import pytest

from plait.explore.dpor import Dpor
from plait.run.engine import DEADLOCK, ENGINE, FINISHED_RUN
from plait.run.importing.mirror import Mirror

NAMES = ("Lock", "RLock", "Semaphore", "BoundedSemaphore", "Condition", "Event", "Barrier")
ARGUMENTS = {"Barrier": (2,)}


@pytest.fixture(scope="module")
def mirror():
    return Mirror({}, processes=False)


@pytest.fixture
def processes(mirror):
    with mirror.installed():
        yield multiprocessing


def outcomes(make):
    """Return what all schedules of the threads end with: the status, and what they have noted."""
    found = set()
    search = Dpor()
    while (prefix := search.next_prefix()) is not None:
        noted = []
        status = ENGINE.execute(lambda: make(noted), prefix, search, free=search.free)  # noqa: B023 - called at once
        found.add((status, tuple(noted)))
        search.executed(ENGINE)
    return found


def raised(call):
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


def public(value):
    return {name for name in dir(value) if not name.startswith("_")}


def test_what_was_removed_meanwhile_stays_removed(mirror, monkeypatch):
    monkeypatch.delattr(multiprocessing, "synchronize")
    with mirror.installed():
        del multiprocessing.synchronize
    assert not hasattr(multiprocessing, "synchronize")


@pytest.mark.parametrize("name", NAMES)
def test_classes_have_the_same_methods(name, mirror):
    real = getattr(multiprocessing, name)(*ARGUMENTS.get(name, ()))
    with mirror.installed():
        ours = getattr(multiprocessing, name)(*ARGUMENTS.get(name, ()))
    assert type(ours) is not type(real)
    assert public(real) <= public(ours)
    for method in sorted(public(real)):
        theirs = getattr(real, method)
        if inspect.ismethod(theirs):  # what is C's does not tell
            expected = [(each.name, each.default) for each in inspect.signature(theirs).parameters.values()]
            found = [(each.name, each.default) for each in inspect.signature(getattr(ours, method)).parameters.values()]
            assert found == expected, method


def test_a_semaphore_is_locked_when_nothing_is_left(processes):
    for kind in (processes.Semaphore, processes.BoundedSemaphore):
        semaphore = kind(1)
        assert not semaphore.locked()
        with semaphore:
            assert semaphore.locked()


def test_outside_of_the_mirror_everything_is_real(mirror):
    before = multiprocessing.synchronize.Lock
    with mirror.installed():
        assert multiprocessing.synchronize.Lock is not before
    assert multiprocessing.synchronize.Lock is before
    assert type(multiprocessing.Lock()) is before
    assert "Value" in vars(multiprocessing.sharedctypes)


@pytest.mark.parametrize("name", ["Lock", "BoundedSemaphore", "RLock"])
def test_a_release_too_many_is_the_same_error(name, mirror):
    real = getattr(multiprocessing, name)()
    with mirror.installed():
        ours = getattr(multiprocessing, name)()
    assert raised(ours.release) == raised(real.release)
    assert raised(ours.release)[0] in (ValueError, AssertionError)


@pytest.mark.parametrize("arguments", [(False,), (True, 0), (True, -1), (False, 5), (True, 0.01)])
@pytest.mark.parametrize("name", ["Lock", "Semaphore", "BoundedSemaphore"])
def test_an_attempt_to_take_what_is_taken_fails(name, arguments, mirror):
    real = getattr(multiprocessing, name)()
    with mirror.installed():
        ours = getattr(multiprocessing, name)()
    for lock in (real, ours):
        assert lock.acquire()
        assert not lock.acquire(*arguments)
        lock.release()
        assert lock.acquire(*arguments)
        lock.release()


@pytest.mark.parametrize("name", ["Lock", "RLock", "Semaphore", "BoundedSemaphore"])
def test_calls_under_a_lock_do_not_overlap(name, processes):
    def make(noted):
        lock, value = getattr(processes, name)(), processes.Value("i", 0)

        def body():
            with lock:
                value.value += 1
                noted.append(value.value)

        return [body, body]

    assert outcomes(make) == {(FINISHED_RUN, (1, 2))}


def test_a_value_alone_loses_updates(processes):
    def make(noted):
        value = processes.Value("i", 0)

        def body():
            value.value += 1
            noted.append(value.value)

        return [body, body]

    assert outcomes(make) == {(FINISHED_RUN, (1, 2)), (FINISHED_RUN, (2, 2)), (FINISHED_RUN, (1, 1))}


def test_the_lock_of_a_value_keeps_others_out(processes):
    def make(noted):
        value = processes.Value("d", 0.5)

        def body():
            with value.get_lock():
                value.value += 1
                noted.append(value.value)

        return [body, body]

    assert outcomes(make) == {(FINISHED_RUN, (1.5, 2.5))}


def test_arrays_and_fields(processes):
    array = processes.Array("i", [1, 2, 3])
    assert array[:] == [1, 2, 3]
    array[1] = 7
    assert list(array) == [1, 7, 3]
    text = processes.Array("c", b"abc")
    assert (text.value, text.raw) == (b"abc", b"abc")
    assert processes.RawValue("i", 4).value == 4
    assert processes.Value("i", 4, lock=False).value == 4


def test_locks_taken_in_two_orders_are_a_deadlock(processes):
    def make(_noted):
        one, two = processes.Lock(), processes.Lock()

        def body(first, second):
            with first, second:
                pass

        return [lambda: body(one, two), lambda: body(two, one)]

    assert {status for status, _ in outcomes(make)} == {FINISHED_RUN, DEADLOCK}


def test_conditions_events_and_barriers_wake(processes):
    def make(noted):
        condition, event, barrier = processes.Condition(), processes.Event(), processes.Barrier(2)
        ready = []

        def waiter():
            with condition:
                condition.wait_for(lambda: ready)
            event.wait()
            barrier.wait()
            noted.append("through")

        def waker():
            with condition:
                ready.append(1)
                condition.notify_all()
            event.set()
            barrier.wait()

        return [waiter, waker]

    assert outcomes(make) == {(FINISHED_RUN, ("through",))}


SUBJECT = """
import multiprocessing

class Counter:
    def __init__(self) -> None:
        self._value = multiprocessing.Value("i", 0)

    def increment(self) -> int:
        {guard}
            self._value.value += 1
            return self._value.value
"""


@pytest.mark.parametrize(("guard", "code"), [("with self._value.get_lock():", 0), ("if True:", 1)])
def test_check_judges_a_class_over_a_shared_value(guard, code, tmp_path):
    (tmp_path / "counter.py").write_text(SUBJECT.format(guard=guard))
    words = ["check", "counter:Counter", "--max-tests", "10", "--workers", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "plait", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr


def test_packages_can_look_at_the_base_class_of_the_locks_and_patch_it(mirror):
    with mirror.installed():
        synchronize = importlib.import_module("multiprocessing.synchronize")
        assert synchronize.SemLock._make_name() != synchronize.SemLock._make_name()
        synchronize.SemLock._make_name = staticmethod(lambda: "/mine")
        assert (synchronize.RECURSIVE_MUTEX, synchronize.SEMAPHORE) == (0, 1)
    assert "/mine" not in multiprocessing.synchronize.SemLock._make_name()
