"""Keys for the states of an execution that are the same in every execution.

The local state of a thread is a function of what it has seen: its *history*, the chain of operations it performed, each
with the value it found. (Frames and their locals are no substitute: temporaries on the value stack are invisible.) The
rest of a state is what the touched locations hold, the state of the primitives and the clock, and which thread waits
for what. Two states with the same key have the same future.

Immutable values are compared by content. Other objects get a name that says where they come from: their position in a
walk over the objects that the set-up made, or the thread that first used them and at which of its steps. Numbers in
order of first touch would not work: another order of independent steps would give the same number to another object.
"""

from __future__ import annotations

import sys
import types
from itertools import islice
from typing import TYPE_CHECKING, Any

from plait.run.engine import Engine
from plait.run.heap import OPAQUE, WHOLE, Heap
from plait.run.hooks.containers import is_container
from plait.run.operations import KEY_INSERT, KEY_READ, KEY_WRITE, LOCAL, READ, WRITE
from plait.run.primitives.condition import Condition
from plait.run.vthread import FINISHED, VThread

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

_ATOMS = frozenset({int, bool, str, bytes, type(None), float, complex})
_CODE = (type, types.ModuleType, types.BuiltinFunctionType, types.CodeType)
_OURS = (VThread, Engine, Heap)
_KEYED = frozenset({KEY_READ, KEY_WRITE, KEY_INSERT})
_LOOKS = frozenset({READ, KEY_READ})
_NO_VALUE = ("no value",)
_SLOTS: dict[type, tuple[str, ...]] = {}  # by type of primitive
_WAITING = frozenset({"waiting", "_waiting"})  # the waiters of a primitive are part of the threads' own states


