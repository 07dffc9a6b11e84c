"""What accesses touch, in words: names of containers and locks, values."""

import functools
import sys
import threading
import types
from array import array
from collections import defaultdict, deque
from types import SimpleNamespace

import pytest

from plait.model.site import Site
from plait.observe import places
from plait.run.heap import Heap
from plait.run.primitives import lock
from plait.run.primitives.condition import Condition


class Order:
    total = 0  # for those who have none of their own


def engine(*kept, trace=()):
    heap = Heap()
    heap.kept = list(kept)
    heap.new_loc(Order, "total")
    return SimpleNamespace(heap=heap, trace=list(trace))


def with_total(value):
    made = Order()
    made.total = value
    return made


@pytest.mark.parametrize(("kept", "text"), [
    ([], "0"), ([Order()], "0"), ([with_total(7)], "7"), ([Order(), with_total(7)], "7"),
    ([with_total(7), with_total(8)], None),
])  # fmt: skip
def test_what_an_instance_has_instead_of_its_class_is_shown(kept, text):
    """Both have one location, and which instance an access was about is not known."""
    assert places.held_text(engine(*kept), 1) == text


class Bus:
    def __init__(self):
        self.handlers = {"a": [print], 3: {}, ("no", "name"): []}
        self.stripes = [threading.Lock(), 5]


def test_containers_are_named_by_what_holds_them(monkeypatch):
    bus = Bus()
    shop = types.ModuleType("shop_of_this_test")
    shop._REGISTRY, shop._LOCK, shop.sys = {"x": []}, threading.RLock(), sys
    monkeypatch.setitem(sys.modules, shop.__name__, shop)
    site = Site(1, shop.__name__, "shop.py", 1, "f", "read", "_REGISTRY", 0)
    monkeypatch.setitem(places.PLACES, 1, site)
    names = places.owners(engine(bus, trace=[(1, 0, 0, 1, None, None)]))
    assert names[id(bus.handlers)] == "Bus.handlers"
    assert names[id(bus.handlers["a"])] == "Bus.handlers['a']"
    assert names[id(bus.handlers[3])] == "Bus.handlers[3]"
    assert names[id(bus.handlers["no", "name"])] == "Bus.handlers[('no', 'name')]"
    assert names[id(shop._REGISTRY)] == "_REGISTRY"
    assert names[id(shop._REGISTRY["x"])] == "_REGISTRY['x']"
    assert names[id(shop._LOCK)] == "_LOCK"
    assert id(sys) not in names


class Slotted:
    __slots__ = ("lock", "ready", "size", "stripes")


def test_locks_in_slots_and_in_tables_of_any_kind_have_names():
    """A report said "an RLock" of a class with slots."""
    slotted = Slotted()
    slotted.lock, slotted.ready = lock.Lock(), Condition()
    slotted.stripes = defaultdict(lock.Lock, {"a": lock.Lock(), (1, 2): lock.Lock()})
    names = places.owners(engine(slotted))
    assert names[id(slotted.lock)] == "Slotted.lock"
    assert names[id(slotted.ready._lock)] == "Slotted.ready"
    assert [names[id(each)] for each in slotted.stripes.values()] == ["Slotted.stripes['a']", "Slotted.stripes[(1, 2)]"]


class Lazy:
    limit = 3

    def __init__(self):
        self.size = 4
        self.asked = []

    @functools.cached_property
    def made(self):
        self.asked.append("made")
        return 5

    @property
    def area(self):
        self.asked.append("area")
        return 6


def test_recording_a_value_runs_no_code_of_the_class():
    """A lazy attribute that is asked for would be made by the recorder, whose accesses are recorded, and so on."""
    lazy, slotted = Lazy(), Slotted()
    slotted.size = 7
    held = {name: places.held_value(lazy, name, key=False) for name in ("limit", "size", "made", "area", "none")}
    assert (held["limit"], held["size"]) == (3, 4)
    assert held["made"] is held["area"] is held["none"]
    assert lazy.asked == []
    assert lazy.made == 5
    assert places.held_value(lazy, "made", key=False) == 5
    assert places.held_value(slotted, "size", key=False) == 7


def test_a_global_is_shown_with_its_value_and_functions_without(monkeypatch):
    shop = types.ModuleType("shop_of_this_test")
    shop.VERSION, shop.monotonic = 3, print
    monkeypatch.setitem(sys.modules, shop.__name__, shop)
    asked = engine()
    for number, (name, said) in enumerate((("VERSION", "3"), ("monotonic", None), ("GONE", None)), 2):
        asked.heap.new_loc(shop.__name__, name)
        assert places.held_text(asked, number) == said


def test_the_lock_of_a_condition_is_named_after_it_even_if_nobody_waits():
    """Such an execution has touched the lock inside, and never the condition."""
    line = SimpleNamespace()
    line._changed = Condition()
    inner = line._changed._lock
    names = places.owners(engine(line, inner))
    assert names[id(inner)] == "SimpleNamespace._changed"
    nameless = engine(inner)
    nameless.heap.new_loc(inner, "lock")
    assert places.location(nameless, 2, {}) == "an RLock"


class Strange:
    def __eq__(self, other):
        raise AssertionError("code under test")

    __hash__ = object.__hash__


def test_the_elements_of_containers_are_shown():
    member, stranger = Strange(), Strange()
    asked = engine()
    for content, element, said in [
        ({1, "a", member}, 1, "(there)"), ({1, "a", member}, 2, None), ({1, "a", member}, member, "(there)"),
        (frozenset({member}), stranger, None), (deque([5, 6]), 1, "6"), (bytearray(b"ab"), 0, "97"),
        (array("i", [7]), 0, "7"), ([8], 0, "8"), ([8], 3, None), ({"k": 9}, "k", "9"),
    ]:  # fmt: skip
        root = asked.heap.new_loc(content, places.WHOLE)
        number = asked.heap.new_loc(content, element, root)
        assert places.held_text(asked, number) == said, (content, element)
