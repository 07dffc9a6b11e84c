"""Bring modules under control that are imported already, in place; `Adopter.release` undoes it.

Standard modules such as `collections.abc` cannot be imported a second time: their classes would lose their identity.
The modules of a hand-written test are imported by pytest before plait runs. So the code objects of their functions are
replaced by rewritten ones, including those of existing closures and lambdas. The thread primitives that modules,
classes, objects and closures hold are replaced by virtual ones. Every change is recorded and undone afterwards, so that
other tests of the same process run with real threads.
"""

from __future__ import annotations

import collections
import functools
import importlib
import inspect
import site
import sys
import sysconfig
import types
from _thread import get_ident  # the real one
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import plait
from plait.model.foreign import attributes_of, is_a, module_of
from plait.run.fibers import OURS
from plait.run.hooks import noop
from plait.run.hooks.access import forget_kinds
from plait.run.hooks.dynamic import HOOKS
from plait.run.hooks.variables import Cell
from plait.run.importing.codes import Codes, Library
from plait.run.importing.counterparts import Counterparts
from plait.run.importing.importer import resolve_lazy

if TYPE_CHECKING:
    from plait.model.site import Site
    from plait.run.importing.mirror import Mirror

# weakref stays out: its callbacks run inside deallocation, where nothing may be scheduled.
STANDARD = ("_collections_abc", "collections", "functools", "contextlib")
LIMIT = 20_000  # objects searched for primitives; a module with more keeps data, not locks

_KINDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ITERABLE_COROUTINE | inspect.CO_ASYNC_GENERATOR
_NAMELESS = (int, float, str, bytes, tuple, type, types.FunctionType, types.ModuleType, types.NoneType)
Put = Callable[[Any], object]


def _guarded(hook: Callable[..., Any], quiet: Callable[..., Any]) -> Callable[..., Any]:
    """Return a hook for code that uncontrolled threads run as well, such as those of pytest or of a debugger."""

    def guarded(*args: Any, **named: Any) -> Any:
        return (hook if get_ident() in OURS else quiet)(*args, **named)

    return guarded


_GUARDED = {**HOOKS, **{name: _guarded(HOOKS[name], quiet) for name, quiet in noop.HOOKS.items() if name != "_p_cell"}}


