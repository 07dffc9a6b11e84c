"""How a worker's process is started, and what the pool that manages it sees of it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import threading
import types
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


ENDED = 256
"""The exit code of a worker that ended with 0: nobody had asked it to, and pools take 0 for a farewell."""

_starting = threading.Lock()


class WorkerProcess(SpawnProcess):
    """A fresh interpreter without the secrets of this one's environment, with a fixed hash seed.

    It is killed rather than asked to end: code under test may have taken the signal that asks. What it says before it
    is set up goes to the file ``young``: if it is ended meanwhile, nobody wants to read its complaints.
    """

    young: Path | None = None
    replaces = False

    def __getstate__(self) -> dict[str, Any]:
        """For the child, which reads this in order: first of all it becomes quiet."""
        return {"hushed": _Hushed(self.young), **vars(self)}

    def start(self) -> None:
        """Start the process, unless it would replace one that was lost: then its pool is thrown away instead."""
        if self.replaces:
            raise ChildProcessError("a lost worker is not replaced by its pool")
        with _starting, _surroundings_of_a_worker():
            _start_tracker()
            super().start()

    def terminate(self) -> None:
        """Kill."""
        self.kill()

    @property
    def exitcode(self) -> int | None:
        """None while it runs; negative after a signal."""
        code = super().exitcode
        return ENDED if code == 0 else code


class _Hushed:
    """When this is read in a child, its standard error becomes a file."""

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return (hush, (self._file,))


def hush(file: Path | None) -> None:
    """Send the standard error of this process to a file; without one, nowhere."""
    said = os.open(os.devnull if file is None else file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(said, 2)
    os.close(said)


class WorkerContext(SpawnContext):
    """Starts the process of a pool and remembers it, in ``processes``; ``young`` is for its first words."""

    def __init__(self, young: Path | None = None) -> None:
        super().__init__()
        self._young = young
        self.processes: list[WorkerProcess] = []

    def Process(self, *args: Any, **named: Any) -> WorkerProcess:  # type: ignore[override]  # noqa: N802 - its name there
        """Return a process of the pool."""
        process = WorkerProcess(*args, **named)
        process.young, process.replaces = self._young, bool(self.processes)
        if not process.replaces:
            self.processes.append(process)
        return process

    def ask(self, number: int) -> None:
        """Send a signal to all that still run."""
        for process in list(self.processes):
            if process.pid is not None and process.is_alive():
                with contextlib.suppress(OSError):
                    os.kill(process.pid, number)

    def kill(self) -> None:
        """End all that still run, at once."""
        for process in list(self.processes):
            with contextlib.suppress(OSError, ValueError, AttributeError, AssertionError):
                process.kill()

    def kill_groups(self) -> None:
        """End what code under test has started; a worker leads a process group of its own."""
        for process in list(self.processes):
            if process.pid is not None:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)


def _start_tracker() -> None:
    """Start what cleans up behind killed processes: nobody wants to be warned of what code under test has left."""
    quiet = "ignore::UserWarning"
    sys.warnoptions.append(quiet)
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(quiet)


@contextlib.contextmanager
def _surroundings_of_a_worker() -> Iterator[None]:
    """What a child inherits at its start is this process's own, so it is changed for the moment of starting one.

    The main module is hidden because a child would import it again: a script without a guard would start campaigns
    for ever, and a test runner would be imported for nothing. An interrupt meant for the campaign must not end a
    worker that is too young to ignore it.
    """
    hidden = {name: value for name, value in os.environ.items() if is_secret(name, value)}
    seed = os.environ.get("PYTHONHASHSEED")
    main = sys.modules["__main__"]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        for name in hidden:
            del os.environ[name]
        os.environ["PYTHONHASHSEED"] = "0"
        sys.modules["__main__"] = types.ModuleType("__main__")
        yield
    finally:
        sys.modules["__main__"] = main
        os.environ.update(hidden)
        if seed is None:
            del os.environ["PYTHONHASHSEED"]
        else:
            os.environ["PYTHONHASHSEED"] = seed
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


# -- environment -------------------------------------------------------------------------------------------------------
# Environment variables that code under test must not see.


_SECRET = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|PASSCODE|(^|_)PASS(_|$)|CREDENTIAL|PRIVATE|(^|_|API|ACCESS)KEYS?(_|$)|AUTH(_|$)|(^|_)PAT(_|$)"
    r"|COOKIE|SESSION_?ID|(^|_)DSN(_|$)|CONNECTION_?STRING|SSH_AUTH_SOCK|SSH_AGENT|GPG_AGENT",
    re.IGNORECASE,
)
_URL_WITH_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@", re.IGNORECASE)


def is_secret(name: str, value: str) -> bool:
    """Return whether a variable looks like a secret, by its name or because its value is an address with a password."""
    return _SECRET.search(name) is not None or _URL_WITH_PASSWORD.search(value) is not None


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what may be passed on."""
    return {name: value for name, value in environment.items() if not is_secret(name, value)}
