"""Mends of waiting and waking: loop around a wait, wake all, wake at all, wake the right ones, release on errors."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from plait.subject.mend.clues import Clues
from plait.subject.mend.holding import NEVER, Proposal, unit_of
from plait.subject.mend.text import SourceText
from plait.subject.mend.view import Function, ModuleView, attribute_of, blocks, last_name, own_nodes

_NOTIFIES = ("notify", "notify_all")
_GIVEN_BACK = ("Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore")


class _Signal(NamedTuple):
    """A statement to change, and what to notify or release after it."""

    function: Function
    statement: ast.stmt
    condition: str = ""
    release: ast.stmt | None = None


def signalling(view: ModuleView, clues: Clues, file: str, owner: str) -> Iterator[Proposal]:
    """Yield mends of one class, or of the functions of a module."""
    functions = _in_order(view, clues, file, owner)
    for title, places, change in (
        ("test again after each wait: `while` for `if`", list(_single_tests(view, functions)), _loop),
        ("wake all that wait: `notify_all` for `notify`", list(_single_notifies(view, functions)), _wake_all),
        ("notify those that wait for what has changed", list(_silent_changes(view, functions)), _notify),
        ("give back what was taken, also after an exception", list(_unsafe_releases(view, functions)), _with_block),
    ):
        yield from _each_then_all(view, title, places, change)
    yield from _other_conditions(view, functions)


def _each_then_all(
    view: ModuleView, title: str, places: Sequence[_Signal], change: Callable[[ModuleView, SourceText, _Signal], None]
) -> Iterator[Proposal]:
    several = [list(places)] if len(places) > 1 else []
    for group in (*([each] for each in places), *several):
        edit = view.edit()
        for each in group:
            change(view, edit, each)
        text = edit.result()
        if text is not None:
            names = ", ".join(f"`{name}`" for name in dict.fromkeys(each.function.name for each in group))
            yield Proposal("signal", f"{title}, in {names}", text)


def _in_order(view: ModuleView, clues: Clues, file: str, owner: str) -> list[Function]:
    """Return the functions of the class under test, those of the interleaving first."""
    family = set(view.family(owner)) if owner else {""}
    ran = [*clues.functions(file), *clues.functions(file, clues.through)]
    found = [each for each in view.functions.values() if each.owner in family or each.qualname in ran]
    return sorted(found, key=lambda each: ran.index(each.qualname) if each.qualname in ran else len(ran))


def _call(node: ast.AST | None, names: Sequence[str]) -> ast.Call | None:
    """Return the call of a method with one of the names that an expression or a statement is."""
    value = node.value if isinstance(node, ast.Expr) else node
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in names:
        return value
    return None


# -- waiting --


def _single_tests(view: ModuleView, functions: Sequence[Function]) -> Iterator[_Signal]:
    for function in functions:
        for node in function.nodes:
            if isinstance(node, ast.If) and not node.orelse and any(_waits(view, each) for each in node.body):
                yield _Signal(function, node)


def _waits(view: ModuleView, node: ast.stmt) -> bool:
    call = _call(node, ("wait",))
    return call is not None and isinstance(call.func, ast.Attribute) and view.kind_of(call.func.value) == "Condition"


def _loop(_view: ModuleView, edit: SourceText, place: _Signal) -> None:
    node = place.statement
    column = edit.column(node.lineno, node.col_offset)
    length = len("elif") if edit.line(node.lineno)[column:].startswith("elif") else len("if")
    edit.replace_span(node.lineno, column, column + length, "while")


# -- waking --


def _single_notifies(view: ModuleView, functions: Sequence[Function]) -> Iterator[_Signal]:
    for function in functions:
        for node in function.nodes:
            if not isinstance(node, ast.Expr) or _call(node, ("notify",)) is None or _call_of(node).args:
                continue
            if view.kind_of(_owner(node)) == "Condition":
                yield _Signal(function, node)


def _call_of(node: ast.Expr) -> ast.Call:
    assert isinstance(node.value, ast.Call)
    return node.value


def _owner(node: ast.Expr) -> ast.expr:
    function = _call_of(node).func
    assert isinstance(function, ast.Attribute)
    return function.value


def _wake_all(_view: ModuleView, edit: SourceText, place: _Signal) -> None:
    node = place.statement
    assert isinstance(node, ast.Expr)
    edit.replace(node, f"{edit.segment(_owner(node))}.notify_all()")


def _awaited(view: ModuleView, functions: Sequence[Function]) -> dict[str, set[str]]:
    """Return the attributes that waiting calls test, by the name of their condition."""
    found: dict[str, set[str]] = {}
    for function in functions:
        for node in function.nodes:
            test: ast.AST | None = None
            calls: list[ast.Call] = []
            if isinstance(node, ast.While | ast.If):
                test, calls = node.test, [call for each in node.body if (call := _call(each, ("wait",)))]
            elif isinstance(node, ast.Call) and (call := _call(node, ("wait_for",))) and call.args:
                test, calls = call.args[0], [call]
            for call in calls:
                assert isinstance(call.func, ast.Attribute)
                if test is not None and view.kind_of(call.func.value) == "Condition":
                    reached = _attributes(view, function, test)
                    found.setdefault(last_name(call.func.value), set()).update(reached)
    return found


def _attributes(view: ModuleView, function: Function, test: ast.AST) -> set[str]:
    """Return the attributes that a test reads, also in the methods that it calls."""
    names = {attribute_of(node, function.receiver) for node in ast.walk(test)} - {""}
    for name in list(names):
        other = view.method(function.owner, name)
        if other is not None:
            names |= {attribute for each in view.reached(other) for attribute in view.touched(each)}
    return names


def _silent_changes(view: ModuleView, functions: Sequence[Function]) -> Iterator[_Signal]:
    """Yield the last statement of each function that changes what others wait for without waking them."""
    for condition, attributes in _awaited(view, functions).items():
        for function in functions:
            if function.name in NEVER or _wakes(function, condition) or not function.receiver:
                continue
            changes = [each for name, some in view.written(function).items() if name in attributes for each in some]
            changes = [each for each in changes if not isinstance(each, ast.Return)]
            if changes:
                last = max(changes, key=lambda each: each.lineno)
                yield _Signal(function, last, condition)


def _wakes(function: Function, condition: str) -> bool:
    return any(
        isinstance(node, ast.Expr) and _call(node, _NOTIFIES) and last_name(_owner(node)) == condition
        for node in function.nodes
    )


def _notify(view: ModuleView, edit: SourceText, place: _Signal) -> None:
    function, node = place.function, place.statement
    end = node.end_lineno or node.lineno
    indent = edit.indent_of(node.lineno)
    expression = f"{function.receiver}.{place.condition}"
    under = any(
        isinstance(each, ast.With) and any(view.kind_of(item.context_expr) for item in each.items)
        and each.lineno < node.lineno <= (each.end_lineno or 0)
        for each in function.nodes
    )  # fmt: skip
    if under:
        edit.insert_after(end, f"{indent}{expression}.notify_all()")
    else:
        unit = unit_of(edit, function)
        edit.insert_before(node.lineno, f"{indent}with {expression}:")
        edit.shift(node.lineno, end, 1, unit)
        edit.insert_after(end, f"{indent}{unit}{expression}.notify_all()")


def _other_conditions(view: ModuleView, functions: Sequence[Function]) -> Iterator[Proposal]:
    """Yield mends that notify another condition than the one that is notified, or this one besides."""
    awaited = _awaited(view, functions)
    for function in functions:
        for node in function.nodes:
            if not isinstance(node, ast.Expr) or _call(node, _NOTIFIES) is None:
                continue
            owner = _owner(node)
            for other in awaited:
                if other == last_name(owner) or view.kind_of(owner) != "Condition" or not function.receiver:
                    continue
                called = _call_of(node)
                assert isinstance(called.func, ast.Attribute)
                edit = view.edit()
                edit.replace(owner, f"{function.receiver}.{other}")
                if (text := edit.result()) is not None:
                    yield Proposal("signal", f"notify `{other}`, not `{last_name(owner)}`, in `{function.name}`", text)
                edit = view.edit()
                line = f"{edit.indent_of(node.lineno)}{function.receiver}.{other}.notify_all()"
                edit.insert_after(node.end_lineno or node.lineno, line)
                if (text := edit.result()) is not None:
                    yield Proposal("signal", f"notify `{other}` as well, in `{function.name}`", text)


# -- giving back --


def _unsafe_releases(view: ModuleView, functions: Sequence[Function]) -> Iterator[_Signal]:
    """Yield each ``x.acquire()`` whose ``x.release()`` is later in the same block and is skipped by an error."""
    for function in functions:
        for block in blocks(function.node):
            for at, node in enumerate(block):
                release = _release_behind(view, block, at) if _call(node, ("acquire",)) else None
                if release is not None:
                    yield _Signal(function, node, release=release)


def _release_behind(view: ModuleView, block: Sequence[ast.stmt], at: int) -> ast.stmt | None:
    taken = block[at]
    assert isinstance(taken, ast.Expr)
    if view.kind_of(_owner(taken)) not in _GIVEN_BACK or _call_of(taken).args or _call_of(taken).keywords:
        return None
    wanted = ast.dump(_owner(taken))
    for node in block[at + 2 :]:
        if isinstance(node, ast.Expr) and _call(node, ("release",)) and ast.dump(_owner(node)) == wanted:
            return node
    return None


def _with_block(_view: ModuleView, edit: SourceText, place: _Signal) -> None:
    function, node, release = place.function, place.statement, place.release
    assert isinstance(node, ast.Expr)
    assert release is not None
    owner = edit.segment(_owner(node))
    edit.replace(node, f"with {owner}:")
    edit.delete(release.lineno, release.end_lineno or release.lineno)
    edit.shift((node.end_lineno or node.lineno) + 1, release.lineno - 1, 1, unit_of(edit, function))
    inner = [each for each in own_nodes(function.node) if isinstance(each, ast.Expr) and _call(each, ("release",))]
    for each in inner:  # before a return or a raise of the same block: the end of the block does it now
        between = each is not release and node.lineno < each.lineno < release.lineno
        if between and ast.dump(_owner(each)) == ast.dump(_owner(node)):
            edit.delete(each.lineno, each.end_lineno or each.lineno)
