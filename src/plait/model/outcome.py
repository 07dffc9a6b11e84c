"""The outcomes of an execution: one closed family of types.

Everything is plain text and numbers, so an outcome prints, compares, pickles and outlives the objects of its
execution. ``kind`` is the word that result files use; ``signature`` says when two executions failed in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

Signature = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of source."""

    file: str
    line: int
    function: str
    code: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.code}" if self.code else where


@dataclass(frozen=True, slots=True)
class Uncaught:
    """An exception that ended a thread; ``while_handling`` is the one that was being handled when it was raised."""

    thread: int
    exception: str
    message: str
    at: Spot
    while_handling: str = ""

    def __str__(self) -> str:
        text = f"{self.exception}: {self.message}" if self.message else self.exception
        return "\n    ".join([f"thread {self.thread} raised {text}, at {self.at}", *self.origin()])

    def origin(self) -> list[str]:
        """Return what says where the trouble began, if that was another exception."""
        return [f"while handling {self.while_handling}"] if self.while_handling else []


@dataclass(frozen=True, slots=True)
class Wait:
    """A thread that waits for something that will never happen.

    ``what`` reads on from "waits for": ``the lock Account._lock``. ``holder`` and ``since`` are known for locks.
    """

    thread: int
    what: str
    at: Spot
    holder: int | None = None
    since: Spot | None = None

    def __str__(self) -> str:
        text = f"thread {self.thread} waits for {self.what}, at {self.at}"
        if self.holder is not None:
            owner = "itself" if self.holder == self.thread else f"thread {self.holder}" if self.holder else "the set-up"
            text += f"\n    held by {owner}" + (f" since {self.since}" if self.since is not None else "")
        return text


@dataclass(frozen=True, slots=True)
class Finished:
    """Every thread ended, and the check held."""

    kind: ClassVar[str] = "pass"

    @property
    def signature(self) -> Signature:
        """The same for all passes."""
        return (self.kind,)

    def summary(self) -> str:
        """Return one line."""
        return "every thread finished"

    def details(self) -> list[str]:
        """Return nothing more."""
        return []


@dataclass(frozen=True, slots=True)
class Raised:
    """At least one thread ended with an exception; others may be left waiting because of it."""

    kind: ClassVar[str] = "exception"
    failures: tuple[Uncaught, ...]
    waits: tuple[Wait, ...] = ()

    @property
    def signature(self) -> Signature:
        """The exceptions, whichever threads they hit."""
        return (self.kind, *sorted({failure.exception for failure in self.failures}))

    def summary(self) -> str:
        """Return one line."""
        first = self.failures[0]
        text = f"{first.exception}: {first.message}" if first.message else first.exception
        more = f" (and {len(self.failures) - 1} more)" if len(self.failures) > 1 else ""
        return f"thread {first.thread} raised {text}{more}"

    def details(self) -> list[str]:
        """Return one entry per thread."""
        if len(self.failures) == 1:
            only = self.failures[0]
            return [f"at {only.at}", *only.origin(), *map(str, self.waits)]
        return [*map(str, self.failures), *map(str, self.waits)]


@dataclass(frozen=True, slots=True)
class CheckFailed:
    """Every thread finished, and the final state is wrong."""

    kind: ClassVar[str] = "wrong-result"
    exception: str
    message: str
    at: Spot | None = None

    @property
    def signature(self) -> Signature:
        """The same for all failed checks, because values differ between schedules."""
        return (self.kind, self.exception)

    def summary(self) -> str:
        """Return one line."""
        first = self.message.partition("\n")[0]
        return f"the check failed: {first}" if first else "the check failed"

    def details(self) -> list[str]:
        """Return where, and the whole message."""
        lines = [f"the check raised {self.exception}, at {self.at}"] if self.at is not None else []
        return [*lines, self.message] if "\n" in self.message else lines


@dataclass(frozen=True, slots=True)
class Deadlock:
    """No thread can continue."""

    kind: ClassVar[str] = "deadlock"
    waits: tuple[Wait, ...]

    @property
    def signature(self) -> Signature:
        """Any deadlock of the same test."""
        return (self.kind,)

    def summary(self) -> str:
        """Return one line."""
        if len(self.waits) == 1:
            return f"thread {self.waits[0].thread} waits for ever for {self.waits[0].what}"
        return f"deadlock: {len(self.waits)} threads wait for ever"

    def details(self) -> list[str]:
        """Return who waits for what, held by whom."""
        return [str(wait) for wait in self.waits]


@dataclass(frozen=True, slots=True)
class Hang:
    """A thread loops without end; ``loop`` is the line of its loop."""

    kind: ClassVar[str] = "hang"
    thread: int
    steps: int
    loop: Spot
    waits: tuple[Wait, ...] = ()

    @property
    def signature(self) -> Signature:
        """The loop."""
        return (self.kind, self.loop.function)

    def summary(self) -> str:
        """Return one line."""
        return f"thread {self.thread} did not end within {self.steps:,} steps"

    def details(self) -> list[str]:
        """Return where it loops."""
        return [f"thread {self.thread} loops at {self.loop}", *map(str, self.waits)]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The same schedule led to two different executions, so the exploration proves nothing."""

    kind: ClassVar[str] = "divergence"
    step: int
    expected: str
    seen: str
    cause: str

    @property
    def signature(self) -> Signature:
        """Any divergence."""
        return (self.kind,)

    def summary(self) -> str:
        """Return one line."""
        return "the test is not deterministic: one schedule gave two different executions"

    def details(self) -> list[str]:
        """Return what differed, and why probably."""
        first = f"at step {self.step} one execution did: {self.expected}"
        return [first, f"the other one did: {self.seen}", self.cause]


Outcome = Finished | Raised | CheckFailed | Deadlock | Hang | Divergence
