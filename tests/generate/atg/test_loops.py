"""The loops of Figures 1 to 3 and of MRT, turn by turn, with a laboratory that plays back what a person wrote down."""

import pickle
from dataclasses import replace
from random import Random

import pytest

from plait.errors import UsageError
from plait.generate.atg.adaptive import GIVE_UP, InstanceMemory, SeenInstances
from plait.generate.atg.candidates import Candidate
from plait.generate.atg.diversity import Shape
from plait.generate.atg.strategies import (
    DiverseTests,
    DynamicallyDiverseTests,
    RandomActiveTests,
    StaticallyDiverseTests,
    WidelyDiverseTests,
)
from plait.generate.catalogue import build_catalogue
from plait.generate.registry import make_generator
from plait.generate.sequence import Sequences
from plait.judge.oracle.sequential import SequentialRunner
from plait.model.test import Test
from plait.subject.interface.discovery import discover


class Subject:
    def put(self, value: int) -> None: ...

    def take(self) -> int: ...

    def look(self) -> bool: ...


def catalogue():
    return build_catalogue(Subject, discover(Subject, name=f"{__name__}:Subject"))


def make(kind, saturation):
    random = Random(1)
    strategy = kind(Sequences(catalogue(), SequentialRunner(), random), random, threads=2, saturation=saturation)
    strategy.memory.give_up = 3  # nearly as in the figures, which never give up
    return strategy


def numbered(strategy):
    """Give the strategy tests that are told apart by a number."""
    tests = (Test.from_lines([], ["x = Subject()"], [[f"x.put({number})"], ["x.take()"]]) for number in range(100))
    strategy.new_test = lambda: next(tests)


class Script:
    """A laboratory: what the n-th profile discovers, what it exposes at once, and what its active test exposes."""

    def __init__(self, *rows):
        self.rows = [tuple(map(frozenset, row)) for row in rows]
        self.profiled = []
        self.tested = []

    def profile(self, test):
        discovered, exposed, _ = self.rows[len(self.profiled)]
        self.profiled.append(test)
        return SeenInstances(discovered, exposed)

    def expose(self, test, known):
        discovered, exposed, actively = self.rows[self.profiled.index(test)]
        self.tested.append(self.profiled.index(test))
        missed = {each for each in discovered if known.is_open(each) and each not in actively}
        return SeenInstances(discovered, exposed | actively, missed=frozenset(missed))


def trace(strategy, laboratory, names):
    """One row of counters per turn, until the strategy is saturated."""
    rows = []
    while strategy.saturated is None:
        strategy.iterate(laboratory)
        rows.append(tuple(getattr(strategy, name) for name in names))
    return rows


def test_mrt_counts_tests_in_a_row_that_discover_nothing():
    strategy, laboratory = (
        make(RandomActiveTests, 2),
        Script(
            ("ab", "a", "b"),  # new: a, b
            ("ab", "a", ""),
            ("abc", "a", ""),  # new: c
            ("c", "", "c"),
            ("a", "a", ""),
        ),
    )
    numbered(strategy)
    assert trace(strategy, laboratory, "k") == [(0,), (1,), (0,), (1,), (2,)]
    assert laboratory.tested == [0, 1, 2, 3, 4]  # every profiled test is tested actively
    assert strategy.memory.exposed == set("abc")
    assert strategy.saturated == "2 random tests in a row discovered no new interleaving instance"


def test_s_atg_widens_its_search_while_nothing_new_is_discovered():
    strategy, laboratory = (
        make(StaticallyDiverseTests, 3),
        Script(
            ("ab", "a", "b"),  # Z = {a, b}
            ("a", "a", ""),  # k = 1, m = 6
            ("b", "", ""),  # k = 2, m = 9
            ("bc", "c", ""),  # Z = {a, b, c}: k = 0, m = 3
            ("c", "c", ""),
            ("ab", "", ""),
            ("", "", ""),
        ),
    )
    numbered(strategy)
    assert trace(strategy, laboratory, "km") == [(0, 3), (1, 6), (2, 9), (0, 3), (1, 6), (2, 9), (3, 12)]
    assert laboratory.tested == [0, 1, 2, 3, 4, 5, 6]
    assert strategy.discovered == set("abc")
    assert "discovered no new interleaving instance" in strategy.saturated


