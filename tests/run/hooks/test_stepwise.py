"""What C code does in several steps: random programs of such operations, and what holds for each step by itself."""

import builtins
import itertools
import random

import pytest

from plait.explore.dfs import Dfs
from plait.explore.dpor import Dpor
from plait.explore.runner import explore
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World

HEAD = """
import functools, itertools, operator
from collections import OrderedDict, deque

class Eq:
    def __init__(self, v):
        self.v = v
    def __eq__(self, other):
        return self.v == getattr(other, "v", other)
    def __hash__(self):
        return hash(self.v)
    def __lt__(self, other):
        return self.v < getattr(other, "v", other)
    def __repr__(self):
        return f"Eq({self.v})"

def count():
    n = 0
    while True:
        n += 1
        yield n

class Shared:
    def __init__(self):
        self.l, self.m, self.e, self.g = [1, 2], [2], [Eq(1), Eq(2)], count()
        self.d, self.s, self.q, self.o = {1: 1}, {1}, deque([1]), OrderedDict({1: 1})
        self.i, self.c, self.b = iter([1, 2]), itertools.chain(self.l, self.d), bytearray(b"ab")
"""
OPERATIONS = """
return next(s.g)
return 2 in s.l
return s.l.index(2)
return s.l.index(2, 1)
return s.l.count(1)
s.l.insert(0, 3)
s.l.insert(-1, 4)
return s.l.pop(0)
return s.l.pop(-2)
del s.l[0]
del s.l[:1]
s.l[:1] = [5, 6]
s.l[:] = s.m
s.l[1:] = s.d
s.l[:] = (x for x in s.m)
s.l *= 2
s.l.sort(reverse=True)
s.l.sort(key=lambda x: -x)
s.l.reverse()
s.l.remove(1)
s.l.append(7)
s.l[0] = 8
return s.l[1], s.l[0]
return len(s.l), s.l[0]
return s.l[:]
return s.l == [2, 1]
s.l.extend(s.m)
s.l.extend(s.q)
s.l.extend(map(abs, s.m))
s.l.extend(x for x in s.m)
s.l += s.q
s.m.append(3)
s.m.clear()
s.d.update(zip(s.l, s.m))
s.d.update(s.o)
s.d |= [(2, 2), (3, 3)]
s.d[2] = 2
s.d.pop(1)
return tuple(s.d)
return list(s.d.items())
return sum(s.d.values())
return max(s.l)
return sorted(s.l)
return sorted(s.e)
return list(map(abs, s.l))
return list(zip(s.l, s.m))
return [x for x in s.c]
return list(s.c)
return next(s.i)
return functools.reduce(max, s.l)
return any(x > 1 for x in s.l)
s.s.update(s.l)
s.s.update([2], {3})
return len(s.s)
return s.s.union(s.m)
return s.s.issubset(s.l)
s.s.add(2)
s.q.extend(s.l)
s.q.append(4)
return list(s.q)
s.o.update({2: 2, 3: 3})
s.o[4] = 4
return list(s.o)
s.b.extend(s.m)
return s.b[0], s.b[-1]
return Eq(2) in s.e
s.e.remove(Eq(2))
s.e.insert(0, Eq(2))
s.e.sort()
return s.e == [Eq(2), Eq(1)]
return {**s.d}, [*s.l]
return s.b + b"c"
return b"c" + s.b, s.b + s.b
return s.b == b"ab", s.b != bytearray(b"ab")
return s.b < bytearray(b"b"), b"b" >= s.b
return s.b + "c"
return s.b == "ab"
return s.b - b"c"
return b"c" * s.b
return b"%b-%s" % (s.b, s.b), b"%a" % s.b
return b"%d" % s.b
s.b += b"x"
s.b[0] = 99; s.b[1] = 98
a, b = s.l; return a, b
a, b = s.d; return a, b
a, b, c = s.l; return c
a, *b = s.q; return b
[a, b] = s.l = [3, 4]; return s.l
s.s.difference_update(s.l)
s.s.difference_update({1}, [2])
s.s.difference_update(x for x in s.m)
s.s.difference_update(s.s)
s.s.symmetric_difference_update(s.m)
s.s.update(s.s, {2, 3, 4})
s.s.update({Eq(5), Eq(6)}); s.s = {each if type(each) is int else each.v for each in s.s}
return s.s.intersection(s.q), s.s.isdisjoint(map(abs, s.l))
return len(s.s), 2 in s.s, 3 in s.s
s.s |= {2, 3}
s.s |= s.s
s.s |= frozenset({Eq(5)}); s.s = {1}
s.s |= {5: 6}
s.s -= {1, 2}
s.s -= s.s
s.s.__ior__({2, 3, 4})
operator.isub(s.s, {1})
t = s.s; t |= {3, 2}; return t is s.s
"""
LINES = OPERATIONS.strip().splitlines()
LOOK = "[s.l, s.m, s.e, s.d, s.s, s.q, list(s.o), s.b]"
MANY, MOST = 40, 400  # programs, and executions of brute force by which it must be through
_numbers = itertools.count()


