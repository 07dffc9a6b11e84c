"""Find out whether a thread is at an impacted code point (``matchICPs``, lines 58-76 of CAPP's Figure 4)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.model.foreign import attributes_of
from plait.observe.places import place
from plait.run.heap import WHOLE
from plait.run.vthread import VThread
from plait.subject.changes.impact import class_of, named_function

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from plait.run.engine import Engine
    from plait.subject.changes.impact import Impact

MODES = ("CLASS", "CLASS_ON_STACK", "METHOD", "METHOD_ON_STACK", "LINE", "LINE_ON_STACK", "FIELD")
_ON_STACK = "_ON_STACK"


class Matcher:
    """Compares the next operations of threads with the points of a change, in one of the seven match modes."""

    def __init__(self, impact: Impact, mode: str) -> None:
        if mode not in MODES:
            raise ValueError(f"{mode!r} is no match mode; there are {', '.join(MODES)}")
        self._impact = impact
        self._level = mode.removesuffix(_ON_STACK)
        self._stacks = mode.endswith(_ON_STACK)
        self._sites: dict[int, bool] = {}
        self._lines: dict[tuple[str, str, int], bool] = {}
        self._fields: dict[int, bool] = {}
        self._held: dict[int, list[tuple[Any, str]]] = {}
        self._scanned = 0

    def begin(self) -> None:
        """Start a new execution: locations have new numbers."""
        self._fields = {}
        self._held = {}
        self._scanned = 0

    def matches(self, engine: Engine, thread: VThread) -> bool:
        """Return whether the thread's next operation, or with ON_STACK one of its calls, is an impacted point."""
        if self._level == "FIELD":
            return self._field(engine, thread.loc)
        number = thread.site
        found = self._sites.get(number)
        if found is None:
            site = place(number)
            found = self._sites[number] = self._at(site.file, site.function, site.line)
        if found or not self._stacks:
            return found
        return any(
            self._at(frame.f_code.co_filename, frame.f_code.co_qualname, frame.f_lineno)
            for frame in _frames_of(engine, thread)
        )

    def _at(self, file: str, function: str, line: int) -> bool:
        known = self._lines.get((file, function, line))
        if known is None:
            path, name = str(Path(file).resolve()), named_function(function)
            if self._level == "LINE":
                known = (path, line) in self._impact.lines
            elif self._level == "METHOD":
                known = (path, name) in self._impact.methods
            else:
                known = (path, class_of(name)) in self._impact.classes
            self._lines[file, function, line] = known
        return known

    # -- fields -------------------------------------------------------------------------------------------------

    def _field(self, engine: Engine, loc: int) -> bool:
        known = self._fields.get(loc)
        if known is None:
            obj, name = engine.heap.locs[loc]
            if obj is None or isinstance(obj, VThread):
                known = False
            elif name is WHOLE or engine.heap.roots[loc] != loc or type(name) is not str:
                known = any(self._names(owner, field) for owner, field in self._holders(engine, obj))
                if not known:
                    return False  # a field may hold it later
            else:
                known = self._names(obj, name)
            self._fields[loc] = known
        return known

    def _names(self, owner: Any, field: str) -> bool:
        fields = self._impact.fields
        if (None, field) in fields:
            return True
        if isinstance(owner, str):
            return (owner, field) in fields
        kind = owner if isinstance(owner, type) else type(owner)
        return any((base.__qualname__, field) in fields for base in kind.__mro__)

    def _holders(self, engine: Engine, obj: Any) -> list[tuple[Any, str]]:
        """Return the fields that hold a container or lock: to use the object counts as using the field."""
        kept = engine.heap.kept
        if len(kept) != self._scanned:
            self._scanned = len(kept)
            self._held = {}
            for owner in kept:
                attributes = attributes_of(owner)
                if type(attributes) is dict and not isinstance(owner, type):
                    for name, value in attributes.items():
                        self._held.setdefault(id(value), []).append((owner, name))
        return self._held.get(id(obj), [])


def _frames_of(engine: Engine, thread: VThread) -> Iterator[FrameType]:
    """Yield the Python stack of a thread, the innermost call first; those of the engine below it included."""
    frame: FrameType | None
    if thread is engine.thread:
        frame = sys._getframe(1)
    else:
        frame = getattr(thread.fiber, "gr_frame", None) or _parked_frame(thread)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _parked_frame(thread: VThread) -> FrameType | None:
    """Return the stack of a thread that is parked on an OS thread: the one whose loop runs it."""
    for top in sys._current_frames().values():
        frame: FrameType | None = top
        while frame is not None:
            if frame.f_code.co_name == "_loop" and frame.f_locals.get("thread") is thread:
                return top
            frame = frame.f_back
    return None
