"""Run one test on real threads that run in parallel, with code that is not rewritten, on a build without the GIL.

Nothing is controlled. Every try has new objects. Its threads start together, and each then waits for a short random
time, so that over many tries their calls overlap in many ways.
"""

from __future__ import annotations

import ast
import functools
import os
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from plait.model.test import Call, Test
from plait.run.endings import OWN, RAISED
from plait.run.testbed import namespace

ENDED, WAITS, LOOPS, UNDECIDED = "ended", "waits", "loops", "undecided"
PATIENCE = 0.5  # seconds until threads that have not ended are examined
STILL = 1.0  # seconds without any processor time after which a thread counts as waiting for ever
BUSY = 2.0  # seconds of processor time after which a call counts as endless: calls take microseconds
LONGEST = 20.0  # seconds for the whole examination: if it is still undecided then, the execution shows nothing
_SPINS = 2_000  # times that a waiting thread checks for the others before it yields its processor
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100  # of processor time in a second
_DELAYS = (0, 20, 200, 2_000)  # turns of an empty loop, about 20 ns each


def _is_free_threaded() -> bool:
    """Return whether this interpreter was built without a GIL."""
    return bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def runs_in_parallel() -> bool:
    """Return whether threads of this process run in parallel now: an import may have enabled the GIL."""
    enabled: Callable[[], bool] | None = getattr(sys, "_is_gil_enabled", None)
    return enabled is not None and not enabled()


def build() -> str:
    """Return the name of this interpreter in findings."""
    return f"{sys.version.split()[0]} free-threaded" if _is_free_threaded() else sys.version.split()[0]


@dataclass(slots=True)
class Made:
    """The outcome of one call."""

    value: Any = None
    error: BaseException | None = None


@dataclass(slots=True)
class Run:
    """One execution: its objects, the outcomes of each thread's calls, and how it ended."""

    values: dict[str, Any]
    made: list[list[Made]]
    status: str = ENDED
    thread_errors: list[BaseException] = field(default_factory=list)  # of threads that the class started itself
    helped: bool = False  # there are such threads


class ParallelBed:
    """One test, compiled without rewriting."""

    def __init__(self, test: Test) -> None:
        self.test = test
        self.variables = list(dict.fromkeys(call.result for call in test.prefix if call.result is not None))
        self.space = namespace(test.imports)
        values = ", ".join(f"{name!r}: {name}" for name in self.variables)
        self._prefix = self._function((), [*(call.source for call in test.prefix), f"return {{{values}}}"])
        self._suffixes: list[list[tuple[Callable[..., Any], str | None]]] = []
        for suffix in test.suffixes:
            bound, calls = list(self.variables), []
            for call in suffix:
                calls.append((self._function(bound, [_returned(call)]), call.result))
                if call.result is not None and call.result not in bound:
                    bound.append(call.result)
            self._suffixes.append(calls)

    def _function(self, names: Sequence[str], lines: Sequence[str]) -> Callable[..., Any]:
        made: dict[str, Any] = {}
        body = "".join(f"    {line}\n" for line in lines)
        exec(compile(f"def step({', '.join(names)}):\n{body}", "<test>", "exec"), self.space, made)
        return made["step"]  # type: ignore[no-any-return]

    def parallel(self, random: Random, count: int = 1) -> list[Run]:
        """Run the threads of the test in parallel, ``count`` times on new objects; stop at an execution without end.

        All executions use the same threads: it takes much longer to start a thread than to run its calls.
        """
        runs = [Run(self._prefix(), [[] for _ in self._suffixes]) for _ in range(count)]
        delays = [[random.randrange(1 + random.choice(_DELAYS)) for _ in runs] for _ in self._suffixes]
        arrived = [0] * len(self._suffixes)

        def body(number: int) -> None:
            for turn, run in enumerate(runs):
                values = dict(run.values)
                arrived[number] = turn + 1
                if not _all_there(arrived, turn):
                    return  # the others have not ended: they are looked at, this one is not in their way
                for _ in range(delays[number][turn]):
                    pass
                for call in self._suffixes[number]:
                    self._make(call, values, run.made[number])

        return self._executed(runs, body, lambda: None)

    def serial(self, orders: Sequence[Sequence[int]]) -> list[Run]:
        """Make whole calls one after another, each in its own thread; an order names the thread of each call.

        If a call does not return, the remaining orders are not run.
        """
        runs = [Run(self._prefix(), [[] for _ in self._suffixes]) for _ in orders]
        turns = [threading.Semaphore(0) for _ in self._suffixes]
        done = threading.Semaphore(0)
        stopped: list[bool] = []

        def body(number: int) -> None:
            for run in runs:
                values = dict(run.values)
                for call in self._suffixes[number]:
                    turns[number].acquire()
                    if stopped:
                        return
                    self._make(call, values, run.made[number])
                    done.release()

        def lead() -> None:
            for number in (number for order in orders for number in order):
                turns[number].release()
                if not done.acquire(timeout=4 * PATIENCE):
                    stopped.append(True)
                    for turn in turns:
                        turn.release()
                    return

        return self._executed(runs, body, lead)

    def _executed(self, runs: list[Run], body: Callable[[int], None], lead: Callable[[], None]) -> list[Run]:
        """Run a body per thread of the test; return the runs that ended, and last the one that did not, if any."""
        bodies = [functools.partial(body, number) for number in range(len(self._suffixes))]
        status, thread_errors, helped = _execute([*bodies, lead])
        found = []
        for run in runs:
            run.thread_errors, run.helped = thread_errors, helped
            found.append(run)
            if any(len(made) < len(suffix) for made, suffix in zip(run.made, self._suffixes, strict=True)):
                run.status = status if status != ENDED else UNDECIDED
                break
        return found

    @staticmethod
    def _make(call: tuple[Callable[..., Any], str | None], values: dict[str, Any], into: list[Made]) -> None:
        function, result = call
        made = Made()
        try:
            made.value = function(**values)
        except OWN:
            raise
        except RAISED as error:
            made.error = error
        if result is not None:
            values[result] = made.value
        into.append(made)


