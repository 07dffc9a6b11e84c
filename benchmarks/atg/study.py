"""The subjects of the study and the figures that its paper prints for them (Tables 2 to 5, 7 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
APPROACHES = ("mrt", "s-atg", "d-atg", "sd-atg")
MEASURED = (*APPROACHES, "sd-atg-all")
"""The paper's, and plait's own form of the last one."""
THRESHOLD = 6
SWEPT = (1, 2, 4, 6, 8)


@dataclass(frozen=True, slots=True)
class Figures:
    """One approach on one subject, as printed; ``iroots`` is None where the first bug is what counts."""

    iroots: float | None
    profiles: float
    active_tests: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Subject:
    """A structure, or a mutant of one, with its sequential model (see `specifications`) and the paper's figures."""

    number: str
    file: Path
    cls: str
    model: str
    paper: dict[str, Figures]

    @property
    def name(self) -> str:
        return f"{self.number} {self.cls}"


def _structure(number: str, module: str, cls: str, model: str, *columns: tuple[float, ...]) -> Subject:
    """``columns`` are instances, profiles, active tests and seconds, each for the four approaches."""
    figures = {name: Figures(*row) for name, row in zip(APPROACHES, zip(*columns, strict=True), strict=True)}
    return Subject(number, HERE / "sound" / f"{module}.py", cls, model, figures)


def _mutant(number: str, of: str, *columns: tuple[float, ...]) -> Subject:
    """``columns`` are profiles, active tests and seconds to the first bug, each for the four approaches."""
    sound = next(each for each in STRUCTURES if each.number == of)
    figures = {name: Figures(None, *row) for name, row in zip(APPROACHES, zip(*columns, strict=True), strict=True)}
    return Subject(number, HERE / "mutants" / f"{number}_{sound.file.stem}.py", sound.cls, sound.model, figures)


STRUCTURES = (
    _structure("C1", "lockfree_list", "LockfreeList", "set", (10.4, 10.6, 10.5, 10.4), (16.5, 15.7, 13.3, 13.2),
               (16.5, 15.7, 3.6, 3.7), (232.4, 246.0, 150.2, 159.6)),
    _structure("C2", "optimistic_list", "OptimisticList", "set", (28.9, 30.5, 29.3, 30.2), (18.8, 18.7, 18.2, 17.1),
               (18.8, 18.7, 5.5, 5.4), (143.1, 164.0, 133.9, 151.2)),
    _structure("C3", "lazy_list", "LazyList", "set", (29.8, 31.7, 30.3, 31.5), (19.0, 20.0, 19.5, 18.4),
               (19.0, 20.0, 5.9, 5.8), (149.8, 165.0, 139.0, 148.4)),
    _structure("C4", "simple_queue", "SimpleQueue", "queue", (18.5, 18.9, 18.0, 18.9), (15.5, 16.0, 13.9, 13.4),
               (15.5, 16.0, 1.4, 1.3), (114.4, 119.1, 82.6, 87.5)),
    _structure("C5", "ring_queue", "RingQueue", "ring", (25.3, 29.5, 26.8, 29.5), (15.3, 17.9, 17.5, 17.3),
               (15.3, 17.9, 3.7, 4.1), (109.5, 133.2, 113.8, 126.9)),
    _structure("C6", "lockfree_queue", "LockfreeQueue", "queue", (6.0, 6.0, 6.0, 6.0), (9.8, 9.2, 12.0, 12.0),
               (9.8, 9.2, 1.6, 1.3), (80.6, 82.9, 77.4, 81.5)),
    _structure("C7", "ms_queue", "MSQueue", "queue", (9.3, 9.3, 9.4, 9.4), (8.9, 8.7, 12.4, 12.0),
               (8.9, 8.7, 1.3, 1.2), (59.9, 58.8, 74.2, 77.5)),
    _structure("C8", "backoff_stack", "BackoffStack", "stack", (4.4, 4.4, 4.7, 4.6), (8.4, 8.0, 12.3, 12.0),
               (8.4, 8.0, 1.0, 1.0), (51.8, 51.3, 67.1, 68.6)),
    _structure("C9", "lock_based_hash_table", "LockBasedHashTable", "table", (17.5, 17.8, 18.0, 18.2),
               (11.4, 11.9, 13.0, 13.1), (11.4, 11.9, 0.6, 0.7), (85.0, 105.5, 73.4, 85.9)),
)  # fmt: skip

