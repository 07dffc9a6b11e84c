"""Prefixes and suffixes for pairs of changed methods (Figure 3, lines 4-15)."""

from collections import Counter
from random import Random

import pytest
from sequential import Runner

from plait.generate.catalogue import build_catalogue
from plait.generate.condiff import COMBINATIONS, PREFIX_LENGTH, Stage, Stages, Suffix, tidied
from plait.generate.draft import ARGUMENT
from plait.generate.outcome import CallOutcome, is_absent
from plait.model.test import Call, Test
from plait.subject.interface.discovery import discover
from plait.subject.interface.results import with_results


class Token:
    """Something to hand over."""


class Desk:
    """Keeps tokens and numbers."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.number = 0

    def give(self, token: Token) -> None:
        self.tokens.append(token)

    def take(self, token: Token) -> None:
        self.tokens.remove(token)

    def set(self, number: int) -> None:
        self.number = number

    def get(self) -> int:
        return self.number

    def fail(self) -> None:
        raise ValueError


def run(test):
    """Runs a prefix natively."""
    space = {}
    exec("\n".join(test.imports), space)
    found = []
    for call in test.prefix:
        desk = space.get("x")
        before = (len(desk.tokens), desk.number) if desk else None
        try:
            space[call.result or "_"] = eval(call.expression, space)
        except Exception as error:
            found.append(CallOutcome("raised", type(error).__name__, str(error), absent=is_absent(error)))
            continue
        after = (len(space["x"].tokens), space["x"].number)
        found.append(CallOutcome("ok", changed=before is not None and before != after, result="NoneType"))
    return found


def reached(test):
    """The state that a prefix leaves, roughly."""
    space = {}
    exec("\n".join((*test.imports, *(call.source for call in test.prefix))), space)
    return frozenset({("tokens", min(len(space["x"].tokens), 2)), ("number", space["x"].number > 0)})


METHODS = ("give", "take", "set", "get", "fail")


@pytest.fixture
def stages():
    def make(seed=0, changed=()):
        interface = discover(Desk, name=f"{__name__}:Desk")
        return Stages(build_catalogue(Desk, interface, seed=seed), run, Random(seed), METHODS, reached, changed)

    return make


def own_calls(stage):
    return [call for call in stage.prefix[1:] if call.method != ARGUMENT]


def test_prefixes_are_at_most_l_calls_that_work(stages):
    made = stages()
    lengths = set()
    for _ in range(40):
        stage = made.next_stage()
        assert all(outcome.status == "ok" for outcome in run(Test(stage.imports, stage.prefix, ())))
        lengths.add(len(own_calls(stage)))
    assert max(lengths) <= PREFIX_LENGTH
    assert len(lengths) > 4
    assert 0 in lengths


def test_prefixes_reach_different_states(stages):
    made = stages()
    states = Counter(reached(Test(stage.imports, stage.prefix, ())) for stage in (made.next_stage() for _ in range(40)))
    assert len(states) == 6  # all there are
    rare = Counter(feature for state in states.elements() for feature in state)
    assert min(rare.values()) >= 5


def test_arguments_keep_their_names_from_stage_to_stage(stages):
    made = stages()
    names = {}
    for _ in range(20):
        for call in made.next_stage().prefix:
            if call.method == ARGUMENT:
                assert names.setdefault(call.result, call.expression) == call.expression
    assert names


def test_each_pair_gets_at_most_k_combinations_no_two_alike(stages):
    made = stages()
    for _ in range(5):
        made.next_stage()
    stage = made.next_stage()
    pairs = [("give", "take"), ("set", "set"), ("get", "get"), ("set", "get")]
    found = list(stage.combinations(pairs, Random(1)))
    assert len(found) == len({tuple(sorted(each)) for each in found})
    counts = {}
    for chosen in found:
        methods = tuple(stage.suffixes[number].call.method for number in chosen)
        counts[methods] = counts.get(methods, 0) + 1
    assert set(counts) <= set(pairs)
    assert counts["get", "get"] == 1  # no arguments, no second combination
    assert max(counts.values()) <= COMBINATIONS


def test_more_threads_repeat_the_pair(stages):
    stage = stages().next_stage()
    chosen = next(stage.combinations([("set", "get")], Random(0), threads=3))
    test = stage.test(chosen)
    assert [suffix[0].method for suffix in test.suffixes] == ["set", "get", "set"]
    assert test.prefix == stage.prefix


def test_the_same_seed_gives_the_same_stages(stages):
    first, second = stages(3), stages(3)
    assert [first.next_stage() for _ in range(10)] == [second.next_stage() for _ in range(10)]
    assert [stages(4).next_stage() for _ in range(3)] != [stages(3).next_stage() for _ in range(3)]


def test_avoided_calls_and_methods_stay_out_of_prefixes(stages):
    made = stages()
    made.avoid = {"give", "x.set(1)"}
    for _ in range(30):
        calls = own_calls(made.next_stage())
        assert not any(call.method == "give" or call.source == "x.set(1)" for call in calls)


def test_both_threads_look_behind_a_changed_call(stages):
    made = stages(changed=("set",))
    whole = [test for _ in range(4) for test in made.next_stage().whole]
    shapes = [tuple(tuple(call.method for call in suffix) for suffix in test.suffixes) for test in whole]
    assert (("set", "get"), ("set", "get")) in shapes


class Only:
    """One object for all."""

    _one = None

    def __new__(cls):
        if cls._one is None:
            cls._one = super().__new__(cls)
        return cls._one

    def get(self) -> int:
        return 1


def test_changed_methods_find_the_class_as_nobody_has_used_it():
    interface = discover(Only, name=f"{__name__}:Only")
    methods = tuple(each.name for each in interface.methods)

    def outcomes(test):
        return [CallOutcome("ok", result="Only") for _ in test.prefix]

    made = Stages(build_catalogue(Only, interface), outcomes, Random(0), methods, lambda _test: frozenset(), ("Only",))
    first, second = made.next_stage(), made.next_stage()
    fresh = [test for test in first.whole if test.prefix[0].expression == "Only"]
    assert [[call.source for call in suffix] for test in fresh for suffix in test.suffixes] == [["Only()"]] * 2
    assert not [test for test in second.whole if test.prefix[0].expression == "Only"]


def test_a_tidied_test_has_no_arguments_that_nobody_uses():
    prefix = (
        Call("Desk", "Desk()", result="x"), Call(ARGUMENT, "Token()", result="a1"),
        Call(ARGUMENT, "[{0}]", args=("a1",), result="a2"), Call(ARGUMENT, "Token()", result="a3"),
        Call("set", "{receiver}.set({args})", args=("1",)),
    )  # fmt: skip
    test = Test((), prefix, ((Call("give", "{receiver}.give({args})", args=("a2",)),), ()))
    assert [call.result for call in tidied(test).prefix] == ["x", "a1", "a2", None]


def test_calls_of_objects_that_belong_to_one_thread_get_an_object_each():
    suffixes = [
        Suffix(Call("begin().commit", "{receiver}.commit()", "r1"), single=True),
        Suffix(Call("begin().commit", "{receiver}.commit()", "r2"), single=True),
        Suffix(Call("put", "{receiver}.put()")),
    ]
    stage = Stage(1, (), (Call("Store", "Store()", result="x"),), tuple(suffixes))
    pairs = [("begin().commit", "begin().commit"), ("begin().commit", "put"), ("put", "put")]
    assert sorted(stage.combinations(pairs, Random(0))) == [(0, 1), (0, 2), (1, 2), (2, 2)]


class Entry:
    """What belongs to one thread."""

    def __init__(self, book: "Book") -> None:
        self.book = book

    def commit(self) -> bool:
        self.book.entries += 1
        return True


class Book:
    """Hands out entries."""

    def __init__(self) -> None:
        self.entries = 0

    def begin(self) -> Entry:
        return Entry(self)

    def commit(self, entry: Entry) -> None:
        self.entries += 1


def test_two_threads_of_a_stage_may_each_have_an_object_that_was_handed_out():
    catalogue = build_catalogue(Book, with_results(discover(Book, name=f"{__name__}:Book"), Book))
    (name,) = [each.name for each in catalogue.methods if each.of]
    stages = Stages(catalogue, Runner(), Random(0), [name], lambda _test: frozenset())
    for _ in range(3):
        stage = stages.next_stage()
        receivers = [suffix.call.receiver for suffix in stage.suffixes if suffix.single]
        assert len(set(receivers)) == len(receivers) == 2
        assert set(receivers) <= {call.result for call in stage.prefix}
