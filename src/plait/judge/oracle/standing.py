"""Describes how the threads of an execution ended: what they hold, what they wait for, and who should have woken them.

All functions read the execution that has just run. Call them from the engine's ``finish``, while its objects are alive.
"""

from __future__ import annotations

import ast
import functools
import linecache
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from plait.judge.words import with_article
from plait.model.finding import RaisedAt, function_shown
from plait.model.foreign import exception_text
from plait.observe.places import location, owners, place
from plait.observe.recording import stack_frames
from plait.observe.spots import spot_of, spot_of_error
from plait.run.engine import ENGINE
from plait.run.operations import ACQUIRE, RELEASE, TRY
from plait.run.primitives.condition import Condition
from plait.run.primitives.event import Event
from plait.run.primitives.lock import BaseLock
from plait.run.primitives.semaphore import Semaphore
from plait.run.vthread import VThread

if TYPE_CHECKING:
    from plait.model.outcome import Spot
    from plait.observe.recording import Frame, Moment
    from plait.run.engine import Pending
    from plait.run.testbed import Testbed

_LONG = 120  # characters of an exception's text
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_WAKING = {Condition: ("notify", "notify_all", "notifyAll"), Event: ("set",), Semaphore: ("release",)}
_MOST = 4  # places or frames named at most


class _Held(NamedTuple):
    """A lock, and the line that took it."""

    lock: str
    at: str


def raised_text(bed: Testbed, exception: str) -> str:
    """Return the message of an exception of this class and where it was raised; empty if no call raised one."""
    error = _raised(bed, exception)
    if error is None:
        return ""
    spot = spot_of_error(error)
    said = _message_of(error)
    where = f" at {_at(spot)}, in `{function_shown(spot.function)}`: `{spot.code}`" if spot.line else ""
    return f"{exception}{f': {said}' if said else ''}, raised{where}" if where else f"{exception}: {said}"


def raised_at(bed: Testbed, exception: str | None) -> RaisedAt | None:
    """Return the message of an exception of this class and the line that raised it; None if no call raised one."""
    error = None if exception is None else _raised(bed, exception)
    if error is None:
        return None
    spot = spot_of_error(error)
    return RaisedAt(_message_of(error), Path(spot.file).name, spot.line)


def _raised(bed: Testbed, exception: str) -> BaseException | None:
    raised = (done.error for done in bed.done if done.error is not None)
    return next((error for error in raised if type(error).__name__ == exception), None)


def _message_of(error: BaseException) -> str:
    """Return an exception's text as one line of limited length, without addresses, which differ from run to run."""
    first = " ".join(_ADDRESS.sub("0x...", exception_text(error)).split())
    return first if len(first) <= _LONG else f"{first[: _LONG - 3]}..."


def standing_lines(moments: Sequence[Moment] = ()) -> list[str]:
    """Return lines that say what each blocked thread holds and waits for, who has it, and why that is a deadlock."""
    names = owners(ENGINE)
    held = _held(moments)
    lines, orders = [], []
    for pending in ENGINE.pending:
        thread = ENGINE.shown(pending.thread)
        inner = _library_wait(moments, pending, names)
        what = _wanted(pending, names) if inner is None else inner.what
        mine = held.get(pending.thread, [])
        holding = f"holds {_listed(f'{each.lock} (since {each.at})' for each in mine)} and " if mine else ""
        holder = getattr(pending.blocked_on, "holder", None)
        by = f", which thread {ENGINE.shown(holder.id)} holds" if isinstance(holder, VThread) else ""
        if isinstance(holder, VThread) and holder.id == pending.thread:
            by = ", which it holds itself"
        spot = spot_of(place(pending.site))
        lines.append(f"thread {thread} {holding}waits for {what} at {_at(spot)} `{spot.code}`{by}")
        lines += _stack(moments, pending)
        lines += _waking(moments, pending, names) if inner is None else _answered(moments, pending, inner)
        if isinstance(pending.blocked_on, BaseLock) and by and mine:
            orders.append((thread, mine[-1].lock, what))
    return [*lines, *_two_orders(orders)]


