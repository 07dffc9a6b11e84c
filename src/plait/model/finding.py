"""A finding, as the result file has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from plait.model.schedule import Schedule
from plait.model.test import Test


class _AllSteps(TypedDict):
    thread: int
    file: str
    line: int
    function: str
    code: str
    access: str
    location: int


class StepKeys(_AllSteps, total=False):
    """What a row of an interleaving holds."""

    value: str
    locks: list[str]


class GapKeys(TypedDict):
    """What is said of a function that was interrupted half-way."""

    thread: int
    file: str
    function: str
    line: int
    end: int


class GuardKeys(TypedDict):
    """What is said of a lock that most accesses of a field hold."""

    field: str
    lock: str
    unguarded: list[str]
    guarded: int


class PairKeys(TypedDict):
    """What is said of two methods in the matrix of what was tried."""

    methods: list[str]
    tried: int
    covered: int


# Dictionaries whose keys are checked where they come from a worker.
StepRow = Annotated[dict[str, Any], StepKeys]
GapRow = Annotated[dict[str, Any], GapKeys]
GuardRow = Annotated[dict[str, Any], GuardKeys]
PairRow = Annotated[dict[str, Any], PairKeys]


@dataclass(frozen=True, slots=True)
class SeenInParallel:
    """How often real threads of a free-threaded ``build`` have shown a finding; ``reason`` if it was not tried."""

    tries: int
    seen: int
    build: str
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        found: dict[str, Any] = {"tries": self.tries, "seen": self.seen, "build": self.build}
        return {**found, "reason": self.reason} if self.reason else found

    @classmethod
    def from_json(cls, data: Any) -> SeenInParallel:
        """Return the inverse of `as_json`; anything else is a `ValueError`."""
        found = cls(data["tries"], data["seen"], data["build"], data.get("reason", ""))
        numbers = type(found.tries) is int and type(found.seen) is int and 0 <= found.seen <= found.tries
        if not numbers or type(found.build) is not str or type(found.reason) is not str:
            raise ValueError("what should be a number of tries or text is not")
        return found

    def sentence(self) -> str:
        """For people."""
        if not self.tries:
            return f"Not tried on parallel threads: {self.reason}."
        if self.seen:
            return f"Seen on real parallel threads: {self.seen:,} of {self.tries:,} tries on {self.build}."
        return f"Not seen in {self.tries:,} tries on parallel threads ({self.build}); it replays under control."


@dataclass(slots=True)
class Finding:
    """One fault with everything that proves and explains it; `as_json` is the contract's form."""

    kind: str
    summary: str
    methods: list[str]
    test: Test | None = None
    exception: str | None = None
    preemptions: int = 0
    schedule: Schedule | None = None
    interleaving: list[StepRow] = field(default_factory=list)
    reachable: dict[str, bool | None] = field(default_factory=dict)
    confirmed_on_threads: bool | None = None
    only_old: list[Any] | None = None
    only_new: list[Any] | None = None
    guard: GuardRow | None = None
    race: list[StepRow] | None = None
    gap: GapRow | None = None  # the function that was interrupted half-way
    reproducer: str | None = None
    detail: str = ""
    calls: str = ""
    expected: list[str] = field(default_factory=list)
    occurrences: int = 1
    waiting: list[str] = field(default_factory=list)
    raised: str = ""  # what an exception says, and the line that raises it
    through: list[str] = field(default_factory=list)  # further public methods, which these call
    siblings: list[list[str]] = field(default_factory=list)  # other methods that show the same
    group: int = 0  # the same for findings that are mended in one place
    mend: str = ""  # that place
    baseline: dict[str, Any] | None = None  # the entry of the baseline, for what is known
    node: str = ""  # explore: the test that fails, as pytest names it
    seen_in_parallel: SeenInParallel | None = None  # None where threads do not run in parallel: nothing is claimed

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        found: dict[str, Any] = {"kind": self.kind, "summary": self.summary}
        if self.exception is not None:
            found["exception"] = self.exception
        found["methods"] = self.methods
        if self.test is not None:
            found["test"] = {**self.test.as_lines(), "source": self.test.as_json()}
        found["preemptions"] = self.preemptions
        if self.schedule is not None:
            found["schedule"] = self.schedule.as_json()
        found["interleaving"] = self.interleaving
        found["reachable"] = self.reachable
        found["confirmed_on_threads"] = self.confirmed_on_threads
        if self.seen_in_parallel is not None:
            found["seen_in_parallel"] = self.seen_in_parallel.as_json()
        for name in ("only_old", "only_new", "guard", "race", "gap", "reproducer", "baseline"):
            value = getattr(self, name)
            if value is not None:
                found[name] = value
        for name in ("detail", "expected", "waiting", "raised", "through", "siblings", "group", "mend", "node"):
            value = getattr(self, name)
            if value:
                found[name] = value
        found["occurrences"] = self.occurrences
        return found

    @classmethod
    def from_json(cls, data: Any) -> Finding:
        """Return the inverse of `as_json`; anything else is a `ValueError`, or the `UsageError` of a schedule."""
        try:
            test = Test.from_json(data["test"]["source"]) if "test" in data else None
            schedule = Schedule.from_json(data["schedule"]) if "schedule" in data else None
            found = cls(test=test, schedule=schedule, **{name: data[name] for name in _PLAIN if name in data})
            if "seen_in_parallel" in data:
                found.seen_in_parallel = SeenInParallel.from_json(data["seen_in_parallel"])
            found._verify()
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise ValueError(f"not a finding: {type(error).__name__}: {error}") from None
        return found

    def _verify(self) -> None:
        """Whoever shows a finding relies on these types."""
        texts = [self.kind, self.summary, self.detail, *self.methods, *self.expected, *self.waiting, *self.through]
        texts += [self.raised, self.mend, self.node, *(name for names in self.siblings for name in names)]
        if self.test is not None:
            for call in (*self.test.prefix, *self.test.calls):
                texts += [call.method, call.form, call.receiver, *call.args]
        texts += [text for text in (self.exception, self.reproducer) if text is not None]
        if self.gap is not None:
            texts += [self.gap["file"], self.gap["function"]]
            if not all(type(self.gap[name]) is int for name in ("thread", "line", "end")):
                raise ValueError("what should be a number is not")
        for row in (*self.interleaving, *(self.race or ())):
            texts += [row[name] for name in ("file", "code")]
            if type(row["line"]) is not int:
                raise ValueError(f"{row['line']!r:.40} is no line")
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("what should be text is not")
        if not all(type(number) is int for number in (self.preemptions, self.occurrences, self.group)):
            raise ValueError("what should be a number is not")


_PLAIN = (
    "kind", "summary", "methods", "exception", "preemptions", "interleaving", "reachable", "confirmed_on_threads",
    "only_old", "only_new", "guard", "race", "gap", "reproducer", "detail", "expected", "occurrences", "waiting",
    "raised",
    "through", "siblings", "group", "mend", "node",
)  # fmt: skip
