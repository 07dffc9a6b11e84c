"""The worker's side of `plait fix`: show a finding again, explore its test to a bound, run calls in order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from plait.commands.check.worker.finding import FindingContext, finding_of
from plait.commands.check.worker.stream import Stream, StreamOptions
from plait.commands.replay.worker import ReplayOrder
from plait.errors import UsageError
from plait.explore.bounded import Bounded
from plait.explore.runner import execute, model
from plait.generate.catalogue import Hints, build_catalogue
from plait.judge.oracle.examine import examine
from plait.judge.oracle.probes import probes_of
from plait.judge.oracle.rules import Rules, may_wait
from plait.judge.oracle.safety import Examination, Violation
from plait.judge.oracle.sequential import SequentialRunner
from plait.judge.oracle.specification import MASKED, Specification
from plait.model.finding import Finding
from plait.model.test import Call, Test
from plait.observe.places import PLACES
from plait.run.endings import SetupBlockedError, SetupFailedError
from plait.run.engine import ENGINE, FINISHED_RUN
from plait.workers import state

_COMPLETE = 3_000  # executions that the reduction gets to see all classes of schedules
_WITHIN_BOUND = 6_000  # and then the search within the bound of the finding
MOST_CALLS = 4  # of a thread, where the calls of written tests are run in all orders: 70 for two threads, 252 with five
_LOOKED_FOR = 2_000  # executions in which a finding is looked for that its schedule does not show any more


@dataclass(frozen=True, slots=True)
class FixOrder:
    """A finding's test as a file has it, and how it is looked at; ``subject`` is the class's name for messages."""

    replay: ReplayOrder
    subject: str
    gil: bool = False
    kind: str = ""  # of the finding; empty if the file does not say
    exception: str | None = None

    def is_wanted(self, violation: Violation) -> bool:
        """Return whether a violation is of the kind that the file tells of."""
        return self.kind in ("", "difference", violation.kind)


def _examination(order: FixOrder) -> Examination:
    """Return the test with its judge; methods that wait are those of the version at hand."""
    said = order.replay.rules
    waiting = may_wait(state.interface(order.subject))
    rules = Rules(said.get("invariant"), tuple(said.get("nondeterministic", ())), waiting)
    return Examination(order.replay.test, PLACES, _probes(order), rules)


def _probes(order: FixOrder) -> tuple[Call, ...]:
    """Return the calls that read the final state: those of the file; a file of `plait diff` has none."""
    if not order.replay.probes and order.kind == "difference":
        return probes_of(state.interface(order.subject))
    return tuple(Call.from_line(line) for line in order.replay.probes)


def _announce(test: Test) -> None:
    state.note(test.as_lines())


def seen_again(order: FixOrder) -> Finding | None:
    """Return the finding as this version shows it, with the places that its lines have now; None if it does not."""
    state.subject()
    order.replay.check_imports()
    _announce(order.replay.test)
    with state.world().entered(), model(gil=order.gil, any_timeouts=order.replay.schedule.any_timeouts):
        examination = _examination(order)
        schedule = order.replay.schedule
        violation, lost = examination.replay(schedule)
        if violation is None or lost is not None or not order.is_wanted(violation):
            found = examine(_examination(order), systematic=_LOOKED_FOR, wanted=order.is_wanted)
            if found.violation is None or found.schedule is None:
                return None
            violation, schedule = found.violation, found.schedule
        test = order.replay.test
        context = FindingContext(order.subject, _probes(order), [test], examination.rules, _announce)
        return finding_of(test, violation, schedule, context, smallest=True)


@dataclass(frozen=True, slots=True)
class Reexplored:
    """What all schedules of a test showed, or all within a bound.

    ``claim`` says which, and is empty where too many were left; ``shown`` is the violation that was met.
    """

    executions: int
    claim: str = ""
    shown: str = ""


def explore_to_bound(order: FixOrder, preemptions: int) -> Reexplored:
    """Explore a finding's test completely, or as far as the finding needed: any violation ends it."""
    state.subject()
    order.replay.check_imports()
    _announce(order.replay.test)
    with state.world().entered(), model(gil=order.gil, any_timeouts=order.replay.schedule.any_timeouts):
        examination = _examination(order)
        try:
            found = examine(examination, systematic=_COMPLETE, sampled=0)
        except (SetupBlockedError, SetupFailedError) as error:
            return Reexplored(0, shown=f"it cannot begin: {error}")
        if found.violation is not None:
            return Reexplored(found.executions, shown=_shown(found.violation))
        if not examination.specification.complete:
            return Reexplored(found.executions)
        if found.exhausted:
            return Reexplored(found.executions, "all schedules")
        return _within_bound(examination, preemptions, found.executions)


