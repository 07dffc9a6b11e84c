"""A class whose module answers in the place of its worker: in valid frames, and with lies.

``PLAIT_LIE`` names the lie; see `test_lies`.
"""

import os
from dataclasses import replace

from lies import LIES

import plait.workers.boot

_truth = plait.workers.boot.run_task


class Liar:
    """May be shared between threads."""

    def __init__(self):
        self.n = 0

    def add(self):
        n = self.n
        self.n = n + 1
        return self.n

    def get(self):
        return self.n


def _lie(number, task, args):
    reply, value = _truth(number, task, args)
    name, code = LIES[os.environ["PLAIT_LIE"]]
    if task.__name__ != name:
        return reply, value
    told = {"reply": reply, "value": value, "box": plait.workers.boot._inside.box, "replace": replace, "os": os}
    if name == "advance":
        told |= {"chunk": value[1], "findings": value[1].findings}
    exec(code, told)
    return told["reply"], told["value"]


plait.workers.boot.run_task = _lie
