"""Brings modules that are imported already under control, in place.

Standard modules such as `collections.abc` cannot be imported a second time (their classes would lose their identity),
and the modules of a hand-written test are imported by pytest before plait is asked for anything. So the code objects
of their functions are exchanged for rewritten ones, and the thread primitives they hold for virtual ones: names
imported from `threading`, locks made at import time, bases of Thread subclasses. Outside executions the hooks do
nothing and virtual primitives behave like free ones.
"""

from __future__ import annotations

import importlib
import site
import sys
import sysconfig
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from plait.model.site import Site
from plait.run.hooks import HOOKS
from plait.run.mirror import Mirror
from plait.run.primitives.lock import Lock, RLock
from plait.run.rewrite import compile_module

# weakref stays out: its callbacks run inside deallocation, where nothing may be scheduled.
STANDARD = ("_collections_abc", "collections", "functools", "contextlib")


class Adopter:
    """Adopts modules once each; ``left`` names the functions whose code could not be exchanged."""

    def __init__(self, mirror: Mirror, sites: dict[int, Site], cache: Path | None = None) -> None:
        self._mirror = mirror
        self._sites = sites
        self._cache = cache
        self._done: set[str] = set()
        self.left: list[str] = []
        self.modules: list[types.ModuleType] = []

    def adopt_standard(self) -> None:
        """The pure-Python standard modules that classes are built from."""
        for name in STANDARD:
            module = importlib.import_module(name)
            if name not in self._done:
                self._done.add(name)
                self._rewrite(module)
                if hasattr(module, "RLock"):
                    module.RLock = RLock

    def adopt(self, names: Iterable[str], *, project: bool = True) -> None:
        """The named modules and, with ``project``, the project's own modules they refer to."""
        todo = list(names)
        while todo:
            name = todo.pop()
            module = sys.modules.get(name)
            if name in self._done or module is None or getattr(module, "__file__", None) is None:
                continue
            self._done.add(name)
            self.modules.append(module)
            self._rewrite(module)
            self._replace_primitives(module)
            if project:
                todo.extend(_own_modules(module))

    def _rewrite(self, module: types.ModuleType) -> None:
        path = Path(str(module.__file__))
        if path.suffix != ".py":
            return
        code, found = compile_module(path.read_bytes(), module.__name__, str(path), self._cache)
        self._sites.update((place.number, place) for place in found)
        codes: dict[tuple[str, int], types.CodeType] = {}
        _collect(code, codes)
        module.__dict__.update(HOOKS)
        self._exchange(module, module.__name__, codes, set())

    def _exchange(
        self, owner: Any, module: str, codes: dict[tuple[str, int], types.CodeType], seen: set[int]
    ) -> None:
        if id(owner) in seen:
            return
        seen.add(id(owner))
        for value in list(vars(owner).values()):
            for function in _functions(value):
                if function.__module__ not in (module, "collections.abc"):
                    continue
                old = function.__code__
                new = codes.get((old.co_qualname, old.co_firstlineno))
                if new is None or new.co_freevars != old.co_freevars:
                    if new is not old:
                        self.left.append(f"{module}.{function.__qualname__}")
                else:
                    function.__code__ = new
            if isinstance(value, type) and value.__module__ in (module, "collections.abc"):
                self._exchange(value, module, codes, seen)

    def _replace_primitives(self, module: types.ModuleType) -> None:
        real = self._real()
        for owner in (module, *(value for value in vars(module).values() if _defined_in(value, module))):
            for name, value in list(vars(owner).items()):
                replacement = _replacement(value, real)
                if replacement is not None:
                    setattr(owner, name, replacement)
            if isinstance(owner, type):
                bases = tuple(real.get(id(base), base) for base in owner.__bases__)
                if bases != owner.__bases__:
                    owner.__bases__ = bases

    def _real(self) -> dict[int, Any]:
        """Real things by identity, with their virtual counterparts."""
        found: dict[int, Any] = {}
        for name, virtual in self._mirror.modules.items():
            real = sys.modules.get(name)
            if real is None or real is virtual:
                continue
            found[id(real)] = virtual
            for attribute, value in vars(real).items():
                twin = vars(virtual).get(attribute)
                if twin is not None and twin is not value and (callable(value) or isinstance(value, types.ModuleType)):
                    found[id(value)] = twin
        return found


def _collect(code: types.CodeType, found: dict[tuple[str, int], types.CodeType]) -> None:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found[constant.co_qualname, constant.co_firstlineno] = constant
            _collect(constant, found)


def _functions(value: Any) -> list[types.FunctionType]:
    if isinstance(value, types.FunctionType):
        inner = getattr(value, "__wrapped__", None)
        return [value, *_functions(inner)] if inner is not None else [value]
    if isinstance(value, staticmethod | classmethod):
        return _functions(value.__func__)
    if isinstance(value, property):
        return [part for part in (value.fget, value.fset, value.fdel) if isinstance(part, types.FunctionType)]
    return []


_REAL_LOCK, _REAL_RLOCK = type(importlib.import_module("_thread").allocate_lock()), importlib.import_module("_thread").RLock


def _replacement(value: Any, real: dict[int, Any]) -> Any:
    """The virtual counterpart of a real primitive, or of a lock made at import time."""
    if id(value) in real:
        return real[id(value)]
    if type(value) is _REAL_LOCK:
        return Lock()
    if type(value) is _REAL_RLOCK:
        return RLock()
    kind = real.get(id(type(value)))
    if kind is not None and type(value).__name__ in ("Condition", "Event"):
        return kind()
    if kind is not None and type(value).__name__ in ("Semaphore", "BoundedSemaphore"):
        return kind(value._value)
    return None


def _defined_in(value: Any, module: types.ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__


_FOREIGN = tuple(
    {sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")} | set(site.getsitepackages())
)


def is_foreign(path: str) -> bool:
    """Whether a file belongs to the interpreter or to an installed package, or to plait."""
    return path.startswith(_FOREIGN) or path.startswith(str(Path(__file__).parent.parent))


def _own_modules(module: types.ModuleType) -> list[str]:
    names = set()
    for value in vars(module).values():
        name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
        if isinstance(name, str):
            found = sys.modules.get(name)
            path = getattr(found, "__file__", None)
            if path is not None and not is_foreign(path):
                names.add(name)
    return sorted(names)
