"""The machine under a measurement: which CPUs to use, and how many others want them.

Nothing but the standard library: the script that repeats a measurement without plait contains this file.
"""

# ruff: noqa: PTH123 - also runs inside what is measured, where fewer imports are better

from __future__ import annotations

import os

HEAVY = 0.75
"""Other processes that are ready to run, per CPU, from which on a round says nothing."""
BUSY = 0.25
"""Number from which on the report mentions it."""


def cpus(threads: int) -> list[int] | None:
    """CPUs that measuring processes are kept on, the same for both versions; None where that cannot be said.

    As many as threads can use: keeping all threads on one CPU makes times depend on whoever else was put there.
    """
    if not hasattr(os, "sched_getaffinity"):
        return None
    return sorted(os.sched_getaffinity(0))[-max(2, threads) :]


def other_processes() -> float | None:
    """Return how many other threads of the machine are ready to run now, per CPU; None where the system does not tell.

    To be called while no process of ours works. A share of the CPUs' time would say less: the scheduler may give a
    measuring process all it wants and yet interrupt it again and again.
    """
    count = os.cpu_count() or 1
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            return (int(file.read().split()[3].partition("/")[0]) - 1) / count
    except (OSError, IndexError, ValueError):
        # The mean over the last minute, in which one process was ours.
        return max(0.0, os.getloadavg()[0] - 1) / count if hasattr(os, "getloadavg") else None
