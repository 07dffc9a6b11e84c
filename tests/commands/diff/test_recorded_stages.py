"""Stages that an earlier comparison has made are not made again, and the result is that of a fresh run."""

from concurrent.futures import Future
from dataclasses import replace
from random import Random

import pytest

from lab import version
from plait.commands.diff import worker
from plait.commands.diff.checks import Checks
from plait.commands.diff.replay_stages import StageReplay
from plait.commands.diff.search import DiffSearch
from plait.commands.diff.sides import open_sides
from plait.commands.diff.stages import Ready, RecordedStage, Row
from plait.generate.condiff import Stage, Suffix
from plait.judge.difference.outcome import View
from plait.model.test import Call, Test
from plait.observe.footprint import MODULE_STATE, Touched
from plait.run.operations import KEY_INSERT, READ, WRITE
from plait.store.recording import CALLS, STATE, Asked
from plait.subject.name import Subject
from plait.workers.failures import WorkerCrashed

OLD = """
import threading


class Desk:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.papers: list[int] = []
        self.signed = 0

    def lay(self, paper: int) -> None:
        with self.lock:
            self.papers.append(paper)

    def take(self) -> int:
        with self.lock:
            return self.papers.pop() if self.papers else 0

    def sign(self) -> int:
        with self.lock:
            self.signed += 1
            return self.signed

    def count(self) -> int:
        with self.lock:
            return len(self.papers)
"""
NEW = OLD.replace("with self.lock:", "with self.lock:\n            unused = 0")
COUNTED = ("tests_generated", "tests_filtered", "tests_repeated", "inconclusive")
X = Call("Desk", "Desk()", result="x")
READS, WRITES = frozenset({("x.signed", "", READ)}), frozenset({("x.signed", "", WRITE)})
APPENDS = frozenset({("x.papers[]", "1", KEY_INSERT)})


def stage(*methods):
    suffixes = tuple(Suffix(Call(name, f"x.{name}()", "x"), ("import desk",)) for name in methods)
    return Stage(3, ("from desk import Desk",), (X,), suffixes)


def row(footprint, impact=frozenset()):
    return Row(usable=True, runnable=True, footprints=(footprint, footprint), impacts=(frozenset(), impact))


def test_which_calls_meet():
    ready = Ready(stage("sign", "signed", "take", "shout"), [row(WRITES, WRITES), row(READS), row(APPENDS), row(None)])
    assert ready.meet((0, 1)) == (True, True)
    assert ready.meet((1, 1)) == (False, False)
    assert ready.meet((0, 2)) == (False, False)
    assert ready.meet((2, 3)) == (True, True), "nobody knows what the last one touches"
    assert ready.meet((1, 2, 0)) == (True, True), "in three threads two are enough"


def test_a_stage_is_plain_data_and_back():
    asked = (Asked(CALLS, Test(("import desk",), (X,), ()), "0f"), Asked(STATE, Test((), (X, X), ()), "1e"))
    unusable = Row(usable=False, runnable=True, footprints=(None, READS), impacts=None)
    known = RecordedStage(stage("sign", "take"), asked, (row(WRITES, APPENDS), unusable), "left")
    assert RecordedStage.from_json(known.as_json()) == known
    waits = Test(("import desk",), (X, X), ((Call("take", "x.take()", "x"),), (X, X)))
    waiting = replace(known, stage=replace(known.stage, waiting=frozenset({"take"}), whole=(waits, waits)))
    assert RecordedStage.from_json(waiting.as_json()) == waiting
    by_address = row(frozenset({(f"{MODULE_STATE} 140123", "", WRITE)}))
    assert RecordedStage(stage("sign"), asked, (by_address,)).as_json() is None
    by_name = RecordedStage(stage("sign"), asked, (row(frozenset({(f"{MODULE_STATE} desk.MADE[]", "", WRITE)})),))
    assert RecordedStage.from_json(by_name.as_json()) == by_name


