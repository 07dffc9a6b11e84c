"""Discovery on a zoo of small classes."""

import abc
import contextlib
import enum
import functools
import sys
import threading
import types
from dataclasses import dataclass
from typing import Protocol, Self

import pytest

from plait.errors import UsageError
from plait.subject.interface.discovery import discover
from plait.subject.interface.members import Interface, snake_case
from plait.subject.interface.signature import Parameter


def interface_of(cls) -> Interface:
    return discover(cls, name=f"{cls.__module__}:{cls.__qualname__.rpartition('.')[2]}")


def forms(found: Interface) -> dict[str, str]:
    return {each.name: each.form for each in found.methods}


class Base:
    def inherited(self, n):
        """Comes along."""

    def replaced(self, old):
        """Hidden by the subclass."""


class Cache(Base):
    """A bit of everything."""

    limit = 3

    class Nested:
        pass

    def __init__(self, maxsize: int = 2, *, name: "str | None" = None, _private=None):
        self._size = maxsize

    def get(self, key, default=None):
        """:param key: int"""

    def replaced(self, new):
        pass

    def _hidden(self):
        pass

    @property
    def size(self) -> int:
        return self._size

    @size.setter
    def size(self, value):
        self._size = value

    @functools.cached_property
    def once(self) -> list:
        return []

    @contextlib.contextmanager
    def held(self, timeout=1):
        yield self

    @contextlib.contextmanager
    def shared(self):
        yield self

    def walk(self):
        yield 1

    async def fetch(self):
        pass

    @classmethod
    def from_items(cls, items) -> Self:
        return cls()

    @classmethod
    def bare(cls, n):
        return cls(n)

    @staticmethod
    def helper(text: str, /, *rest: int, flag=False, **more):
        return text

    def __getitem__(self, key):
        pass

    def __setitem__(self, key, value):
        pass

    def __delitem__(self, key):
        pass

    def __contains__(self, key):
        return False

    def __len__(self):
        return 0

    def __iter__(self):
        return iter(())

    def __iadd__(self, other):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return None

    def __call__(self, a, b=1):
        pass

    def __getattr__(self, name):
        raise AttributeError(name)

    def __del__(self):
        pass

    def __reduce__(self):
        return (Cache, ())

    def __eq__(self, other):
        return self is other

    __hash__ = None


def drain(cache: Cache, count=1):
    pass


def unrelated(other):
    pass


def test_methods_are_written_the_way_a_person_writes_them():
    assert forms(interface_of(Cache)) == {
        "get": "{receiver}.get({args})",
        "replaced": "{receiver}.replaced({args})",
        "size": "{receiver}.size",
        "size.setter": "{receiver}.size = {0}",
        "once": "{receiver}.once",
        "held": "with {receiver}.held({args}): pass",
        "shared": "with {receiver}.shared({args}): pass",
        "walk": "list({receiver}.walk({args}))",
        "helper": "{receiver}.helper({args})",
        "__getitem__": "{receiver}[{0}]",
        "__setitem__": "{receiver}[{0}] = {1}",
        "__delitem__": "del {receiver}[{0}]",
        "__contains__": "{0} in {receiver}",
        "__len__": "len({receiver})",
        "__iter__": "list({receiver})",
        "__iadd__": "{receiver}.__iadd__({0})",
        "__enter__": "{receiver}.__enter__()",
        "__exit__": "{receiver}.__exit__(None, None, None)",
        "__call__": "{receiver}({args})",
        "__eq__": "{receiver} == {0}",
        "inherited": "{receiver}.inherited({args})",
        "with": "with {receiver}: pass",
        "held+shared": "with {receiver}.held(), {receiver}.shared(): pass",
        "shared+held": "with {receiver}.shared(), {receiver}.held(): pass",
        "drain": "drain({receiver}, {args})",
    }


def test_constructor_and_factories():
    found = interface_of(Cache)
    assert [(each.name, each.form, each.kind) for each in found.constructors] == [
        ("Cache", "Cache({args})", "constructor"),
        ("from_items", "Cache.from_items({args})", "factory"),
        ("bare", "Cache.bare({args})", "factory"),
    ]
    assert found.constructors[0].parameters == (
        Parameter("maxsize", "positional", "int", "2"),
        Parameter("name", "keyword", "str | None", "None"),
    )
    assert found.imports == (f"from {__name__} import Cache",)


