"""The result of a performance comparison of two versions: the verdict, and everything that a report shows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plait.judge.performance.statistics import mean
from plait.judge.performance.verdict import CONFIDENCE, DELTA, Series, is_decided, winner
from plait.model.finding import Finding
from plait.model.result import Result

if TYPE_CHECKING:
    from plait.judge.performance.verdict import Nature, Point
    from plait.model.test import Test


@dataclass(slots=True)
class Measured:
    """One test with its measured times in both scopes, or the reason why there are none.

    One measurement consists of ``repetitions`` executions; ``seconds`` is the time of one of them on the slower
    version. ``means`` are mean times of the whole test, disturbances included, for comparison.
    """

    name: str
    test: Test
    source: str
    repeat: int
    length: int
    repetitions: int
    seconds: float
    whole: Series = field(default_factory=Series)
    suffix: Series = field(default_factory=Series)
    means: Series = field(default_factory=Series)
    usable: bool = True
    reason: str | None = None
    winner: str = "inconclusive"

    def refuse(self, reason: str) -> None:
        """Mark the test as one that cannot be measured."""
        self.usable, self.reason = False, reason

    def series(self, scope: str) -> Series:
        """Return the times in one measurement scope (section 4.1)."""
        return self.whole if scope == "whole" else self.suffix

    def calls(self, threads: int) -> int:
        """Return the number of calls that ``threads`` threads make when each runs its suffix once."""
        suffixes = self.test.suffixes
        return sum(len(suffixes[index % len(suffixes)]) for index in range(threads))

    @property
    def methods(self) -> list[str]:
        """The methods that the suffixes call, the most frequent first."""
        names = [call.method for call in self.test.calls]
        return sorted(set(names), key=lambda name: (-names.count(name), name))

    def as_json(self) -> dict[str, Any]:
        """Return plain data for the result file."""
        ratios = [list(each.speedup()) if len(each) > 1 else None for each in (self.whole, self.suffix, self.means)]
        return {
            "name": self.name, "methods": self.methods, "winner": self.winner, "reason": self.reason,
            "speedup": ratios[0], "speedup_per_suffix": ratios[1], "speedup_of_means": ratios[2],
            "old_s": self.whole.old, "new_s": self.whole.new, "length": self.length, "repetitions": self.repetitions,
            "test": self.test.as_lines(),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Contention:
    """Contention at one lock on both versions: the share of time spent waiting for it, and how often it is taken."""

    lock: str
    old_wait: float
    new_wait: float
    old_per_call: float
    new_per_call: float

    def __str__(self) -> str:
        return f"contention on `{self.lock}`: {self.old_wait:.0%} to {self.new_wait:.0%}".replace("%", " %")


@dataclass(slots=True)
class Comparison:
    """The comparison of two versions of a subject by measured tests."""

    subject: str
    old: str
    new: str
    seed: int = 0
    verdict: str = "inconclusive"
    reason: str = ""
    threads: int = 8
    delta: float = DELTA
    confidence: float = CONFIDENCE
    scope: str = "whole"
    focus: list[str] = field(default_factory=list)
    tests: list[Measured] = field(default_factory=list)
    curve: list[Point] = field(default_factory=list)
    nature: Nature | None = None
    locks: list[Contention] = field(default_factory=list)
    machine: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    script: str | None = None
    elapsed_s: float = 0.0
    stopped_by: str = "exhausted"
    calls: dict[str, tuple[int, int]] = field(default_factory=dict)  # by method: tried, and returned on both versions

    @property
    def winners(self) -> list[str]:
        """The winner of each test."""
        return [each.winner for each in self.tests]

    @property
    def conclusive(self) -> list[Measured]:
        """The tests with a usable measurement."""
        return [each for each in self.tests if each.winner != "inconclusive"]

    @property
    def speedup(self) -> float | None:
        """The geometric mean of the conclusive tests' speed-ups. Above 1, the new version is faster."""
        logs = [math.log(each.series(self.scope).speedup(self.confidence).mean) for each in self.conclusive]
        return math.exp(mean(logs)) if logs else None

    @property
    def exit_code(self) -> int:
        """0 for no regression, 1 for a regression, 3 for no conclusion."""
        return {"regression": 1, "inconclusive": 3}.get(self.verdict, 0)

    def decide(self, measured: Measured, acceptable: float, least: int) -> None:
        """Decide the winner of a test (sections 4.2 and 4.3).

        ``acceptable`` is the largest spread allowed, ``least`` the smallest number of rounds.
        """
        series = measured.series(self.scope)
        if measured.reason is not None:
            return
        if len(series) < least:
            measured.reason = f"only {len(series)} of {least} rounds fit into the budget"
        elif not is_decided(series, self.delta, self.confidence) and series.spread() > acceptable:
            measured.reason = f"times vary by {series.spread():.1%} between rounds".replace("%", " %")
        else:
            measured.winner = winner(series, self.delta, self.confidence)

    def winning(self) -> list[Measured]:
        """Return the tests that the verdict rests on, the largest difference first."""
        side = {"regression": "old", "improvement": "new"}.get(self.verdict)
        chosen = [each for each in self.tests if each.winner == side] or self.conclusive
        return sorted(chosen, key=lambda each: -abs(math.log(each.series(self.scope).speedup().mean)))

    def as_result(self) -> Result:
        """Return the result in the form of the result file."""
        winners = self.winners
        lengths = sorted(each.length for each in self.tests)
        stats = {
            "tests": len(self.tests), "old_wins": winners.count("old"), "new_wins": winners.count("new"),
            "no_winner": winners.count("none"), "inconclusive": winners.count("inconclusive"),
            "speedup": self.speedup, "threads": self.threads,
            "suffix_length": lengths[len(lengths) // 2] if lengths else None,
            "methods": {name: {"called": called, "returned": back} for name, (called, back) in self.calls.items()},
        }  # fmt: skip
        more = {
            "reason": self.reason, "nature": self.nature, "focus": self.focus, "delta": self.delta,
            "confidence": self.confidence, "scope": self.scope, "script": self.script, "machine": self.machine,
            "tests": [each.as_json() for each in self.tests],
            "curve": [
                {"threads": each.threads, "old_calls_per_s": each.old_rate, "new_calls_per_s": each.new_rate,
                 "speedup": list(each.speedup), "winner": each.winner}
                for each in self.curve
            ],
            "locks": [
                {"lock": each.lock, "old_wait": each.old_wait, "new_wait": each.new_wait,
                 "old_per_call": each.old_per_call, "new_per_call": each.new_per_call}
                for each in self.locks
            ],
        }  # fmt: skip
        return Result(
            "perf", self.subject, self.verdict, {"old": self.old, "new": self.new}, self.seed, "native",
            self._findings(), stats, self.elapsed_s, self.stopped_by, self.notes, more,
        )  # fmt: skip

    def _findings(self) -> list[Finding]:
        if self.verdict not in ("regression", "improvement"):
            return []
        best = self.winning()[0]
        name = self.subject.rpartition(":")[2]
        detail = next((str(each) for each in self.locks if each.old_wait + each.new_wait > 0.02), "")
        return [
            Finding(
                "performance", self.summary(), [f"{name}.{each}" for each in best.methods], best.test,
                confirmed_on_threads=True, reproducer=self.script, detail=detail,
            )
        ]  # fmt: skip

    def summary(self) -> str:
        """Return the verdict as one line of text."""
        speedup = self.speedup
        if self.verdict == "inconclusive" or speedup is None:
            return self.reason
        if self.verdict == "none":
            return f"no difference above {self.delta:.0%} at {self.threads} threads".replace("%", " %")
        best = self.winning()[0]
        _, low, high = best.series(self.scope).speedup(self.confidence)
        faster = self.verdict == "improvement"
        factor = speedup if faster else 1 / speedup
        edges = (low, high) if faster else (1 / high, 1 / low)
        word = "faster" if faster else "slower"
        origin = {"sequential": "; a single thread sees the same", "contention": "; only threads that meet see it",
                  "both": "; a single thread sees it, several see more"}.get(self.nature or "", "")  # fmt: skip
        return (
            f"{factor:.2f} times {word} at {self.threads} threads (most in a test of {', '.join(best.methods[:3])}: "
            f"{edges[0]:.2f} to {edges[1]:.2f}){origin}"
        )
