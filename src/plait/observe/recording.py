"""One execution, replayed with everything a report needs: places, names, values, locks held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plait.model.schedule import Schedule, Segment
from plait.model.site import Site
from plait.observe.places import held_text, location, owners, place
from plait.run.engine import Engine
from plait.run.operations import ACQUIRE, LOCAL, MODE_NAMES, RELEASE, TIME, TRY, TRY_FAILED
from plait.run.vthread import VThread


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
    shown: int  # the thread's number for people

    @property
    def access(self) -> str:
        """In words: ``read Account.balance``."""
        return f"{self.verb} {self.location}".strip()


def as_row(moment: Moment) -> dict[str, Any]:
    """One line of the contract's interleaving."""
    row = {
        "thread": moment.shown, "file": moment.site.file, "line": moment.site.line, "function": moment.site.function,
        "code": moment.site.text, "access": moment.access, "location": moment.loc,
    }  # fmt: skip
    if moment.value is not None:
        row["value"] = moment.value
    if moment.locks:
        row["locks"] = list(moment.locks)
    return row


_CALLS = ("notify", "wait", "set", "clear", "is_set")  # of conditions and events: what people know them by


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


class Recorder:
    """Attach to an engine before an execution, `moments` afterwards (while its objects still live)."""

    def __init__(self) -> None:
        self._values: list[str | None] = []

    def __call__(self, engine: Engine, thread: VThread, loc: int, mode: int, site: int) -> None:
        """Called before each step is performed: the step before it has been."""
        self._catch_up(engine, len(engine.trace) - 1)

    def _catch_up(self, engine: Engine, length: int) -> None:
        while len(self._values) < length:
            loc, mode = engine.trace[len(self._values)][1:3]
            self._values.append(held_text(engine, loc) if loc and mode <= 4 else None)

    def moments(self, engine: Engine) -> list[Moment]:
        """The execution as a list of accesses."""
        self._catch_up(engine, len(engine.trace))
        names = owners(engine)
        held: dict[int, list[str]] = {}
        found: list[Moment] = []
        step = -1
        for entry, value in zip(engine.trace, self._values, strict=True):
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
            found.append(Moment(thread, site, mode, name, root, loc, value, kept, step, verb, shown))
            if mode in (ACQUIRE, TRY):
                locks.append(name)
            elif mode == RELEASE and name in locks:
                locks.remove(name)
        return found


def schedule_of(engine: Engine) -> Schedule:
    """The schedule of the execution just run, in named places."""
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


def preemptions(trace: Sequence[tuple[int, int, int, int, tuple[int, ...] | None, list[int] | None]]) -> int:
    """How often a thread that could go on was interrupted."""
    count = 0
    last = -1
    for entry in trace:
        if entry[4] is None:
            continue
        if last >= 0 and entry[0] != last and last in entry[4]:
            count += 1
        last = entry[0]
    return count
