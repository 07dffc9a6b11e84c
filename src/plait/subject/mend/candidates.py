"""All candidate mends of a finding, the smallest first. None of them is proven here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from plait.subject.mend.atomic import atomic
from plait.subject.mend.clues import Clues
from plait.subject.mend.holding import Proposal, holding
from plait.subject.mend.inherited import inherited
from plait.subject.mend.ordering import ordering
from plait.subject.mend.overriding import overriding
from plait.subject.mend.signalling import signalling
from plait.subject.mend.text import diff_size, parsed, unified
from plait.subject.mend.view import ModuleView

MOST = 60
"""The maximum number of candidates for a finding; further ones are too large to read."""
_STUCK = ("deadlock", "hang")


class Edit(NamedTuple):
    """A new text for one file, named from the root of the version."""

    file: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Mend:
    """One candidate: new texts for one file, or for those of a class and its base class."""

    family: str
    title: str
    edits: tuple[Edit, ...]
    burden: int = 0

    @property
    def file(self) -> str:
        """The file that is edited, the first of several."""
        return self.edits[0].file

    @property
    def undone(self) -> Mend:
        """The edits that undo the mend."""
        return replace(self, edits=tuple(Edit(each.file, each.after, each.before) for each in self.edits))

    @property
    def diff(self) -> str:
        """The change, as `patch` and `git apply` read it."""
        return self.diff_below("")

    def diff_below(self, folder: str) -> str:
        """Return the change for those who stand above the root of the version: ``folder`` leads there."""
        lead = f"{folder}/" if folder else ""
        return "".join(unified(f"{lead}{each.file}", each.before, each.after) for each in self.edits)

    @property
    def size(self) -> tuple[int, int]:
        """The order of candidates: changed lines without indentation, plus the burden; then changed lines with it."""
        sizes = [diff_size(each.before, each.after) for each in self.edits]
        return sum(lines for lines, _all in sizes) + self.burden, sum(all_lines for _lines, all_lines in sizes)


def mends(files: Mapping[str, str], clues: Clues, owner: str) -> list[Mend]:
    """Return the candidates in ascending size; ``files`` holds the texts that may be changed, ``owner`` the class."""
    found: dict[tuple[Edit, ...], Mend] = {}

    def propose(family: str, title: str, texts: Mapping[str, str], burden: int) -> None:
        edits = tuple(Edit(file, files[file], text) for file, text in texts.items())
        found.setdefault(edits, Mend(family, title, edits, burden))

    views = {file: view for file, text in files.items() if (view := _view(text)) is not None}
    for file, view in views.items():
        for each in _proposals(file, view, clues, owner):
            propose(each.family, each.title, {file: each.text}, each.burden)
    if clues.kind not in _STUCK:
        for shared in inherited(views, clues, owner):
            propose(shared.family, shared.title, shared.texts, shared.burden)
    sizes = {key: mend.size for key, mend in found.items()}
    ordered = sorted(found.items(), key=lambda item: sizes[item[0]])
    return [mend for _key, mend in ordered[:MOST]]


def unrelated_methods(files: Mapping[str, str], clues: Clues, owner: str) -> list[str]:
    """Return the public methods of a class that do not use the racing state, and are not in the finding's test."""
    entries = {name.rpartition(".")[2] for name in clues.entries}
    for text in files.values():
        tree = parsed(text)
        view = None if tree is None else ModuleView(text, tree)
        if view is not None and owner in view.classes:
            ran = {each.function.rpartition(".")[2] for each in (*clues.gap, *clues.race)}
            return [
                each.name for each in view.methods(owner)
                if not view.touches(each, clues.attributes) and each.name not in entries | ran
                and not each.name.startswith("_")
            ]  # fmt: skip
    return []


def _view(text: str) -> ModuleView | None:
    tree = parsed(text)
    return None if tree is None or "\r" in text.replace("\r\n", "") else ModuleView(text, tree)


def _proposals(file: str, view: ModuleView, clues: Clues, owner: str) -> Iterator[Proposal]:
    known = owner if owner in view.classes else ""
    if owner and not known:  # another module's class: what races here belongs to a class of this one
        names = [name.rpartition(".")[0] for name in clues.functions(file)]
        known = next((name for name in names if name in view.classes), "")
    if clues.kind in _STUCK:  # candidates with the same text keep the title of the first
        yield from ordering(view, clues, file, known)
    yield from holding(view, clues, file, known)
    yield from atomic(view, clues, file, known)
    yield from signalling(view, clues, file, known)
    if clues.kind not in _STUCK:
        yield from overriding(view, clues, known)
    if clues.kind not in _STUCK and clues.locks:
        yield from ordering(view, clues, file, known)
