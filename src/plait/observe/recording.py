"""Record an execution with everything that a report needs: places, names, values, locks held."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from plait.model.finding import AccessStep
from plait.model.schedule import Schedule, Segment
from plait.model.site import Site
from plait.observe.places import held_text, location, owners, place
from plait.run.engine import Engine, Entry
from plait.run.operations import ACQUIRE, LOCAL, MODE_NAMES, RELEASE, TIME, TRY, TRY_FAILED
from plait.run.vthread import VThread


class Frame(NamedTuple):
    """An active call and its current line."""

    file: str
    function: str
    line: int


@dataclass(frozen=True, slots=True)
class Moment:
    """One access in the order in which it happened."""

    thread: int
    site: Site
    mode: int
    location: str
    root: int
    loc: int
    value: str | None
    locks: tuple[str, ...]
    step: int
    verb: str
    shown: int  # the thread's number in reports
    stack: tuple[Frame, ...] = ()  # the active calls, the outermost first

    @property
    def access(self) -> str:
        """The access in words: ``read Account.balance``."""
        return f"{self.verb} {self.location}".strip()


def as_step(moment: Moment) -> AccessStep:
    """Return a moment as a step of the interleaving of a finding."""
    site = moment.site
    return AccessStep(
        moment.shown, site.file, site.line, site.function, site.text, moment.verb, moment.location, moment.loc,
        moment.value, tuple(moment.locks),
    )  # fmt: skip


_CALLS = ("notify", "wait", "set", "clear", "is_set")  # the parts that stand for a condition or an event in reports


def _verb(engine: Engine, loc: int, mode: int, site: Site) -> str:
    if site.kind == "delete":
        return "delete"
    if mode == TRY_FAILED and site.text.startswith("with "):
        return "find busy"
    if engine.heap.locs[loc][1] in ("waiters", "flag"):
        for call in _CALLS:
            if f".{call}" in site.text:
                return call.replace("is_set", "look at")
    return MODE_NAMES[mode]


class StepRecorder:
    """A recorder: attach it to an engine before an execution, then call `moments` while its objects are alive."""

    def __init__(self) -> None:
        self._values: list[str | None] = []
        self._stacks: dict[int, tuple[Frame, ...]] = {}

    def __call__(self, engine: Engine, thread: VThread, loc: int, mode: int, site: int) -> None:
        """Record the previous step: the engine calls this before it performs a step."""
        self._catch_up(engine, len(engine.trace) - 1)
        self._stacks[len(engine.trace) - 1] = stack_frames(sys._getframe())

    def _catch_up(self, engine: Engine, length: int) -> None:
        while len(self._values) < length:
            loc, mode = engine.trace[len(self._values)][1:3]
            self._values.append(held_text(engine, loc) if loc and mode <= 4 else None)

    def moments(self, engine: Engine) -> list[Moment]:
        """Return the execution as a list of accesses."""
        self._catch_up(engine, len(engine.trace))
        names = owners(engine)
        held: dict[int, list[str]] = {}
        found: list[Moment] = []
        step = -1
        for entry, value, stack in zip(engine.trace, self._values, self._stacked(engine.trace), strict=True):
            thread, loc, mode, number, enabled, _after = entry
            if enabled is not None:
                step += 1
            if mode in (TIME, LOCAL):
                continue
            name = location(engine, loc, names)
            locks = held.setdefault(thread, [])
            root = engine.heap.roots[loc]
            site, kept = place(number), tuple(locks)
            verb = _verb(engine, loc, mode, site)
            shown = engine.shown(thread)
            found.append(Moment(thread, site, mode, name, root, loc, value, kept, step, verb, shown, stack))
            if mode in (ACQUIRE, TRY):
                locks.append(name)
            elif mode == RELEASE and name in locks:
                locks.remove(name)
        return found

    def _stacked(self, trace: Sequence[Entry]) -> list[tuple[Frame, ...]]:
        """Return the stack at each step; for a release, and for a lock that was waited for, that of a nearby step."""
        found = [self._stacks.get(number, ()) for number in range(len(trace))]
        for numbers, modes in ((range(len(trace)), _LEAVING), (reversed(range(len(trace))), _ENTERING)):
            last: dict[int, tuple[Frame, ...]] = {}
            for number in numbers:
                thread, mode = trace[number][0], trace[number][2]
                if not found[number] and mode in modes:
                    found[number] = last.get(thread, ())
                elif found[number]:
                    last[thread] = found[number]
        return found


_ENTERING = frozenset({ACQUIRE, TRY, TRY_FAILED})
_LEAVING = frozenset({RELEASE})
_OWN = f"{Path(__file__).parents[1]}{os.sep}"


def stack_frames(frame: FrameType | None) -> tuple[Frame, ...]:
    """Return the active calls of the code under test, without plait's own, from the line of the test on."""
    found: list[Frame] = []
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith("<"):
            break
        if not code.co_filename.startswith(_OWN):
            found.append(Frame(code.co_filename, code.co_qualname, frame.f_lineno))
        frame = frame.f_back
    return tuple(reversed(found))


def schedule_of(engine: Engine) -> Schedule:
    """Return the schedule of the execution just run, by named places."""
    segments: list[Segment] = []
    visits: dict[tuple[str, str, str, str, int], int] = {}
    entries = [entry for entry in engine.trace if entry[4] is not None and entry[0] >= 0]
    standing = {pending.thread: pending.site for pending in engine.pending}
    for index, entry in enumerate(entries):
        thread = entry[0]
        name = place(entry[3]).name
        visits[name] = visits.get(name, 0) + 1
        following = entries[index + 1] if index + 1 < len(entries) else None
        if following is not None and following[0] != thread:
            upcoming = next((later[3] for later in entries[index + 1 :] if later[0] == thread), standing.get(thread))
            if upcoming is not None and following[4] is not None and thread in following[4]:
                until = place(upcoming).name
                segments.append(Segment(thread, until, visits.get(until, 0) + 1))
            else:
                segments.append(Segment(thread))
            visits = {}
        elif following is None:
            segments.append(Segment(thread))
    return Schedule(tuple(segments), engine.gil, engine.any_timeouts)


def count_preemptions(trace: Sequence[tuple[int, int, int, int, tuple[int, ...] | None, list[int] | None]]) -> int:
    """Return how often a thread that could continue was interrupted."""
    count = 0
    last = -1
    for entry in trace:
        if entry[4] is None:
            continue
        if last >= 0 and entry[0] != last and last in entry[4]:
            count += 1
        last = entry[0]
    return count
