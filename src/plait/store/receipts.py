"""Write receipts for the next run of the same command line; see `plait.store.receipt`.

No receipt is written if it could be wrong: if the code, or the commit of a revision, was found outside of the usual
places; nor if the command also wrote pages.
"""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from plait.config import FILES, TESTS
from plait.model.choices import FORMS
from plait.model.files import file_text
from plait.model.result import Result
from plait.report.layout import Layout, Line
from plait.report.publish import json_text, printed
from plait.store import receipt
from plait.store.baseline import DEFAULT
from plait.store.database import FOLDER
from plait.store.project import Memory
from plait.subject.name import Subject
from plait.subject.source import files_of
from plait.subject.versions.version import Version, usual_places

_PLACES = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
"""The places where git searches for a revision's name, in this order."""
_R = TypeVar("_R", bound=Result)
_MOST = 20  # of such places, because symbolic names may refer to each other in a cycle


class Receipt(Generic[_R]):
    """The receipt of one run: the ``result`` of the next run, and everything on which it depends."""

    def __init__(self) -> None:
        self.result: _R | None = None
        self._inputs: list[str] = []

    def note(
        self, result: _R | None, memory: Memory, store: Path | None, subject: Subject,
        versions: Sequence[tuple[str, Version]], *beside: Path | None,
    ) -> None:  # fmt: skip
        """Set the result of the next run; ``versions`` are the versions by the names that the command line gave.

        ``beside`` are the other files on which the result depends.
        """
        if result is None or store != Path(FOLDER) or memory.messages or len(memory.places) != len(versions):
            return
        inputs = [str(each) for each in beside if each is not None]
        for (text, version), places in zip(versions, memory.places, strict=True):
            found = _names_of(text, version) if version.kind == "revision" else _files(version, subject, places)
            if found is None:
                return
            inputs += found
        inputs += [each.reproducer for each in result.findings if each.reproducer is not None]
        self.result, self._inputs = result, inputs

    def leave(self, options: argparse.Namespace, code: int, said: Callable[[Layout], list[Line]]) -> None:
        """Write the receipt; the store must be closed. ``said`` is as for `printed`."""
        if self.result is None or options.fresh or ":" not in options.argument:
            return
        if options.baseline is not None or options.update_baseline is not None or Path(DEFAULT).exists():
            return  # a baseline depends on the day
        if any(getattr(options, name) is not None for name in FORMS):
            return
        data = self.result.as_json()
        content = json_text(data) if options.json is not None else ""
        if str(options.json) == "-":
            shown, content = content, ""
        else:
            anywhere = argparse.Namespace(**{**vars(options), "json": options.json and Path(receipt.TARGET)})
            shown = printed(data, anywhere, said)
        inputs = [*self._inputs, *FILES, DEFAULT, *(str(options.path / name) for name in TESTS)]
        receipt.leave(options.words, code, inputs, shown, content)


def _files(version: Version, subject: Subject, places: Sequence[str] | None) -> list[str] | None:
    """Return the files of a version, and those that would be found before them; None if others could replace them."""
    if places is None or version.kind == "release":
        return None if places is None else list(places)
    if subject.file is not None:
        return list(places) if version.kind == "worktree" else None
    roots = usual_places(version.project or version.root)
    if version.root not in roots:
        return None
    before = roots[: roots.index(version.root)]
    return [*places, *(path for root in before for path in files_of(root, subject.module))]


def _names_of(text: str, version: Version) -> list[str] | None:
    """Return the files by which git resolves a revision, existing or not.

    None if git reads other files as well.
    """
    name = re.split(r"[~^]", text)[0]
    git = None if version.origin is None else version.origin / ".git"
    if git is None or not git.is_dir() or (git / "reftable").exists() or not re.fullmatch(r"\w[\w./-]*", name):
        return None
    found = [git / "packed-refs", git / "HEAD", *(git / pattern.format(name) for pattern in _PLACES)]
    try:
        for place in itertools.islice(found, _MOST):  # a name may refer to another name
            if place.is_file() and (other := re.match(r"ref: (\S+)", file_text(place, "replace"))):
                found += [git / other[1]]
    except OSError:  # not readable for this user
        return None
    return [text, *map(str, found)] if len(found) < _MOST else None