class Adopter:
    """Adopts modules and functions once each.

    ``modules`` are those adopted, ``left`` names the functions whose code could not be exchanged, ``cells`` are the
    closure variables of the adopted functions, with their names, ``objects`` what bound methods and partials hold.
    """

    tests = False  # whether test functions come under control as well, at the price of pytest's explanations

    def __init__(
        self, mirror: Mirror, sites: dict[int, Site], cache: Path | None = None, library: Library | None = None
    ) -> None:
        self._library = library or Library(sites, cache)
        self._counterparts = Counterparts(mirror)
        self._codes: dict[int, Codes] = {}  # by the identity of the functions' globals
        self._done: set[str] = set()
        self._seen: dict[int, Any] = {}
        self._tokens: dict[int, types.CellType] = {}
        self._undo: list[Callable[[], object]] = []
        self.left: list[str] = []
        self.modules: list[types.ModuleType] = []
        self.cells: list[tuple[str, types.CellType]] = []
        self.objects: list[Any] = []

    # -- adopting and releasing -----------------------------------------------------------------------------------

    def adopt_standard(self) -> None:
        """Adopt the pure-Python standard modules from which classes are built."""
        self._done.add("collections.abc")  # the other name of `_collections_abc`, which is adopted
        for name in STANDARD:
            if name not in self._done:
                module = importlib.import_module(name)
                self._done.add(name)
                self._open(module, _GUARDED)
                self._visit_space(module)

    def adopt(self, names: Iterable[str], *, project: bool = True) -> None:
        """Adopt the named modules and, with ``project``, the project's own modules they refer to."""
        todo = list(names)
        fresh: list[types.ModuleType] = []
        while todo:
            name = todo.pop()
            module = sys.modules.get(name)
            if name in self._done or module is None or getattr(module, "__file__", None) is None:
                continue
            self._done.add(name)
            fresh.append(module)
            resolve_lazy(module)
            self._open(module)
            if project:
                todo.extend(_own_modules(module))
        self.modules.extend(fresh)
        for module in fresh:  # all are known by now: an object of one may stand in another
            self._visit_space(module)

    def adopt_function(self, function: Any) -> Any:
        """Adopt a callable's module and everything that its closure holds; return the callable to use in its place."""
        replaced = [function]
        self._visit(function, lambda new: replaced.__setitem__(0, new))
        return replaced[0]

    def names(self) -> dict[int, str]:
        """Return the names of the objects of the adopted code, by their identity: the variables that hold them."""
        spaces = [*(vars(module).items() for module in self.modules), [(n, _content(cell)) for n, cell in self.cells]]
        return {
            id(value): name
            for space in spaces
            for name, value in list(space)
            if not is_a(value, *_NAMELESS) and not _is_machinery(name)
        }

    def release(self) -> None:
        """Put everything back as it was before the first adoption."""
        while self._undo:
            self._undo.pop()()

    @contextmanager
    def released(self) -> Iterator[Adopter]:
        """Call `release` at the end of a block."""
        try:
            yield self
        finally:
            self.release()

    # -- code ---------------------------------------------------------------------------------------------------

    def _open(self, module: types.ModuleType, hooks: Mapping[str, Any] = HOOKS) -> None:
        """Prepare a module: find the rewritten code of its functions, and add the hooks to its globals."""
        codes = self._library.codes(module)
        if codes is None:
            return
        forget_kinds()
        vars(module).update(hooks)  # they stay: rewritten code may be running when it is given back
        self._codes[id(vars(module))] = codes

    def _exchange(self, function: types.FunctionType, put: Put) -> None:
        codes = self._codes.get(id(function.__globals__))
        if codes is None or not codes.covers(function.__code__):
            return
        old, new = function.__code__, codes.rewritten(function.__code__)
        if new is not None and (new.co_flags ^ old.co_flags) & _KINDS:  # `types.coroutine` and the like have changed it
            new = new.replace(co_flags=(new.co_flags & ~_KINDS) | (old.co_flags & _KINDS))
        if new is None:
            self.left.append(f"{function.__module__}.{function.__qualname__}")
        elif new.co_freevars == old.co_freevars:
            function.__code__ = new
            self._undo.append(lambda: setattr(function, "__code__", old))
        else:
            put(self._with_tokens(function, new))

    def _with_tokens(self, function: types.FunctionType, code: types.CodeType) -> types.FunctionType:
        """Return a copy of a function whose closure has the tokens of the variables that several functions assign."""
        closure = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        cells = []
        for name in code.co_freevars:
            if name in closure:
                cells.append(closure[name])
            else:
                variable = closure[name.removeprefix("_p_cell_")]
                cells.append(self._tokens.setdefault(id(variable), types.CellType(Cell())))
        copy = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, tuple(cells))
        copy.__kwdefaults__ = function.__kwdefaults__
        names = ["__module__", "__qualname__", "__doc__"]
        if hasattr(function, "__type_params__"):
            names.append("__type_params__")
        # From 3.14 on, reading annotations evaluates them, which fails for names that are not defined yet.
        names.append("__annotations__" if getattr(function, "__annotate__", None) is None else "__annotate__")
        for name in names:
            setattr(copy, name, getattr(function, name))
        vars(copy).update(vars(function))
        return copy

    # -- what the code holds ------------------------------------------------------------------------------------

    def _visit(self, value: Any, put: Put) -> None:
        """Adopt a value and what it refers to; call ``put`` with the replacement if it needs one."""
        if id(value) in self._seen:
            known = self._seen[id(value)]
            if known is not value:
                put(known)
            return
        counterpart = self._counterparts.of(value)
        if counterpart is not None:
            put(counterpart)
            return
        visitor = _VISITORS.get(type(value)) or self._visitor(value)
        if visitor is None or len(self._seen) > LIMIT:
            return
        self._seen[id(value)] = value

        def replace(new: Any) -> None:
            self._seen[id(value)] = new
            self._undo.append(lambda: value)  # keeps it alive: an id must not name two values
            put(new)

        self._undo.append(lambda: value)
        visitor(self, value, replace)

    def _visitor(self, value: Any) -> Callable[[Adopter, Any, Put], None] | None:
        if is_a(value, type):
            return Adopter._visit_class if self._is_ours(value) else None
        if is_a(value, dict):
            return Adopter._visit_dict
        if is_a(value, list, collections.deque):
            return Adopter._visit_list
        return Adopter._visit_object if self._is_ours(type(value)) else None

    def _is_ours(self, kind: type) -> bool:
        return kind.__module__ in self._done

    def _setter(self, owner: Any, name: str, old: Any) -> Put:
        """Return a function that replaces an attribute. It is no `partial`: ``old`` may be `functools.Placeholder`."""
        return lambda new: self._set(owner, name, old, new)

    def _item_setter(self, value: Any, key: Any, old: Any) -> Put:
        """Return a function that replaces an element of a container."""
        return lambda new: self._set_item(value, key, old, new)

    def _set(self, owner: Any, name: str, old: Any, new: Any) -> None:
        setattr(owner, name, new)
        self._undo.append(lambda: setattr(owner, name, old))

    def _visit_space(self, owner: Any) -> None:
        for name, value in list(vars(owner).items()):
            if not _is_machinery(name):
                self._visit(value, self._setter(owner, name, value))

    def _visit_class(self, owner: type, put: Put) -> None:
        bases = tuple(self._counterparts.of(base) or base for base in owner.__bases__)
        if bases != owner.__bases__:
            owner = self._rebase(owner, bases, put)
        self._visit_space(owner)

    def _rebase(self, owner: type, bases: tuple[type, ...], put: Put) -> type:
        """Give a class other bases; return a new class where the memory layout forbids that (subclasses of `local`)."""
        old = owner.__bases__
        try:
            owner.__bases__ = bases
        except TypeError:
            space = {name: value for name, value in vars(owner).items() if name not in ("__dict__", "__weakref__")}
            copy: type = type(owner)(owner.__name__, bases, space)
            for function in space.values():
                self._point_super_to(function, owner, copy)
            put(copy)
            return copy
        self._undo.append(lambda: setattr(owner, "__bases__", old))
        return owner

    def _point_super_to(self, function: Any, old: type, new: type) -> None:
        for cell in getattr(function, "__closure__", None) or ():
            if _content(cell) is old:
                self._set(cell, "cell_contents", old, new)

    def _visit_function(self, function: types.FunctionType, put: Put) -> None:
        if function.__code__.co_filename.startswith(_OWN):  # it stands in a project's module, and answers for real ones
            return
        if not self.tests and _belongs_to_pytest(function):
            return
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._visit_cell(name, cell)
        for name in ("__defaults__", "__kwdefaults__"):
            value = getattr(function, name)
            if value:
                self._visit(value, self._setter(function, name, value))
        for name, value in list(vars(function).items()):
            self._visit(value, self._setter(function, name, value))
        if not Codes.covers(function.__code__):
            self._visit_given(function)
        self._exchange(function, put)

    def _visit_given(self, function: types.FunctionType) -> None:
        """Visit the globals of generated code if no module has them: attrs keeps the factories of fields there."""
        space = function.__globals__
        if space is vars(sys.modules.get(space.get("__name__", ""), types)):
            return
        for name in function.__code__.co_names:
            if name in space and not _is_machinery(name):
                self._visit(space[name], self._item_setter(space, name, space[name]))

    def _visit_cell(self, name: str, cell: types.CellType) -> None:
        if id(cell) in self._seen:
            return
        self._seen[id(cell)] = cell
        self.cells.append((name, cell))
        value = _content(cell)
        self._visit(value, self._setter(cell, "cell_contents", value))

    def _visit_wrapper(self, wrapper: Any, put: Put) -> None:
        """Visit a static or class method, and replace it if its function is replaced."""
        self._visit(wrapper.__func__, lambda new: put(type(wrapper)(new)))

    def _visit_property(self, value: property, put: Put) -> None:
        parts: list[Any] = [value.fget, value.fset, value.fdel]
        for index, part in enumerate(list(parts)):
            self._visit(part, functools.partial(parts.__setitem__, index))
        if parts != [value.fget, value.fset, value.fdel]:
            put(property(parts[0], parts[1], parts[2], value.__doc__))

    def _visit_method(self, value: types.MethodType, put: Put) -> None:
        parts: list[Any] = [value.__func__, value.__self__]
        self.objects.append(value.__self__)
        for index, part in enumerate(list(parts)):
            self._visit(part, functools.partial(parts.__setitem__, index))
        if parts[0] is not value.__func__ or parts[1] is not value.__self__:
            put(types.MethodType(parts[0], parts[1]))

    def _visit_partial(self, value: functools.partial[Any], put: Put) -> None:
        parts: list[Any] = [value.func, value.args, value.keywords]
        self.objects.extend((value.args, value.keywords))
        for index, part in enumerate(list(parts)):
            self._visit(part, functools.partial(parts.__setitem__, index))
        if parts[0] is not value.func or parts[1] is not value.args:
            put(functools.partial(parts[0], *parts[1], **parts[2]))

    def _visit_tuple(self, value: tuple[Any, ...], put: Put) -> None:
        parts = list(value)
        for index, part in enumerate(value):
            self._visit(part, functools.partial(parts.__setitem__, index))
        if any(new is not old for new, old in zip(parts, value, strict=True)):
            put(tuple(parts))

    def _visit_list(self, value: Any, _put: Put) -> None:
        for index, part in enumerate(list(value)):
            self._visit(part, self._item_setter(value, index, part))

    def _visit_dict(self, value: dict[Any, Any], put: Put) -> None:
        for key, part in list(dict.items(value)):
            self._visit(part, self._item_setter(value, key, part))
        if is_a(value, collections.defaultdict):
            factory = value.default_factory  # type: ignore[attr-defined]
            self._visit(factory, self._setter(value, "default_factory", factory))
        self._visit_object(value, put)

    def _set_item(self, value: Any, key: Any, old: Any, new: Any) -> None:
        kind = dict if is_a(value, dict) else list if is_a(value, list) else collections.deque
        kind.__setitem__(value, key, new)
        self._undo.append(lambda: kind.__setitem__(value, key, old))

    def _visit_object(self, value: Any, _put: Put) -> None:
        """Visit the attributes of an instance, with or without slots."""
        attributes = attributes_of(value)
        if attributes is not None:
            for name, part in list(attributes.items()):
                self._visit(part, self._item_setter(attributes, name, part))
        for owner in type(value).__mro__:
            for slot in vars(owner).values():
                if is_a(slot, types.MemberDescriptorType) and self._is_ours(owner):
                    self._visit_slot(value, slot)

    def _visit_slot(self, value: Any, slot: types.MemberDescriptorType) -> None:
        try:
            part = slot.__get__(value)
        except AttributeError:
            return

        def put(new: Any) -> None:
            slot.__set__(value, new)
            self._undo.append(lambda: slot.__set__(value, part))

        self._visit(part, put)


