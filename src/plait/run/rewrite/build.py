"""Small constructors for the nodes that rewriting adds; each takes the place in the source it stands for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Absent:
    """Marks an attribute that an object does not have."""


# What rewritten code needs besides the hooks: built-ins under names that the module cannot have redefined.
REFERENCES: dict[str, Any] = {
    "_p_slice": slice, "_p_getattr": getattr, "_p_absent": _Absent, "_p_globals": globals, "_p_locals": locals,
    "_p_star": lambda *args: args,
}  # fmt: skip


def load_node(name: str, at: ast.AST) -> ast.Name:
    """Return the value of a variable."""
    return ast.copy_location(ast.Name(name, ast.Load()), at)


def store(name: str, at: ast.AST) -> ast.Name:
    """Return a variable as target."""
    return ast.copy_location(ast.Name(name, ast.Store()), at)


def constant(value: Any, at: ast.AST) -> ast.Constant:
    """Return a literal."""
    return ast.copy_location(ast.Constant(value), at)


def call_node(name: str, args: Sequence[ast.expr], at: ast.AST, keywords: Sequence[ast.keyword] = ()) -> ast.Call:
    """Return a call of a hook."""
    return ast.copy_location(ast.Call(load_node(name, at), list(args), list(keywords)), at)


def kept(name: str, value: ast.expr, at: ast.AST) -> ast.NamedExpr:
    """Return ``(name := value)``."""
    return ast.copy_location(ast.NamedExpr(store(name, at), value), at)


def both(values: list[ast.expr], at: ast.AST) -> ast.expr:
    """Return ``values[0] and values[1] and ...``."""
    return values[0] if len(values) == 1 else ast.copy_location(ast.BoolOp(ast.And(), values), at)


def compared(left: ast.expr, operator: ast.cmpop, right: ast.expr, at: ast.AST) -> ast.Compare:
    """Return ``left operator right``."""
    return ast.copy_location(ast.Compare(left, [operator], [right]), at)


def then(value: ast.expr, hook: ast.expr, at: ast.AST) -> ast.expr:
    """Return ``(value, hook)[0]``: the value, with ``hook`` called after it has been evaluated."""
    pair = ast.copy_location(ast.Tuple([value, hook], ast.Load()), at)
    return ast.copy_location(ast.Subscript(pair, constant(0, at), ast.Load()), at)


def statement_node(value: ast.expr, at: ast.AST) -> ast.Expr:
    """Return an expression for its effect."""
    return ast.copy_location(ast.Expr(value), at)


def assign(target: ast.expr, value: ast.expr, at: ast.AST) -> ast.Assign:
    """Return ``target = value``."""
    return ast.copy_location(ast.Assign([target], value), at)


def clear(names: Sequence[str], at: ast.AST) -> list[ast.stmt]:
    """Return ``a = b = None``, so that temporaries keep nothing alive; nothing at all without names."""
    if not names:
        return []
    targets: list[ast.expr] = [store(name, at) for name in names]
    return [ast.copy_location(ast.Assign(targets, constant(None, at)), at)]
