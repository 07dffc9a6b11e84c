"""Findings as people read them, from the code to the screen, at three widths (`pytest --update-golden`)."""

import itertools
import re
import sys
import textwrap
from pathlib import Path

import pytest

from plait.judge.minimise.tests import fewest_preemptions
from plait.judge.oracle.explain import explain_violation
from plait.judge.oracle.safety import Examination
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.observe.racing import GuardTable
from plait.report.finding_text import finding_lines
from plait.report.layout import SCREEN, Layout, as_text
from plait.run.engine import ENGINE

WIDTHS = (80, 100, 140)
_numbers = itertools.count()

CART = """
    import threading
    from decimal import Decimal

    class Cart:
        def __init__(self):
            self._lock = threading.Lock()
            self.total = Decimal(0)
            self.names = {}

        def add(self, price):
            total = self.total
            self.total = total + Decimal(price)

        def note(self, name):
            self.names[name] = 1

        def count(self):
            return sum(1 for name in self.names)
"""
TRANSFER = """
    import threading

    class Bank:
        def __init__(self):
            self._saving = threading.Lock()
            self._giro = threading.Lock()
            self.moved = 0

        def save(self):
            with self._giro:
                self._book(self._saving)

        def spend(self):
            with self._saving:
                self._book(self._giro)

        def _book(self, other):
            with other:
                self.moved += 1
"""
MAILBOX = """
    import threading

    class Mailbox:
        def __init__(self):
            self._filled = threading.Condition()
            self._items = []
            self.opened = threading.Event()

        def put(self, item):
            with self._filled:
                self._items.append(item)
                self._filled.notify()

        def get(self):
            if not self._items:
                with self._filled:
                    self._filled.wait()
            return self._items.pop()

        def open(self):
            if not self._items:
                self.opened.set()

        def enter(self):
            self.opened.wait()
"""
BOX = """
    import queue
    import threading

    class Box:
        def __init__(self):
            self._queue = queue.Queue()
            self._lock = threading.Lock()
            self.filled = False

        def put(self, item):
            self._queue.put(item)
            self.filled = True

        def take(self):
            if self.filled:
                item = self._queue.get()
                self.filled = False
                return item

        def swap(self, item):
            with self._lock:
                return self.size()

        def size(self):
            with self._lock:
                return self._queue.qsize()
"""
OFFICE = """
    _tickets = 0

    class Office:
        def ticket(self):
            global _tickets
            number = _tickets
            _tickets = number + 1
            return number
"""
ROOM = """
    class Room:
        def __init__(self):
            self.inside = 0

        def enter(self):
            before = self.inside
            self.inside = before + 1
            before = self.inside
            self.inside = before - 1
            while self.inside:
                pass
"""
GOLDEN = Path(__file__).parents[2] / "golden"
CASES = {
    "race": (CART, ["x = Cart()"], ["x.add(5)"], ["x.add(7)"], ["x.total"]),
    "deadlock": (TRANSFER, ["x = Bank()"], ["x.save()"], ["x.spend()"], []),
    "exception": (CART, ["x = Cart()", "x.note('a')"], ["x.count()"], ["x.note('b')"], []),
    "lost-wake-up": (MAILBOX, ["x = Mailbox()"], ["x.get()"], ["x.put(3)"], []),
    "queue": (BOX, ["x = Box()", "x.put(1)"], ["x.take()"], ["x.take()"], []),
    "twice": (BOX, ["x = Box()"], ["x.swap(1)"], ["x.size()"], []),
    "global": (OFFICE, ["x = Office()"], ["x.ticket()"], ["x.ticket()"], []),
    "hang": (ROOM, ["x = Room()"], ["x.enter()"], ["x.enter()"], []),
}

IN_LIBRARY = frozenset({"queue"})
"""Cases with steps in a module of the standard library, which differ from version to version."""


