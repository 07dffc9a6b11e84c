"""Mends that hold a lock for longer, or in more places: over the gap, over whole methods, over all that share state."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from plait.model.counted import counted
from plait.subject.changes.scopes import FUNCTIONS
from plait.subject.mend.clues import Clues
from plait.subject.mend.locks import (
    CLASS,
    INSTANCE,
    MODULE,
    HeldLock,
    can_make_in_instances,
    first_line,
    free_name,
    is_only_reentrant,
    locks_of_clues,
)
from plait.subject.mend.text import SourceText
from plait.subject.mend.view import Function, ModuleView, covering, last_name, own_nodes

NEVER = frozenset({"__init__", "__new__", "__del__", "__init_subclass__", "__class_getitem__", "__post_init__"})
_MOST_NAMED = 3
SHARED = 3
"""The burden, in lines, of a lock for all instances: it makes unrelated threads wait for each other."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One mend of one module: its family, a title, and the whole new text."""

    family: str
    title: str
    text: str
    burden: int = 0  # counts like so many changed lines: a lock that all instances share


@dataclass(frozen=True, slots=True)
class Stretch:
    """Statements of one block of a function that are to be held together."""

    function: Function
    statements: tuple[ast.stmt, ...]

    @property
    def is_whole(self) -> bool:
        """True if the stretch is the whole body of the function."""
        return list(self.statements) == self.function.body


def holding(view: ModuleView, clues: Clues, file: str, owner: str) -> Iterator[Proposal]:
    """Yield mends that hold a lock; ``owner`` is the class under test, empty for a module."""
    for functions in _groups(view, clues, file, owner):
        classes = list(dict.fromkeys(each.owner for each in functions))
        home = view.top(classes) if all(classes) else "" if not any(classes) else None
        if home is None:
            continue
        existing = locks_of_clues(view, home, clues.locks)
        for stretches in _stretches(view, clues, file, functions, existing):
            for lock in existing:
                yield from _held(view, stretches, lock, "hold")
            if not existing and _excludes_all(view, clues, functions, home):
                for lock in _new_locks(view, home, stretches):
                    yield from _held(view, stretches, lock, "add lock")
        shared = any(each.is_shared for each in existing)
        if existing and not shared and _excludes_all(view, clues, functions, home):
            whole = [Stretch(each, tuple(each.body)) for each in functions]
            for lock in _new_locks(view, home, whole):
                if lock.new == CLASS:
                    yield from _held(view, whole, lock, "add lock")


def _groups(view: ModuleView, clues: Clues, file: str, owner: str) -> Iterator[list[Function]]:
    """Yield sets of functions that may have to be held, the small ones first."""
    inner = _known(view, clues.functions(file))
    entries = _entries(view, clues, owner)
    seen: set[tuple[str, ...]] = set()
    sharing = _sharing(view, clues, owner)
    for group in (
        *([each] for each in (*inner, *entries)),
        inner, entries, [*inner, *entries],
        changing_methods(view, clues, owner), [*changing_methods(view, clues, owner), *entries],
        sharing, [*sharing, *entries],
        _public(view, owner),
    ):  # fmt: skip
        able = list(dict.fromkeys(each for each in group if each.can_hold and each.name not in NEVER))
        key = tuple(sorted(each.qualname for each in able))
        if able and key not in seen:
            seen.add(key)
            yield able


def _known(view: ModuleView, names: Iterable[str]) -> list[Function]:
    return [view.functions[name] for name in names if name in view.functions]


def _entries(view: ModuleView, clues: Clues, owner: str) -> list[Function]:
    """Return the methods that the test of the finding calls."""
    names = [name.rpartition(".")[2] for name in clues.entries]
    found = [view.method(owner, name) if owner else view.functions.get(name) for name in names]
    return [each for each in found if each is not None]


def _sharing(view: ModuleView, clues: Clues, owner: str) -> list[Function]:
    """Return the public methods that use the racing attributes, directly or not."""
    if not owner:
        return [each for each in view.functions.values() if not each.owner and _names(each) & set(clues.attributes)]
    attributes = set(clues.attributes)
    own = [each for each in view.methods(owner) if view.touches(each, attributes)]
    return [each for each in own if is_public_method(each)] or _sharing_parts(view, clues, owner)


def _sharing_parts(view: ModuleView, clues: Clues, owner: str) -> list[Function]:
    """Return the public methods that touch the same attributes as the methods of the test."""
    entries = _entries(view, clues, owner) if owner else []
    parts = {name for each in entries for other in view.reached(each) for name in view.touched(other)}
    found = [each for each in view.methods(owner) if parts and view.touches(each, parts)] if owner else []
    return [each for each in found if is_public_method(each) and each.name not in NEVER]


