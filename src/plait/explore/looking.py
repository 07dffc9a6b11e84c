"""Orders of whole calls in which some calls also take effect while a call that may wait is under way."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from plait.explore.serial import Serial, begins_call
from plait.run.engine import Engine
from plait.run.testbed import Testbed
from plait.run.vthread import VThread

_GO_ON = -3  # the calls under way continue, as `Serial` lets them


class WithLooks(Serial):
    """All orders of whole calls, with *looks*: calls that may also begin at any point of a call that may wait.

    A look runs to its end before anything else does. ``looks`` and ``waiting`` are positions of calls in the test.
    """

    def __init__(self, bed: Testbed, looks: frozenset[int], waiting: Collection[int]) -> None:
        super().__init__()
        self._bed = bed
        self._looks = looks
        self._waiting = waiting

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Choose as `Serial.choose` does, or begin a look."""
        ready = self._ready(engine)
        if ready:
            chosen = self._branch(engine, [_GO_ON, *ready])
            if chosen != _GO_ON:
                return chosen
        return super().choose(engine, current)

    def _ready(self, engine: Engine) -> Sequence[int]:
        """Return the threads whose next call is a look and may begin here."""
        where, running = self._bed.positions, self._bed.running
        under_way = {number: where[each.thread, each.index] for number, each in running.items()}
        if not self._looks.isdisjoint(under_way.values()):
            return ()
        if not any(
            position in self._waiting and engine.threads[number].enabled for number, position in under_way.items()
        ):
            return ()
        first, done = engine.bodies[0], [each.number for each in self._bed.done]
        return [
            number for number in engine.enabled
            if number in engine.bodies and number not in running and begins_call(engine.threads[number])
            and where.get((number - first + 1, done.count(number))) in self._looks
        ]  # fmt: skip