def _within_bound(examination: Examination, preemptions: int, executions: int) -> Reexplored:
    search = Bounded(max(1, preemptions))
    for _ in range(_WITHIN_BOUND):
        prefix = search.next_prefix()
        if prefix is None:
            break
        verdicts: list[Violation | None] = []

        def finish(into: list[Violation | None] = verdicts) -> None:
            into.append(examination.judge())

        execute(examination.bed.prepare, prefix, search, free=search.free, finish=finish)
        search.executed(ENGINE)
        executions += 1
        violation = next((each for each in verdicts if each is not None), None)
        confirmed = None if violation is None else examination.confirm(violation)
        if confirmed is not None:
            return Reexplored(executions, shown=_shown(confirmed))
    return Reexplored(executions, search.claim or "")


def _shown(violation: Violation) -> str:
    return f"{violation.kind}{f' ({violation.exception})' if violation.exception else ''}: {violation.detail}"


def violation_of(order: FixOrder) -> tuple[str, str | None] | None:
    """Return kind and exception of what this version shows in a test; None if nothing, or there is no such test.

    Anything is wanted if the order names no kind.

    Where the calls before the threads already wait for ever, that is worse than whatever they would lead to.
    """
    state.subject()
    _announce(order.replay.test)
    with state.world().entered(), model(gil=order.gil):
        try:
            found = examine(
                _examination(order), systematic=_LOOKED_FOR,
                wanted=lambda each: not order.kind or (each.kind, each.exception) == (order.kind, order.exception),
            )  # fmt: skip
        except (UsageError, SetupFailedError):
            return None
        except SetupBlockedError:
            return "deadlock", None
        return None if found.violation is None else (found.violation.kind, found.violation.exception)


# -- one thread ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InOrder:
    """The results of a test's calls in the orders that end, by order; and which calls have results."""

    outcomes: dict[str, list[str]] = field(default_factory=dict)
    undetermined: list[int] = field(default_factory=list)
    complete: bool = True


def written_tests(name: str, options: StreamOptions, hints: Hints, tests: Path | None, count: int) -> list[Test]:
    """Return tests that the generator writes for this version, with the first calls of each thread."""
    owner = state.subject()
    SequentialRunner.announce = _announce
    with state.world().entered():
        found = state.interface(name)
        state.try_imports(found.imports)
        stream = Stream.begin(
            options, found, build_catalogue(owner, found, hints=hints, seed=options.seed, tests=tests)
        )
        made: list[Test] = []
        for _ in range(count * 2):
            test = stream.strategy.next_test()
            if test is not None and len(made) < count:
                made.append(replace(test, suffixes=tuple(calls[:MOST_CALLS] for calls in test.suffixes)))
        return made


def in_order(order: FixOrder, tests: list[Test]) -> list[InOrder]:
    """Return what each test gives when its calls run one after another."""
    state.subject()
    order.replay.check_imports()
    found: list[InOrder] = []
    with state.world().entered():
        for test in tests:
            _announce(test)
            asked = replace(order, replay=replace(order.replay, test=test))
            try:
                found.append(_in_order(_examination(asked).specification))
            except Exception:  # a test that cannot be built says nothing; both versions are asked the same
                found.append(InOrder(complete=False))
    return found


def _in_order(specification: Specification) -> InOrder:
    outcomes = {
        repr(order): [repr(without_locks(result)) if result != MASKED else "" for result in seen.results]
        for order, seen in zip(specification.orders, specification.observed, strict=False)
        if seen.status == FINISHED_RUN
    }
    return InOrder(outcomes, sorted(specification.undetermined), specification.complete)


def without_locks(value: Any) -> Any:
    """Return a value as plain data without its locks, which a mend may add, and without the numbers of objects."""
    if not isinstance(value, tuple):
        return value
    if value[:1] == ("same",):
        return ("same",)
    if value[:1] == ("state",):
        kept = [each for each in value[1:] if not _is_lock(each)]
        return tuple(without_locks(each) for each in ("state", *kept)) if kept else ()
    return tuple(part for part in map(without_locks, value) if part != ())


def _is_lock(entry: Any) -> bool:
    held = entry[1] if isinstance(entry, tuple) and len(entry) == 2 else None
    return isinstance(held, tuple) and held[:1] == ("primitive",)


def _alike(results: list[str], given: list[str], masked: set[int]) -> bool:
    pairs = enumerate(zip(results, given, strict=False))
    return all(number in masked or not one or not other or one == other for number, (one, other) in pairs)


def first_difference(before: InOrder, after: InOrder, calls: list[str]) -> str | None:
    """Return the first call that gives something else in some order than before; None if there is none.

    Orders are told apart by the choices that lead to them. Where calls wait, these depend on who is woken, which a mend
    may change: then it is enough that some order gives what one gave before.
    """
    if not before.complete or not after.complete:
        return None
    masked = {*before.undetermined, *after.undetermined}
    if before.outcomes.keys() != after.outcomes.keys():
        for results in before.outcomes.values():
            if not any(_alike(results, given, masked) for given in after.outcomes.values()):
                return f"{' and '.join(calls)} do not come to an end as before any more, one after the other"
        return None
    for order, results in before.outcomes.items():
        given = after.outcomes[order]
        for number, (one, other) in enumerate(zip(results, given, strict=False)):
            if number not in masked and one and other and one != other:
                return f"{calls[number]} gives something else than before, with one thread"
    return None
