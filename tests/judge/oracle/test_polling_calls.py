"""Calls that wait by looking again and again: orders that only poll are left out, and nothing is lost with them."""

import itertools

import pytest

from plait.explore.serial import Serial
from plait.judge.oracle import specification
from plait.run.engine import ENGINE
from plait.run.operations import ACQUIRE, LOCAL, READ, RELEASE, TIME, WRITE
from plait.run.spin import last_change

POLLERS = """
import threading, time

class Flag:
    def __init__(self):
        self._ready = self._other = False
        self._lock = threading.Lock()
    def set(self):
        self._ready = True
    def set_locked(self):
        with self._lock:
            self._ready = True
    def wait(self):
        while not self._ready:
            time.sleep(0.05)
        return self._other
    def wait_locked(self):
        while True:
            with self._lock:
                if self._ready:
                    return self._other
            time.sleep(0.05)
    def wait_holding(self):
        with self._lock:
            while not self._ready:
                time.sleep(0.05)
        return self._other
    def give_up(self):
        for _ in range(5):
            if self._ready:
                return self._other
            time.sleep(0.05)
        self._other = True
        return "gave up"
    def wait_then_set(self):
        while not self._other:
            time.sleep(0.05)
        self._ready = True
"""
CALLS = ["x.set()", "x.wait()", "x.wait_locked()", "x.wait_holding()", "x.give_up()", "x.wait_then_set()"]
PAIRS = [[[one], [other]] for one, other in itertools.combinations_with_replacement(CALLS[1:], 2)]
WITH_SET = [[[one], [other, "x.set()"]] for one, other in itertools.product(CALLS[1:4], CALLS[3:])]
ONE_HANGS = [[["x.wait_holding()"], *rest, ["x.set_locked()"]] for rest in ([], [["x.wait()"]], [["x.give_up()"]])]


def outcomes(examination):
    found = specification.specify(examination.bed)
    return {(seen.status, seen.results, seen.state) for seen in found.observed}, len(found.orders)


@pytest.mark.parametrize("suffixes", PAIRS + WITH_SET + ONE_HANGS, ids=str)
def test_what_is_left_out_shows_nothing_else(judged, monkeypatch, suffixes):
    examination = judged.prepared(POLLERS, ["x = Flag()"], *suffixes)
    with monkeypatch.context() as patched:
        patched.setattr(ENGINE, "max_steps", 1000)  # enough for all that ends
        few, orders = outcomes(examination)
        patched.setattr(Serial, "before_polling", lambda self, engine: len(self._script))
        patched.setattr(specification, "FEW_STEPS", specification.LEAST_STEPS)
        all_of_them, more = outcomes(examination)
    assert orders <= more
    assert few == all_of_them if more < specification.MAX_ORDERS else few >= all_of_them


def test_three_calls_that_poll_cost_few_orders(judged, monkeypatch):
    examination = judged.prepared(POLLERS, ["x = Flag()"], ["x.wait_locked()"], ["x.wait_locked()"], ["x.wait()"])
    monkeypatch.setattr(ENGINE, "max_steps", 1000)
    found = specification.specify(examination.bed)
    assert found.statuses() == {"hang"}
    assert not found.complete
    assert len(found.orders) < specification.MAX_ORDERS
    assert ENGINE.max_steps == 1000


def trace(*entries):
    return [(thread, 1, mode, 0, (1, 2), None) for thread, mode in entries]


def test_what_counts_as_a_change():
    assert last_change([]) == -1
    assert last_change(trace((1, READ), (-1, TIME), (2, LOCAL))) == -1
    assert last_change(trace((1, WRITE), (1, READ), (2, READ))) == 0
    assert last_change(trace((1, ACQUIRE), (1, READ), (1, RELEASE), (2, ACQUIRE), (2, RELEASE))) == -1
    assert last_change(trace((1, ACQUIRE), (-1, TIME), (1, RELEASE))) == 2  # time passed while it was held
    assert last_change(trace((1, ACQUIRE), (2, READ), (1, RELEASE), (2, READ))) == 2
    assert last_change(trace((2, READ), (1, ACQUIRE), (1, READ))) == -1  # the end came in the middle
    assert last_change(trace((1, ACQUIRE), (2, READ))) == 0  # it is held while another one runs
    assert last_change(trace((1, ACQUIRE), (1, ACQUIRE), (1, RELEASE), (2, READ))) == 0
