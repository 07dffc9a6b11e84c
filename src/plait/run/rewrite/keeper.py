"""The process that writes the cache of rewritten code in the place of one that runs code under test.

The cache is shared by all projects, and what is in it is run. So nobody may write there who has imported code under
test: before that, the process forks a keeper, which has nothing of it. It takes sources, rewrites them itself and
writes what comes of it under the hash of the source. Whatever it is sent, the entry of a source is what rewriting that
source gives. It ends with the process that it works for.
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

WAIT_S = 30.0  # for one module; then the process that asked does it itself, and asks no more
LONGEST = 8 << 20  # bytes of one request
MOST = 5_000  # requests of one process
MOST_BYTES = 256 << 20  # of sources, for one process: code under test may not fill the disk with modules
ROOM = 1 << 30  # bytes that stay free on the disk of the cache
CPU_S = 600
_HEAD = struct.Struct("<II")


class Keeper:
    """The keeper, as the process that it works for sees it: two pipes."""

    def __init__(self, folder: Path, requests: int, answers: int) -> None:
        self._folder = folder
        self._requests, self._answers = requests, answers
        self._lock = allocate_lock()  # one that no engine controls
        self._gone = False
        self._poll = select.poll()
        self._poll.register(answers, select.POLLIN)

    def keep(self, folder: Path, request: Request) -> bool:
        """Ask for a module to be rewritten and kept in the cache; return whether it is there now."""
        if self._gone or folder != self._folder or not self._lock.acquire(timeout=WAIT_S):
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
        answered = self._poll.poll(WAIT_S * 1000)
        answer = os.read(self._answers, 1) if answered else b""
        self._gone = answer == b""
        return answer == b"y"


def start_keeper(folder: Path) -> None:
    """Fork a keeper for the cache in ``folder``; from now on this process does not write there itself.

    Without one (no such folder, no fork) what is not in the cache yet is rewritten each time.
    """
    written_by(lambda _folder, _request: False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        theirs, requests = os.pipe()
        answers, ours = os.pipe()
    except OSError:
        return
    # A grandchild: code under test that waits for its children must not wait for this one.
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

    In a group of its own: what ends the other process with its group must not end this one in the middle of a file.
    """
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    low, high = sorted((requests, answers))
    # The pipes of the other process, above all: whoever reads them must see its end, not ours.
    for first, last in ((3, low), (low + 1, high), (high + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])):
        os.closerange(first, last)
    confine(str(folder), (), layers=(LIMITS, LANDLOCK, SECCOMP))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
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
