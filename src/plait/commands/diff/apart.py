"""Judges tests on which the versions differ sequentially on each version by itself, and explains what is found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from plait.commands.diff import worker
from plait.commands.diff.finding import stated_on
from plait.commands.diff.sides import LateError, Sides, awaited
from plait.errors import own_error
from plait.generate.condiff import tidied
from plait.judge.difference.apart import Judged, unsafe_side
from plait.judge.difference.words import FIXED
from plait.judge.minimise.tests import descend
from plait.judge.oracle.rules import Rules
from plait.judge.words import shown_result
from plait.model.finding import Effect, Finding
from plait.model.test import Call, Test
from plait.report.reproducer import OUT, write_reproducer
from plait.subject.changes.change import Side
from plait.workers.failures import WorkerFailed
from plait.workers.pool import WorkerError

ATTEMPTS = 60
PATIENCE = 15.0  # seconds for all attempts


class Broken(NamedTuple):
    """A test that violates the orders of its whole calls on one version, and certainly not on the other one."""

    test: Test
    side: Side
    judged: Judged  # on the version that violates


class ShownViolation(NamedTuple):
    """A minimal broken test, with everything that is needed to judge another version by it."""

    broken: Broken
    probes: tuple[Call, ...]
    rules: Rules


@dataclass(slots=True)
class Apart:
    """Judges tests on each version by itself; ``probes`` are calls that show the final state."""

    sides: Sides
    probes: tuple[Call, ...]
    rules: Rules
    gil: bool = False
    tests: int = 0
    schedules: int = 0
    notes: list[str] = field(default_factory=list)

    def first(self, tests: Iterable[Test], over: Callable[[], bool]) -> Broken | None:
        """Return the first of the tests that is broken on one version only."""
        for test in tests:
            if over():
                return None
            self.tests += 1
            found = self._judge(test)
            if found is not None:
                return found
        return None

    def _judge(self, test: Test) -> Broken | None:
        try:
            old, new = self.sides.both(worker.judge, test, self.probes, self.rules, self.gil).values()
        except LateError:
            raise
        except (WorkerError, Exception) as error:  # a test that cannot be built on both versions, or an internal error
            if isinstance(error, WorkerFailed):
                self.notes.append(own_error("judging", error, test, kept="the search went on without this test"))
            return None
        self.schedules += old.executions + new.executions
        side = unsafe_side(old, new)
        return None if side is None else Broken(test, side, new if side == "new" else old)

    def minimise(self, broken: Broken, over: Callable[[], bool]) -> Broken:
        """Return the smallest test found that is broken in the same way, on the same version only."""
        best = self._same(tidied(broken.test), broken) or broken
        until = time.monotonic() + PATIENCE
        left = ATTEMPTS

        def spent() -> bool:
            nonlocal left
            left -= 1
            return left < 0 or time.monotonic() > until or over()

        return descend(best, self._same, spent, stated_on(self.sides, best.side, best.test))

    def _same(self, test: Test, best: Broken) -> Broken | None:
        found = self._judge(test)
        if found is None or found.side != best.side:
            return None
        assert found.judged.violation is not None
        assert best.judged.violation is not None
        return found if found.judged.violation.cause == best.judged.violation.cause else None

    def reproducer(self, finding: Finding, broken: Broken, subject: str, root: Path | None) -> str:
        """Write a test that fails on the broken version and passes on the other one; return its path."""
        assert broken.judged.violation is not None
        asked = [call.expression for call in self.probes] if broken.judged.violation.is_probed else []
        return str(write_reproducer(finding, subject, OUT, root, asked, self.rules.as_json()))

    def finding(self, broken: Broken, subject: str, seen: tuple[Test, ...]) -> Finding | None:
        """Return the finding for a minimal test; None if its schedule does not show it in every replay."""
        assert broken.judged.violation is not None
        try:
            asked = self.sides.on(
                broken.side, worker.explain_broken, broken.test, broken.judged, self.probes, self.rules, subject,
                seen,
            )  # fmt: skip
            found: Finding | None = awaited(asked, None)
        except WorkerFailed as error:  # it is proven, so it is reported without an explanation
            self.notes.append(own_error("explaining", error, broken.test, kept="it is reported unexplained"))
            found = _unexplained(broken, subject)
        except WorkerError:
            return None
        if found is None:
            return None
        results = broken.judged.violation.seen.results
        shown = {
            "calls": {
                f"{number}: {call.expression}": shown_result(result)
                for number, (call, result) in enumerate(zip(broken.test.calls, results, strict=True), 1)
            },
            "status": broken.judged.violation.seen.status,
        }
        said = found.summary.removeprefix(f"{subject}: ")
        other = "old" if broken.side == "new" else "new"
        when = "after the change," if broken.side == "new" else FIXED
        found.kind = "difference"
        found.summary = f"{subject}: {when} {said}"
        found.effect = Effect("", said)
        found.only_old, found.only_new = ([], [shown]) if broken.side == "new" else ([shown], [])
        found.detail = (
            f"the {other} version, in all interleavings of this test, does nothing that no order of its calls does "
            "(one after another, the versions differ in other ways)"
        )
        return found


def _unexplained(broken: Broken, subject: str) -> Finding:
    """Return a finding for a broken test without another execution."""
    violation, test = broken.judged.violation, broken.test
    assert violation is not None
    names = sorted({f"{subject}.{name}" for call in test.calls for name in call.methods})
    exception = f": {violation.exception}" if violation.exception else ""
    return Finding(
        violation.kind, f"{subject}: {violation.kind}{exception} in {' and '.join(names)}", names, test=test,
        exception=violation.exception, schedule=broken.judged.schedule,
    )  # fmt: skip
