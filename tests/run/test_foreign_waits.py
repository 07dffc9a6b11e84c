"""Sockets, pipes and selectors under the scheduler: every outcome is found, and nobody waits in the system."""

import gc
import os
import select
import selectors
import socket
import threading
import time
import types
import warnings

import pytest

import plait
from plait.run.engine import ENGINE
from plait.run.foreign_waits import PORTS, threads_outside, virtual_waits


@pytest.fixture(autouse=True)
def unclosed():
    """A set-up is also run alone, to look at what it makes: nobody closes its sockets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        ENGINE.heap.clear()
        gc.collect()


def outcomes(setup, *threads, schedules=5000):
    """All that a program can end with; the search has to come to its end."""
    seen = set()

    def check(state):
        seen.add(tuple(sorted(state["got"].items())))
        for channel in state["close"]:
            channel.close()

    limits = {"max_executions": schedules, "max_seconds": 60}
    verdict = plait.explore_threads(setup, list(threads), check, strategy="dfs", **limits)
    assert verdict.passed
    assert verdict.exhausted
    return seen


def pair():
    one, other = socket.socketpair()
    return {"one": one, "other": other, "got": {}, "close": [one, other]}


def test_two_readers_get_what_there_is_in_either_order():
    def two():
        state = pair()
        state["other"].sendall(b"12")
        return state

    def read(name):
        return lambda state: state["got"].update({name: state["one"].recv(1)})

    assert outcomes(two, read("a"), read("b")) == {
        (("a", b"1"), ("b", b"2")), (("a", b"2"), ("b", b"1")),
    }  # fmt: skip


def test_a_look_that_does_not_wait_comes_before_or_behind():
    def look(state):
        state["got"]["ready"] = bool(select.select([state["one"]], [], [], 0)[0])

    assert outcomes(pair, look, lambda state: state["other"].send(b"1")) == {(("ready", False),), (("ready", True),)}


def test_a_wait_with_a_limit_ends_by_it_only_if_nobody_sends():
    def wait(state):
        with selectors.DefaultSelector() as selector:
            selector.register(state["one"], selectors.EVENT_READ)
            state["got"]["events"] = len(selector.select(3600))

    began = time.perf_counter()
    assert outcomes(pair, wait, lambda state: state["other"].send(b"1")) == {(("events", 1),)}
    assert outcomes(pair, wait, lambda _state: None) == {(("events", 0),)}
    assert time.perf_counter() - began < 600


def test_a_full_pipe_makes_its_writer_wait():
    def pipe():
        reader, writer = os.pipe()
        return {"reader": reader, "writer": writer, "got": {}, "close": [open(reader, "rb"), open(writer, "wb")]}

    def write(state):
        state["got"]["sent"] = sum(os.write(state["writer"], b"x" * 65536) for _ in range(2))

    def read(state):
        left = 131072
        while left:
            left -= len(os.read(state["reader"], 65536))
        state["got"]["read"] = True

    assert outcomes(pipe, write, read) == {(("read", True), ("sent", 131072))}


def test_who_waits_for_ever_is_a_deadlock_whatever_other_threads_the_process_has():
    over = threading.Event()
    other = threading.Thread(target=over.wait)
    other.start()
    try:
        with pytest.raises(plait.InterleavingError, match="something on a socket or pipe"):
            plait.explore_threads(pair, [lambda state: state["one"].recv(1), lambda _state: None], max_seconds=10)
    finally:
        over.set()
        other.join()


def test_a_closed_end_wakes_its_reader():
    def close(state):
        state["other"].close()

    def read(state):
        state["got"]["data"] = state["one"].recv(1)

    assert outcomes(pair, read, close) == {(("data", b""),)}


def test_an_answer_from_outside_is_waited_for():
    """A thread that is not under control answers late; the clock of the test does not run ahead of it."""
    one, other = socket.socketpair()
    one.settimeout(60)
    answer = threading.Thread(target=lambda: (time.sleep(0.2), other.send(b"1")))
    answer.start()
    got = []
    module = types.ModuleType("somebody")
    exec("def work(): return one.recv(1)", vars(module) | {"one": one}, space := {"one": one})
    with virtual_waits(threads_outside):
        work = types.FunctionType(space["work"].__code__, {"__name__": "somebody", "one": one})
        ENGINE.execute(lambda: [lambda: got.append(work())])
    answer.join()
    one.close()
    other.close()
    assert got == [b"1"]


def test_everything_is_real_again_behind_the_block():
    before = socket.socket.__dict__.keys(), select.select, os.read, vars(select.epoll)["poll"]
    with virtual_waits(bool):
        assert select.select is not before[1]
    assert (socket.socket.__dict__.keys(), select.select, os.read, vars(select.epoll)["poll"]) == before
    assert "recv" not in vars(socket.socket)
    assert ENGINE.time.before_passing is None
    assert not PORTS.look_again()
