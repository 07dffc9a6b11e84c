"""The function API for hand-written tests, under plain pytest."""

from __future__ import annotations

import collections
import functools
import queue
import random
import secrets
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock, RLock

import pytest

import plait
from plait import InterleavingError, ReplayLostError, explore_threads
from plait.errors import UsageError
from plait.explore.registry import STRATEGIES

IMPORT_TIME_LOCK = threading.Lock()
LOCKS = [threading.Lock(), threading.Lock()]
QUEUE = queue.Queue()
total = 0


class Counter:
    def __init__(self):
        self.value = 0
        self._lock = Lock()

    def increment(self):
        self.value += 1

    def increment_locked(self):
        with self._lock:
            self.value += 1

    def increment_slowly(self):
        value = self.value
        pause()
        self.value = value + 1


def pause():
    pass


SHARED = Counter()


def outcome(*args, **named):
    return explore_threads(*args, raise_on_failure=False, **named)


def test_a_lost_update_is_found_and_told():
    with pytest.raises(InterleavingError) as caught:
        explore_threads(Counter, [Counter.increment, Counter.increment], lambda counter: counter.value == 2)
    text = str(caught.value)
    assert "the check failed" in text
    assert "with 1 preemption" in text
    assert "self.value += 1" in text
    assert "read Counter.value: 0" in text
    assert "Only on free-threaded builds" in text
    assert 'replay="' in text
    assert max(map(len, text.splitlines()[:-1])) <= 100


def test_a_call_between_read_and_write_can_be_interrupted_on_gil_builds():
    verdict = outcome(Counter, [Counter.increment_slowly] * 2, lambda counter: counter.value == 2)
    assert verdict.reachable == {"gil": True, "free-threaded": True}
    assert verdict.schedule.gil
    assert verdict.confirmed_on_threads


def test_a_lock_makes_it_pass_and_the_pass_says_what_it_covers():
    verdict = explore_threads(Counter, [Counter.increment_locked] * 2, lambda counter: counter.value == 2)
    assert verdict.passed
    assert verdict.exhausted
    assert verdict.executions == 2
    assert "all classes of equivalent schedules" in verdict.statement()


def test_a_budget_that_ends_is_admitted():
    verdict = explore_threads(Counter, [Counter.increment_locked] * 4, max_executions=3)
    assert verdict.passed
    assert not verdict.exhausted
    assert "limit of executions" in verdict.statement()


def test_threads_that_share_nothing_are_no_evidence():
    verdict = explore_threads(None, [lambda: None, lambda: None])
    assert "touched nothing in common" in verdict.statement()


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_every_strategy_finds_a_lost_update(strategy):
    verdict = outcome(
        Counter, [Counter.increment] * 2, lambda counter: counter.value == 2, strategy=strategy, max_executions=300
    )
    assert verdict.kind == "wrong-result"


def test_an_exception_in_a_thread_is_a_finding_with_its_line():
    def remove(items):
        if items:
            items.pop()

    verdict = outcome(lambda: [1], [remove, remove])
    assert verdict.kind == "exception"
    assert verdict.outcome.failures[0].exception == "IndexError"
    assert verdict.outcome.failures[0].at.code == "items.pop()"
    with pytest.raises(InterleavingError) as caught:
        plait.raise_for_failure(verdict)
    assert isinstance(caught.value.__cause__, IndexError)


def test_a_deadlock_says_who_holds_what():
    def forwards():
        with LOCKS[0], LOCKS[1]:
            pass

    def backwards():
        with LOCKS[1], LOCKS[0]:
            pass

    verdict = outcome(None, [forwards, backwards])
    assert verdict.kind == "deadlock"
    first, second = verdict.outcome.waits
    assert (first.thread, first.holder, second.thread, second.holder) == (1, 2, 2, 1)
    assert "with LOCKS[1], LOCKS[0]" in first.since.code
    assert verdict.reachable["gil"]


def test_a_hang_names_the_loop():
    def wait_for_ever(flags):
        while not flags:
            pass

    verdict = outcome(list, [wait_for_ever])
    assert verdict.kind == "hang"
    assert verdict.outcome.loop.code == "while not flags:"


def test_an_endless_loop_that_touches_nothing_is_a_hang():
    def spin():
        while True:
            pass

    verdict = outcome(None, [spin])
    assert verdict.kind == "hang"
    assert verdict.outcome.loop.code == "while True:"


