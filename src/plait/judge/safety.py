"""The thread-safety verdict on one execution: whether whole calls in some order could have done this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plait.explore.scripted import Scripted
from plait.judge.probes import filled
from plait.judge.rules import Rules
from plait.judge.specification import (
    ENDLESS,
    PROBE_S,
    UNFINISHED,
    Observed,
    Result,
    Specification,
    observe,
    positions,
    probe,
    specify,
)
from plait.judge.words import plain, shown_result
from plait.model.schedule import Schedule
from plait.model.site import Site
from plait.model.test import Call, Test
from plait.run.engine import DEADLOCK, ENGINE, FINISHED_RUN, HANG
from plait.run.operations import ACQUIRE, KEY_INSERT, KEY_WRITE, TAKE, TRY, WRITE
from plait.run.testbed import Testbed
from plait.run.vthread import VThread

WRITES = frozenset({WRITE, KEY_WRITE, KEY_INSERT, TAKE})
ITSELF = "the call waits for a lock that it holds itself"
INVARIANT = "the invariant does not hold afterwards"
TWO_OBJECTS = "the calls return different objects where in every order of whole calls it is one, or the reverse"


@dataclass(frozen=True, slots=True)
class Violation:
    """Why an execution is not the doing of whole calls in some order."""

    kind: str  # exception, deadlock, hang, wrong-result
    exception: str | None
    calls: tuple[int, ...]  # positions of the calls that show it
    seen: Observed
    detail: str
    probe: tuple[str, Result, tuple[Result, ...]] | None = None  # what shows the final state; what it is, should be

    @property
    def cause(self) -> tuple[Any, ...]:
        """Equal for violations that look the same; racing places are compared on top of it."""
        return (self.kind, self.exception)


class Examination:
    """One test: its specification, and the judgement of its executions."""

    def __init__(
        self, test: Test, sites: dict[int, Site], probes: Sequence[Call] = (), rules: Rules | None = None
    ) -> None:
        self.bed = Testbed(test, sites)
        self.sites = sites
        self.probes = filled(probes, test)
        self.rules = rules
        self._specification: Specification | None = None
        self._probed: dict[tuple[Any, ...], set[tuple[Any, ...]]] | None = None
        self._probe_mask: set[int] = set()
        self._endless: dict[Any, tuple[Any, ...]] = {}  # what was seen of final states that a look does not end at
        self._known: set[tuple[Any, ...]] = set()

    @property
    def specification(self) -> Specification:
        """All serial executions, run when first needed."""
        if self._specification is None:
            gil, ENGINE.gil = ENGINE.gil, False
            try:
                self._specification = specify(self.bed, self.rules)
            finally:
                ENGINE.gil = gil
        return self._specification

    @property
    def has_probed(self) -> bool:
        """Whether further calls were needed to tell final states apart."""
        return self._probed is not None

    def judge(self) -> Violation | None:
        """The verdict on the execution that has just ended; call it from the engine's ``finish``."""
        if ENGINE.status not in (FINISHED_RUN, DEADLOCK, HANG):
            return None
        specification = self.specification_or_none()
        seen = specification.mask(observe(self.bed, self.rules))
        key = _key(seen)
        if key in self._known:
            return None
        found = self._judge(seen, specification)
        if found is None:
            self._known.add(key)
        return found

    def specification_or_none(self) -> Specification:
        """The specification, which must have been made before the execution that is being judged."""
        assert self._specification is not None
        return self._specification

    def _judge(self, seen: Observed, specification: Specification) -> Violation | None:
        if not specification.complete:
            return None
        if seen.status in (DEADLOCK, HANG):
            alone = self._waits_for_itself()
            if alone is not None:
                return Violation(DEADLOCK, None, (alone,), seen, ITSELF)
            if seen.status in specification.statuses():
                return None
            calls = tuple(position for position, result in enumerate(seen.results) if result == UNFINISHED)
            return Violation(seen.status, None, calls, seen, f"no order of whole calls ends in a {seen.status}")
        known = {name for other in specification.observed for name in other.strangers}
        for name in seen.strangers:
            if name not in known:
                return Violation("exception", name, (), seen, f"a thread of the class dies of {name}")
        for position, result in enumerate(seen.results):
            if result[0] == "raised" and all(other.results[position] != result for other in specification.observed):
                text = f"no order of whole calls makes this call raise {result[1]}"
                return Violation("exception", result[1], (position,), seen, text)
        if not seen.holds and all(other.holds for other in specification.observed):
            return Violation("wrong-result", None, (), seen, INVARIANT)
        matching = specification.matching(seen)
        if not matching and (onlookers := self._onlookers(seen)):
            matching = specification.matching(seen, without=onlookers)
        if not matching and specification.matching(seen, identity=False):
            return Violation("wrong-result", None, self._strange(seen), seen, TWO_OBJECTS)
        if not matching:
            return Violation("wrong-result", None, self._odd(seen, specification), seen,
                             "no order of whole calls gives these results")  # fmt: skip
        if specification.state_undetermined or seen.state is None:
            return None
        if any(other.state == seen.state for other in matching):
            return None
        return self._judge_state(seen, specification)

    def _onlookers(self, seen: Observed) -> frozenset[int]:
        """Calls that wrote nothing while another thread was in a call that may wait: they may see it half done."""
        waiting = self.rules.waiting if self.rules is not None else ()
        calls = self.bed.test.calls
        under_way = [seen.spans[position] for position, call in enumerate(calls) if call.method in waiting]
        if not under_way:
            return frozenset()
        found = set()
        where = positions(self.bed)
        for done in self.bed.done:
            position = where[done.thread, done.index]
            start, end = seen.spans[position]
            wrote = any(
                entry[0] == done.number and entry[2] in WRITES for entry in ENGINE.trace[done.start : done.end]
            )
            if not wrote and any(begin < end and start < over for begin, over in under_way):
                found.add(position)
        return frozenset(found)

    @staticmethod
    def _strange(seen: Observed) -> tuple[int, ...]:
        return tuple(position for position, identity in enumerate(seen.identity) if identity is not None)

    def _waits_for_itself(self) -> int | None:
        """The position of a call that stands before a lock which it has taken itself, which no order excuses.

        An object that was made a part of itself is another matter: there the test is to blame.
        """
        given = [
            value
            for call in (*self.bed.test.prefix, *self.bed.test.calls)
            for value in (*call.args, *(value for _name, value in call.kwargs))
        ]
        if self.bed.variables and self.bed.variables[0] in given:
            return None
        for pending in ENGINE.pending:
            holder = getattr(pending.blocked_on, "holder", None)
            running = self.bed.running.get(pending.thread)
            if running is None or not isinstance(holder, VThread) or holder.id != pending.thread:
                continue
            root = ENGINE.heap.roots[pending.loc]
            taken = [
                number for number, entry in enumerate(ENGINE.trace)
                if entry[0] == pending.thread and entry[2] in (ACQUIRE, TRY) and ENGINE.heap.roots[entry[1]] == root
            ]  # fmt: skip
            if taken and taken[-1] >= running.start:
                return positions(self.bed)[running.thread, running.index]
        return None

    @staticmethod
    def _odd(seen: Observed, specification: Specification) -> tuple[int, ...]:
        """The calls whose own result no order gives; all of them if each alone is possible."""
        odd = tuple(
            position
            for position, result in enumerate(seen.results)
            if all(other.results[position] != result for other in specification.observed)
        )
        return odd or tuple(range(len(seen.results)))

    def _judge_state(self, seen: Observed, specification: Specification) -> Violation | None:
        """The results fit, the final state does not: a fault only if further calls can tell the difference."""
        mine = self._endless.get(seen.state) or probe(self.bed, self.probes)
        if ENDLESS in mine:
            self._endless[seen.state] = mine
        self._suspect = (seen, mine)
        return Violation("state", None, (), seen, "")

    def confirm_state(self, violation: Violation) -> Violation | None:
        """Decide a suspicion of `_judge_state`: run all orders again, each followed by the same further calls.

        Runs executions, so it must not be called while one is under way.
        """
        seen, mine = self._suspect
        if self._probed is None:
            self._probed = self._probe_orders()
        theirs = self._probed.get(seen.results, set())
        telling = [number for number in range(len(mine)) if number not in self._probe_mask]
        # Without an order that gives these results again, or a probe that could tell states apart, nothing is shown.
        if not theirs or not telling or any(self._alike(mine, other) for other in theirs):
            self._known.add(_key(seen))
            return None
        odd = (number for number in telling if all(len(o) <= number or o[number] != mine[number] for o in theirs))
        position = next(odd, telling[0])  # each result alone may be possible, and all of them together not
        usual = {other[position] for other in theirs if len(other) > position}
        text = f"afterwards {self._shown(mine, position)}, as after no order of whole calls"
        shown = (self._source(mine, position), mine[position], tuple(sorted(usual, key=repr)))
        return Violation("wrong-result", None, tuple(range(len(seen.results))), violation.seen, text, shown)

    def _source(self, mine: Sequence[Any], position: int) -> str:
        """The attribute or further call that gives a violation away."""
        if mine[position][0] == "attribute":
            return f"`{mine[position][1]}`"
        return f"`{self.probes[position - (len(mine) - len(self.probes))].expression}`"

    def _shown(self, mine: Sequence[Any], position: int) -> str:
        """The result of a probe that gives a violation away, in words."""
        result = mine[position]
        if result[0] == "attribute":
            return f"`{result[1]}` is {plain(result[2])}"
        call = self.probes[position - (len(mine) - len(self.probes))].expression
        return f"`{call}` {shown_result(result)}"

    def _alike(self, first: Sequence[Any], second: Sequence[Any]) -> bool:
        return len(first) == len(second) and all(
            number in self._probe_mask or one == other
            for number, (one, other) in enumerate(zip(first, second, strict=True))
        )

    def _probe_orders(self) -> dict[tuple[Any, ...], set[tuple[Any, ...]]]:
        found: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}
        rounds: list[list[tuple[Observed, tuple[Any, ...]]]] = []
        for _ in range(2):
            round_: list[tuple[Observed, tuple[Any, ...]]] = []
            self._serial_with_probes(round_)
            rounds.append(round_)
        for (_seen, one), (_again, other) in zip(*rounds, strict=False):
            self._probe_mask |= {number for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b}
            self._probe_mask |= {number for number in range(len(one)) if ENDLESS in one[: number + 1]}  # or just slow
        for seen, probed in rounds[0]:
            found.setdefault(self.specification_or_none().mask(seen).results, set()).add(probed)
        return found

    def _serial_with_probes(self, into: list[tuple[Observed, tuple[Any, ...]]]) -> None:
        from plait.explore.serial import Serial  # noqa: PLC0415 - only suspicious tests need it

        serial = Serial()
        self.bed.stops = True

        def finish() -> None:
            seen = observe(self.bed)
            into.append((seen, probe(self.bed, self.probes, PROBE_S / 10) if seen.status == FINISHED_RUN else ()))

        try:
            while serial.next_prefix() is not None:
                ENGINE.execute(self.bed.prepare, (), serial, finish=finish)
        finally:
            self.bed.stops = False

    def replay(self, schedule: Schedule, *, backend: str = "auto") -> tuple[Violation | None, str | None]:
        """Run one schedule and judge it; also says where the schedule was lost, if it was."""
        strategy = Scripted(schedule)
        strategy.next_prefix()
        found: list[Violation | None] = []
        gil, ENGINE.gil = ENGINE.gil, schedule.gil
        timeouts, ENGINE.any_timeouts = ENGINE.any_timeouts, schedule.any_timeouts
        _ = self.specification
        try:
            ENGINE.execute(
                self.bed.prepare, (), strategy, finish=lambda: found.append(self.judge()), backend=backend
            )
        finally:
            ENGINE.gil = gil
            ENGINE.any_timeouts = timeouts
        violation = found[0] if found else None
        if violation is not None and violation.kind == "state":
            violation = self.confirm_state(violation)
        return violation, strategy.lost


def _key(seen: Observed) -> tuple[Any, ...]:
    """All that a verdict depends on."""
    return (seen.status, seen.results, seen.state, seen.spans, seen.strangers, seen.holds, seen.identity)