def test_d_atg_tests_only_what_is_worth_it_until_nothing_is_left_to_expose():
    strategy, laboratory = (
        make(DynamicallyDiverseTests, 2),
        Script(
            ("ab", "a", "b"),  # 1 to expose: b
            ("abcd", "a", "cd"),  # 3 to expose: b, c, d. Chosen first; b is missed
            ("ab", "a", "b"),  # chosen after test 0, which exposes b, has nothing left
            ("a", "a", ""),
            ("cd", "", ""),
            ("a", "", ""),
        ),
    )
    numbered(strategy)
    assert trace(strategy, laboratory, "lu") == [
        (0, 0),  # R = {0, 1}: test 1 exposes c, d
        (0, 0),  # R = {0, 2}: test 0 exposes b
        (1, 0),  # R = {2, 3}: both have nothing left
        (2, 0),  # R = {3, 4}: neither
    ]
    assert laboratory.tested == [1, 0]
    assert len(laboratory.profiled) == 2 + 3  # N at first, one more in each turn but the last
    assert strategy.saturated == "2 tests in a row, the best of those profiled, had no instance left to expose"


def test_d_atg_ends_when_active_tests_expose_nothing():
    strategy, laboratory = (
        make(DynamicallyDiverseTests, 2),
        Script(
            ("ab", "", "a"),
            ("ab", "", ""),
            ("ab", "", ""),
            ("ab", "", ""),
        ),
    )
    numbered(strategy)
    assert trace(strategy, laboratory, "lu") == [(0, 0), (0, 1), (0, 2)]
    assert strategy.saturated == "2 active tests in a row exposed no new interleaving instance"


def test_d_atg_counts_what_profiling_exposes_whichever_candidate_it_was():
    strategy, laboratory = (
        make(DynamicallyDiverseTests, 2),
        Script(
            ("ab", "a", ""),
            ("ab", "b", ""),
            ("ab", "a", ""),
            ("a", "a", ""),
        ),
    )
    numbered(strategy)
    assert trace(strategy, laboratory, "lu") == [(1, 0), (2, 0)]
    assert laboratory.tested == []  # nothing was left for an active test


def test_sd_atg_has_three_ways_to_end():
    strategy, laboratory = (
        make(DiverseTests, 2),
        Script(
            ("abc", "a", "b"),  # two to expose: chosen; b exposed, c missed
            ("ac", "a", ""),  # c: still open
            ("cd", "", ""),  # c, d
            ("cd", "", ""),
            ("cd", "", ""),
            ("cd", "", ""),
        ),
    )
    numbered(strategy)
    assert trace(strategy, laboratory, "klum") == [
        (0, 0, 0, 2),  # R = {0, 1}: test 0; Z = {a, b, c}
        (0, 0, 1, 2),  # R = {1, 2}: test 2 has two; exposes nothing; Z' has d: m is N again
        (1, 0, 2, 6),  # R = {1, 3}: m is 2 N since 3 was profiled; nothing new discovered, nothing exposed
    ]
    assert strategy.saturated == "2 active tests in a row exposed no new interleaving instance"


def test_sd_atg_ends_when_nothing_new_is_discovered():
    strategy, laboratory = (
        make(DiverseTests, 2),
        Script(
            ("abc", "", "a"),
            ("abc", "", "b"),
            ("abc", "", "c"),
            ("abc", "", ""),
        ),
    )
    numbered(strategy)
    assert trace(strategy, laboratory, "klum") == [
        (0, 0, 0, 2),  # test 0 exposes a: new in Z
        (1, 0, 0, 6),  # test 2 was profiled; test 1 exposes b: nothing new discovered
        (2, 0, 0, 10),  # test 3 was profiled; test 2 exposes c
    ]
    assert strategy.saturated == "2 active tests in a row discovered no new interleaving instance"


