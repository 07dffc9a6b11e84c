"""Virtual time for code that is not rewritten: the real `time` and `datetime` answer for virtual threads.

Rewritten code uses the mirrored `time` (`plait.run.primitives.clock`). All other code in a virtual thread (installed
packages, `logging`, `asyncio`, C code that calls `time.time`) reads the same clock here, without a scheduling point.
Code that waits for other processes gets the real clock, because those processes have it.

`datetime.now`, `datetime.utcnow` and `date.today` read the clock of the system in C. They are exchanged in
the classes themselves, so that their identity, subclasses, pickling and comparison stay what they are. A process that
checks classes has them exchanged for good: there, rewritten code alone sees virtual dates, as it alone sees the
mirrored `time`, in set-ups as well as in threads.
"""

from __future__ import annotations

import datetime as dt
import functools
import sys
import time as real_time
import types
import warnings
from _thread import get_ident
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from plait.run.c_classes import put
from plait.run.engine import ENGINE
from plait.run.fibers import OURS
from plait.run.primitives import clock
from plait.run.primitives.built_in import built_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_CLOCKS = (
    "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time",
    "process_time_ns", "thread_time", "thread_time_ns", "clock_gettime", "clock_gettime_ns", "localtime", "gmtime",
    "ctime", "asctime", "strftime", "sleep",
)  # fmt: skip
_REWRITTEN = "_p_r"  # a global of every rewritten module
_REAL = ("plait.", "_pytest.", "subprocess", "multiprocessing")
"""Modules that need the real time: they measure plait's own work, or wait for other processes."""
_HOOKS = "plait.run.hooks."  # modules that call functions for rewritten code


def asks_in_virtual_time(caller: Mapping[str, Any]) -> bool:
    """Return whether the running code, which has these globals, is in a virtual thread and uses virtual time."""
    if ENGINE.thread.id == 0 or get_ident() not in OURS:  # a thread of a debugger or of pytest may read the clock, too
        return False
    name = str(caller.get("__name__", ""))
    return name.startswith(_HOOKS) or not name.startswith(_REAL)


@contextmanager
def virtual_clocks() -> Iterator[None]:
    """Make the real `time`, the functions imported from it, and `datetime` show virtual time until the block ends."""
    undo: list[Callable[[], None]] = []

    def patch(owner: Any, name: str, new: Any) -> None:
        undo.append(functools.partial(setattr, owner, name, getattr(owner, name)))
        setattr(owner, name, new)

    answers = {id(getattr(real_time, name)): _answering(name) for name in _CLOCKS if hasattr(real_time, name)}
    for module, names in _holders(answers):
        for name in names:
            patch(module, name, answers[id(vars(module)[name])])
    try:
        with _virtual_dates():
            yield
    finally:
        while undo:
            undo.pop()()


_looked_at: dict[int, tuple[types.ModuleType, tuple[str, ...]]] = {}


def _holders(wanted: Mapping[int, Any]) -> Iterator[tuple[types.ModuleType, list[str]]]:
    """Yield the modules that have functions of `time` in variables, with these variables.

    To search everything that is imported takes milliseconds. So each module is searched once, and later only the
    variables found then are checked.
    """
    for name, module in list(sys.modules.items()):
        if type(module) is not types.ModuleType or name.startswith(_REAL):
            continue
        space = vars(module)
        if _REWRITTEN in space:  # it sees the mirrored ones
            continue
        if id(module) not in _looked_at:
            _looked_at[id(module)] = module, tuple(each for each, value in list(space.items()) if id(value) in wanted)
        names = [each for each in _looked_at[id(module)][1] if id(space.get(each)) in wanted]
        if names:
            yield module, names


def _answering(name: str) -> Any:
    """Return the replacement for a function of `time`."""
    real, virtual = getattr(real_time, name), getattr(clock, name)

    def answer(*args: Any) -> Any:
        caller = sys._getframe(1).f_globals
        if not asks_in_virtual_time(caller):
            return real(*args)
        if _REWRITTEN in caller or name == "sleep":
            return virtual(*args)
        return clock.read_without_points(virtual, *args)

    answer.__name__ = answer.__qualname__ = name
    answer.__module__, answer.__doc__ = "time", real.__doc__
    return built_in(answer)