def _wanted(pending: Pending, names: dict[int, str]) -> str:
    """Return what a thread waits for."""
    target = pending.blocked_on
    if isinstance(target, VThread):
        return f"the end of thread {ENGINE.shown(target.id)}"
    what = _name(pending, names) or "something that nobody will do"
    if isinstance(target, Condition):
        return f"a notification of {what}"
    return f"a permit of {what}" if isinstance(target, Semaphore) else what


def _name(pending: Pending, names: dict[int, str]) -> str:
    """Return the name of the object that a thread waits for."""
    if pending.loc:
        return location(ENGINE, pending.loc, names)
    target = pending.blocked_on
    return "" if target is None else names.get(id(target), with_article(type(target).__name__))


def _held(moments: Sequence[Moment]) -> dict[int, list[_Held]]:
    """Return the locks that each thread holds at the end, in the order in which it took them."""
    held: dict[int, list[_Held]] = {}
    for moment in moments:
        mine = held.setdefault(moment.thread, [])
        if moment.mode in (ACQUIRE, TRY):
            mine.append(_Held(moment.location, _at(spot_of(moment.site))))
        elif moment.mode == RELEASE:
            last = next((each for each in reversed(mine) if each.lock == moment.location), None)
            if last is not None:
                mine.remove(last)
    return held


def _stack(moments: Sequence[Moment], pending: Pending) -> list[str]:
    """Return the calls that led a thread to where it waits, if there are several."""
    frames = _frames(moments, pending)[-_MOST:]
    if len(frames) < 2:
        return []
    said = (f"{function_shown(each.function)} ({Path(each.file).name}:{each.line})" for each in frames)
    return [f"  called: {' > '.join(said)}"]


def _frames(moments: Sequence[Moment], pending: Pending) -> Sequence[Frame]:
    frame = getattr(ENGINE.threads[pending.thread].fiber, "gr_frame", None)  # OS threads have no such attribute
    last = next((each.stack for each in reversed(moments) if each.thread == pending.thread and each.stack), ())
    return stack_frames(frame) or last


class _LibraryWait(NamedTuple):
    """A wait inside a class of the standard library: for what, on which object, and which calls end it."""

    what: str
    owner: str
    calls: tuple[str, ...]


_OF_LIBRARY = {
    "Queue.get": ("an item of {}", ("put", "put_nowait")),
    "Queue.put": ("room in {}", ("get", "get_nowait")),
    "Queue.join": ("task_done() for every item of {}", ("task_done",)),
    "SimpleQueue.get": ("an item of {}", ("put", "put_nowait")),
    "Barrier.wait": ("the other threads at {}", ("wait", "abort")),
    "Future.result": ("the result of {}", ("set_result", "set_exception")),
    "Future.exception": ("the result of {}", ("set_result", "set_exception")),
}
_ITS_LOCKS = ("mutex", "not_empty", "not_full", "all_tasks_done", "_cond", "_condition", "_count")


def _library_wait(moments: Sequence[Moment], pending: Pending, names: dict[int, str]) -> _LibraryWait | None:
    """Return the wait of a thread inside a method of a queue, a barrier or a future; None if it is in none."""
    called = [each.function for each in _frames(moments, pending)[-_MOST:] if each.function in _OF_LIBRARY]
    if not called or not isinstance(pending.blocked_on, Condition | Semaphore | Event):
        return None
    words, calls = _OF_LIBRARY[called[-1]]
    owner, _, own = _name(pending, names).rpartition(".")
    owner = owner if own in _ITS_LOCKS and owner else _name(pending, names)
    return _LibraryWait(words.format(owner), owner, calls)


def _answered(moments: Sequence[Moment], pending: Pending, wait: _LibraryWait) -> list[str]:
    """Return who has made the calls that end such waits, or where the code makes them."""
    attribute = wait.owner.rpartition(".")[2]
    made = [
        each for each in moments if each.thread != pending.thread and _calls_one(each.site.text, wait.calls)
        and each.location.startswith(wait.owner)
    ]  # fmt: skip
    if made:
        by = f"thread {made[-1].shown} calls {wait.calls[0]}() at {_at(spot_of(made[-1].site))}"
        return [f"  {by}, which another thread has made use of."]
    places = _waking_places(place(pending.site).file, attribute, wait.calls)
    if not places:
        return []
    return [f"  Nobody has called {wait.calls[0]}() on {wait.owner} meanwhile; it is called {_listed(places[:_MOST])}."]