def test_a_test_that_is_not_deterministic_is_reported_with_the_likely_cause():
    def draw(numbers):
        for _ in range(30):
            if secrets.SystemRandom().random() < 0.5:
                numbers.append(1)

    verdict = outcome(list, [draw, draw])
    assert verdict.kind == "divergence"
    assert "randomness" in verdict.outcome.cause


def test_random_numbers_are_the_same_in_every_execution():
    def draw(numbers):
        if random.random() < 0.5:
            numbers.append(random.random())

    before = random.getstate()
    verdict = outcome(list, [draw, draw])
    assert verdict.kind == "pass"
    assert random.getstate() == before


# -- what comes under control ---------------------------------------------------------------------------------------


def test_closures_and_lambdas_on_one_line_are_rewritten():
    box = {"n": 0}
    bodies = [lambda: box.update(n=box["n"] + 1), lambda: box.update(n=box["n"] + 1)]
    verdict = outcome(None, bodies, lambda: box["n"] == 2)
    assert verdict.kind == "wrong-result"
    assert verdict.left == []
    assert box == {"n": 0}


def test_variables_of_the_test_function_are_shared_state():
    count = 0

    def increment():
        nonlocal count
        count += 1

    verdict = outcome(None, [increment, increment], lambda: count == 2)
    assert verdict.kind == "wrong-result"
    assert count == 0


def test_nested_functions_that_bodies_call_are_rewritten_too():
    box = []

    def helper():
        if not box:
            box.append(1)

    verdict = outcome(None, [lambda: helper(), lambda: helper()], lambda: len(box) == 1)
    assert verdict.kind == "wrong-result"


def test_classes_inside_a_test_function_are_rewritten():
    class Local:
        def __init__(self):
            self.n = 0

        def bump(self):
            self.n += 1

    assert outcome(Local, [lambda x: x.bump()] * 2, lambda x: x.n == 2).kind == "wrong-result"


def test_partials_and_bound_methods_are_bodies():
    def add(counter, amount):
        counter.value += amount

    verdict = outcome(Counter, [functools.partial(add, amount=1)] * 2, lambda counter: counter.value == 2)
    assert verdict.kind == "wrong-result"
    counter = Counter()
    assert outcome(None, [counter.increment] * 2, lambda: counter.value == 2).kind == "wrong-result"
    assert counter.value == 0


@pytest.mark.skipif(not hasattr(functools, "Placeholder"), reason="partials with gaps came with 3.14")
def test_partials_with_gaps_keep_them():
    def add(counter, amount, lock):
        with lock:
            counter.value += amount

    def check(counter):
        return counter.value == 2

    gap = functools.Placeholder
    safe = functools.partial(add, gap, 1, threading.Lock())
    verdict = outcome(Counter, [safe, safe], check)
    assert verdict.kind == "pass", verdict
    unsafe = [functools.partial(add, gap, 1, threading.Lock()) for _ in range(2)]
    assert outcome(Counter, unsafe, check).kind == "wrong-result"
    kept = {"gap": gap}
    bodies = [lambda counter: kept["gap"] is gap and counter.increment_locked()] * 2
    assert outcome(Counter, bodies, check).kind == "pass"


def test_objects_made_before_get_virtual_locks_and_real_ones_back():
    counter = Counter()
    real = counter._lock
    assert explore_threads(None, [counter.increment_locked] * 2, lambda: counter.value == 2).exhausted
    assert counter._lock is real
    assert explore_threads(None, [SHARED.increment_locked] * 2, lambda: SHARED.value == 2).exhausted
    assert SHARED.value == 0


def test_module_globals_are_restored_between_executions():
    def add():
        global total
        total += 1

    assert outcome(None, [add, add], lambda: total == 2).kind == "wrong-result"
    assert total == 0


def test_import_time_locks_are_controlled():
    def add(box):
        with IMPORT_TIME_LOCK:
            box["n"] = box.get("n", 0) + 1

    assert explore_threads(dict, [add, add], lambda box: box["n"] == 2).exhausted
    assert isinstance(IMPORT_TIME_LOCK, type(Lock()))


def test_a_real_queue_made_at_import_time_is_controlled():
    QUEUE.put("first")
    try:
        verdict = explore_threads(None, [lambda: QUEUE.put("second"), lambda: QUEUE.get()], lambda: QUEUE.qsize() == 1)
    finally:
        assert QUEUE.get_nowait() == "first"
    assert verdict.exhausted


@dataclass
class Record:
    items: list = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)


def test_locks_made_by_default_factories_are_controlled():
    def add(record):
        with record.guard:
            record.items.append(len(record.items))

    assert explore_threads(Record, [add, add], lambda record: record.items == [0, 1]).executions == 2


