"""What a run leaves for the next one with the same words: see `plait.receipt`.

None is left where it could be wrong: where a version is a git revision, whose name may come to mean another commit;
where the code was found by looking further than the usual places; where pages were asked for as well.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from plait import receipt
from plait.campaign.memory import Memory
from plait.campaign.store import FOLDER
from plait.config import FILES, TESTS
from plait.model.result import Result
from plait.report.publish import json_text, printed
from plait.subject.name import Subject
from plait.subject.source import files_of
from plait.subject.version import Version
from plait.subject.version_root import usual_places

_PAGES = ("html", "junit", "sarif")


class Receipt:
    """The receipt of one run: the ``result`` that the next one would have, and what that depends on."""

    def __init__(self) -> None:
        self.result: Result | None = None
        self._inputs: list[str] = []

    def note(
        self, result: Result | None, memory: Memory, store: Path | None, subject: Subject, versions: Sequence[Version],
        *beside: Path | None,
    ) -> None:  # fmt: skip
        """The next run would have this result; ``beside`` are the other files that it depends on."""
        if result is None or store != Path(FOLDER) or memory.places is None or memory.messages:
            return
        if not all(_is_certain(version, subject) for version in versions):
            return
        reproducers = [each.reproducer for each in result.findings if each.reproducer is not None]
        elsewhere = [path for version in versions for path in _before(version, subject)]
        others = [str(each) for each in beside if each is not None]
        self.result, self._inputs = result, [*memory.places, *elsewhere, *others, *reproducers]

    def leave(self, options: argparse.Namespace, code: int, said: str, sentences: Sequence[str]) -> None:
        """Write it down; the store must be closed. ``said`` and ``sentences`` are as for `write_all`."""
        if self.result is None or options.fresh or ":" not in options.argument:
            return
        if any(getattr(options, name) is not None for name in _PAGES):
            return
        data = self.result.as_json()
        content = json_text(data) if options.json is not None else ""
        if str(options.json) == "-":
            shown, content = content, ""
        else:
            anywhere = argparse.Namespace(**{**vars(options), "json": options.json and Path(receipt.TARGET)})
            shown = printed(data, anywhere, said, sentences)
        inputs = [*self._inputs, *FILES, *(str(options.path / name) for name in TESTS)]
        receipt.leave(options.words, code, inputs, shown, content)


def _is_certain(version: Version, subject: Subject) -> bool:
    """Whether the version's code lies where it does as long as the same files are there."""
    if version.kind == "release":
        return True
    if version.kind == "revision" or (subject.file is not None and version.kind != "worktree"):
        return False
    return subject.file is not None or version.root in usual_places(version.project or version.root)


def _before(version: Version, subject: Subject) -> Iterator[str]:
    """Files that would come before those of the version, if they were there."""
    if version.kind != "release" and subject.file is None:
        places = usual_places(version.project or version.root)
        for place in places[: places.index(version.root)]:
            yield from files_of(place, subject.module)
