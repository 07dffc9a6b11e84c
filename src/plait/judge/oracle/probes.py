"""Further calls that show in which state a test has left its object.

A probe may leave its argument open, written ``...``. Then it is made once for every key that the test itself uses,
because the content of a cache or a table shows in no other way.
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from plait.model.test import Call, Test

if TYPE_CHECKING:
    from plait.subject.interface.members import Interface

OPEN = "..."
_MOST, _MOST_KEYED, _MOST_KEYS = 15, 3, 3
_ONE = (["positional"], ["positional-only"])
_READERS = ("__len__", "get", "is", "size", "len", "__iter__", "to_")
_CHANGING = (
    "add", "set", "put", "remove", "delete", "discard", "pop", "del", "clear", "drop", "evict", "reset", "close",
    "release", "acquire", "lock", "unlock", "insert", "push", "update", "inc", "dec", "register", "cancel",
)  # fmt: skip
_KEYED = ("__getitem__", "__contains__", "get", "has", "is", "contains", "exists", "peek", "count", "find", "lookup")


def probes_of(interface: Interface) -> tuple[Call, ...]:
    """Return readers, some of them with an open key, and other methods that need no argument."""
    free = [
        method for method in interface.methods
        if not any(parameter.required for parameter in method.parameters) and method.kind not in ("context", "setter")
        and not method.of and "=" not in method.form and not method.form.startswith(("with ", "del "))
    ]  # fmt: skip
    free.sort(key=lambda method: not method.name.startswith(_READERS))
    reading = sum(method.name.startswith(_READERS) for method in free[:_MOST])
    calls = [Call(method.name, method.form) for method in free[:_MOST]]
    keyed = [
        Call(method.name, method.form, args=(OPEN,)) for method in interface.methods
        if method.name.startswith(_KEYED) and not (method.waits or method.of)
        and method.kind not in ("context", "setter")
        and [parameter.kind for parameter in method.parameters if parameter.required] in _ONE
    ]  # fmt: skip
    keyed = [*keyed[:_MOST_KEYED], *_sharing(interface, {call.method for call in keyed})[:_MOST_KEYED]]
    return (*calls[:reading], *keyed, *calls[reading:])


def _sharing(interface: Interface, known: set[str]) -> list[Call]:
    """Return calls with one argument that other methods also take first under the same name, such as ``key``.

    Methods that seem to change something by their names are left out, and so are those that return None. Methods with
    fewer parameters come first, because those with more may still change something.
    """
    names = Counter(method.parameters[0].name for method in interface.methods if method.parameters)
    found = [
        method for method in interface.methods
        if method.name not in known and not (method.waits or method.of) and method.kind == "method"
        and not method.name.startswith(_CHANGING) and method.returns != "None"
        and [each.kind for each in method.parameters if each.required] in _ONE and method.parameters[0].required
        and names[method.parameters[0].name] > 1
    ]  # fmt: skip
    found.sort(key=lambda method: len(method.parameters))
    return [Call(method.name, method.form, args=(OPEN,)) for method in found]


def filled(probes: Sequence[Call], test: Test) -> tuple[Call, ...]:
    """Return the probes to make after a test, with its keys filled in."""
    keys = _keys(test) if any(OPEN in call.expression for call in probes) else []
    return tuple(
        each for call in probes
        for each in ([_with(call, key) for key in keys] if OPEN in call.expression else [call])
    )  # fmt: skip


def _with(call: Call, key: str) -> Call:
    text = call.expression.replace(OPEN, key)
    return Call(call.method, text.replace("{", "{{").replace("}", "}}"))


def _keys(test: Test) -> list[str]:
    """Return literals that calls of the test use as a key; none if it stores one of its own objects.

    What is found under a key would then be a copy of that object, made at a random moment.
    """
    found: dict[str, None] = {}
    own = {call.result for call in test.prefix}
    for call in (*test.prefix[1:], *test.calls):
        names, literals = _given(call.expression)
        if not own.isdisjoint(names):
            return []
        found.update(dict.fromkeys(literals))
    return list(found)[:_MOST_KEYS]


@functools.lru_cache(maxsize=4096)
def _given(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the names that an expression passes to calls, and the literals that it uses as keys."""
    names: set[str] = set()
    literals: list[str] = []
    for node in ast.walk(ast.parse(text)):
        arguments = _arguments(node)
        names.update(each.id for each in arguments if isinstance(each, ast.Name))
        if arguments and isinstance(first := arguments[0], ast.Constant) and type(first.value) in (str, bytes, int):
            literals.append(ast.unparse(first))
    return frozenset(names), tuple(literals)


def _arguments(node: ast.AST) -> Sequence[ast.expr]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.args
    if isinstance(node, ast.Subscript):
        return [node.slice]
    return [node.left] if isinstance(node, ast.Compare) else []