class States:
    """Computes the key of each state of an execution; serves one execution after the other."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}  # stands for long histories and contents; equal only if they are
        self._engine: Engine
        self._unique = 0

    def begin(self, engine: Engine) -> None:
        """Start a new execution; called before its first step."""
        self._engine = engine
        self._histories: dict[int, int] = {}
        self._counts: dict[int, int] = {}  # by thread: its steps
        self._started: dict[int, int] = {}  # by thread: how many threads it started
        self._contents: dict[int, Hashable] = {}
        self._fingerprints: dict[int, tuple[Hashable, int]] = {}  # by root: the name and the content of the location
        self._opaque: dict[int, Any] = {}
        self._names: dict[int, Hashable] = {}
        self._kept: list[Any] = []
        self._seen = 0
        self._position = 0
        self._known_threads = 0
        self._walk_setup([thread.body for thread in engine.threads])
        self._meet_threads()

    def about_to_step(self, thread: VThread) -> None:
        """Record what the operation of the chosen thread will find; called before it is performed."""
        if thread.mode != LOCAL:
            root = self._engine.heap.roots[thread.loc]
            if root not in self._contents:
                self._position = 0
                self._look(root, thread.id, wrote=False)

    def update(self) -> None:
        """Take in what happened since the last call; at most one thread has performed a step."""
        engine = self._engine
        entries = engine.trace[self._seen :]
        self._seen = len(engine.trace)
        self._meet_threads()
        if entries:
            actor = entries[-1][0]
            self._position = 0
            found: list[Hashable] = []
            touched: dict[int, bool] = {}
            for thread, loc, mode, _site, _enabled, _after in entries:
                if thread != -1 and mode != LOCAL:
                    root = engine.heap.roots[loc]
                    if root not in self._contents and not touched.get(root) and mode in _LOOKS:
                        self._look(root, actor, wrote=False)
                    moved = touched.get(root, False)
                    found.append((mode, self._found(root, loc, mode, actor, moved=moved)))
                    touched[root] = touched.get(root, False) or mode not in _LOOKS
            if actor != -1:
                self._counts[actor] = self._counts.get(actor, 0) + 1
                self._histories[actor] = self._number((self._histories[actor], tuple(found), engine.time.now))
            for root, wrote in touched.items():
                self._look(root, actor, wrote=wrote)
        for root, obj in self._opaque.items():
            content = _primitive(obj)
            if content != self._contents[root]:
                self._keep(root, content)

    def key(self) -> Hashable:
        """Return the key of the present state."""
        threads = tuple(
            (
                self._histories[thread.id], thread.enabled, thread.state, thread.timed_out, thread.notified,
                thread.deadline, thread.spinning is not None,
            )
            for thread in self._engine.threads[1:]
        )  # fmt: skip
        return threads, frozenset(self._fingerprints.values()), self._engine.time.now

    def place(self, root: int) -> Hashable | None:
        """Return the name of a location that was touched, which is the same in every execution; None if it was not."""
        known = self._fingerprints.get(root)
        return None if known is None else known[0]

    def _number(self, value: Hashable) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    # -- names ----------------------------------------------------------------------------------------------------

    def _meet_threads(self) -> None:
        threads = self._engine.threads
        while self._known_threads < len(threads):
            thread = threads[self._known_threads]
            self._known_threads += 1
            order = self._started[thread.starter] = self._started.get(thread.starter, 0) + 1
            self._histories[thread.id] = self._number(("started", thread.starter, order))
            self._names[id(thread)] = ("thread", thread.id)

    def _name(self, obj: Any, actor: int) -> Hashable:
        """Return the name of an object.

        A new object is named after the thread that uses it first, and that thread's step.
        """
        if isinstance(obj, _CODE):
            return type(obj).__name__, getattr(obj, "__module__", ""), getattr(obj, "__qualname__", repr(obj))
        self._position += 1  # counts known objects, too: a position must not depend on who used an object first
        name = self._names.get(id(obj))
        if name is None:
            name = self._names[id(obj)] = ("made", actor, self._counts.get(actor, 0), self._position)
            self._kept.append(obj)
        return name

    def _walk_setup(self, roots: Iterable[Any]) -> None:
        """Name the objects that the bodies of the test can reach, in an order that is the same in every execution."""
        queue = list(roots)
        for obj in queue:
            if type(obj) not in _ATOMS and not isinstance(obj, (*_CODE, *_OURS)) and id(obj) not in self._names:
                self._names[id(obj)] = ("set up", len(self._names))
                self._kept.append(obj)
                queue.extend(_parts(obj))

    # -- contents -------------------------------------------------------------------------------------------------

    def _found(self, root: int, loc: int, mode: int, actor: int, *, moved: bool) -> Hashable:
        """Return what an operation could see at its location.

        ``moved`` says that the same step may have shifted elements before.
        """
        content = self._contents.get(root)
        if mode in _KEYED and type(content) is tuple and content[0] == "dict":
            key = self._value(self._engine.heap.locs[loc][1], actor)
            return next((value for each, value in content[1] if each == key), _NO_VALUE)
        if mode in _KEYED and type(content) is tuple and content[0] == "sequence" and not moved:
            return next(islice(content[1], self._engine.heap.locs[loc][1], None), _NO_VALUE)
        if mode == WRITE and isinstance(self._engine.heap.locs[root][0], Condition):
            return _is_among_waiters(actor, content)  # no thread learns which other threads wait
        if mode == WRITE and root not in self._opaque and self._engine.heap.locs[root][1] is not WHOLE:
            return content == _NO_VALUE  # an assignment sees nothing, a deletion whether there is a value
        return content

    def _look(self, root: int, actor: int, *, wrote: bool) -> None:
        """Record what a location holds now."""
        obj, name = self._engine.heap.locs[root]
        if type(obj) in OPAQUE:
            self._opaque[root] = obj
            self._keep(root, _primitive(obj), actor)
            return
        content = self._content(obj, name, actor)
        if content is None:  # not accessible: identified by the thread that wrote it, and that thread's history
            content = self._contents.get(root)
            if wrote:
                content = ("written", content, actor, self._histories.get(actor, 0))
        self._keep(root, content, actor)

    def _keep(self, root: int, content: Hashable, actor: int = 0) -> None:
        known = self._fingerprints.get(root)
        if known is None:
            obj, name = self._engine.heap.locs[root]
            owner = obj if type(obj) is str else self._name(obj, actor)
            known = ((owner, "whole" if name is WHOLE else name), -1)
        self._contents[root] = content
        self._fingerprints[root] = (known[0], self._number(content))

    def _content(self, obj: Any, name: Any, actor: int) -> Hashable:
        """Return a location's value in canonical form; None if it is not accessible."""
        if isinstance(obj, VThread):
            return obj.state == FINISHED if obj.id else ("clock", self._engine.time.now)
        if name is WHOLE:
            return self._container(obj, actor)
        if type(obj) is str:
            attributes: Any = vars(sys.modules[obj]) if obj in sys.modules else None
        elif isinstance(obj, type):
            attributes = None  # stands for the attributes of this name in the instances, too
        else:
            attributes = getattr(obj, "__dict__", None)
            if attributes is None or name not in attributes:
                slot = getattr(type(obj), str(name), None)
                if isinstance(slot, types.MemberDescriptorType):
                    value = getattr(obj, str(name), _NO_VALUE)
                    return _NO_VALUE if value is _NO_VALUE else self._value(value, actor)
        if attributes is None or type(obj).__name__ == "Cell":
            return None
        return self._value(attributes[name], actor) if name in attributes else _NO_VALUE

    def _container(self, obj: Any, actor: int) -> Hashable:
        if not is_container(type(obj)):
            return None
        if isinstance(obj, dict):
            return "dict", tuple((self._value(key, actor), self._value(value, actor)) for key, value in dict.items(obj))
        if isinstance(obj, set):
            return "set", self._unordered(list(set.__iter__(obj)), actor)
        base = next(each for each in type(obj).__mro__ if each.__module__ in ("builtins", "collections", "array"))
        walk: Any = base.__dict__["__iter__"]
        return "sequence", tuple(self._value(value, actor) for value in walk(obj))

    def _value(self, value: Any, actor: int) -> Hashable:
        kind = type(value)
        if kind in _ATOMS:
            return kind.__name__, repr(value) if kind in (float, complex) else value
        if kind is tuple:
            return "tuple", tuple(self._value(part, actor) for part in value)
        if kind is frozenset:
            return "frozenset", self._unordered(list(value), actor)
        return self._name(value, actor)

    def _unordered(self, values: list[Any], actor: int) -> Hashable:
        """Return the elements of a set. A set with several new objects has no fixed order: it equals no other set."""
        if len(values) > 1 and any(self._is_new(value) for value in values):
            self._unique += 1
            return "unlike any other", self._unique
        return frozenset(self._value(value, actor) for value in values)

    def _is_new(self, value: Any) -> bool:
        if type(value) in (tuple, frozenset):
            return any(self._is_new(part) for part in value)
        return type(value) not in _ATOMS and not isinstance(value, _CODE) and id(value) not in self._names