# -- dates ------------------------------------------------------------------------------------------------------------

_rewritten_code = False  # whether rewritten code sees virtual dates, whatever runs
_everybody = 0  # how many blocks of `virtual_clocks` are open


def _sees_virtual_dates(caller: Mapping[str, Any]) -> bool:
    if _rewritten_code and is_rewritten(caller):
        return True
    return _everybody > 0 and asks_in_virtual_time(caller)


def is_rewritten(caller: Mapping[str, Any]) -> bool:
    """Return whether code with these globals is rewritten, or calls something for rewritten code."""
    return _REWRITTEN in caller or str(caller.get("__name__", "")).startswith(_HOOKS)


def _now(cls: type[dt.datetime], tz: dt.tzinfo | None = None) -> dt.datetime:
    caller = sys._getframe(1).f_globals
    if not _sees_virtual_dates(caller):
        return _IN_C["now"].__get__(None, cls)(tz)  # type: ignore[no-any-return]
    return cls.fromtimestamp(_seconds(caller), tz)


def _utcnow(cls: type[dt.datetime]) -> dt.datetime:
    caller = sys._getframe(1).f_globals
    if sys.version_info >= (3, 12):  # the real one would warn of its caller, which is this function
        warnings.warn(
            "datetime.datetime.utcnow() is deprecated and scheduled for removal in a future version. Use "
            "timezone-aware objects to represent datetimes in UTC: datetime.datetime.now(datetime.UTC).",
            DeprecationWarning, stacklevel=2,
        )  # fmt: skip
    if not _sees_virtual_dates(caller):
        return _IN_C["now"].__get__(None, cls)(dt.UTC).replace(tzinfo=None)  # type: ignore[no-any-return]
    return cls.fromtimestamp(_seconds(caller), dt.UTC).replace(tzinfo=None)


def _today(cls: type[dt.date]) -> dt.date:
    caller = sys._getframe(1).f_globals
    if not _sees_virtual_dates(caller):
        return _IN_C["today"].__get__(None, cls)()  # type: ignore[no-any-return]
    return cls.fromtimestamp(_seconds(caller))


def _seconds(caller: Mapping[str, Any]) -> float:
    if is_rewritten(caller):
        return clock.time()
    return float(clock.read_without_points(clock.time))


_OWNERS: dict[str, type[dt.date]] = {"now": dt.datetime, "utcnow": dt.datetime, "today": dt.date}
_IN_C = {name: vars(owner)[name] for name, owner in _OWNERS.items()}
_VIRTUAL: dict[str, Any] = {"now": classmethod(_now), "utcnow": classmethod(_utcnow), "today": classmethod(_today)}
for _name, _method in _VIRTUAL.items():
    _method.__func__.__name__ = _name
    _method.__func__.__qualname__ = f"{_OWNERS[_name].__name__}.{_name}"
    _method.__func__.__doc__ = _IN_C[_name].__doc__


def kept_method(value: Any) -> Any:
    """Return the replacement for a bound `datetime.now` that a variable or a default holds; None if it is none."""
    owner = getattr(value, "__self__", None)
    name = getattr(value, "__name__", "")
    if name not in _VIRTUAL or not isinstance(owner, type) or not issubclass(owner, _OWNERS[name]):
        return None
    return _VIRTUAL[name].__get__(None, owner)


def virtual_dates_for_rewritten_code() -> None:
    """Let rewritten code see virtual dates for as long as this process lives."""
    global _rewritten_code
    _rewritten_code = _exchange(_VIRTUAL)


@contextmanager
def _virtual_dates() -> Iterator[None]:
    global _everybody
    exchanged = _exchange(_VIRTUAL)
    _everybody += exchanged
    try:
        yield
    finally:
        _everybody -= exchanged
        if exchanged and not _everybody and not _rewritten_code:
            _exchange(_IN_C)


def _exchange(methods: Mapping[str, Any]) -> bool:
    """Exchange the methods that read the system's clock."""
    found = [put(owner, {name: methods[name]}) for name, owner in _OWNERS.items()]
    return all(found)
