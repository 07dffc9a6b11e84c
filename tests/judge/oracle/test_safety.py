"""The verdict on executions: what counts as a violation, and what does not."""

import pytest

from plait.errors import STOPPED
from plait.judge.oracle import safety
from plait.judge.oracle.examine import examine
from plait.judge.oracle.explain import record_schedule
from plait.judge.oracle.rules import Rules
from plait.judge.oracle.safety import ITSELF, KEPT, TWO_OBJECTS, Violation, _odd_answer
from plait.judge.oracle.specification import ENDLESS, PROBE_S, Observed, probe
from plait.observe.recording import as_step

COUNTER = """
    import threading

    class Counter:
        def __init__(self):
            self.value = 0
            self._hidden = 0
            self._lock = threading.Lock()

        def inc(self):
            self.value = self.value + 1

        def locked(self):
            with self._lock:
                self.value = self.value + 1
                return self.value

        def hide(self):
            self._hidden = self._hidden + 1

        def me(self):
            self._hidden = self._hidden + 1
            return self

        def get(self):
            return self.value
"""


def test_a_lost_update_shows_in_an_attribute(judged):
    found = judged(COUNTER, ["x = Counter()"], ["x.inc()"], ["x.inc()"])
    assert found.violation.kind == "wrong-result"
    assert found.violation.probe == ("`x.value`", ("attribute", "x.value", 1), (("attribute", "x.value", 2),))


def test_a_lost_update_that_nobody_can_see_is_none(judged):
    found = judged(COUNTER, ["x = Counter()"], ["x.hide()"], ["x.hide()"], probes=["x.get()"])
    assert found.conflicts
    assert found.exhausted
    assert found.violation is None


def test_the_receiver_as_a_result_is_itself_whatever_its_state(judged):
    found = judged(COUNTER, ["x = Counter()"], ["x.me()"], ["x.me()"])
    assert found.conflicts
    assert found.exhausted
    assert found.violation is None


def test_sound_calls_have_every_schedule_seen(judged):
    found = judged(COUNTER, ["x = Counter()"], ["x.locked()"], ["x.locked()"])
    assert found.exhausted
    assert found.violation is None


def test_results_must_fit_one_order(judged):
    source = """
        class Tickets:
            def __init__(self):
                self._left = 1

            def take(self):
                if self._left:
                    self._left -= 1
                    return True
                return False
    """
    found = judged(source, ["x = Tickets()"], ["x.take()"], ["x.take()"])
    assert found.violation.kind == "wrong-result"
    assert found.violation.seen.results == (("returned", True), ("returned", True))


def test_real_time_order_is_respected(judged):
    """Stale reads: a call that began after another one's end must see what that did."""
    source = """
        class Cached:
            def __init__(self):
                self._value = 0
                self._copy = 0

            def put(self, value):
                self._value = value

            def sync(self):
                seen = self._value
                self._copy = seen

            def get(self):
                return self._copy
    """
    stale = judged(source, ["x = Cached()"], ["x.put(1)", "x.sync()", "x.get()"], ["x.sync()"])
    assert stale.violation is not None
    assert stale.violation.seen.results[2] == ("returned", 0)


def test_an_exception_that_no_order_raises(judged):
    source = """
        class Bag:
            def __init__(self):
                self._items = {'a': 1}

            def take(self, key):
                if key in self._items:
                    return self._items.pop(key)
                return None
    """
    found = judged(source, ["x = Bag()"], ["x.take('a')"], ["x.take('a')"])
    assert (found.violation.kind, found.violation.exception) == ("exception", "KeyError")


def test_an_exception_that_some_order_raises_is_an_answer(judged):
    source = """
        import queue

        class Inbox:
            def __init__(self):
                self._queue = queue.Queue()
                self._queue.put(1)

            def take(self):
                return self._queue.get_nowait()
    """
    found = judged(source, ["x = Inbox()"], ["x.take()"], ["x.take()"])
    assert found.conflicts
    assert found.violation is None


def test_two_objects_where_one_is_expected(judged):
    source = """
        class Part:
            pass

        class Once:
            def __init__(self):
                self._part = None

            def part(self):
                if self._part is None:
                    self._part = Part()
                return self._part
    """
    found = judged(source, ["x = Once()"], ["x.part()"], ["x.part()"])
    assert found.violation.detail == TWO_OBJECTS