def test_parameters():
    found = interface_of(Cache)
    assert found.method("get").parameters == (
        Parameter("key", "positional", "int", None),
        Parameter("default", "positional", None, "None"),
    )
    assert found.method("helper").parameters == (
        Parameter("text", "positional-only", "str", None),
        Parameter("rest", "varargs", "int", None),
        Parameter("flag", "keyword", None, "False"),
        Parameter("more", "varkeywords", None, None),
    )
    assert found.method("replaced").parameters == (Parameter("new"),)
    assert found.method("size.setter").parameters == (Parameter("size", "positional", "int"),)
    assert [each.name for each in found.method("__setitem__").parameters] == ["key", "value"]
    assert found.method("drain").parameters == (Parameter("count", "positional", None, "1"),)
    assert found.method("drain").imports == (f"from {__name__} import drain",)


def test_what_is_left_out_is_said():
    assert interface_of(Cache).notes == (
        "fetch is asynchronous: left out",
        "`from_items`, `bare` make instances: tests build objects with them, threads do not call them",
    )


class Single:
    """One for all threads."""

    _one = None

    @classmethod
    def instance(cls):
        if cls._one is None:
            cls._one = cls()
        return cls._one

    def read(self):
        return 1


def test_what_makes_instances_from_shared_state_is_called_and_not_said_to_be_left_out():
    found = interface_of(Single)
    assert "instance" in [each.name for each in found.methods]
    assert "instance" in [each.name for each in found.constructors]
    assert found.notes == ()


@dataclass(frozen=True)
class Frozen:
    """Two threads may share it."""

    size: int

    def doubled(self):
        return self.size * 2


class Ruled:
    """It has a rule of its own for what may be stored."""

    def __setattr__(self, name, value):
        if name != "size":
            raise AttributeError(name)
        object.__setattr__(self, name, value)


def test_what_a_frozen_data_class_always_refuses_is_not_called():
    names = [each.name for each in interface_of(Frozen).methods]
    assert "doubled" in names
    assert not {"__setattr__", "__delattr__"} & set(names)
    assert "__setattr__" in [each.name for each in interface_of(Ruled).methods]


def test_every_form_is_a_line_of_python():
    for method in interface_of(Cache).methods:
        source = method.form.format("1", "2", receiver="x", args="1")
        compile(source, method.name, "exec")


class Abstract(abc.ABC):
    @abc.abstractmethod
    def put(self):
        pass

    @abc.abstractmethod
    def get(self):
        pass


class Contract(Protocol):
    def put(self): ...


class Empty:
    def __init__(self):
        self.data = 1

    def __repr__(self):
        return "Empty()"


class Private:
    def _inc(self):
        pass

    def _dec(self):
        pass


@pytest.mark.parametrize(
    ("owner", "words"),
    [
        (Abstract, ["is abstract", "get, put", "concrete subclass"]),
        (Contract, ["Protocol"]),
        (Empty, ["no public methods:"]),
        (Private, ["no public methods (`_inc`, `_dec` begin with _)"]),
        (3, ["not a class", "int"]),
    ],
)
def test_what_cannot_be_driven_is_refused_in_one_line(owner, words):
    with pytest.raises(UsageError) as caught:
        discover(owner, name="module:Thing")
    message = str(caught.value)
    assert "module:Thing" in message
    assert "\n" not in message
    for each in words:
        assert each in message


def test_default_that_is_a_class_or_function_keeps_its_name():
    class Injected:
        def run(self, factory=dict, clock=sys.getsizeof, marker=object(), odd=lambda: 1):
            pass

    defaults = {each.name: each.default for each in interface_of(Injected).method("run").parameters}
    assert defaults == {"factory": "dict", "clock": "getsizeof", "marker": "...", "odd": "..."}


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated at once")
def test_annotations_that_cannot_be_evaluated_are_read_as_text():
    space = {}
    source = """
class Late:
    def put(self, item: Missing | int, size: int = 1) -> list[AlsoMissing]: ...
    def get(self) -> int | None: ...
"""
    exec(compile(source, "late", "exec", dont_inherit=True), space)
    found = interface_of(space["Late"])
    put = found.method("put")
    assert [(each.name, each.annotation) for each in put.parameters] == [("item", "Missing | int"), ("size", "int")]
    assert put.returns == "list[AlsoMissing]"
    assert found.method("get").returns == "int | None"


def test_signature_hidden_by_new_is_found_in_init():
    class Shared:
        def __new__(cls, *args, **kwargs):
            return super().__new__(cls)

        def __init__(self, size):
            pass

        def go(self):
            pass

    assert [each.name for each in interface_of(Shared).constructors[0].parameters] == ["size"]


def test_a_method_is_answered_with_its_class():
    with pytest.raises(UsageError, match=r"shop:Cart.add is a method, not a class; give its class: shop:Cart$"):
        discover(snake_case, name="shop:Cart.add")


def test_a_function_is_called_in_its_module():
    """Also under another name, which a module that hands it on gives it."""
    for name in (f"{snake_case.__module__}:snake_case", "shop:as_snake"):
        found = discover(snake_case, name=name)
        assert [each.name for each in found.methods] == ["snake_case"]
        assert found.constructors[0].form == snake_case.__module__


