"""A strategy that follows a schedule of named places (see `plait.model.schedule`)."""

from __future__ import annotations

from collections.abc import Sequence

from plait.model.schedule import Schedule
from plait.observe.places import place
from plait.run.engine import Engine
from plait.run.vthread import VThread


class Scripted:
    """Runs the thread of each segment until it stands before the segment's place, then continues with the next segment.

    If the code has changed so much that a segment's thread cannot run or never reaches its place, ``lost`` says where,
    and the segment is skipped. After the last segment, threads run without preemptions.
    """

    name = "replay"

    def __init__(self, schedule: Schedule) -> None:
        self.exhausted = False
        self.free = False
        self._schedule = schedule
        self.lost: str | None = None
        self._asked = False
        self._index = 0
        self._hits = 0
        self._counted = -1
        self._stopped: VThread | None = None

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix once, then None."""
        if self._asked:
            return None
        self._asked = True
        self.restart()
        return ()

    def restart(self) -> None:
        """Reset the strategy for another execution."""
        self.lost = None
        self._index = self._hits = 0
        self._counted = -1

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread of the current segment; move on to the next segment when its place has been reached."""
        segments = self._schedule.segments
        while self._index < len(segments):
            segment = segments[self._index]
            if segment.thread not in engine.enabled:
                if segment.until is not None and self._hits < segment.hits and self.lost is None:
                    self.lost = f"thread {segment.thread} never came to `{segment.until[3]}`"
                self._advance()
                continue
            thread = engine.threads[segment.thread]
            if segment.until is not None and place(thread.site).name == segment.until and self._counted != engine.step:
                self._counted = engine.step
                self._hits += 1
                if self._hits >= segment.hits:
                    self._advance()
                    continue
            return segment.thread
        if current is not None and current.enabled:
            return current.id
        return engine.enabled[0]

    def _advance(self) -> None:
        self._index += 1
        self._hits = 0
        self._counted = -1

    def executed(self, engine: Engine) -> None:
        """Do nothing: there is nothing to learn."""
