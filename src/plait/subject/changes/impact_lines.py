"""Changed lines, and whole regions of changed synchronisation (CAPP, section 3.1, the diff and step one)."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plait.subject.changes.matching import Alignment, align, matched_lines, span, statements
from plait.subject.changes.scopes import (
    FUNCTIONS,
    Container,
    Statement,
    definitions,
    nested_statements,
    scope_statements,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_GUARD = re.compile(r"lock|mutex|sema|cond|synchron|guard|monitor|latch|barrier", re.IGNORECASE)


def impacted_lines(old: ast.Module | None, new: ast.Module) -> set[int]:
    """Return the lines of ``new`` that a change touches, whole regions of synchronisation included."""
    changed = _Changed(old, new)
    lines = set(changed.lines)
    for first, last in regions(new):
        if not changed.lines.isdisjoint(range(first, last + 1)):
            lines.update(_code_lines(new, first, last))
    for first, last in regions(old) if old is not None else ():
        if not changed.gone.isdisjoint(range(first, last + 1)):
            lines.update(changed.now[line] for line in range(first, last + 1) if line in changed.now)
    return lines


class _Changed:
    """``lines`` of the new version, ``gone`` lines of the old one, ``now`` the new line of each kept old one."""

    def __init__(self, old: ast.Module | None, new: ast.Module) -> None:
        self.lines: set[int] = set()
        self.gone: set[int] = set()
        self.now: dict[int, int] = {}
        before, after = _scopes(old) if old is not None else {}, _scopes(new)
        for name in dict.fromkeys((*before, *after)):
            mine, theirs = before.get(name, []), after.get(name, [])
            for first, second in zip(mine, theirs, strict=False):
                self._compare(first, second)
            for container in theirs[len(mine) :]:
                self._take(self.lines, statements(container))
            for container in mine[len(theirs) :]:
                self._take(self.gone, statements(container))

    @staticmethod
    def _take(lines: set[int], nodes: list[Statement]) -> None:
        for node in nodes:
            first, last = span(node)
            lines.update(range(first, last + 1))

    def _compare(self, old: Container, new: Container) -> None:
        found = align(old, new)
        for mine, theirs in (*found.kept, *found.moved):
            for line, other in matched_lines(mine, theirs):
                self.now.setdefault(line, other)
        self._take(self.lines, [*found.added, *(theirs for _mine, theirs in found.moved)])
        self._take(self.gone, [*found.removed, *(mine for mine, _theirs in found.moved)])
        self._mark_removals(statements(old), statements(new), found)
        before, after = _guards(old), _guards(new)
        for mine, theirs in found.kept:
            if before.get(id(mine)) != after.get(id(theirs)):
                self._take(self.lines, [theirs])
                self._take(self.gone, [mine])

    def _mark_removals(self, old: list[Statement], new: list[Statement], found: Alignment) -> None:
        """Mark the statements before and after a removed one, if nothing replaces it."""
        place = {id(node): number for number, node in enumerate(new)}
        kept = {id(mine): place[id(theirs)] for mine, theirs in found.kept}
        removed = set(map(id, found.removed))
        for index, node in enumerate(old):
            if id(node) in removed and not _guards_something(node):  # what a lock guarded is marked by itself
                before = next((kept[id(other)] for other in reversed(old[:index]) if id(other) in kept), -1)
                behind = next((kept[id(other)] for other in old[index + 1 :] if id(other) in kept), len(new))
                if behind == before + 1:
                    self._take(self.lines, new[max(before, 0) : behind + 1])


def _guards_something(node: Statement) -> bool:
    return isinstance(node, ast.With | ast.AsyncWith) and any(_is_guard(item.context_expr) for item in node.items)


def _guards(container: Container) -> dict[int, tuple[str, ...]]:
    """Return, for each statement of a scope, the locks whose ``with`` blocks it stands in."""
    return {
        id(node): tuple(
            ast.unparse(item.context_expr)
            for outer in enclosing
            if isinstance(outer, ast.With | ast.AsyncWith)
            for item in outer.items
            if _is_guard(item.context_expr)
        )
        for node, enclosing in nested_statements(container)
    }


def _scopes(tree: ast.Module) -> dict[str, list[Container]]:
    found: dict[str, list[Container]] = {"": [tree]}
    for name, node in definitions(tree):
        found.setdefault(name, []).append(node)
    return found


def _code_lines(tree: ast.Module, first: int, last: int) -> set[int]:
    """Return the lines of a region that statements begin on or expressions stand on."""
    return {
        line for node in ast.walk(tree) if (line := getattr(node, "lineno", None)) is not None and first <= line <= last
    }


def regions(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield first and last lines of ``with lock`` blocks, of acquire/release pairs and of methods that are locked."""
    for node in ast.walk(tree):
        if isinstance(node, ast.With | ast.AsyncWith) and _guards_something(node):
            yield node.lineno, node.end_lineno or node.lineno
        elif isinstance(node, FUNCTIONS):
            if any(_GUARD.search(ast.unparse(decorator)) for decorator in node.decorator_list):
                yield span(node)[0], node.end_lineno or node.lineno
            yield from _pairs(node)


def _is_guard(expression: ast.expr) -> bool:
    """Return whether an expression is a lock: a plain name or attribute, or a call named like one."""
    if isinstance(expression, ast.Call):
        return _GUARD.search(ast.unparse(expression)) is not None
    return isinstance(expression, ast.Name | ast.Attribute | ast.Subscript)


def _pairs(function: ast.AST) -> Iterator[tuple[int, int]]:
    """Yield the regions from each ``x.acquire`` to the last ``x.release`` of the same function."""
    taken: dict[str, int] = {}
    given: dict[str, int] = {}
    for statement in scope_statements(function):
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                receiver = ast.unparse(node.func.value)
                if node.func.attr == "acquire":
                    taken[receiver] = min(node.lineno, taken.get(receiver, node.lineno))
                elif node.func.attr == "release":
                    given[receiver] = max(node.lineno, given.get(receiver, node.lineno))
    yield from ((taken[lock], given[lock]) for lock in taken if given.get(lock, 0) >= taken[lock])
