"""What a version has shown in an earlier run stands for an exploration of it, and for nothing else."""

from random import Random

import pytest

from plait.commands.diff import worker
from plait.commands.diff.explored_sides import ExploredSide
from plait.commands.diff.sides import Sides
from plait.judge.difference.behaviour import Explored, compare, passing_difference
from plait.judge.difference.outcome import Outcome

CLASS = """
import threading


class Till:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.coins = 0
        self.sales = 0

    def pay(self, amount: int) -> int:
        with self.lock:
            self.coins += amount
            return self.coins

    def sell(self) -> None:
        with self.lock:
            self.sales += 1

    def look(self) -> int:
        return self.coins + self.sales
"""
FIRST = CLASS.replace("self.coins += amount", "self.coins = self.coins + amount").replace(
    "self.sales += 1", "self.sales = self.sales + 1"
)
EDITS = {
    "nothing new": ("self.sales = self.sales + 1", "self.sales = 1 + self.sales"),
    "a lost lock": ("with self.lock:\n            self.sales = ", "if True:\n            self.sales = "),
    "another result": ("return self.coins\n", "return self.coins * 2\n"),
    "another state": ("self.sales = self.sales + 1", "self.sales = min(1, self.sales + 1)"),
    "another state for a moment": ("self.sales = self.sales + 1", "self.sales += 2\n            self.sales -= 1"),
    "an endless call": ("return self.coins\n", "return self.coins + self._seen()\n\n    def _seen(self) -> int:\n"
                    "        with self.lock:\n            return 0\n"),
}  # fmt: skip


def random_explored(dice):
    """A few outcomes of two calls, with the states at their ends."""
    outcomes = {}
    for _ in range(dice.randint(1, 2)):
        exits = (((dice.choice("ab"), dice.randint(0, 1)),), None)
        state = ("Till", dice.randint(0, 1))
        results = (("returned", dice.randint(0, 1)), ("raised", "KeyError"))
        outcomes[Outcome("finished", results, exits if dice.random() < 0.5 else (), state)] = None
    return Explored(outcomes, exhausted=dice.random() < 0.9, executions=7, diverged=dice.random() < 0.1)


def test_what_is_alike_does_not_differ():
    dice, alike, apart = Random(3), 0, 0
    for _ in range(3000):
        one, other = random_explored(dice), random_explored(dice)
        known = ExploredSide.of(one)
        if known is None:
            assert one.diverged or not one.exhausted
            continue
        assert ExploredSide.from_json(known.as_json()) == known
        ended = other.exhausted and not other.diverged
        same = ended and set(one.outcomes) == set(other.outcomes)
        assert known.is_like(other, passing=False) == same
        if same:
            assert not compare(one, other)
            alike += 1
        if known.is_like(other, passing=True):
            assert ended
            assert not passing_difference(one, other)
        else:
            apart += 1
    assert alike > 50
    assert apart > 50


def test_what_anybody_may_have_written_is_known_or_not():
    for strange in (
        {},
        {"outcomes": "1"},
        {"outcomes": [], "readings": None, "executions": "x"},
        {"executions": 10**400},
    ):
        assert ExploredSide.from_json(strange) is None


@pytest.fixture
def explored_on(monkeypatch):
    """The versions on which tests were explored, one for each exploration."""
    asked = []
    on, each = Sides.on, Sides.each

    def on_one(self, side, task, *args, **named):
        asked.extend([side] if task is worker.outcomes else [])
        return on(self, side, task, *args, **named)

    def on_some(self, sides, task, *args, **named):
        asked.extend(sides if task is worker.outcomes else [])
        return each(self, sides, task, *args, **named)

    monkeypatch.setattr(Sides, "on", on_one)
    monkeypatch.setattr(Sides, "each", on_some)
    return asked


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_the_result_is_that_of_a_fresh_run(compare, explored_on, tmp_path, edit):
    """Whatever the edit does: behaviour that only it has is found beside what the old version is known to do."""
    store = tmp_path / ".plait"
    assert edit[0] in FIRST
    assert compare(CLASS, FIRST, "Till", tests=80, store=store).verdict == "none"
    edited = FIRST.replace(*edit)
    explored_on.clear()
    again = compare(CLASS, edited, "Till", tests=80, store=store)
    asked = list(explored_on)
    explored_on.clear()
    fresh = compare(CLASS, edited, "Till", tests=80)
    assert again.verdict == fresh.verdict
    assert again.more.get("revealing") == fresh.more.get("revealing")
    if fresh.verdict == "none":
        assert 0 < asked.count("new") <= explored_on.count("new")
        assert asked.count("old") == 0


@pytest.mark.slow
def test_what_is_new_today_is_known_as_the_old_version_tomorrow(compare, explored_on, tmp_path):
    store = tmp_path / ".plait"
    compare(CLASS, FIRST, "Till", tests=80, store=store)
    assert explored_on.count("old") == explored_on.count("new") > 0
    explored_on.clear()
    following = CLASS.replace("self.sales += 1", "self.sales = 1 + self.sales")
    again = compare(FIRST, following, "Till", tests=80, store=store)
    assert again.verdict == "none"
    assert explored_on
    assert "old" not in explored_on
