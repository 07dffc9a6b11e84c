"""Start a worker's process; the parent holds its pipes, one of which closes when the parent ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from plait.workers.forkserver import AVAILABLE, fork_worker, interpreter, worker_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_START = (
    "import json, sys; told = json.loads(sys.argv[1]); sys.path[:] = told.pop('path'); sys.argv[:] = told.pop('argv'); "
    "from plait.workers.boot import work; work(**told)"
)
_SHARED = Path("/dev/shm")  # noqa: S108 - where Linux keeps named semaphores


class _Started(Protocol):
    """The operations on a process, however it was started."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, number: int, /) -> None: ...


class WorkerProcess:
    """A new interpreter with the harmless variables of this one's environment, and with a fixed hash seed.

    It leads its own session, because the parent handles the signals of the terminal. It is killed, because code under
    test may have replaced the handlers of milder signals. Its output before it is set up goes to the file ``young``: if
    it is killed meanwhile, its error messages mean nothing.
    """

    def __init__(self, home: Path, young: Path) -> None:
        self._semaphores = f"plait-{os.urandom(8).hex()}"
        with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
            orders, self.orders = _pipe(theirs, ours)
            self.answers, answers = _pipe(ours, theirs)
            lifeline, _held = _pipe(theirs, ours)
            said = theirs.enter_context(young.open("wb")).fileno()
            told = {"home": str(home), "semaphores": self._semaphores}
            start = fork_worker if AVAILABLE else _start_fresh
            self._process: _Started = start(told, worker_environment(), (orders, answers, lifeline, said))
            os.set_blocking(self.orders, False)
            os.set_blocking(self.answers, False)
            self._ours = ours.pop_all()

    @property
    def pid(self) -> int:
        """The number of the process, and of its session and group."""
        return self._process.pid

    def exit_code(self, patience: float = 0.0) -> int | None:
        """Return the exit code, negative after a signal; None if the process has not ended after so many seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(patience) if patience else self._process.poll()
        return None

    def ask(self, number: int) -> None:
        """Send a signal."""
        with contextlib.suppress(OSError):
            self._process.send_signal(number)

    def kill(self) -> None:
        """Kill the process."""
        self.ask(signal.SIGKILL)

    def kill_group(self) -> None:
        """Kill the processes that code under test has started."""
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill the process if it lives, close its pipes, and remove the semaphores that it has left."""
        self.kill()
        self._process.wait()
        self._ours.close()
        with contextlib.suppress(OSError):
            for file in _SHARED.glob(f"sem.{self._semaphores}-*"):
                file.unlink(missing_ok=True)


def _start_fresh(told: Mapping[str, Any], environment: Mapping[str, str], descriptors: Sequence[int]) -> _Started:
    """Start a worker as a new interpreter, which takes half a second longer than `fork_worker`."""
    orders, answers, lifeline, errors = descriptors
    path = [os.path.abspath(entry) for entry in sys.path]  # noqa: PTH100 - a plain text; the worker goes elsewhere
    told = {**told, "path": path, "argv": sys.argv, "orders": orders, "answers": answers, "lifeline": lifeline}
    return subprocess.Popen(
        [*interpreter(), "-c", _START, json.dumps(told)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
        pass_fds=(orders, answers, lifeline), start_new_session=True, env=environment,
    )  # fmt: skip


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    """Open a pipe whose ends are closed together with these owners."""
    read, write = os.pipe()
    reader.callback(os.close, read)
    writer.callback(os.close, write)
    return read, write
