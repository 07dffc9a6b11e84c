"""Decides whether a comparison without a difference is a pass: what calls did, and which tests were compared.

The rule, in `docs/diff.md`: in at least half of the changed pairs, the methods must have returned or waited on both
versions. And at least one test in which the versions could differ must have been compared exhaustively. A test that the
filter discards is proven to have the same interleavings on both versions, so it counts as compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from plait.commands.check.evidence import Alone, Conclusion, counts, raised, remedy
from plait.generate.condiff import Pair
from plait.judge.difference.outcome import Outcome
from plait.judge.oracle.specification import UNFINISHED
from plait.model.command_results import CallRow
from plait.model.counted import counted
from plait.model.test import Test
from plait.subject.interface.members import Interface


@dataclass(slots=True)
class CallCounts:
    """By method: calls made on both versions, and how many of them returned or waited on both."""

    called: Counter[str] = field(default_factory=Counter)
    returned: Counter[str] = field(default_factory=Counter)
    waited: Counter[str] = field(default_factory=Counter)
    together: Counter[str] = field(default_factory=Counter)  # those that returned in a test with several threads

    def see(self, test: Test, old: Iterable[Outcome], new: Iterable[Outcome]) -> None:
        """Count the calls of a test's threads. A call has returned if it did so in some execution on either version."""
        executions = [tuple(old), tuple(new)]
        beside = len(test.suffixes) > 1
        for number, call in enumerate(test.calls):
            ends = [{_end(outcome.results[number]) for outcome in outcomes} for outcomes in executions]
            if not all(ends):
                continue
            self.called[call.method] += 1
            self.returned[call.method] += all("returned" in each for each in ends)
            self.waited[call.method] += all("waited" in each for each in ends)
            self.together[call.method] += beside and all("returned" in each for each in ends)

    def missing(self, methods: Iterable[str]) -> list[str]:
        """Return the methods of which no call has returned or waited."""
        return [name for name in methods if not self.returned[name] and not self.waited[name]]


def _end(result: tuple[Any, ...]) -> str:
    if result == UNFINISHED:
        return "waited"
    return "raised" if result[0] == "raised" else "returned"


@dataclass(frozen=True, slots=True)
class WorkDone:
    """What a comparison has done with its tests."""

    tests: int = 0
    discarded: int = 0  # by the filter, which has proven that they cannot differ
    known: int = 0
    unchecked: int = 0  # not explored within the budget
    checks: int = 0
    inconclusive: int = 0  # checks without a conclusion
    lost: int = 0  # of those: checks whose worker died
    diverged: int = 0  # tests that did not repeat under the same schedule
    in_time: bool = True
    losses: tuple[str, ...] = ()  # notes on workers that died
    left_out: tuple[str, ...] = ()  # notes on methods whose calls do not end


def conclude_diff(
    interface: Interface, pairs: Sequence[Pair], changed: Iterable[str], calls: CallCounts, sides: Sequence[Alone],
    done: WorkDone,
) -> Conclusion:  # fmt: skip
    """Return the conclusion of a comparison without a difference, with the counts of each method in a changed pair.

    ``sides`` say what calls of single methods have shown on each version, ``changed`` which methods have changed.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    rows = {name: _row(name, calls, sides) for name in names}
    own = set(changed)
    tried = {name for name in names if counts(name, rows[name], {} if name in own else rows)}
    failing = [name for name in names if name in tried and not rows[name]["returned"] and not rows[name]["waited"]]
    asked = [pair for pair in pairs if tried.issuperset(pair)]
    left = [pair for pair in asked if not set(failing) & set(pair)]
    alone = replace(sides[0], built=next((each.built for each in sides if each.built), "")) if sides else Alone()
    told = {name: _told(row) for name, row in rows.items()}
    if failing and 2 * len(left) < len(asked):
        said = f"{len(asked) - len(left)} of {counted(len(asked), 'changed pair')} were not tested: calls always raised"
        return Conclusion(f"{said}: {raised(failing, rows)}. {remedy(interface, failing, rows, alone)}", (), told)
    reason = _untested(done)
    notes = () if reason or not failing else (
        f"never returned, so not compared: {raised(failing, rows)}. {remedy(interface, failing, rows, alone)}",
    )  # fmt: skip
    return Conclusion(reason, notes, told)


def _untested(done: WorkDone) -> str:
    """Return why the tests are no evidence; empty if at least one of them is."""
    if not done.tests and not done.known:
        if done.losses:
            return f"not one test could be made: {done.losses[0]}. Leave it out: exclude = [...] under [tool.plait]"
        if not done.in_time:
            return "the time was over before the first test was ready; --budget gives more"
        if done.left_out:
            values = "values = { ... } under [tool.plait]"
            return f"not one test could be made: {done.left_out[0]}. Give its parameters other values: {values}"
        return "not one test could be made. Say how to build objects: factories = [...] under [tool.plait]"
    if done.checks and done.inconclusive >= done.checks:
        return f"none of the {done.checks} tests that may differ could be compared to its end: {_obstacle(done)}"
    if done.unchecked and not done.checks and not done.known:
        return f"none of the {done.unchecked} tests that may differ was explored in time; --budget gives more"
    return ""


def _obstacle(done: WorkDone) -> str:
    if 2 * done.lost > done.inconclusive:
        return "workers died. Leave the method that kills them out: exclude = [...] under [tool.plait]"
    if 2 * done.diverged > done.inconclusive:
        return (
            "repeated executions do not do the same. Name methods whose results vary by themselves: "
            "nondeterministic = [...] under [tool.plait]"
        )
    return (
        "they have too many interleavings. Give a factory that builds a small object and values that keep calls short: "
        "factories = [...] and values = { ... } under [tool.plait]"
    )


def _row(name: str, calls: CallCounts, sides: Sequence[Alone]) -> dict[str, Any]:
    """Return the counts of a method. Calls of the method alone count only if they were made on both versions."""
    alone = {
        key: min((counted.get(name, 0) for counted in each), default=0)
        for key, each in (("called", [side.called for side in sides]), ("returned", [side.returned for side in sides]))
    }
    return {
        "called": calls.called[name] + alone["called"], "returned": calls.returned[name] + alone["returned"],
        "waited": calls.waited[name] + all(_waits(name, side) for side in sides) if sides else calls.waited[name],
        "together": calls.together[name],
        "error": next((side.errors[name] for side in reversed(sides) if name in side.errors), ""),
    }  # fmt: skip


def _waits(name: str, side: Alone) -> bool:
    """Return whether calls of a method alone neither returned nor raised."""
    return bool(side.called.get(name)) and not side.returned.get(name) and name not in side.errors


def _told(row: Mapping[str, Any]) -> CallRow:
    told: CallRow = {"called": row["called"], "returned": row["returned"], "returned_together": row["together"]}
    if row["error"] and not row["returned"]:
        told["error"] = row["error"]
    return told
