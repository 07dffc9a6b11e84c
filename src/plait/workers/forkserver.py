"""The fork server: a process that has imported what workers need, and forks them within milliseconds.

A new interpreter would import several hundred modules first. The server is started as a worker would be: without the
secrets of the environment, with a fixed hash seed. It runs no code under test and has one thread, so a fork of it is as
good as a new process. When its parent closes it, it ends together with its last child. When its parent has ended, it
kills its children: the kernel would do so as well, but code under test can revoke that.

Where the system has no process descriptors, workers are started one by one (`plait.workers.process`).
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any

from plait.run.native.process import passed_on

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

AVAILABLE = sys.platform == "linux" and hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")
_START = (
    "import json, sys; told = json.loads(sys.argv[1]); sys.path[:] = told['path']; "
    "from plait.workers.forkserver import run_forkserver; run_forkserver(told['socket'], told['modules'])"
)
_LENGTH, _NUMBER = struct.Struct(">Q"), struct.Struct(">q")
_LATER = ("typeshed_client",)
"""What plait imports only when it is used: in workers, so the server imports it for all of them."""
_PACKAGES = frozenset({"model", "subject", "generate", "run", "observe", "explore", "judge", "workers"})
_AT_START = re.compile(r"PYTHON|LC_|LANG|TZ$|LD_|MALLOC_|GLIBC_")
"""Variables that an interpreter, or its C library, reads only at its start."""


# -- parent ------------------------------------------------------------------------------------------------------------


class ForkedProcess:
    """A child of the server, by its descriptor.

    Its number may belong to another process by the time it is used. Only the server can wait for it, so the server
    writes its exit status into the pipe ``ends``.
    """

    def __init__(self, pid: int, descriptor: int, ends: int) -> None:
        self.pid = pid
        self._descriptor = descriptor
        self._ends = ends
        self._code: int | None = None
        self._looking = threading.Lock()

    def poll(self) -> int | None:
        """Return the exit code, negative after a signal; None if the process has not ended."""
        return self._ended(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code, negative after a signal; raise `subprocess.TimeoutExpired` if it takes too long."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("a worker", timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._descriptor, number)

    def _ended(self, timeout: float | None) -> int | None:
        with self._looking:
            if self._code is None and _readable(self._ends, timeout):
                said = os.read(self._ends, _NUMBER.size)
                if not said:  # the server was killed, so the exit code of this process is lost
                    with contextlib.suppress(ProcessLookupError):
                        signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
                self._code = _NUMBER.unpack(said)[0] if said else -signal.SIGKILL
                os.close(self._ends)
                os.close(self._descriptor)
            return self._code


class _ForkServer:
    """The parent's side of the server."""

    def __init__(self, environment: Mapping[str, str], modules: Sequence[str] = ()) -> None:
        """Start the server, which imports ``modules`` at once, and further ones with the first worker."""
        self.owner = os.getpid()
        self.at_start = _read_at_start(environment)
        self._asking = threading.Lock()
        self._socket, theirs = socket.socketpair()
        with theirs:
            told = json.dumps({"path": _path(), "socket": theirs.fileno(), "modules": [*modules, *_LATER]})
            self._process = subprocess.Popen(
                [*interpreter(), "-c", _START, told],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),), start_new_session=True, env=environment,
            )  # fmt: skip

    def serves(self, environment: Mapping[str, str]) -> bool:
        """Return whether a fork of the server equals a new process with this environment."""
        same = self.at_start == _read_at_start(environment)
        return same and self.owner == os.getpid() and self._process.poll() is None

    def fork(
        self, told: Mapping[str, Any], environment: Mapping[str, str], descriptors: Sequence[int]
    ) -> ForkedProcess:
        """Fork a worker with the arguments of `plait.workers.boot.work`.

        ``descriptors`` are passed to it: orders, answers, lifeline and the file for its errors.
        """
        ends, written = os.pipe()
        try:
            order = {
                "path": _path(), "argv": sys.argv, "folder": os.getcwd(), "environment": dict(environment),  # noqa: PTH109 - a text
                "modules": _wanted(), "told": dict(told),
            }  # fmt: skip
            with self._asking:
                pid, descriptor = self._ask(json.dumps(order).encode(), [*descriptors, written])
        except BaseException:
            os.close(ends)
            raise
        finally:
            os.close(written)
        return ForkedProcess(pid, descriptor, ends)

    def close(self) -> None:
        """Let the server end together with its last child."""
        if self.owner == os.getpid():
            with contextlib.suppress(OSError):  # it is gone
                self._socket.sendall(_LENGTH.pack(0))
            self._socket.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1.0)

    def _ask(self, order: bytes, descriptors: Sequence[int]) -> tuple[int, int]:
        socket.send_fds(self._socket, [_LENGTH.pack(len(order))], descriptors)
        self._socket.sendall(order)
        said, received, _flags, _address = socket.recv_fds(self._socket, _NUMBER.size, 1, socket.MSG_CMSG_CLOEXEC)
        if len(said) < _NUMBER.size:
            raise ConnectionError("the server that forks workers has ended")
        (pid,) = _NUMBER.unpack(said)
        if pid < 0:
            raise OSError(-pid, os.strerror(-pid))
        return pid, received[0]


_opening = threading.Lock()
_servers: list[_ForkServer] = []  # the latest is in use, the others end with their last children


def fork_worker(told: Mapping[str, Any], environment: Mapping[str, str], descriptors: Sequence[int]) -> ForkedProcess:
    """Fork a worker from this process's server, which is started if needed."""
    return _server(environment).fork(told, environment, descriptors)


def start_ahead(modules: Sequence[str]) -> None:
    """Start the server before the first worker is needed: it imports modules while its parent does the same."""
    if AVAILABLE:
        with contextlib.suppress(OSError):  # the first worker will report the error
            _server(worker_environment(), modules)