def _two_orders(orders: Sequence[tuple[int, str, str]]) -> list[str]:
    """Return the advice for threads that each hold a lock which another one wants; empty for other deadlocks."""
    if len({(holds, wants) for _thread, holds, wants in orders}) < 2:
        return []
    if {holds for _thread, holds, _wants in orders} != {wants for _thread, _holds, wants in orders}:
        return []
    said = "; ".join(f"thread {thread} takes {holds}, then {wants}" for thread, holds, wants in orders)
    return [f"The locks are taken in {'two' if len(orders) == 2 else 'several'} orders: {said}.",
            "Take them in one order everywhere, or hold one lock around both."]  # fmt: skip


def _waking(moments: Sequence[Moment], pending: Pending, names: dict[int, str]) -> list[str]:
    """Return why nobody wakes a thread that waits for a condition, an event or a permit."""
    kind = next((each for each in _WAKING if isinstance(pending.blocked_on, each)), None)
    if kind is None or not moments:
        return []
    what = _name(pending, names)
    waited = max((number for number, each in enumerate(moments) if each.thread == pending.thread), default=-1)
    calls = _WAKING[kind]
    woken = [
        (number, each) for number, each in enumerate(moments)
        if each.location == what and each.thread != pending.thread and _calls_one(each.site.text, calls)
    ]  # fmt: skip
    before = [each for number, each in woken if number < waited]
    after = [each for number, each in woken if number > waited]
    thread = ENGINE.shown(pending.thread)
    if after and kind is Condition:
        by = f"thread {after[-1].shown} notifies at {_at(spot_of(after[-1].site))} while thread {thread} waits"
        return [f"  Stolen wake-up: {by}, but that wakes another waiter; notify_all() wakes all of them."]
    if before and kind is Condition and _waits_again(moments[: woken[-1][0]], pending):
        by = f"thread {before[-1].shown} notifies at {_at(spot_of(before[-1].site))}"
        return [f"  {by}; thread {thread} looks again, and what it waits for is not there: it waits again."]
    if before and kind is Condition:
        by = f"thread {before[-1].shown} notifies at {_at(spot_of(before[-1].site))}, before thread {thread} waits"
        return [
            f"  Lost wake-up: {by}; a notification without a waiter is forgotten.",
            "  Test what is waited for under the lock of the condition, in a while loop around wait().",
        ]
    if (before or after) and kind is Semaphore:
        last = (before or after)[-1]
        return [
            f"  thread {last.shown} releases it at {_at(spot_of(last.site))}, and another thread takes that permit."
        ]
    if before or after:
        return []
    places = _waking_places(place(pending.site).file, what.rpartition(".")[2], calls)
    verb = calls[0]
    if not places:
        return [f"  Nobody calls {verb}() on {what}: no line of {Path(place(pending.site).file).name} does."]
    return [f"  Nobody has called {verb}() on {what} meanwhile; it is called {_listed(places[:_MOST])}."]


def _waits_again(moments: Sequence[Moment], pending: Pending) -> bool:
    """Return whether a thread had waited before at the place where it waits now: it released the lock there."""
    here = place(pending.site)
    given_up = [each.site for each in moments if each.thread == pending.thread and each.mode == RELEASE]
    return any((site.file, site.line) == (here.file, here.line) for site in given_up)


def _calls_one(text: str, calls: Sequence[str]) -> bool:
    return any(f".{call}" in text for call in calls)


def _waking_places(file: str, attribute: str, calls: Sequence[str]) -> list[str]:
    """Return where a file calls one of these methods on an attribute or variable of this name."""
    return [f"at line {line}, in `{function}`" for line, function, name, call in _calls(file) if name == attribute
            and call in calls]  # fmt: skip


@functools.lru_cache(maxsize=64)
def _calls(file: str) -> tuple[tuple[int, str, str, str], ...]:
    """Return the method calls of a file: line, function, the name of the object, the method."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return ()
    found = []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name) | ast.Name(id=name), attr=call)):
                    found.append((node.lineno, function.name, name, call))
    return tuple(dict.fromkeys(found))


def _at(spot: Spot) -> str:
    return f"{Path(spot.file).name}:{spot.line}"


def _listed(parts: Iterable[str]) -> str:
    every = list(parts)
    return every[0] if len(every) == 1 else f"{', '.join(every[:-1])} and {every[-1]}"
