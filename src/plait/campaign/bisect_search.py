"""A bisection that can leave out commits which cannot be tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Answer:
    """``good``, ``bad`` or ``skip``, and why."""

    word: Literal["good", "bad", "skip"]
    why: str = ""


@dataclass(slots=True)
class Bisection:
    """``commits`` from the oldest to the newest; the one before them is known to be good, the last one to be bad."""

    commits: list[str]
    ask: Callable[[str], Answer]
    log: list[tuple[str, Answer]] = field(default_factory=list)
    suspects: list[str] = field(default_factory=list)
    """What is left at the end: the first bad commit, and those before it that could not be tried."""

    @property
    def skipped(self) -> int:
        """How many commits could not be tried."""
        return sum(answer.word == "skip" for _, answer in self.log)

    def run(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Ask about the untried commit nearest to the middle until none is left between good and bad."""
        low, high = 0, len(self.commits) - 1  # the first bad one is one of these, both included
        unusable: set[int] = set()
        while not stopped():
            open_ = [number for number in range(low, high) if number not in unusable]
            if not open_:
                break
            middle = (low + high) / 2 - 0.5
            number = min(open_, key=lambda each: (abs(each - middle), each))
            answer = self.ask(self.commits[number])
            self.log.append((self.commits[number], answer))
            if answer.word == "skip":
                unusable.add(number)
            elif answer.word == "good":
                low = number + 1
            else:
                high = number
        self.suspects = self.commits[low : high + 1]
