"""Callables and objects that generated tests use as arguments. They add no races of their own.

This module imports nothing of plait, because scripts that repeat a measurement contain its source.
"""

from __future__ import annotations

import ast
import linecache
import sys
from functools import cache, partial
from itertools import islice
from types import UnionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator


class Recorder:
    """A callable that records its arguments.

    ``Recorder('f')`` equals any other recorder of that name, so that a callback can be registered in one call and
    removed in the next. `list.append` is atomic, so the recorder adds no race to the code under test.
    """

    def __init__(self, name: str, result: Any = None) -> None:
        self.__name__ = name
        self.calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        self._result = result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Record the arguments; return the result that was given to the constructor."""
        self.calls.append((args, kwargs))
        return self._result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recorder) and self.__name__ == other.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __repr__(self) -> str:
        return f"Recorder({self.__name__!r})"


class Listener:
    """A callable that ignores what it is told, and makes a call of its own: ``Listener(x.get, 'a')`` calls back.

    Two observers that call the same method are equal.
    """

    def __init__(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        self.__name__ = f"{getattr(call, '__name__', 'call')} again"
        self._call = partial(call, *args, **kwargs)

    def __call__(self, *_args: Any, **_kwargs: Any) -> None:
        """Make the call."""
        self._call()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Listener) and self.__name__ == other.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __repr__(self) -> str:
        return f"Listener({self.__name__!r})"


class Told:
    """A callable that knows whether its results are of use to those who call it, or whether it is only told something.

    It is told something if the call is a statement of its own.
    """

    def __init__(self) -> None:
        self._told: list[bool] = []

    def __call__(self, *_args: Any, **_kwargs: Any) -> None:
        """Look at the statement that makes this call."""
        frame = sys._getframe(1)
        place = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), None)
        self._told.append(place in _statements(frame.f_code.co_filename))

    def only(self) -> None:
        """Raise LookupError unless it was called, and every time only told something."""
        if not self._told or not all(self._told):
            raise LookupError("nobody has told it anything, or somebody has used its result")


@cache
def _statements(file: str) -> frozenset[tuple[int | None, ...]]:
    """Return the positions of the calls in a file that are statements of their own, as code objects have them."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return frozenset()
    found = (node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
    return frozenset((each.lineno, each.end_lineno, each.col_offset, each.end_col_offset) for each in found)


class Thing:
    """A class for parameters that take a class. Its instances have nothing but their identity."""


class Partner:
    """A stand-in for an object that cannot be constructed automatically, such as a client or a session.

    It has every public attribute and accepts every call; the results are further partners with names that say how they
    were obtained. It has no state that could change, so threads cannot disagree about it.
    """

    def __init__(self, name: str = "o", *_args: Any, **_kwargs: Any) -> None:
        self.__name__ = str(name)

    def __getattr__(self, name: str) -> Partner:
        if name.startswith("_"):
            raise AttributeError(name)
        return Partner(f"{self.__name__}.{name}")

    def __call__(self, *_args: Any, **_kwargs: Any) -> Partner:
        """Return another partner, whatever the arguments."""
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
    """A list whose iteration raises after the first element."""

    def __iter__(self) -> Iterator[Any]:
        yield from self[:1]
        raise ValueError("a")


class BreakingDict(dict[Any, Any]):
    """A dictionary whose iteration (of keys, values or items) raises after the first element."""

    def __iter__(self) -> Iterator[Any]:
        return iter(BreakingList(super().__iter__()))

    def keys(self) -> Any:
        """Return the keys in a list that fails half-way."""
        return BreakingList(super().keys())

    def values(self) -> Any:
        """Return the values in a list that fails half-way."""
        return BreakingList(super().values())

    def items(self) -> Any:
        """Return the items in a list that fails half-way."""
        return BreakingList(super().items())


def failing(*_args: Any, **_kwargs: Any) -> None:
    """Raise ValueError, for code that counts failures or cleans up after them."""
    raise ValueError("a")


def fresh(*_args: Any, **_kwargs: Any) -> Thing:
    """Return a new object at each call, so that code which should make it once, but makes two, can be caught."""
    return Thing()


def wsgi_environ(method: str = "GET", path: str = "/a", body: bytes = b"") -> dict[str, Any]:
    """Return what a WSGI server gives to an application for one request."""
    import io  # noqa: PLC0415 - scripts that carry this module seldom need it

    return {
        "REQUEST_METHOD": method, "PATH_INFO": path, "SCRIPT_NAME": "", "QUERY_STRING": "a=1", "SERVER_PORT": "80",
        "SERVER_NAME": "localhost", "SERVER_PROTOCOL": "HTTP/1.1", "HTTP_HOST": "localhost",
        "CONTENT_TYPE": "text/plain",
        "CONTENT_LENGTH": str(len(body)), "REMOTE_ADDR": "127.0.0.1", "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(body), "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True, "wsgi.multiprocess": False, "wsgi.run_once": False,
    }  # fmt: skip


def counting(limit: int = 20) -> Generator[int, Any, None]:
    """Yield numbers, whatever is sent; without a limit, code that takes all of them would not end."""
    yield from range(limit)


# -- stand-ins ---------------------------------------------------------------------------------------------------------
# Objects with exactly the attributes that code uses of a parameter, for parameters of an unknown class.


class Standin:
    """An object with only the attributes that the code uses of it: ``Standin('record', 'level', 'format()')``.

    A name with parentheses is a method. The value of an attribute, and the result of a method, follow from the name
    (`likely_value`): ``lock`` is a lock, ``size`` a number. Special methods can be given too: ``'__call__()'``.
    Dictionaries and lists are made anew for each caller. A store keeps what it is given (`StandinStore`). Others have
    no state that changes, so threads cannot disagree about them.
    """

    def __new__(cls, _name: str, *parts: str) -> Standin:
        """Return an instance of a subclass that has the special methods among the parts."""
        asked = {part.removesuffix("()") for part in parts}
        return object.__new__(_with_specials(frozenset(asked & _SPECIALS.keys())))

    def __init__(self, name: str, *parts: str) -> None:
        self.__name__ = name
        self._memory = StandinStore(self) if _is_store(part for part in parts if part.endswith("()")) else None
        for part in parts:
            attribute = part.removesuffix("()")
            if attribute.startswith("__"):
                continue
            if part != attribute:
                setattr(self, attribute, _Answer(f"{name}.{attribute}", attribute, self._memory))
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
    """A method of a stand-in. It accepts any arguments and returns the `likely_value` of its name.

    With a memory it keeps, and gives back, what its name says.
    """

    def __init__(self, path: str, name: str, memory: StandinStore | None = None) -> None:
        self.__name__ = path
        self._name = name
        self._memory = memory

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        def likely() -> Any:
            return likely_value(self._name, f"{self.__name__}()")

        return likely() if self._memory is None else self._memory.use(self._name, (*args, *kwargs.values()), likely)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Answer) and self.__name__ == other.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)