def changing_methods(view: ModuleView, clues: Clues, owner: str) -> list[Function]:
    """Return the public methods that change the racing attributes, directly or not."""
    attributes = set(clues.attributes)
    found = [
        each for each in (view.methods(owner) if owner else [])
        if any(attributes & view.written(other).keys() for other in view.reached(each))
    ]  # fmt: skip
    return [each for each in found if is_public_method(each) and each.name not in NEVER]


def _excludes_all(view: ModuleView, clues: Clues, functions: Sequence[Function], owner: str) -> bool:
    """Return whether a new lock would keep out everybody who changes what is raced for: it binds only who takes it."""
    attributes = set(clues.attributes)
    changing = changing_methods(view, clues, owner)
    for method in changing:
        writers = [each for each in view.reached(method) if attributes & view.written(each).keys()]
        if method not in functions and not all(each in functions for each in writers):
            return False
    # The racing state may belong to a part of the object: any method that reaches the part may change it.
    return bool(changing) or all(each in functions for each in _sharing_parts(view, clues, owner))


def _names(function: Function) -> set[str]:
    return {node.id for node in function.nodes if isinstance(node, ast.Name)}


def _public(view: ModuleView, owner: str) -> list[Function]:
    found = view.methods(owner) if owner else [each for each in view.functions.values() if not each.owner]
    return [each for each in found if is_public_method(each)]


def is_public_method(function: Function) -> bool:
    """Return whether callers outside may use it."""
    return not function.name.startswith("_") or (function.name.startswith("__") and function.name.endswith("__"))


def _stretches(
    view: ModuleView, clues: Clues, file: str, functions: Sequence[Function], locks: Sequence[HeldLock]
) -> Iterator[list[Stretch]]:
    """Yield stretches to hold in each function: the conflicting lines, these with what is held already, or all."""
    narrow, wide = [], []
    for function in functions:
        lines = clues.lines(file, function.qualname)
        taken = [
            line for node in function.nodes
            if isinstance(node, ast.With) and any(view.held_by(node, lock.name) for lock in locks)
            for line in (node.lineno, node.end_lineno or node.lineno)
        ]  # fmt: skip
        narrow.append(Stretch(function, tuple(covering(function, lines) or function.body)))
        wide.append(Stretch(function, tuple(covering(function, [*lines, *taken]) or function.body)))
    yield narrow
    yield wide
    yield [Stretch(function, tuple(function.body)) for function in functions]


def _new_locks(view: ModuleView, home: str, stretches: Sequence[Stretch]) -> Iterator[HeldLock]:
    name = free_name(view, home)
    functions = [each.function for each in stretches]
    kind = "RLock" if _may_come_back(view, functions) or is_only_reentrant(view) else "Lock"
    if not home:
        yield HeldLock(name, "", kind, MODULE)
        return
    if all(each.binding == "instance" for each in functions) and can_make_in_instances(view, home):
        yield HeldLock(name, home, kind, INSTANCE)
    yield HeldLock(name, home, "RLock", CLASS)


def _may_come_back(view: ModuleView, functions: Sequence[Function]) -> bool:
    """Return whether a function that holds the lock may call one that takes it, or code that is not known."""
    for function in functions:
        if any(other in functions for other in view.reached(function)[1:]):
            return True
        given = {each.arg for each in ast.walk(function.node.args) if isinstance(each, ast.arg)} - {function.receiver}
        for node in function.nodes:
            if isinstance(node, ast.Call) and (isinstance(node.func, ast.Name) and node.func.id in given):
                return True
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                is_own = isinstance(owner, ast.Name) and owner.id == function.receiver
                if is_own and view.method(function.owner, node.func.attr) is None:
                    return True  # a function that the object keeps
                if isinstance(owner, ast.Name) and owner.id != function.receiver and owner.id in given:
                    return True
    return False


# -- writing --


def _held(view: ModuleView, stretches: Sequence[Stretch], lock: HeldLock, family: str) -> Iterator[Proposal]:
    open_ = [each for each in stretches if not _is_held(view, each, lock)]
    if not open_:
        return
    for chosen in (lock, *([replace(lock, upgrade=True)] if _needs_upgrade(view, open_, lock) else [])):
        edit = view.edit()
        if all(hold(view, edit, each, chosen) for each in open_) and chosen.prepare(view, edit):
            text = edit.result()
            if text is not None:
                yield Proposal(family, holding_title(open_, chosen), text, SHARED if chosen.new == CLASS else 0)


def _needs_upgrade(view: ModuleView, stretches: Sequence[Stretch], lock: HeldLock) -> bool:
    if lock.there is None or lock.reenters:
        return False
    return any(view.takes(other, lock.name) for each in stretches for other in view.reached(each.function)[1:])


def _same_lock(view: ModuleView, name: str) -> set[str]:
    """Return the names under which a lock can be taken: conditions that were made with it count."""
    found = {name}
    for each in view.primitives:
        shared = view.shares_lock(each)
        if shared and (shared in found or each.name in found):
            found |= {shared, each.name}
    return found