def _is_among_waiters(actor: int, content: Hashable) -> bool:
    """Return whether a thread is still among the waiters of a condition: all that it learns from its own waiting."""
    return type(content) is tuple and actor in next((value for name, value in content if name == "_waiters"), ())


def _primitive(obj: Any) -> Hashable:
    """Return the state of a mirrored primitive: its flags and counts, and the threads it refers to, in order."""
    state: list[Hashable] = []
    slots = _SLOTS.get(type(obj))
    if slots is None:
        slots = tuple(name for owner in type(obj).__mro__ for name in getattr(owner, "__slots__", ()))
        _SLOTS[type(obj)] = slots
    for name in (*slots, *getattr(obj, "__dict__", ())):
        value = getattr(obj, name, None)
        if type(value) in _ATOMS:
            state.append((name, value))
        elif isinstance(value, VThread):
            state.append((name, value.id))
        elif name not in _WAITING and type(value) is list and all(isinstance(each, VThread) for each in value):
            state.append((name, tuple(each.id for each in value)))
    return tuple(state)


def _parts(obj: Any) -> Iterator[Any]:  # noqa: C901 - one case per kind of object
    """Yield the objects that an object of the set-up refers to, without running any of its code."""
    if isinstance(obj, types.FunctionType):
        for cell in obj.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:  # not assigned yet
                continue
        yield from obj.__defaults__ or ()
        for name in obj.__code__.co_names:
            value = obj.__globals__.get(name)
            if not isinstance(value, types.FunctionType):
                yield value
        return
    if isinstance(obj, types.MethodType):
        yield obj.__self__
        yield obj.__func__
        return
    if isinstance(obj, (tuple, list)):
        yield from obj
    elif isinstance(obj, dict):
        for key, value in dict.items(obj):
            yield key
            yield value
    for name in ("func", "args", "keywords") if type(obj).__name__ == "partial" else ():
        yield getattr(obj, name)
    attributes = getattr(obj, "__dict__", None)
    if type(attributes) is dict:
        yield from attributes.values()
    for owner in type(obj).__mro__:
        for slot in owner.__dict__.values():
            if isinstance(slot, types.MemberDescriptorType):
                try:
                    yield slot.__get__(obj)
                except AttributeError:
                    continue
