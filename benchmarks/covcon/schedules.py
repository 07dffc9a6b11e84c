"""The published failures of CovCon's classes, scheduled by hand on real threads.

Each scenario builds its objects, says where the first of two actions is to be interrupted, and lets `Race` run them. It
returns what both actions and an optional last one gave, so that the outcome can be compared with the two sequential
orders.
"""

from __future__ import annotations

import threading


def describe(value):
    """Comparable across two copies of a module: objects by the name of their class."""
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    return repr(value) if type(value).__module__ == "builtins" else type(value).__name__


class DeadlockError(Exception):
    """Both threads wait for a lock of the other."""


def outcome(action):
    try:
        return describe(action())
    except Exception as error:
        return type(error).__name__


class Race:
    """Two actions. ``gap``: the second runs where the first has been interrupted; otherwise one after the other.

    The second action gets ``patience`` seconds in the gap: a sound class makes it wait for the lock, so the first one
    goes on without it.
    """

    def __init__(self, monkeypatch, order, patience):
        self.monkeypatch = monkeypatch
        self.order = order
        self.patience = patience
        self.thread = None
        self.main = threading.current_thread()
        self.armed = False
        self.reached = threading.Event()  # the second action has ended, or cannot go on
        self.waiting = 0
        self.counting = threading.Lock()

    def gap(self):
        """The first action is at the place of the interruption."""
        if self.armed and threading.current_thread() is self.main:
            self.armed = False
            self.thread.start()
            self.reached.wait(self.patience)

    def before_call(self, owner, name):
        original = getattr(owner, name)

        def call(*args):
            self.gap()
            return original(*args)

        self.monkeypatch.setattr(owner, name, call)

    def after_access(self, owner, name, kind, nth):
        """The gap is right behind the n-th read (or write) of an attribute."""
        race, seen = self, {"read": 0, "write": 0}

        def count(found):
            if race.armed and threading.current_thread() is race.main:
                seen[found] += 1
                if found == kind and seen[found] == nth:
                    race.gap()

        def read(self):
            value = self.__dict__[name]
            count("read")
            return value

        def write(self, value):
            self.__dict__[name] = value
            count("write")

        self.monkeypatch.setattr(owner, name, property(read, write), raising=False)

    def within_walk(self, entries):
        """A dict with the gap behind the first step of a walk through it."""
        race = self

        class Walked(dict):
            def __iter__(self):
                for key in super().__iter__():
                    race.gap()
                    yield key

            def items(self):
                for pair in super().items():
                    race.gap()
                    yield pair

        return Walked(entries)

    def make_lock(self):
        """A re-entrant lock that knows when both threads wait; the second to wait gives up, so that a deadlock ends."""
        race, lock = self, threading.RLock()

        class Watched:
            def __enter__(self):
                if lock.acquire(blocking=False):
                    return
                with race.counting:
                    race.waiting += 1
                    if race.waiting == 2:
                        raise DeadlockError
                race.reached.set()
                lock.acquire()
                with race.counting:
                    race.waiting -= 1

            def __exit__(self, *exc):
                lock.release()

        return Watched()

    def run(self, first, second, last=lambda: None):
        found = {}
        actions = {"first": first, "second": second}

        def run_one(name):
            found[name] = outcome(actions[name])

        if self.order != "gap":
            for name in self.order:
                run_one(name)
        else:
            self.thread = threading.Thread(target=lambda: (run_one("second"), self.reached.set()))
            self.armed = True
            run_one("first")
            assert not self.armed, "the gap was not reached"
            self.reached.set()
            self.thread.join(20)
        return [found["first"], found["second"], outcome(last)]


def buffered_input_stream(m, race):
    x = m.BufferedInputStream(m.ByteSource(b"abc"))
    race.after_access(m.BufferedInputStream, "in_", "read", 1)
    return race.run(x.read, x.close)


def logger(m, race):
    x = m.Logger("a")
    race.after_access(m.Logger, "filter", "read", 1)
    x.set_filter(m.Filter())
    return race.run(lambda: x.info("m"), lambda: x.set_filter(None))


def synchronized_map(m, race):
    race.monkeypatch.setattr(m, "RLock", race.make_lock)
    race.after_access(m.Hashtable, "computing", "write", 1)
    x, y = m.SynchronizedMap(), m.SynchronizedMap()
    x.put("k", y)
    y.put("k", x)
    return race.run(x.hash_code, y.hash_code)