def test_sd_atg_ends_when_the_best_candidates_have_nothing_left():
    strategy, laboratory = (
        make(DiverseTests, 2),
        Script(
            ("ab", "a", "b"),
            ("a", "a", ""),
            ("b", "", ""),
            ("a", "a", ""),
        ),
    )
    numbered(strategy)
    assert trace(strategy, laboratory, "klum") == [(0, 0, 0, 2), (0, 1, 0, 4), (0, 2, 0, 6)]
    assert laboratory.tested == [0]


def test_sd_atg_chooses_the_ith_profiled_test_from_i_times_n(monkeypatch):
    strategy, laboratory = make(DiverseTests, 3), Script(*[("a", "a", "")] * 5)
    sizes = []
    best = strategy.best
    monkeypatch.setattr(strategy, "best", lambda candidates: sizes.append(len(candidates)) or best(candidates))
    trace(strategy, laboratory, "l")
    assert len(laboratory.profiled) == 3 + 2  # N at first, one more in each turn but the last
    assert list(dict.fromkeys(sizes)) == [3, 6, 9, 12, 15]


def test_sd_atg_all_profiles_until_nothing_new_turns_up_and_executes_the_best_of_all():
    strategy, laboratory = (
        make(WidelyDiverseTests, 2),
        Script(
            ("ab", "a", "b"),
            ("abcde", "", "bcde"),  # four that nothing has exposed: the first to be executed
            ("abf", "", "f"),
            ("ab", "", ""),
            ("f", "", ""),
        ),
    )
    numbered(strategy)
    assert trace(strategy, laboratory, "kum") == [
        (0, 0, 2),
        (0, 0, 2),
        (0, 0, 2),
        (1, 0, 4),  # profiling 3 has discovered nothing: m grows
        (1, 0, 4),  # N * N are waiting: the best one, 1, is executed; of the others only 2 has something left
        (2, 0, 6),  # profiling 4 has discovered nothing either: no more profiles
        (2, 0, 6),  # 2 is executed
        (2, 0, 6),
    ]
    assert laboratory.tested == [1, 2]  # what they have exposed needs no test of 0, 3 or 4
    assert strategy.executed == [laboratory.profiled[number] for number in (1, 2)]
    assert strategy.saturated == "2 tests in a row discovered no new interleaving instance, and none is left to expose"


def test_sd_atg_all_gives_up_what_active_tests_miss():
    strategy, laboratory = make(WidelyDiverseTests, 2), Script(*[("ab", "", "")] * 3)
    strategy.memory.give_up = 1
    numbered(strategy)
    expose = laboratory.expose

    def miss(test, known):
        return replace(expose(test, known), missed=frozenset("ab"))

    laboratory.expose = miss
    trace(strategy, laboratory, "k")
    assert (laboratory.tested, strategy.u) == ([0], 1)
    assert strategy.saturated == "2 tests in a row discovered no new interleaving instance, and none is left to expose"


def test_sd_atg_all_ends_when_active_tests_expose_nothing():
    strategy, laboratory = make(WidelyDiverseTests, 2), Script(*[("ab", "", "")] * 3)
    numbered(strategy)
    trace(strategy, laboratory, "u")
    assert laboratory.tested == [0, 1]
    assert strategy.saturated == "2 active tests in a row exposed no new interleaving instance"


