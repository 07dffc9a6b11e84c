"""A finding, and the parts that prove and explain it.

Everything here is typed. Only `as_json` makes dictionaries, and only `from_json` reads them. Data of a worker is
checked by `plait.workers.schema`, data of a file by `from_json`: neither is trusted.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from plait.model.schedule import Schedule
from plait.model.test import Test

HOLDS_ITSELF = "the call waits for a lock that it holds itself"
"""The `Finding.detail` of a call that is its own deadlock."""
_NESTED = re.compile(r"\.<locals>(\.<\w+>)?")
_LONG_VERBS = ("try-acquire (busy)", "find busy", "look at")  # all others are one word


def function_shown(name: str) -> str:
    """Return a function's qualified name for reports: a comprehension is part of the function around it."""
    return _NESTED.sub("", name)


@dataclass(frozen=True, slots=True)
class AccessStep:
    """One access of an interleaving: thread, operation, location, place in the source, and value."""

    thread: int
    file: str
    line: int
    function: str
    code: str
    verb: str  # read, write, insert, delete, acquire, release, ...
    place: str  # the name of the location: `Account.balance`
    location: int | None = None  # distinguishes locations of one name; None in older files
    value: str | None = None
    locks: tuple[str, ...] = ()  # held by the thread
    changed: bool = False  # whether the change under test touched the line
    version: str | None = None  # of a line that only the old version has; its file's name begins with it

    @property
    def access(self) -> str:
        """The access in words: ``read Account.balance``."""
        return f"{self.verb} {self.place}".strip()

    @property
    def attribute(self) -> str:
        """The location without its key: ``Cache._d`` of ``Cache._d['a']``."""
        return self.place.partition("[")[0]

    @property
    def own_file(self) -> str:
        """The file without the version that its name begins with."""
        return self.file if self.version is None else self.file.removeprefix(f"{self.version}:")

    @property
    def is_in_a_file(self) -> bool:
        """True if the line belongs to a file, and not to the test itself."""
        return not self.file.startswith("<")

    def as_json(self) -> dict[str, Any]:
        """Return one row of the contract's interleaving."""
        row: dict[str, Any] = {
            "thread": self.thread, "file": self.file, "line": self.line, "function": self.function, "code": self.code,
            "access": self.access,
        }  # fmt: skip
        if self.location is not None:
            row["location"] = self.location
        if self.value is not None:
            row["value"] = self.value
        if self.locks:
            row["locks"] = list(self.locks)
        if self.changed:
            row["changed"] = True
        if self.version is not None:
            row["version"] = self.version
        return row

    @classmethod
    def from_json(cls, data: Any) -> AccessStep:
        """Return the inverse of `as_json`; `ValueError` or `KeyError` if a part is missing or of another type."""
        verb, place = _verb_and_place(_text(data.get("access", "")))
        location, value, version = data.get("location"), data.get("value"), data.get("version")
        return cls(
            _number(data.get("thread", 0)), _text(data["file"]), _number(data["line"]), _text(data.get("function", "")),
            _text(data["code"]), verb, place, None if location is None else _number(location),
            None if value is None else _text(value),
            tuple(map(_text, data.get("locks", ()))), data.get("changed") is True,
            None if version is None else _text(version),
        )  # fmt: skip


def _verb_and_place(access: str) -> tuple[str, str]:
    verb = next((each for each in _LONG_VERBS if access.startswith(each)), access.partition(" ")[0])
    return verb, access[len(verb) :].lstrip(" ")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("what should be text is not")  # noqa: TRY004 - of a file's content
    return value


def _number(value: Any) -> int:
    if type(value) is not int:
        raise ValueError("what should be a number is not")
    return value


@dataclass(frozen=True, slots=True)
class Gap:
    """A function that was interrupted: another thread ran between two of its lines."""

    thread: int
    file: str
    function: str
    line: int
    end: int

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> Gap:
        """Return the inverse of `as_json`; `ValueError` or `KeyError` for anything else."""
        numbers = {name: _number(data[name]) for name in ("thread", "line", "end")}
        return cls(file=_text(data["file"]), function=_text(data["function"]), **numbers)


