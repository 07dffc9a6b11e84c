"""Turns a test that reveals a difference into a finding: minimises the test and the schedule, and explains them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from plait.commands.diff import worker
from plait.commands.diff.checks import Checks, Revealed
from plait.commands.diff.sides import Sides, awaited
from plait.errors import own_error
from plait.generate.condiff import tidied
from plait.judge.difference.explain import Explanation
from plait.judge.difference.sequential import alike_alone, same
from plait.judge.difference.words import (
    Kind,
    described,
    difference_effect,
    difference_kind,
    difference_summary,
    showing,
    telling_in,
)
from plait.judge.minimise.tests import descend
from plait.model.finding import AccessStep, Finding, Gap
from plait.model.test import Test
from plait.observe.trace import Place
from plait.subject.changes.change import Change, Side
from plait.subject.interface.admitted import Admitted
from plait.workers.pool import WorkerError

ATTEMPTS = 300  # candidates tried at most
EXECUTIONS = 40_000  # for all candidates; the limit that keeps the result independent of other load on the machine
PATIENCE = 30.0  # seconds, for machines too busy to reach that limit
MOST_LISTED = 60  # outcomes per version in a result file


class Minimising:
    """Tries smaller tests as long as they reveal the same kind of difference in the same direction.

    Arguments ``given`` in the project's settings mean something to the user, and are not replaced.
    """

    def __init__(self, sides: Sides, checks: Checks, given: frozenset[str], over: Callable[[], bool]) -> None:
        self._sides = sides
        self._checks = checks
        self._given = given
        self._over = over
        self.attempts = 0

    def minimise(self, revealed: Revealed) -> Revealed:
        """Return the smallest test found; if there is no time, the given one."""
        side, _outcome, kind = showing(revealed.difference, revealed.old, revealed.new)
        shorter = self._try(tidied(revealed.test), revealed, side, kind)
        if shorter is not None:
            revealed = shorter._replace(decision=revealed.decision)
        until = time.monotonic() + PATIENCE
        most = self._checks.schedules + EXECUTIONS

        def over() -> bool:
            enough = self.attempts >= ATTEMPTS or self._checks.schedules >= most
            return enough or time.monotonic() > until or self._over()

        def attempt(candidate: Test, best: Revealed) -> Revealed | None:
            if self._loses_given(best.test, candidate):
                return None
            self.attempts += 1
            found = self._try(candidate, best, side, kind)
            return None if found is None else found._replace(decision=revealed.decision)

        return descend(revealed, attempt, over, stated_on(self._sides, side, revealed.test))

    def _loses_given(self, test: Test, candidate: Test) -> bool:
        """Return whether a candidate has the same calls, but other arguments in place of given ones."""
        before, after = (*test.prefix, *test.calls), (*candidate.prefix, *candidate.calls)
        return len(before) == len(after) and any(
            text in self._given and text not in other.args and text not in dict(other.kwargs).values()
            for call, other in zip(before, after, strict=True)
            for text in (*call.args, *dict(call.kwargs).values())
        )

    def _try(self, test: Test, best: Revealed, side: Side, kind: Kind) -> Revealed | None:
        try:
            (old, again), (new, once_more) = self._sides.both(worker.observe_twice, test, best.view).values()
        except (WorkerError, Exception):
            return None  # the candidate cannot even be built
        if old.beginning.failed or not (alike_alone(old, new) and same(old, again) and same(new, once_more)):
            return None
        found = self._checks.check(test, best.view)
        if found is None:
            return None
        outcomes, others = (
            (found.difference.only_new, found.old) if side == "new" else (found.difference.only_old, found.new)
        )
        return found if any(difference_kind(each, others.outcomes) == kind for each in outcomes) else None


def stated_on(sides: Sides, side: Side, test: Test) -> Admitted:
    """Return the values that one version's annotations admit for a test's arguments; empty if that is unknown."""
    try:
        found: Admitted = awaited(sides.on(side, worker.stated, test), None)
    except WorkerError:
        return {}
    return found


def difference_finding(
    revealed: Revealed, sides: Sides, change: Change, subject: str, seen: tuple[Test, ...], labels: dict[str, str],
    notes: list[str],
) -> Finding:  # fmt: skip
    """Return the finding for a minimal test. ``subject`` is the name of the class, ``labels`` those of the versions.

    An internal error is added to ``notes``, and costs only the explanation.
    """
    side, outcome, kind = showing(revealed.difference, revealed.old, revealed.new)
    mine, others = (revealed.new, revealed.old) if side == "new" else (revealed.old, revealed.new)
    known = (outcome, mine.outcomes[outcome])
    asked = sides.on(
        side, worker.explain_difference, revealed.test, revealed.view, frozenset(others.outcomes), kind, known, seen
    )
    test = revealed.test
    try:
        explanation: Explanation = awaited(asked, None)
    except WorkerError as error:  # the difference is proven, so it is reported without an interleaving
        notes.append(own_error("explaining", error, test, kept="the difference is shown without its interleaving"))
        explanation = Explanation(outcome, known[1])
    probes = [call.expression for call in revealed.view.probes]
    effect = difference_effect(side, kind, explanation.outcome, others.outcomes, test, probes)
    telling = telling_in((*revealed.old.outcomes, *revealed.new.outcomes))
    return Finding(
        kind="difference",
        summary=f"{subject}: {difference_summary(side, effect, test)}",
        effect=effect,
        methods=sorted({f"{subject}.{name}" for call in test.calls for name in call.methods}),
        test=test,
        exception=kind[1] if kind[0] == "raised" else None,
        preemptions=explanation.shown.preemptions,
        schedule=explanation.shown.schedule,
        interleaving=[_marked(row, change, side, labels) for row in explanation.interleaving],
        reachable={"gil": explanation.reachable, "free-threaded": True},
        confirmed_on_threads=explanation.confirmed,
        only_old=[described(each, test, probes, telling) for each in revealed.difference.only_old[:MOST_LISTED]],
        only_new=[described(each, test, probes, telling) for each in revealed.difference.only_new[:MOST_LISTED]],
        guard=explanation.guard,
        race=None if explanation.race is None else [_marked(row, change, side, labels) for row in explanation.race],
        waiting=explanation.waiting,
        raised=explanation.raised,
        raised_at=explanation.raised_at,
        gap=_gap_of(explanation, side, labels),
        detail=_changes(explanation, change, side, lambda other: _visited(sides, other, test)),
    )


def bare_finding(revealed: Revealed, subject: str) -> Finding:
    """Return a finding for a proven difference that needs neither an explanation nor a description."""
    side, outcome, kind = showing(revealed.difference, revealed.old, revealed.new)
    shown = (revealed.new if side == "new" else revealed.old).outcomes[outcome]
    names = sorted({f"{subject}.{name}" for call in revealed.test.calls for name in call.methods})
    return Finding(
        "difference", f"{subject}: only the {side} version can do this ({' '.join(kind)}): {' and '.join(names)}",
        names, test=revealed.test, exception=kind[1] if kind[0] == "raised" else None, preemptions=shown.preemptions,
        schedule=shown.schedule, reachable={"gil": None, "free-threaded": True},
        only_old=[{"status": each.status} for each in revealed.difference.only_old],
        only_new=[{"status": each.status} for each in revealed.difference.only_new],
    )  # fmt: skip


def _marked(step: AccessStep, change: Change, side: Side, labels: dict[str, str]) -> AccessStep:
    """Return a step with whether the change touched its line, and with the version if it is the old one."""
    changed = step.line in change.changed_lines(side).get(step.file, ())
    file, version = (step.file, None) if side == "new" else (f"{labels['old']}:{step.file}", labels["old"])
    return replace(step, changed=changed, file=file, version=version)


def _gap_of(explanation: Explanation, side: Side, labels: dict[str, str]) -> Gap | None:
    """Return the interrupted code, with its file named as in the steps."""
    torn = explanation.gap
    return torn if torn is None or side == "new" else replace(torn, file=f"{labels['old']}:{torn.file}")


def _changes(explanation: Explanation, change: Change, side: Side, visited: Callable[[Side], frozenset[Place]]) -> str:
    """Return the changed lines that the test executes or, if there are none, those that it executes only elsewhere."""
    lines = change.changed_lines(side)
    met = sorted({
        (step.file, step.line) for step in explanation.interleaving if step.line in lines.get(step.file, ())
    })  # fmt: skip
    if met:
        return "changed lines on the way: " + _listed(met)
    version: Side = "old" if side == "new" else "new"
    others = change.changed_lines(version)
    gone = sorted((file, line) for file, line in visited(version) if line in others.get(file, ()))
    return f"lines of the {version} version on which this depends: {_listed(gone)}" if gone else ""


def _visited(sides: Sides, side: Side, test: Test) -> frozenset[Place]:
    try:
        found: frozenset[Place] = awaited(sides.on(side, worker.visited, test), None)
    except WorkerError:
        return frozenset()
    return found


def _listed(places: Sequence[Place]) -> str:
    return ", ".join(f"{file}:{line}" for file, line in places[:8])