def test_sd_atg_all_searches_on_when_an_active_test_comes_upon_what_no_profile_has_discovered():
    rows = [("ab", "a", "b"), *[("a", "", "")] * 6]
    for kind, profiles in ((Script, 3), (Wandering, 5)):  # N in a row once more
        strategy, laboratory = make(WidelyDiverseTests, 2), kind(*rows)
        numbered(strategy)
        trace(strategy, laboratory, "k")
        assert (len(laboratory.profiled), laboratory.tested) == (profiles, [0])


def test_sd_atg_all_wants_tests_with_most_new_encounters_for_each_call(drawn):
    strategy = make(WidelyDiverseTests, 4)
    calls = [call.source for call in (draft.call for draft in strategy.candidates._prefix().drafts)]
    profiled = Test.from_lines([], calls, [["x.put(1)", "x.take()"], ["x.put(2)"]])
    strategy.keep(profiled, SeenInstances(frozenset("a"), frozenset()))
    assert strategy.executed == []
    drawn(
        strategy,
        (("put",), ("put", "take")),  # as profiled, the threads swapped: nothing new
        (("put", "put"), ("put",)),  # a call of put after another one: 1 for 3 calls
        (("look",), ("look",)),  # 2 for 2 calls
        (("look", "look"), ("look", "look")),  # the pair of methods, and 3 of 2 x 2 in context: 4 for 4 calls
    )
    assert strategy.draw().shape.suffixes == (("look", "look"), ("look", "look"))  # the longest of equals


def test_no_new_test_ends_the_loop_with_a_statement():
    for kind in (
        RandomActiveTests, StaticallyDiverseTests, DynamicallyDiverseTests, DiverseTests, WidelyDiverseTests,
    ):  # fmt: skip
        strategy = make(kind, 2)
        strategy.new_test = lambda: None
        strategy.iterate(Script())
        assert strategy.saturated == "no new test turns up after 0 tests"


def test_the_dynamic_distance_is_what_a_test_can_still_expose():
    memory = InstanceMemory()
    assert memory.distance("abc") == 3
    memory.learn(SeenInstances(frozenset("abcd"), frozenset("a")))
    assert memory.distance("abc") == 2  # |iRoots(t) \\ IRoots(T)|
    assert not memory.learn(SeenInstances(frozenset("b"), frozenset("a")))
    assert memory.learn(SeenInstances(frozenset("b"), frozenset("b")))
    assert memory.distance("abc") == 1


@pytest.mark.parametrize("give_up", [GIVE_UP, 3])
def test_an_instance_that_is_missed_too_often_attracts_no_more_tests(give_up):
    memory = InstanceMemory(give_up=give_up)
    for _ in range(give_up):
        assert memory.is_open("a")
        memory.learn(SeenInstances(frozenset("a"), frozenset(), missed=frozenset("a")))
    assert not memory.is_open("a")
    assert memory.distance("ab") == 1


@pytest.fixture
def drawn(monkeypatch):
    """Makes a strategy draw candidates of these suffixes, in this order."""

    def prepare(strategy, *shapes):
        by_name = {method.name: method for method in strategy.candidates._sequences.catalogue.methods}
        prefix = strategy.candidates._prefix()
        patterns = [tuple(tuple(map(by_name.get, suffix)) for suffix in shape) for shape in shapes]
        candidates = iter([Candidate(prefix, pattern) for pattern in patterns])
        monkeypatch.setattr(strategy.candidates, "draw", lambda: next(candidates))

    return prepare


def test_new_test_case_is_the_most_distant_of_m(drawn):
    strategy = make(StaticallyDiverseTests, 2)
    near, far, between = (("put",), ("put",)), (("take", "take"), ("look",)), (("put",), ("take", "take"))
    drawn(strategy, *(near, far, between) * 2)
    strategy.select(Shape(("Subject",), (("put",), ("put",))))
    assert strategy.draw().shape.suffixes == far  # 0 and 2 + 1
    strategy.m = 3
    assert strategy.draw().shape.suffixes == far  # the third, the first and the second: 2, 0 and 3


