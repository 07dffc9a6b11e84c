"""A virtual thread: what the scheduler knows about one thread of the program under test."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

from plait.run.operations import LOCAL

NEW, READY, BLOCKED, FINISHED = range(4)


class VThread:
    """One virtual thread of the current execution.

    Between two steps a thread stands in front of its pending operation: ``loc``, ``mode`` and ``site`` say which.
    ``enabled`` is false while that operation cannot be performed. ``after`` collects the steps that must precede the
    thread's next one (its start, the notification that woke it, the end of a thread it joined).
    """

    __slots__ = (
        "after", "blocked_on", "body", "callers", "clock_reads", "daemon", "deadline", "dying", "early", "enabled",
        "error", "fiber", "id", "joiners", "loc", "locals", "looks", "loose", "may_switch", "mode", "name", "naps",
        "notified", "observed", "owner", "proxy", "repeats", "site", "spinning", "starter", "state", "states",
        "suspect", "timed_out", "turns", "waits", "walks",
    )  # fmt: skip

    def __init__(self, number: int, body: Callable[[], object] | None, name: str) -> None:
        self.id = number
        self.body = body
        self.name = name
        self.fiber: Any = None
        self.state = NEW
        self.enabled = False
        self.loc = 0
        self.mode = LOCAL
        self.loose = False  # whether the reading it stands in front of takes no lock of the container's
        self.site = 0
        self.after: list[int] | None = None
        self.may_switch = True
        self.callers: list[FrameType] = []  # under the GIL model: who has called C code that may still run
        self.daemon = False
        self.dying = False
        self.error: BaseException | None = None
        self.blocked_on: Any = None
        self.deadline: float | None = None
        self.timed_out = False
        self.notified = False
        self.spinning: frozenset[int] | None = None
        self.suspect: tuple[int, tuple[Any, ...]] | None = None  # of spinning: since which entry, and its state there
        self.states: set[tuple[Any, ...]] = set()  # near the limit of steps: those it was in
        self.repeats = False  # it was in one of them again
        self.walks: list[list[int]] = []  # positions in the containers that its loops walk along
        self.joiners: list[VThread] = []
        self.locals: dict[int, dict[str, Any]] | None = None
        self.observed = False
        self.starter = 0
        self.owner: Any = None
        self.proxy: Any = None
        self.clock_reads = 0
        self.looks = 0  # readings of the clock in a set-up
        self.early = 0  # waits that were allowed to end before their time
        self.naps = 0  # sleeps that were over at once
        self.waits = 0  # how often it has waited for anything but a lock
        self.turns = 0  # loop iterations and calls so far

    def __repr__(self) -> str:
        return f"<VThread {self.id} {self.name}>"
