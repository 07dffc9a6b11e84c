"""Orchestrated executions: plans by hand, active tests, lines that a person names."""

import pytest

from plait.errors import UsageError
from plait.explore.active.force import ActiveAim, ActiveTest, Orchestrated, force, profile
from plait.explore.active.laboratory import ActiveLaboratory
from plait.explore.active.plan import DELAY, FIRST_WAITS, MEET, SECOND_WAITS, STRAIGHT
from plait.explore.active.testing import Leading, ProfiledTest, aims, native_profile
from plait.explore.scripted import Scripted
from plait.generate.atg.adaptive import InstanceMemory
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.run.engine import ENGINE

ACCOUNT = """
    class Account:
        def __init__(self):
            self.balance = 10

        def deposit(self):
            balance = self.balance
            self.balance = balance + 5

        def withdraw(self):
            balance = self.balance
            self.balance = balance - 3
"""
WRITE = 8  # lines of `deposit`; those of `withdraw` are 11 and 12
WITHDRAWN = (
    "Account.balance: subject.Account.withdraw `self.balance` (write) -> subject.Account.deposit `self.balance` (write)"
)


def a_test(cls, *suffixes):
    return Test.from_lines([f"from subject import {cls}"], [f"x = {cls}()"], suffixes)


@pytest.mark.parametrize("plan", [MEET, SECOND_WAITS, FIRST_WAITS])
def test_a_lost_update_is_orchestrated(load, run_of, plan):
    load(ACCOUNT)
    run = run_of(a_test("Account", ["x.deposit()"], ["x.withdraw()"]))
    seen = run(Leading(1))
    (hint, *_rest) = seen.possible[WITHDRAWN]
    strategy = Orchestrated(ActiveAim(hint, plan, seen.order))
    balances = []
    run.bed.on_return = lambda bed, _done: balances.append(bed.values["x"].balance)
    again = run(strategy)
    assert strategy.met
    assert WITHDRAWN in again.close
    assert balances[-1] == 15  # the withdrawal is lost: 12 if one came after the other


def test_straight_runs_the_first_thread_to_its_access_and_then_the_second(load, run_of):
    load(ACCOUNT)
    run = run_of(a_test("Account", ["x.deposit()"], ["x.withdraw()"]))
    seen = run(Leading(1))
    (hint, *_rest) = seen.possible[WITHDRAWN]
    strategy = Orchestrated(ActiveAim(hint, STRAIGHT))
    assert WITHDRAWN in run(strategy).happened
    assert [entry[0] for entry in ENGINE.trace] == [2, 2, 1, 1]


COUNTER = """
    from threading import Lock

    class Counter:
        def __init__(self):
            self._lock = Lock()
            self.n = 0

        def add(self):
            with self._lock:
                n = self.n
                self.n = n + 1

        def size(self):
            with self._lock:
                return self.n
"""


def test_critical_sections_are_entered_in_the_order_wanted(load, run_of):
    load(COUNTER)
    run = run_of(a_test("Counter", ["x.add()", "x.size()"], ["x.add()", "x.add()"]))
    target = "Counter.n: subject.Counter.add `self.n` (write) -> subject.Counter.size `self.n` (read)"
    seen = run(Leading(1))
    assert target not in seen.happened
    for plan in (MEET, DELAY, FIRST_WAITS):
        (hint, *_rest) = seen.possible[target]
        assert target in run(Orchestrated(ActiveAim(hint, plan, seen.order))).happened, plan


def test_delay_holds_back_whoever_would_write_between(load, run_of):
    load(
        """
        class Flag:
            def __init__(self):
                self.x = 0

            def look(self):
                seen = self.x
                self.x = 1
                return seen

            def put(self):
                self.x = 2
        """
    )
    run = run_of(a_test("Flag", ["x.look()"], ["x.put()"]))
    seen = run(Leading(1))
    target = "Flag.x: subject.Flag.look `self.x` (read) -> subject.Flag.put `self.x` (write)"
    assert target not in seen.happened  # its own write came between
    (hint, *_rest) = seen.possible[target]
    strategy = Orchestrated(ActiveAim(hint, DELAY, seen.order))
    assert target in run(strategy).happened
    assert strategy.met


def test_what_cannot_be_ends_without_it(load, run_of):
    load(COUNTER)
    run = run_of(a_test("Counter", ["x.add()"], ["x.add()"]))
    seen = run(Leading(1))
    (hint, *_rest) = next(iter(seen.possible.values()))
    nowhere = hint._replace(second=hint.second._replace(site=1), second_gate=hint.second._replace(site=1))
    for plan in (MEET, DELAY, FIRST_WAITS, SECOND_WAITS, STRAIGHT):
        strategy = Orchestrated(ActiveAim(nowhere, plan, seen.order))
        run(strategy)
        assert not strategy.met
        assert ENGINE.status == "finished"


def test_a_profile_discovers_both_orders_and_an_active_test_exposes_them(load, run_of):
    load(ACCOUNT)
    run = run_of(a_test("Account", ["x.deposit()"], ["x.withdraw()"]))
    found = ProfiledTest()
    found.add(run(Leading(1)))
    # two reads and two writes, each pair but read and read in both orders
    assert len(found.discovered) == 6
    assert len(found.happened) == 2  # one thread after the other: the last write before the read, and before the write
    done = ActiveTest(run, found, lambda _iroot: True).run()
    assert found.happened == found.discovered
    assert not done.stopped
    assert all(attempts == 1 for attempts in done.attempts.values())


