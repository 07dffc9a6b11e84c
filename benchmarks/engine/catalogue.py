"""The programs that the engine is measured on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDERS = (HERE / "subjects", HERE.parent / "demo" / "new")
"""Where the sources lie; ConDiff's account is shared with the demonstration."""


@dataclass(frozen=True)
class Subject:
    """A program: ``module.Program(*arguments)`` has thread ``bodies`` and says with ``holds()`` whether all is well.

    ``fault`` names what some interleaving shows (None: nothing). ``classes`` is the number of inequivalent schedules
    where it is known by other means than our own search: counted by hand or by brute force.
    """

    name: str
    module: str
    arguments: tuple[int, ...] = ()
    fault: str | None = None
    classes: int | None = None


SUBJECTS = (
    Subject("counter 2x1", "counter", (2, 1), "wrong-result", 4),
    Subject("counter 2x3", "counter", (2, 3), "wrong-result", 328),
    Subject("counter 3x1", "counter", (3, 1), "wrong-result", 36),
    Subject("account", "withdrawals", (), "wrong-result", 4),
    Subject("locked counter 2x1", "locked_counter", (2, 1), None, 2),
    Subject("locked counter 2x3", "locked_counter", (2, 3), None, 20),
    Subject("locked counter 3x1", "locked_counter", (3, 1), None, 6),
    Subject("AB-BA", "transfer", (), "deadlock", 3),
    Subject("philosophers 3", "philosophers", (3,), "deadlock", 7),
    Subject("bounded buffer", "buffer", (), "exception"),
    Subject("LRU cache", "lru", (), "exception"),
    Subject("queue", "producers"),
    Subject("2 x 20 accesses", "counter", (2, 10), "wrong-result"),
)
LONGEST = SUBJECTS[-1]
"""The program whose rate is set against twenty times that of Fray on its own benchmark."""


def subject(name: str) -> Subject:
    """The subject of that name."""
    return next(each for each in SUBJECTS if each.name == name)
