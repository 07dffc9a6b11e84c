"""The parent's side of a helper process: start it, send it commands, and end it without leaving anything behind.

This file imports nothing but the standard library: the script that repeats a measurement without plait contains it.
"""

# ruff: noqa: PTH102, PTH118, PTH123 - also runs inside what is measured, where fewer imports are better

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import shutil
import subprocess
import tempfile
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

_HARMLESS = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CI|TMPDIR|TEMP|TMP"
    r"|PYTHON\w*|PYTEST_\w+|PLAIT_\w+|COV_CORE_\w+|COVERAGE_\w+|VIRTUAL_ENV|CONDA_PREFIX|XDG_\w+_HOME"
    r"|LD_LIBRARY_PATH|DYLD_\w*LIBRARY_PATH|MALLOC_\w+|GLIBC_TUNABLES|OMP_\w+|SSL_CERT_FILE|SSL_CERT_DIR|SYSTEMROOT|COMSPEC"
)
"""Variables that Python, its tools and the C library need; they contain no secrets."""
_SECRET = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|(^|_|API|ACCESS)KEYS?(_|$)|AUTH(_|$)", re.IGNORECASE
)
_URL_WITH_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s@]*@", re.IGNORECASE)
ENVIRONMENT = "env:"
"""The prefix of the permission to read a variable of the environment; the name follows."""
_LEAST_S = 1.0  # that a command may take, however late it is
_LONGEST_ANSWER = 64 * 1024 * 1024  # of a process that may say anything
THREADS = 2000
"""Threads that a process with code under test may have; it is ended if it has more, since others need them."""
MOST_FILES = 100_000  # that it may make
_LOOK_S = 0.05  # seconds between two counts: a hundred microseconds are enough to start some threads
_SHARE = 0.75  # of the machine's memory goes to processes that run code under test; the rest is everybody else's
_MARGIN = 1 << 28  # bytes of interpreter and libraries
_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


NO_ANSWER = "the process sent what is no answer"
_LONGEST_REASON = 160


