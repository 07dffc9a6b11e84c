"""The keeper: a process that writes the cache of rewritten code for a process that runs code under test.

All projects share the cache, and its content is executed. So a process that has imported code under test must not write
there. Before the import it forks a keeper, which never runs that code. The keeper receives sources, rewrites them
itself and stores the result under the hash of the source. So whatever it receives, the entry of a source is the result
of rewriting that source. The keeper ends together with the process that it works for.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import struct
from _thread import allocate_lock
from pathlib import Path

from plait.run.native.kernel import LANDLOCK, LIMITS, SECCOMP, confine
from plait.run.rewrite.cache import Request, compile_and_keep, written_by

_WAIT_S = 30.0  # for one module; then the process that asked does it itself, and asks no more
LONGEST = 8 << 20  # bytes of one request
MOST = 5_000  # requests of one process
MOST_BYTES = 256 << 20  # of sources, for one process: code under test may not fill the disk with modules
ROOM = 1 << 30  # bytes that stay free on the disk of the cache
_CPU_S = 600
MEMORY = 2 << 30  # bytes, of addresses: a source may be written so that its tree takes 700 times as many as it has
_HEAD = struct.Struct("<II")


class Keeper:
    """The two pipes to the keeper, in the process that it works for."""

    def __init__(self, folder: Path, requests: int, answers: int) -> None:
        self._folder = folder
        self._requests, self._answers = requests, answers
        self._lock = allocate_lock()  # one that no engine controls
        self._gone = False
        self._poll = select.poll()
        self._poll.register(answers, select.POLLIN)

    def keep(self, folder: Path, request: Request) -> bool:
        """Ask for a module to be rewritten and kept in the cache; return whether it is there now."""
        if self._gone or folder != self._folder or not self._lock.acquire(timeout=_WAIT_S):
            return False
        try:
            return self._ask(request)
        except OSError:
            self._gone = True
            return False
        finally:
            self._lock.release()

    def _ask(self, request: Request) -> bool:
        text = isinstance(request.source, str)
        source = request.source.encode("utf-8", "surrogatepass") if isinstance(request.source, str) else request.source
        head = json.dumps([text, request.module, request.filename, sorted(request.assigned)]).encode()
        if len(head) + len(source) > LONGEST:
            return False
        data = memoryview(_HEAD.pack(len(head), len(source)) + head + source)
        while data:
            data = data[os.write(self._requests, data) :]
        answered = self._poll.poll(_WAIT_S * 1000)
        answer = os.read(self._answers, 1) if answered else b""
        self._gone = answer == b""
        return answer == b"y"


def start_keeper(folder: Path) -> None:
    """Fork a keeper for the cache in ``folder``; from now on this process does not write there itself.

    If that is not possible (no such folder, no fork), modules that are not in the cache are rewritten each time.
    """
    written_by(lambda _folder, _request: False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        theirs, requests = os.pipe()
        answers, ours = os.pipe()
    except OSError:
        return
    # The keeper is a grandchild: code under test that waits for its children must not wait for it.
    child = os.fork()
    if child == 0:
        try:
            if os.fork() == 0:
                _serve(folder, theirs, ours)
        finally:
            os._exit(0)
    os.close(theirs)
    os.close(ours)
    os.waitpid(child, 0)
    written_by(Keeper(folder, requests, answers).keep)


def _serve(folder: Path, requests: int, answers: int) -> None:
    """Serve as the keeper until the other end of the pipe is closed.

    It has a process group of its own: a signal to the group of the other process must not end it while it writes a
    file.
    """
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    low, high = sorted((requests, answers))
    # Close the descriptors of the other process: the readers of its pipes must see the end of that process, not ours.
    for first, last in ((3, low), (low + 1, high), (high + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])):
        os.closerange(first, last)
    confine(str(folder), (), layers=(LIMITS, LANDLOCK, SECCOMP))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    left = MOST_BYTES
    for _ in range(MOST):
        head, body = _HEAD.unpack(_read(requests, _HEAD.size))
        left -= head + body
        if head + body > LONGEST or left < 0 or not _has_room(folder):
            return
        said, source = _read(requests, head), _read(requests, body)
        kept = False
        with contextlib.suppress(Exception):  # a source that cannot be compiled: the other process will say so
            text, module, filename, assigned = json.loads(said)
            given = source.decode("utf-8", "surrogatepass") if text else source
            compile_and_keep(folder, Request(given, module, filename, frozenset(assigned)))
            kept = True
        os.write(answers, b"y" if kept else b"n")


def _has_room(folder: Path) -> bool:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize > ROOM


def _read(descriptor: int, length: int) -> bytes:
    parts = []
    while length:
        part = os.read(descriptor, min(length, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        length -= len(part)
    return b"".join(parts)
