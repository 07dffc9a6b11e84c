"""What a project remembers of one subject, for one command: earlier runs, explored tests, findings.

Nothing is read or kept where there is no store, and nothing but findings where the subject's source cannot be read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from plait.errors import UsageError
from plait.model.finding import Finding
from plait.store.database import FILE, Store
from plait.store.keys import Whole, environment_digest, files_key, whole_code
from plait.subject.name import Subject
from plait.subject.versions.version import Version

FIXED, OPEN, OUTDATED = "fixed", "open", "outdated"


class KnownFinding(NamedTuple):
    """A finding of an earlier run; ``unchanged`` if not a line of the code has changed since.

    ``look`` is what other violations are compared with, to see whether they are the same.
    """

    cause: str
    finding: Finding
    look: str
    unchanged: bool


class Memory:
    """The subject's part of a store. ``fresh`` makes it forget everything but findings, for this time."""

    def __init__(
        self, store: Store | None, name: str, code: str | None, *, fresh: bool = False,
        places: Sequence[tuple[str, ...] | None] = (), subject: str = "",
    ) -> None:  # fmt: skip
        self.places = places  # where the code of each version was looked for, see `Whole`
        self._subject = subject
        self._store = store
        self._name = name
        self._code = code
        self._fresh = fresh

    @property
    def folder(self) -> Path | None:
        """The store's folder for workers to read; None if nothing of it is to be used."""
        return None if self._store is None or self._fresh or self._code is None else self._store.file.parent.absolute()

    @property
    def keeps(self) -> bool:
        """Whether explored tests are wanted."""
        return self._store is not None and self._code is not None

    @property
    def messages(self) -> list[str]:
        """What a person should know about the store."""
        return [] if self._store is None else self._store.messages

    # -- runs and tests -----------------------------------------------------------------------------------------------

    def run(self, options: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what a run with these options gave, if not a line has changed since."""
        if self._store is None or self._fresh or self._code is None:
            return None
        return self._store.explored(self._key(options))

    def keep_run(self, options: Mapping[str, Any], content: Mapping[str, Any]) -> None:
        """Remember a run that came to its end."""
        if self._store is not None and self._code is not None:
            self._store.remember(self._name, {self._key(options): content})

    def explored(self, key: str) -> dict[str, Any] | None:
        """Return what exploring a test gave."""
        return None if self._store is None or self._fresh else self._store.explored(key)

    def keep_tests(self, units: Mapping[str, Mapping[str, Any]]) -> None:
        """Remember explored tests."""
        if self._store is not None and units:
            self._store.remember(self._name, units)

    def keep_coverage(self, counts: Mapping[str, int]) -> None:
        """Add to how often each pair of methods ran concurrently."""
        if self._store is not None:
            self._store.cover(self._name, counts)

    def _key(self, options: Mapping[str, Any]) -> str:
        parts = {"run": self._name, "options": dict(options), "code": self._code, "around": environment_digest()}
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()

    # -- findings -----------------------------------------------------------------------------------------------------

    def known(self) -> list[KnownFinding]:
        """Return the findings that nobody has seen fixed."""
        found = []
        for each in [] if self._store is None else self._store.findings(self._name, status=OPEN):
            with contextlib.suppress(ValueError, UsageError):
                finding = Finding.from_json(each.content)
                finding.reproducer = None  # it is written again, for the code as it is
                # What an earlier plait has stored may need the further calls: they do no harm.
                finding.probed = bool(each.content.get("probed", finding.kind == "wrong-result"))
                unchanged = self._code is not None and each.content.get("code") == self._code
                found.append(KnownFinding(each.cause, finding, str(each.content.get("look", "")), unchanged))
        return found

    def keep_finding(self, cause: str, finding: Finding, look: str = "") -> None:
        """Remember a finding; one that is known is replaced."""
        if self._store is not None:
            content = {**finding.as_json(), "probed": finding.probed}
            content |= {"code": self._code, "look": look, "subject": self._subject}
            self._store.record_finding(self._name, cause, json.loads(json.dumps(content, default=str)))

    def settle(self, cause: str, status: str) -> None:
        """Say what has become of a finding."""
        if self._store is not None:
            self._store.settle(self._name, cause, status)


def memory_name(command: str, subject: str, project: Path) -> str:
    """Return what belongs to one subject in the store of the current folder."""
    return f"{command} {subject}" if project == Path() else f"{command} {subject} in {project}"


def remembered(folder: Path | None) -> set[str]:
    """Return the names (see `memory_name`) under which there are findings that nobody has seen fixed."""
    if folder is None or not (folder / FILE).is_file():
        return set()
    with Store(folder) as store:
        return {each.subject for each in store.findings(status=OPEN)}


@contextlib.contextmanager
def remembering(
    folder: Path | None, name: str, subject: Subject, versions: tuple[Version, ...], *beside: Path | None,
    fresh: bool = False, findings_only: bool = False,
) -> Iterator[Memory]:  # fmt: skip
    """Open the store below ``folder``. Runs depend on all code of the versions and on the files ``beside`` it."""
    if folder is None:
        yield Memory(None, name, None)
        return
    code: str | None = None
    found: list[Whole] = []
    with contextlib.suppress(UsageError):  # no source, or none that can be parsed
        found = [whole_code(subject, version) for version in versions]
        code = " ".join([*(each.digest for each in found), files_key(*beside)])
    new = not folder.exists()
    try:
        with Store(folder) as store:
            places = [each.places for each in found]
            kept = None if findings_only else code
            yield Memory(store, name, kept, fresh=fresh, places=places, subject=str(subject))
    except UsageError:
        if new:  # a command that cannot be carried out leaves nothing behind
            import shutil  # noqa: PLC0415 - as rare as it is slow to import

            shutil.rmtree(folder, ignore_errors=True)
        raise
