"""Interleaving instances of small classes, worked out by hand."""

import pickle
from dataclasses import replace

from plait.explore.active.testing import Leading
from plait.explore.dfs import Dfs
from plait.model.test import Call, Test
from plait.run.engine import ENGINE

BOX = """
    class Box:
        def __init__(self):
            self.x = 0

        def put(self):
            self.x = 1

        def put_twice(self):
            self.x = 1
            self.x = 2

        def get(self):
            return self.x

        def helped(self):
            return self._help()

        def _help(self):
            return self.x
"""
PUT = "subject.Box.put `self.x` (write)"
GET = "subject.Box.get `self.x` (read)"


def a_test(cls, *suffixes, prefix=()):
    return Test.from_lines([f"from subject import {cls}"], [f"x = {cls}()", *prefix], suffixes)


def all_of(run):
    """What happens in any execution at all."""
    search, happened = Dfs(), set()
    while (prefix := search.next_prefix()) is not None:
        search.next_prefix = lambda prefix=prefix: prefix
        happened |= run(search).happened
        del search.next_prefix
    return happened


def test_who_is_first_decides_what_happens_and_both_orders_are_possible(load, run_of):
    load(BOX)
    run = run_of(a_test("Box", ["x.put()"], ["x.get()"]))
    one, other = run(Leading(1)), run(Leading(2))
    assert one.happened == {f"Box.x: {PUT} -> {GET}"}
    assert other.happened == {f"Box.x: {GET} -> {PUT}"}
    assert one.possible.keys() == other.possible.keys() == one.happened | other.happened


def test_two_reads_do_not_conflict(load, run_of):
    load(BOX)
    seen = run_of(a_test("Box", ["x.get()"], ["x.get()"]))(Leading(1))
    assert not seen.happened
    assert not seen.possible


def test_only_the_last_write_before_a_read_is_read(load, run_of):
    load(BOX)
    first, second = (f"subject.Box.put_twice `self.x`{count} (write)" for count in ("", " #2"))
    run = run_of(a_test("Box", ["x.put_twice()"], ["x.get()"]))
    seen = run(Leading(1))
    assert seen.happened == {f"Box.x: {second} -> {GET}"}
    assert f"Box.x: {first} -> {GET}" in seen.possible  # with the other thread between the two writes
    assert all_of(run) == {
        f"Box.x: {first} -> {GET}", f"Box.x: {second} -> {GET}",
        f"Box.x: {GET} -> {first}", f"Box.x: {GET} -> {second}",
    }  # fmt: skip


def test_a_read_does_not_come_between_two_writes_and_reads_live_until_the_next_write(load, run_of):
    load(BOX)
    seen = run_of(a_test("Box", ["x.put()", "x.get()"], ["x.put()"]))(Leading(1))
    assert seen.happened == {f"Box.x: {PUT} -> {PUT}", f"Box.x: {GET} -> {PUT}"}


def test_accesses_of_helpers_are_named_by_the_method_that_was_called(load, run_of):
    load(BOX)
    seen = run_of(a_test("Box", ["x.put()"], ["x.helped()"]))(Leading(1))
    assert seen.happened == {f"Box.x: {PUT} -> helped: subject.Box._help `self.x` (read)"}


def test_instances_are_the_same_in_other_tests_and_are_plain_text(load, run_of):
    load(BOX)
    here = run_of(a_test("Box", ["x.put()"], ["x.get()"]))(Leading(1)).happened
    longer = a_test("Box", ["x.get()", "x.get()"], ["x.get()", "x.put()"], prefix=["x.put()"])
    assert run_of(longer)(Leading(2)).happened == here
    assert pickle.loads(pickle.dumps(here)) == here


def test_close_means_that_the_second_thread_was_there_already(load, run_of):
    load(
        """
        class Cell:
            def __init__(self):
                self.x = 0
                self.y = 0

            def put(self):
                self.x = 1

            def both(self):
                self.y
                return self.x
        """
    )
    run = run_of(a_test("Cell", ["x.put()"], ["x.both()"]))
    assert not run(Leading(1)).close  # the other thread stood in front of `self.y` when `self.x` was written
    assert run(Dfs()).happened
    search = Dfs()
    search.next_prefix = lambda: [2, 1]  # past `self.y`, then the write
    seen = run(search)
    assert (
        seen.close
        == seen.happened
        == {"Cell.x: subject.Cell.put `self.x` (write) -> subject.Cell.both `self.x` (read)"}
    )


COUNTER = """
    from threading import Lock

    class Counter:
        def __init__(self):
            self._lock = Lock()
            self.n = 0

        def add(self):
            with self._lock:
                n = self.n
                self.n = n + 1

        def peek(self):
            return self.n
"""


