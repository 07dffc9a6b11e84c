"""Mends of threads that wait for each other: one order for two locks, one lock for both, a lock that may be retaken."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from plait.subject.mend.clues import Clues
from plait.subject.mend.holding import SHARED, Proposal, dissolve, unit_of
from plait.subject.mend.locks import CLASS, HeldLock, reentrant
from plait.subject.mend.text import SourceText
from plait.subject.mend.view import Function, ModuleView, Primitive, last_name, own_nodes


def ordering(view: ModuleView, clues: Clues, file: str, owner: str) -> Iterator[Proposal]:
    """Yield mends for deadlocks and hangs of one class, or of the functions of a module."""
    family = set(view.family(owner)) if owner else {""}
    ran = {*clues.functions(file), *clues.functions(file, clues.through)}
    functions = [each for each in view.functions.values() if each.owner in family or each.qualname in ran]
    locks = [each for each in view.primitives if each.kind in ("Lock", "RLock", "Condition")]
    for lock in locks:
        edit = view.edit()
        if reentrant(view, edit, lock) and (text := edit.result()) is not None:
            yield Proposal("order", f"make `{lock.name}` a lock that its owner may take again", text)
    for function in functions:
        yield from _swapped(view, function)
    yield from _one_for_both(view, locks)
    for lock in locks:
        yield from _one_for_all(view, lock)
    yield from _new_per_call(view, functions, locks)


def _takes(view: ModuleView, node: ast.AST) -> bool:
    return isinstance(node, ast.With) and all(view.kind_of(item.context_expr) for item in node.items)


def _swapped(view: ModuleView, function: Function) -> Iterator[Proposal]:
    """Yield mends that take two locks of a function in the other order."""
    for node in function.nodes:
        if not isinstance(node, ast.With) or not _takes(view, node):
            continue
        if len(node.items) == 2:
            edit = view.edit()
            one, two = (item.context_expr for item in node.items)
            texts = edit.segment(one), edit.segment(two)
            edit.replace(one, texts[1])
            edit.replace(two, texts[0])
            yield from _made(edit, f"take `{texts[1]}` before `{texts[0]}` in `{function.name}`")
        for inner in own_nodes(node):
            if isinstance(inner, ast.With) and _takes(view, inner) and len(inner.items) == len(node.items) == 1:
                yield from _both_at_once(view, function, node, inner)


def _both_at_once(view: ModuleView, function: Function, outer: ast.With, inner: ast.With) -> Iterator[Proposal]:
    first, second = outer.items[0].context_expr, inner.items[0].context_expr
    edit = view.edit()
    texts = edit.segment(first), edit.segment(second)
    if last_name(first) == last_name(second):
        yield from _by_identity(view, function, outer, inner)
        return
    if outer.body == [inner]:
        edit.replace(first, texts[1])
        edit.replace(second, texts[0])
    else:
        edit.replace(first, f"{texts[1]}, {texts[0]}")
        dissolve(edit, inner, unit_of(edit, function))
    yield from _made(edit, f"take `{texts[1]}` before `{texts[0]}` in `{function.name}`")


def _by_identity(view: ModuleView, function: Function, outer: ast.With, inner: ast.With) -> Iterator[Proposal]:
    """Yield the mend that takes the same lock of two objects in an order that all threads agree on."""
    first, second = outer.items[0].context_expr, inner.items[0].context_expr
    if not isinstance(first, ast.Attribute) or not isinstance(second, ast.Attribute):
        return
    for upgrade in (False, True):
        edit = view.edit()
        owners, name = (edit.segment(first.value), edit.segment(second.value)), first.attr
        lock = next((each for each in view.primitives if each.name == name), None)
        if upgrade and (lock is None or not reentrant(view, edit, lock)):
            continue
        indent = edit.indent_of(outer.lineno)
        edit.insert_before(outer.lineno, f"{indent}first, second = sorted(({owners[0]}, {owners[1]}), key=id)")
        edit.replace(first, f"first.{name}, second.{name}")
        dissolve(edit, inner, unit_of(edit, function))
        yield from _made(edit, f"take both locks in the order of the objects' identities in `{function.name}`")


def _one_for_both(view: ModuleView, locks: Sequence[Primitive]) -> Iterator[Proposal]:
    """Yield mends that make two locks of one class the same lock."""
    for one in locks:
        for other in locks:
            if one is other or one.owner != other.owner or one.shared != other.shared or one.kind == "Condition":
                continue
            if other.statement.lineno < one.statement.lineno:
                continue
            edit = view.edit()
            held = HeldLock(one.name, one.owner, one.kind, there=one)
            target = other.statement.targets[0] if isinstance(other.statement, ast.Assign) else other.statement.target
            written = edit.segment(target).replace(other.name, one.name)
            if other.kind == "Condition":
                edit.replace(other.made, f"{edit.segment(other.made.func)}({written})")
            else:
                edit.replace(other.made, written)
            if held.reenters or replace(held, upgrade=True).prepare(view, edit):
                yield from _made(edit, f"make `{other.name}` the same lock as `{one.name}`")


def _one_for_all(view: ModuleView, lock: Primitive) -> Iterator[Proposal]:
    """Yield the mend that lets all instances of a class share a lock."""
    if lock.shared or lock.kind == "Condition" or lock.statement.lineno != lock.statement.end_lineno:
        return
    edit = view.edit()
    edit.delete(lock.statement.lineno, lock.statement.lineno)
    if HeldLock(lock.name, lock.owner, "RLock", CLASS).prepare(view, edit):
        for each in _made(edit, f"one `{lock.name}` for all instances"):
            yield replace(each, burden=SHARED)


def _new_per_call(view: ModuleView, functions: Sequence[Function], locks: Sequence[Primitive]) -> Iterator[Proposal]:
    """Yield mends that take a permanent lock where a new one is made for each call."""
    for function in functions:
        for node in function.nodes:
            if not isinstance(node, ast.With) or len(node.items) != 1:
                continue
            made = node.items[0].context_expr
            if not isinstance(made, ast.Call) or last_name(made.func) not in ("Lock", "RLock"):
                continue
            for lock in locks:
                held = HeldLock(lock.name, lock.owner, lock.kind, there=lock)
                expression = held.expression(function)
                if expression is not None and (not lock.owner or lock.owner in view.family(function.owner)):
                    edit = view.edit()
                    edit.replace(made, expression)
                    yield from _made(edit, f"take `{expression}`, not a new lock, in `{function.name}`", "hold")


def _made(edit: SourceText, title: str, family: str = "order") -> Iterator[Proposal]:
    text = edit.result()
    if text is not None:
        yield Proposal(family, title, text)