_VISITORS: dict[type, Callable[[Adopter, Any, Put], None]] = {
    types.FunctionType: Adopter._visit_function,
    types.MethodType: Adopter._visit_method,
    staticmethod: Adopter._visit_wrapper,
    classmethod: Adopter._visit_wrapper,
    property: Adopter._visit_property,
    functools.partial: Adopter._visit_partial,
    tuple: Adopter._visit_tuple,
}


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _is_machinery(name: str) -> bool:
    return name.startswith("_p_") or name in ("__builtins__", "__loader__", "__spec__", "__dict__", "__weakref__")


def _belongs_to_pytest(function: types.FunctionType) -> bool:
    """Return whether this is a test function whose assertions pytest explains: it must stay as it is."""
    return function.__name__.startswith("test") and "@pytest_ar" in function.__globals__


_OWN = str(Path(plait.__file__).parent)
_PATHS = sysconfig.get_paths()
_STANDARD = (_PATHS["stdlib"], _PATHS["platstdlib"])
_INSTALLED = tuple({_PATHS["purelib"], _PATHS["platlib"], *site.getsitepackages()})
_FOREIGN = (*_STANDARD, *_INSTALLED)


def is_standard(path: str) -> bool:
    """Return whether a file belongs to the standard library, or to plait."""
    return path.startswith(_OWN) or (path.startswith(_STANDARD) and not path.startswith(_INSTALLED))


def is_foreign(path: str) -> bool:
    """Return whether a file belongs to the interpreter or to an installed package, or to plait."""
    return path.startswith((*_FOREIGN, _OWN))


def _own_modules(module: types.ModuleType) -> list[str]:
    names = set()
    for value in vars(module).values():
        name = value.__name__ if is_a(value, types.ModuleType) else module_of(value)
        if name is not None:
            path = getattr(sys.modules.get(name), "__file__", None)
            if path is not None and not is_foreign(path):
                names.add(name)
    return sorted(names)