def _on_item(name: str, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """Return the special method of a stand-in that uses its memory, or without one does something else."""

    def method(self: Any, *args: Any) -> Any:
        memory = self._memory
        return otherwise(self, *args) if memory is None else memory.use(name, args, lambda: otherwise(self, *args))

    return method


_SPECIALS: dict[str, Callable[..., Any]] = {
    "__call__": lambda self, *_args, **_kwargs: Partner(f"{self.__name__}()"),
    "__enter__": lambda self: self,
    "__exit__": lambda _self, *_why: None,
    "__iter__": lambda _self: iter(()),
    "__getitem__": _on_item("get", lambda self, key: Partner(f"{self.__name__}[{key!r}]")),
    "__setitem__": _on_item("set", lambda _self, _key, _value: None),
    "__contains__": _on_item("has", lambda _self, _key: False),
    "__delitem__": _on_item("delete", lambda _self, _key: None),
    "__len__": lambda _self: 0,
    "__lt__": lambda self, other: self.__name__ < getattr(other, "__name__", ""),
}


@cache
def _with_specials(names: frozenset[str]) -> type[Standin]:
    more = {"__exit__"} if "__enter__" in names else set()
    more |= {"__bool__"} if "__len__" in names else set()
    body = {name: _SPECIALS.get(name, lambda _self: True) for name in sorted(names | more)}
    return type("Standin", (Standin,), body) if body else Standin


class StandinStore:
    """What a stand-in for a store was given, and gives back: ``get(key)`` returns what ``set(key, value)`` was told.

    Each use is one step. Collections are copied, as by a store outside of the process. ``announce`` is told of each use
    before it: by that the engine learns that the order of uses matters.
    """

    announce: Callable[[object, bool], None] = staticmethod(lambda _owner, _changes: None)

    def __init__(self, owner: object) -> None:
        self._owner = owner
        self._table: dict[Any, Any] = {}

    def use(self, name: str, values: tuple[Any, ...], otherwise: Callable[[], Any]) -> Any:
        """Do what the name of a method says with a key, and perhaps a value; return its result, else that of another.

        Arguments that the meaning leaves over, such as the time when an entry expires, are ignored.
        """
        meaning, noun = _meaning(name)
        if (meaning == "set" and len(values) == 1) or not values:  # one value for the whole store
            values = ((), *values)
        key, given = (noun, values[0]), values[1:]
        try:
            hash(key)
        except TypeError:
            return otherwise()
        if meaning:
            self.announce(self._owner, meaning not in ("get", "has"))
        match meaning:
            case "set" if given:
                self._table[key] = _copied(given[0])
            case "get" if key in self._table:
                return _copied(self._table[key])
            case "get" if meaning == name and given:
                return given[0]
            case "has":
                return key in self._table
            case "delete":
                self._table.pop(key, None)
            case "clear":
                self._table.clear()
        return otherwise()


def _copied(value: Any) -> Any:
    return type(value)(value) if type(value) in (dict, list, set, bytearray) else value


_MEANINGS = {
    "get": frozenset(("get", "read", "load", "fetch", "find", "lookup", "retrieve", "__getitem__")),
    "set": frozenset(("set", "write", "store", "save", "update", "__setitem__")),
    "delete": frozenset(("delete", "remove", "discard", "evict", "__delitem__")),
    "has": frozenset(("has", "contains", "exists", "__contains__")),
    "clear": frozenset(("clear",)),
    "": frozenset(("open", "close", "connect", "disconnect", "flush", "sync", "ping")),  # these leave the content alone
}
"""First words of methods of stores, by what they do. ``put`` is none: of a queue, ``get`` takes away what was put."""


def _meaning(name: str) -> tuple[str | None, str]:
    """Return what a method of a store does according to its name, and to what: ``load_user`` gets a ``user``."""
    verb, _, noun = (name, "", "") if name.startswith("__") else name.partition("_")
    return next((meaning for meaning, verbs in _MEANINGS.items() if verb in verbs), None), noun


def _is_store(methods: Iterable[str]) -> bool:
    """Return whether the names of all methods tell what they do, and something can be set as well as gotten.

    A method that locks, or compares and sets, may be what makes the class safe: then nothing is kept.
    """
    told = [_meaning(each.removesuffix("()")) for each in methods]
    nouns = {meaning: {noun for other, noun in told if other == meaning} for meaning in ("get", "set")}
    return all(meaning is not None for meaning, _ in told) and bool(nouns["get"] & nouns["set"])


def likely_value(name: str, path: str) -> Any:
    """Return a value for an attribute or result of this name: a lock, a number, a text; by default a `Partner`."""
    # Take the modules that the code under test would import: in an execution, its locks must be the mirrored ones.
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
    made: Callable[[], Any] | None = {"mapping": dict, "items": list}.get(said)
    plain: Any = {"number": 1, "text": "a", "bytes": b"ab"}.get(said)
    return plain if plain is not None else Partner(path) if made is None else made()


_TOLD = {
    "bytes": frozenset(("recv",)),
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
"""Last words of names, by the kind of value that such a name mostly has."""


def implemented(cls: Any) -> Any:
    """Return a concrete subclass of an abstract class or Protocol, whose added methods do nothing, or are a store's."""
    body: dict[str, Any] = {}
    names = set(getattr(cls, "__abstractmethods__", ()))
    if getattr(cls, "_is_protocol", False):
        names |= {name for each in cls.__mro__ if getattr(each, "_is_protocol", False) for name in _open_names(each)}
        body["__init__"] = lambda _self: None
    found = {name: getattr(cls, name, None) for name in sorted(names)}
    store = _is_store(name for name, each in found.items() if callable(each))
    for name, each in found.items():
        if isinstance(each, property):
            body[name] = property(partial(_likely_of, name))
        elif not callable(each):
            body[name] = likely_value(name, name)
        else:
            promised = _annotations(each).get("return")
            method = _doing_nothing(name, promised, _promised(each, promised), may_lack=store)
            body[name] = _with_memory(name, method) if store else method
    return type(f"{cls.__name__}Standin", (cls,), body)


def _with_memory(name: str, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that uses the memory of its instance, and else returns what another method does."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        memory = vars(self).get("_memory") or vars(self).setdefault("_memory", StandinStore(self))
        return memory.use(name, (*args, *kwargs.values()), lambda: otherwise(self))

    method.__name__ = name
    return method


def _likely_of(name: str, _self: object) -> Any:
    return likely_value(name, name)


def _open_names(protocol: Any) -> set[str]:
    own = {name for name in vars(protocol) if not name.startswith("_") or callable(vars(protocol)[name])}
    kept = {"__init__", "__new__", "__subclasshook__", "__class_getitem__", "__init_subclass__"}
    return {name for name in own | set(_annotations(protocol)) if name not in kept}


def _annotations(owner: Any) -> dict[str, Any]:
    """Return the annotations of a function or class itself, without resolving names."""
    if sys.version_info >= (3, 14):  # annotations are lazy there, and not in the dictionary of a class
        import annotationlib  # noqa: PLC0415 - scripts that carry this module run on older versions too

        return dict(annotationlib.get_annotations(owner, format=annotationlib.Format.FORWARDREF))
    found = vars(owner).get("__annotations__", {}) if isinstance(owner, type) else getattr(owner, "__annotations__", {})
    return dict(found)


_RESULTS = {
    "int": 1, "float": 1.0, "str": "a", "bytes": b"a", "bool": False, "None": None, "list": (), "tuple": (),
    "Sequence": (), "Iterable": (), "Iterator": (), "Any": None, "Optional": None,
}  # fmt: skip


def _promised(function: Any, annotation: Any) -> Any:
    """Return an object of the class that a function says it returns, made of likely values; None if that fails."""
    known = getattr(function, "__globals__", {})
    cls = known.get(annotation) if isinstance(annotation, str) else annotation
    if not isinstance(cls, type) or cls.__module__ in ("builtins", "typing", "collections.abc"):
        return None
    import inspect  # noqa: PLC0415 - scripts that carry this module seldom need it

    try:
        parameters = inspect.signature(cls).parameters.values()
        needed = [each for each in parameters if each.default is each.empty and each.kind not in _COLLECTING]
        return cls(
            *(likely_value(each.name, each.name) for each in needed if each.kind != _BY_NAME),
            **{each.name: likely_value(each.name, each.name) for each in needed if each.kind == _BY_NAME},
        )
    except Exception:  # the class is the code's own
        return None


_COLLECTING, _BY_NAME = (2, 4), 3  # kinds of parameters, as `inspect` numbers them: *args and **kwargs, keyword-only


def _doing_nothing(name: str, annotation: Any, promised: Any = None, *, may_lack: bool = False) -> Any:
    named = not isinstance(annotation, (str, UnionType))  # from 3.14 on every union has the name "Union"
    said = getattr(annotation, "__name__", str(annotation)) if named else str(annotation)
    head = said.rpartition(".")[2].partition("[")[0].strip()
    simple = name.startswith("__") or annotation is None or head in _RESULTS
    simple = simple or (may_lack and "None" in (part.strip() for part in said.split("|")))

    def method(self: Any, *_args: Any, **_kwargs: Any) -> Any:
        if name in ("__enter__", "__aenter__") or head in ("Self", type(self).__name__):
            return self
        if head in ("dict", "Mapping", "MutableMapping", "Dict"):
            return {}
        if head in ("list", "List"):
            return []
        if head in ("Iterator", "Generator") or name == "__iter__":
            return iter(())
        if promised is not None:
            return promised
        return _RESULTS.get(head) if simple else likely_value(name, name)

    method.__name__ = name
    return method


class Database:
    """A DB-API 2 module with ``connect`` for in-memory databases, which can also be called like a connect function.

    Each connection has a separate database.
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
        """The DB-API module, for code that asks a connect function for it."""
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Database) and self.__name__ == other.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __repr__(self) -> str:
        return f"Database({self.__name__!r})"


def sample_file(text: str = "ab") -> str:
    """Write a file with this text in the current folder, unless it is there; return its name."""
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
