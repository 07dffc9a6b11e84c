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


class Vault:
    """A chain of four: each method needs what the one before it has made of arguments that fit."""

    def __init__(self):
        self._users = {}
        self._sessions = {}

    def register(self, user, password):
        if len(password) < 8:
            raise ValueError("too short")
        self._users[user] = password.upper()

    def login(self, user, password):
        if self._users.get(user) != password.upper():
            raise PermissionError("denied")
        token = f"{user}-{len(self._sessions)}"
        self._sessions[token] = {}
        return token

    def store(self, token, key, secret):
        if token not in self._sessions:
            raise PermissionError("no session")
        self._sessions[token][key] = secret

    def fetch(self, token, key):
        if token not in self._sessions:
            raise PermissionError("no session")
        return self._sessions[token][key]


class Host:
    """What it is asked for is the name of what it was given."""

    def __init__(self):
        self._plugins = {}

    def register(self, plugin):
        self._plugins[plugin.name + "!"] = plugin

    def plugin(self, which):
        return self._plugins[which]


class Wrapper:
    """An object that is made of the wrong part shows it only here."""

    def __init__(self, value):
        self._value = value

    def use(self):
        pass

    def shout(self):
        return self._value.upper() + "!"


class Filter:
    """Only keywords say anything."""

    def __init__(self):
        self._conditions = {}

    def where(self, **conditions):
        if not conditions:
            raise ValueError("no conditions")
        self._conditions.update(conditions)


class Node:
    def __init__(self, number):
        self.depth = number
        self.identifier = f"node-{number:040}"


class Forest:
    """What it is asked for is a part of what it has handed out."""

    def __init__(self):
        self._nodes = {}

    def plant(self):
        node = Node(len(self._nodes))
        self._nodes[node.identifier] = node
        return node

    def depth(self, nid):
        return self._nodes[nid].depth


class Spans:
    """A thing is found again only with all that it was made of."""

    def __init__(self):
        self._spans = []

    def add(self, begin, end, data=None):
        if not begin < end:
            raise ValueError("empty")
        self._spans.append((begin, end, data))

    def drop(self, begin, end, data=None):
        self._spans.remove((begin, end, data))


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
    [
        (Progress, "finish", ["add"]),
        (Channel, "newest", ["connect", "subscribe"]),
        (Table, "as_number", ["put"]),
        (Forest, "depth", ["plant"]),
        (Spans, "drop", ["add"]),
    ],
)
def test_a_call_returns_behind_others(catalogue_of, cls, name, needed, seed):
    _sequences, test = prepared(catalogue_of, cls, name, seed)
    assert test is not None
    outcomes = Runner()(test)
    assert [each.status for each in outcomes] == ["ok"] * len(test.prefix)
    assert test.prefix[-1].method == name
    assert [each.method for each in test.prefix[1:-1]] == needed


@pytest.mark.parametrize("seed", range(3))
def test_what_was_found_for_one_method_leads_to_the_next(catalogue_of, seed):
    sequences = Sequences(catalogue_of(Vault), Runner(), Random(seed))
    methods = {each.name: each for each in sequences.catalogue.methods}
    preparing = Preparing(sequences)
    found = {name: preparing.of(methods[name]) for name in ("store", "login", "fetch", "register")}
    while silent := [name for name, test in found.items() if test is None]:
        again = {name: preparing.further(methods[name], [each for each in found if found[each]]) for name in silent}
        assert any(again.values()), silent
        found.update(again)
    for name, test in found.items():
        assert [each.status for each in Runner()(test)] == ["ok"] * len(test.prefix)
        assert test.prefix[-1].method == name


@pytest.mark.parametrize(("cls", "name"), [(Host, "plugin"), (Wrapper, "shout"), (Filter, "where")])
def test_a_call_returns_with_what_was_searched_for(catalogue_of, cls, name):
    _sequences, test = prepared(catalogue_of, cls, name)
    assert test is not None
    assert Runner()(test)[-1].status == "ok"


def test_nothing_is_found_where_nothing_helps(catalogue_of):
    sequences, test = prepared(catalogue_of, Broken, "fail")
    assert test is None
    assert not sequences.knowledge.of("fail").succeeded


def test_what_is_known_is_used(catalogue_of):
    """Two methods of one class, each behind calls of its own; the variables of one do not hide the other's."""
    returned = 0
    for seed in range(5):
        sequences, finish = prepared(catalogue_of, Progress, "finish", seed)
        catalogue = catalogue_of(Progress)
        catalogue.prepared = {"finish": finish}
        again = Sequences(catalogue, Runner(), Random(seed))
        method = again.catalogue.method("finish")
        tests = [again.compose(3, [[method], [again.catalogue.method("size"), method]]) for _ in range(10)]
        for test in filter(None, tests):
            for suffix in test.suffixes:
                alone = sequences.test(again.prefix(0), ())
                whole = type(test)(test.imports, (*test.prefix, *suffix), ())
                assert alone.suffixes == ()
                returned += Runner()(whole)[-1].status == "ok"
    assert returned >= 40  # of a hundred: half of the tests use what is known


def test_variables_of_one_preparation_are_no_values_elsewhere(catalogue_of):
    for cls, name in ((Forest, "depth"), (Progress, "finish"), (Host, "plugin")):
        sequences, test = prepared(catalogue_of, cls, name)
        assert test is not None
        texts = {value.text for pool in sequences.catalogue.pools.values() for value in pool.values}
        assert not [each for each in texts if each.startswith(("r1", "x."))]


@pytest.mark.parametrize("seed", range(3))
def test_a_method_that_needs_the_same_as_another_costs_few_runs(catalogue_of, seed):
    runs = []
    runner = Runner()
    sequences = Sequences(catalogue_of(Nursery), lambda test: runs.append(test) or runner(test), Random(seed))
    preparing = Preparing(sequences)
    for method in sequences.catalogue.methods:
        sequences.compose(0, [[method]])
    assert preparing.of(sequences.catalogue.method("m00")) is not None
    runs.clear()
    assert preparing.of(sequences.catalogue.method("m11")) is not None
    assert len(runs) < 60


class Nursery(Forest):
    """Most methods are no help to the others."""


for _number in range(12):

    def _look(self, nid):
        return self._nodes[nid]

    setattr(Nursery, f"m{_number:02}", _look)
