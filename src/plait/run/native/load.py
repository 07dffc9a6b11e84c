"""The measuring process: real threads of any interpreter from 3.8 on, without plait.

This file imports nothing but the standard library, because it is copied and started by the interpreter under
measurement. It answers one JSON command per line: ``open`` puts a version on the path, ``load`` takes the source of a
test (`plait.generate.perf`), ``measure`` repeats it (SpeedGun, Algorithm 3), ``trial`` looks for calls that raise or
wait, ``profile`` counts acquisitions of locks and waits for them.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import platform
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WRITES = (
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.chown", "os.link", "os.symlink",
)  # fmt: skip
NETWORK = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
PROCESSES = ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn")
_OPENS_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def guard(allowed: list[str], folder: str) -> None:
    """Stop the code under test from writing outside ``folder``, from networking and from starting processes.

    A call that is stopped raises `PermissionError`. The hook alone is a guard rail, no sandbox: the kernel's layers
    (`plait.run.native.kernel`) come first where they are available.
    """
    home = os.path.realpath(folder) + os.sep
    realpath, isinstance_, fspath = os.path.realpath, isinstance, os.fspath
    forbidden: dict[str, str] = {}
    for what, events in (("network", NETWORK), ("subprocess", PROCESSES)):
        if what not in allowed:
            forbidden.update(dict.fromkeys(events, what))
    writes = frozenset() if "write" in allowed else frozenset(WRITES)
    watch_open = "write" not in allowed

    def inside(path: Any) -> bool:
        if path is None or isinstance_(path, int):
            return True
        text = fspath(path)
        text = text.decode(errors="replace") if isinstance_(text, bytes) else text
        return bool(text == os.devnull or realpath(text).startswith(home))

    def hook(event: str, arguments: Any) -> None:
        if event in forbidden:
            raise PermissionError(f"plait stops this: {event}; --allow {forbidden[event]} permits it")
        if event == "open" and watch_open:
            if arguments[2] & _OPENS_TO_WRITE and not inside(arguments[0]):
                raise PermissionError("plait stops writing to files; --allow write permits it")
        elif event in writes and not all(map(inside, arguments[:2])):
            raise PermissionError(f"plait stops this: {event}; --allow write permits it")

    sys.addaudithook(hook)


def confined(source: str | None, allowed: list[str], folder: str) -> dict[str, Any]:
    """Let the kernel enforce what `guard` names; return the layers in force."""
    if source is None:
        return {}
    scope: dict[str, Any] = {"__name__": "plait_kernel"}
    try:
        exec(compile(source, "<plait_kernel>", "exec"), scope)
    except ImportError as error:  # an interpreter without ctypes
        return {"in_force": {}, "missing": {"kernel": str(error)}}
    disk = None if "write" in allowed else scope["DISK"]
    return dict(scope["confine"](folder, allowed, disk=disk).as_json())


class LoadDeadlock(Exception):  # noqa: N818  # the word that the report uses
    """Threads of a test do not end."""


class Load:
    """One test, ready to run: the functions of its source."""

    def __init__(self, source: str, name: str) -> None:
        scope: dict[str, Any] = {"__name__": "plait_load_" + name}
        exec(compile(source, "<load " + name + ">", "exec"), scope)
        self.prefix: Callable[[], tuple[Any, ...]] = scope["prefix"]
        self.suffixes: list[Callable[..., None]] = scope["SUFFIXES"]
        self.repeat: int = scope["REPEAT"]
        self.calls: list[list[Callable[..., None]]] = scope.get("CALLS", [])
        self.methods: list[list[str]] = scope.get("METHODS", [])

    def once(self, threads: int, repeat: int, patience: float, ready: Callable[[], None] | None = None) -> Execution:
        """Run prefix and suffixes one time (Algorithm 3, lines 3 to 10); more threads than suffixes share them.

        ``ready`` is called between the two.
        """
        shared = self.prefix()
        if ready is not None:
            ready()
        execution = Execution([self.suffixes[index % len(self.suffixes)] for index in range(threads)])
        execution.run((*shared, repeat), patience)
        return execution


class Execution:
    """Suffixes that start together. Each thread waits at its own gate, so that a start costs one release per thread."""

    def __init__(self, suffixes: list[Callable[..., None]]) -> None:
        self.errors: list[str] = []
        self.stamps: list[tuple[int, int]] = [(0, 0)] * len(suffixes)
        self.whole = 0
        self._suffixes = suffixes

    def run(self, arguments: tuple[Any, ...], patience: float) -> None:
        """Measure from opening the gates until the last suffix has ended."""
        gates = [_ALLOCATE() for _ in self._suffixes]
        ready = [_ALLOCATE() for _ in self._suffixes]
        for lock in gates + ready:
            lock.acquire()
        threads = [
            threading.Thread(target=self._suffix, args=(index, arguments, ready[index], gates[index]), daemon=True)
            for index in range(len(gates))
        ]
        for thread in threads:
            thread.start()
        for lock in ready:
            lock.acquire()
        start = time.perf_counter_ns()
        for gate in gates:
            gate.release()
        deadline = time.monotonic() + patience
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
            if thread.is_alive():
                raise LoadDeadlock(f"after {patience:.1f} s the threads have not ended")
        self.whole = max(end for _, end in self.stamps) - start

    def _suffix(self, index: int, arguments: tuple[Any, ...], ready: Any, gate: Any) -> None:
        suffix, now = self._suffixes[index], time.perf_counter_ns
        ready.release()
        gate.acquire()
        begin = now()
        try:
            suffix(*arguments)
        except BaseException as error:
            self.errors.append(describe(error))
        self.stamps[index] = (begin, now())


TRIES = 6
_TRIAL_S = 0.3
WAITS = "does not return"

_ALLOCATE = threading.Lock
"""The interpreter's own lock type; `plait.run.native.locks` may replace it in `threading`."""


