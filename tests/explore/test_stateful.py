"""States that look alike but are not: aliases, class attributes, closures, threads with equal histories."""

import pytest
from subjects import Box, counter

from plait.explore.dfs import Dfs
from plait.explore.runner import explore
from plait.explore.stateful import Stateful
from plait.run.engine import ENGINE
from plait.run.hooks import access
from plait.run.primitives.condition import Condition
from plait.run.primitives.thread import Thread


class Slotted:
    __slots__ = ("n",)

    def __init__(self):
        self.n = 0


class Shadowed:
    n = 0


def append(items, value):
    items.append(access.call(items, "append", 1, value))


def aliases():
    """A thread may hold the list that another one has replaced by an equal one."""
    box = Box(items=[])

    def user():
        items = access.read(box, "items", 1).items
        append(items, 1)

    def replacer():
        access.write(box, "items", 2).items = []

    return [user, replacer, user], lambda: list(box.items)


def equal_writes():
    """Two threads store equal new lists, and go on to change their own."""
    box = Box(items=None)

    def writer(value):
        def run():
            mine = []
            access.write(box, "items", 1).items = mine
            append(mine, value)

        return run

    return [writer(1), writer(2)], lambda: list(box.items)


def class_attributes():
    """An instance shadows what its class has: the location is the class's, the values are not."""
    one = Shadowed()

    def body():
        value = access.read(one, "n", 1).n
        access.write(one, "n", 2).n = value + 1

    return [body, body], lambda: one.n


def slots():
    one = Slotted()

    def body():
        value = access.read(one, "n", 1).n
        access.write(one, "n", 2).n = value + 1

    return [body, body], lambda: one.n


def cells():
    cell, variables = access.Cell(), {"n": 0}  # as a closure variable: only the hooks know the location

    def body():
        access.read_cell(cell, "n", 1)
        value = variables["n"]
        access.write_cell(cell, "n", 2)
        variables["n"] = value + 1

    return [body, body], lambda: variables["n"]


def shared_iterators():
    iterator = iter(range(4))
    got = []

    def body():
        for _ in range(2):
            append(got, next(access.function(next, 1, iterator)))

    return [body, body], lambda: tuple(got)


def sets_of_new_objects():
    box = Box(found=set(), winner=None)

    def body(name):
        def run():
            mine = Box(name=name)
            box.found.add(access.call(box.found, "add", 1, mine))
            if access.read(box, "winner", 2).winner is None:
                access.write(box, "winner", 3).winner = mine

        return run

    return [body("a"), body("b")], lambda: (box.winner.name, len(box.found))


def children_of_two_parents():
    """Threads with empty histories are told apart by who started them."""
    box = Box(n=0)

    def parent(value):
        def child():
            access.write(box, "n", 1).n = value

        def run():
            access.read(box, "n", 2)
            thread = Thread(target=child)
            thread.start()
            thread.join()
            access.read(box, "n", 3)

        return run

    return [parent(1), parent(2)], lambda: box.n


def published_nodes():
    box = Box(head=None)

    def push(value):
        def run():
            node = Box(value=value, next=access.read(box, "head", 1).head)
            access.write(box, "head", 2).head = node

        return run

    def values():
        node, found = box.head, []
        while node is not None:
            found.append(node.value)
            node = node.next
        return tuple(found)

    return [push(1), push(2), push(3)], values


def timed_waits():
    """Whether a wait has ended by itself is all that a thread learns of those who wait."""
    condition, got = Condition(), []

    def waiter():
        with condition:
            append(got, condition.wait(1))

    def notifier():
        with condition:
            condition.notify()

    return [waiter, waiter, notifier], lambda: tuple(got)


def elements():
    """A thread sees one element of a list; under the GIL also one that it has shifted to this place just before."""
    items, got = [1, 2, 3], []

    def shifter():
        del items[access.delete_key(items, 0, 1)]
        append(got, items[access.read_key(items, 0, 2)])

    def writer():
        value = items[access.read_key(items, 0, 3)]
        items[access.write_key(items, 1, 4)] = 10 * value

    return [shifter, writer], lambda: (tuple(got), tuple(items))


SUBJECTS = [
    aliases, equal_writes, class_attributes, slots, cells, shared_iterators, sets_of_new_objects,
    children_of_two_parents, published_nodes, timed_waits, elements,
]  # fmt: skip


def outcomes(subject, strategy):
    found = set()
    observers = []

    def prepare():
        bodies, observe = subject()
        observers[:] = [observe]
        return bodies

    def check(engine):
        if engine.status != "redundant":
            found.add((engine.status, repr(observers[0]())))

    explored = explore(prepare, strategy, check=check)
    assert explored.exhausted, explored.statement()
    return found, explored.executions


@pytest.mark.parametrize("gil", [False, True])
@pytest.mark.parametrize("subject", SUBJECTS)
def test_alike_is_not_equal(subject, gil):
    ENGINE.gil = gil
    try:
        truth, schedules = outcomes(subject, Dfs())
        found, executions = outcomes(subject, Stateful())
        bounded_truth, _ = outcomes(subject, Dfs(bound=1))
        bounded, _ = outcomes(subject, Stateful(1))
    finally:
        ENGINE.gil = False
    assert found == truth
    assert bounded == bounded_truth
    assert executions <= schedules


def test_states_meet_where_one_location_is_hot():
    strategy = Stateful()
    found = explore(counter(2, 5), strategy)
    assert (found.executions, found.exhausted) == (8445, True)
    assert found.redundant < found.executions < strategy.states


def test_a_thread_that_reads_one_element_has_not_seen_the_others():
    """Who wrote first is told by neither of the two elements that the threads read afterwards."""

    def prepare():
        items = [0, 0, 7]

        def body(index):
            def run():
                items[access.write_key(items, index, 1)] = 1
                access.read_key(items, 2, 2)

            return run

        return [body(0), body(1)]

    strategy = Stateful()
    assert explore(prepare, strategy).exhausted
    assert strategy.states == 8