MUTANTS = (
    _mutant("C11", "C1", (7.7, 5.7, 8.0, 7.8), (7.7, 5.7, 2.2, 2.2), (108.0, 98.4, 98.8, 139.5)),
    _mutant("C21", "C2", (3.2, 2.9, 7.4, 6.4), (3.2, 2.9, 1.7, 1.4), (50.1, 49.2, 51.8, 54.1)),
    _mutant("C22", "C2", (3.8, 3.4, 7.3, 6.4), (3.8, 3.4, 1.8, 1.3), (48.4, 32.6, 44.5, 45.3)),
    _mutant("C31", "C3", (4.6, 4.6, 7.6, 6.9), (4.6, 4.6, 2.0, 1.7), (50.5, 35.1, 54.5, 55.0)),
    _mutant("C32", "C3", (4.5, 4.3, 8.0, 6.9), (4.5, 4.3, 2.1, 1.7), (46.4, 40.3, 54.5, 58.5)),
    _mutant("C41", "C4", (1.9, 1.3, 6.2, 6.0), (1.9, 1.3, 1.1, 1.0), (14.0, 13.1, 26.7, 24.2)),
    _mutant("C42", "C4", (1.8, 1.9, 6.4, 6.4), (1.8, 1.9, 1.1, 1.0), (10.6, 13.8, 35.0, 36.5)),
    _mutant("C43", "C4", (1.7, 1.5, 6.1, 6.0), (1.7, 1.5, 1.1, 1.0), (13.3, 14.7, 27.6, 26.8)),
    _mutant("C44", "C4", (1.7, 1.7, 6.8, 6.4), (1.7, 1.7, 1.1, 1.0), (19.7, 16.1, 30.1, 35.4)),
    _mutant("C91", "C9", (6.3, 5.7, 9.2, 8.7), (6.3, 5.7, 1.5, 1.4), (50.7, 49.9, 64.6, 65.0)),
)

SWEEP = {
    1: ((19.4, 41.6), (21.3, 47.0), (19.9, 42.7), (20.9, 44.3)),
    2: ((24.2, 72.0), (24.8, 72.3), (24.2, 67.2), (25.4, 71.5)),
    4: ((27.6, 109.9), (28.5, 119.3), (27.3, 105.8), (28.7, 114.6)),
    6: ((28.9, 143.1), (30.5, 164.0), (29.3, 133.9), (30.2, 151.2)),
    8: ((29.7, 182.3), (31.3, 252.8), (30.1, 208.9), (30.7, 222.6)),
}
"""Table 8: instances and seconds for OptimisticList, by threshold N and approach."""

AVERAGES: dict[str, dict[str, dict[str, float]]] = {
    "saturation": {
        "s-atg": {"iroots": 0.058, "profiles": 0.022, "active_tests": 0.022, "seconds": 0.097},
        "d-atg": {"iroots": 0.018, "profiles": 0.071, "active_tests": -0.802, "seconds": -0.112},
        "sd-atg": {"iroots": 0.058, "profiles": 0.040, "active_tests": -0.803, "seconds": -0.038},
    },
    "first-bug": {
        "s-atg": {"profiles": -0.115, "active_tests": -0.115, "seconds": -0.118},
        "d-atg": {"profiles": 0.956, "active_tests": -0.579, "seconds": 0.186},
        "sd-atg": {"profiles": 0.820, "active_tests": -0.629, "seconds": 0.312},
    },
}
"""The last rows of Tables 3 to 5 and 7: how the averages differ from MRT's."""
