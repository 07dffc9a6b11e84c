"""What each execution of a schedule must do again: every test here passes, and is explored to its end under control."""

import asyncio
import logging
import queue
import random
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from plait.run.c_classes import exchanged

RANDOM = random.Random()
KEPT = vars(pytest).setdefault("kept_by_idioms", [])  # nobody puts that back: addresses are never used twice


def run(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Node:
    def __init__(self):
        self.count = 0
        self.lock = threading.Lock()

    def add(self):
        with self.lock:
            self.count += 1


def made(number):
    nodes = [Node() for _ in range(number)]
    KEPT.append(nodes)
    return nodes


def test_a_set_of_objects_is_walked_in_one_order():
    nodes = set(made(6))

    def walk():
        for node in nodes:
            node.add()

    run(walk, walk)
    assert [node.count for node in nodes] == [2] * 6


def test_a_list_made_of_a_set_has_one_order():
    nodes = frozenset(made(6))

    def walk():
        for node in list(nodes):
            node.add()
        for node in sorted(nodes, key=lambda _: 0):
            node.add()

    run(walk, walk)
    assert [node.count for node in nodes] == [4] * 6


def test_elements_of_a_set_are_unpacked_in_one_order():
    nodes = set(made(2))

    def take():
        first, _second = nodes
        found = []
        found.extend(nodes)
        assert first is found[0]
        first.add()

    run(take, take)
    assert sorted(node.count for node in nodes) == [0, 2]


def test_a_set_that_changes_while_it_is_walked_says_so():
    nodes = set(made(4))

    def walk():
        for node in nodes:
            nodes.add(Node())
            node.add()

    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="Set changed size during iteration"):
        pool.submit(walk).result()


def test_a_set_shows_no_object_that_has_been_removed():
    first, second, third = nodes = made(3)
    left = set(nodes)
    seen = []
    for node in left:
        if not seen:
            others = [other for other in (first, second, third) if other is not node]
            left.remove(others[0])
            left.add(Node())
        seen.append(node)
        run(node.add)
    assert others[0] not in seen


def test_a_source_of_random_numbers_begins_anew():
    nodes = made(2)

    def add():
        node = nodes[RANDOM.randrange(2)]
        for _ in range(1 + RANDOM.randrange(3)):
            node.add()

    run(add, add)
    assert nodes[0].count + nodes[1].count >= 2


def with_factory(**space):
    made = {}
    exec("def __init__(self):\n    self.items = factory()", space, made)  # as attrs makes it
    return type("Holder", (), made)


Holder = with_factory(factory=queue.SimpleQueue)


def test_generated_code_makes_a_queue():
    holder = Holder()
    found = []
    run(lambda: found.append(holder.items.get()), lambda: holder.items.put(3))
    assert found == [3]


def test_locks_say_which_module_they_are_from():
    kinds = [type(threading.Lock()), type(threading.RLock()), threading.local]
    assert [kind.__module__ for kind in kinds] == ["_thread"] * 3
    run(made(1)[0].add)


def test_who_forbids_waiting_for_locks_does_not_forbid_to_switch():
    real = type(vars(sys.modules["_thread"])["allocate_lock"]())
    acquire = real.acquire

    def complaining(self, *args, **named):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return acquire(self, *args, **named)
        raise AssertionError("a loop must not wait for a lock")

    node = made(1)[0]

    async def main():
        node.add()
        await asyncio.sleep(0)

    with exchanged(real, "acquire", complaining):
        run(lambda: asyncio.run(main()), lambda: asyncio.run(main()))
    assert node.count == 2


OPEN = {}


def test_descriptors_that_were_left_open_are_closed():
    circle = [socket.socketpair()]
    circle.append(circle)
    number = circle[0][0].fileno()
    run(lambda: OPEN.setdefault(number, 1), lambda: OPEN.setdefault(number, 2))
    assert set(OPEN) == {number}


class Noting(logging.Handler):
    def __init__(self):
        self.records = []
        super().__init__()

    def emit(self, record):
        self.records.append(record.getMessage())


def test_a_handler_that_is_left_on_a_logger_is_taken_away():
    handler, log = Noting(), logging.getLogger("repeating")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    logging.getLogger(f"repeating.{len(KEPT)}").addHandler(handler)
    KEPT.append(handler)
    run(lambda: log.info("a"), lambda: log.info("b"))
    assert sorted(handler.records) == ["a", "b"]
    assert log.handlers == [handler]


def test_keys_that_contain_functions():
    known = {}

    def work(name):
        def made():
            pass

        KEPT.append(made)
        known[made, name] = known.get((made, name), 0) + 1
        assert known[made, name] == 1

    run(lambda: work("a"), lambda: work("b"))
    assert len(known) == 2
