"""The machine under a measurement: the CPUs to use, and how many other processes compete for them.

This file imports nothing but the standard library: the script that repeats a measurement without plait contains it.
"""

# ruff: noqa: PTH123 - also runs inside what is measured, where fewer imports are better

from __future__ import annotations

import os

HEAVY = 0.75
"""Other processes ready to run, per CPU, from which on a round is discarded."""
BUSY = 0.25
"""Other processes ready to run, per CPU, from which on the report mentions the load."""


def cpus(threads: int) -> list[int] | None:
    """Return the CPUs for measuring processes, the same for both versions; None where the system has no such setting.

    There are as many as the threads can use: on a single CPU, times would depend on the other processes there.
    """
    if not hasattr(os, "sched_getaffinity"):
        return None
    return sorted(os.sched_getaffinity(0))[-max(2, threads) :]


def other_processes() -> float | None:
    """Return how many other threads of the machine are ready to run now, per CPU; None where the system does not say.

    Call this while no measuring process works. The share of CPU time that others use would say less: the scheduler may
    give a measuring process all the time it wants, and yet interrupt it again and again.
    """
    count = os.cpu_count() or 1
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            return (int(file.read().split()[3].partition("/")[0]) - 1) / count
    except (OSError, IndexError, ValueError):
        # The mean over the last minute, in which one process was ours.
        return max(0.0, os.getloadavg()[0] - 1) / count if hasattr(os, "getloadavg") else None
