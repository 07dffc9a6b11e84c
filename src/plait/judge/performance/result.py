"""What a comparison of two versions found: the verdict, and everything that a report shows."""

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
    """A test with what was measured: times in both scopes, or the reason why there are none.

    ``repetitions`` make one measurement; ``seconds`` is what one of them takes with the slower version. ``means`` are
    those of the whole test with every disturbance in them, for comparison.
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
        """Give the test up: it cannot be measured, now or later."""
        self.usable, self.reason = False, reason

    def series(self, scope: str) -> Series:
        """Return the times in one measurement scope (section 4.1)."""
        return self.whole if scope == "whole" else self.suffix

    def calls(self, threads: int) -> int:
        """Return how many calls so many threads make when each goes through its suffix once."""
        suffixes = self.test.suffixes
        return sum(len(suffixes[index % len(suffixes)]) for index in range(threads))

    @property
    def methods(self) -> list[str]:
        """The methods that the suffixes call, the most frequent first."""
        names = [call.method for call in self.test.calls]
        return sorted(set(names), key=lambda name: (-names.count(name), name))

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        ratios = [list(each.speedup()) if len(each) > 1 else None for each in (self.whole, self.suffix, self.means)]
        return {
            "name": self.name, "methods": self.methods, "winner": self.winner, "reason": self.reason,
            "speedup": ratios[0], "speedup_per_suffix": ratios[1], "speedup_of_means": ratios[2],
            "old_s": self.whole.old, "new_s": self.whole.new, "length": self.length, "repetitions": self.repetitions,
            "test": self.test.as_lines(),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Contention:
    """What happened at one lock: the share of the threads' time spent waiting for it, and how often calls took it."""

    lock: str
    old_wait: float
    new_wait: float
    old_per_call: float
    new_per_call: float

    def __str__(self) -> str:
        return f"contention on `{self.lock}`: {self.old_wait:.0%} to {self.new_wait:.0%}".replace("%", " %")


@dataclass(slots=True)
class Comparison:
    """Two versions of a subject, measured."""

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
        """The outcome of each test."""
        return [each.winner for each in self.tests]

    @property
    def conclusive(self) -> list[Measured]:
        """Tests whose measurements count."""
        return [each for each in self.tests if each.winner != "inconclusive"]

    @property
    def speedup(self) -> float | None:
        """The geometric mean of the conclusive tests' speed-ups; above one, the new version is faster."""
        logs = [math.log(each.series(self.scope).speedup(self.confidence).mean) for each in self.conclusive]
        return math.exp(mean(logs)) if logs else None

    @property
    def exit_code(self) -> int:
        """0 no regression, 1 regression, 3 nothing could be concluded."""
        return {"regression": 1, "inconclusive": 3}.get(self.verdict, 0)

    def decide(self, measured: Measured, acceptable: float, least: int) -> None:
        """Give a test its outcome (section 4.2 and 4.3): ``acceptable`` spread, ``least`` number of rounds."""
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
        """Return tests that the verdict rests on, the largest difference first."""
        side = {"regression": "old", "improvement": "new"}.get(self.verdict)
        chosen = [each for each in self.tests if each.winner == side] or self.conclusive
        return sorted(chosen, key=lambda each: -abs(math.log(each.series(self.scope).speedup().mean)))

    def as_result(self) -> Result:
        """Return what the result file holds."""
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
        """Return one line that a person understands."""
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
