"""Tasks that make a worker's own plait fail on purpose, and mend it again."""

import importlib

from plait.model.test import Test
from plait.workers import state

SOUND = {}


def spoil(module, owner, name, when):
    """Let a function of plait raise: every so many-th call, or those for tests with a method in their threads."""
    state.subject()
    place = importlib.import_module(module)
    place = getattr(place, owner) if owner else place
    sound = SOUND[module, owner, name] = getattr(place, name)
    calls = []

    def spoiled(*args, **named):
        calls.append(0)
        if when == 1 or (len(calls) % when == when - 1 if isinstance(when, int) else calls_method(args, when)):
            raise IndexError("on purpose")
        return sound(*args, **named)

    setattr(place, name, spoiled)


def calls_method(args, name):
    return any(call.method == name for test in args if isinstance(test, Test) for call in test.calls)


def mend():
    """Undo it."""
    for (module, owner, name), sound in SOUND.items():
        place = importlib.import_module(module)
        setattr(getattr(place, owner) if owner else place, name, sound)
    SOUND.clear()