def _is_held(view: ModuleView, stretch: Stretch, lock: HeldLock) -> bool:
    """Return whether the statements are under the lock already."""
    names = _same_lock(view, lock.name)
    inside = set(map(id, stretch.statements))
    for node in own_nodes(stretch.function.node):
        if isinstance(node, ast.With) and any(last_name(item.context_expr) in names for item in node.items):
            if inside <= set(map(id, node.body)) or inside <= {id(each) for each in ast.walk(node)} - {id(node)}:
                return True
            if inside == {id(node)}:
                return True
    return False


def hold(view: ModuleView, edit: SourceText, stretch: Stretch, lock: HeldLock) -> bool:
    """Put statements under a lock; blocks among them that take the same one are dissolved. False if it cannot be."""
    expression = lock.expression(stretch.function)
    first, last = stretch.statements[0], stretch.statements[-1]
    if expression is None or not _has_own_lines(stretch):
        return False
    unit = unit_of(edit, stretch.function)
    if first.lineno == stretch.function.node.lineno:
        return _hold_short(edit, stretch, expression, unit)
    begin, end = _begin(edit, stretch), last.end_lineno or last.lineno
    edit.insert_before(begin, f"{edit.indent_of(first.lineno)}with {expression}:")
    edit.shift(begin, end, 1, unit)
    names = _same_lock(view, lock.name)
    for statement in stretch.statements:
        for node in (statement, *own_nodes(statement)):
            if isinstance(node, ast.With) and len(node.items) == 1:
                taken = node.items[0].context_expr
                if last_name(taken) in names and edit.segment(taken).partition(".")[0] == expression.partition(".")[0]:
                    dissolve(edit, node, unit)
    return True


def dissolve(edit: SourceText, node: ast.With, unit: str) -> None:
    """Remove the head of a block, and dedent its body."""
    head = node.items[-1].context_expr.end_lineno or node.lineno
    if node.body[0].lineno > head:
        edit.delete(node.lineno, head)
        edit.shift(node.body[0].lineno, node.end_lineno or node.lineno, -1, unit)
        if node.body[0].lineno > head + 1:  # comments in between
            edit.shift(head + 1, node.body[0].lineno - 1, -1, unit)


def _hold_short(edit: SourceText, stretch: Stretch, expression: str, unit: str) -> bool:
    """Hold the statement of a function that stands on the line of its ``def``."""
    first, node = stretch.statements[0], stretch.function.node
    if len(stretch.statements) != 1 or first.end_lineno != node.lineno:
        return False
    start = edit.column(first.lineno, first.col_offset)
    before = len(edit.line(first.lineno)[:start].rstrip())
    indent = edit.indent_of(node.lineno) + unit
    edit.replace_span(first.lineno, before, start, f"\n{indent}with {expression}:\n{indent}{unit}")
    return True


def unit_of(edit: SourceText, function: Function) -> str:
    """Return the blanks of one level, as the function has them."""
    outer, inner = edit.indent_of(function.node.lineno), edit.indent_of(function.node.body[0].lineno)
    return inner.removeprefix(outer) or "    "


def _begin(edit: SourceText, stretch: Stretch) -> int:
    """Return the first line; the comments right above the first statement of a whole body belong to it."""
    first = stretch.statements[0]
    begin = first_line(first)
    if stretch.is_whole:
        while edit.line(begin - 1).lstrip().startswith("#") and begin - 1 > stretch.function.node.lineno:
            begin -= 1
    return begin


def _has_own_lines(stretch: Stretch) -> bool:
    """Return whether no other statement stands on the lines of these."""
    first, last = stretch.statements[0], stretch.statements[-1]
    inside = {id(node) for each in stretch.statements for node in ast.walk(each)}
    for node in ast.walk(stretch.function.node):
        if isinstance(node, ast.stmt) and id(node) not in inside and not isinstance(node, FUNCTIONS):
            around = node.lineno < first.lineno and (node.end_lineno or 0) >= (last.end_lineno or 0)
            if not around and node.lineno <= (last.end_lineno or 0) and (node.end_lineno or 0) >= first.lineno:
                return False
    return True


def holding_title(stretches: Sequence[Stretch], lock: HeldLock) -> str:
    """Return the title of a mend that holds a lock."""
    shown = ", ".join(f"`{each.function.name}`" for each in stretches[:_MOST_NAMED])
    others = len(stretches) - _MOST_NAMED
    more = f" and {counted(others, 'other')}" if others > 0 else ""
    whole = all(each.is_whole for each in stretches)
    part = "" if whole else " part of" if len(stretches) == 1 else " parts of"
    written = lock.expression(stretches[0].function) or lock.name
    if lock.new is None:
        again = ", made an `RLock`," if lock.upgrade else ""
        return f"hold `{written}`{again} in{part} {shown}{more}"
    where = {INSTANCE: "", CLASS: " for all instances", MODULE: " for the module"}[lock.new]
    return f"add a lock `{written}`{where}, held in{part} {shown}{more}"