class NativeError(Exception):
    """The process could not perform a command; the message is one line, ``kind`` the type of the exception."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


class Stuck(NativeError):  # noqa: N818  # the word that people use
    """Threads wait for each other, or the process does not answer."""


class Process:
    """A process that answers JSON commands (`native_load.serve`), in a folder of its own.

    Code under test is in the process, and may answer anything. ``check`` takes a command's name and its answer, and
    returns the answer; it raises `ValueError` if the answer has another form. No command takes much longer than
    ``until``, a `time.monotonic`.
    """

    def __init__(
        self, command: list[str], *, script: str | None = None, hash_seed: int = 0, allowed: Sequence[str] = (),
        check: Callable[[str, dict[str, Any]], dict[str, Any]] | None = None, until: float = float("inf"),
    ) -> None:  # fmt: skip
        self._check = check
        self._until = until
        self._folder = tempfile.mkdtemp(prefix="plait-load-")
        self.work = os.path.join(self._folder, "work")
        os.mkdir(self.work)
        if script is not None:
            file = os.path.join(self._folder, "load.py")
            with open(file, "w", encoding="utf-8") as written:
                written.write(script)
            command = [*command, file, "--serve"]
        self._answers: queue.Queue[str] = queue.Queue(4)  # one is expected; a process that sends more has to wait
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
                env=environment(hash_seed, allowed), cwd=self.work,
                start_new_session=True,  # an interrupt is not for it
            )  # fmt: skip
        except OSError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise NativeError(f"{command[0]} cannot be started: {error.strerror}") from None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, do: str, timeout: float, **arguments: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; `Stuck` after ``timeout``, `NativeError` if it failed."""
        assert self._process.stdin is not None
        timeout = self.left(timeout)
        with contextlib.suppress(OSError):  # that a process has ended is noticed when it does not answer
            self._process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
            self._process.stdin.flush()
        line = self._line(timeout)
        if not line:
            raise NativeError(f"the process ended with exit code {self._process.wait()}")
        try:
            answer: Any = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        texts = {"error", "kind", "message"}
        if type(answer) is not dict or not all(type(answer[key]) is str for key in texts & answer.keys()):
            raise NativeError(NO_ANSWER)
        if answer.get("kind") == "LoadDeadlock":
            raise Stuck(answer.get("message", ""))
        if "error" in answer:
            raise NativeError(answer["error"], answer.get("kind", ""))
        try:
            return answer if self._check is None else self._check(do, answer)
        except ValueError as error:
            raise NativeError(NO_ANSWER + ": " + str(error)[:_LONGEST_REASON]) from None

    def left(self, most: float) -> float:
        """Return the seconds that a command may take, at most so many."""
        return max(_LEAST_S, min(most, self._until - time.monotonic()))

    def _line(self, timeout: float) -> str:
        """Wait for the next line, which is empty once the process has ended."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                return self._answers.get(timeout=min(left, _LOOK_S))
            too_much = excess(self._process.pid, memory_share(2))
            if too_much:
                self._process.kill()
                raise NativeError(too_much)
        raise Stuck(f"no answer within {timeout:.0f} s")

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            while line := self._process.stdout.readline(_LONGEST_ANSWER):
                self._answers.put(line)
        except ValueError:  # no text
            self._answers.put("no text\n")
        self._answers.put("")

    def close(self) -> None:
        """End the process and remove its folder."""
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(1.0)
        if self._process.stdout is not None and not self._reader.is_alive():
            self._process.stdout.close()
        with contextlib.suppress(RecursionError):  # folders within folders within folders
            shutil.rmtree(self._folder, ignore_errors=True)


def excess(process: int, memory: int) -> str:
    """Return what a process has too much of: threads, or ``memory`` in bytes, shared or not; empty if nothing.

    The kernel limits memory by kinds, and some kinds are not counted.
    """
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        threads, used = int(fields[17]), int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):  # gone, or a system that does not tell
        return ""
    if threads > THREADS:
        return f"it had {threads} threads, more than {THREADS}"
    if used > memory + _MARGIN:
        return f"out of memory: it had {used >> 20} MB, more than {memory >> 20}"
    return ""


def processor_time(process: int) -> float:
    """Return the seconds of processor time that a process has used; 0 if that cannot be known."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


def overfull(folder: str, most: int) -> str:
    """Return an error if more than ``most`` bytes are below a folder on a disk of the machine; empty if not."""
    waiting, size, count = [folder], 0, 0
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                count += 1
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    with contextlib.suppress(OSError):
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
                if size > most or count > MOST_FILES:
                    return f"it has written more than {most >> 20} MB, or {MOST_FILES} files"
    return ""


def memory_share(count: int) -> int:
    """Return the memory in bytes of each of ``count`` processes that share this machine or container."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for file in _CGROUP_LIMITS:
        try:
            with open(file, encoding="ascii") as opened:
                total = min(total, int(opened.read()))
        except (OSError, ValueError):  # no such hierarchy, or "max"
            continue
    return int(total * _SHARE / max(count, 1))


def passed_on(variables: Mapping[str, str], allowed: Collection[str] = ()) -> dict[str, str]:
    """Return the variables that code under test may read: the harmless ones, and those that are allowed by name."""
    return {
        name: value for name, value in variables.items()
        if ENVIRONMENT + name in allowed
        or (_HARMLESS.fullmatch(name) and not _SECRET.search(name) and not _URL_WITH_PASSWORD.search(value))
    }  # fmt: skip


def environment(hash_seed: int, allowed: Collection[str] = ()) -> dict[str, str]:
    """Return the environment of a helper process: permitted variables, no settings of this Python, the hash seed."""
    kept = {name: value for name, value in passed_on(os.environ, allowed).items() if not name.startswith("PYTHON")}
    return {**kept, "PYTHONHASHSEED": str(hash_seed), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONNOUSERSITE": "1"}
