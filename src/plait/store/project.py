"""The part of a project's store for one subject and one command: earlier runs, explored tests, findings.

Without a store, nothing is read or written. If the subject's source cannot be read, only findings are.
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
    """A finding of an earlier run; ``unchanged`` if no line of the code has changed since.

    ``look`` is a text that is the same for violations that look the same.
    """

    cause: str
    finding: Finding
    look: str
    unchanged: bool


class Memory:
    """The subject's part of a store. With ``fresh``, only findings are read from it."""

    def __init__(
        self, store: Store | None, name: str, code: str | None, *, fresh: bool = False,
        places: Sequence[tuple[str, ...] | None] = (), subject: str = "",
    ) -> None:  # fmt: skip
        self.places = places  # the places where the code of each version was searched, see `Whole`
        self._subject = subject
        self._store = store
        self._name = name
        self._code = code
        self._fresh = fresh

    @property
    def folder(self) -> Path | None:
        """The store's folder, for workers to read; None if they must not use it."""
        return None if self._store is None or self._fresh or self._code is None else self._store.file.parent.absolute()

    @property
    def keeps(self) -> bool:
        """True if results of explored tests are stored."""
        return self._store is not None and self._code is not None

    @property
    def messages(self) -> list[str]:
        """Messages about the store, for the user."""
        return [] if self._store is None else self._store.messages

    # -- runs and tests -----------------------------------------------------------------------------------------------

    def run(self, options: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the result of an earlier run with these options, if no line of the code has changed since."""
        if self._store is None or self._fresh or self._code is None:
            return None
        return self._store.explored(self._key(options))

    def keep_run(self, options: Mapping[str, Any], content: Mapping[str, Any]) -> None:
        """Store the result of a complete run."""
        if self._store is not None and self._code is not None:
            self._store.remember(self._name, {self._key(options): content})

    def explored(self, key: str) -> dict[str, Any] | None:
        """Return the stored result of a test."""
        return None if self._store is None or self._fresh else self._store.explored(key)

    def keep_tests(self, units: Mapping[str, Mapping[str, Any]]) -> None:
        """Store results of explored tests."""
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
        """Return the open findings of earlier runs."""
        found = []
        for each in [] if self._store is None else self._store.findings(self._name, status=OPEN):
            with contextlib.suppress(ValueError, UsageError):
                finding = Finding.from_json(each.content)
                finding.reproducer = None  # the reproducer is written again, for the present code
                # Findings stored by an earlier version of plait may need the further calls, which do no harm.
                finding.probed = bool(each.content.get("probed", finding.kind == "wrong-result"))
                unchanged = self._code is not None and each.content.get("code") == self._code
                found.append(KnownFinding(each.cause, finding, str(each.content.get("look", "")), unchanged))
        return found

    def keep_finding(self, cause: str, finding: Finding, look: str = "") -> None:
        """Store a finding; it replaces an earlier one of the same cause."""
        if self._store is not None:
            content = {**finding.as_json(), "probed": finding.probed}
            content |= {"code": self._code, "look": look, "subject": self._subject}
            self._store.record_finding(self._name, cause, json.loads(json.dumps(content, default=str)))

    def settle(self, cause: str, status: str) -> None:
        """Set the status of a finding."""
        if self._store is not None:
            self._store.settle(self._name, cause, status)


def memory_name(command: str, subject: str, project: Path) -> str:
    """Return the name under which the store keeps one subject's part for one command."""
    return f"{command} {subject}" if project == Path() else f"{command} {subject} in {project}"


def remembered(folder: Path | None) -> set[str]:
    """Return the names (see `memory_name`) under which there are open findings."""
    if folder is None or not (folder / FILE).is_file():
        return set()
    with Store(folder) as store:
        return {each.subject for each in store.findings(status=OPEN)}


@contextlib.contextmanager
def remembering(
    folder: Path | None, name: str, subject: Subject, versions: tuple[Version, ...], *beside: Path | None,
    fresh: bool = False, findings_only: bool = False,
) -> Iterator[Memory]:  # fmt: skip
    """Open the store below ``folder``. Runs depend on all code of the versions, and on the files ``beside``."""
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
        if new:  # a command that fails leaves nothing behind
            import shutil  # noqa: PLC0415 - as rare as it is slow to import

            shutil.rmtree(folder, ignore_errors=True)
        raise
