"""Scopes of source text: their statements, and the names that they bind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Definition = FunctionNode | ast.ClassDef
Container = Definition | ast.Module
Statement = ast.stmt | ast.ExceptHandler | ast.match_case

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# The fields that hold the statements of a compound statement; all other fields are its header.
BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


def is_noise(node: ast.AST) -> bool:
    """Return whether a statement does nothing: docstrings, lone constants and ``pass``."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def scope_statements(container: ast.AST) -> Iterator[Statement]:
    """Yield all statements of a scope in source order, those in nested blocks included.

    Definitions are yielded, their bodies are not: they are scopes of their own.
    """
    return (node for node, _ in nested_statements(container))


def nested_statements(
    container: ast.AST, enclosing: tuple[Statement, ...] = ()
) -> Iterator[tuple[Statement, tuple[Statement, ...]]]:
    """Yield what `scope_statements` does, each with the compound statements that it stands in."""
    for field in BLOCKS:
        block = getattr(container, field, ())
        for node in block if isinstance(block, list) else ():
            if is_noise(node):
                continue
            yield node, enclosing
            if not isinstance(node, DEFINITIONS):
                yield from nested_statements(node, (*enclosing, node))


def definitions(module: ast.Module) -> Iterator[tuple[str, Definition]]:
    """Yield all functions and classes with their qualified names as Python gives them, in source order."""
    yield from _definitions(module, "")


def _definitions(container: ast.AST, prefix: str) -> Iterator[tuple[str, Definition]]:
    for node in scope_statements(container):
        if isinstance(node, DEFINITIONS):
            yield prefix + node.name, node
            inner = f"{prefix}{node.name}." if isinstance(node, ast.ClassDef) else f"{prefix}{node.name}.<locals>."
            yield from _definitions(node, inner)


def parameters(arguments: ast.arguments) -> list[ast.arg]:
    """Return all parameters, in the order of the signature."""
    starred = [arguments.vararg] if arguments.vararg else []
    keywords = [arguments.kwarg] if arguments.kwarg else []
    return [*arguments.posonlyargs, *arguments.args, *starred, *arguments.kwonlyargs, *keywords]


class Bindings(ast.NodeVisitor):
    """Names that one scope binds: ``free`` to be renamed without any effect outside, or ``fixed``."""

    def __init__(self, scope: ast.AST) -> None:
        self.free: set[str] = set()
        self.fixed: set[str] = set()
        self.outer: set[str] = set()
        self.globals: set[str] = set()
        self._comprehension = 0
        if isinstance(scope, COMPREHENSIONS):
            for generator in scope.generators:
                self.visit(generator.target)
            return
        if isinstance(scope, (*FUNCTIONS, ast.Lambda)):
            names = {parameter.arg for parameter in parameters(scope.args)}
            # Callers may pass a function's parameters by keyword; a lambda's are as good as local.
            (self.free if isinstance(scope, ast.Lambda) else self.fixed).update(names)
        body = scope.body if isinstance(scope, (*DEFINITIONS, ast.Lambda)) else []
        for node in body if isinstance(body, list) else [body]:
            self.visit(node)
        self.free -= self.fixed | self.outer

    @property
    def names(self) -> set[str]:
        """All names that are local to the scope."""
        return (self.free | self.fixed) - self.outer

    def visit_Name(self, node: ast.Name) -> None:
        """Note a plain variable."""
        if not self._comprehension and not isinstance(node.ctx, ast.Load):
            self.free.add(node.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """``:=`` inside a comprehension binds in the scope around it."""
        self.free.add(node.target.id)
        self.visit(node.value)

    def _definition(self, node: Definition) -> None:
        self.fixed.add(node.name)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _definition  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Stop: this is another scope."""

    def _inner(self, node: ast.AST) -> None:
        self._comprehension += 1
        self.generic_visit(node)
        self._comprehension -= 1

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _inner  # noqa: N815

    def visit_alias(self, node: ast.alias) -> None:
        """Bind the alias of an import, or a name that says what is imported."""
        if node.asname:
            self.free.add(node.asname)
        else:
            self.fixed.add(node.name.partition(".")[0])

    def _declared(self, node: ast.Global | ast.Nonlocal) -> None:
        self.outer.update(node.names)
        if isinstance(node, ast.Global):
            self.globals.update(node.names)

    visit_Global = visit_Nonlocal = _declared  # noqa: N815

    def _captured(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self.free.add(node.name)
        self.generic_visit(node)

    visit_ExceptHandler = visit_MatchAs = visit_MatchStar = _captured  # noqa: N815

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        """``**rest`` of a mapping pattern."""
        if node.rest:
            self.free.add(node.rest)
        self.generic_visit(node)
