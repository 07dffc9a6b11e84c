"""Mends without a lock for what is looked for first and taken then: a default, or the exception of an empty container.

``if key in table: return table.pop(key)`` becomes ``return table.pop(key, None)``, ``if items: return items.pop()``
tries it and catches the `IndexError`. What happens otherwise stays: a value that is returned, or an exception.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plait.subject.mend.holding import Proposal, unit_of
from plait.subject.mend.text import SourceText
from plait.subject.mend.view import Function, ModuleView

_EMPTY = {"pop": ("IndexError", "KeyError"), "popleft": ("IndexError",), "popitem": ("KeyError",)}
"""What the method of an empty container raises: that of a list or deque, or that of a set or dict."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A test, the statement that returns if it holds, and the one that is left otherwise, if it is written."""

    test: ast.expr
    taken: ast.Return
    otherwise: ast.Return | ast.Raise | None
    first: ast.If
    second: ast.stmt | None  # the statement behind the `if`, where that is one of the two


def taking(view: ModuleView, function: Function, block: Sequence[ast.stmt]) -> Iterator[Proposal]:
    """Yield mends that take something from a container, or find that it is not there, in one operation."""
    for at, node in enumerate(block):
        following = block[at + 1] if at + 1 < len(block) else None
        choice = _choice(node, following, is_last=block is function.node.body and following is None)
        if choice is None:
            continue
        if isinstance(choice.test, ast.Compare):
            yield from _by_key(view, function, choice, choice.test)
        else:
            yield from _any(view, function, choice)


def _choice(node: ast.stmt, following: ast.stmt | None, *, is_last: bool) -> _Choice | None:
    """Return what an ``if`` and the statement behind it decide; None if they are not two ways out of a function."""
    if not isinstance(node, ast.If) or len(node.body) != 1 or len(node.orelse) > 1:
        return None
    behind = None if node.orelse else following
    there, elsewhere = node.body[0], node.orelse[0] if node.orelse else behind
    if elsewhere is None and not is_last:
        return None
    test, negated = _positive(node.test)
    taken, otherwise = (elsewhere, there) if negated else (there, elsewhere)
    if not isinstance(taken, ast.Return) or not isinstance(otherwise, ast.Return | ast.Raise | None):
        return None
    return _Choice(test, taken, otherwise, node, behind)


def _positive(test: ast.expr) -> tuple[ast.expr, bool]:
    """Return a test without its negation, and whether it had one."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand, True
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.NotIn):
        return ast.Compare(test.left, [ast.In()], test.comparators), True
    return test, False


def _by_key(view: ModuleView, function: Function, choice: _Choice, test: ast.Compare) -> Iterator[Proposal]:
    """``if key in table: return table.pop(key)`` or ``return table[key]``."""
    if len(test.ops) != 1 or not isinstance(test.ops[0], ast.In):
        return
    key, table = ast.unparse(test.left), ast.unparse(test.comparators[0])
    taken = "" if choice.taken.value is None else ast.unparse(choice.taken.value)
    name = {f"{table}.pop({key})": "pop", f"{table}[{key}]": "get"}.get(taken)
    if name is None:
        return
    if isinstance(choice.otherwise, ast.Raise):
        yield from _caught(view, function, choice, "KeyError")
        return
    default = choice.otherwise.value if choice.otherwise is not None else None
    if not isinstance(default, ast.Constant | ast.Name | None):  # it would be made where it is not needed
        return
    edit = view.edit()
    value = "None" if default is None else edit.segment(default)
    given = "" if (name, value) == ("get", "None") else f", {value}"
    places = f"{edit.segment(test.comparators[0])}.{name}({edit.segment(test.left)}{given})"
    _replace(edit, choice, f"return {places}")
    yield from _made(edit, f"one `{name}` with a default in `{function.name}`")


def _any(view: ModuleView, function: Function, choice: _Choice) -> Iterator[Proposal]:
    """``if items: return items.pop()``."""
    call = choice.taken.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return
    if ast.unparse(call.func.value) == ast.unparse(choice.test):
        for raised in _EMPTY.get(call.func.attr, ()):
            yield from _caught(view, function, choice, raised)


def _caught(view: ModuleView, function: Function, choice: _Choice, raised: str) -> Iterator[Proposal]:
    """Yield the mend that takes first, and does what was done otherwise when there was nothing."""
    edit = view.edit()
    indent, unit = edit.indent_of(choice.first.lineno), unit_of(edit, function)
    otherwise = "return None" if choice.otherwise is None else edit.segment(choice.otherwise)
    if isinstance(choice.otherwise, ast.Raise) and choice.otherwise.exc is not None and choice.otherwise.cause is None:
        otherwise += " from None"
    if "\n" in otherwise or "\n" in edit.segment(choice.taken):  # its lines would have to be moved
        return
    lines = ("try:", f"{unit}{edit.segment(choice.taken)}", f"except {raised}:", f"{unit}{otherwise}")
    _replace(edit, choice, f"\n{indent}".join(lines))
    yield from _made(edit, f"take first and catch the {raised} in `{function.name}`")


def _replace(edit: SourceText, choice: _Choice, text: str) -> None:
    if choice.second is not None:
        edit.delete(choice.second.lineno, choice.second.end_lineno or choice.second.lineno)
    edit.replace(choice.first, text)


def _made(edit: SourceText, title: str) -> Iterator[Proposal]:
    text = edit.result()
    if text is not None:
        yield Proposal("atomic", title, text)
