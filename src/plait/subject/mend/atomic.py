"""Mends without a lock: one operation for two, a copy before a loop, one read for several, publish last, test again."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Iterator, Sequence

from plait.subject.mend.clues import Clues
from plait.subject.mend.holding import Proposal, unit_of
from plait.subject.mend.taking import taking
from plait.subject.mend.text import SourceText
from plait.subject.mend.view import Function, ModuleView, attribute_of, blocks, covering, last_name, own_nodes

_COPIES = ("list", "tuple", "set", "dict", "sorted", "frozenset")
_VIEWS = ("items", "keys", "values")
_SIMPLE = (ast.Constant, ast.Name, ast.List, ast.Dict, ast.Set, ast.Tuple, ast.Call, ast.Attribute)


def atomic(view: ModuleView, clues: Clues, file: str, owner: str) -> Iterator[Proposal]:
    """Yield mends of the functions that race, and of those that the test calls."""
    names = [*clues.functions(file), *clues.functions(file, clues.through)]
    entries = [each.rpartition(".")[2] for each in clues.entries]
    called = [view.method(owner, name) if owner else view.functions.get(name) for name in entries]
    functions = [view.functions[name] for name in names if name in view.functions]
    for function in dict.fromkeys([*functions, *(each for each in called if each is not None)]):
        for block in blocks(function.node):
            yield from _one_operation(view, function, block)
            yield from taking(view, function, block)
            yield from _publish_last(view, clues, function, block)
            yield from _in_a_local(view, function, block)
        yield from _snapshots(view, function)
        yield from _second_test(view, function)
        yield from _one_read(view, clues, function)


def _made(edit: SourceText, family: str, title: str) -> Iterator[Proposal]:
    text = edit.result()
    if text is not None:
        yield Proposal(family, title, text)


# -- one operation for two --


def _one_operation(view: ModuleView, function: Function, block: Sequence[ast.stmt]) -> Iterator[Proposal]:
    for at, node in enumerate(block):
        if not isinstance(node, ast.If) or node.orelse or not isinstance(node.test, ast.Compare):
            continue
        test = node.test
        if len(test.ops) != 1 or len(node.body) != 1:
            continue
        key, table = test.left, test.comparators[0]
        if isinstance(test.ops[0], ast.NotIn):
            following = block[at + 1] if at + 1 < len(block) else None
            yield from _setdefault(view, function, node, key, table, following)
        elif isinstance(test.ops[0], ast.In):
            yield from _pop(view, function, node, key, table)


def _item(node: ast.AST | None, key: ast.expr, table: ast.expr) -> bool:
    """Return whether an expression is ``table[key]``."""
    return (
        isinstance(node, ast.Subscript) and ast.unparse(node.value) == ast.unparse(table)
        and ast.unparse(node.slice) == ast.unparse(key)
    )  # fmt: skip


def _setdefault(
    view: ModuleView, function: Function, node: ast.If, key: ast.expr, table: ast.expr, following: ast.stmt | None
) -> Iterator[Proposal]:
    """Yield the mend of ``if key not in table: table[key] = value``."""
    inner = node.body[0]
    if not isinstance(inner, ast.Assign) or len(inner.targets) != 1 or not _item(inner.targets[0], key, table):
        return
    if not isinstance(inner.value, _SIMPLE):
        return
    edit = view.edit()
    call = f"{edit.segment(table)}.setdefault({edit.segment(key)}, {edit.segment(inner.value)})"
    if isinstance(following, ast.Return | ast.Assign) and _item(following.value, key, table):
        assert following.value is not None
        edit.delete(node.lineno, node.end_lineno or node.lineno)
        edit.replace(following.value, call)
    else:
        edit.replace(node, call)
    yield from _made(edit, "atomic", f"one `setdefault` for a test and an insertion in `{function.name}`")


def _pop(view: ModuleView, function: Function, node: ast.If, key: ast.expr, table: ast.expr) -> Iterator[Proposal]:
    """Yield the mend of ``if key in table: del table[key]``."""
    inner = node.body[0]
    edit = view.edit()
    call = f"{edit.segment(table)}.pop({edit.segment(key)}, None)"
    if isinstance(inner, ast.Delete) and len(inner.targets) == 1 and _item(inner.targets[0], key, table):
        edit.replace(node, call)
        yield from _made(edit, "atomic", f"one `pop` for a test and a deletion in `{function.name}`")
    elif (
        isinstance(inner, ast.Expr)
        and isinstance(inner.value, ast.Call)
        and isinstance(inner.value.func, ast.Attribute)
    ):
        called = inner.value.func
        same = ast.unparse(called.value) == ast.unparse(table)
        if same and called.attr == "remove" and len(inner.value.args) == 1:
            edit.replace(node, f"{edit.segment(table)}.discard({edit.segment(key)})")
            yield from _made(edit, "atomic", f"one `discard` for a test and a removal in `{function.name}`")
        elif same and called.attr == "pop" and len(inner.value.args) == 1:
            edit.replace(node, call)
            yield from _made(edit, "atomic", f"one `pop` for a test and a removal in `{function.name}`")


# -- a copy before a loop --


def _snapshots(view: ModuleView, function: Function) -> Iterator[Proposal]:
    """Yield mends that iterate over a copy of a container that other threads may change meanwhile."""
    for node in function.nodes:
        if not isinstance(node, ast.For | ast.comprehension) or not attribute_of(node.iter, function.receiver):
            continue
        walked = node.iter
        if isinstance(walked, ast.Call) and isinstance(walked.func, ast.Name) and walked.func.id in _COPIES:
            continue
        for copied in _copies(view.edit(), walked):
            edit = view.edit()
            edit.replace(walked, copied)
            yield from _made(edit, "atomic", f"walk through a copy, `{copied}`, in `{function.name}`")


def _copies(edit: SourceText, walked: ast.expr) -> Iterator[str]:
    text = edit.segment(walked)
    yield f"list({text})"
    called = walked.func if isinstance(walked, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr in _VIEWS:
        yield f"{edit.segment(called.value)}.copy().{called.attr}()"
    elif isinstance(walked, ast.Attribute | ast.Subscript):
        yield f"{text}.copy()"


# -- test again --


def _second_test(view: ModuleView, function: Function) -> Iterator[Proposal]:
    """Yield mends that repeat a test after the lock was taken."""
    for node in function.nodes:
        if not isinstance(node, ast.If) or not node.body or not isinstance(node.body[0], ast.With):
            continue
        inner = node.body[0]
        again = [each for each in inner.body if isinstance(each, ast.If)]
        if any(ast.dump(each.test) == ast.dump(node.test) for each in again):
            continue
        edit = view.edit()
        first, last = inner.body[0].lineno, inner.end_lineno or inner.lineno
        unit = unit_of(edit, function)
        edit.insert_before(first, f"{edit.indent_of(first)}if {edit.segment(node.test)}:")
        edit.shift(first, last, 1, unit)
        yield from _made(edit, "second test", f"test again under the lock in `{function.name}`")


# -- one read for several --


def _one_read(view: ModuleView, clues: Clues, function: Function) -> Iterator[Proposal]:
    """Yield mends that read an attribute once, into a local name, where a function reads it several times."""
    if not function.receiver or not function.body or function.body[0].lineno == function.node.lineno:
        return
    taken = {node.id for node in function.nodes if isinstance(node, ast.Name)}
    taken |= {each.arg for each in ast.walk(function.node.args) if isinstance(each, ast.arg)}
    for name in clues.attributes:
        uses = [
            node for node in function.nodes
            if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.value, ast.Name)
            and node.value.id == function.receiver
        ]  # fmt: skip
        if len(uses) < 2 or not all(isinstance(node.ctx, ast.Load) for node in uses):
            continue
        local = _local(name, taken)
        edit = view.edit()
        for node in uses:
            edit.replace(node, local)
        first = covering(function, [node.lineno for node in uses])[0]
        edit.insert_before(first.lineno, f"{edit.indent_of(first.lineno)}{local} = {function.receiver}.{name}")
        yield from _made(edit, "one read", f"read `{name}` once in `{function.name}`")


# -- publish last --


def _publish_last(view: ModuleView, clues: Clues, function: Function, block: Sequence[ast.stmt]) -> Iterator[Proposal]:
    """Yield mends that publish an object later: after the statements that complete it."""
    for at, node in enumerate(block):
        target = _published(function, node)
        if target is None or attribute_of(target, function.receiver) not in clues.attributes:
            continue
        following = block[at + 1 :]
        while following and isinstance(following[-1], ast.Return | ast.Raise | ast.Break | ast.Continue):
            following = following[:-1]
        may_pass = [not _depends(view, function, each, target) for each in following]
        count = may_pass.index(False) if False in may_pass else len(following)
        if not count:
            continue
        edit = view.edit()
        last = following[count - 1]
        lines = [edit.line(number) for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)]
        edit.delete(node.lineno, node.end_lineno or node.lineno)
        edit.insert_after(last.end_lineno or last.lineno, *lines)
        yield from _made(edit, "publish last", f"publish `{edit.segment(target)}` last in `{function.name}`")


def _depends(view: ModuleView, function: Function, node: ast.stmt, target: ast.expr) -> bool:
    """Return whether a statement may depend on what was published: it leaves the block, reads it, or calls a reader."""
    name = attribute_of(target, function.receiver)
    for each in ast.walk(node):
        if isinstance(each, ast.Return | ast.Raise | ast.Break | ast.Continue | ast.Yield | ast.Await):
            return True
        own = (
            isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == function.receiver
        )
        if own and (last_name(each) == name or view.method(function.owner, last_name(each)) is not None):
            return True
    return False


def _published(function: Function, node: ast.stmt) -> ast.expr | None:
    """Return the attribute that an assignment publishes; None if it publishes none."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and attribute_of(node.targets[0], function.receiver):
        return node.targets[0]
    return None


