"""Where GIL builds may switch in calls of primitives and of code not under control: the model and real threads agree.

As in `test_gil_shapes`, each shape reads and writes ``self.x`` with something in between, and both ways of running it
must agree on whether an update can be lost.
"""

import functools
import posixpath
import queue
import string
import sys
import sysconfig
import threading
import time

import pytest

from plait import explore_threads

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))  # there, threads do what the other model says
THREADS, ROUNDS, PATIENCE = 4, 20_000, 6
LONG_PATIENCE = 200  # on a busy machine real threads seldom switch: what the model tears is looked for until it is seen


class Base:
    def __init__(self):
        self.x = 0

    def nothing(self):
        pass


class ForeignFunction(Base):
    def step(self):
        v = self.x
        posixpath.basename("a/b")
        self.x = v + 1


class ForeignMethod(Base):
    def __init__(self):
        super().__init__()
        self.template = string.Template("x")

    def step(self):
        v = self.x
        self.template.substitute()
        self.x = v + 1


class Partial(Base):
    def __init__(self):
        super().__init__()
        self.call = functools.partial(abs, 1)

    def step(self):
        v = self.x
        self.call()
        self.x = v + 1


class BoundMethod(Base):
    def step(self):
        call = self.nothing
        v = self.x
        call()
        self.x = v + 1


class EventSet(Base):
    def __init__(self):
        super().__init__()
        self.event = threading.Event()

    def step(self):
        v = self.x
        self.event.set()
        self.x = v + 1


class EventIsSet(EventSet):
    def step(self):
        v = self.x
        self.event.is_set()
        self.x = v + 1


class SemaphoreRelease(Base):
    def __init__(self):
        super().__init__()
        self.semaphore = threading.Semaphore()

    def step(self):
        v = self.x
        self.semaphore.release()
        self.x = v + 1


class OtherLock(Base):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def step(self):
        v = self.x
        with self.lock:
            pass
        self.x = v + 1


class Put(Base):
    def __init__(self):
        super().__init__()
        self.queue = queue.SimpleQueue()

    def step(self):
        v = self.x
        self.queue.put(1)
        self.x = v + 1


class Clock(Base):
    def step(self):
        v = self.x
        time.monotonic()
        self.x = v + 1


class LocalStore(Base):
    def __init__(self):
        super().__init__()
        self.local = threading.local()

    def step(self):
        local = self.local
        v = self.x
        local.y = v
        self.x = v + 1


SHAPES = [
    ForeignFunction, ForeignMethod, Partial, BoundMethod, EventSet, EventIsSet, SemaphoreRelease, OtherLock, Put, Clock,
    LocalStore,
]  # fmt: skip


def torn_by_real_threads(shape, patience):
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(patience):
            subject = shape()
            start = threading.Barrier(THREADS)

            def body():
                step = subject.step
                start.wait()
                for _ in range(ROUNDS):
                    step()

            threads = [threading.Thread(target=body) for _ in range(THREADS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if subject.x != THREADS * ROUNDS:
                return True
    finally:
        sys.setswitchinterval(interval)
    return False


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_the_model_answers_what_real_threads_do(shape):
    model = "free-threaded" if FREE_THREADED else "gil"
    verdict = explore_threads(
        shape, [shape.step, shape.step], lambda subject: subject.x == 2, model=model, raise_on_failure=False
    )
    torn = verdict.kind == "wrong-result"
    assert torn == torn_by_real_threads(shape, LONG_PATIENCE if torn else PATIENCE)


def test_a_flag_raised_before_the_data_is_seen_too_early_on_gil_builds():
    class Result:
        def __init__(self):
            self.ready = threading.Event()
            self.value = None

        def produce(self):
            self.ready.set()
            self.value = 42

        def consume(self):
            self.ready.wait()
            assert self.value == 42

    verdict = explore_threads(Result, [Result.produce, Result.consume], model="gil", raise_on_failure=False)
    assert verdict.kind == "exception"
