"""Methods that chance hardly ever calls with success."""

from random import Random

import pytest
from sequential import Runner

from plait.generate.preparing import Preparing
from plait.generate.sequence import Sequences


class Progress:
    """Tasks are named by what `add` has returned."""

    def __init__(self):
        self._tasks = {}

    def add(self, title: str):
        number = f"task-{len(self._tasks) + 7}"
        self._tasks[number] = title
        return number

    def size(self):
        return len(self._tasks)

    def finish(self, which):
        return self._tasks.pop(which)


class Channel:
    """Opened first, and subscribed to: two calls bring about what the third one needs."""

    def __init__(self):
        self._open = False
        self._topics = []

    def connect(self):
        self._open = True

    def label(self):
        return "channel"

    def subscribe(self, topic: str):
        if not self._open:
            raise RuntimeError("not connected")
        self._topics.append(topic)

    def newest(self):
        if not self._open:
            raise RuntimeError("not connected")
        if not self._topics:
            raise RuntimeError("nothing subscribed")
        return self._topics[-1]


class Table:
    """A value is of a kind that only some rows have."""

    def __init__(self):
        self._rows = {"first": None}

    def keys(self):
        return list(self._rows)

    def put(self, key: str, value: str):
        self._rows[key] = value

    def as_number(self, row):
        return int(self._rows[row])


class Broken:
    """Nothing helps."""

    def use(self):
        pass

    def fail(self):
        self.use()
        raise RuntimeError("never")


def prepared(catalogue_of, cls, name, seed=0):
    sequences = Sequences(catalogue_of(cls), Runner(), Random(seed))
    for method in sequences.catalogue.methods:
        if method.name != name:
            sequences.compose(0, [[method]])
    return sequences, Preparing(sequences).of(sequences.catalogue.method(name))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("cls", "name", "needed"),
    [(Progress, "finish", ["add"]), (Channel, "newest", ["connect", "subscribe"]), (Table, "as_number", ["put"])],
)
def test_a_call_returns_behind_others(catalogue_of, cls, name, needed, seed):
    _sequences, test = prepared(catalogue_of, cls, name, seed)
    assert test is not None
    outcomes = Runner()(test)
    assert [each.status for each in outcomes] == ["ok"] * len(test.prefix)
    assert test.prefix[-1].method == name
    assert [each.method for each in test.prefix[1:-1]] == needed


def test_nothing_is_found_where_nothing_helps(catalogue_of):
    sequences, test = prepared(catalogue_of, Broken, "fail")
    assert test is None
    assert not sequences.knowledge.of("fail").succeeded


@pytest.mark.parametrize("seed", range(5))
def test_what_is_known_is_used(catalogue_of, seed):
    """Two methods of one class, each behind calls of its own; the variables of one do not hide the other's."""
    sequences, finish = prepared(catalogue_of, Progress, "finish", seed)
    catalogue = catalogue_of(Progress)
    catalogue.prepared = {"finish": finish}
    again = Sequences(catalogue, Runner(), Random(seed))
    method = again.catalogue.method("finish")
    tests = [again.compose(3, [[method], [again.catalogue.method("size"), method]]) for _ in range(10)]
    returned = 0
    for test in filter(None, tests):
        for suffix in test.suffixes:
            alone = sequences.test(again.prefix(0), ())
            whole = type(test)(test.imports, (*test.prefix, *suffix), ())
            assert alone.suffixes == ()
            returned += Runner()(whole)[-1].status == "ok"
    assert returned >= 8
