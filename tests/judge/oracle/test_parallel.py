"""Whether real threads show a finding: by the specification that was made under control, and on no other grounds."""

import sys
import textwrap
import threading
import types
from dataclasses import replace
from random import Random

import pytest

from plait.judge.oracle.examine import examine
from plait.judge.oracle.parallel import ParallelJudge, allowed, try_in_parallel
from plait.model.finding import Finding, SeenInParallel
from plait.run.native.parallel import ENDED, WAITS, ParallelBed, runs_in_parallel

SOURCE = """
    import threading

    class Shelf:
        kept = []

        def __init__(self):
            self.value = 0
            self._items = {"a": 1}
            self._first, self._second = threading.Lock(), threading.Lock()

        def inc(self):
            old = self.value
            for _ in range(ROUNDS):
                pass
            self.value = old + 1

        def pop(self):
            if "a" in self._items:
                for _ in range(ROUNDS):
                    pass
                return self._items.pop("a")
            return None

        def lock(self):
            return self._first

        def one(self):
            with self._first, self._second:
                return 1

        def other(self):
            with self._second, self._first:
                return 2

        def grow(self):
            self.inc()
            Shelf.kept.append(1)
            return len(Shelf.kept)
"""
LOST = [["x.inc()"], ["x.inc()"]]


@pytest.fixture
def judge_of(judged, monkeypatch):
    """What decides about a test of `Shelf` in this process, once it has been explored under control."""

    def make(*suffixes, rounds=0):
        source = SOURCE.replace("ROUNDS", "0")
        examination = judged.prepared(source, ["x = Shelf()"], *suffixes)
        found = examine(examination)
        wanted = allowed(examination, found.schedule, found.violation.cause)
        native = types.ModuleType("plait_native_shelf")
        vars(native)["threading"] = threading  # the real one: an import in this world gives ours
        exec(textwrap.dedent(SOURCE.replace("ROUNDS", str(rounds)).replace("import threading", "")), vars(native))
        monkeypatch.setitem(sys.modules, native.__name__, native)
        return ParallelJudge(replace(examination.bed.test, imports=(f"from {native.__name__} import *",)), wanted)

    return make


def seen_in(judge, order=(0, 1)):
    return judge.seen(judge.bed.serial([order]))[0]


def test_a_lost_update_is_told_from_what_whole_calls_leave_behind(judge_of):
    judge = judge_of(*LOST)
    assert judge.calibrate() == ""
    right = seen_in(judge)
    assert right.answers == (("attribute", "x.value", 2),)
    assert not judge.shows(right)
    assert judge.shows(replace(right, answers=(("attribute", "x.value", 1),)))
    assert not judge.shows(replace(right, answers=None)), "what was not looked at shows nothing"
    assert not judge.shows(replace(right, answers=(("attribute", "x.value", 1),), helped=True))
    assert judge.still_as_before()


def test_only_the_exception_that_no_order_raises_counts(judge_of):
    judge = judge_of(["x.pop()"], ["x.pop()"])
    assert judge.calibrate() == ""
    right = seen_in(judge)
    assert judge.shows(replace(right, results=(("returned", 1), ("raised", "KeyError"))))
    assert not judge.shows(replace(right, results=(("returned", 1), ("raised", "ValueError"))))
    assert not judge.shows(right)


def test_a_deadlock_that_no_order_ends_in_counts(judge_of):
    judge = judge_of(["x.one()"], ["x.other()"])
    assert judge.calibrate() == ""
    right = seen_in(judge)
    stuck = replace(right, status="deadlock", results=(("unfinished",), ("unfinished",)), identity=(), answers=None)
    assert judge.shows(stuck)
    assert not judge.shows(replace(stuck, status="hang"))
    assert not judge.shows(right)


def test_what_takes_another_form_without_control_is_not_compared(judge_of):
    judge = judge_of(["x.inc()", "x.lock()"], ["x.inc()"])
    assert judge.calibrate() == ""
    right = seen_in(judge, (0, 0, 1))
    assert right.results[1] != judge.wanted.orders[0].results[1], "a real lock and one of ours"
    assert not judge.shows(right)
    assert judge.shows(replace(right, answers=(("attribute", "x.value", 1),)))


def test_code_that_keeps_something_between_executions_is_noticed(judge_of):
    judge = judge_of(["x.grow()"], ["x.inc()"])
    judge.calibrate()
    assert not judge.shows(seen_in(judge)), "its results differ by themselves here"


def test_threads_of_a_test_end_or_are_seen_to_wait(judge_of):
    bed = judge_of(["x.one()"], ["x.other()"]).bed
    ended = bed.parallel(Random(0), 3)
    assert [run.status for run in ended] == [ENDED] * 3
    assert [[made[0].value for made in run.made] for run in ended] == [[1, 2]] * 3
    held = ParallelBed(replace(bed.test, suffixes=(bed.test.suffixes[0],) * 2, prefix=bed.test.prefix))
    held._prefix = lambda prefix=held._prefix: _held(prefix())
    runs = held.parallel(Random(0), 3)
    assert [run.status for run in runs] == [WAITS], "what has no end ends the series"


def _held(values):
    values["x"]._first.acquire()
    return values


def test_a_build_with_a_gil_claims_nothing(judge_of, monkeypatch):
    judge = judge_of(*LOST)
    monkeypatch.setattr("plait.judge.oracle.parallel.runs_in_parallel", lambda: False)
    tried = try_in_parallel(judge.bed.test, judge.wanted)
    assert (tried.tries, tried.seen) == (0, 0)
    assert "GIL" in tried.sentence()


def test_findings_carry_it():
    seen = SeenInParallel(20_000, 37, "3.13.5 free-threaded")
    finding = Finding("exception", "x", ["A.b"], seen_in_parallel=seen)
    assert finding.as_json()["seen_in_parallel"] == {"tries": 20_000, "seen": 37, "build": "3.13.5 free-threaded"}
    assert Finding.from_json(finding.as_json()) == finding
    assert seen.sentence() == "Seen on real parallel threads: 37 of 20,000 tries on 3.13.5 free-threaded."
    never = SeenInParallel(10, 0, "3.14.1 free-threaded").sentence()
    assert never == "Not seen in 10 tries on parallel threads (3.14.1 free-threaded); it replays under control."
    with pytest.raises(ValueError, match="number"):
        Finding.from_json({**finding.as_json(), "seen_in_parallel": {"tries": 1, "seen": 2, "build": ""}})


@pytest.mark.skipif(not runs_in_parallel(), reason="threads of this process do not run in parallel")
def test_parallel_threads_lose_updates(judge_of):
    judge = judge_of(*LOST, rounds=20_000)
    tried = try_in_parallel(judge.bed.test, judge.wanted, tries=2_000)
    assert tried.seen
    assert "free-threaded" in tried.build