class Guarded:
    """Decorators, and what looks like them."""

    def __call__(self, func):
        def wrapper(*args, **kwargs):
            return func(*args, **kwargs)

        return wrapper

    def every(self, seconds):
        def decorate(func):
            return func

        return decorate

    def reader(self, key, *, default=None):
        def read(again=False):
            return default if again else key

        return read

    def plain(self, func):
        def inner():
            return func

        return inner()


def test_what_a_decorator_makes_is_called():
    forms = {each.name: each.form for each in discover(Guarded, name="m:Guarded").methods}
    assert forms == {
        "__call__": "{receiver}({args})()", "reader": "{receiver}.reader({args})()",
        "every": "{receiver}.every({args})", "plain": "{receiver}.plain({args})",
    }  # fmt: skip


def test_a_descriptor_is_given_its_name():
    plain, made = discover(functools.cached_property, name="functools:cached_property").constructors
    assert plain.form == "cached_property({args})"
    assert made.form.format(args="len") == "vars(type('Owner', (), {'part': cached_property(len)}))['part']"


class Level(enum.Enum):
    LOW = 1
    HIGH = 2

    def above(self, other):
        return self.value > other.value


def test_members_of_an_enumeration_stand_ready():
    found = discover(Level, name="m:Level")
    assert [each.form for each in found.constructors] == ["Level.LOW", "Level.HIGH"]
    assert [each.name for each in found.methods] == ["above"]
    with pytest.raises(UsageError, match="no public methods of its own"):
        discover(enum.Enum("Plain", "A B"), name="m:Plain")
    with pytest.raises(UsageError, match="without members"):
        discover(enum.Enum("Open", ""), name="m:Open")


def test_module_is_a_subject_too():
    module = types.ModuleType("shop")
    exec("def sell(item, count=1): pass\ndef _audit(): pass\ndef __getattr__(name): return 1\nLIMIT = 3", vars(module))
    found = discover(module, name="shop")
    assert found.imports == ("import shop",)
    assert [each.form for each in found.constructors] == ["shop"]
    assert forms(found) == {"sell": "{receiver}.sell({args})", "__getattr__": "getattr({receiver}, {0})"}
    bare = types.ModuleType("bare")
    with pytest.raises(UsageError, match=r"bare has neither public functions nor classes"):
        discover(bare, name="bare")
    exec("class Cart: pass\nclass _Helper: pass\nfrom collections import OrderedDict", vars(bare))
    with pytest.raises(UsageError, match=r"give a class in it: bare:Cart$"):
        discover(bare, name="bare")


@pytest.mark.parametrize(
    ("camel", "snake"), [("RateLimitItem", "rate_limit_item"), ("HTTPServer", "http_server"), ("_Node", "node")]
)
def test_snake_case(camel, snake):
    assert snake_case(camel) == snake


class Ticker(threading.Thread):
    """Starts itself."""

    def __init__(self):
        super().__init__(daemon=True)
        self.start()

    def stop(self):
        pass


class Runner(threading.Thread):
    """Is started by others, and has a name of its own."""

    @property
    def name(self):
        return "own"


def test_what_a_thread_keeps_about_itself_is_not_called():
    assert {"start", "run", "name", "name.setter", "daemon", "setDaemon", "ident"}.isdisjoint(
        forms(interface_of(Ticker))
    )
    assert {"stop", "join", "is_alive"} <= forms(interface_of(Ticker)).keys()
    assert {"start", "name"} <= forms(interface_of(Runner)).keys()
    assert "daemon" not in forms(interface_of(Runner))


class Refusing:
    def __setitem__(self, key, value):
        raise TypeError("cannot be changed")

    def change(self, value):
        """Say what to do instead."""
        raise RuntimeError(f"make another one, not {value}")

    def extend(self, value):
        raise NotImplementedError

    def check(self, value):
        if value:
            raise ValueError(value)

    def ask(self):
        return 1


def test_an_operator_that_only_raises_is_left_out():
    assert forms(interface_of(Refusing)).keys() == {"change", "extend", "check", "ask"}


class Switch:
    """A descriptor that its class also calls, as parsers of command lines do with their options."""

    def __get__(self, instance, owner):
        return "on"

    def __set__(self, instance, value):
        pass

    def __call__(self, instance, value):
        pass


class WithSwitch:
    loud = Switch()


def test_a_descriptor_that_can_be_called_is_still_read():
    (loud,) = discover(WithSwitch, name="test_interface:WithSwitch").methods
    assert (loud.form, loud.kind) == ("{receiver}.loud", "property")
