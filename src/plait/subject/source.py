"""The source text of one version, read without importing anything."""

from __future__ import annotations

import ast
import os
import sys
import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from plait.errors import UsageError
from plait.model.files import file_bytes, parse_source
from plait.subject.changes.matching import header_parts, statements
from plait.subject.changes.normal import digest, header, sha256
from plait.subject.changes.scopes import (
    BLOCKS,
    DEFINITIONS,
    FUNCTIONS,
    Definition,
    FunctionNode,
    definitions,
    scope_statements,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_STANDARD = Path(os.__file__).parent  # the standard library
_ALIASES = {"collections.abc": "_collections_abc", "os.path": "posixpath"}
"""Modules that are others under another name. Some Pythons have a file for them in which no class stands."""


class Import(NamedTuple):
    """The target of a name that an import binds: a module, or ``name`` of a module."""

    module: str
    name: str | None = None


@dataclass(frozen=True)
class Module:
    """One parsed file; ``file`` is its path below the root, with slashes, ``text`` what stands in it."""

    name: str
    file: str
    tree: ast.Module
    is_package: bool
    is_own: bool
    text: bytes

    @cached_property
    def definitions(self) -> dict[str, list[Definition]]:
        """Functions and classes by qualified name, which may be defined several times."""
        found: dict[str, list[Definition]] = defaultdict(list)
        for qualname, node in definitions(self.tree):
            found[qualname].append(node)
        return dict(found)

    def functions(self, qualname: str) -> list[FunctionNode]:
        """Return all functions of that name."""
        return [node for node in self.definitions.get(qualname, ()) if isinstance(node, FUNCTIONS)]

    def classes(self, qualname: str) -> list[ast.ClassDef]:
        """Return all classes of that name."""
        return [node for node in self.definitions.get(qualname, ()) if isinstance(node, ast.ClassDef)]

    @cached_property
    def values(self) -> dict[str, list[ast.stmt]]:
        """Module-level statements that give each name its value, those that modify the object included."""
        found: dict[str, list[ast.stmt]] = defaultdict(list)
        for node in statements(self.tree):
            if isinstance(node, ast.stmt) and not isinstance(node, ast.Import | ast.ImportFrom):
                for name in _touched(node):
                    found[name].append(node)
        return dict(found)

    @cached_property
    def imports(self) -> dict[str, list[Import]]:
        """What imports bind, anywhere at module level (both branches of ``try`` and ``if``)."""
        return self.imports_of(scope_statements(self.tree))

    @cached_property
    def imported(self) -> frozenset[Import]:
        """What is imported anywhere in the file, in functions too."""
        bound = self.imports_of(_all_statements(self.tree))
        return frozenset(target for targets in bound.values() for target in targets)

    def imports_of(self, nodes: Iterable[ast.AST]) -> dict[str, list[Import]]:
        """Return what the import statements among ``nodes`` bind; star imports are under ``*``."""
        found: dict[str, list[Import]] = defaultdict(list)
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    found[name].append(Import(alias.name if alias.asname else name))
                    if not alias.asname and "." in alias.name:
                        found["."].append(Import(alias.name))
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    module = self.absolute(node)
                    found[alias.asname or alias.name].append(Import(module, None if alias.name == "*" else alias.name))
        return dict(found)

    @cached_property
    def for_types(self) -> tuple[str, ...]:
        """The modules of its own package that it imports for type checkers only."""
        branches = [node for node in self.tree.body if isinstance(node, ast.If)]
        tests = [node for node in branches if "TYPE_CHECKING" in ast.unparse(node.test)]
        return self._own_modules(line for test in tests for line in test.body)

    @cached_property
    def imported_late(self) -> tuple[str, ...]:
        """The modules of its own package that its functions import."""
        functions = [node for nodes in self.definitions.values() for node in nodes if isinstance(node, FUNCTIONS)]
        return self._own_modules(line for function in functions for line in ast.walk(function))

    def _own_modules(self, lines: Iterable[ast.AST]) -> tuple[str, ...]:
        package = self.name.partition(".")[0]
        names = dict.fromkeys(self.absolute(line) for line in lines if isinstance(line, ast.ImportFrom))
        return tuple(name for name in names if name.partition(".")[0] == package and name != self.name)

    def absolute(self, node: ast.ImportFrom) -> str:
        """Return the full name of the module that a ``from`` import reads."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        drop = node.level - self.is_package
        base = parts[: len(parts) - drop] if drop else parts
        return ".".join([*base, node.module] if node.module else base)


def _all_statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the statements of a file in all its scopes.

    To look into their expressions would take many times as long.
    """
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        for name in BLOCKS:
            block = getattr(node, name, ())
            pending += block if isinstance(block, list) else ()


def _touched(node: ast.stmt) -> Iterator[str]:
    """Yield names that a statement binds, or whose object it may modify: ``REGISTRY['a'] = f``, ``LIST.append(x)``."""
    seen = set()
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    for part in header_parts(node):
        for inner in ast.walk(part):
            if isinstance(inner, ast.Attribute | ast.Subscript):
                base: ast.AST = inner
                while isinstance(base, ast.Attribute | ast.Subscript):
                    base = base.value
                if isinstance(base, ast.Name) and (is_call or not isinstance(inner.ctx, ast.Load)):
                    seen.add(base.id)
            elif isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
                seen.add(inner.id)
    yield from sorted(seen)


@dataclass
class Source:
    """The modules of one version, parsed when asked for.

    A module is *own* when it lies below ``root`` (or in the subject's top-level package, wherever that is); other
    modules are looked up in ``libraries`` and in the running interpreter's path, for base classes only. ``on_read`` is
    called for each file: a large package takes seconds.
    """

    root: Path
    libraries: tuple[Path, ...] = ()
    package: str = ""
    unreadable: list[str] = field(default_factory=list)
    on_read: Callable[[], object] | None = field(default=None, repr=False)
    digests: dict[tuple[str, str], str | None] = field(default_factory=dict, repr=False)  # by module and unit
    _modules: dict[str, Module | None] = field(default_factory=dict, repr=False)
    _places: dict[str, tuple[Path, Path] | None] = field(default_factory=dict, repr=False)

    def module(self, name: str) -> Module | None:
        """Return the module of that name, or None when there is no source that this Python can parse."""
        if name not in self._modules:
            self._modules[name] = self._load(name)
        return self._modules[name]

    def required(self, name: str, label: str) -> Module:
        """Return what `module` does; a UsageError names the version when there is none."""
        found = self.module(name)
        if found is None:
            bad = [text for text in self.unreadable if text.startswith(name + " ")]
            raise UsageError(f"version {label}: {bad[0] if bad else f'there is no source file of module {name!r}'}")
        return found

    def own(self, name: str) -> Module | None:
        """Return the module if it belongs to the code under test."""
        place = self._place(name)
        return self.module(name) if place is not None and self._is_own(name, place[1]) else None

    def closure(self, *start: str) -> list[Module]:
        """Return the own modules among ``start`` and all own modules that they import, directly or not."""
        found: dict[str, Module] = {}
        pending = list(start)
        while pending:
            module = self.own(pending.pop())
            if module is None or module.name in found:
                continue
            found[module.name] = module
            for target in sorted(module.imported, key=str):
                pending.append(target.module)
                if target.name:
                    pending.append(f"{target.module}.{target.name}")
        return [found[name] for name in sorted(found)]

    def own_places(self) -> list[str] | None:
        """Return where own modules have been looked for below the root; None if any was found elsewhere."""
        found = [(name, place[1]) for name, place in self._places.items() if place is not None]
        if any(folder != self.root and self._is_own(name, folder) for name, folder in found):
            return None
        return [path for name in self._places for path in files_of(self.root, name)]

    def _is_own(self, name: str, folder: Path) -> bool:
        return folder == self.root or name.partition(".")[0] == self.package

    def _place(self, name: str) -> tuple[Path, Path] | None:
        """Return the module's file, and the folder that it is imported from."""
        if name not in self._places:
            self._places[name] = self._find(name)
        return self._places[name]

    def _find(self, name: str) -> tuple[Path, Path] | None:
        folders: list[Path | str] = [self.root, *self.libraries, _STANDARD, *filter(None, sys.path)]
        for folder in folders:
            for path in files_of(folder, _ALIASES.get(name, name) if folder is _STANDARD else name):
                if os.path.isfile(path):  # noqa: PTH113 - most are not there, and paths take longer than to look
                    return Path(path), Path(folder)
        return None

    def _load(self, name: str) -> Module | None:
        if self.on_read is not None:
            self.on_read()
        place = self._place(name)
        return self._parse(name, *place, is_own=self._is_own(name, place[1])) if place is not None else None

    def _parse(self, name: str, path: Path, folder: Path, *, is_own: bool) -> Module | None:
        file = path.relative_to(folder).as_posix()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # old code has invalid escapes; that is not the user's question
                text = file_bytes(path)
                tree = parse_source(text, file)
        except (SyntaxError, OSError) as error:
            line = f" line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            python = ".".join(map(str, sys.version_info[:2]))
            reason = getattr(error, "msg", error)
            self.unreadable.append(f"{name} cannot be read by Python {python}: {file}{line}: {reason}")
            return None
        return Module(name, file, tree, path.name == "__init__.py", is_own, text)


def files_of(folder: Path | str, name: str) -> tuple[str, ...]:
    """Return the files below a folder that can be the module of that name, the first one first."""
    if not name or not all(part.isidentifier() for part in name.split(".")):
        return ()
    place = name.replace(".", "/")
    return f"{folder}/{place}/__init__.py", f"{folder}/{place}.py"


def function_hashes(root: Path, modules: Iterable[str]) -> dict[str, str]:
    """Return the sha256 of the normal form of all code in ``modules``, by ``module:qualname``.

    Functions have their own entry (nested ones also count for the function around them), a class's has its header and
    the statements of its body, and ``module:<module>`` the module's own statements.
    """
    source = Source(root)
    hashes: dict[str, str] = {}
    for name in modules:
        module = source.module(name)
        if module is None:
            continue
        for qualname, nodes in module.definitions.items():
            bodies = [header(part) for node in nodes if isinstance(node, ast.ClassDef) for part in statements(node)[1:]]
            hashes[f"{name}:{qualname}"] = sha256([digest(nodes), *bodies])
        own = [header(node) for node in scope_statements(module.tree) if not isinstance(node, DEFINITIONS)]
        hashes[f"{name}:<module>"] = sha256(own)
    return hashes
