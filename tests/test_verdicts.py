"""Tiny programs whose folder is their verdict: each primitive, each outcome, everyday idioms."""

from __future__ import annotations

import functools
import json
import queue
import re
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from plait import explore_threads
from plait.report.layout import as_text
from plait.report.story import story
from small_programs import FAIL, SUCCESS, explored, load, often, replayed

REPLAYS = 100
PRIMITIVES = (
    "lock", "rlock", "condition", "semaphore", "bounded", "event", "barrier", "timer", "thread", "local", "queue",
    "lifo", "priority", "simple_queue", "pool",
)  # fmt: skip
OUTCOMES = ("exception", "deadlock", "hang", "wrong-result", "divergence")


def identify(path):
    return path.stem


@functools.cache
def failing(path):
    """A program of fail/ and its verdict, which must be the one it names."""
    program = load(path)
    verdict = explored(program)
    assert verdict.kind == program.OUTCOME, verdict.statement()
    return program, verdict


@pytest.mark.parametrize("path", FAIL, ids=identify)
def test_fails(path):
    program, verdict = failing(path)
    if verdict.kind == "divergence":
        assert getattr(program, "CAUSE", "") in verdict.outcome.cause
        getattr(program, "clean_up", lambda: None)()
        return
    assert verdict.confirmed_on_threads
    times = often(verdict.kind, REPLAYS)
    assert replayed(program, verdict.token, times) == {verdict.kind: times}
    assert replayed(program, verdict.token, times, "threads") == {verdict.kind: times}
    text = as_text(story(verdict))
    assert verdict.outcome.summary() in text
    assert all(len(line) <= 100 for line in text.splitlines() if "│" in line)


@pytest.mark.slow
def test_fails_in_a_new_process(tmp_path):
    """All of them in one, which has loaded none of them before."""
    verdicts = {str(path): failing(path)[1] for path in FAIL if not path.stem.startswith("divergence")}
    tokens = tmp_path / "tokens.json"
    tokens.write_text(json.dumps({path: (verdict.kind, verdict.token) for path, verdict in verdicts.items()}))
    script = Path(__file__).with_name("small_programs.py")
    done = subprocess.run(
        [sys.executable, str(script), str(tokens), str(REPLAYS)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    wanted = {path: {verdict.kind: often(verdict.kind, REPLAYS)} for path, verdict in verdicts.items()}
    assert json.loads(done.stdout) == wanted


@pytest.mark.parametrize("path", SUCCESS, ids=identify)
def test_succeeds(path):
    program = load(path)
    verdict = explored(program)
    assert verdict.kind == "pass", as_text(story(verdict))
    assert verdict.left == []
    assert verdict.exhausted or "max_executions" in program.OPTIONS


@pytest.mark.parametrize("primitive", PRIMITIVES)
def test_each_primitive_has_programs(primitive):
    for folder in (FAIL, SUCCESS):
        assert sum(path.stem.startswith(f"{primitive}_") for path in folder) >= 4


def test_clocks_have_programs():
    for folder in (FAIL, SUCCESS):
        assert sum(path.stem.startswith(("sleep_", "clock_")) for path in folder) >= 4


def test_each_outcome_has_programs():
    named = Counter(re.search(r'OUTCOME = "(.*)"', path.read_text())[1] for path in FAIL)
    assert all(named[outcome] >= 4 for outcome in OUTCOMES)
    assert set(named) == set(OUTCOMES)


# -- never a false pass: everything that can happen does -------------------------------------------------------------


class Turns:
    def __init__(self):
        self.lock = threading.Lock()
        self.log = []

    def take(self, name, times):
        for _ in range(times):
            with self.lock:
                self.log.append(name)


def test_two_threads_take_one_lock_in_twenty_orders():
    seen = Counter()
    verdict = explore_threads(
        Turns, [lambda turns: turns.take("a", 3), lambda turns: turns.take("b", 3)],
        lambda turns: seen.update(["".join(turns.log)]),
    )  # fmt: skip
    assert verdict.exhausted
    assert len(seen) == 20
    assert verdict.executions == 20


@pytest.mark.parametrize("kind", [queue.Queue, queue.SimpleQueue])
def test_a_consumer_sees_two_producers_in_six_orders(kind):
    seen = Counter()

    class Line:
        def __init__(self):
            self.items = kind()
            self.log = []

        def produce(self, name):
            for number in (1, 2):
                self.items.put(f"{name}{number}")

        def consume(self):
            for _ in range(4):
                self.log.append(self.items.get())

    verdict = explore_threads(
        Line, [lambda line: line.produce("a"), lambda line: line.produce("b"), lambda line: line.consume()],
        lambda line: seen.update([" ".join(line.log)]),
    )  # fmt: skip
    assert verdict.exhausted
    assert set(seen) == {
        "a1 a2 b1 b2", "a1 b1 a2 b2", "a1 b1 b2 a2", "b1 a1 a2 b2", "b1 a1 b2 a2", "b1 b2 a1 a2",
    }  # fmt: skip


@pytest.mark.parametrize("listed", [("wait", "notify"), ("notify", "wait")])
@pytest.mark.parametrize("strategy", ["dpor", "dfs", "icb"])
def test_a_lost_wakeup_is_found_in_whatever_order_threads_are_listed(listed, strategy):
    def wait(condition):
        with condition:
            condition.wait()

    def notify(condition):
        with condition:
            condition.notify()

    bodies = {"wait": wait, "notify": notify}
    verdict = explore_threads(
        threading.Condition, [bodies[name] for name in listed], strategy=strategy, raise_on_failure=False
    )
    assert verdict.kind == "deadlock"
