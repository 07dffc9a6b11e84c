"""Comparisons of speed whose times are given: real processes run the tests, but the clock's answer is computed.

Which verdict follows from which times is then the same on every machine. That real times come out as they should is
what ``plait bench speedgun`` measures.
"""

import contextlib
from random import Random

import pytest

from plait.commands.bisect import probes
from plait.commands.perf import command, measure
from plait.run.native import pair as native

CALL_S = 0.0005


def call_by_call(_side, calls, _threads, _place):
    """Nobody waits for anybody: threads take as long as one."""
    return CALL_S * calls


def one_lock_round_all(side, calls, threads, _place):
    """The new version does one call after the other."""
    return CALL_S * calls * (threads if side == "new" else 1)


def half_the_work(side, calls, _threads, _place):
    """The new version takes half the time for each call, whatever the number of threads."""
    return CALL_S * calls * (0.5 if side == "new" else 1)


class RecordedPair(native.Pair):
    """Both processes, which run each test once.

    What it takes is computed by ``seconds`` from the side, the number of calls and of threads, and the version's place.
    """

    seconds = staticmethod(call_by_call)
    noise = 0.005

    def __init__(self, places, script, **options):
        self._ran, self._times, self._places = set(), Random(1), places
        super().__init__(places, script, **options)

    def run(self, side, job, repetitions, seconds=1e9, patience=native.PATIENCE_S):
        if (side, job.name, job.threads) not in self._ran:
            self._ran.add((side, job.name, job.threads))
            self.ask(
                side, "measure", patience + 10, name=job.name, threads=job.threads, repeat=1, repetitions=1,
                seconds=1e9, patience=patience,
            )  # fmt: skip
        calls = job.source.count("\n") * job.repeat  # a line of a test is a call, or as good as one
        typical = self.seconds(side, calls, job.threads, self._places[side])
        whole = [typical * (1 + self.noise * self._times.random()) for _ in range(repetitions)]
        enough = max(1, round(seconds / typical))
        return {"whole": whole[:enough], "suffix": [each * 0.99 for each in whole[:enough]]}


@contextlib.contextmanager
def recorded(seconds=call_by_call, *, others=0.0, noise=0.005):
    """Let `compare_speed` see these times, and a machine on which so many others per CPU are ready to run."""
    chosen = type("Chosen", (RecordedPair,), {"seconds": staticmethod(seconds), "noise": noise})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "Pair", chosen)
        patch.setattr(probes, "Pair", chosen)
        patch.setattr(native, "other_processes", lambda: others)
        patch.setattr(measure, "other_processes", lambda: others)
        patch.setattr(measure, "_WAIT_S", 0.0)  # waiting for others to end does not help: they are not there
        yield
