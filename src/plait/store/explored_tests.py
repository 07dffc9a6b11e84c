"""The results of tests from earlier runs, for workers: they read the store, and only the parent writes it.

A result can be reused if the test was explored with the same limits, rules, interpreter and code. The code of a test is
all that its calls can reach. The code of probes (further calls that look at a final state) is compared only when a test
is looked up, because few tests need probes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.errors import UsageError
from plait.judge.oracle.evidence import Evidence
from plait.model.test import Call, Test
from plait.store.database import FILE, Store
from plait.store.keys import Fingerprints, token, unit_key
from plait.store.recording import answer_digest
from plait.subject.name import Subject
from plait.subject.versions.version import Version
from plait.workers import state

if TYPE_CHECKING:
    from plait.judge.oracle.examine import Examined
    from plait.judge.oracle.safety import Examination


@dataclass(frozen=True, slots=True)
class ExploredTest:
    """The result of exploring a test; ``violation`` is the same text for violations that look the same."""

    executions: int
    conflicts: bool
    unguarded: bool
    exhausted: bool
    diverged: bool
    covered: Counter[tuple[str, str]]
    undetermined: tuple[str, ...] = ()
    violation: str | None = None
    probes: str | None = None  # a hash of the probes' code, if probes were called
    causes: tuple[str, ...] = ()  # the causes of the findings for its violations, if all are known
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def feedback(self) -> str:
        """A hash of the part of the result that a generator learns."""
        return answer_digest((sorted(self.covered.items()), self.conflicts, self.conflicts and self.unguarded))

    @classmethod
    def of(
        cls, examined: Examined, *, undetermined: tuple[str, ...], violation: str | None, probes: str | None,
        causes: tuple[str, ...],
    ) -> ExploredTest:  # fmt: skip
        """Return the result of an examination."""
        return cls(
            examined.executions, examined.conflicts, examined.unguarded, examined.exhausted, examined.diverged,
            Counter(examined.covered), undetermined, violation, probes, causes, examined.evidence,
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """Return plain data, read back by `from_json`."""
        return {
            "executions": self.executions, "conflicts": self.conflicts, "unguarded": self.unguarded,
            "exhausted": self.exhausted, "diverged": self.diverged, "undetermined": list(self.undetermined),
            "covered": [[*pair, count] for pair, count in self.covered.items()], "violation": self.violation,
            "probes": self.probes, "causes": list(self.causes), "evidence": self.evidence.as_json(),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ExploredTest | None:
        """Return the inverse of `as_json`; None for anything else."""
        try:
            violation, probes = (None if data[name] is None else str(data[name]) for name in ("violation", "probes"))
            return cls(
                int(data["executions"]), bool(data["conflicts"]), bool(data["unguarded"]), bool(data["exhausted"]),
                bool(data["diverged"]),
                Counter({(str(one), str(other)): int(count) for one, other, count in data["covered"]}),
                tuple(str(name) for name in data["undetermined"]), violation, probes, tuple(map(str, data["causes"])),
                Evidence.from_json(data["evidence"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            return None


class ExploredTests:
    """The results of tests in the store in ``folder``; none if ``folder`` is None."""

    def __init__(self, folder: Path | None) -> None:
        spec = state.spec()
        root = spec.roots[0]
        version = Version(str(spec), root, "folder", tuple(spec.paths))
        self._prints = Fingerprints(Subject(spec.module, spec.qualname), version, state.beat)
        there = folder is not None and (folder / FILE).is_file()
        self._store = Store(folder, read_only=True) if folder is not None and there else None
        self._probes: dict[tuple[Call, ...], str] = {}

    def key(self, test: Test, options: dict[str, Any]) -> str:
        """Return the test's key in the store."""
        return unit_key(test, options, self._prints.code(test))

    def find(self, key: str, probes: tuple[Call, ...]) -> ExploredTest | None:
        """Return the result of a test; None if it is unknown, or if its probes have changed."""
        content = self._store.explored(key) if self._store is not None else None
        found = ExploredTest.from_json(content) if content is not None else None
        if found is None or found.probes is None or found.probes == self.probes_code(probes):
            return found
        return None

    def chunk(self, key: str) -> dict[str, Any] | None:
        """Return a chunk of an earlier run, see `RecordedChunk.from_json`."""
        return self._store.explored(key) if self._store is not None else None

    def part(self, part: str) -> str:
        """Return a hash of a part of the code, see `Fingerprints.part`."""
        return self._prints.part(part)

    def probed(self, examination: Examination, probes: tuple[Call, ...]) -> str | None:
        """Return the hash of the probes' code if they were called; it is stored with the result."""
        return self.probes_code(probes) if examination.has_probed else None

    def probes_code(self, probes: tuple[Call, ...]) -> str:
        """Return a hash of all that the probes can reach."""
        if probes not in self._probes:
            code = self._prints.code(Test((), (), (probes,)))
            self._probes[probes] = token((sorted(code.items()), [call.expression for call in probes]))
        return self._probes[probes]


class _OpenStore:
    tests: ExploredTests | None = None
    of: tuple[Any, ...] | None = None


def explored_tests(folder: Path | None) -> ExploredTests | None:
    """Return the object of this process, made at the first call; None if the subject's code cannot be read."""
    wanted = (state.spec(), folder)
    if _OpenStore.of != wanted:
        try:
            _OpenStore.tests = ExploredTests(folder)
        except UsageError:  # no source, or none that can be parsed
            _OpenStore.tests = None
        _OpenStore.of = wanted
    return _OpenStore.tests
