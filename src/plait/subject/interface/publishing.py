"""Methods that store a new object where other threads find it, and complete it afterwards (unsafe publication).

    made = self._services[name] = Service()
    made.retries = 3                         # another thread may have it already
    return made

Another caller may get such an object half built. Only who looks at it at once can tell: when the test is over, it is
complete. So this module says which attributes to look at. The source is read; nothing is run.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from typing import Any

from plait.model.foreign import is_a, unwrapped
from plait.subject.interface.members import Method, nodes_inside, tree_of

_MOST = 3
"""Attributes of one result that are looked at."""
_DISPLAYS = (ast.List, ast.Dict, ast.Set)
_PRIMITIVES = frozenset({"Lock", "RLock", "Condition", "Event", "Semaphore", "BoundedSemaphore", "Barrier", "Future"})
LENGTH = "len"
"""What is looked at of a list, a dictionary or a set."""


def completed_late(owner: object, methods: Iterable[Method]) -> dict[str, tuple[str, ...]]:
    """Return, by method that returns an object which it has published before it was complete, what to look at."""
    found = {}
    for method in methods:
        attribute = inspect.getattr_static(owner, method.name, None)
        function = unwrapped(attribute) if inspect.isfunction(attribute) else None
        if function is not None and method.form == f"{{receiver}}.{method.name}({{args}})" and not method.of:
            late = _late_parts(function)
            if late:
                found[method.name] = tuple(late[:_MOST])
    return found


def _late_parts(function: Any) -> list[str]:
    """Return the public attributes of a function's result that it changes behind the line that publishes the result."""
    tree = tree_of(function)
    body = tree.body[0] if tree is not None and tree.body else None
    if not isinstance(body, ast.FunctionDef):
        return []
    nodes = list(nodes_inside(body))
    shared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    parts: dict[str, None] = {}
    for node in nodes:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(node.value, (ast.Call, *_DISPLAYS)):
            continue
        made, published = _bindings(node, nodes, shared)
        returned = any(isinstance(each, ast.Return) and _text(each.value) in made for each in nodes)
        if returned and published:
            maker = function.__globals__.get(_text(node.value.func)) if isinstance(node.value, ast.Call) else None
            if _is_synchronised(maker):
                continue
            plain = isinstance(node.value, _DISPLAYS)
            parts |= dict.fromkeys(_completed(nodes, made, published, maker, plain=plain))
    return list(parts)


def _is_synchronised(maker: Any) -> bool:
    """Return whether objects of a class have a lock or an event of their own: users may wait until one is complete."""
    made = inspect.getattr_static(maker, "__init__", None) if is_a(maker, type) else None
    return inspect.isfunction(made) and not _PRIMITIVES.isdisjoint(made.__code__.co_names)


def _bindings(node: ast.Assign | ast.AnnAssign, nodes: list[ast.AST], shared: set[str]) -> tuple[set[str], int]:
    """Return the expressions that name a new object, and the first line that makes it known to others (0 for none)."""
    made = {_text(each) for each in _targets(node)}
    published = [node.lineno for each in _targets(node) if _is_shared(each, shared)]
    for other in nodes:
        if isinstance(other, ast.Assign) and isinstance(other.value, ast.Name) and other.value.id in made:
            made |= {_text(each) for each in _targets(other)}
            published += [other.lineno for each in _targets(other) if _is_shared(each, shared)]
    return made, min(published, default=0)


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _is_shared(target: ast.expr, shared: set[str]) -> bool:
    return isinstance(target, ast.Attribute | ast.Subscript) or _text(target) in shared


def _completed(nodes: list[ast.AST], made: set[str], published: int, maker: Any, *, plain: bool) -> Iterator[str]:
    """Yield what the function, or a method that it calls, changes of the object behind the line that publishes it."""
    for node in nodes:
        if getattr(node, "lineno", 0) <= published:
            continue
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _text(node.value) in made:
            yield from _public(node.attr)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            if _text(node.value) in made and plain:
                yield LENGTH
            elif isinstance(node.value, ast.Attribute) and _text(node.value.value) in made:
                yield from _public(node.value.attr)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _text(node.func.value) in made:
            yield from [LENGTH] if plain else _stored_by(maker, node.func.attr)


def _stored_by(maker: Any, name: str) -> Iterator[str]:
    """Yield the public attributes that a method of the new object's class stores."""
    function = inspect.getattr_static(maker, name, None) if is_a(maker, type) else None
    tree = tree_of(function) if inspect.isfunction(function) else None
    body = tree.body[0] if tree is not None and tree.body else None
    if isinstance(body, ast.FunctionDef) and body.args.args:
        for node in nodes_inside(body):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield from _public(node.attr) if _text(node.value) == body.args.args[0].arg else ()


def _public(name: str) -> Iterator[str]:
    if not name.startswith("_"):
        yield name


def _text(node: ast.expr | None) -> str:
    return "" if node is None else ast.unparse(node)