@dataclass(frozen=True, slots=True)
class Guard:
    """A lock that most accesses of a field hold, and the places that do not."""

    field: str
    lock: str
    unguarded: tuple[str, ...] = ()  # `file:line`
    guarded: int = 0  # how many places hold it

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "field": self.field, "lock": self.lock, "unguarded": list(self.unguarded), "guarded": self.guarded
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Any) -> Guard:
        """Return the inverse of `as_json`; `ValueError` or `KeyError` for anything else."""
        places = tuple(map(_text, data.get("unguarded", ())))
        return cls(_text(data["field"]), _text(data["lock"]), places, _number(data.get("guarded", 0)))


@dataclass(frozen=True, slots=True)
class RaisedAt:
    """The message of a finding's exception, and the line that raised it: the file's own name, empty if unknown."""

    message: str
    file: str = ""
    line: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> RaisedAt:
        """Return the inverse of `as_json`; `ValueError` or `KeyError` for anything else."""
        return cls(_text(data["message"]), _text(data["file"]), _number(data["line"]))


@dataclass(frozen=True, slots=True)
class BaselineMark:
    """The baseline's entry for a finding: ``known`` or ``expired``, the reason, and the last day."""

    status: str
    reason: str
    expires: str | None = None

    @property
    def is_known(self) -> bool:
        """True if the finding is accepted and has not expired."""
        return self.status == "known"

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        return dataclasses.asdict(self)


class _PairKeys(TypedDict):
    """The keys of a cell in the matrix of method pairs."""

    methods: list[str]
    tried: int
    covered: int


PairRow = Annotated[dict[str, Any], _PairKeys]  # its keys are checked where it comes from a worker


