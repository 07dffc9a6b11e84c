"""Restore the state of modules and classes after each execution.

An execution may change module globals, class attributes and the objects reachable from them. The next one would then
start in another state, and could not follow a prefix of choices. So a snapshot is taken when the code under test has
been imported: shallow copies of every mutable object reachable from its modules. Restoring compares each object with
its copy and restores those that differ. This is cheap, because nearly all are unchanged.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import random
import sys
import types
import weakref
from collections.abc import Callable, Container, Iterable
from itertools import count, repeat
from operator import is_
from typing import Any

from plait.model.foreign import attributes_of, is_a
from plait.run.hooks.containers import is_weak
from plait.run.identity import identity
from plait.run.primitives.file_lock import reset_file_locks
from plait.run.primitives.kinds import primitive_kind
from plait.run.primitives.local import local
from plait.run.primitives.number import reset_numbers
from plait.run.primitives.thread import hooks

_MIRRORED = frozenset({"threading", "queue", "sched", "concurrent.futures.thread", "concurrent.futures._base"})
LIMIT = 5000  # objects; a module with more keeps data, not state

Restore = Callable[[], None]


class _Counter:
    """An ``itertools.count``. It cannot be reset, so another counter replaces it in the places that hold it.

    ``stands`` is the counter of the next execution, with the number that the original had in the snapshot.
    """

    def __init__(self, value: count[Any]) -> None:
        self.stands = value
        self._text = repr(value)
        parsed = ast.parse(self._text, mode="eval").body
        self._start = [ast.literal_eval(each) for each in parsed.args] if isinstance(parsed, ast.Call) else []

    def renew(self) -> None:
        if repr(self.stands) != self._text:
            self.stands = count(*self._start)


class _InPlace:
    """The replacement of a counter in one place: the new counter, or its ``__next__``."""

    def __init__(self, counter: _Counter, method: str | None) -> None:
        self._counter = counter
        self._method = method
        self._made: Any = None
        self._of: Any = None

    def current(self) -> Any:
        stands = self._counter.stands
        if self._method is None:
            return stands
        if self._of is not stands:
            self._of, self._made = stands, getattr(stands, self._method)
        return self._made


class ModuleState:
    """The snapshot; the engine calls ``restore`` after every execution.

    ``cells`` are closure variables and ``objects`` anything else that belongs to the state as well; objects in
    ``leave`` are not touched.
    """

    def __init__(
        self,
        modules: Iterable[types.ModuleType],
        cells: Iterable[types.CellType] = (),
        objects: Iterable[Any] = (),
        leave: Iterable[Any] = (),
    ) -> None:
        self._undo: list[Restore] = []
        self._kept: list[Any] = list(leave)
        self._seen: set[int] = set(map(id, self._kept))
        self._paths: dict[int, str] = {}  # of what a variable of a module or a class holds: the first one's name
        self._counters: dict[int, _Counter] = {}
        self._hook = hooks.excepthook
        self.behind: list[Callable[[], object]] = []  # further functions to call after every execution
        self.truncated = False
        self._imported = dict(sys.modules)
        self._made: set[str] = set()
        self._names = {module.__name__ for module in modules}
        for module in modules:
            self._visit_namespace(module)
        for cell in cells:
            self._visit_cell(cell)
        for value in objects:
            self._visit(value)

    def restore(self, heap: object = None) -> None:
        """Restore all objects to the state in the snapshot."""
        reset_numbers()
        hooks.restore(self._hook)
        reset_file_locks()
        self._forget_modules(getattr(heap, "contents", {}).get(identity(sys.modules), ()))
        for counter in self._counters.values():
            counter.renew()
        for undo in self._undo:
            undo()
        for action in self.behind:
            action()

    def _forget_modules(self, named: Container[object]) -> None:
        """Remove modules that the code has entered into `sys.modules` itself, in an execution; imported ones stay.

        These are lazy ones (of another class), also if they have been loaded since, and those whose names the code has
        looked for (``named``).
        """
        if len(sys.modules) == len(self._imported):
            return
        for name in [name for name in sys.modules if name not in self._imported]:
            module = sys.modules[name]
            kind = type(module)
            if kind is not types.ModuleType and not kind.__module__.startswith("plait."):
                self._made.add(name)
            if name in self._made or name in named:
                del sys.modules[name]
            else:
                self._imported[name] = module

    def name_of(self, value: Any) -> str | None:
        """Return a name for an object that belongs to the state: its variable, else its address; None for others."""
        return self._paths.get(id(value), str(id(value))) if id(value) in self._seen else None

    def _once(self, value: Any) -> bool:
        if id(value) in self._seen:
            return False
        if len(self._kept) >= LIMIT:
            self.truncated = True
            return False
        self._seen.add(id(value))
        self._kept.append(value)
        return True

    def _visit_namespace(self, owner: Any) -> None:
        """Visit a module, or a class defined in one of the modules."""
        if not self._once(owner):
            return
        saved = {name: value for name, value in vars(owner).items() if not _machinery(name)}
        counters = {name: kept for name, value in saved.items() if (kept := self._counter(value)) is not None}
        data = {
            name: value for name, value in saved.items() if not is_a(value, types.FunctionType) and name not in counters
        }
        space = vars(owner)
        names, values = tuple(data), tuple(data.values())

        def undo() -> None:
            if len(space) != size or (names and not all(map(is_, map(space.get, names, repeat(undo)), values))):
                for name in [name for name in space if name not in saved and not _machinery(name)]:
                    delattr(owner, name)
                for name, value in data.items():
                    if space.get(name, undo) is not value:
                        setattr(owner, name, value)

        def renew() -> None:
            for name, kept in counters.items():
                if space.get(name, renew) is not (value := kept.current()):
                    setattr(owner, name, value)

        size = len(space)
        self._undo += [undo, renew] if counters else [undo]
        place = owner.__name__ if is_a(owner, types.ModuleType) else f"{owner.__module__}.{owner.__qualname__}"
        for name, value in data.items():
            self._paths.setdefault(id(value), f"{place}.{name}")
            self._visit(value)

    def _visit_cell(self, cell: types.CellType) -> None:
        try:
            saved = cell.cell_contents
        except ValueError:  # not assigned yet
            return
        if id(saved) in self._seen:
            return
        kept = self._counter(saved)

        def undo() -> None:
            cell.cell_contents = saved if kept is None else kept.current()

        self._undo.append(undo)
        self._visit(saved)

    def _visit(self, value: Any) -> None:
        # An object that cannot be inspected keeps its changes, which is better than not to test the class.
        with contextlib.suppress(Exception):
            self._keep(value)

    def _keep(self, value: Any) -> None:
        kind = type(value)
        if is_a(value, type):
            if value.__module__ in self._names:
                self._visit_namespace(value)
            return
        if is_a(value, types.ModuleType, types.FunctionType, str, bytes, int, float, type(None), property):
            return
        if kind in (staticmethod, classmethod) or not self._once(value):
            return
        primitive = primitive_kind(value)
        if primitive is not None:
            self._undo.append(primitive.keep(value))
        elif is_a(value, dict):
            self._visit_dict(value)
        elif is_a(value, list, collections.deque, bytearray):
            self._visit_sequence(value)
        elif is_a(value, set):
            self._visit_set(value)
        elif kind in (tuple, frozenset):
            for part in value:
                self._visit(part)
        elif is_weak(kind):
            self._visit_weak(value)
        elif is_a(value, random.Random):
            self._visit_random(value)
        self._visit_instance(value)

    def _counter(self, value: Any) -> _InPlace | None:
        """Return the replacement of a counter, or of the ``__next__`` of one; None for everything else."""
        method = None
        if type(value) is types.MethodWrapperType and value.__name__ == "__next__":
            value, method = value.__self__, value.__name__
        if type(value) is not count:
            return None
        if id(value) not in self._counters:
            try:
                self._counters[id(value)] = _Counter(value)
            except (ValueError, SyntaxError):  # it counts in something else than numbers
                return None
            self._kept.append(value)
        return _InPlace(self._counters[id(value)], method)

    def _visit_dict(self, value: dict[Any, Any]) -> None:
        owner: Any = collections.OrderedDict if is_a(value, collections.OrderedDict) else dict
        saved = dict(owner.items(value))
        counters = {key: kept for key, part in saved.items() if (kept := self._counter(part)) is not None}

        def undo() -> None:
            for key, kept in counters.items():
                saved[key] = kept.current()
            if not _same(owner, value, saved):
                owner.clear(value)
                for key, part in saved.items():
                    owner.__setitem__(value, key, part)

        self._undo.append(undo)
        for part in list(saved.values()):
            self._visit(part)

    def _visit_sequence(self, value: Any) -> None:
        # The built-in's own methods: those of a subclass are code under test.
        owner: Any = next(each for each in (list, collections.deque, bytearray) if is_a(value, each))
        saved = list(owner.__iter__(value))

        def undo() -> None:
            if owner.__len__(value) != len(saved) or not all(map(is_, owner.__iter__(value), saved)):
                owner.clear(value)
                owner.extend(value, saved)

        self._undo.append(undo)
        for part in saved:
            self._visit(part)

    def _visit_set(self, value: set[Any]) -> None:
        saved = set(set.__iter__(value))

        def undo() -> None:
            if set.__len__(value) != len(saved) or not saved.issuperset(set.__iter__(value)):
                set.clear(value)
                set.update(value, saved)

        self._undo.append(undo)

    def _visit_random(self, value: random.Random) -> None:
        """Visit a generator of random numbers: each execution gets the same ones from it."""
        saved = random.Random.getstate(value)
        self._undo.append(lambda: random.Random.setstate(value, saved))

    def _visit_weak(self, value: Any) -> None:
        """Visit a weak container: objects of an execution may live on, and the next one would find them in it."""
        content = attributes_of(value)
        held: Any = None if content is None else content.get("data")
        if is_a(held, dict):
            self._kept += list(value.values() if weakref.WeakValueDictionary in type(value).__mro__ else value.keys())
            self._visit_dict(held)
        elif is_a(held, set):
            self._kept += list(value)
            self._visit_set(held)

    def _visit_instance(self, value: Any) -> None:
        kind = type(value)
        if kind.__module__ not in self._names and not _is_mirrored(kind):
            return
        attributes = attributes_of(value)
        if attributes is not None:
            self._visit_dict(attributes)
        for owner in kind.__mro__:
            for slot in vars(owner).values():
                if is_a(slot, types.MemberDescriptorType):
                    self._visit_slot(value, slot)

    def _visit_slot(self, value: Any, slot: types.MemberDescriptorType) -> None:
        try:
            saved = slot.__get__(value)
            slot.__set__(value, saved)
        except (AttributeError, TypeError):  # nothing in it, or a read-only member of an extension type
            return

        def undo() -> None:
            slot.__set__(value, saved)

        self._undo.append(undo)
        self._visit(saved)


def _is_mirrored(kind: type) -> bool:
    """Return whether a class is part of the mirror: made from a standard module's source, or `local`."""
    return issubclass(kind, local) or (
        kind.__module__ in _MIRRORED and "_p_r" in getattr(kind.__init__, "__globals__", ())
    )


def _machinery(name: str) -> bool:
    return name.startswith("_p_") or (name.startswith("__") and name.endswith("__"))


def _same(owner: Any, first: dict[Any, Any], second: dict[Any, Any]) -> bool:
    """Return whether two mappings have the same items in the same order, without calling ``__eq__`` of any value.

    ``owner`` is the class whose methods iterate over ``first``: an OrderedDict has an order of its own.
    """
    return (
        len(first) == len(second)
        and all(map(is_, owner.keys(first), second))
        and all(map(is_, owner.values(first), second.values()))
    )