@pytest.mark.parametrize(
    "kept",
    ["contextvars.ContextVar('depth', default=0)", "Local()"],
)
def test_what_belongs_to_the_thread_of_the_set_up_ends_with_the_execution(judged, kept):
    source = f"""
        import contextvars
        import threading

        class Local(threading.local):
            value = 0

            def get(self):
                return self.value

            def set(self, value):
                self.value = value

        depth = {kept}

        class Scope:
            def __init__(self):
                self._deepest = 0

            def enter(self):
                depth.set(depth.get() + 1)
                self._deepest = max(self._deepest, depth.get())
                return self._deepest
    """
    examination = judged.prepared(source, ["x = Scope()", "x.enter()"], ["x.enter()"], ["x.enter()"])
    assert examination.specification.undetermined == set()
    assert {each.results for each in examination.specification.observed} == {(("returned", 1), ("returned", 1))}


LISTS = """
    import threading

    class Lines:
        def __init__(self, lines=None):
            self._lines = lines
            self._lock = threading.Lock()

        def lines(self):
            if self._lines is None:
                self._lines = []
            return self._lines

        def locked(self):
            with self._lock:
                return self.lines()

        def copy(self):
            return list(self.lines())

        def drop(self):
            with self._lock:
                self._lines = None
"""


def test_two_lists_where_one_is_expected(judged):
    found = judged(LISTS, ["x = Lines()"], ["x.lines()"], ["x.lines()"])
    assert found.violation.detail == TWO_OBJECTS
    assert judged(LISTS, ["x = Lines()"], ["x.locked()"], ["x.locked()"]).violation is None
    assert judged(LISTS, ["x = Lines([])"], ["x.copy()"], ["x.copy()"]).violation is None  # always two
    assert judged(LISTS, ["x = Lines()"], ["x.locked()", "x.drop()"], ["x.locked()"]).violation is None


def test_a_lock_order(judged):
    source = """
        import threading

        class Account:
            def __init__(self):
                self._lock = threading.Lock()

            def move(self, other):
                with self._lock, other._lock:
                    pass
    """
    found = judged(source, ["x = Account()", "y = Account()"], ["x.move(y)"], ["y.move(x)"])
    assert found.violation.kind == "deadlock"
    assert found.violation.calls == (0, 1)


def test_a_thread_that_the_set_up_has_started_is_none_of_the_tests_threads(judged):
    """It waits for ever in every order: that hides no deadlock of the calls, and its steps are not theirs."""
    source = """
        import queue
        import threading

        class Shop:
            def __init__(self):
                self._orders = queue.Queue()
                self._items = queue.Queue()
                self._items.put(1)
                threading.Thread(target=self._orders.get, daemon=True).start()

            def drain(self):
                while not self._items.empty():
                    self._items.get()
    """
    examination = judged.prepared(source, ["x = Shop()"], ["x.drain()"], ["x.drain()"])
    found = examine(examination)
    assert found.violation.kind == "deadlock"
    assert len(found.violation.calls) == 1
    moments, _pairs, waiting = record_schedule(examination, found.schedule)
    assert {as_step(each).thread for each in moments if each.site.function.endswith("drain")} == {1, 2}
    assert sorted(line.partition(" waits")[0] for line in waiting)[-1] == "thread 3"


def test_what_a_thread_of_the_class_has_yet_to_do_is_not_missed(judged):
    source = """
        import threading

        class Shop:
            def __init__(self):
                self.opened = self.lit = 0
                self._bell = threading.Lock()
                threading.Thread(target=self._work, daemon=True).start()

            def ring(self):
                with self._bell:
                    pass

            def _work(self):
                self.opened = 1
                self.ring()
                self.lit = 1
    """
    assert judged(source, ["x = Shop()"], ["x.ring()"], ["x.ring()"]).violation is None


def test_a_call_in_its_own_way(judged):
    source = """
        import threading

        class Own:
            def __init__(self):
                self._lock = threading.Lock()

            def outer(self):
                with self._lock:
                    self.inner()

            def inner(self):
                with self._lock:
                    pass
    """
    found = judged(source, ["x = Own()"], ["x.outer()"], ["x.inner()"])
    assert found.violation.detail == ITSELF


