"""What a test would bring together that no other one has."""

from itertools import combinations, product
from random import Random

from plait.generate.atg.diversity import Encounters, Shape


def shape(*suffixes, prefix=()):
    return Shape(tuple(prefix), tuple(map(tuple, suffixes)))


def by_hand(each):
    """Unordered pairs of methods, and of calls with the one before, of every two threads."""
    before = each.prefix[-1] if each.prefix else ""
    found = set()
    for one, other in combinations(each.suffixes, 2):
        found |= {frozenset(pair) for pair in product(one, other)}
        contexts = [list(zip((before, *calls), calls, strict=False)) for calls in (one, other)]
        found |= {frozenset(pair) for pair in product(*contexts)}
    return found


def test_the_pair_of_methods_and_the_pair_in_context_count():
    assert Encounters().promise(shape("a", "b")) == 2 / 2
    assert Encounters().promise(shape("ab", "c")) == 4 / 3
    assert Encounters().count(shape("ab", "c")) == 4


def test_what_was_brought_together_is_not_new_whichever_thread_it_was():
    encounters = Encounters()
    encounters.add(shape("ab", "c"))
    assert encounters.promise(shape("c", "ab")) == 0
    assert encounters.promise(shape("b", "c")) == 1 / 2  # known, but not as the first call


def test_what_comes_first_follows_the_last_call_of_the_prefix():
    encounters = Encounters()
    encounters.add(shape("b", "c", prefix="xa"))
    assert encounters.promise(shape("b", "c", prefix="ya")) == 0
    assert encounters.promise(shape("b", "c", prefix="ay")) == 1 / 2


def test_promises_are_those_of_a_count_by_hand():
    random = Random(3)

    def drawn():
        return shape(*(random.choices("abcd", k=random.randint(1, 4)) for _ in range(random.choice((2, 2, 3)))))

    for _ in range(20):
        encounters, known = Encounters(), set()
        for _ in range(10):
            each = drawn()
            calls = sum(map(len, each.suffixes))
            if len(each.suffixes) == 2:  # what several pairs of threads share counts for each of them
                assert encounters.promise(each) == len(by_hand(each) - known) / calls
            encounters.add(each)
            known |= by_hand(each)
            assert encounters.promise(each) == 0
