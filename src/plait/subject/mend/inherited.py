"""Mends of a class and of its base class in another module: one lock, held by the methods of both.

A method of the base class calls others that the class overrides: no lock of one module alone covers both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from plait.subject.mend.clues import Clues
from plait.subject.mend.holding import NEVER, SHARED, Stretch, changing_methods, hold, holding_title, is_public_method
from plait.subject.mend.locks import (
    CLASS,
    INSTANCE,
    HeldLock,
    can_make_in_instances,
    free_name,
    locks_of_clues,
    runs_base_init,
)
from plait.subject.mend.view import Function, ModuleView, last_name


@dataclass(frozen=True, slots=True)
class SharedProposal:
    """One mend of two modules: the whole new text of each, by file."""

    family: str
    title: str
    texts: Mapping[str, str]
    burden: int = 0


@dataclass(frozen=True, slots=True)
class _Line:
    """A class, and the base class in another module that its instances have methods of."""

    file: str
    view: ModuleView
    owner: str
    base_file: str
    base_view: ModuleView
    base: str

    def method(self, name: str) -> tuple[str, Function] | None:
        """Return the method that a call reaches, with its file."""
        own = self.view.method(self.owner, name)
        if own is not None:
            return self.file, own
        above = self.base_view.method(self.base, name)
        return None if above is None else (self.base_file, above)

    def methods(self) -> list[tuple[str, Function]]:
        """Return all methods that instances have."""
        own = self.view.methods(self.owner)
        names = {each.name for each in own}
        above = [each for each in self.base_view.methods(self.base) if each.name not in names]
        return [*((self.file, each) for each in own), *((self.base_file, each) for each in above)]


def inherited(views: Mapping[str, ModuleView], clues: Clues, owner: str) -> Iterator[SharedProposal]:
    """Yield mends that hold one lock in the methods of a class and of its base class elsewhere, small ones first."""
    for line in _lines(views, owner):
        groups = _groups(line, clues)
        for lock in _locks(line, clues):
            for group in groups:
                made = _held(line, group, lock)
                if made is not None:
                    yield made


def _lines(views: Mapping[str, ModuleView], owner: str) -> Iterator[_Line]:
    for file, view in views.items():
        if owner not in view.classes:
            continue
        bases = [last_name(base) for name in view.line_of(owner) for base in view.classes[name].bases]
        for other, base_view in views.items():
            for base in bases:
                if other != file and base in base_view.classes and base not in view.classes:
                    yield _Line(file, view, owner, other, base_view, base)


def _groups(line: _Line, clues: Clues) -> list[list[tuple[str, Function]]]:
    """Return sets of methods of both classes that may need the lock, with all that change the racing state."""
    entries = [each for name in clues.entries if (each := line.method(name.rpartition(".")[2])) is not None]
    changing = [(line.file, each) for each in changing_methods(line.view, clues, line.owner)]
    public = [each for each in line.methods() if is_public_method(each[1])]
    found: list[list[tuple[str, Function]]] = []
    for group in ([*entries, *changing], public):
        able = [each for each in dict.fromkeys(group) if each[1].can_hold and each[1].name not in NEVER]
        if {file for file, _each in able} == {line.file, line.base_file} and able not in found:
            found.append(able)
    return found


def _locks(line: _Line, clues: Clues) -> list[HeldLock]:
    """Return locks that methods of both classes can take."""
    there = [each for each in locks_of_clues(line.base_view, line.base, clues.locks) if each.reenters]
    if there:
        return there
    name = free_name(line.base_view, line.base)
    if name != free_name(line.view, line.owner):
        return []
    init = line.view.functions.get(f"{line.owner}.__init__")
    made = can_make_in_instances(line.base_view, line.base) and (init is None or runs_base_init(init))
    kinds = (INSTANCE, CLASS) if made else (CLASS,)
    return [HeldLock(name, line.base, "RLock", kind) for kind in kinds]


def _held(line: _Line, group: list[tuple[str, Function]], lock: HeldLock) -> SharedProposal | None:
    edits = {line.file: line.view.edit(), line.base_file: line.base_view.edit()}
    views = {line.file: line.view, line.base_file: line.base_view}
    stretches = [(file, Stretch(each, tuple(each.body))) for file, each in group]
    if not all(hold(views[file], edits[file], each, lock) for file, each in stretches):
        return None
    if not lock.prepare(line.base_view, edits[line.base_file]):
        return None
    texts = {file: edit.result() for file, edit in edits.items()}
    whole = {file: text for file, text in texts.items() if text is not None}
    if len(whole) < len(texts):
        return None
    title = holding_title([each for _file, each in stretches], lock)
    family = "hold" if lock.there is not None else "add lock"
    return SharedProposal(family, title, whole, SHARED if lock.new == CLASS else 0)
