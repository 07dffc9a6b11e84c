"""A search of one schedule, for code that is to run as it would alone."""

from plait.explore.strategy import run_on


class RunOn:
    """No preemption at all."""

    name = "run-on"
    exhausted = False

    def next_prefix(self):
        return ()

    choose = staticmethod(run_on)