@pytest.fixture(scope="module")
def world():
    return World(PLACES)


@pytest.fixture
def outcomes(world, monkeypatch):
    """All that the threads of a program can return, raise and leave; None if there are too many schedules."""
    before = ENGINE.modules

    def of(source, search, *, gil, most=20_000):
        module = world.importer.load_source(f"stepwise_{next(_numbers)}", HEAD + source)
        world.snapshot()
        monkeypatch.setattr(ENGINE, "gil", gil)
        found, here = set(), {}

        def part(name):
            def body():
                try:
                    here[name] = getattr(module, name)(here["shared"])
                except Exception as error:
                    here[name] = repr(error)

            return body

        def prepare():
            here["shared"] = module.Shared()
            return [part("one"), part("two")]

        def check(engine):
            if engine.status != "redundant":
                found.add(str((here["one"], here["two"], module.look(here["shared"]))))

        with world.entered():
            done = explore(prepare, search, max_executions=most, check=check)
        return found if done.exhausted else None

    yield of
    ENGINE.modules = before


def program(one, two):
    bodies = "".join(f"def {name}(s):\n    {text}\n" for name, text in (("one", one), ("two", two)))
    return f"{bodies}def look(s):\n    return {LOOK}\n"


@pytest.mark.parametrize("gil", [False, True], ids=["free-threaded", "gil"])
def test_the_reduction_finds_what_brute_force_finds(outcomes, gil):
    chance = random.Random(19 + gil)
    compared = 0
    for _ in range(MANY):
        one, two = chance.choice(LINES), chance.choice(LINES)
        if not two.startswith("return") and chance.random() < 0.3:
            two = f"{two}; {chance.choice(LINES)}"
        source = program(one, two)
        every = outcomes(source, Dfs(), gil=gil, most=MOST)
        if every is not None:
            compared += 1
            assert outcomes(source, Dpor(), gil=gil) == every, source
    assert compared > MANY // 2


JOINS = {
    "|=": ("s.s |= {2, 3}", {"(False, False)", "(True, False)", "(True, True)"}),
    "ior": ("operator.ior(s.s, {2, 3})", {"(False, False)", "(True, False)", "(True, True)"}),
    "__ior__": ("s.s.__ior__({2, 3})", {"(False, False)", "(True, False)", "(True, True)"}),
    "-=": ("s.s -= {2, 3}", {"(True, True)", "(False, True)", "(False, False)"}),
    "isub": ("operator.isub(s.s, {2, 3})", {"(True, True)", "(False, True)", "(False, False)"}),
    "|= of a local": ("t = s.s; t |= {2, 3}", {"(False, False)", "(True, False)", "(True, True)"}),
}


@pytest.mark.parametrize("name", JOINS)
def test_a_set_is_seen_while_an_operator_changes_it(outcomes, name):
    """Without the GIL who asks for an element takes no lock; what is asked first is joined or taken away first."""
    change, expected = JOINS[name]
    begin = "s.s |= {2, 3}; " if expected >= {"(True, True)", "(False, True)"} else ""
    source = program(change, "return [3 in s.s, 2 in s.s][::-1]")
    source += f"\nclass Shared(Shared):\n    def __init__(s):\n        super().__init__()\n        {begin}pass\n"
    free, held = (
        {f"({ending.split('[', 1)[1].split(']')[0]})" for ending in outcomes(source, Dpor(), gil=gil)}
        for gil in (False, True)
    )
    assert free == expected
    assert held < expected


def test_an_iterator_in_c_that_was_made_before_is_walked_along(outcomes):
    """With and without the GIL a loop gives others the chance to change what the iterator reads."""
    source = program("for x in itertools.chain(s.d): s.m.append(x)", "s.d[3] = 3")
    for gil in (False, True):
        assert any("changed size" in ending for ending in outcomes(source, Dpor(), gil=gil))


def test_a_list_looks_empty_while_it_is_sorted(outcomes):
    source = program("s.l.sort()", "return len(s.l)")
    assert {ending[:9] for ending in outcomes(source, Dpor(), gil=False)} == {"(None, 0,", "(None, 2,"}
    assert {ending[:9] for ending in outcomes(source, Dpor(), gil=True)} == {"(None, 2,"}


