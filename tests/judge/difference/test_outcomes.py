"""All outcomes: the reduction finds what brute force finds, whatever an outcome looks at."""

import pytest

import lab as lab_module

PROGRAMS = {
    "a field that does not exist at first": (
        """
class Lazy:
    def fill(self):
        if not hasattr(self, "value"):
            self.value = 1
        else:
            self.value = self.value + 1

    def name(self):
        return "lazy"
""",
        ["x = Lazy()"],
        [["x.fill()"], ["x.name()"]],
    ),
    "containers": (
        """
class Box:
    def __init__(self):
        self.items = []
        self.names = {}

    def put(self, key):
        self.items.append(key)
        self.names[key] = len(self.items)

    def take(self):
        return self.items.pop() if self.items else None
""",
        ["x = Box()", "x.put('a')"],
        [["x.put('b')"], ["x.take()"]],
    ),
    "a lock and an unlocked reader": (
        """
import threading

class Pair:
    def __init__(self):
        self.lock = threading.Lock()
        self.first = self.second = 0

    def set(self, value):
        with self.lock:
            self.first = value
            self.second = value

    def get(self):
        return self.first, self.second
""",
        ["x = Pair()"],
        [["x.set(1)"], ["x.get()"]],
    ),
    "two calls in a thread": (
        """
class Counter:
    def __init__(self):
        self.count = 0

    def add(self):
        count = self.count
        self.count = count + 1
""",
        ["x = Counter()"],
        [["x.add()", "x.add()"], ["x.add()"]],
    ),
    "an argument that both threads change": (
        """
class Register:
    def note(self, item):
        item.append(len(item))
        return len(item)
""",
        ["x = Register()", "a1 = []"],
        [["x.note(a1)"], ["x.note(a1)"]],
    ),
    "exceptions": (
        """
class Stream:
    def __init__(self):
        self.open = {}

    def close(self):
        if self.open is not None:
            self.open.clear()
            self.open = None
""",
        ["x = Stream()"],
        [["x.close()"], ["x.close()"]],
    ),
}


@pytest.mark.parametrize("exits", ["no", "at", "after"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_reduction_and_brute_force_agree(lab, name, exits):
    program = PROGRAMS[name]
    reduced, complete, fewer = lab(lab_module.outcomes, *program, exits=exits)
    every, all_of_them, count = lab(lab_module.outcomes, *program, exits=exits, brute_force=True)
    assert complete
    assert all_of_them
    assert reduced == every
    assert fewer <= count


def test_a_state_in_passing_is_seen_by_a_call_that_returns_meanwhile(lab):
    source, prefix, suffixes = PROGRAMS["a lock and an unlocked reader"]
    without, _, _ = lab(lab_module.outcomes, source, prefix, suffixes)
    seen, _, _ = lab(lab_module.outcomes, source, prefix, [["x.set(1)"], ["x.get()"]], exits="after")
    assert {outcome.state for outcome in without} == {outcome.state for outcome in seen}
    states = {dict(outcome.exits[1][0][-1][1:])["first"] for outcome in seen}
    assert states == {0, 1}


def test_an_exception_names_the_public_method_it_came_from(lab):
    source, prefix, suffixes = PROGRAMS["exceptions"]
    found, _, _ = lab(lab_module.outcomes, source, prefix, suffixes, public=["close"])
    raised = {result for outcome in found for result in outcome.results if result[0] == "raised"}
    assert raised == {("raised", "AttributeError", "close")}


def test_a_deadlock_is_an_outcome_without_a_state(lab):
    source = """
import threading

class Two:
    def __init__(self):
        self.a, self.b = threading.Lock(), threading.Lock()

    def ab(self):
        with self.a, self.b:
            return 1

    def ba(self):
        with self.b, self.a:
            return 2
"""
    found, complete, _ = lab(lab_module.outcomes, source, ["x = Two()"], [["x.ab()"], ["x.ba()"]])
    assert complete
    assert {(outcome.status, outcome.state is None) for outcome in found} == {("finished", False), ("deadlock", True)}


def test_a_lock_that_stays_held_shows_in_the_state(lab):
    source = """
import threading

class Forgetful:
    def __init__(self):
        self.lock = threading.Lock()

    def take(self):
        self.lock.acquire()

    def look(self):
        return 1
"""
    found, _, _ = lab(lab_module.outcomes, source, ["x = Forgetful()"], [["x.take()"], ["x.look()"]])
    (outcome,) = found
    assert ("lock", ("primitive", "held")) in outcome.state[0][-1]