class Local(threading.local):
    def __init__(self, start):
        self.n = start


class Worker(threading.Thread):
    def __init__(self, box):
        super().__init__()
        self.box = box

    def run(self):
        self.box.append(len(self.box))


def test_subclasses_of_thread_and_local_are_controlled():
    def start_two(box):
        workers = [Worker(box), Worker(box)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    assert outcome(list, [start_two], lambda box: box == [0, 1]).kind == "wrong-result"
    assert issubclass(Worker, threading.Thread)

    def bump(local):
        local.n += 1
        assert local.n == 6

    assert explore_threads(lambda: Local(5), [bump, bump]).passed


def test_imports_inside_functions_give_the_mirror():
    def worker():
        import threading as inner
        from concurrent.futures import ThreadPoolExecutor as Pool
        from time import monotonic, sleep

        assert hasattr(inner.Lock().acquire, "__code__")  # the real one is written in C
        begun = monotonic()
        sleep(3600)
        assert monotonic() - begun >= 3600
        with Pool(1) as pool:
            assert pool.submit(int, "7").result() == 7

    begun = time.perf_counter()
    assert explore_threads(None, [worker]).passed
    assert time.perf_counter() - begun < 60


def test_everything_is_real_again_afterwards():
    explore_threads(Counter, [Counter.increment_locked] * 2)
    assert Counter()._lock.__class__ is type(threading.Lock())
    assert "_p_r" not in Counter.increment.__code__.co_names
    seen = []
    thread = threading.Thread(target=lambda: seen.append(threading.get_ident()))
    thread.start()
    thread.join()
    assert seen[0] != threading.get_ident()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(threading.get_ident).result() != threading.get_ident()
    assert RLock is threading.RLock


def test_a_check_may_collect_what_it_sees():
    seen = set()

    def append(item, log):
        log.append(item)

    explore_threads(list, [functools.partial(append, item) for item in "abc"], lambda log: seen.add("".join(log)))
    assert seen == {"abc", "acb", "bac", "bca", "cab", "cba"}


def test_functions_without_source_are_named():
    space = {"__name__": __name__}
    exec("def generated(box): box.append(1)", space)
    verdict = explore_threads(list, [space["generated"], lambda box: box.append(2)])
    assert verdict.passed


def test_an_installed_package_is_controlled_when_the_state_comes_from_it():
    from sortedcontainers import SortedList

    bodies = [lambda items: items.add(1), lambda items: items.add(2)]
    verdict = outcome(SortedList, bodies, lambda items: len(items) == 2)
    assert verdict.kind != "pass"


# -- replay -----------------------------------------------------------------------------------------------------------


def test_a_token_replays():
    arguments = (Counter, [Counter.increment] * 2, lambda counter: counter.value == 2)
    token = outcome(*arguments).token
    for _ in range(100):
        again = outcome(*arguments, replay=token)
        assert again.kind == "wrong-result"
        assert again.lost is None
        assert again.token == token


def test_a_token_that_no_longer_fits_is_no_pass():
    token = outcome(Counter, [Counter.increment] * 2, lambda counter: counter.value == 2).token
    with pytest.raises(ReplayLostError, match="no longer fits the code"):
        explore_threads(Counter, [Counter.increment_locked] * 2, lambda counter: counter.value == 2, replay=token)


def test_a_broken_token_is_a_usage_error():
    with pytest.raises(UsageError, match="not a replay token"):
        explore_threads(list, [len], replay="rubbish")


# -- usage ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"strategy": "luck"}, "strategy 'luck' is not known"),
        ({"model": "jython"}, "model 'jython' is not known"),
        ({"timeouts": "never"}, "timeouts 'never' is not known"),
        ({"modules": ["no_such_package"]}, "not imported"),
    ],
)
def test_wrong_options_are_usage_errors(named, message):
    with pytest.raises(UsageError, match=message):
        explore_threads(list, [len], **named)


def test_no_threads_is_a_usage_error():
    with pytest.raises(UsageError, match="at least one function"):
        explore_threads(list, [])


def test_an_error_of_the_setup_is_the_users_own():
    def setup():
        raise KeyError("no such fixture")

    with pytest.raises(KeyError, match="no such fixture"):
        explore_threads(setup, [lambda state: None])
    assert collections.OrderedDict is not None


def test_importing_plait_is_light():
    code = "import sys, plait; print(sorted(name for name in ('greenlet', 'plait.run', 'rich') if name in sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
