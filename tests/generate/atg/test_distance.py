"""The static metric, by hand (ATG, section 4.1)."""

import random
import sys
import time

import pytest

from plait.errors import UsageError
from plait.generate.atg.diversity import Shape, ShapeSet, distance, levenshtein, shape_of
from plait.model.test import Test


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [
        ((), (), 0),
        (("put",), ("put",), 0),
        (("put",), (), 1),  # one deletion
        (("put", "get"), ("get",), 1),
        (("put", "get"), ("get", "put"), 2),  # two substitutions, or a deletion and an insertion
        (("put", "put", "get"), ("put", "get", "size"), 2),
        (("put", "get", "put", "get"), ("get", "put", "get", "put"), 2),  # drop the first, append one
        (("put", "put", "put"), ("get", "get"), 3),
    ],
)
def test_edit_distance_of_call_sequences(one, other, edits):
    assert levenshtein()(one, other) == edits
    assert levenshtein()(other, one) == edits


def test_methods_are_compared_as_wholes_not_by_their_letters():
    assert levenshtein()(("append",), ("appendleft",)) == 1


def test_distance_adds_prefix_and_suffixes_thread_by_thread():
    one = Shape(("Queue",), (("put", "get"), ("size",)))
    other = Shape(("Queue", "put"), (("get",), ("size", "size", "size")))
    assert distance(one, other) == 1 + 1 + 2
    assert distance(one, one) == 0


def test_set_distance_is_that_to_the_nearest():
    known = ShapeSet()
    known.add(Shape(("Queue",), (("put",), ("get",))))
    known.add(Shape(("Queue",), (("put", "put"), ("get", "get"))))
    assert known.nearest(Shape(("Queue",), (("put",), ("get",)))) == 0
    assert known.nearest(Shape(("Queue",), (("put", "put"), ("get",)))) == 1  # from either
    assert known.nearest(Shape(("Queue",), (("size", "size", "size"), ("size",)))) == 3 + 1  # from the first
    assert known.nearest(Shape(("Queue",), (("size", "put", "put"), ("size", "get", "get")))) == 2  # from the second


def test_an_empty_set_is_as_far_as_a_test_without_calls():
    assert ShapeSet().nearest(Shape(("Queue",), (("put", "put"), ("get",)))) == 4


def test_three_threads():
    known = ShapeSet()
    known.add(Shape(("Queue",), (("put",), ("get",), ("size",))))
    assert known.nearest(Shape(("Queue",), (("put",), ("size",), ("size", "size")))) == 2


def test_mirror_images_are_different_tests_as_the_definition_has_it():
    test = Shape(("Queue",), (("put", "put"), ("get",)))
    mirrored = Shape(("Queue",), (("get",), ("put", "put")))
    assert distance(test, mirrored) == 2 + 2
    same = Shape(("Queue",), (("put",), ("put",)))
    assert distance(same, Shape(same.prefix, same.suffixes[::-1])) == 0


def test_the_shape_of_a_test_leaves_arguments_out():
    suffixes = [["x.put(2)"], ["x.get()", "x.put(9)"]]
    test = Test.from_lines(["from q import Queue"], ["x = Queue(3)", "x.put(1)"], suffixes)
    assert shape_of(test) == Shape(("Queue", "put"), (("put",), ("get", "put")))


def test_without_rapidfuzz_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    with pytest.raises(UsageError, match=r"rapidfuzz.*pip install 'plait\[atg\]'"):
        levenshtein()


def test_ten_thousand_executed_tests():
    chance = random.Random(3)
    methods = [f"method_{number}" for number in range(20)]

    def shape():
        suffixes = tuple(tuple(chance.choices(methods, k=chance.randint(1, 4))) for _ in range(2))
        return Shape(("Queue", *chance.choices(methods, k=chance.randint(0, 5))), suffixes)

    known = ShapeSet()
    shapes = [shape() for _ in range(10_000)]
    for each in shapes:
        known.add(each)
    asked = [shape() for _ in range(3)]
    started = time.process_time()
    found = [known.nearest(each) for each in asked]
    assert (time.process_time() - started) / len(asked) < 0.5  # 10 ms on a busy machine
    assert found == [min(distance(each, other) for other in shapes) for each in asked]
