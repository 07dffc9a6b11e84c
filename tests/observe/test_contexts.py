"""Concurrency contexts: names of locks that survive a change, and what had to come first."""

import pytest

import lab as lab_module

LOCKS = """
import threading

GLOBAL = threading.Lock()

class Inner:
    def __init__(self):
        self.mutex = threading.RLock()

class Locked:
    shared = threading.Lock()

    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()
        self.pool = [Inner(), Inner()]
        self.gate = threading.Semaphore(1)

    def own(self):
        with self.lock:
            self.value = self.value + 1

    def nested(self):
        with self.lock, self.pool[1].mutex:
            self.value = self.value + 1

    def by_class(self):
        with Locked.shared:
            self.value = self.value + 1

    def by_module(self):
        with GLOBAL:
            self.value = self.value + 1

    def by_semaphore(self):
        with self.gate:
            self.value = self.value + 1

    def temporary(self):
        with threading.Lock():
            self.value = self.value + 1

    def released(self):
        self.lock.acquire()
        self.lock.release()
        self.value = self.value + 1

    def none(self):
        self.value = self.value + 1
"""


def contexts(lab, call, source=LOCKS):
    observation = lab(lab_module.observed, source, ["x = Locked()"], [[call], ["x.none()"]])
    line = next(number for number, text in enumerate(source.splitlines(), 1) if "def none" in text) + 1
    return {
        event.context
        for trace in observation.traces
        for event in trace.events
        if event.place != ("source", line) and event.name == "Locked.value"
    }


@pytest.mark.parametrize(
    ("call", "locks"),
    [
        ("x.own()", ("x.lock",)),
        ("x.nested()", ("x.lock", "x.pool[1].mutex")),
        ("x.by_class()", ("Locked.shared",)),
        ("x.by_semaphore()", ("x.gate",)),
        ("x.temporary()", ("Lock 1",)),
        ("x.released()", ()),
    ],
)
def test_locks_are_named_by_where_they_are_kept(lab, call, locks):
    assert {context.locks for context in contexts(lab, call)} == {locks}


def test_a_lock_of_the_module_is_named_by_the_module(lab):
    ((name,),) = {context.locks for context in contexts(lab, "x.by_module()")}
    assert name.endswith(".GLOBAL")


def test_the_name_does_not_depend_on_the_order_of_attributes(lab):
    swapped = LOCKS.replace("        self.lock = threading.Lock()\n", "").replace(
        "        self.gate =", "        self.lock = threading.Lock()\n        self.gate ="
    )
    assert contexts(lab, "x.nested()", swapped) == contexts(lab, "x.nested()")


def test_what_a_notification_orders_is_part_of_the_context(lab):
    source = """
import threading

class Mailbox:
    def __init__(self):
        self.event = threading.Event()
        self.value = 0

    def put(self):
        self.value = 1
        self.event.set()

    def get(self):
        self.event.wait()
        return self.value
"""
    observation = lab(lab_module.observed, source, ["x = Mailbox()"], [["x.get()"], ["x.put()"]])
    reads = {event.context.before for trace in observation.traces for event in trace.events if not event.write}
    assert ("x.event",) in reads  # where get came first and had to wait


def test_only_accesses_that_conflict_are_in_a_trace(lab):
    source = """
class Quiet:
    def __init__(self):
        self.a, self.b, self.read_only = 0, 0, 7

    def set_a(self):
        self.a = self.read_only

    def set_b(self):
        self.b = self.read_only

    def get_a(self):
        return self.a, self.read_only
"""
    apart = lab(lab_module.observed, source, ["x = Quiet()"], [["x.set_a()"], ["x.set_b()"]])
    assert [trace.events for trace in apart.traces] == [(), ()]
    together = lab(lab_module.observed, source, ["x = Quiet()"], [["x.set_a()"], ["x.get_a()"]])
    assert {event.name for trace in together.traces for event in trace.events} == {"Quiet.a"}
    assert {event.value for trace in together.traces for event in trace.events} == {"0", "7"}


def test_keys_of_a_mapping_are_places_of_their_own(lab):
    source = """
class Keyed:
    def __init__(self):
        self.content = {"a": 1, "b": 2}

    def set(self, key):
        self.content[key] = 3
"""
    apart = lab(lab_module.observed, source, ["x = Keyed()"], [["x.set('a')"], ["x.set('b')"]])
    assert not any(trace.events for trace in apart.traces)
    together = lab(lab_module.observed, source, ["x = Keyed()"], [["x.set('a')"], ["x.set('a')"]])
    assert all(trace.events for trace in together.traces)
