"""All mends of a finding that source text offers, the smallest first. None of them is proven here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from plait.subject.mend.atomic import atomic
from plait.subject.mend.clues import Clues
from plait.subject.mend.holding import Proposal, holding
from plait.subject.mend.ordering import ordering
from plait.subject.mend.signalling import signalling
from plait.subject.mend.text import diff_size, parsed, unified
from plait.subject.mend.view import ModuleView

MOST = 60
"""Candidates of one finding: those behind it are larger than anybody wants to read."""
_STUCK = ("deadlock", "hang")


@dataclass(frozen=True, slots=True)
class Mend:
    """One candidate: a new text for one file, named from the root of the version."""

    family: str
    title: str
    file: str
    before: str
    after: str
    burden: int = 0

    @property
    def diff(self) -> str:
        """The change, as `patch` and `git apply` read it."""
        return unified(self.file, self.before, self.after)

    @property
    def size(self) -> tuple[int, int]:
        """Lines that differ, indentation apart, and the burden beside them; then the lines with it."""
        lines, all_lines = diff_size(self.before, self.after)
        return lines + self.burden, all_lines


def mends(files: Mapping[str, str], clues: Clues, owner: str) -> list[Mend]:
    """Return the candidates in ascending size; ``files`` holds the texts that may be changed, ``owner`` the class."""
    found: dict[tuple[str, str], Mend] = {}
    for file, text in files.items():
        for proposal in _proposals(file, text, clues, owner):
            mend = Mend(proposal.family, proposal.title, file, text, proposal.text, proposal.burden)
            found.setdefault((file, proposal.text), mend)
    sizes = {key: mend.size for key, mend in found.items()}
    ordered = sorted(found.items(), key=lambda item: sizes[item[0]])
    return [mend for _key, mend in ordered[:MOST]]


def unrelated_methods(files: Mapping[str, str], clues: Clues, owner: str) -> list[str]:
    """Return the public methods of a class that do not touch what is raced for, and are not in the finding's test."""
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


def _proposals(file: str, text: str, clues: Clues, owner: str) -> Iterator[Proposal]:
    tree = parsed(text)
    if tree is None or "\r" in text.replace("\r\n", ""):
        return
    view = ModuleView(text, tree)
    known = owner if owner in view.classes else ""
    if owner and not known:  # another module's class: what races here belongs to a class of this one
        names = [name.rpartition(".")[0] for name in clues.functions(file)]
        known = next((name for name in names if name in view.classes), "")
    if clues.kind in _STUCK:  # what changes the text in the same way is called by its first name
        yield from ordering(view, clues, file, known)
    yield from holding(view, clues, file, known)
    yield from atomic(view, clues, file, known)
    yield from signalling(view, clues, file, known)
    if clues.kind not in _STUCK and clues.locks:
        yield from ordering(view, clues, file, known)
