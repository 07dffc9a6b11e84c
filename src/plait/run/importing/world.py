"""Everything that a process needs to run code under test: mirrored modules, the importer, and the state to restore.

A process has one world, and loads one version of the code under test into it. Two versions never share a process.
"""

from __future__ import annotations

import ast
import asyncio  # noqa: F401 - see below
import contextlib
import importlib
import importlib.util
import os
import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from plait.errors import UsageError
from plait.model.foreign import is_a
from plait.model.site import Site
from plait.run.engine import ENGINE
from plait.run.foreign_time import virtual_dates_for_rewritten_code
from plait.run.hooks.dynamic import HOOKS, Places, adopt_generators
from plait.run.importing.adopt import Adopter, is_foreign
from plait.run.importing.importer import Importer, resolve_lazy
from plait.run.importing.mirror import Mirror
from plait.run.importing.modulestate import ModuleState
from plait.subject.source import Module

# asyncio keeps the modules `time` and `selectors` of its first import. If those were the mirrored ones, the clock of
# all event loops of this process would stand still outside of executions. So it is imported before the mirror exists.


def cache_folder() -> Path:
    """Return the folder in which rewritten code is kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "plait" / "code"


class World:
    """Loads modules rewritten, over the mirrored standard modules; ``processes`` as for `Mirror`."""

    def __init__(self, sites: dict[int, Site], *, cache: Path | None = None, processes: bool = False) -> None:
        self.sites = Places.sites = sites
        adopt_generators()
        virtual_dates_for_rewritten_code()
        self.cache = cache_folder() if cache is None else cache
        self.mirror = Mirror(sites, self.cache, processes=processes)
        self.adopter = Adopter(self.mirror, sites, self.cache)
        self.adopter.adopt_standard()
        self._roots: tuple[str, ...] = ()
        self._packages: frozenset[str] = frozenset()
        self.importer = Importer(self._wanted, HOOKS, sites, self.cache)

    def _wanted(self, name: str, origin: str) -> bool:
        if name.partition(".")[0] in self._packages:
            return True
        return bool(self._roots) and origin.startswith(self._roots) and not is_foreign(origin)

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Let imports behave as in code under test until the block ends."""
        with self.mirror.installed():
            self.importer.install()
            try:
                yield
            finally:
                self.importer.uninstall()

    def load(
        self, module: str, *, file: Path | None = None, roots: Sequence[Path] = (), paths: Sequence[Path] = ()
    ) -> types.ModuleType:
        """Import a module rewritten. ``roots`` hold the code under test, ``paths`` what it depends on.

        The module's own top-level package is rewritten wherever it lies; other modules below ``roots`` too.
        """
        self._roots = tuple(f"{root.resolve()}{os.sep}" for root in roots)
        self._packages = frozenset({module.partition(".")[0]})
        for folder in reversed([*roots, *paths]):
            entry = str(folder.resolve())
            if entry in sys.path:
                sys.path.remove(entry)
            sys.path.insert(0, entry)
        importlib.invalidate_caches()
        with self.entered():
            self._forget(module)
            if file is None or is_found_by_name(module, file):
                loaded = importlib.import_module(module)
            else:
                loaded = self.importer.load_source(module, file)
            self._import_for_types(loaded)
            while any(resolve_lazy(each) for each in list(sys.modules.values()) if self._under_test(each)):
                pass  # what has been imported now may have put off imports of its own
            return loaded

    def _import_for_types(self, module: types.ModuleType) -> None:
        """Import what a module names for type checkers only: its annotations mean classes that callers have loaded."""
        file = getattr(module, "__file__", None)
        if not self._under_test(module) or not isinstance(file, str):
            return
        try:
            text = Path(file).read_bytes()
            tree = ast.parse(text)
        except (OSError, SyntaxError, ValueError):  # it was imported earlier, and its file is another one by now
            return
        source = Module(module.__name__, file, tree, "__path__" in vars(module), True, text)
        if all(map(_is_importable, source.for_types)):
            return
        for name in (*source.imported_late, *source.for_types):  # in a circle, the order matters
            _is_importable(name)

    def _forget(self, module: str) -> None:
        """Forget a module that was imported before un-rewritten: it must be imported again."""
        top = module.partition(".")[0]
        for name in [name for name in sys.modules if name == top or name.startswith(f"{top}.")]:
            loaded = sys.modules[name]
            if "_p_r" not in vars(loaded) and name not in sys.builtin_module_names and top != "plait":
                del sys.modules[name]

    def snapshot(self) -> None:
        """Let every execution start from the current state of the modules under test."""
        modules = [module for module in list(sys.modules.values()) if self._under_test(module)]
        ENGINE.modules = ModuleState([*modules, *self.adopter.modules])

    @staticmethod
    def _under_test(module: Any) -> bool:
        return type(getattr(module, "__spec__", None)).__name__ == "ModuleSpec" and (
            type(module.__spec__.loader).__name__ == "RewritingLoader"
        )


def _is_importable(name: str) -> bool:
    """Import a module; return whether that worked: for type checkers, one may be named that is not there."""
    try:
        importlib.import_module(name)
    except Exception:  # the code under test runs
        return False
    return True


def is_found_by_name(module: str, file: Path) -> bool:
    """Return whether importing a submodule by its name loads this file.

    Then it must be imported by its name: otherwise a package that imports the submodule itself would find it half
    loaded. If the package cannot be imported, the file may still be loaded by its path.
    """
    if "." not in module:
        return False
    try:
        found = importlib.util.find_spec(module)
        return found is not None and found.origin is not None and Path(found.origin).resolve() == file.resolve()
    except Exception:  # finding the parent package has run its code
        return False


def find_in(module: types.ModuleType, qualname: str) -> Any:
    """Return the class (or function) with this qualified name, or a `UsageError` that suggests near ones."""
    found: Any = module
    for part in qualname.split("."):
        if not hasattr(found, part):
            raise UsageError(missing(module, qualname, found, part))
        found = getattr(found, part)
    return found


def missing(module: types.ModuleType, qualname: str, owner: Any, part: str) -> str:
    """Return the error for a name that does not exist, as one line."""
    import difflib  # noqa: PLC0415 - only for the message

    names = [name for name in vars(owner) if not name.startswith("_")]
    near = difflib.get_close_matches(part, names, 3, 0.5)
    classes = [name for name in names if is_a(vars(owner)[name], type)][:6]
    hint = f"; did you mean {', '.join(near)}?" if near else f"; it has {', '.join(classes)}" if classes else ""
    return f"{module.__name__} has no {qualname!r}{_conditional(module, part) or hint}"


def _conditional(module: types.ModuleType, name: str) -> str:
    """Return a hint if the module's file defines the name but the import does not, or if the module is empty."""
    import ast  # noqa: PLC0415 - only for the message

    try:
        tree = ast.parse(Path(str(module.__file__)).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ""
    if not tree.body:
        return ": the file is empty"
    for node in ast.walk(tree):
        named = isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name
        if not named:
            continue
        within = next(each for each in tree.body if node in ast.walk(each))
        if isinstance(within, ast.If):
            return (
                f" when it is imported: it stands under `if {ast.unparse(within.test)}:` (line {within.lineno}); "
                "move it out of there"
            )
        if isinstance(within, ast.FunctionDef | ast.AsyncFunctionDef):
            return f": it is local to `{within.name}` (line {within.lineno}); move it to the top of the module"
    return ""
