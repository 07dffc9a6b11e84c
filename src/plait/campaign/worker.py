"""One worker process, seen from the campaign.

It has a process pool of its own: when the process dies or is killed for taking too long, the pool is thrown away with
everything the dead process may have left in it (a lock it held, half an answer in a pipe). So no death can harm another
worker or the campaign.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal as signals
import time
from concurrent.futures import CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pebble import ProcessExpired, ProcessPool

from plait.campaign.blackbox import LOADING, OUTSIDE, BlackBox
from plait.campaign.failures import WorkerCrashed, WorkerError, WorkerHung, signal_name
from plait.campaign.process import ENDED, WorkerContext
from plait.campaign.worker_process import BLACK_BOX, TELL, TRACE, YOUTH, Boot, begin
from plait.errors import PlaitBugError

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.campaign.spec import WorkerSpec

START_S = 60.0  # how long a process may take to come up
TICK_S = 0.1  # between two looks at what a process says about itself
PATIENT = 3  # times longer for a process that hardly gets the processor
TELL_S = 0.2  # how long a process that hangs has to write down where
_LOST = (ProcessExpired, BrokenProcessPool, CancelledError, RuntimeError, OSError, EOFError)


class Worker:
    """A process, its folder, and the pipe whose end tells the process that the parent is gone."""

    def __init__(self, spec: WorkerSpec, home: Path) -> None:
        home.mkdir(parents=True)
        self._allowed = spec.allow
        self._home = home
        self._context = WorkerContext(home / YOUTH)
        self._lifeline, self._end = self._context.Pipe(duplex=False)
        boot = Boot(spec, home, self._lifeline)
        self._pool = ProcessPool(max_workers=1, initializer=begin, initargs=(boot,), context=self._context)

    def call(
        self, function: Callable[..., Any], args: tuple[Any, ...], timeout: float, stall: float | None = None
    ) -> Any:
        """Have a function run in the process; `WorkerError` if it does not come back."""
        try:
            future = self._pool.schedule(function, args)
            late = self._wait(future, timeout, stall)
            if late is not None:
                raise self._hung(*late)
            return future.result(0)
        except _LOST as error:
            raise self._obituary(error) from None

    def kill(self) -> None:
        """End the process; whoever waits for it gets to know."""
        self._context.kill()

    def _wait(self, future: Future[Any], timeout: float, stall: float | None) -> tuple[float, bool] | None:
        """Until there is an answer; if time runs out, since the start or since the last sign of life, how much.

        And whether the process was only waiting all the time.
        """
        asked = time.monotonic()
        while not future.running():
            if wait([future], TICK_S / 4).done:
                return None
            if time.monotonic() - asked > START_S:
                return START_S, False
        started = last = time.monotonic()
        limit = timeout if stall is None else min(stall, timeout)
        beat, silent = None, 0.0
        first = used = since = self._status()[1]
        with contextlib.ExitStack() as stack:
            box = stack.enter_context(contextlib.closing(BlackBox(self._home / BLACK_BOX))) if limit < timeout else None
            while not wait([future], TICK_S).done:
                now = time.monotonic()
                state, total = self._status()
                if box is not None and box.beat != beat:
                    beat, silent, since = box.beat, 0.0, total
                else:
                    # One that wants to run and does not get to has a busy machine against it, not a fault in it.
                    silent += total - used if state == "R" else now - last
                last, used = now, total
                waits = state in ("", "S", "D") and total - since < limit / 2  # for all that is known about it
                starved = state == "R" and total - first < timeout / 2
                if now > started + timeout * (PATIENT if starved else 1):
                    return timeout, waits
                if silent > limit:
                    return limit, waits
        return None

    def _status(self) -> tuple[str, float]:
        try:
            fields = Path(f"/proc/{self._context.processes[0].pid}/stat").read_text("ascii", "replace")
            state, *numbers = fields.rpartition(")")[2].split()
            return state, (int(numbers[10]) + int(numbers[11])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):  # gone, or a system that does not tell
            return "", 0.0

    def _hung(self, seconds: float, waits: bool) -> WorkerHung:
        if TELL is not None:
            self._context.ask(TELL)
            time.sleep(TELL_S)
        self._context.kill()
        return WorkerHung(seconds, waits=waits, **self._remains())

    def _obituary(self, error: BaseException) -> WorkerError:
        code = self._exit_code()
        state, deed = self._last_words()
        doing = " while the subject was imported" if state == LOADING else ""
        rest = self._remains()
        if code is None:
            return WorkerCrashed(f"the worker was lost{doing}: {type(error).__name__}: {error}", outside=True, **rest)
        if code == 3 and deed.startswith("set-up failed"):
            raise PlaitBugError(f"a worker's {deed}")
        by = f" ({deed})" if deed else ""
        if code < 0:
            outside = state == OUTSIDE or (-code == signals.SIGKILL and not deed)
            reason = f"killed by {signal_name(-code)}{by}{doing}"
            return WorkerCrashed(reason, signal=-code, outside=outside, **rest)
        code = 0 if code == ENDED else code
        return WorkerCrashed(f"the process ended with exit code {code}{doing}", exit_code=code, **rest)

    def _exit_code(self) -> int | None:
        """How the process ended."""
        deadline = time.monotonic() + 1.0
        while self._context.processes and time.monotonic() < deadline:
            code = self._context.processes[0].exitcode
            if code is not None:
                return code
            time.sleep(0.01)
        return None

    def _last_words(self) -> tuple[int, str]:
        try:
            with contextlib.closing(BlackBox(self._home / BLACK_BOX)) as box:
                return box.state, box.deed
        except (OSError, ValueError):
            return OUTSIDE, ""

    def _remains(self) -> dict[str, Any]:
        try:
            with contextlib.closing(BlackBox(self._home / BLACK_BOX)) as box:
                trace = (self._home / TRACE).read_text("utf-8", "replace")[-8192:]
                return {"output": box.output, "note": box.note, "trace": trace}
        except (OSError, ValueError):  # it did not come as far as having one
            with contextlib.suppress(OSError):
                return {"output": (self._home / YOUTH).read_text("utf-8", "replace")[-8192:]}
            return {}

    def dispose(self) -> None:
        """End the process, with those it has started, and remove its files."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        if "subprocess" in self._allowed:
            self._context.kill_groups()
        self._context.kill()
        self._end.close()
        with contextlib.suppress(*_LOST):
            self._pool.join()
        self._context.kill()
        self._lifeline.close()
        shutil.rmtree(self._home, ignore_errors=True)
