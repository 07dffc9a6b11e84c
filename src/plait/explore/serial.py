"""All orders of whole calls: the executions that a sequential specification would allow.

Threads switch only where a call begins (the test bed puts a step there) and where the running one has to wait. What
these executions show is what the class does without interference.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.run.engine import Engine
from plait.run.operations import LOCAL
from plait.run.vthread import VThread


class Serial:
    """Depth-first over the choices at the beginnings of calls."""

    name = "serial"

    def __init__(self) -> None:
        self.exhausted = False
        self.free = False
        self._script: list[int] = []  # the choices of this execution, one per branching
        self._options: list[tuple[int, ...]] = []
        self._asked = 0
        self._started = False

    def next_prefix(self) -> Sequence[int] | None:
        """Never a prefix: choices are counted at branchings, not at steps."""
        if not self._started:
            self._started = True
            self._asked = 0
            return ()
        while self._script:
            options = self._options[-1]
            position = options.index(self._script[-1]) + 1
            if position < len(options):
                self._script[-1] = options[position]
                self._asked = 0
                return ()
            self._script.pop()
            self._options.pop()
        self.exhausted = True
        return None

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Inside a call the running thread goes on; else branch."""
        if current is not None and current.enabled and current.mode != LOCAL:
            return current.id
        options = engine.enabled
        if len(options) == 1:
            return options[0]
        index = self._asked
        self._asked += 1
        if index < len(self._script):
            return self._script[index]
        self._script.append(options[0])
        self._options.append(options)
        return options[0]

    def executed(self, engine: Engine) -> None:
        """Nothing to learn: the script is complete."""