KEEPS = """
    import threading

    class Table:
        def __init__(self, primitive):
            self._lock = getattr(threading, primitive)()
            self._items = {}

        def take(self, key):
            self._lock.acquire()
            item = self._items.pop(key)
            self._lock.release()
            return item

        def put(self, key):
            with self._lock:
                self._items[key] = 1

        def hold(self):
            self._lock.acquire()

        def refuse(self):
            with self._lock:
                raise ValueError
"""


@pytest.mark.parametrize("primitive", ["Lock", "RLock", "Semaphore"])
def test_what_a_failed_call_has_kept(judged, primitive):
    made = [f"x = Table({primitive!r})"]
    found = judged(KEEPS, made, ["x.take(1)"], ["x.put(2)"])
    assert (found.violation.kind, found.violation.detail) == ("deadlock", KEPT)
    assert found.violation.calls == (0, 1)
    assert judged(KEEPS, [*made, "x.put(1)"], ["x.take(1)"], ["x.put(2)"]).violation is None
    assert judged(KEEPS, made, ["x.hold()"], ["x.put(2)"]).violation is None  # that is what it is for
    assert judged(KEEPS, made, ["x.hold()", "x.refuse()"], ["x.put(2)"]).violation is None
    assert judged(KEEPS, made, ["x.refuse()"], ["x.put(2)"]).violation is None


WAITING = """
    import threading

    class Gate:
        def __init__(self):
            self._condition = threading.Condition()
            self._waiting = []
            self._open = True

        def enter(self):
            with self._condition:
                self._waiting.append(1)
            with self._condition:
                while not self._open:
                    self._condition.wait()
                self._waiting.pop()

        def busy(self):
            with self._condition:
                return bool(self._waiting)
"""


@pytest.mark.parametrize("waiting", [(), ("enter",)])
def test_calls_that_write_nothing_may_see_a_call_that_waits(judged, waiting):
    found = judged(WAITING, ["x = Gate()"], ["x.enter()"], ["x.busy()"], rules=Rules(waiting=waiting))
    assert (found.violation is None) == bool(waiting)


def test_what_differs_by_itself_is_left_out(judged):
    source = """
        import random

        class Dice:
            def __init__(self):
                self._rolls = 0

            def roll(self):
                self._rolls += 1
                return random.random()
    """
    examination = judged.prepared(source, ["x = Dice()"], ["x.roll()"], ["x.roll()"])
    assert examination.specification.undetermined == {0, 1}


def test_what_is_shown_to_people_is_not_compared(judged):
    source = """
        class Shown:
            def __init__(self):
                self._value = 0

            def step(self):
                self._value += 1
                self._value += 1

            def __repr__(self):
                return f'<{self._value}>'

        class Text(Shown):
            def __str__(self):
                return f'{self._value}'
    """
    assert judged(source, ["x = Shown()"], ["x.step()"], ["repr(x)"]).violation is None
    assert judged(source, ["x = Shown()"], ["x.step()"], ["str(x)"]).violation is None
    assert judged(source, ["x = Text()"], ["x.step()"], ["str(x)"]).violation is not None


def test_calls_that_have_no_end_in_any_order_are_compared_with_nothing(judged):
    source = """
        class Loop:
            def __init__(self):
                self.turns = 0

            def spin(self):
                while True:
                    self.turns += 1
    """
    found = judged(source, ["x = Loop()"], ["x.spin()"], ["x.spin()"])
    assert found.violation is None
    assert found.executions == 1


def test_an_invariant(judged):
    source = """
        class Pair:
            def __init__(self):
                self._left = self._right = 0

            def both(self, value):
                self._left = value
                self._right = value
    """
    rules = Rules(invariant="x._left == x._right")
    found = judged(source, ["x = Pair()"], ["x.both(1)"], ["x.both(2)"], rules=rules)
    assert "invariant" in found.violation.detail


def test_a_state_is_wrong_only_if_some_order_gives_the_same_results(judged):
    """Results that no order gives a second time leave nothing to compare with, and nothing to show."""
    examination = judged.prepared(COUNTER, ["x = Counter()"], ["x.hide()"], ["x.hide()"])
    seen = Observed("finished", (("returned", None), ("returned", None)), ("state",), ((0, 1), (1, 2)))
    _ = examination.specification
    for mine, theirs in (((), {}), ((("returned", 1),), {}), ((), {seen.results: {(("returned", 1),)}})):
        examination._known.probed = theirs
        assert examination.confirm(Violation("state", None, (), seen, "", answers=mine)) is None


