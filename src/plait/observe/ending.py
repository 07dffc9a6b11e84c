"""Translate the engine's state at the end of an execution to an `Outcome`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plait.model.foreign import class_name, exception_text, is_a, short_name
from plait.model.outcome import Deadlock, Finished, Hang, Outcome, Raised, Spot, Uncaught, Wait
from plait.observe.places import owners, place
from plait.observe.spots import enclosing_loop, spot_of, spot_of_error
from plait.run.engine import DEADLOCK, HANG
from plait.run.foreign_waits import PORTS
from plait.run.operations import ACQUIRE, LOCAL, TRY
from plait.run.primitives.kinds import primitive_kind
from plait.run.primitives.lock import BaseLock
from plait.run.primitives.thread import hooks
from plait.run.vthread import VThread

if TYPE_CHECKING:
    from plait.run.engine import Engine, Pending

_TAIL = 64  # the last steps, among which the loop of a thread is found
_POOL = "concurrent.futures.thread"  # its idle workers wait until the interpreter exits, which wakes them


def ending(engine: Engine) -> Outcome:
    """Return how the execution just run ended, before any check of its final state.

    Call this while the execution's objects are alive (from the engine's ``finish``).
    """
    failures = tuple(
        Uncaught(
            thread.id, short_name(type(thread.error)), exception_text(thread.error), spot_of_error(thread.error),
            _first_of(thread.error),
        )
        for thread in engine.threads[1:]
        # a thread may end itself so; where a main thread is under control, it would end the program
        if thread.error is not None and (thread.id == hooks.main or not is_a(thread.error, SystemExit))
    )  # fmt: skip
    if failures:
        return Raised(failures, _waits(engine) if engine.status == DEADLOCK else ())
    if engine.status == HANG:
        return _hang(engine)
    if engine.status == DEADLOCK:
        return Deadlock(_waits(engine))
    return Finished()


def _first_of(error: BaseException) -> str:
    """Return the exception that a chain of them began with, and where; nothing if there is no chain."""
    first, seen = error, {id(error)}
    while (before := first.__cause__ or (None if first.__suppress_context__ else first.__context__)) is not None:
        if id(before) in seen:  # code under test can make a circle
            break
        seen.add(id(before))
        first = before
    if first is error:
        return ""
    text = exception_text(first)
    return f"{class_name(type(first))}{f': {text}' if text else ''}, at {spot_of_error(first)}"


def left_behind(engine: Engine) -> Outcome:
    """Return a deadlock of class threads that would keep the process from exiting; else `Finished`."""
    waits = _waits(engine, only={
        thread.id for thread in engine.threads[1:] if not thread.daemon and not _is_pool_worker(thread)
    })  # fmt: skip
    return Deadlock(waits) if waits else Finished()


def _is_pool_worker(thread: VThread) -> bool:
    return getattr(getattr(thread.proxy, "_target", None), "__module__", None) == _POOL


def _waits(engine: Engine, only: set[int] | None = None) -> tuple[Wait, ...]:
    names = owners(engine)
    return tuple(
        _wait(engine, pending, names)
        for pending in engine.pending
        if not pending.enabled and (only is None or pending.thread in only)
    )


def _wait(engine: Engine, pending: Pending, names: dict[int, str]) -> Wait:
    target = pending.blocked_on
    at = spot_of(place(pending.site))
    if isinstance(target, BaseLock) and target.holder is not None:
        since = _taken_at(engine, target, target.holder)
        return Wait(pending.thread, _what(target, names), at, target.holder.id, since)
    return Wait(pending.thread, _what(target, names), at)


def _what(target: Any, names: dict[int, str]) -> str:
    if isinstance(target, VThread):
        return f"the end of thread {target.id}"
    if target is PORTS:
        return "something on a socket or pipe"
    kind = primitive_kind(target)
    return "something that never comes" if kind is None else kind.awaited.format(_name(target, names))


def _name(target: Any, names: dict[int, str]) -> str:
    return names.get(id(target), f"(a {type(target).__name__})")


def _taken_at(engine: Engine, lock: BaseLock, holder: VThread) -> Spot | None:
    loc = engine.heap.loc_of(lock, "lock")
    for thread, where, mode, site, _enabled, _after in reversed(engine.trace):
        if thread == holder.id and where == loc and mode in (ACQUIRE, TRY):
            return spot_of(place(site))
    return None


def _hang(engine: Engine) -> Hang:
    thread = engine.trace[-1][0]
    if engine.trace[-1][2] == LOCAL:  # it touches nothing, see `Engine.endless`
        tail = [place(engine.trace[-1][3])]
    else:
        tail = [place(entry[3]) for entry in engine.trace[-4 * _TAIL :] if entry[0] == thread][-_TAIL:]
    loop = enclosing_loop(site for site in tail if site.line)
    waits = tuple(wait for wait in _waits(engine) if wait.thread != thread)
    return Hang(thread, engine.max_steps, loop or Spot("?", 0, "?", ""), waits)
