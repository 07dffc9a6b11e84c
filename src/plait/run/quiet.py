"""Threads while the hooks are quiet: in the set-up, in checks, and while an execution is unwound.

Nothing is recorded then and no strategy is asked: the first thread that can run continues until it has to wait. So the
set-up is the same in every execution, which a prefix of choices relies on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.run.endings import EndlessError, HeldError, Killed, SetupBlockedError
from plait.run.vthread import BLOCKED, NEW, READY

if TYPE_CHECKING:
    from plait.run.engine import Engine
    from plait.run.vthread import VThread


_MOST_LAPSES = 1_000
"""How often time may pass in one call of the set-up while no thread can continue."""


def quiet_block(engine: Engine, thread: VThread) -> bool:
    """Block while the hooks are quiet: run other threads, in order, until this one is enabled again.

    Return True if the set-up has ended: then the thread must continue to wait as threads do in the execution.
    """
    if engine.held:
        raise HeldError
    if thread.dying:
        raise Killed
    thread.waits += 1
    engine.disable(thread)
    thread.state = BLOCKED
    other = next_in_quiet(engine)
    if other is None or other is thread:
        thread.state = READY
        if not thread.enabled:
            raise SetupBlockedError
        if engine.time.lapses > _MOST_LAPSES and thread is engine.main:
            raise EndlessError
        return False
    engine.thread = other
    other.fiber.switch()
    # This thread was resumed because it is unwound, or because the set-up has ended and the execution has chosen it, or
    # because it is its turn in the set-up. The order of the checks matters: a dying thread must do nothing else.
    if thread.dying:
        raise Killed
    thread.state = READY
    if engine.current is not None:
        return True
    if not thread.enabled:
        raise SetupBlockedError
    return False


def next_in_quiet(engine: Engine) -> VThread | None:
    """Return the thread to run next: a new one, else an enabled one, else one that times out, else the set-up."""
    for thread in engine.threads:
        if thread.state == NEW and thread.id:
            thread.fiber = engine.take_fiber()
            thread.state = READY
            engine.enable(thread)
            return thread
    if engine.enabled:
        return engine.threads[engine.enabled[0]]
    engine.time.lapses += 1
    if engine.idle() and engine.enabled:
        following = engine.threads[engine.enabled[0]]
        # A thread of the class that only does something periodically, for ever, does not help: the set-up is resumed.
        return following if engine.time.lapses <= _MOST_LAPSES else engine.main
    return engine.main