def test_only_wanted_instances_are_aimed_at(load, run_of):
    load(ACCOUNT)
    run = run_of(a_test("Account", ["x.deposit()"], ["x.withdraw()"]))
    found = ProfiledTest()
    found.add(run(Leading(1)))
    wanted = sorted(found.discovered - found.happened)[0]
    done = ActiveTest(run, found, lambda iroot: iroot == wanted, met=found.discovered).run()
    assert set(done.attempts) == {wanted}


def test_attempts_are_bounded_and_whoever_judges_can_stop_them(load, run_of):
    load(ACCOUNT)
    run = run_of(a_test("Account", ["x.deposit()"], ["x.withdraw()"]))
    found = profile(run, threads=2)
    for hints in found.hints.values():
        assert 0 < len(list(aims(hints, 3))) <= 3
    fresh = ProfiledTest()
    fresh.add(run(Leading(1)))
    done = ActiveTest(lambda _strategy, _predict: None, fresh, lambda _iroot: True).run()
    assert done.stopped
    assert sum(done.attempts.values()) == 1


LATE = """
    class Late:
        def __init__(self):
            self.ready = False
            self.count = 0

        def start(self):
            self.ready = True
            self.count = 1

        def look(self):
            if not self.ready and self.ready:
                self.count = 2
"""


def test_a_native_profile_runs_threads_one_after_the_other_a_couple_of_times(load, run_of):
    load(ACCOUNT)
    firsts = set()
    for seed in range(8):
        run = run_of(a_test("Account", ["x.deposit()"], ["x.withdraw()"]))
        orders = []

        def execute(strategy, predict, run=run, orders=orders):
            sighting = run(strategy, predict)
            orders.append([number for number in sighting.order if number > 0])
            return sighting

        found = native_profile(execute, threads=2, seed=seed)
        assert run.executions == len({order[0] for order in orders})
        assert run.executions <= 2
        for order in orders:
            assert order == sorted(order, reverse=order[0] == 2)  # nobody is interrupted
            firsts.add(order[0])
        assert len(found.discovered) == 6
    assert firsts == {1, 2}


def test_an_active_test_that_does_not_learn_aims_at_what_profiling_predicts_only(load, run_of):
    """Code that only an interleaved execution reaches: `look` between the two reads of `ready`."""
    load(LATE)
    aimed = []
    for learn in (False, True):
        run = run_of(a_test("Late", ["x.start()"], ["x.look()"]))
        found = native_profile(run, threads=2, seed=3)
        predicted = set(found.discovered)
        done = ActiveTest(run, found, lambda _iroot: True, learn=learn).run()
        aimed.append(set(done.attempts) - predicted)
    assert aimed[0] == set()
    assert any("count" in iroot for iroot in aimed[1])


def test_in_the_papers_setting_nothing_is_exposed_that_no_profile_has_discovered(load):
    load(LATE)
    test = a_test("Late", ["x.start()"], ["x.look()"])
    exposed = []
    for native in (True, False):
        laboratory, memory = ActiveLaboratory(PLACES, seed=3, native=native), InstanceMemory()
        profiled = laboratory.profile(test)
        memory.learn(profiled)
        seen = laboratory.expose(test, memory)
        memory.learn(seen)
        assert memory.exposed <= memory.discovered
        exposed.append(any("count" in iroot for iroot in memory.exposed))
        if native:
            assert memory.discovered == profiled.discovered
    assert exposed == [False, True]


# -- two lines ---------------------------------------------------------------------------------------------------------


def test_two_lines_race_in_the_order_asked_for(load, run_of):
    load(ACCOUNT)
    bed = run_of(a_test("Account", ["x.deposit()"], ["x.withdraw()"])).bed
    forced = force(bed.prepare, "subject.py:12", f"subject.py:{WRITE}", finish=lambda: bed.values["x"].balance)
    assert forced.happened
    assert forced.instances == (WITHDRAWN,)
    assert forced.attempts <= 3
    assert forced.answer == 15
    replayed = []
    for _ in range(3):
        script = Scripted(forced.schedule)
        script.next_prefix()
        ENGINE.execute(bed.prepare, (), script, finish=lambda: replayed.append(bed.values["x"].balance))
        assert script.lost is None
    assert replayed == [15, 15, 15]


def test_the_other_order_is_another_execution(load, run_of):
    load(ACCOUNT)
    bed = run_of(a_test("Account", ["x.deposit()"], ["x.withdraw()"])).bed
    forced = force(bed.prepare, f"./subject.py:{WRITE}", "subject.py:12", finish=lambda: bed.values["x"].balance)
    assert forced.happened
    assert forced.answer == 7


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("subject.py:3", "subject.py:12", r"shared on subject.py:3; they do on lines 7, 8, 11, 12 of it"),
        ("other.py:3", "subject.py:12", r"no thread touches anything shared on other.py:3; they do on other files"),
        ("subject.py:7", "subject.py:11", r"cannot come right before subject.py:11"),
        ("subject", "subject.py:11", r"'subject' is no line: write file.py:14"),
    ],
)
def test_lines_that_cannot_race_are_explained(load, run_of, first, second, said):
    load(ACCOUNT)
    bed = run_of(a_test("Account", ["x.deposit()"], ["x.withdraw()"])).bed
    with pytest.raises(UsageError, match=said):
        force(bed.prepare, first, second)


def test_a_lock_that_keeps_two_lines_apart_is_named_as_the_reason(load, run_of):
    load(COUNTER)
    bed = run_of(a_test("Counter", ["x.add()"], ["x.add()"])).bed
    with pytest.raises(UsageError, match="a lock, a start or a join decides their order"):
        force(bed.prepare, "subject.py:11", "subject.py:12")  # read, then the other thread's write: never
