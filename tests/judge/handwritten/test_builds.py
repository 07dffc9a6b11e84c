"""Which builds can show a failure: that one with the GIL cannot is a claim, and needs a search that came to its end."""

import threading
import time

import pytest

from plait.explore.capp.search import Capp
from plait.explore.dpor import Dpor
from plait.explore.runner import model
from plait.judge.handwritten.search import only_without_gil, search
from plait.scenario import controlled, explore_threads


def nothing():
    pass


def lose(state):
    value = state[0]
    nothing()
    state[0] = value + 1


def is_two(state):
    assert state[0] == 2


class Poller:
    """Its thread takes the lock now and then; `stop` waits for the thread while it holds the lock."""

    def __init__(self):
        self._lock = threading.Lock()
        self._over = False
        self.seen = 0
        self._thread = threading.Thread(target=self._poll)
        self._thread.start()

    def _poll(self):
        while not self._over:
            with self._lock:
                self.seen += 1
            time.sleep(0.25)

    def stop(self):
        with self._lock:
            self._over = True
            self._thread.join()


def reach(strategies, threads=(lose, lose), *, setup=lambda: [0], check=is_two, limit=2_000):
    with controlled(setup, threads, check) as (trial, _adopter), model(gil=False, any_timeouts=False):
        found = search(trial, Dpor(), max_executions=2_000)
        assert found.failure is not None
        return only_without_gil(trial, found.failure, strategies, max_executions=limit)[0]


def test_a_search_with_a_bound_is_no_proof():
    bounded = Capp("icb", None, bound=0)
    assert reach([bounded]) is None
    assert bounded.exhausted
    assert reach([Capp("icb", None, bound=0), Dpor()]) is True


def test_a_search_that_was_cut_short_is_no_proof():
    def update(state):
        for _ in range(3):
            nothing()
        state[0] += 1

    assert reach([Dpor()], (update, update)) is False  # an addition is one step with the GIL
    assert reach([Dpor()], (update, update), limit=1) is None


def test_time_outs_that_fire_only_when_nothing_can_run_are_no_proof():
    """With the GIL it takes a time-out before its time, which a real clock allows."""

    def wait(state):
        if not state[1].wait(1.0):
            state[0] = -9

    def wake(state):
        for _ in range(2):
            nothing()
        state[1].set()
        state[0] += 1

    def update(state):
        state[0] += 1

    def setup():
        return [0, threading.Event()]

    assert reach([Dpor()], (wait, wake, update), setup=setup) is None


def test_a_join_under_the_lock_is_no_matter_of_free_threading():
    verdict = explore_threads(Poller, [lambda poller: poller.stop()], raise_on_failure=False, timeouts="any")
    assert verdict.kind == "deadlock"
    assert verdict.reachable["gil"] is True


@pytest.mark.parametrize("timeouts", ["idle", "any"])
def test_what_is_said_of_it_whatever_the_time(timeouts):
    verdict = explore_threads(Poller, [lambda poller: poller.stop()], raise_on_failure=False, timeouts=timeouts,
                              max_executions=300)  # fmt: skip
    assert verdict.passed or verdict.reachable["gil"] is not False
