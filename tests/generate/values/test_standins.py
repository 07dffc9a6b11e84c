"""Objects of ours for parameters whose class nobody states."""

import abc
import ast
import inspect
import sys
import threading
from typing import Protocol

import pytest
import zoo

from plait.generate import callables
from plait.generate.callables import Database, Partner, Standin, implemented, sample_file
from plait.generate.values.duck import table_for, used_parts


def test_a_standin_has_what_is_asked_of_it_and_nothing_else():
    made = Standin("job", "name", "size", "params", "run()", "create_lock()")
    assert (made.name, made.size) == ("a", 1)
    assert made.run() == Partner("job.run()")
    assert made.params == {}
    assert made.params is not made.params  # what can change is shared by nobody
    assert made.create_lock() is not made.create_lock()
    assert isinstance(made.create_lock(), type(threading.RLock()))
    assert not callable(made)
    assert not hasattr(made, "other")
    assert made == Standin("job")


def test_special_methods_are_there_only_if_they_are_asked_for():
    assert callable(Standin("f", "__call__()"))
    with Standin("c", "__enter__()") as entered:
        assert entered == Standin("c")
    assert list(Standin("i", "__iter__()")) == []
    with pytest.raises(TypeError):
        iter(Standin("n"))


def test_locks_of_a_standin_are_those_of_the_world(monkeypatch):
    class World:
        RLock = staticmethod(lambda: "a lock of the world")

    monkeypatch.setitem(sys.modules, "threading", World)
    assert Standin("x", "lock").lock == "a lock of the world"


def test_what_is_done_with_a_parameter_is_followed(catalogue_of):
    assert used_parts(zoo.Courier, "__init__", "van") == {"load()", "driver", "wheels", "close()"}
    catalogue = catalogue_of(zoo.Courier)
    pool = catalogue.pool(catalogue.constructors[0], "van")
    assert pool.values[0].text == "Standin('van', 'close()', 'driver', 'load()', 'wheels')"


def test_a_dictionary_has_the_keys_that_are_looked_up():
    found = [each.text for each in table_for(zoo.Configured, "__init__", "arguments")]
    assert found == ["{'filename': './plait-a', 'size': 2}", "{}"]
    assert [each.text for each in table_for(zoo.Configured, "use", "hints")] == ["{}", "{}"]
    assert table_for(zoo.Courier, "__init__", "van") == []


class Store(abc.ABC):
    @abc.abstractmethod
    def get(self, key: str) -> int: ...

    @property
    @abc.abstractmethod
    def size(self): ...


class Table(Protocol):
    def get(self, key: str) -> int | None: ...

    def set(self, key: str, value: int, ttl: float = 1.0) -> None: ...

    def delete(self, key: str) -> None: ...


class GuardedTable(Table, Protocol):
    def acquire(self) -> bool: ...


@pytest.mark.parametrize("make", [implemented(Table), lambda: Standin("table", "get()", "set()", "delete()")])
def test_a_store_gives_back_what_it_was_told(make):
    table, other = make(), make()
    table.set("a", 3, ttl=9.0)
    assert table.get("a") == 3
    assert other.get("a") in (None, Partner("table.get()"))
    assert table.get("b") in (None, Partner("table.get()"))
    table.set("a", [3])
    table.get("a").append(4)
    assert table.get("a") == [3]
    table.delete("a")
    assert table.get("a") != [3]


def test_a_store_is_also_one_by_brackets_and_for_one_value():
    made = Standin("table", "__getitem__()", "__setitem__()", "__contains__()")
    made["a"] = 1
    assert (made["a"], "a" in made, "b" in made) == (1, True, False)
    cell = Standin("cell", "load_user()", "save_user()", "flush()")
    cell.save_user("ada")
    assert (cell.load_user(), cell.flush()) == ("ada", Partner("cell.flush()"))


@pytest.mark.parametrize(
    ("write", "parts"),
    [
        ("put", ("put()", "get()")),  # what was put is gone after the first get
        ("set", ("get()", "set()", "lock()")),
        ("set", ("get()", "set()", "compare_and_set()")),
        ("set_page", ("get()", "get_user()", "set_page()")),
    ],
)
def test_what_may_be_no_plain_store_keeps_nothing(write, parts):
    made = Standin("table", *parts)
    getattr(made, write)("a", 7)
    assert made.get("a") == Partner("table.get()")


def test_a_protocol_that_locks_keeps_nothing():
    table = implemented(GuardedTable)()
    table.set("a", 7)
    assert table.get("a") == Partner("get")


class Sender(Protocol):
    name: str

    def send(self, message: str) -> str: ...


def test_abstract_classes_and_protocols_are_filled_in():
    store = implemented(Store)()
    assert isinstance(store, Store)
    assert (store.get("a"), store.size) == (1, 1)
    sender = implemented(Sender)()
    assert (sender.send("a"), sender.name) == ("a", "a")


def test_a_protocol_gets_an_implementation(catalogue_of):
    catalogue = catalogue_of(zoo.Notifier)
    value = catalogue.pool(catalogue.constructors[0], "sink").values[0]
    assert value.text == "implemented(Sink)()"
    scope = {}
    exec("\n".join(value.imports), scope)
    assert eval(value.text, scope).write("a") == 1


def test_a_database_in_memory():
    for connection in (Database("d").connect(), Database("d")("any", user="x")):
        assert connection.cursor().execute("select 1").fetchall() == [(1,)]
        connection.close()


def test_the_module_needs_no_plait():
    assert "plait" not in {name.partition(".")[0] for name in _imported(inspect.getsource(callables))}


def _imported(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from [node.module] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]


def test_a_file_that_exists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (tmp_path / sample_file()).read_text() == "ab"
