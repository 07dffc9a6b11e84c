"""The programs of SCTBench that have a Python form, the published figures, and which were left out and why.

``rff``, ``pos``, ``pct`` and ``period`` are medians of the schedules to the first failure over the trials that found
it, recomputed from the raw data of RFF's artifact (20 trials each; PCT with d = 3); ``trials`` are the trials that did,
where it was not all of them. A search that found nothing has None. SURW's artifact is known here in sums only: `SUMS`.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
PROGRAMS_FOLDER = HERE / "programs"
TRIALS = 20


class Program(NamedTuple):
    """One program: where it is, how many threads it has besides the main one, and what others needed."""

    name: str  # as RFF's artifact calls it
    module: str
    function: str
    threads: int
    published: dict[str, float | None]  # empty: no figure is known
    trials: dict[str, int] = {}

    @property
    def sound(self) -> str:
        return f"{self.function}_sound"


def _program(name: str, module: str, function: str, threads: int, *figures: float | None, **trials: int) -> Program:
    return Program(
        name, module, f"test_{function}", threads,
        dict(zip(("rff", "pos", "pct", "period"), figures, strict=False)), trials,
    )  # fmt: skip


_VALUES, _WAITING, _STEALING, _APPLICATIONS = (
    "test_cs_values", "test_cs_waiting", "test_work_stealing", "test_applications",
)  # fmt: skip

PROGRAMS = (
    _program("CS/account", _VALUES, "account", 3, 1, 1, 6, 10),
    _program("CS/arithmetic_prog", _WAITING, "arithmetic_prog", 2),
    _program("CS/bluetooth_driver", _VALUES, "bluetooth_driver", 1, 45, 42, 111, 9),
    _program("CS/carter01", _WAITING, "carter01", 4, 1, 2, 4.5, 5),
    _program("CS/circular_buffer", _VALUES, "circular_buffer", 2, 1, 1, 4, 3),
    _program("CS/deadlock01", _WAITING, "deadlock01", 2, 4, 4, 15.5, 3),
    _program("CS/din_phil2", _WAITING, "din_phil2", 2),
    _program("CS/din_phil3", _WAITING, "din_phil3", 3),
    _program("CS/din_phil4", _WAITING, "din_phil4", 4),
    _program("CS/din_phil5", _WAITING, "din_phil5", 5),
    _program("CS/din_phil6", _WAITING, "din_phil6", 6),
    _program("CS/din_phil7", _WAITING, "din_phil7", 7),
    _program("CS/fsbench", _VALUES, "fsbench", 27),
    _program("CS/lazy01", _VALUES, "lazy01", 3, 5, 4.5, 10, 8),
    _program("CS/phase01", _WAITING, "phase01", 2),
    _program("CS/queue", _VALUES, "queue", 2, 1, 1, 6.5, 3.5),
    _program("CS/reorder_3", _VALUES, "reorder_3", 3, 5.5, 163.5, 124, 6),
    _program("CS/reorder_4", _VALUES, "reorder_4", 4, 5, 641.5, 314, 9),
    _program("CS/reorder_5", _VALUES, "reorder_5", 5, 5, 4257, 953.5, 12, pos=17),
    _program("CS/reorder_10", _VALUES, "reorder_10", 10, 5, None, 1567.5, 27, pos=0),
    _program("CS/reorder_20", _VALUES, "reorder_20", 20, 5, None, 1304, 39, pos=0),
    _program("CS/reorder_50", _VALUES, "reorder_50", 50, 5, None, 14789, 129, pos=0, pct=7),
    _program("CS/reorder_100", _VALUES, "reorder_100", 100, 5, None, 7447, 297, pos=0, pct=1),
    _program("CS/stack", _VALUES, "stack", 2, 1, 1, 2, 8),
    _program("CS/sync01", _WAITING, "sync01", 2),
    _program("CS/sync02", _WAITING, "sync02", 2),
    _program("CS/token_ring", _VALUES, "token_ring", 4, 3.5, 5, 5.5, 2),
    _program("CS/twostage", _VALUES, "twostage", 2, 6, 9, 7, 4),
    _program("CS/twostage_20", _VALUES, "twostage_20", 20, 18, 162.5, 145.5, 76),
    _program("CS/twostage_50", _VALUES, "twostage_50", 50, 32, 1696, 684, 286, pos=19),
    _program("CS/twostage_100", _VALUES, "twostage_100", 100, 25, None, 3125, 690, pos=0, pct=6),
    _program("CS/wronglock", _VALUES, "wronglock", 8, 1, 1, 49, 4),
    _program("CS/wronglock_3", _VALUES, "wronglock_3", 4, 1, 1, 32.5, 6),
    _program("Chess/WorkStealQueue", _STEALING, "work_steal_queue", 2, 8, 9, 7.5, 57),
    _program("Chess/InterlockedWorkStealQueue", _STEALING, "interlocked_work_steal_queue", 2, 1, 1, 23.5, 57, pct=14),
    _program("Chess/InterlockedWorkStealQueueWithState", _STEALING, "interlocked_work_steal_queue_with_state", 2,
             5.5, 5.5, 16, 154.5, pct=1),
    _program("Chess/StateWorkStealQueue", _STEALING, "state_work_steal_queue", 2, 1, 1, 12, 332, pct=1),
    _program("CB/aget-bug2", _APPLICATIONS, "aget", 3, 1, 1, 1, 9),
    _program("CB/pbzip2-0.9.4", _APPLICATIONS, "pbzip2", 3, 2, None, None, 41, rff=1, pos=0, pct=0, period=9),
    _program("CB/stringbuffer-jdk1.4", _APPLICATIONS, "stringbuffer", 1, 7.5, 7.5, 146.5, 12),
    _program("Inspect/ctrace-test", _APPLICATIONS, "ctrace", 2, 1, 1, 1, 3),
    _program("Inspect/qsort_mt", _APPLICATIONS, "qsort_mt", 2, 186.5, 338.5, 2307, 27),
    _program("RADBench/bug4", _APPLICATIONS, "nspr_localtime", 2, 1, 1, 1),
    _program("RADBench/bug6", _APPLICATIONS, "nspr_rwlock", 2, 1, 1, 1),
    _program("SafeStack", _STEALING, "safestack", 3, None, None, None, None, rff=0, pos=0, pct=0, period=0),
    _program("Splash2/fft", _APPLICATIONS, "splash_fft", 1, 1, 1, 1, 2),
    _program("Splash2/lu", _APPLICATIONS, "splash_lu", 1, 1, 1, None, 2, pct=0),
)  # fmt: skip

LEFT_OUT = {
    "Parsec/streamcluster, streamcluster2, streamcluster3":
        "thousands of steps of numbers around a barrier of its own, which alone is left in Python",
    "Parsec/ferret": "a pipeline of image searches around a C library",
    "RADBench/bug1, bug2, bug3": "inside a JavaScript engine of 100,000 lines, with its own memory management",
    "RADBench/bug5": "SCTBench leaves it out too: the monitors of a C library, on signals of the kernel",
    "Splash2/barnes": "a simulation of 1,500 lines with the fault of fft and lu, which are here",
    "Inspect/bbuf": "no tool has found a failure, nor is one known",
    "Inspect/boundedBuffer": "the failure is memory that C does not initialise; Python has none",
}  # fmt: skip

SUMS = {
    "surw": {"programs": 43, "found": 41, "geometric_mean": 5.3, "over": 25},
    "pct": {"programs": 43, "found": 39, "geometric_mean": 13.0, "over": 25},
    "pos": {"programs": 43, "found": 36, "geometric_mean": 5.4, "over": 25},
    "random": {"programs": 43, "found": 29, "geometric_mean": 18.6, "over": 25},
    "rff": {"programs": 46, "found": 45, "geometric_mean": 4.6, "over": 30},
    "period": {"programs": 46, "found": 45, "geometric_mean": 6.3, "over": 30},
}
"""Published sums. SURW, PCT, POS and random walk: SURW's artifact (SCTBench and ConVul), schedules over the 25 programs
that all four found in each of 20 trials. RFF and PERIOD: RFF's artifact, over the 30 that RFF, POS, PCT always find."""