def test_a_stage_that_anybody_may_have_written_is_one_or_none():
    asked = (Asked(CALLS, Test((), (X,), ()), "0f"),)
    content = RecordedStage(stage("sign", "take"), asked, (row(WRITES), row(READS)), "left").as_json()
    dice, read = Random(7), []
    for _ in range(300):
        name = dice.choice(list(content))
        strange = dice.choice([None, -1, 10**400, "x" * 500, [[[]]], {"a": 1}, [["x", "", 77]], [[True] * 6]])
        read.append(RecordedStage.from_json({**content, name: strange}))
    assert None in read
    for each in filter(None, read):
        Ready(each.stage, list(each.rows)).meet((0, 1))


@pytest.mark.parametrize(
    ("footprint", "within"),
    [
        (frozenset(), True), (WRITES | APPENDS, True), (frozenset({("desk.Desk.made", "", READ)}), True),
        (frozenset({("desk.Desk.made", "", WRITE)}), False), (frozenset({(f"{MODULE_STATE} 7", "", WRITE)}), False),
        (frozenset({("a list[]", "", WRITE)}), False), (None, False),
    ],
)  # fmt: skip
def test_what_stays_within_an_object(footprint, within):
    assert Touched(footprint).stays_within({"x"}) == within


@pytest.mark.slow
def test_what_a_prefix_leaves(tmp_path):
    """The state stands for all of it, however it came about, unless the class, or a module, holds a part."""
    for side, signing in (("old", "self.signed += 1"), ("new", "self.signed = 1 + self.signed")):
        (tmp_path / side).mkdir()
        text = OLD.replace("self.signed += 1", signing)
        text += "\n    made = 0\n\n    def make(self):\n        Desk.made += 1\n"
        (tmp_path / side / "desk.py").write_text(text)
    versions = [version(side, tmp_path / side) for side in ("old", "new")]
    lay, sign, make = (Call(name, f"x.{name}({{args}})", "x", args) for name, args in
                       (("lay", ("1",)), ("sign", ()), ("make", ())))  # fmt: skip
    with open_sides(Subject("desk", "Desk"), *versions, workers=2) as sides:

        def left(*calls):
            stage = Stage(1, ("from desk import Desk",), (X, *calls), ())
            return sides.both(worker.state_after_prefix, stage, View()).values()

        old, new = left(sign, lay)
        assert old == new != ""
        assert left(sign) != (old, new)
        assert left(sign, make) == ("", "")


@pytest.fixture
def stages(monkeypatch):
    """How many stages were made, and how many were known, of the latest search."""
    made, known = [], []
    begin, again, take = DiffSearch._stages, StageReplay._again, DiffSearch._next

    def _stages(self):
        made.clear()
        known.clear()
        yield from begin(self)

    monkeypatch.setattr(DiffSearch, "_stages", _stages)
    monkeypatch.setattr(DiffSearch, "_next", lambda *args: made.append(1) or take(*args))
    monkeypatch.setattr(StageReplay, "_again", lambda *args: known.append(again(*args)) or known[-1])
    return made, known


@pytest.mark.slow
def test_a_worker_that_is_lost_while_it_catches_up_is_replaced(compare, monkeypatch):
    """The first stages are known, and have to be made all the same before those that are not."""
    take, calls = DiffSearch._next, []

    def known(self):
        self.passed = 2
        return iter(())

    def lost_at_first(self, *args):
        calls.append(args)
        if len(calls) > 1:
            return take(self, *args)
        future = Future()
        future.set_exception(WorkerCrashed("killed by SIGKILL"))
        return future

    monkeypatch.setattr(StageReplay, "known", known)
    monkeypatch.setattr(DiffSearch, "_next", lost_at_first)
    result = compare(OLD, NEW, "Desk", tests=20)
    assert result.stats["tests_generated"] == 20
    assert any("a worker was lost: killed by SIGKILL" in note for note in result.notes)


