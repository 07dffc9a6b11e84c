"""Mends of a class whose inherited method is not atomic: override it, to run under the lock of the class.

A method of a standard mixin with several steps (`MutableMapping.popitem`) is in no file of the project.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Iterator, Sequence
from dataclasses import replace

from plait.subject.mend.clues import Clues
from plait.subject.mend.holding import (
    NEVER,
    SHARED,
    Proposal,
    Stretch,
    changing_methods,
    hold,
    holding_title,
    is_public_method,
    unit_of,
)
from plait.subject.mend.locks import CLASS, INSTANCE, HeldLock, can_make_in_instances, free_name, locks_of_clues
from plait.subject.mend.text import SourceText
from plait.subject.mend.view import Function, ModuleView, last_name

LAZY = frozenset({"__iter__", "__reversed__", "keys", "values", "items"})
"""Methods that return an object which works later, when no thread holds the lock."""
_ONE_STEP = frozenset({"get"})
"""What calls a single method of the class, which holds the lock if it has to."""


def overriding(view: ModuleView, clues: Clues, owner: str) -> Iterator[Proposal]:
    """Yield mends that override the inherited methods of the finding's test, small ones first."""
    names = _inherited_entries(view, clues, owner)
    if not names:
        return
    every = list(dict.fromkeys([*names, *_mixed_in(view, owner)]))
    for lock in _locks(view, clues, owner):
        for group in _groups(view, clues, owner):
            for chosen in (names, every) if len(every) > len(names) else (names,):
                made = _overridden(view, owner, chosen, group, lock)
                if made is not None:
                    yield made


def _inherited_entries(view: ModuleView, clues: Clues, owner: str) -> list[str]:
    """Return the methods that the test calls and the module does not have."""
    called = [part for name in clues.entries for part in name.rpartition(".")[2].split("+")]
    known = owner in view.classes and bool(view.classes[owner].bases)
    return [
        name for name in dict.fromkeys(called)
        if known and name.isidentifier() and name not in NEVER | LAZY and view.method(owner, name) is None
    ]  # fmt: skip


def _mixed_in(view: ModuleView, owner: str) -> list[str]:
    """Return what the abstract classes of `collections.abc` among the base classes do in several steps."""
    bases = [last_name(base) for each in view.line_of(owner) for base in view.classes[each].bases]
    kinds = [getattr(collections.abc, name) for name in bases if name in collections.abc.__all__]
    left_out = LAZY | _ONE_STEP
    return [
        name for kind in kinds for each in kind.__mro__[:-1] for name, member in vars(each).items()
        if callable(member) and not name.startswith("_") and name not in left_out | kind.__abstractmethods__
        and view.method(owner, name) is None
    ]  # fmt: skip


def _groups(view: ModuleView, clues: Clues, owner: str) -> list[list[Function]]:
    """Return the sets of own methods that are held as well: those that change what is raced for, then all."""
    named = {name.rpartition(".")[2] for name in clues.entries}
    own = view.methods(owner)
    entries = [each for each in own if each.name in named]
    found: list[list[Function]] = []
    for group in ([*entries, *changing_methods(view, clues, owner)], [each for each in own if is_public_method(each)]):
        able = [each for each in dict.fromkeys(group) if each.can_hold and each.name not in NEVER]
        if able and all(each.binding == "instance" for each in able) and able not in found:
            found.append(able)
    return found


def _locks(view: ModuleView, clues: Clues, owner: str) -> list[HeldLock]:
    """Return locks that a method may take again: what is inherited calls methods that take it."""
    found = locks_of_clues(view, owner, clues.locks)
    there = [each if each.reenters else replace(each, upgrade=True) for each in found if each.owner]
    if there:
        return there
    kinds = (INSTANCE, CLASS) if can_make_in_instances(view, owner) else (CLASS,)
    return [HeldLock(free_name(view, owner), owner, "RLock", kind) for kind in kinds]


def _overridden(
    view: ModuleView, owner: str, names: Sequence[str], group: Sequence[Function], lock: HeldLock
) -> Proposal | None:
    edit = view.edit()
    stretches = [Stretch(each, tuple(each.body)) for each in group if not view.takes(each, lock.name)]
    if not all(hold(view, edit, each, lock) for each in stretches) or not lock.prepare(view, edit):
        return None
    _write(view, edit, owner, names, group[0], lock)
    text = edit.result()
    if text is None:
        return None
    listed = ", ".join(f"`{name}`" for name in names)
    family = "hold" if lock.new is None else "add lock"
    held = holding_title(stretches, lock) if stretches else f"hold `self.{lock.name}`"
    title = f"{held}; override {listed}, to hold it there as well"
    return Proposal(family, title, text, SHARED if lock.new == CLASS else 0)


def _write(
    view: ModuleView, edit: SourceText, owner: str, names: Sequence[str], sample: Function, lock: HeldLock
) -> None:
    """Add the methods after the last line of the class."""
    node = view.classes[owner]
    indent, unit = edit.indent_of(node.body[0].lineno), unit_of(edit, sample)
    for name in names:
        edit.insert_after(
            node.end_lineno or node.lineno,
            "",
            f"{indent}def {name}(self, *args, **kwargs):",
            f"{indent}{unit}with self.{lock.name}:",
            f"{indent}{unit * 2}return super().{name}(*args, **kwargs)",
        )
