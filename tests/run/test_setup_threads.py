"""Threads that wait when the set-up is over: what they wait for can come in the execution, or was there before."""

import queue
import threading
import time

import pytest

from plait import explore_threads


class Worker:
    """Its thread runs in the set-up until it waits; ``before`` is then done in the set-up as well."""

    def __init__(self, before=None):
        self.lock, self.rlock, self.semaphore = threading.Lock(), threading.RLock(), threading.Semaphore(0)
        self.condition, self.event, self.queue = threading.Condition(), threading.Event(), queue.Queue()
        self.here, self.open, self.ended = threading.Event(), False, []
        self.other = threading.Thread(target=self.event.wait, daemon=True)
        self.other.start()
        self.lock.acquire()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()
        self.here.wait()
        if before is not None:
            before(self)

    def work(self):
        self.here.set()
        self.wait()
        self.ended.append(True)

    def wait_for_condition(self):
        with self.condition:
            while not self.open:
                self.condition.wait()

    def open_condition(self):
        with self.condition:
            self.open = True
            self.condition.notify_all()


WAYS = {
    "lock": (lambda worker: worker.lock.acquire(), lambda worker: worker.lock.release()),
    "lock with a time-out": (lambda worker: worker.lock.acquire(timeout=60), lambda worker: worker.lock.release()),
    "condition": (Worker.wait_for_condition, Worker.open_condition),
    "event": (lambda worker: worker.event.wait(), lambda worker: worker.event.set()),
    "event with a time-out": (lambda worker: worker.event.wait(60), lambda worker: worker.event.set()),
    "semaphore": (lambda worker: worker.semaphore.acquire(), lambda worker: worker.semaphore.release()),
    "queue": (lambda worker: worker.queue.get(), lambda worker: worker.queue.put(1)),
    "join": (lambda worker: worker.other.join(), lambda worker: worker.event.set()),
    "sleep": (lambda worker: time.sleep(5), lambda worker: None),
}


def explored(way, *, before, threads=1):
    wait, go = WAYS[way]
    cls = type("Worker", (Worker,), {"wait": wait})

    def finish(worker):
        if not before:
            go(worker)
        worker.thread.join()

    def check(worker):
        assert worker.ended == [True]

    def look(worker):
        with worker.rlock:
            return worker.ended

    bodies = [finish] + [look] * (threads - 1)
    made = explore_threads(
        lambda: cls(go if before else None), bodies, check, max_executions=400, raise_on_failure=False
    )  # fmt: skip
    return made.outcome.kind


@pytest.mark.parametrize("way", WAYS)
def test_what_ends_the_wait_comes_in_the_execution(way):
    assert explored(way, before=False, threads=2) == "pass"


@pytest.mark.parametrize("way", WAYS)
def test_what_ends_the_wait_came_in_the_set_up(way):
    assert explored(way, before=True) == "pass"


def test_nobody_ends_the_wait():
    WAYS["nobody"] = (lambda worker: worker.event.wait(), lambda worker: None)
    try:
        assert explored("nobody", before=False) == "deadlock"
    finally:
        del WAYS["nobody"]


def test_several_threads_may_wait_for_the_end_of_one():
    def setup():
        worker = type("Worker", (Worker,), {"wait": Worker.wait_for_condition})()
        worker.open_condition()
        return worker

    def close(worker):
        worker.thread.join()
        worker.ended.append(True)

    def check(worker):
        assert len(worker.ended) == 4

    found = explore_threads(setup, [close, close, close], check, max_executions=500, raise_on_failure=False)
    assert found.outcome.kind == "pass"


def test_a_loop_until_a_deadline_ends_in_a_set_up():
    def setup():
        event, end, turns = threading.Event(), time.monotonic() + 0.0, 0
        while not event.is_set() and not time.monotonic() > end:  # no time passes but that of looking at the clock
            event.wait(0)
            turns += 1
        return [turns]

    found = explore_threads(setup, [lambda turns: turns.append(1)] * 2, max_executions=20, raise_on_failure=False)
    assert found.outcome.kind == "pass"


def test_what_a_set_up_stores_does_not_expire_while_it_looks_at_the_clock_now_and_then():
    def setup():
        begun = time.time()
        for _ in range(100):
            assert time.time() == begun
        return []

    found = explore_threads(setup, [lambda told: told.append(1)] * 2, max_executions=20, raise_on_failure=False)
    assert found.outcome.kind == "pass"