def _all_there(arrived: Sequence[int], turn: int) -> bool:
    """Wait, without sleeping, until all threads are at this turn, to continue together; return False if one is not."""
    spins, until = 0, 0.0
    while min(arrived) <= turn:
        spins += 1
        if spins % _SPINS == 0:
            time.sleep(0)
            until = until or time.monotonic() + PATIENCE
            if time.monotonic() > until:
                return False
    return True


def _execute(bodies: Sequence[Callable[[], None]]) -> tuple[str, list[BaseException], bool]:
    """Run the bodies; threads that do not end are left behind (they are daemons).

    Return how they ended, the errors that ended threads which the class started itself, and whether there are such
    threads.
    """
    before = set(threading.enumerate())
    threads = [threading.Thread(target=body, daemon=True) for body in bodies]
    own, thread_errors = set(threads), list[BaseException]()
    hook = threading.excepthook

    def note(died: threading.ExceptHookArgs) -> None:
        if died.thread not in own and died.exc_value is not None:
            thread_errors.append(died.exc_value)

    threading.excepthook = note
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        left = [thread for thread in threads if thread.is_alive()]
        status = _look(left) if left else ENDED
        return status, thread_errors, bool(thread_errors or set(threading.enumerate()) - before - own)
    finally:
        threading.excepthook = hook


def _look(threads: Sequence[threading.Thread]) -> str:
    """Return the state of threads that have not ended: all wait for ever, one is endless, or undecided.

    The processor time that they use decides, so that a busy machine is not taken for a fault.
    """
    began = since = time.monotonic()
    first: dict[int | None, int] = {}
    last: dict[int | None, tuple[str, int]] = {}
    while time.monotonic() - began < LONGEST:
        left = [thread.native_id for thread in threads if thread.is_alive()]
        if not left:
            return ENDED
        now = {number: _standing(number) for number in left}
        for number, (_state, used) in now.items():
            if used - first.setdefault(number, used) > BUSY * _TICKS:
                return LOOPS
        if now != last or any(state != "S" for state, _used in now.values()):
            last, since = now, time.monotonic()
        elif time.monotonic() - since > STILL:
            return WAITS
        time.sleep(0.02)
    return UNDECIDED


def _standing(number: int | None) -> tuple[str, int]:
    """Return the state of a thread (``S`` if it waits) and its processor time in ticks, if the system says so."""
    try:
        with open(f"/proc/self/task/{number}/stat", encoding="ascii", errors="replace") as file:  # noqa: PTH123
            parts = file.read().rpartition(")")[2].split()
        return parts[0], int(parts[11]) + int(parts[12])
    except (OSError, IndexError, ValueError):
        return "", 0


def _returned(call: Call) -> str:
    """Return the call as a statement that returns its value, if it has one."""
    try:
        ast.parse(call.expression, mode="eval")
    except SyntaxError:
        return call.expression
    return f"return {call.expression}"
