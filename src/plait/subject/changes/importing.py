"""The effects of importing a module, besides defining functions, classes and constants.

A decorator can put a function into a table, a statement can replace a method, a loop can fill a dictionary. Code that
later takes something from there names neither. So every test depends on these statements, and on what they use.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plait.subject.changes.scopes import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.subject.changes.units import Program
    from plait.subject.source import Module


def acts_of(program: Program, module: Module) -> Iterator[ast.stmt]:
    """Yield the statements and decorated functions of a module that do more than bind their own names."""
    for node in module.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_main(node):
            continue
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield from _stored(program, module, node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            plain = all(isinstance(each, ast.Name | ast.Tuple | ast.Starred) for each in targets)
            if not plain or (node.value is not None and _calls_own(program, module, node.value)):
                yield node
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            yield node


def _is_main(node: ast.stmt) -> bool:
    """Return whether a statement does nothing when its module is imported."""
    return isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test) in (
        "__name__ == '__main__'", "TYPE_CHECKING", "typing.TYPE_CHECKING",
    )  # fmt: skip


def _stored(program: Program, module: Module, node: ast.stmt) -> Iterator[ast.stmt]:
    """Yield functions that their decorators may have stored, and those that a module calls while it is imported."""
    if isinstance(node, ast.ClassDef):
        if any(_keeps(program, module, each) for each in node.decorator_list):
            yield node
        members = {part.name for part in node.body if isinstance(part, FUNCTIONS)}
        for part in node.body:
            # A property keeps its setter under its own name.
            if isinstance(part, FUNCTIONS) and (set(map(_root, part.decorator_list)) - {part.name}) & members:
                yield part
            else:
                yield from _stored(program, module, part)
    elif isinstance(node, FUNCTIONS) and (
        any(_keeps(program, module, each) for each in node.decorator_list)
        or (node.name == "__getattr__" and node in module.tree.body)
    ):
        yield node


def registered_with(node: ast.AST) -> set[str]:
    """Return the names that a function's decorators are attributes of: ``area`` of ``@area.register(Circle)``."""
    decorators = node.decorator_list if isinstance(node, FUNCTIONS) else []
    return {_root(each) for each in decorators if not isinstance(each, ast.Name)} - {""}


def _root(decorator: ast.expr) -> str:
    """Return the name that an expression begins with, else an empty text."""
    begins = _beginning(decorator)
    return begins.id if isinstance(begins, ast.Name) else ""


def _beginning(node: ast.expr) -> ast.expr:
    """Return the expression whose attributes, elements and results an expression takes."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _keeps(program: Program, module: Module, decorator: ast.expr) -> bool:
    """Return whether a decorator belongs to the program and does more than wrap."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    targets = program.resolve_expression(module, called)
    if not targets:
        return _is_own(program, module, called)  # a method of an object of the program's own
    for target in targets:
        defined = program.source.own(target.unit.module)
        if defined is None or target.kind == "library":
            continue
        functions = defined.functions(target.unit.name)
        if target.kind == "value" and target.unit.name not in defined.values:
            continue  # from a library
        if not functions or not all(map(_only_wraps, functions)):
            return True
    return False


def _only_wraps(function: ast.AST) -> bool:
    """Return whether a function only defines functions and returns something without calling anything."""
    for node in getattr(function, "body", ()):
        if isinstance(node, FUNCTIONS):
            inner = [each for each in ast.walk(node) if isinstance(each, ast.Nonlocal | ast.Global)]
            if inner:
                return False
        elif isinstance(node, ast.Return):
            if any(isinstance(each, ast.Call) for each in _outside(node)):
                return False
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            return False
    return all(_only_wraps(node) for node in getattr(function, "body", ()) if _returns_function(node))


def _returns_function(node: ast.AST) -> bool:
    """Return whether a function contains functions: then it may be the result of a decorator with arguments."""
    return isinstance(node, FUNCTIONS) and any(isinstance(each, FUNCTIONS) for each in node.body)


def _outside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of an expression that run at once: all except bodies of lambdas."""
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, ast.Lambda):
            yield part
            yield from _outside(part)


def _calls_own(program: Program, module: Module, value: ast.expr) -> bool:
    calls = (each.func for each in ast.walk(value) if isinstance(each, ast.Call))
    return any(_is_own(program, module, each) for each in calls)


def _is_own(program: Program, module: Module, called: ast.expr) -> bool:
    """Return whether the program may define a callee; an expression that is no name may be anything."""
    called = _beginning(called)
    if not isinstance(called, ast.Name):
        return not isinstance(called, ast.Constant)
    targets = program.resolve(module, called.id)
    return any(target.kind != "library" and _has(program, target.unit.module, target.unit.name) for target in targets)


def _has(program: Program, module: str, name: str) -> bool:
    found = program.source.own(module)
    return found is not None and (not name or name in found.definitions or name in found.values)
