"""Compares two versions that differ already when calls run one after another: by violations of their own orders.

ISDIFFSEQ (ConDiff, Definition 3) excludes such tests from behavioural checking, because their outcomes differ without
any interleaving. What concurrency adds can be compared nevertheless: one version has executions that no order of its
own whole calls explains (`plait.judge.oracle.safety`), and the other version, explored exhaustively, has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plait.explore.runner import model
from plait.judge.oracle.examine import examine
from plait.judge.oracle.rules import Rules
from plait.judge.oracle.safety import INEXCUSABLE, Examination, Violation
from plait.judge.oracle.specification import UNFINISHED
from plait.model.schedule import Schedule
from plait.model.test import Call, Test
from plait.observe.places import PLACES
from plait.run.endings import SetupFailedError
from plait.run.engine import DEADLOCK
from plait.subject.changes.change import Side

EXECUTIONS = 500

Forms = frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Judged:
    """A test on one version: a violation with its schedule, or whether it is certain that there is none.

    ``forms`` says for each order how its calls end. ``pattern`` says for each call which orders give it the same
    result, each represented by the first such order. ``vague`` is what could not be judged: the positions of results,
    and None for the state.
    """

    violation: Violation | None = None
    schedule: Schedule | None = None
    clean: bool = False
    forms: Forms = frozenset()
    pattern: tuple[tuple[int, ...], ...] = ()
    vague: frozenset[int | None] = frozenset()
    executions: int = 0

    @property
    def endings(self) -> Forms:
        """The forms in which every call ends."""
        return frozenset(form for form in self.forms if UNFINISHED[0] not in form)


def judged(test: Test, probes: Sequence[Call], rules: Rules, *, gil: bool = False) -> Judged:
    """Judge a test on the version that this process has loaded."""
    examination = Examination(test, PLACES, probes, rules)
    try:
        with model(gil=gil):
            examined = examine(examination, systematic=EXECUTIONS, sampled=0)
            specification = examination.specification
    except SetupFailedError:
        return Judged()
    clean = examined.violation is None and examined.exhausted and not examined.diverged and specification.complete
    forms = frozenset(tuple(result[0] for result in seen.results) for seen in specification.observed)
    columns = list(zip(*(seen.results for seen in specification.observed), strict=True))
    pattern = tuple(tuple(map(column.index, column)) for column in columns)
    vague = frozenset((*specification.undetermined, *((None,) if specification.state_undetermined else ())))
    return Judged(examined.violation, examined.schedule, clean, forms, pattern, vague, examined.executions)


def unsafe_side(old: Judged, new: Judged) -> Side | None:
    """Return the only version that violates the orders of its whole calls; None if that is not certain.

    If a call fails on one version in any interleaving, that says nothing about races of the other version. So calls
    must end alike in orders of whole calls, with two exceptions. A call that blocks itself, or all calls after it, is a
    difference in its own right. And for deadlocks, it is enough to compare the orders in which all calls end: a call
    that waits for a wake-up that does not come also waits in an order in which the call to wake it comes later. If only
    a value is wrong, calls must influence each other in the same way on both versions: a call whose result never
    depends on the order has nothing to get wrong.
    """
    if (old.violation is None) == (new.violation is None):
        return None
    side: Side = "new" if old.violation is None else "old"
    mine, other = (new, old) if side == "new" else (old, new)
    assert mine.violation is not None
    alike = mine.forms == other.forms and (mine.violation.kind != "wrong-result" or mine.pattern == other.pattern)
    alike |= mine.violation.detail in INEXCUSABLE
    alike |= mine.violation.kind == DEADLOCK and bool(mine.endings) and mine.endings == other.endings
    return side if other.clean and other.vague <= mine.vague and alike else None
