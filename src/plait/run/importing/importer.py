"""Import the modules under test in their rewritten form, and leave all others to Python."""

from __future__ import annotations

import builtins
import contextlib
import gc
import importlib
import importlib.util
import linecache
import sys
import types
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from plait.run.foreign_time import is_rewritten
from plait.run.rewrite import REFERENCES, compile_among

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Iterator,
        Mapping,
        Sequence,
    )
    from types import ModuleType

    from plait.model.site import Site


def _pairs(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield pairs of corresponding functions of two compilations of one source."""
    yield old, new
    inner = ([each for each in code.co_consts if isinstance(each, CodeType)] for code in (old, new))
    for first, second in zip(*inner, strict=True):
        yield from _pairs(first, second)


class RewritingLoader(SourceFileLoader):
    """Loads one module from its source file, rewritten.

    Everything else (source for tracebacks, resources, ``runpy``) works as in the ordinary loader. The code is kept, so
    it is cheap to execute the module again.
    """

    def __init__(self, fullname: str, path: str, importer: Importer, source: str | None = None) -> None:
        super().__init__(fullname, path)
        self._importer = importer
        self._source = source
        self._code: CodeType | None = None

    def exec_module(self, module: ModuleType) -> None:
        """Execute the rewritten code with the hooks among the module's globals."""
        if self._code is None:
            self._code = self._compiled()
        module.__dict__.update(REFERENCES)
        module.__dict__.update(self._importer.hooks)
        exec(self._code, module.__dict__)

    def _compiled(self) -> CodeType:
        source = self.get_data(self.path) if self._source is None else self._source
        return self._importer.compile(source, self.name, self.path)

    def compile_again(self) -> None:
        """Compile a module again, because a later module assigns its globals: its functions read them through hooks."""
        if self._code is None:
            return
        old, self._code = self._code, self._compiled()
        successors = dict(_pairs(old, self._code))
        for function in gc.get_objects():
            if type(function) is FunctionType and function.__code__ in successors:
                function.__code__ = successors[function.__code__]

    def get_data(self, path: str) -> bytes:
        """Return the content of a file, or the source of a module that has none."""
        return super().get_data(path) if self._source is None or path != self.path else self._source.encode()


class Importer:
    """A finder for ``sys.meta_path`` that loads rewritten modules.

    ``wanted(module_name, origin_path)`` says which modules to rewrite. ``hooks`` become globals of each of them, and
    the places of their hooks are added to ``sites``. Modules that were wanted but are not Python source (or too deeply
    nested to be rewritten) are imported as usual and listed in ``uncontrolled``.
    """

    def __init__(
        self,
        wanted: Callable[[str, str], bool],
        hooks: Mapping[str, Callable[..., Any]],
        sites: dict[int, Site],
        cache: Path | None = None,
    ) -> None:
        self.wanted = wanted
        self.hooks = hooks
        self.sites = sites
        self.cache = cache
        self.uncontrolled: list[str] = []
        self._assigned: dict[str, set[str]] = {}  # by module: its globals that modules loaded before it assign

    def install(self) -> None:
        """Rewrite wanted modules, from now on, when they are imported."""
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def uninstall(self) -> None:
        """Undo `install`; modules that are imported already stay."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module by the other finders; if it is wanted and can be rewritten, load it rewritten."""
        spec = self._found_by_others(fullname, path, target)
        if spec is None or spec.loader is None or spec.origin is None:
            return spec
        if spec.origin == "frozen":  # frozen for speed; the source lies beside the others
            spec = PathFinder.find_spec(fullname, path, target) or spec
        origin = spec.origin or ""
        if not self.wanted(fullname, origin):
            return spec
        if type(spec.loader) is not SourceFileLoader:
            self._leave(fullname)
            return spec
        spec.loader = RewritingLoader(fullname, origin, self)
        return spec

    def _found_by_others(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        before = sys.meta_path.index(self) + 1 if self in sys.meta_path else 0  # these have been asked already
        for finder in sys.meta_path[before:]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                return spec
        return None

    def _leave(self, fullname: str) -> None:
        if fullname not in self.uncontrolled:
            self.uncontrolled.append(fullname)

    def compile(self, source: str | bytes, name: str, path: str) -> CodeType:
        """Return the code of a module, rewritten if possible, and record its places."""
        try:
            made = compile_among(source, name, path, self.cache, frozenset(self._assigned.get(name, ())))
        except RecursionError:
            self._leave(name)
            return compile(source, path, "exec", dont_inherit=True)
        self.sites.update((site.number, site) for site in made.sites)
        for other, variable in made.assigns:
            names = self._assigned.setdefault(other, set())
            if variable not in names:
                names.add(variable)
                loaded = getattr(sys.modules.get(other), "__loader__", None)
                if isinstance(loaded, RewritingLoader) and other != name:
                    loaded.compile_again()
        return made.code

    def load_source(self, name: str, origin: Path | str) -> ModuleType:
        """Return a rewritten module from a file (a path) or from source text (a string), whatever ``sys.path`` says.

        It is entered in ``sys.modules``. ``__init__.py`` is loaded as a package.
        """
        if isinstance(origin, Path):
            location = str(origin.resolve())
            folder = [str(origin.resolve().parent)] if origin.name == "__init__.py" else None
            loader = RewritingLoader(name, location, self)
        else:
            location, folder = f"<{name}>", None
            loader = RewritingLoader(name, location, self, origin)
            linecache.cache[location] = (len(origin), None, origin.splitlines(keepends=True), location)
        spec = importlib.util.spec_from_file_location(name, location, loader=loader, submodule_search_locations=folder)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        replaced = sys.modules.get(name)
        sys.modules[name] = module
        try:
            loader.exec_module(module)
        except BaseException:
            if replaced is None:
                del sys.modules[name]
            else:
                sys.modules[name] = replaced
            raise
        return sys.modules[name]


# -- imports -----------------------------------------------------------------------------------------------------------
# Imports inside functions: code under control gets the mirrored modules, all other code the real ones.
#
# Lazy imports (``lazy import``, from 3.15 on) are resolved before the first execution: a module that is loaded during
# an execution would make the first one differ from all others.


_LAZY: type | None = getattr(types, "LazyImportType", None)


def resolve_lazy(module: ModuleType) -> bool:
    """Resolve the lazy imports of a module; return whether there were any.

    An import that fails stays lazy, and fails again where the code uses it.
    """
    if _LAZY is None:
        return False
    late = [name for name, value in list(vars(module).items()) if type(value) is _LAZY]
    for name in late:
        with contextlib.suppress(Exception):
            getattr(module, name)
    return any(type(vars(module).get(name)) is not _LAZY for name in late)


@contextmanager
def mirrored_imports(modules: Mapping[str, ModuleType]) -> Iterator[None]:
    """``import threading`` in rewritten code gives ``modules["threading"]`` while this block runs.

    So does ``importlib.import_module("threading")``.
    """
    real, by_name = builtins.__import__, importlib.import_module

    def mirrored(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - the names that the built-in gives them
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if level == 0 and globals is not None and "_p_r" in globals:
            found = modules.get(name if fromlist else name.partition(".")[0])
            if found is not None:
                return found
        return real(name, globals, locals, fromlist or (), level)

    def mirrored_by_name(name: str, package: str | None = None) -> ModuleType:
        found = by_name(name, package)
        return modules.get(name, found) if is_rewritten(sys._getframe(1).f_globals) else found

    builtins.__import__ = mirrored
    importlib.import_module = mirrored_by_name
    try:
        yield
    finally:
        builtins.__import__ = real
        importlib.import_module = by_name
