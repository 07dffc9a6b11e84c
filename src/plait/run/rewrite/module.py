"""A module's source, rewritten."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plait.run.rewrite.context import SiteTable
from plait.run.rewrite.scope import NameSurvey
from plait.run.rewrite.statements import Statements

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from plait.model.site import Site


def rewrite(
    source: str | bytes, module: str, filename: str, assigned: Collection[str] = ()
) -> tuple[ast.Module, list[Site]]:
    """Return the syntax tree of a module with a hook at every access, and the places of these hooks.

    The tree is ready to compile. It behaves like the original if its globals hold hooks that return what
    `plait.run.hooks.noop` says, and `plait.run.rewrite.REFERENCES`. ``assigned`` are globals that other modules assign.
    """
    tree = ast.parse(source, filename)
    survey = NameSurvey(tree, assigned)
    table = SiteTable(module, filename)
    statements = Statements(table, survey.scopes, survey.module)
    tree.body = statements.block(tree.body)
    return tree, table.sites


def assignments_elsewhere(source: str | bytes, module: str, *, package: bool) -> list[tuple[str, str]]:
    """Return the globals of other modules that a module's functions assign (``settings.level = 1``): (module, name)."""
    tree = ast.parse(source)
    known = dict(_imported(tree, module if package else module.rpartition(".")[0]))
    found: dict[tuple[str, str], None] = {}
    for function in _walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in _walk(function):
                match node:
                    case ast.Attribute(value=owner, attr=name, ctx=ast.Store() | ast.Del()):
                        found.update(dict.fromkeys((other, name) for other in _modules(owner, known)))
                    case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[owner, ast.Constant(value=name), *_]):
                        found.update(dict.fromkeys((other, str(name)) for other in _modules(owner, known)))
    return list(found)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Walk as `ast.walk` does, which imports what may be the module under test."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _walk(child)


def _imported(tree: ast.Module, package: str) -> Iterator[tuple[str, str]]:
    """Yield names that imports bind, and what may be the module they stand for."""
    for node in _walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")
            base = ".".join(above[: len(above) - node.level + 1]) if node.level else ""
            origin = ".".join(filter(None, (base, node.module)))
            for alias in node.names:
                yield alias.asname or alias.name, f"{origin}.{alias.name}" if origin else alias.name


def _modules(owner: ast.expr, known: dict[str, str]) -> Iterator[str]:
    parts: list[str] = []
    while isinstance(owner, ast.Attribute):
        parts.insert(0, owner.attr)
        owner = owner.value
    if isinstance(owner, ast.Name) and owner.id in known:
        yield ".".join([known[owner.id], *parts])
