"""Reuses the stages that an earlier search has recorded (`plait.store.recording`) as far as they are unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from plait.commands.diff import worker
from plait.commands.diff.sides import PendingPair, awaited
from plait.commands.diff.stages import FoundStage, Ready, RecordedStage
from plait.generate.condiff import Stage
from plait.judge.difference.sequential import same
from plait.store.recording import Asked
from plait.workers.pool import Answer, WorkerError

if TYPE_CHECKING:
    from plait.commands.diff.search import DiffSearch


class _UnderWay(NamedTuple):
    """Tasks in progress for a stage: the generator's questions, the state after the prefix, and some suffixes."""

    answers: Future[Answer] | None = None
    left: PendingPair | None = None
    alone: PendingPair | None = None


class StageReplay:
    """Follows recorded stages, and records new ones, as long as the versions agree sequentially.

    After a sequential difference, a search compares in another way and avoids some calls. From then on, no stage is
    followed or recorded.
    """

    def __init__(self, search: DiffSearch, position: str) -> None:
        self.passed = 0  # number of stages followed
        self._search = search
        self._position = position
        self._view = search.view
        self._left = search.comparisons is None

    def leave(self) -> None:
        """Stop following and recording: the next stages depend on something else."""
        self._left = True

    def known(self) -> Iterator[Ready]:
        """Yield the stages of an earlier run, up to the first one that has changed."""
        found = self._look(self._position)
        asked = self._ask(found)
        while found is not None and self._is_straight() and not self._search.over():
            following = self._look(found.next_position)
            asked_next = self._ask(following)
            ready = self._again(found, asked)
            if ready is None:
                return
            self._position = found.next_position
            self.passed += 1
            yield ready
            found, asked = following, asked_next

    def keep(self, ready: Ready, asked: tuple[Asked, ...]) -> None:
        """Record a stage that was just made."""
        comparisons = self._search.comparisons
        if not self._is_straight() or ready.usable != ready.runnable:
            self.leave()
        elif comparisons is not None:
            known = RecordedStage(ready.stage, asked, tuple(ready.rows), ready.left)
            self._position = comparisons.keep_stage(self._position, self._view, known)

    def state_left(self, stage: Stage) -> PendingPair | None:
        """Return the state after the prefix of a new stage, if the stage may be recorded."""
        return self._search.sides.both(worker.state_after_prefix, stage, self._view) if self._is_straight() else None

    def _is_straight(self) -> bool:
        return not self._left and self._search.view == self._view and not self._search.avoid

    def _look(self, position: str) -> FoundStage | None:
        comparisons = self._search.comparisons
        return None if self._left or comparisons is None else comparisons.stage(position, self._view)

    def _ask(self, found: FoundStage | None) -> _UnderWay:
        sides = self._search.sides
        if found is None:
            return _UnderWay()
        stage, first = found.recorded.stage, found.reached if found.own is None else found.own
        return _UnderWay(
            sides.on("new", worker.ask_again, found.asked) if found.asked else None,
            sides.both(worker.state_after_prefix, stage, self._view) if found.own is not None else None,
            sides.both(worker.observe_alone, stage, self._view, first) if first else None,
        )

    def _again(self, found: FoundStage, asked: _UnderWay) -> Ready | None:
        """Return the stage as it is now.

        None if it would be generated differently now, or behaves differently on the two versions.
        """
        search, rows, left = self._search, list(found.recorded.rows), found.recorded.left
        try:
            if asked.answers is not None:
                answers = awaited(asked.answers, search.sides.until)
                if answers != tuple(each.answer for each in found.asked):
                    return None
            numbers, alone = found.reached if found.own is None else found.own, asked.alone
            if asked.left is not None and joined(asked.left) != left:
                left, numbers = joined(asked.left), found.reached
                alone = search.sides.both(worker.observe_alone, found.recorded.stage, self._view, numbers)
            if alone is not None:
                (old, old_s), (new, new_s) = alone.values()
                search.counts.generate_s += old_s + new_s
                for number, one, other in zip(numbers, old, new, strict=True):
                    if not same(one.observation, other.observation):
                        return None
                    rows[number] = search.row(one, other, usable=not one.observation.beginning.failed)
        except WorkerError as error:
            search.lose(error)
            return None
        if found.stale and search.comparisons is not None:
            renewed = RecordedStage(found.recorded.stage, found.recorded.asked, tuple(rows), left)
            search.comparisons.keep_stage(found.position, self._view, renewed)
        return Ready(found.recorded.stage, rows, left)


def joined(left: PendingPair) -> str:
    """Return the states after a prefix on both versions as one text; empty unless both are known."""
    old, new = left.values()
    return f"{old} {new}" if old and new else ""
