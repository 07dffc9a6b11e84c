"""Further calls that show the state a test has left behind.

A probe may leave its argument open, written ``...``: then it is made with every key that the test itself uses. What a
cache or a table holds shows in no other way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from plait.model.test import Call, Test

if TYPE_CHECKING:
    from plait.subject.interface import Interface

OPEN = "..."
_MOST, _MOST_KEYED, _MOST_KEYS = 15, 3, 3
_ONE = (["positional"], ["positional-only"])
_READERS = ("__len__", "get", "is", "size", "len", "__iter__", "to_")
_KEYED = ("__getitem__", "__contains__", "get", "has", "is", "contains", "exists", "peek", "count", "find", "lookup")


def probes_of(interface: Interface) -> tuple[Call, ...]:
    """Readers, if need be with an open key, then whatever else needs no argument."""
    free = [
        method for method in interface.methods
        if not any(parameter.required for parameter in method.parameters) and method.kind not in ("context", "setter")
        and "=" not in method.form and not method.form.startswith(("with ", "del "))
    ]  # fmt: skip
    free.sort(key=lambda method: not method.name.startswith(_READERS))
    reading = sum(method.name.startswith(_READERS) for method in free[:_MOST])
    calls = [Call(method.name, method.form) for method in free[:_MOST]]
    keyed = [
        Call(method.name, method.form, args=(OPEN,)) for method in interface.methods
        if method.name.startswith(_KEYED) and not method.waits and method.kind not in ("context", "setter")
        and [parameter.kind for parameter in method.parameters if parameter.required] in _ONE
    ]  # fmt: skip
    return (*calls[:reading], *keyed[:_MOST_KEYED], *calls[reading:])


def filled(probes: Sequence[Call], test: Test) -> tuple[Call, ...]:
    """The probes to make after a test."""
    keys = _keys(test) if any(OPEN in call.expression for call in probes) else []
    return tuple(
        each for call in probes
        for each in ([_with(call, key) for key in keys] if OPEN in call.expression else [call])
    )  # fmt: skip


def _with(call: Call, key: str) -> Call:
    text = call.expression.replace(OPEN, key)
    return Call(call.method, text.replace("{", "{{").replace("}", "}}"))


def _keys(test: Test) -> list[str]:
    """Literals that stand where a key does in calls of the test."""
    found: dict[str, None] = {}
    for call in (*test.prefix[1:], *test.calls):
        for node in _first_arguments(ast.parse(call.expression)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes | int):
                found[ast.unparse(node)] = None
    return list(found)[:_MOST_KEYS]


def _first_arguments(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            yield node.args[0]
        elif isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.Compare):
            yield node.left
