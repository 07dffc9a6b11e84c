"""Collect the impacted code points of a change (CAPP, section 3.1).

Lines come from `plait.subject.changes.impact_lines` (structural diff, step one). Here: methods and classes around
them (step two), fields that they access (step three) and fields that directly called methods read or write (step
four). A receiver whose class is not known from the text may be of any class: then the point leaves the class open, and
every method of that name counts as called.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import TYPE_CHECKING

from plait.model.files import file_bytes, parse_source
from plait.model.folders import files_below
from plait.subject.changes.impact import Icp, Impact, class_of
from plait.subject.changes.impact_lines import impacted_lines
from plait.subject.changes.scopes import FUNCTIONS, FunctionNode
from plait.subject.changes.types import Types, TypeScope
from plait.subject.changes.units import Program, Unit
from plait.subject.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.subject.source import Module
    from plait.subject.versions.version import Version


_LEFT_OUT = frozenset({"__pycache__", "node_modules", "build", "dist", "site-packages", "venv", "plait-out"})
_Function = FunctionNode | ast.Lambda


def collect(old: Path, new: Path) -> Impact:
    """Return the points of everything that differs between two folders with the same layout; files of ``new``."""
    parts = []
    for file in python_files(new):
        before, after = old / file, new / file
        if not before.is_file() or file_bytes(before) != file_bytes(after):
            parts.append(_collect_file(before if before.is_file() else None, after))
    return Impact.together(parts)


def _is_left_out(folder: os.DirEntry[str]) -> bool:
    hidden = folder.name.startswith(".") or folder.name in _LEFT_OUT or folder.name.endswith(".egg-info")
    return hidden or Path(folder.path, "pyvenv.cfg").exists()


def python_files(folder: Path) -> Iterator[Path]:
    """Yield the source files below a folder, without hidden folders and those of tools."""
    for path in files_below(folder, ".py", _is_left_out):
        yield Path(path).relative_to(folder)


def _collect_file(old: Path | None, new: Path) -> Impact:
    """Return the points of one changed file; without ``old`` all of it is new."""
    try:
        before = None if old is None else parse_source(file_bytes(old))
        name, root = module_name(new)
        source = Source(root, (), package=name.partition(".")[0])
        module = source.module(name)
    except (SyntaxError, ValueError) as error:
        return Impact(notes=(f"{new.name}: its old version cannot be read: {error}",))
    if module is None:
        return Impact(notes=tuple(source.unreadable) or (f"{new.name} cannot be read",))
    return _Points(module, Program(source, name), str(new.resolve())).of(impacted_lines(before, module.tree))


def module_name(file: Path) -> tuple[str, Path]:
    """Return the name that a file is imported by, and the folder it is imported from."""
    parts = [] if file.stem == "__init__" else [file.stem]
    folder = file.resolve().parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts), folder


class _Points:
    """Fills in the points of one module's impacted lines."""

    def __init__(self, module: Module, program: Program, file: str) -> None:
        self._module = module
        self._program = program
        self._types = Types(program)
        self._file = file
        self._points: set[Icp] = set()
        self._methods: set[str] = set()
        self._fields: set[tuple[str | None, str]] = set()
        self._called_nodes: dict[str, set[int]] = {}
        self._functions = list(_functions(module.tree, "", None))

    def of(self, lines: set[int]) -> Impact:
        """Return steps two, three and four."""
        for line in sorted(lines):
            for qualname in self._enclosing(line):
                self._methods.add(qualname)
                self._points.add(Icp(self._class_name(class_of(qualname)), qualname or None, line, None))
        for owner, function in [*self._functions, (None, None)]:
            scope = self._scope(self._module, owner, function)
            for node in _own_nodes(self._module.tree if function is None else function):
                if getattr(node, "lineno", None) in lines:
                    self._accessed(node, scope)
                    self._called(node, scope)
        self._points.update(Icp(owner, None, None, name) for owner, name in self._fields)
        fields = {(None if owner is None else owner.rpartition(":")[2], name) for owner, name in self._fields}
        return Impact(
            frozenset(self._points),
            frozenset((self._file, line) for line in lines),
            frozenset((self._file, name) for name in self._methods if name),
            frozenset((self._file, class_of(name)) for name in self._methods),
            frozenset(fields),
        )

    def _class_name(self, qualname: str) -> str:
        return f"{self._module.name}:{qualname}" if qualname else self._module.name

    def _enclosing(self, line: int) -> list[str]:
        """Return the innermost function of a line, and the lambdas on it; "" is the module itself."""
        best, width = "", 1 << 30
        lambdas = []
        for (qualname, _cls), node in self._functions:
            first = min(node.lineno, *_decorator_lines(node), node.lineno)
            last = node.end_lineno or node.lineno
            if first <= line <= last:
                if isinstance(node, ast.Lambda):
                    lambdas.append(qualname)
                elif last - first < width:
                    best, width = qualname, last - first
        return [best, *lambdas]

    def _scope(self, module: Module, owner: tuple[str, str | None] | None, function: _Function | None) -> TypeScope:
        cls = owner[1] if owner is not None else None
        unit = Unit(module.name, cls) if cls is not None else None
        return self._types.scope(module, unit, unit, function)

    # Step three

    def _accessed(self, node: ast.AST, scope: TypeScope) -> None:
        self._fields.update(self._fields_at(node, scope))

    def _fields_at(self, node: ast.AST, scope: TypeScope) -> Iterator[tuple[str | None, str]]:
        if isinstance(node, ast.Attribute):
            if self._names_module(node.value, scope):
                return
            classes = self._types.of(node.value, scope)
            owners = [f"{unit.module}:{unit.name}" for unit in classes or () if not self._is_method(unit, node.attr)]
            if owners:
                yield from ((owner, node.attr) for owner in owners)
            elif not classes and id(node) not in self._callables(scope.module):
                yield None, node.attr
        elif isinstance(node, ast.Name) and node.id in scope.module.values:
            local = self._types.local_names(scope.function) if scope.function is not None else ()
            if node.id not in local:
                yield scope.module.name, node.id

    def _names_module(self, node: ast.AST, scope: TypeScope) -> bool:
        return (
            isinstance(node, ast.Name)
            and node.id in scope.module.imports
            and not (scope.function is not None and node.id in self._types.local_names(scope.function))
            and not any(target.kind == "class" for target in self._program.resolve(scope.module, node.id))
        )

    def _is_method(self, cls: Unit, name: str) -> bool:
        found = self._program.lookup(cls, name)
        module = self._program.source.module(found.module) if found is not None else None
        return found is not None and module is not None and bool(module.functions(found.name))

    def _methods_of(self, cls: Unit, name: str) -> list[tuple[Module, Unit, FunctionNode]]:
        found = self._program.lookup(cls, name)
        module = self._program.source.module(found.module) if found is not None else None
        if found is None or module is None or not module.is_own:
            return []
        owner = Unit(found.module, found.name.rpartition(".")[0])
        return [(module, owner, function) for function in module.functions(found.name)]

    def _callables(self, module: Module) -> set[int]:
        """Return the names of attributes that a module calls: on an unknown receiver these are methods."""
        if module.name not in self._called_nodes:
            calls = (node for node in ast.walk(module.tree) if isinstance(node, ast.Call))
            self._called_nodes[module.name] = {id(node.func) for node in calls}
        return self._called_nodes[module.name]

    def _any_methods(self, name: str) -> Iterator[tuple[Module, Unit, FunctionNode]]:
        for module in self._program.modules.values():
            for qualname, nodes in module.definitions.items():
                owner, dot, last = qualname.rpartition(".")
                if dot and last == name and module.classes(owner):
                    for node in nodes:
                        if isinstance(node, FUNCTIONS):
                            yield module, Unit(module.name, owner), node

    # Step four

    def _called(self, node: ast.AST, scope: TypeScope) -> None:
        for module, owner, function in self._callees(node, scope):
            inner = self._types.scope(module, owner, owner, function)
            for part in ast.walk(function):
                self._fields.update(self._fields_at(part, inner))

    def _callees(self, node: ast.AST, scope: TypeScope) -> Iterable[tuple[Module, Unit | None, FunctionNode]]:
        if isinstance(node, ast.Attribute) and not self._names_module(node.value, scope):
            classes = self._types.of(node.value, scope)  # properties are called without parentheses
            if classes:
                return [found for cls in classes for found in self._methods_of(cls, node.attr)]
            return [] if classes is not None else list(self._any_methods(node.attr))
        if isinstance(node, ast.Call):
            return list(self._named_callees(node, scope))
        return []

    def _named_callees(self, node: ast.Call, scope: TypeScope) -> Iterator[tuple[Module, Unit | None, FunctionNode]]:
        for target in self._types.targets(node.func, scope):
            module = self._program.source.module(target.unit.module)
            if module is None or not module.is_own:
                continue
            if target.kind == "class":
                yield from self._methods_of(target.unit, "__init__")
            elif target.kind == "function":
                owner = class_of(target.unit.name)
                for function in module.functions(target.unit.name):
                    yield module, Unit(module.name, owner) if owner else None, function


