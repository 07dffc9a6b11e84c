"""Callables and objects for arguments: small, importable, and without state that threads could trip over.

Nothing of plait is imported: a script that measures again has this module in it as source.
"""

from __future__ import annotations

import sys
from functools import cache, partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Recorder:
    """A callable that remembers what it was called with.

    ``Recorder('f')`` equals any other recorder of that name, so that a callback can be registered in one call and
    removed in the next. `list.append` is atomic: the recorder itself adds no race to the code under test.
    """

    def __init__(self, name: str, result: Any = None) -> None:
        self.__name__ = name
        self.calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        self._result = result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Note the arguments; return what the constructor was given."""
        self.calls.append((args, kwargs))
        return self._result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recorder) and self.__name__ == other.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __repr__(self) -> str:
        return f"Recorder({self.__name__!r})"


class Thing:
    """A class for those who take classes: its instances have nothing but their identity."""


class Partner:
    """Stands in for an object that nobody knows how to make: a client, a session, an application.

    It has every public attribute and takes every call; what comes of that is another one, told by its name. It
    remembers nothing, so it cannot be what two threads disagree about.
    """

    def __init__(self, name: str = "o", *_args: Any, **_kwargs: Any) -> None:
        self.__name__ = str(name)

    def __getattr__(self, name: str) -> Partner:
        if name.startswith("_"):
            raise AttributeError(name)
        return Partner(f"{self.__name__}.{name}")

    def __call__(self, *_args: Any, **_kwargs: Any) -> Partner:
        """Return something, whatever is asked."""
        return Partner(f"{self.__name__}()")

    def __enter__(self) -> Partner:
        return self

    def __exit__(self, *_why: object) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __getitem__(self, key: object) -> Partner:
        return Partner(f"{self.__name__}[{key!r}]")

    def __setitem__(self, key: object, value: object) -> None:
        pass

    def __delitem__(self, key: object) -> None:
        pass

    def __contains__(self, key: object) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __index__(self) -> int:
        return 1

    def __float__(self) -> float:
        return 1.0

    def __lt__(self, other: object) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __add__(self, other: object) -> Partner:
        return Partner(f"{self.__name__} with {other!r}")

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partner) and self.__name__ == other.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __repr__(self) -> str:
        return f"Partner({self.__name__!r})"


class BreakingList(list[Any]):
    """A list that cannot be read to its end: it fails behind its first element."""

    def __iter__(self) -> Iterator[Any]:
        yield from self[:1]
        raise ValueError("a")


class BreakingDict(dict[Any, Any]):
    """A dictionary that cannot be read to its end, whether by keys, by values or by items."""

    def __iter__(self) -> Iterator[Any]:
        return iter(BreakingList(super().__iter__()))

    def keys(self) -> Any:
        """Behave as `dict.keys`, up to the failure."""
        return BreakingList(super().keys())

    def values(self) -> Any:
        """Behave as `dict.values`, up to the failure."""
        return BreakingList(super().values())

    def items(self) -> Any:
        """Behave as `dict.items`, up to the failure."""
        return BreakingList(super().items())


def failing(*_args: Any, **_kwargs: Any) -> None:
    """Raise each time, for code that counts failures or cleans up after them."""
    raise ValueError("a")


def fresh(*_args: Any, **_kwargs: Any) -> Thing:
    """Return something new each time: code that should make a thing only once then shows two of them."""
    return Thing()


# -- stand-ins ---------------------------------------------------------------------------------------------------------
# Objects that do exactly what the code asks of a parameter, for parameters whose class nobody states.


class Standin:
    """An object with the parts that the code uses of it, and no others: ``Standin('record', 'level', 'format()')``.

    A part with parentheses is a method; what it returns, and what the other parts are, follows from their names: a lock
    is a lock, a size is a number. Special methods are parts too: ``'__call__()'``. Nothing of it changes, and nothing
    that could change is handed to two callers: threads cannot disagree about it.
    """

    def __new__(cls, _name: str, *parts: str) -> Standin:
        """Return an instance of a class that has the special methods among the parts."""
        asked = {part.removesuffix("()") for part in parts}
        return object.__new__(_with_specials(frozenset(asked & _SPECIALS.keys())))

    def __init__(self, name: str, *parts: str) -> None:
        self.__name__ = name
        for part in parts:
            attribute = part.removesuffix("()")
            if attribute.startswith("__"):
                continue
            if part != attribute:
                setattr(self, attribute, _Answer(f"{name}.{attribute}", attribute))
            elif not isinstance(value := likely_value(attribute, f"{name}.{attribute}"), dict | list):
                setattr(self, attribute, value)
        self._fresh = frozenset(part for part in parts if part not in vars(self) and "(" not in part)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self.__dict__.get("_fresh", ()):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return likely_value(name, f"{self.__name__}.{name}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Standin) and self.__name__ == other.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __repr__(self) -> str:
        return f"Standin({self.__name__!r})"


class _Answer:
    """A method of a stand-in: whatever it is given, it returns what its name promises."""

    def __init__(self, path: str, name: str) -> None:
        self.__name__ = path
        self._name = name

    def __call__(self, *_args: Any, **_kwargs: Any) -> Any:
        return likely_value(self._name, f"{self.__name__}()")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Answer) and self.__name__ == other.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)


_SPECIALS: dict[str, Callable[..., Any]] = {
    "__call__": lambda self, *_args, **_kwargs: Partner(f"{self.__name__}()"),
    "__enter__": lambda self: self,
    "__exit__": lambda _self, *_why: None,
    "__iter__": lambda _self: iter(()),
    "__getitem__": lambda self, key: Partner(f"{self.__name__}[{key!r}]"),
    "__setitem__": lambda _self, _key, _value: None,
    "__contains__": lambda _self, _key: False,
    "__len__": lambda _self: 0,
    "__lt__": lambda self, other: self.__name__ < getattr(other, "__name__", ""),
}


@cache
def _with_specials(names: frozenset[str]) -> type[Standin]:
    more = {"__exit__"} if "__enter__" in names else set()
    more |= {"__bool__"} if "__len__" in names else set()
    body = {name: _SPECIALS.get(name, lambda _self: True) for name in sorted(names | more)}
    return type("Standin", (Standin,), body) if body else Standin


def likely_value(name: str, path: str) -> Any:
    """Return what an attribute or result of this name most likely is: a lock, a number, a text; else a `Partner`."""
    # The modules of the world that the code under test lives in, where there is one: its locks are its own.
    threading, queues = sys.modules["threading"], sys.modules.get("queue")
    words = name.strip("_").lower().split("_")
    if words[-1] in ("condition", "cond"):
        return threading.Condition()
    if words[-1] in ("lock", "rlock", "mutex", "guard", "semaphore", "sem", "monitor"):
        return threading.RLock()
    if words[-1] in ("now", "utcnow", "time", "monotonic", "timestamp", "clock"):
        return sys.modules["time"].time()
    if words[-1] == "event":
        return threading.Event()
    if words[-1] == "queue" and queues is not None:
        return queues.Queue()
    if words[0] in ("is", "has", "should", "can"):
        return False
    said = next((kind for kind, known in _TOLD.items() if words[-1] in known), "")
    made: Callable[[], Any] | None = {"number": int, "text": str, "mapping": dict, "items": list}.get(said)
    return Partner(path) if made is None else {"number": 1, "text": "a"}.get(said) or made()


_TOLD = {
    "number": frozenset(
        ("size", "count", "number", "num", "n", "length", "limit", "max", "min", "level", "priority", "port", "index",
         "timeout", "interval", "delay", "ttl", "age", "maxsize", "total", "version", "weight", "rate", "retries",
         "attempts", "status", "code", "seconds", "depth", "offset", "position", "width", "height", "capacity")
    ),
    "text": frozenset(
        ("name", "id", "key", "text", "message", "msg", "path", "url", "uri", "host", "hostname", "prefix", "suffix",
         "label", "title", "topic", "channel", "scheme", "encoding", "body", "content", "filename", "user", "token",
         "identifier", "uid", "qualname", "reason")
    ),
    "mapping": frozenset(
        ("headers", "params", "options", "config", "settings", "kwargs", "metadata", "context", "environ", "env",
         "attrs", "attributes", "extra", "mapping", "cookies")
    ),
    "items": frozenset(("items", "args", "values", "keys", "entries", "list", "children", "names", "ids", "rows")),
}  # fmt: skip
"""Last words of names, by what they are mostly the name of."""


def implemented(cls: Any) -> Any:
    """Return a class that fills in what an abstract class or a Protocol leaves open, and does nothing there."""
    body: dict[str, Any] = {}
    names = set(getattr(cls, "__abstractmethods__", ()))
    if getattr(cls, "_is_protocol", False):
        names |= {name for each in cls.__mro__ if getattr(each, "_is_protocol", False) for name in _open_names(each)}
        body["__init__"] = lambda _self: None
    for name in sorted(names):
        found = getattr(cls, name, None)
        if isinstance(found, property):
            body[name] = property(partial(_likely_of, name))
        elif not callable(found):
            body[name] = likely_value(name, name)
        else:
            body[name] = _doing_nothing(name, _annotations(found).get("return"))
    return type(f"{cls.__name__}Standin", (cls,), body)


def _likely_of(name: str, _self: object) -> Any:
    return likely_value(name, name)


def _open_names(protocol: Any) -> set[str]:
    own = {name for name in vars(protocol) if not name.startswith("_") or callable(vars(protocol)[name])}
    kept = {"__init__", "__new__", "__subclasshook__", "__class_getitem__", "__init_subclass__"}
    return {name for name in own | set(_annotations(protocol)) if name not in kept}


def _annotations(owner: Any) -> dict[str, Any]:
    """Return what a function or class annotates itself; names that cannot be resolved are not looked up."""
    if sys.version_info >= (3, 14):  # annotations are lazy there, and a class has them in no dictionary of its own
        import annotationlib  # noqa: PLC0415 - scripts that carry this module run on older versions too

        return dict(annotationlib.get_annotations(owner, format=annotationlib.Format.FORWARDREF))
    found = vars(owner).get("__annotations__", {}) if isinstance(owner, type) else getattr(owner, "__annotations__", {})
    return dict(found)


_RESULTS = {
    "int": 1, "float": 1.0, "str": "a", "bytes": b"a", "bool": False, "None": None, "list": (), "tuple": (),
    "Sequence": (), "Iterable": (), "Iterator": (), "Any": None, "Optional": None,
}  # fmt: skip


def _doing_nothing(name: str, annotation: Any) -> Any:
    said = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    head = said.rpartition(".")[2].partition("[")[0].strip()
    simple = name.startswith("__") or annotation is None or head in _RESULTS

    def method(self: Any, *_args: Any, **_kwargs: Any) -> Any:
        if name in ("__enter__", "__aenter__") or head in ("Self", type(self).__name__):
            return self
        if head in ("dict", "Mapping", "MutableMapping", "Dict"):
            return {}
        if head in ("list", "List"):
            return []
        if head in ("Iterator", "Generator") or name == "__iter__":
            return iter(())
        return _RESULTS.get(head) if simple else likely_value(name, name)

    method.__name__ = name
    return method


class Database:
    """A database in memory, as DB-API 2 describes one: a module with ``connect``, or a function that connects.

    Each connection is a database of its own.
    """

    apilevel, threadsafety, paramstyle = "2.0", 1, "qmark"

    def __init__(self, name: str = "d") -> None:
        import sqlite3  # noqa: PLC0415 - not part of every Python, and seldom needed

        self.__name__ = name
        self._connect = sqlite3.connect
        for each in ("Warning", "Error", "InterfaceError", "DatabaseError", "DataError", "OperationalError",
                     "IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError"):  # fmt: skip
            setattr(self, each, getattr(sqlite3, each))

    def connect(self, *_args: Any, **_kwargs: Any) -> Any:
        """Return a connection to an empty database."""
        return self._connect(":memory:", check_same_thread=False)

    __call__ = connect

    @property
    def dbapi(self) -> Database:
        """Return the module behind a function that connects."""
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Database) and self.__name__ == other.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __repr__(self) -> str:
        return f"Database({self.__name__!r})"


def sample_file(text: str = "ab") -> str:
    """Return the name of a file that exists and holds a text, in the current folder."""
    name = "plait-file"
    try:
        with open(name, encoding="ascii") as file:  # noqa: PTH123 - the path of code under test may be another one
            if file.read() == text:
                return name
    except OSError:
        pass
    with open(name, "w", encoding="ascii") as file:  # noqa: PTH123
        file.write(text)
    return name