def describe(error: BaseException) -> str:
    """Return an error as one line; its class may be code under test, and fail to say what it is."""
    return (_kind(error) + ": " + _text(error)).split("\n")[0][:200].rstrip(": ")


def _kind(error: BaseException) -> str:
    name: str = type.__dict__["__name__"].__get__(type(error))  # a metaclass is not asked
    return name


def _text(error: BaseException) -> str:
    try:
        return str.__str__(str(error))
    except BaseException as other:
        return "<its text raised " + _kind(other) + ">"


@contextlib.contextmanager
def collected() -> Iterator[None]:
    """Run the garbage collector before a measurement, and disable it until the block ends (section 2)."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def measure(load: Load, threads: int, repeat: int, repetitions: int, seconds: float, patience: float) -> dict[str, Any]:
    """Return the times of each repetition in nanoseconds, in both scopes (section 4.1).

    It ends after ``repetitions``, or as soon as the tests themselves have taken ``seconds``. Each suffix makes its
    calls ``repeat`` times.
    """
    whole: list[int] = []
    suffix: list[float] = []
    total = 0
    with collected():
        for _ in range(repetitions):
            execution = load.once(threads, repeat, patience)
            if execution.errors:
                return {"error": execution.errors[0]}
            whole.append(execution.whole)
            suffix.append(sum(end - begin for begin, end in execution.stamps) / threads)
            total += execution.whole
            if total >= seconds * 1e9:
                break
    return {"whole": whole, "suffix": suffix}


class _LoadTrial:
    """A trial run of a test that finds calls which raise or never return.

    Each suffix runs alone until all calls that are left succeed; then all suffixes run together.
    """

    def __init__(self, load: Load, skipped: list[tuple[int, int]]) -> None:
        self.bad: dict[tuple[int, int], str] = {}
        self._load = load
        self._skipped = set(skipped)
        self._at: dict[int, tuple[int, int] | None] = {}
        self._moves = 0

    def run(self, patience: float) -> list[list[Any]]:
        """Return ``[suffix, call, reason]`` for each call to leave out; ``patience`` is the limit of a single call."""
        everyone = list(range(len(self._load.calls)))
        for group in [*([index] for index in everyone), everyone]:
            for _ in range(TRIES):
                if self._run_well(group, patience):
                    break
        return [[suffix, call, reason] for (suffix, call), reason in sorted(self.bad.items())]

    def _run_well(self, suffixes: list[int], patience: float) -> bool:
        known = len(self.bad)
        shared = self._load.prefix()
        self._at = dict.fromkeys(suffixes)
        threads = [threading.Thread(target=self._follow, args=(index, shared), daemon=True) for index in suffixes]
        for thread in threads:
            thread.start()
        seen, since = -1, time.monotonic()
        while any(thread.is_alive() for thread in threads):
            next(thread for thread in threads if thread.is_alive() or thread is threads[-1]).join(0.005)
            if self._moves != seen:
                seen, since = self._moves, time.monotonic()
            elif time.monotonic() - since > patience:
                for place in [place for place in self._at.values() if place is not None]:
                    self._wait_for_ever(place)
                break
        return len(self.bad) == known

    def _wait_for_ever(self, place: tuple[int, int]) -> None:
        """Leave out a call that never returns; from the second such call on, all calls of its method in the suffix."""
        suffix, _ = place
        method = self._method(place)
        before = [each for each, reason in self.bad.items() if reason == WAITS]
        self._leave_out(place, WAITS)
        if any(self._method(each) == method for each in before):
            for number in range(len(self._load.calls[suffix])):
                if self._method((suffix, number)) == method:
                    self._leave_out((suffix, number), WAITS)

    def _method(self, place: tuple[int, int]) -> str:
        return self._load.methods[place[0]][place[1]]

    def _leave_out(self, place: tuple[int, int], reason: str) -> None:
        if place not in self._skipped:
            self._skipped.add(place)
            self.bad[place] = reason

    def _follow(self, suffix: int, shared: tuple[Any, ...]) -> None:
        end = time.monotonic() + _TRIAL_S
        for _ in range(self._load.repeat):
            if time.monotonic() > end:
                break
            for number, call in enumerate(self._load.calls[suffix]):
                if (suffix, number) in self._skipped:
                    continue
                self._at[suffix] = (suffix, number)
                self._moves += 1
                try:
                    call(*shared)
                except BaseException as error:
                    self._leave_out((suffix, number), describe(error))
        self._at[suffix] = None


class Server:
    """Answers the commands of one parent."""

    def __init__(self) -> None:
        self._loads: dict[str, Load] = {}
        self._profile: Any = None

    def open(
        self, root: str, extra: list[str], modules: list[str], allowed: list[str], folder: str, cpus: list[int] | None,
        profile: str | None = None, kernel: str | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Put a version on the path and import its modules.

        ``profile`` is the source of `native_locks`, ``kernel`` that of `plait.run.native.kernel`.
        """
        if cpus and hasattr(os, "sched_setaffinity"):
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, cpus)
        os.chdir(folder)
        sys.path[:0] = [root, *extra]
        if profile is not None:
            scope: dict[str, Any] = {"__name__": "plait_locks"}
            exec(compile(profile, "<plait_locks>", "exec"), scope)
            self._profile = scope["LockProfile"](root)
            self._profile.install()
        layers = confined(kernel, allowed, folder)
        guard(allowed, folder)
        files = [getattr(importlib.import_module(name), "__file__", None) for name in modules]
        return {
            "files": files, "version": platform.python_version(), "implementation": platform.python_implementation(),
            "gil": getattr(sys, "_is_gil_enabled", lambda: True)(), "layers": layers,
        }  # fmt: skip

    def load(self, name: str, source: str) -> dict[str, Any]:
        """Take the source of a test."""
        self._loads[name] = Load(source, name)
        gc.collect()
        gc.freeze()  # what the process consists of need not be visited again before each measurement
        return {}

    def measure(self, name: str, **arguments: Any) -> dict[str, Any]:
        """See `measure`."""
        return measure(self._loads[name], **arguments)

    def trial(self, name: str, skipped: list[list[int]], patience: float) -> dict[str, Any]:
        """See `_LoadTrial`. If a call of the prefix raises, the answer contains only that call."""
        load = self._loads[name]
        try:
            load.prefix()
        except BaseException as error:
            trace = error.__traceback__
            assert trace is not None
            assert trace.tb_next is not None
            line = trace.tb_next.tb_lineno - load.prefix.__code__.co_firstlineno
            return {"prefix": line - 1, "reason": describe(error)}
        places = [(suffix, call) for suffix, call in skipped]
        return {"bad": _LoadTrial(load, places).run(patience)}

    def profile(self, name: str, threads: int, repeat: int, patience: float) -> dict[str, Any]:
        """Return the profile of each lock while the suffixes ran, and their total time."""
        execution = self._loads[name].once(threads, repeat, patience, self._profile.reset)
        if execution.errors:
            return {"error": execution.errors[0]}
        return {"locks": self._profile.locks(), "thread_ns": sum(end - begin for begin, end in execution.stamps)}


def serve(server: object) -> None:
    """Let an object's methods answer commands until the parent closes the pipe.

    The code under test gets neither the pipe nor a terminal. If possible, the kernel ends this process with its parent:
    a busy process would not notice that the pipe is closed.
    """
    with contextlib.suppress(ImportError, OSError, AttributeError, TypeError):  # another system, no ctypes
        import ctypes  # noqa: PLC0415 - not in every interpreter

        ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
    commands = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    sys.path.pop(0)  # the folder of the script, or the current one
    for line in commands:
        command = json.loads(line)
        try:
            answer = getattr(server, command.pop("do"))(**command)
        except BaseException as error:
            answer = {"error": describe(error), "kind": _kind(error), "message": _text(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    os._exit(0)  # threads that wait for ever must not keep the process


if __name__ == "__main__":
    serve(Server())