@pytest.fixture
def found(world, tmp_path, monkeypatch):
    """The finding of a test over the classes of a source text, which is a file."""
    monkeypatch.chdir(tmp_path)
    before = ENGINE.modules

    def find(source, prefix, *suffixes, probes=()):
        module = f"w{next(_numbers):03}"  # as long as the name in the golden files
        (tmp_path / f"{module}.py").write_text(textwrap.dedent(source), encoding="utf-8")
        world.load(module, file=None, roots=[tmp_path])
        world.snapshot()
        test = Test.from_lines([f"from {module} import *"], prefix, suffixes)
        calls = [Test.from_lines([], [], [[line]]).calls[0] for line in probes]
        examination = Examination(test, PLACES, calls)
        _ = examination.specification
        minimal = fewest_preemptions(examination, lambda _violation: True, 3)
        name = re.search(r"class (\w+)", source)[1]
        return explain_violation(examination, minimal, GuardTable(), name, lambda _violation: True)

    with world.entered():
        yield find
    ENGINE.modules = before


@pytest.fixture(params=CASES)
def case(request, found):
    source, prefix, first, second, probes = CASES[request.param]
    return request.param, found(source, prefix, first, second, probes=probes)


def test_a_finding_at_three_widths(case, golden):
    name, finding = case
    for width in WIDTHS:
        text = as_text(finding_lines(finding, Layout(width)))
        assert max(map(len, text.splitlines())) <= width
        assert len(text.splitlines()) <= SCREEN
        text = re.sub(r"\bw\d{3}\b", "shop", text)
        file = f"finding/{name}-{width}.txt"
        if name in IN_LIBRARY and sys.version_info >= (3, 13):  # which has other steps there
            told = (GOLDEN / file).read_text(encoding="utf-8")
            assert _around(text) == _around(told)
        else:
            golden(file, text)


def _around(text):
    """What is said before the steps and after them, without the lines of the standard library."""
    head, steps, rest = re.sub(r"(queue\.py):\d+", r"\1", text.strip()).partition("\n  What happens")
    assert steps
    return head, rest.rpartition("\n\n")[2]


def said(finding):
    return as_text(finding_lines(finding, Layout(unwrapped=True)))


def test_the_value_that_is_wrong_is_shown(found):
    text = said(found(*CASES["race"][:4], probes=["x.total"]))
    assert "write Cart.total: Decimal('5')" in text
    assert "write Cart.total: Decimal('7')" in text


def test_a_global_has_its_name_and_value(found):
    text = said(found(*CASES["global"][:4]))
    assert re.search(r"read w\d+\._tickets: 0", text)
    assert re.search(r"write w\d+\._tickets: 1", text)


def test_a_deadlock_is_told_as_two_orders_of_locks(found):
    text = said(found(*CASES["deadlock"][:4]))
    holds = r"thread 1 holds Bank._giro \(since .*:11\) and waits for Bank._saving at .*:19 `with other:`"
    assert re.search(holds, text)
    assert text.count("which thread 2 holds") == text.count("which thread 1 holds") == 1
    assert re.search(r"called: Bank.save \(.*:12\) > Bank._book \(.*:19\)", text)
    assert "The locks are taken in two orders: thread 1 takes Bank._giro, then Bank._saving; thread 2" in text
    assert "Guard" not in text
    assert "Race" not in text


def test_an_exception_has_its_message_and_its_line(found):
    text = said(found(*CASES["exception"][:4]))
    assert re.search(r"RuntimeError: dictionary changed size during iteration, raised at .*:19, in `Cart.count", text)


def test_a_lost_wake_up_says_who_notified_too_early(found):
    text = said(found(*CASES["lost-wake-up"][:4]))
    assert "waits for a notification of Mailbox._filled at" in text
    assert re.search(r"Lost wake-up: thread 2 notifies at .*:13, before thread 1 waits", text)