def interpreter() -> list[str]:
    """Return the command that starts this interpreter, with its flags and without the current folder on its path.

    The current folder is the project's: a ``json.py`` there would be imported before the process is confined.
    """
    return [sys.executable, *subprocess._args_from_interpreter_flags(), "-P"]  # type: ignore[attr-defined]


def worker_environment() -> dict[str, str]:
    """Return the environment of workers: the harmless variables of this process, and a fixed hash seed."""
    return {**passed_on(os.environ), "PYTHONHASHSEED": "0"}


def _server(environment: Mapping[str, str], modules: Sequence[str] = ()) -> _ForkServer:
    with _opening:
        if not _servers or not _servers[-1].serves(environment):
            if not _servers:
                atexit.register(_close_all)
            for server in _servers:
                server.close()
            _servers[:] = [_ForkServer(environment, modules)]
        return _servers[-1]


def _close_all() -> None:
    for server in _servers:
        server.close()


def _path() -> list[str]:
    return [os.path.abspath(entry) for entry in sys.path]  # noqa: PTH100 - a plain text; the worker goes elsewhere


def _wanted() -> list[str]:
    """Return the loaded modules that workers need, too: all but commands, and the worker's side of these."""
    found = [(name, name.split(".")) for name in list(sys.modules) if name.startswith("plait.")]
    return [name for name, parts in found if parts[1] in _PACKAGES or parts[3:4] == ["worker"]]


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if _AT_START.match(name)}


def _readable(descriptor: int, timeout: float | None) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(None if timeout is None else timeout * 1000))


# -- server ------------------------------------------------------------------------------------------------------------


def run_forkserver(descriptor: int, modules: Sequence[str] = ()) -> None:
    """Run as the server or, after a fork, as a worker, which starts here and not inside of the server's loop."""
    control = socket.socket(fileno=descriptor)
    poll = select.poll()
    poll.register(control, 0)  # which still reports that the other end is closed
    for name in modules:
        if poll.poll(0):  # the parent has ended already; on a busy machine, the rest would take seconds
            control.close()
            return
        _import([name])
    order = _serve_until_fork(control)
    if order is not None:
        try:
            _begin_worker(*order)
        except BaseException:
            traceback.print_exc()
        os._exit(1)


def _serve_until_fork(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Serve; return in each child with its order and descriptors, and in the server with None when it may end."""
    running: dict[int, tuple[int, int]] = {}
    poll = select.poll()
    poll.register(control, select.POLLIN)
    is_open = True
    while is_open or running:
        for descriptor, _event in poll.poll():
            if descriptor in running:
                poll.unregister(descriptor)
                _report(descriptor, *running.pop(descriptor))
                continue
            received = _receive(control)
            if received is None or not received[0]:
                poll.unregister(control)
                is_open = False
                for pid, _ends in running.values() if received is None else ():
                    _end_group(pid)
                continue
            order, given = received
            _import(order["modules"])
            try:
                pid = _fork()
            except OSError as error:
                control.sendall(_NUMBER.pack(-(error.errno or 1)))
            else:
                if pid == 0:
                    control.close()
                    for child, (_pid, ends) in running.items():
                        os.close(child)
                        os.close(ends)
                    return order, given
                child = os.pidfd_open(pid)
                running[child] = pid, given.pop()
                poll.register(child, select.POLLIN)
                socket.send_fds(control, [_NUMBER.pack(pid)], [child])
            for mine in given:
                os.close(mine)
    return None


def _fork() -> int:
    """Fork a child that leads its own session before any other process knows its number."""
    leads, leading = os.pipe()
    pid = 0
    try:
        pid = os.fork()
        if pid == 0:
            os.setsid()
    finally:
        os.close(leading)
        if pid:
            os.read(leads, 1)  # ends with the child's copy of the other end
        os.close(leads)
    return pid


def _receive(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Return the next order; an empty one if there are no more, None if the parent has ended."""
    try:
        head, given, _flags, _address = socket.recv_fds(control, _LENGTH.size, 5, socket.MSG_CMSG_CLOEXEC)
        if not head:
            return None
        (left,), parts = _LENGTH.unpack(head), []
        while left:
            part = os.read(control.fileno(), min(left, 1 << 16))
            if not part:
                return None
            parts.append(part)
            left -= len(part)
    except (OSError, struct.error):
        return None
    return json.loads(b"".join(parts) or b"{}"), given


def _end_group(pid: int) -> None:
    """Kill a child and the processes that it has started. It was not waited for yet, so its number is still its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _report(descriptor: int, pid: int, ends: int) -> None:
    _end_group(pid)
    _pid, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):  # nobody may want to know
        os.write(ends, _NUMBER.pack(os.waitstatus_to_exitcode(status)))
    os.close(ends)
    os.close(descriptor)


def _import(names: Sequence[str]) -> None:
    for name in names:
        if name not in sys.modules:
            with contextlib.suppress(Exception):  # a worker that needs it will say what is wrong
                importlib.import_module(name)


def _begin_worker(order: dict[str, Any], given: list[int]) -> None:
    """Make a child equal to a process that was started as a worker, and let it work."""
    orders, answers, lifeline, errors, ends = given
    os.close(ends)
    os.dup2(errors, 2)
    os.close(errors)
    with contextlib.suppress(OSError):  # as for any child of a process whose folder is gone
        os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.path[:], sys.argv[:] = order["path"], order["argv"]
    importlib.invalidate_caches()
    from plait.workers.boot import work  # noqa: PLC0415 - what it needs, the server has imported by now

    work(orders=orders, answers=answers, lifeline=lifeline, **order["told"])