def _in_a_local(view: ModuleView, function: Function, block: Sequence[ast.stmt]) -> Iterator[Proposal]:
    """Yield mends that work on a local name and store it once, where a block changes an attribute step by step."""
    for at, node in enumerate(block):
        target = _published(function, node)
        if not isinstance(target, ast.Attribute) or node.lineno == function.node.lineno:
            continue
        text = ast.unparse(target)
        last = max(
            (number for number, each in enumerate(block) if number > at and _mentions(each, text)
             and isinstance(each, ast.Assign | ast.AugAssign | ast.Expr | ast.For | ast.If)),
            default=at,
        )  # fmt: skip
        if last == at:
            continue
        taken = {inner.id for inner in function.nodes if isinstance(inner, ast.Name)}
        local = _local(target.attr, taken)
        edit = view.edit()
        for each in block[at : last + 1]:
            for inner in (each, *own_nodes(each)):
                if isinstance(inner, ast.Attribute) and ast.unparse(inner) == text:
                    edit.replace(inner, local)
        end = block[last].end_lineno or block[last].lineno
        edit.insert_after(end, f"{edit.indent_of(node.lineno)}{text} = {local}")
        yield from _made(edit, "publish last", f"store `{text}` once, when it is complete, in `{function.name}`")
        return


def _local(attribute: str, taken: set[str]) -> str:
    """Return a local name for the value of an attribute."""
    name = attribute.lstrip("_") or "value"
    return f"current_{name}" if name in taken or hasattr(builtins, name) or keyword.iskeyword(name) else name


def _mentions(node: ast.stmt, text: str) -> bool:
    return any(isinstance(each, ast.Attribute) and ast.unparse(each) == text for each in ast.walk(node))
