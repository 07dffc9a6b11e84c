"""Two versions that differ already when one call runs after another: each is held to its own orders of whole calls.

ISDIFFSEQ (ConDiff, Definition 3) keeps such tests away from behavioural checking, because their outcomes differ without
any interleaving. What threads add can be compared all the same: one version does together what no order of its own
calls does (`plait.judge.oracle.safety`), and the other, explored to the end, does nothing of the kind.
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

    ``forms`` says how the calls end in each order, ``pattern`` for each call which orders give the same result (the
    first such order stands for all), ``vague`` what could not be judged: the results of calls by their positions, and
    None for the state.
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
    """Return the version that alone breaks the order of whole calls; None if that is not certain.

    A call that fails on one version whatever the threads do says nothing about the other one's races, so calls must
    end alike one after another; except where a call stands in its own way or in that of all that come behind it, which
    is what the versions differ in. Where calls are stuck, that holds for the orders in which all of them end: who waits
    for a wake-up that does not come waits also in an order in which the one to wake it comes later. And where only a
    value is wrong, the calls must have the same influence on each other in both versions: if on one of them no order
    matters to a call, it has nothing to get wrong.
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