def concurrent_hash_map(m, race):
    x = m.ConcurrentHashMap()
    x.put("a", x)
    race.before_call(m.ConcurrentHashMap, "put")
    return race.run(lambda: x.put_all(x), x.clear, x.hash_code)


def string_buffer(m, race):
    x = m.StringBuffer("abc")
    race.before_call(m.StringBuffer, "insert_range")
    return race.run(lambda: x.insert_sequence(1, x), lambda: x.delete_char_at(0), x.to_string)


def time_series(m, race):
    race.after_access(m.TimeSeries, "size", "write", 1)
    x = m.TimeSeries()
    x.add(1, 1.0)
    return race.run(lambda: x.add(2, 2.0), lambda: x.add(3, 3.0), x.get_time_periods)


def xy_series(m, race):
    x = m.XYSeries()
    x.add_change_listener(m.ChangeListener("a"))
    x.add_change_listener(m.ChangeListener("b"))
    race.before_call(m.ChangeListener, "series_changed")
    return race.run(x.fire_series_changed, lambda: x.add_change_listener(m.ChangeListener("c")))


def number_axis(m, race):
    race.after_access(m.ValueAxis, "range", "read", 2)
    x = m.NumberAxis()
    return race.run(lambda: x.center_range(-1.0), lambda: x.center_range(-1.0), x.get_lower_bound)


def period_axis(m, race):
    race.after_access(m.PeriodAxis, "first", "read", 1)
    x = m.PeriodAxis()
    return race.run(lambda: x.get_range().upper, lambda: x.set_upper_bound(1.0))


def xy_plot(m, race):
    x = m.XYPlot()
    x.dataset_to_domain_axis_map = race.within_walk({0: 0})
    return race.run(lambda: x.clone().dataset_to_domain_axis_map.get(0), lambda: x.map_dataset_to_domain_axis(1, 3))


def day(m, race):
    race.after_access(m.DigitList, "count", "read", 4)
    return race.run(lambda: m.Day.parse_day("1"), lambda: m.Day.parse_day("J"))


def pool(owner):
    def show(m, race):
        race.monkeypatch.setattr(m.InstanceRegistry, "instance_map", race.within_walk({}))
        x = getattr(m, owner)()
        x.set_connection_pool_data_source(None)
        return race.run(lambda: x.set_data_source_name("x"), x.close, x.get_data_source_name)

    return show


def xstream(m, race):
    """Two interruptions: the second action stops as well, between the writer's reset and its new output."""
    x, ended = m.XStream(), threading.Event()
    x.to_xml("warm")
    set_output = m.StreamWriter.set_output

    def stop_second(writer, output):
        if threading.current_thread() is not race.main:
            race.reached.set()
            ended.wait(20)
        set_output(writer, output)

    def first():
        try:
            return x.to_xml("aaa")
        finally:
            ended.set()

    race.monkeypatch.setattr(m.StreamWriter, "set_output", stop_second)
    race.before_call(m.StreamWriter, "start_document")
    return race.run(first, lambda: x.create_object_output_stream(m.Output()))


def vector_117(m, race):
    x = m.Vector()
    for element in "abc":
        x.add_element(element)
    race.after_access(m.Vector, "element_count", "read", 1)
    return race.run(lambda: x.last_index_of("z"), lambda: (x.remove_all_elements(), x.trim_to_size()))


def vector_142(m, race):
    x, y = m.Vector(), m.Vector()
    for element in "ab":
        x.add(element)
        y.add(element)
    race.before_call(m.Vector, "contains")
    return race.run(lambda: x.contains_all(y), lambda: y.add_element("c"))


def int_range(m, race):
    race.after_access(m.IntRange, "_hash_code", "write", 1)
    x = m.IntRange(3)
    return race.run(x.hash_code, x.hash_code, x.hash_code)


def as_map(m, race):
    race.after_access(m.AsMap, "_entry_set", "read", 1)
    x = m.AsMap()
    return race.run(x.size, x.is_empty)


SCENARIOS = {
    **{show.__name__: show for show in (
        buffered_input_stream, logger, synchronized_map, concurrent_hash_map, string_buffer, time_series, xy_series,
        number_axis, period_axis, xy_plot, day, xstream, vector_117, vector_142, int_range, as_map,
    )},
    "per_user_pool_data_source": pool("PerUserPoolDataSource"),
    "shared_pool_data_source": pool("SharedPoolDataSource"),
}  # fmt: skip