@pytest.mark.parametrize(("mine", "theirs", "told"), [
    ((300, 1), [(300, 2), (300, 3)], (None, 1, {2, 3})),
    ((300, 1, 2), [(300, 1, 1), (300, 2, 2)], (1, 2, {1})),  # together they are odd; what never changes is not
    ((300, 1, 1, 1), [(300, 1, 1, 0), (300, 1, 0, 1), (300, 0, 1, 1)], (None, 3, {0})),
    ((1, 2), [(1,)], (None, 1, set())),  # what came behind a call that did not end was not asked
])  # fmt: skip
def test_the_answer_that_is_blamed_is_one_that_differs(mine, theirs, told):
    assert _odd_answer(mine, theirs, range(len(mine))) == told


NUMBERED = """
    import itertools
    import threading

    numbers = itertools.count()

    class Node:
        def __init__(self):
            self.number = next(numbers)

    class Box:
        def __init__(self):
            self._lock = threading.Lock()
            self._node = None
            self._log = []

        def put(self, node):
            with self._lock:
                self._node = node

        def number(self):
            with self._lock:
                return self._node and self._node.number

        def split(self, node):
            self._log.append(node.number)
            self._node = node
"""


def test_an_argument_that_is_made_in_the_thread_is_a_call_of_its_own(judged):
    found = judged(
        NUMBERED, ["x = Box()"], ["x.put(Node())"], ["x.put(node=Node())"], probes=["x.number()"]
    )  # fmt: skip
    assert found.conflicts
    assert found.exhausted
    assert found.violation is None


def test_what_takes_such_an_argument_is_judged_as_before(judged):
    found = judged(NUMBERED, ["x = Box()"], ["x.split(Node())"], ["x.split(Node())"], probes=["x.number()", "x._log"])
    assert found.violation.kind == "wrong-result"


def test_a_busy_machine_hides_no_violation(judged, monkeypatch):
    """A look behind an order gets all the time, until one has used it up: a slow one is no endless one."""
    short = []

    def slow(bed, probes, seconds=PROBE_S):
        if seconds < PROBE_S:
            short.append(seconds)
            return (ENDLESS, *[("unasked",)] * (len(probes) - 1))
        return probe(bed, probes, seconds)

    monkeypatch.setattr(safety, "probe", slow)
    found = judged(COUNTER, ["x = Counter()"], ["x.hide()"], ["x.hide()"], probes=["x._hidden"])
    assert found.violation.kind == "wrong-result"
    assert short == []


def test_what_has_proved_to_be_endless_gets_little_time(judged, monkeypatch):
    given = []

    def noted(bed, probes, seconds=PROBE_S):
        given.append(seconds)
        return probe(bed, probes, seconds)

    monkeypatch.setattr(safety, "probe", noted)
    judged(COUNTER, ["x = Counter()"], ["x.hide()"], ["x.hide()"], probes=["any(each > 0 for each in iter(int, 1))"])
    assert given.count(PROBE_S) <= 3  # of the execution, and of the first order
    assert any(each < PROBE_S for each in given)


CLIENT = """
    class Client:
        def __init__(self):
            self.line = 'open'

        def reset(self):
            self.line = None
            self.line = 'open'

        def send(self):
            line = self.line
            if line is None:
                raise PermissionError(1, {message!r})
            return line
"""


@pytest.mark.parametrize(("message", "kind"), [
    (f"{STOPPED}socket.connect('a'): code under test may not do that", None), ("not yours", "exception"),
])  # fmt: skip
def test_what_plait_has_forbidden_is_no_violation(judged, message, kind):
    found = judged(CLIENT.format(message=message), ["x = Client()"], ["x.reset()"], ["x.send()"])
    assert (found.violation and found.violation.kind) == kind


def test_where_an_object_lies_is_no_result(judged):
    code = """
        class Names:
            def __init__(self):
                self.known = []

            def name(self):
                self.known.append(object())
                return id(self.known[-1])
    """
    found = judged(code, ["x = Names()"], ["x.name()"], ["x.name()"])
    assert found.violation is None