GATE = """
    import threading

    class Gate:
        def __init__(self):
            self.opened = threading.Event()
            self.done = self.asked = False

        def open(self):
            self.done = True
            if self.asked:
                self.opened.set()

        def enter(self):
            if not self.done:
                self.asked = True
                self.opened.wait()
"""


def test_who_should_have_set_an_event(found):
    text = said(found(GATE, ["x = Gate()"], ["x.open()"], ["x.enter()"]))
    assert re.search(r"Nobody has called set\(\) on Gate.opened meanwhile; it is called at line 12, in `open`", text)


STOLEN = """
    import threading

    class Slots:
        def __init__(self):
            self._changed = threading.Condition()
            self.free = 0
            self.done = 0

        def take(self):
            with self._changed:
                while self.free < 1:
                    self._changed.wait()
                self.free -= 1

        def finish(self):
            with self._changed:
                while self.done < 1:
                    self._changed.wait()

        def give(self):
            with self._changed:
                self.free += 1
                self.done += 1
                self._changed.notify()
"""


def test_a_stolen_wake_up_says_who_notified(found):
    text = said(found(STOLEN, ["x = Slots()"], ["x.take()"], ["x.finish()"], ["x.give()"]))
    assert re.search(r"Stolen wake-up: thread 3 notifies at .*:25 while thread \d waits, but that wakes another", text)


DESK = """
    import threading

    class Desk:
        def __init__(self):
            self._taken = {}
            self._changed = threading.Condition()

        def borrow(self, name):
            with self._changed:
                while name in self._taken:
                    self._changed.wait()
                self._taken[name] = True

        def give_back(self, name):
            with self._changed:
                del self._taken[name]
                self._changed.notify()
"""


def test_who_is_woken_for_something_else_waits_again(found):
    text = said(found(
        DESK, ["x = Desk()", "x.borrow('a')", "x.borrow('b')"], ["x.borrow('a')"], ["x.borrow('b')"],
        ["x.give_back('b')"],
    ))  # fmt: skip
    assert "`x.borrow('a')` and `x.borrow('b')` can wait for ever" in " ".join(text.split())
    assert "Stolen wake-up" in text
    assert "it waits again" in text
    assert "Lost wake-up" not in text


def test_a_guard_needs_a_majority(found):
    alone = "            self.names[name] = 1"
    source = CART.replace(alone, f"            with self._lock:\n    {alone}")
    finding = found(source, *CASES["exception"][1:4])
    assert finding.guard is None


def test_attributes_are_compared_by_name_where_some_states_have_fewer():
    """An attribute that holds objects in some states is read in the others only: nothing may move up beside it."""
    from plait.judge.oracle.safety import _aligned, _odd_answer  # noqa: PLC0415

    mine = (("attribute", "x.lines", ()), ("attribute", "x.total", 1), ("returned", "a"))
    added = (("attribute", "x.total", 1), ("returned", "a"))
    cleared = (("attribute", "x.lines", ()), ("attribute", "x.total", 0), ("returned", "a"))
    theirs = [_aligned(mine, each) for each in (added, cleared)]
    assert theirs[0] == [None, *added]
    beside, position, usual = _odd_answer(mine, theirs, [0, 1, 2])
    assert (beside, position, usual) == (0, 1, {("attribute", "x.total", 0)})


CLOSED = """
    import threading

    class Feed:
        def __init__(self):
            self._gate = threading.Event()
            self._asked = 0
            self._worker = threading.Thread(target=self._gate.wait)
            self._worker.start()

        def close(self):
            asked = self._asked
            self._asked = asked + 1
            if self._asked == 2:
                self._gate.set()
            self._worker.join()
"""


def test_calls_that_wait_for_a_thread_of_the_class_do_not_wait_for_each_other(found):
    finding = found(CLOSED, ["x = Feed()"], ["x.close()"], ["x.close()"])
    assert finding.kind == "deadlock"
    assert finding.summary == "Feed: with two calls of `close` at the same time, `x.close()` can wait for ever"