def test_critical_sections_keep_accesses_apart(load, run_of):
    load(COUNTER)
    run = run_of(a_test("Counter", ["x.add()"], ["x.add()"]))
    read, write, lock = (
        f"subject.Counter.add `{text}` ({kind})"
        for text, kind in (("self.n", "read"), ("self.n", "write"), ("with self._lock:", "sync"))
    )
    expected = {
        f"Counter._lock: {lock} -> {lock}",
        f"Counter.n: {write} -> {read}",
        f"Counter.n: {write} -> {write}",  # nobody else writes between: the read in front of it does not count
    }
    for leader in (1, 2):
        seen = run(Leading(leader))
        assert seen.possible.keys() == expected  # no read -> write: its own thread writes first
        assert seen.happened == expected
    assert all_of(run) == expected


def test_an_unlocked_reader_can_come_anywhere(load, run_of):
    load(COUNTER)
    run = run_of(a_test("Counter", ["x.add()"], ["x.peek()"]))
    peek, write = "subject.Counter.peek `self.n` (read)", "subject.Counter.add `self.n` (write)"
    assert run(Leading(1)).possible.keys() == {f"Counter.n: {peek} -> {write}", f"Counter.n: {write} -> {peek}"}


def test_gates_are_in_front_of_critical_sections(load, run_of):
    load(COUNTER)
    possible = run_of(a_test("Counter", ["x.add()"], ["x.add()"]))(Leading(1)).possible
    data = [hint for name, hints in possible.items() if name.startswith("Counter.n") for hint in hints]
    assert data
    assert all(hint.locked and hint.first_gate.site != hint.first.site for hint in data)
    locks = [hint for name, hints in possible.items() if name.startswith("Counter._lock") for hint in hints]
    assert all(not hint.locked and hint.first_gate == hint.first for hint in locks)


def test_keys_of_a_container_conflict_with_each_other_only_if_they_are_the_same(load, run_of):
    load(
        """
        class Table:
            def __init__(self):
                self.d = {"a": 0, "b": 0}

            def put(self, key):
                self.d[key] = 1

            def get(self, key):
                return self.d[key]

            def size(self):
                return len(self.d)
        """
    )
    assert not run_of(a_test("Table", ["x.put('a')"], ["x.get('b')"]))(Leading(1)).possible
    same = run_of(a_test("Table", ["x.put('a')"], ["x.get('a')"]))(Leading(1))
    assert len(same.happened) == 1
    assert len(same.possible) == 2
    assert next(iter(same.happened)).startswith("Table.d: ")
    new = run_of(a_test("Table", ["x.put('c')"], ["x.size()"]))(Leading(1))
    assert len(new.happened) == 1


def test_nothing_comes_before_an_object_is_made(load, run_of):
    load(
        """
        class Node:
            def __init__(self, value):
                self.value = value

        class Slot:
            def __init__(self):
                self.node = None

            def put(self):
                self.node = Node(3)

            def get(self):
                node = self.node
                return None if node is None else node.value
        """
    )
    seen = run_of(a_test("Slot", ["x.put()"], ["x.get()"]))(Leading(1))
    made, read = "put: subject.Node.__init__ `self.value` (write)", "subject.Slot.get `node.value` (read)"
    assert f"Node.value: {made} -> {read}" in seen.happened
    assert f"Node.value: {read} -> {made}" not in seen.possible


def test_what_a_start_and_a_join_order_cannot_be_turned_round(load, run_of):
    load(
        """
        from threading import Thread

        class Job:
            def __init__(self):
                self.x = 0

            def work(self):
                self.x = 1
                worker = Thread(target=self._inside)
                worker.start()
                worker.join()
                return self.x

            def _inside(self):
                self.x = 2

            def idle(self):
                pass
        """
    )
    seen = run_of(a_test("Job", ["x.work()"], ["x.idle()"]))(Leading(1))
    before, inside, after = (
        "subject.Job.work `self.x` (write)", "subject.Job._inside `self.x` (write)", "subject.Job.work `self.x` (read)"
    )  # fmt: skip
    assert seen.possible.keys() == {f"Job.x: {before} -> {inside}", f"Job.x: {inside} -> {after}"}
    assert seen.happened == seen.possible.keys()


def test_lines_of_the_test_itself_count_as_the_method(load, run_of):
    load(
        """
        class Table(dict):
            def size(self):
                return len(self)
        """
    )
    put = [Call("__setitem__", "{receiver}[{0}] = {1}", args=args) for args in (("'a'", "1"), ("'b'", "2"))]
    plain = a_test("Table", [], ["x.size()"])
    tests = [replace(plain, suffixes=((call,), plain.suffixes[1])) for call in put]
    one, other = (run_of(test)(Leading(1)).happened for test in tests)
    assert one == other
    assert len(one) == 1


def test_an_execution_that_deadlocks_is_sighted_too(load, run_of):
    load(
        """
        from threading import Lock

        class Two:
            def __init__(self):
                self.a, self.b = Lock(), Lock()

            def ab(self):
                with self.a:
                    with self.b:
                        pass

            def ba(self):
                with self.b:
                    with self.a:
                        pass
        """
    )
    run = run_of(a_test("Two", ["x.ab()"], ["x.ba()"]))
    search = Dfs()
    search.next_prefix = lambda: [1] * 2 + [2] * 2
    seen = run(search)
    assert ENGINE.status == "deadlock"
    assert len(seen.happened) <= 2
