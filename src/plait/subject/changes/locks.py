"""Changes to the locks of a class, by source text: removed, added, widened, narrowed, replaced."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from plait.subject.changes.normal import header
from plait.subject.changes.scopes import FUNCTIONS, FunctionNode, is_noise, nested_statements
from plait.subject.interface.concurrent import is_lock_name
from plait.subject.source import Source

if TYPE_CHECKING:
    from plait.subject.changes.change import Change
    from plait.subject.versions.version import Version

_Deed = Literal["removed", "narrowed", "replaced", "added", "widened", "moved"]
_WORDS: dict[_Deed, str] = {
    "removed": "removed from", "narrowed": "narrowed in", "replaced": "exchanged in", "added": "added to",
    "widened": "widened in", "moved": "moved in",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LockChange:
    """One change to locks, and the functions in which it was made (plain names)."""

    deed: _Deed
    functions: tuple[str, ...]

    def __str__(self) -> str:
        shown = ", ".join(f"`{name}`" for name in self.functions[:2])
        more = f" and {len(self.functions) - 2} others" if len(self.functions) > 2 else ""
        return f"the lock {_WORDS[self.deed]} {shown}{more}"


def lock_changes(change: Change, old: Version, new: Version) -> list[LockChange]:
    """Return the changes to locks in the changed functions that the class reaches, those that weaken guards first."""
    sources = [Source(version.root, version.extra) for version in (old, new)]
    found: dict[_Deed, list[str]] = {}
    reached = {way[-1] for way in change.reasons.values()}
    for name in (each for each in change.changed_functions if each in reached):
        module, _, qualname = name.partition(":")
        sides = [source.module(module) for source in sources]
        bodies = [each.functions(qualname) if each is not None else [] for each in sides]
        if all(bodies):
            deed = compare_locks(bodies[0][0], bodies[1][0])
            if deed is not None:
                found.setdefault(deed, []).append(qualname.rpartition(".")[2])
    return [LockChange(deed, tuple(sorted(found[deed]))) for deed in _WORDS if deed in found]


def compare_locks(old: FunctionNode, new: FunctionNode) -> _Deed | None:
    """Return the changes to the locks of one function."""
    before, after = _Guarded(old), _Guarded(new)
    if not before.locks and not after.locks:
        return None
    if not after.locks:
        return "removed"
    if not before.locks:
        return "added"
    lost, gained = before.inside & after.outside, after.inside & before.outside
    if lost and gained:
        return "moved"
    if lost or gained:
        return "narrowed" if lost else "widened"
    if before.locks != after.locks:
        fewer, more = before.locks - after.locks, after.locks - before.locks
        return "replaced" if fewer and more else "removed" if fewer else "added"
    return None


class _Guarded:
    """The locks that a function takes, and its statements inside and outside of them, by their text."""

    def __init__(self, function: FunctionNode) -> None:
        self.locks = {text for each in function.decorator_list if is_lock_name(text := ast.unparse(each))
                      or "synchron" in text.lower()}  # fmt: skip
        self.inside: Counter[str] = Counter()
        self.outside: Counter[str] = Counter()
        whole = bool(self.locks)
        open_ = 0
        for node, enclosing in nested_statements(function):
            held = [text for each in enclosing for text in _locks(each)]
            mine = _locks(node)
            self.locks.update(mine)
            steps = _acquired(node)
            open_ += steps
            if mine or steps or is_noise(node) or isinstance(node, FUNCTIONS):
                continue
            guarded = whole or bool(held) or open_ > 0
            (self.inside if guarded else self.outside)[header(node)] += 1
        if any(_acquired(node) > 0 for node, _ in nested_statements(function)):
            self.locks.add("acquire")


def _locks(node: ast.AST) -> list[str]:
    if not isinstance(node, ast.With):
        return []
    return [text for item in node.items if is_lock_name(text := ast.unparse(item.context_expr))]


def _acquired(node: ast.AST) -> int:
    """1 for ``self._lock.acquire()``, -1 for ``.release()``."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return 0
    return {"acquire": 1, "release": -1}.get(call.func.attr, 0) if is_lock_name(ast.unparse(call.func.value)) else 0
