"""Footprints: calls that do not conflict have one interleaving only, as far as anybody can tell."""

import itertools

import lab as lab_module
from plait.observe.footprint import MODULE_STATE
from plait.run.operations import KEY_INSERT, WRITE

SOURCE = """
import threading

HISTORY = []

class Part:
    def __init__(self, size):
        self.size = size

class Store:
    count = 0

    def __init__(self):
        self._lock = threading.Lock()
        self.items = {"a": 1, "b": 2}
        self.order = ["a", "b"]
        self.part = Part(3)
        self.parts = {Part(1), Part(2)}
        self._cache = None

    def get(self, key):
        return self.items.get(key)

    def put(self, key, value):
        with self._lock:
            self.items[key] = value

    def size(self):
        return len(self.items)

    def resize(self, size):
        self.part.size = size

    def part_size(self):
        return self.part.size

    def replace(self):
        self.part = Part(9)

    def local(self):
        found = []
        made = Part(1)
        made.size = 5
        found.append(made.size)
        return found

    def note(self):
        HISTORY.append(len(self.order))

    def notes(self):
        return len(HISTORY)

    def total(self):
        return sum(part.size for part in self.parts)

    def grow(self):
        for part in self.parts:
            part.size = part.size + 1

    def lazy(self):
        if self._cache is None:
            self._cache = len(self.order)
        return self._cache

    def counted(self):
        Store.count = Store.count + 1

    def hello(self):
        return "hello"
"""
CALLS = [
    "x.get('a')", "x.put('a', 5)", "x.put('b', 6)", "x.size()", "x.put('new', 7)", "x.resize(4)", "x.part_size()",
    "x.replace()", "x.local()", "x.note()", "x.notes()", "x.total()", "x.grow()", "x.lazy()", "x.counted()",
    "x.hello()",
]  # fmt: skip


def test_footprints_find_every_pair_that_can_interfere(lab):
    """A pair whose interleavings are not all alike must conflict; hardly any other does."""
    _found, conflicts = lab(lab_module.touched, SOURCE, ["x = Store()"], CALLS)
    false_alarms = []
    for one, other in itertools.combinations_with_replacement(range(len(CALLS)), 2):
        _outcomes, complete, executions = lab(
            lab_module.outcomes, SOURCE, ["x = Store()"], [[CALLS[one]], [CALLS[other]]]
        )
        assert complete
        locked = all("put" in CALLS[number] for number in (one, other))
        if executions > 1 and not locked:  # two lock holders take turns, whatever they touch
            assert conflicts[one, other], (CALLS[one], CALLS[other])
        elif executions == 1 and conflicts[one, other]:
            false_alarms.append((CALLS[one], CALLS[other]))
    assert false_alarms == []


def test_what_a_call_makes_for_itself_is_in_no_footprint(lab):
    (local, hello), _ = lab(lab_module.touched, SOURCE, ["x = Store()"], ["x.local()", "x.hello()"])
    assert local.footprint == hello.footprint == frozenset()


def test_what_a_variable_of_a_module_holds_goes_by_its_name(lab):
    """So it is the same in another process; a class's variable is told from a module's."""
    source = "class Box:\n    every = {}\n\n    def add(self):\n        Box.every[1] = 2\n\n    def log(self):\n"
    source += "        LINES.append(1)\n\nLINES = []\n"
    (added, logged), conflicts = lab(lab_module.touched, source, ["x = Box()"], ["x.add()", "x.log()"])
    (state,) = {root for root, _key, mode in added.footprint if mode == KEY_INSERT}
    (lines,) = {root for root, _key, mode in logged.footprint if mode == WRITE}
    assert state.startswith(f"{MODULE_STATE} ")
    assert state.endswith(".Box.every[]")
    assert lines.endswith(".LINES[]")
    assert not conflicts[0, 1]


def test_a_call_that_waits_for_another_conflicts_with_everything(lab):
    source = """
import threading

class Gate:
    def __init__(self):
        self.event = threading.Event()

    def wait(self):
        self.event.wait()

    def hello(self):
        return 1
"""
    (waiting, hello), conflicts = lab(lab_module.touched, source, ["x = Gate()"], ["x.wait()", "x.hello()"])
    assert waiting.footprint is None
    assert hello.footprint is not None
    assert conflicts[0, 1]


def test_objects_that_a_prefix_hides_in_a_module_are_not_overlooked(lab):
    source = """
REGISTRY = {}

class Entry:
    def __init__(self):
        self.uses = []

class Registered:
    def enter(self):
        REGISTRY["a"] = Entry()

    def use(self):
        REGISTRY["a"].uses.append(1)

    def uses(self):
        return len(REGISTRY["a"].uses)
"""
    _found, conflicts = lab(lab_module.touched, source, ["x = Registered()", "x.enter()"], ["x.use()", "x.uses()"])
    assert conflicts == {(0, 0): True, (0, 1): True, (1, 1): False}