def test_bytes_are_read_one_after_the_other_by_operators(outcomes):
    """Another thread's first write may be missing while its second one is there; nobody can append meanwhile."""
    source = program("return s.b + b'.'", "s.b[0] = 99; s.b[1] = 100")
    assert any("bytearray(b'ad.')" in ending for ending in outcomes(source, Dpor(), gil=False))
    assert not any("bytearray(b'ad.')" in ending for ending in outcomes(source, Dpor(), gil=True))
    source = program("return s.b + b'.'", "s.b.append(99)")
    assert any("BufferError" in ending for ending in outcomes(source, Dpor(), gil=False))
    assert not any("BufferError" in ending for ending in outcomes(source, Dpor(), gil=True))


@pytest.mark.skipif(not hasattr(builtins, "frozendict"), reason="came with 3.15")
def test_a_mapping_that_never_changes_is_made_in_steps_and_holds_what_changes(outcomes):
    source = program("return frozendict.fromkeys(s.l)", "s.l[0] = 5; s.l[1] = 6")
    assert any("frozendict({1: None, 6: None})" in ending for ending in outcomes(source, Dpor(), gil=False))
    for gil in (False, True):
        source = program("return frozendict(a=s.l) == frozendict(a=[1, 2])", "s.l.append(3)")
        assert {ending[:5] for ending in outcomes(source, Dpor(), gil=gil)} == {"(True", "(Fals"}


@pytest.mark.parametrize("look", ["s.b == b'abx'", "b'abx' == s.b", "s.b + b'.'", "len(s.b)"])
def test_bytes_that_are_added_in_place_are_seen(outcomes, look):
    """Constants of bytes stand beside bytearrays: they were taken for numbers, which change nothing."""
    for gil in (False, True):
        assert len(outcomes(program(f"return {look}", "s.b += b'x'"), Dpor(), gil=gil)) >= 2


@pytest.mark.parametrize("change", ["s.l.insert(0, 3)", "s.l.pop(0)", "s.l.sort()", "s.l.extend(map(abs, s.m))"])
def test_who_needs_the_lock_waits_for_the_whole_change(outcomes, change):
    """A copy, and another change, see none of the states in between."""
    alone = outcomes(program(change, "return s.l[:]"), Dpor(), gil=True)
    assert outcomes(program(change, "return s.l[:]"), Dpor(), gil=False) == alone
    alone = outcomes(program(change, "s.l.append(9)"), Dpor(), gil=True)
    assert outcomes(program(change, "s.l.append(9)"), Dpor(), gil=False) == alone


def test_a_generator_refuses_who_comes_while_it_is_running(outcomes):
    """Both builds look for other threads when a generator is resumed, whatever its body touches."""
    refused = "ValueError('generator already executing')"
    for gil in (False, True):
        found = outcomes(program("return next(s.g)", "return next(s.g)"), Dpor(), gil=gil)
        results = {tuple(sorted(each[1:].split(", [")[0].split(", ", 1))) for each in found}
        assert any(refused in each for each in found), found
        assert ("1", "2") in results
        alone = outcomes(program("return next(s.g), next(s.g)", "return 2 in s.l"), Dpor(), gil=gil)
        assert len(alone) == 1


def test_code_that_is_not_under_control_does_the_same(outcomes):
    """Each operation gives what it gives without plait: same result, same exception, same content."""
    for line in LINES:
        space = {}
        exec(HEAD + program(line, "pass"), space)  # noqa: S102
        shared = space["Shared"]()
        try:
            result = space["one"](shared)
        except Exception as error:
            result = repr(error)
        expected = {str((result, None, space["look"](shared)))}
        for gil in (False, True):
            assert outcomes(program(line, "pass"), Dpor(), gil=gil) == expected, line


@pytest.mark.parametrize("gil", [False, True], ids=["free-threaded", "gil"])
def test_an_object_is_found_by_identity_and_removed_in_one_step(outcomes, gil):
    """No Python code is asked whether an object equals itself: only one of two threads removes it."""
    source = """
EACH = Eq(7)
class Shared:
    def __init__(self):
        self.e = [EACH]
def one(s):
    s.e.remove(EACH)
    return "removed"
def two(s):
    s.e.remove(EACH)
    return "removed"
def look(s):
    return s.e
"""
    endings = outcomes(source, Dpor(), gil=gil)
    assert len(endings) == 2
    assert not any(ending.startswith("('removed', 'removed'") for ending in endings)