@dataclass(frozen=True, slots=True)
class SeenInParallel:
    """How often real threads on a free-threaded ``build`` showed a finding; ``reason`` if it was not tried."""

    tries: int
    seen: int
    build: str
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
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
        """Return a sentence for reports."""
        if not self.tries:
            return f"Not tried on parallel threads: {self.reason}."
        if self.seen:
            return f"Seen on real parallel threads: {self.seen:,} of {self.tries:,} tries on {self.build}."
        return f"Not seen in {self.tries:,} tries on parallel threads ({self.build}); it replays under control."


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect that only one of two versions has: ``who`` can ``what``, while the other version does ``before``.

    If no single call has the effect, as in a combination of results, ``what`` is the whole sentence and ``who`` is
    empty.
    """

    who: str
    what: str
    before: str = ""

    def __str__(self) -> str:
        return self.shortly() + (f" ({self.before})" if self.before else "")

    def shortly(self) -> str:
        """Return the effect without that of the other version."""
        return f"{self.who} can {self.what}" if self.who else self.what

    def as_json(self) -> dict[str, str]:
        """Return plain data."""
        return {"who": self.who, "what": self.what, **({"before": self.before} if self.before else {})}

    @classmethod
    def from_json(cls, data: Any) -> Effect:
        """Return the inverse of `as_json`."""
        found = cls(data["who"], data["what"], data.get("before", ""))
        if not all(isinstance(text, str) for text in (found.who, found.what, found.before)):
            raise ValueError("what should be text is not")
        return found


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
    interleaving: list[AccessStep] = field(default_factory=list)
    reachable: dict[str, bool | None] = field(default_factory=dict)
    confirmed_on_threads: bool | None = None
    only_old: list[Any] | None = None
    only_new: list[Any] | None = None
    effect: Effect | None = None  # of a difference, in words
    guard: Guard | None = None
    race: list[AccessStep] | None = None
    gap: Gap | None = None  # the interrupted function
    reproducer: str | None = None
    detail: str = ""
    odd_call: str = ""  # the call that gives what no order of whole calls does, if it is one
    expected: list[str] = field(default_factory=list)  # what it gives in these orders
    occurrences: int = 1
    waiting: list[str] = field(default_factory=list)
    raised: str = ""  # the exception, its message and the line that raises it, as text
    raised_at: RaisedAt | None = None  # the same for programs
    through: list[str] = field(default_factory=list)  # further public methods, which these call
    siblings: list[list[str]] = field(default_factory=list)  # other methods that show the same
    group: int = 0  # the same for findings that are mended in one place
    mend: str = ""  # that place
    baseline: BaselineMark | None = None  # for what is known
    node: str = ""  # explore: the test that fails, as pytest names it
    seen_in_parallel: SeenInParallel | None = None  # None where threads do not run in parallel: nothing is claimed
    probed: bool = False  # whether calls behind the test show it, and a reproducer needs them; result files do not say

    @property
    def waits_for_itself(self) -> bool:
        """True if a call waits for a lock that it holds."""
        return self.detail == HOLDS_ITSELF

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        found: dict[str, Any] = {"kind": self.kind, "summary": self.summary}
        if self.exception is not None:
            found["exception"] = self.exception
        found["methods"] = self.methods
        if self.test is not None:
            found["test"] = {**self.test.as_lines(), "source": self.test.as_json()}
        found["preemptions"] = self.preemptions
        if self.schedule is not None:
            found["schedule"] = self.schedule.as_json()
        found["interleaving"] = [step.as_json() for step in self.interleaving]
        found["reachable"] = self.reachable
        found["confirmed_on_threads"] = self.confirmed_on_threads
        if self.seen_in_parallel is not None:
            found["seen_in_parallel"] = self.seen_in_parallel.as_json()
        parts: dict[str, Any] = {
            "only_old": self.only_old, "only_new": self.only_new,
            "effect": None if self.effect is None else self.effect.as_json(),
            "guard": None if self.guard is None else self.guard.as_json(),
            "race": None if self.race is None else [step.as_json() for step in self.race],
            "gap": None if self.gap is None else self.gap.as_json(), "reproducer": self.reproducer,
            "raised_at": None if self.raised_at is None else self.raised_at.as_json(),
            "baseline": None if self.baseline is None else self.baseline.as_json(),
        }  # fmt: skip
        found |= {name: value for name, value in parts.items() if value is not None}
        for name in _TEXTS:
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
            found.interleaving = [AccessStep.from_json(row) for row in data.get("interleaving", ())]
            found.race = [AccessStep.from_json(row) for row in data["race"]] if data.get("race") is not None else None
            found.gap = Gap.from_json(data["gap"]) if data.get("gap") is not None else None
            found.raised_at = RaisedAt.from_json(data["raised_at"]) if data.get("raised_at") is not None else None
            found.effect = Effect.from_json(data["effect"]) if data.get("effect") is not None else None
            found.guard = Guard.from_json(data["guard"]) if data.get("guard") is not None else None
            if "seen_in_parallel" in data:
                found.seen_in_parallel = SeenInParallel.from_json(data["seen_in_parallel"])
            found._verify()
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise ValueError(f"not a finding: {type(error).__name__}: {error}") from None
        return found

    def _verify(self) -> None:
        """Raise if a part has another type: reports rely on the types."""
        texts = [self.kind, self.summary, self.detail, *self.methods, *self.expected, *self.waiting, *self.through]
        texts += [self.odd_call, self.raised, self.mend, self.node]
        texts += [name for names in self.siblings for name in names]
        if self.test is not None:
            for call in (*self.test.prefix, *self.test.calls):
                texts += [call.method, call.form, call.receiver, *call.args]
        texts += [text for text in (self.exception, self.reproducer) if text is not None]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("what should be text is not")
        if not all(type(number) is int for number in (self.preemptions, self.occurrences, self.group)):
            raise ValueError("what should be a number is not")


_TEXTS = (
    "detail", "odd_call", "expected", "waiting", "raised", "through", "siblings", "group", "mend", "node"
)  # fmt: skip
_PLAIN = (
    "kind",
    "summary",
    "methods",
    "exception",
    "preemptions",
    "reachable",
    "confirmed_on_threads",
    "only_old",
    "only_new",
    "reproducer",
    "occurrences",
    *_TEXTS,
)