@pytest.mark.slow
def test_stages_are_not_made_again(compare, stages, tmp_path):
    made, known = stages
    first = compare(OLD, NEW, "Desk", store=tmp_path / ".plait")
    assert first.verdict == "none"
    assert made
    assert not known
    changed = NEW.replace("return len(self.papers)", "return 0 + len(self.papers)")
    again = compare(OLD, changed, "Desk", store=tmp_path / ".plait")
    assert not made
    assert known
    assert None not in known
    fresh = compare(OLD, changed, "Desk", store=tmp_path / ".plait", fresh=True)
    assert made
    assert not known
    assert [again.stats[name] for name in COUNTED] == [fresh.stats[name] for name in COUNTED]
    assert 0 < again.stats["tests_known"] < again.stats["tests_generated"]
    assert again.verdict == "none"


@pytest.fixture
def explored(monkeypatch):
    """The tests whose schedules the latest searches have explored, and those that a filter kept."""
    found = []
    conclude = Checks._conclude
    monkeypatch.setattr(
        Checks, "_conclude", lambda self, test, *args: found.append(test) or conclude(self, test, *args)
    )
    return found


@pytest.mark.slow
def test_only_what_a_change_reaches_is_explored_again(compare, explored, tmp_path):
    """Also of the tests that can wait until all others are compared, and of those with a third call."""
    store = tmp_path / ".plait"
    peek = "\n    def peek(self) -> int:\n        return self.signed + len(self.papers)\n"
    lose = "\n    def lose(self) -> None:\n        seen = self.signed\n        self.signed = seen + 1\n"
    old = OLD + peek + lose
    new = NEW + peek + lose.replace("seen = self.signed", "unused = 0\n        seen = self.signed")
    changed = new.replace("return len(self.papers)", "return 0 + len(self.papers)")
    compare(old, new, "Desk", store=store)
    apart = {test for test in explored if "count" not in names_of(test)}
    assert apart
    explored.clear()
    again = compare(old, changed, "Desk", store=store)
    assert again.stats["tests_known"]
    assert explored
    assert apart.isdisjoint(explored)
    known = set(explored)
    explored.clear()
    fresh = compare(old, changed, "Desk", fresh=True)
    assert known < set(explored), "what behind the same state need not be explored again is not, either"
    for name in ("tests_generated", "tests_filtered", "inconclusive"):
        assert again.stats[name] == fresh.stats[name]


def names_of(test):
    return {call.method for call in (*test.prefix, *test.calls)}


@pytest.mark.slow
def test_state_of_modules_and_classes_may_be_recorded(compare, stages, tmp_path):
    made, known = stages
    shared = [text.replace("    def __init__", "    made: list[int] = []\n\n    def __init__").replace(
        "self.signed += 1", "self.signed += 1\n            self.made.append(1)") for text in (OLD, NEW)]  # fmt: skip
    compare(*shared, "Desk", store=tmp_path / ".plait")
    changed = shared[1].replace("return len(self.papers)", "return 0 + len(self.papers)")
    again = compare(shared[0], changed, "Desk", store=tmp_path / ".plait")
    assert not made
    assert None not in known
    fresh = compare(shared[0], changed, "Desk", store=tmp_path / ".plait", fresh=True)
    assert [again.stats[name] for name in COUNTED] == [fresh.stats[name] for name in COUNTED]


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        ("    self.signed += 1\n            return", "    pass\n        self.signed += 1\n        return"),
        ("return len(self.papers)", "return min(2, len(self.papers))"),
        ("            return len(self.papers)", "            self.papers.sort()\n            return len(self.papers)"),
        ("    self.signed += 1", "    self.signed += 2\n            self.signed -= 1"),
    ],
    ids=["a race", "another answer", "another state", "another state for a moment"],
)
def test_what_becomes_different_is_found(compare, stages, tmp_path, change):
    _made, known = stages
    compare(OLD, NEW, "Desk", store=tmp_path / ".plait")
    assert change[0] in NEW
    changed = NEW.replace(*change)
    again = compare(OLD, changed, "Desk", store=tmp_path / ".plait")
    assert known
    fresh = compare(OLD, changed, "Desk")
    assert again.verdict == fresh.verdict != "none"
    assert again.more["revealing"] == fresh.more["revealing"]
