"""The state of a virtual thread: a thread of the code under test, run by the scheduler."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

from plait.run.operations import LOCAL

NEW, READY, BLOCKED, FINISHED = range(4)


class VThread:
    """A virtual thread of the current execution.

    Between two steps a thread stands before its pending operation, given by ``loc``, ``mode`` and ``site``. ``enabled``
    is false while that operation cannot be performed. ``after`` collects the steps that must precede the thread's next
    one (its start, the notification that woke it, the end of a thread it joined).
    """

    __slots__ = (
        "after", "blocked_on", "body", "callers", "clock_reads", "clock_rounds", "daemon", "deadline", "dying",
        "early", "enabled", "error", "fiber", "id", "joiners", "loc", "locals", "looks", "loose", "may_switch", "mode",
        "name", "naps", "notified", "observed", "owner", "proxy", "site", "spinning", "starter", "state", "suspect",
        "timed_out", "turns", "waits", "walks",
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
        self.loose = False  # whether its pending read takes no lock of the container
        self.site = 0
        self.after: list[int] | None = None
        self.may_switch = True
        self.callers: list[FrameType] | None = None  # GIL model: frames whose calls of C code may not have returned
        self.daemon = False
        self.dying = False
        self.error: BaseException | None = None
        self.blocked_on: Any = None
        self.deadline: float | None = None
        self.timed_out = False
        self.notified = False
        self.spinning: frozenset[int] | None = None
        self.suspect: tuple[int, tuple[Any, ...]] | None = None  # may be spinning: length of the trace, state then
        self.walks: list[list[int]] = []  # positions in the containers that its loops iterate over
        self.joiners: list[VThread] = []
        self.locals: dict[int, dict[str, Any]] | None = None
        self.observed = False
        self.starter = 0
        self.owner: Any = None
        self.proxy: Any = None
        self.clock_reads = 0
        self.clock_rounds = 0  # those of them that stand in a loop
        self.looks = 0  # readings of the clock in a set-up
        self.early = 0  # number of waits that ended early
        self.naps = 0  # sleeps that ended at once
        self.waits = 0  # how often it waited for anything but a lock
        self.turns = 0  # loop iterations and calls so far

    def __repr__(self) -> str:
        return f"<VThread {self.id} {self.name}>"