_Owned = tuple[tuple[str, str | None], _Function]


def _functions(container: ast.AST, prefix: str, cls: str | None) -> Iterator[_Owned]:
    """Yield all functions and lambdas with (qualified name, class whose instance their first parameter is)."""
    for node in ast.iter_child_nodes(container):
        if isinstance(node, FUNCTIONS):
            yield (prefix + node.name, cls), node
            yield from _functions(node, f"{prefix}{node.name}.<locals>.", None)
        elif isinstance(node, ast.Lambda):
            yield (f"{prefix}<lambda>", None), node
            yield from _functions(node, f"{prefix}<lambda>.<locals>.", None)
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.", prefix + node.name)
        else:
            yield from _functions(node, prefix, cls)


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, without those of functions and lambdas inside it."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            continue
        yield node
        yield from _own_nodes(node)


def _decorator_lines(node: _Function) -> list[int]:
    return [] if isinstance(node, ast.Lambda) else [decorator.lineno for decorator in node.decorator_list]


# -- impact versions ---------------------------------------------------------------------------------------------------
# Impacted code points between two versions of a project.


_IN_GIT = ("worktree", "revision")


def impact_between(old: Version, new: Version) -> Impact:
    """Return the points of ``new`` that the change from ``old`` impacts; whole trees where both versions have one."""
    if old.kind in _IN_GIT and new.kind in _IN_GIT:
        return collect(old.tree or old.root, new.tree or new.root)
    return collect(old.root, new.root)


def impact_on_both(old: Version, new: Version) -> Impact:
    """Return the points of either version that the change between them impacts."""
    return Impact.together([impact_between(new, old), impact_between(old, new)])
