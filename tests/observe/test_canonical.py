"""States as plain data: how attributes are read."""

import array
import functools
import io
import itertools
import sys
import types

import pytest

from plait.judge.oracle.specification import public_attributes
from plait.observe.canonical import canonical, identities


def test_attributes_are_read_in_one_order_and_keys_of_other_classes_are_not_asked():
    class Thing:
        pass

    class Other:  # its objects share no names with those, which putting a key in would ask
        pass

    class Asked(str):
        __slots__ = ()

        def __eq__(self, other):
            raise AssertionError("code under test was run")

        __hash__ = str.__hash__

    one, two, three, four = Thing(), Thing(), Thing(), Other()
    one.a, one.b = 1, 2
    two.b, two.a = 2, 1
    three.b, three.c = 2, 3
    assert canonical(one) == canonical(two) == canonical(one)
    assert canonical(three) != canonical(one)
    for name in ("a", "b"):
        vars(four)[Asked(name)] = 1
    assert [str.__str__(name) for name, _value in canonical(four)[1][1:]] == ["a", "b"]
    assert canonical(one) == canonical(two)


def test_keys_are_not_asked_for_their_hashes():
    """A class whose hash depends on its state, held by itself, has no end of it."""

    class Content:
        def __init__(self):
            self.items = {}

        def __hash__(self):
            return hash(frozenset(self.items.items()))

    content = Content()
    content.items[content] = 1
    assert canonical(content) == canonical(content)


class Parts(types.ModuleType):
    """A module that loads its names when they are asked for, as many packages make them."""

    def __getattr__(self, name):
        raise ImportError(name)

    @property
    def __dict__(self):
        raise ImportError("all names are loaded")


def test_a_module_that_nobody_can_import_is_an_object_like_any_other():
    one, two = Parts("parts"), Parts("parts")
    assert canonical(one) == canonical(two)
    two.total = 1
    assert canonical(one) != canonical(two)
    assert ("attribute", "x.total", 1) in public_attributes({"x": two}, ["x"])
    assert canonical(sys) == ("named", "sys")
    assert identities([one, two, one], []) == ((0, False), (1, False), (0, False))


def test_a_module_may_be_named_by_anything():
    one = Parts("one")
    one.__name__ = {"a": 1}
    assert canonical(one)[0].endswith("Parts")


def counted(start, steps):
    numbers = itertools.count(start)
    for _ in range(steps):
        next(numbers)
    return numbers


def buffer(text):
    found = io.StringIO()
    found.write(text)
    return found


@pytest.mark.parametrize("make", [
    lambda part: types.MappingProxyType({"a": part}), lambda part: array.array("i", [1, part]),
    lambda part: functools.partial(print, part), lambda part: counted(3, part), lambda part: buffer(str(part)),
    lambda part: io.BytesIO(bytes(part)), lambda part: types.MappingProxyType({"a": [{part}]}),
])  # fmt: skip
def test_what_is_inside_of_objects_written_in_c_is_compared(make):
    assert canonical([make(1)]) == canonical([make(1)])
    assert canonical([make(1)]) != canonical([make(2)])


def test_what_lies_behind_a_proxy_is_not_asked():
    class Asked(dict):
        def __getitem__(self, key):
            raise AssertionError("code under test was run")

        keys = items = __iter__ = __getitem__

    one, two = (types.MappingProxyType(Asked(a=value)) for value in (1, 2))
    assert canonical(one) != canonical(two)
    assert "'a'" in repr(canonical(one))
