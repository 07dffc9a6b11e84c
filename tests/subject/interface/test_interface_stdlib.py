"""Discovery on classes of the standard library, in Python and in C."""

import collections
import functools
import queue
import sys
import threading

import pytest

from plait.subject.interface.discovery import discover
from plait.subject.interface.signature import parameter_types, signature_line


def parameters(found, name):
    return [(each.name, each.required) for each in found.method(name).parameters]


def test_queue():
    found = discover(queue.Queue, name="queue:Queue")
    newer = {"shutdown"} if sys.version_info >= (3, 13) else set()
    assert {each.name for each in found.methods} == newer | {
        "task_done", "join", "qsize", "empty", "full", "put", "get", "put_nowait", "get_nowait",
    }  # fmt: skip
    assert parameters(found, "put") == [("item", True), ("block", False), ("timeout", False)]
    assert [each.name for each in found.constructors[0].parameters] == ["maxsize"]


def test_ordered_dict_gets_its_signatures_from_stubs():
    found = discover(collections.OrderedDict, name="collections:OrderedDict")
    names = {each.name for each in found.methods}
    assert {"popitem", "move_to_end", "setdefault", "update", "clear", "keys", "__getitem__", "__setitem__"} <= names
    assert not names & {"__reduce__", "__sizeof__", "__lt__", "__init__", "__class_getitem__", "__getattribute__"}
    assert parameters(found, "pop") == [("key", True), ("default", False)]
    assert [each.annotation for each in found.method("popitem").parameters] == ["bool"]


def test_semaphore_is_a_context_manager():
    found = discover(threading.Semaphore, name="threading:Semaphore")
    assert {each.name for each in found.methods} >= {"acquire", "release", "with", "__enter__", "__exit__"}


def test_lru_cache_wrapper_is_compiled():
    cached = type(functools.lru_cache(len))
    found = discover(cached, name="functools:_lru_cache_wrapper")
    assert {"__call__", "cache_info", "cache_clear"} <= {each.name for each in found.methods}
    assert [each.kind for each in found.method("__call__").parameters] == ["varargs", "varkeywords"]


def test_subclass_of_a_built_in_class():
    class Registry(dict):
        def register(self, key):
            pass

    found = discover(Registry, name="shop:Registry")
    assert {"register", "setdefault", "popitem", "__setitem__"} <= {each.name for each in found.methods}
    assert parameters(found, "setdefault") == [("key", True), ("default", False)]


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        (":param int size: how many", {"size": "int"}),
        (":param size: the int that counts\n:type size: float", {"size": "float"}),
        ("Args:\n    key (str): which\n    n (int, optional): how often", {"key": "str", "n": "int"}),
        ("Parameters\n----------\nitems : list of str\n    What", {"items": "list"}),
        (":param f: a callable that takes nothing", {"f": "Callable"}),
        (":type key: str or None", {"key": "str | None"}),
        (":param x: whatever you like", {}),
        (None, {}),
    ],
)
def test_docstring_types(docstring, expected):
    assert parameter_types(docstring) == expected


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("get(key[, default]) -> value", [("key", False), ("default", True)]),
        ("D.get(k, d=None)", [("k", False), ("d", True)]),
        ("Returns something.", None),
    ],
)
def test_signature_line(docstring, expected):
    assert signature_line(docstring, "get") == expected