def test_of_equally_distant_ones_the_one_with_most_new_encounters_is_new(drawn):
    strategy = make(StaticallyDiverseTests, 2)
    strategy.select(Shape((), (("take",), ("look",))))
    known, new = (("look",), ("take",)), (("look",), ("put",))  # both 1 + 1 edits away
    drawn(strategy, known, new)
    assert strategy.draw().shape.suffixes == new


@pytest.mark.parametrize("kind", [StaticallyDiverseTests, DiverseTests])
def test_a_new_test_is_to_be_unlike_all_that_were_selected_whether_executed_or_not(kind, drawn):
    strategy = make(kind, 2)
    drawn(strategy, (("put",), ("put",)), (("put",), ("put",)), (("put",), ("put",)), (("take",), ("look",)))
    assert [call.method for suffix in strategy.new_test().suffixes for call in suffix] == ["put", "put"]
    assert strategy.executed == []
    assert [call.method for suffix in strategy.new_test().suffixes for call in suffix] == ["take", "look"]


def test_a_mirrored_test_costs_one_turn_and_no_more():
    """Section 5.2: all that it discovers is exposed already, or it is one more attempt."""
    strategy, laboratory = make(StaticallyDiverseTests, 2), Script(("ab", "a", ""), ("ab", "b", "b"), ("ab", "", ""))
    suffixes = [["x.put(1)"], ["x.take()"]]
    pair = [Test.from_lines([], ["x = Subject()"], each) for each in (suffixes, suffixes[::-1])]
    tests = iter([*pair, Test.from_lines([], ["x = Subject()"], [["x.look()"], ["x.look()"]])])
    strategy.new_test = lambda: next(tests)
    assert trace(strategy, laboratory, "k") == [(0,), (1,), (2,)]
    assert strategy.memory.exposed == {"a", "b"}  # the second attempt was the mirror image's


@pytest.mark.parametrize("name", ["mrt", "s-atg", "d-atg", "sd-atg", "sd-atg-all"])
def test_strategies_by_name_give_tests_without_a_laboratory_and_travel(name):
    strategy = make_generator(name, catalogue(), SequentialRunner(), seed=3)
    tests = [strategy.next_test() for _ in range(6)]
    assert len(set(tests)) == 6
    copy = pickle.loads(pickle.dumps(strategy))
    assert [copy.next_test() for _ in range(3)] == [strategy.next_test() for _ in range(3)]
    again = make_generator(name, catalogue(), SequentialRunner(), seed=3)
    assert [again.next_test() for _ in range(6)] == tests
    assert all(len(suffix) <= 4 for test in tests for suffix in test.suffixes)


def test_static_strategies_say_what_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rapidfuzz.distance", None)
    for name in ("s-atg", "sd-atg"):
        with pytest.raises(UsageError, match="rapidfuzz"):
            make_generator(name, catalogue(), SequentialRunner())
    for name in ("d-atg", "sd-atg-all"):
        make_generator(name, catalogue(), SequentialRunner())


class Wandering(Script):
    """Its active tests come across an instance that no profile has discovered."""

    def expose(self, test, known):
        seen = super().expose(test, known)
        return SeenInstances(
            seen.discovered | {f"extra {len(self.tested)}"}, seen.exposed | {f"extra {len(self.tested)}"}
        )


@pytest.mark.parametrize("kind", [RandomActiveTests, StaticallyDiverseTests])
def test_only_profiles_discover_what_counts_as_new(kind):
    """Lines 7 and 8 of Figure 1: Z' is what was known and what profiling the test has discovered."""
    strategy, laboratory = make(kind, 2), Wandering(("ab", "a", "b"), ("ab", "", ""), ("a", "", ""))
    numbered(strategy)
    assert trace(strategy, laboratory, "k") == [(0,), (1,), (2,)]
    assert strategy.discovered == {"a", "b"}
    assert strategy.memory.exposed == {"a", "b", "extra 1", "extra 2", "extra 3"}
