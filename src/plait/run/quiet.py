"""Threads while the hooks are quiet: in the set-up, in checks, and while an execution is unwound.

Nothing is recorded then and no strategy is asked: whoever can run goes on, in the order of their numbers, until it has
to wait. So the set-up is the same in every execution, which is what a prefix of choices relies on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.run.endings import EndlessError, HeldError, Killed, SetupBlockedError
from plait.run.vthread import BLOCKED, NEW, READY

if TYPE_CHECKING:
    from plait.run.engine import Engine
    from plait.run.vthread import VThread


MOST_LAPSES = 1_000
"""How often time may pass in one call of the set-up, because nobody can go on before it has."""


def quiet_block(engine: Engine, thread: VThread) -> bool:
    """Block while the hooks are quiet: run whatever else can run, in order, until this thread is enabled again.

    True means that the set-up is over: who still waits then must go on waiting as threads do in the execution.
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
        if engine.time.lapses > MOST_LAPSES and thread is engine.main:
            raise EndlessError
        return False
    engine.thread = other
    other.fiber.switch()
    # Much may have happened since: the thread is unwound, or the set-up has ended and an execution runs, or its turn in
    # the set-up has come. In this order: a thread that dies must do nothing else.
    if thread.dying:
        raise Killed
    thread.state = READY
    if engine.current is not None:
        return True
    if not thread.enabled:
        raise SetupBlockedError
    return False


def next_in_quiet(engine: Engine) -> VThread | None:
    """Return who runs next: a thread that was just started, whoever can go on, whoever time wakes, else the set-up."""
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
        # What a thread of the class does every second for ever brings the set-up nothing: it waits for ever, too.
        return following if engine.time.lapses <= MOST_LAPSES else engine.main
    return engine.main
