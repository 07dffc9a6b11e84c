"""A process that is guarded as every worker is, and then commits the acts of `hostile_acts`, one after the other.

Started as ``python hostile_process.py FOLDER kernel|hook USER``: with the kernel's layers or with the audit hook alone,
as this user. Writes what came of each act to FOLDER/told.json: the exception, or "done".
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from hostile_acts import ACTS

from plait.model.foreign import exception_text
from plait.run.native import seccomp
from plait.workers import guard, state
from plait.workers.blackbox import BlackBox
from plait.workers.protocol import WorkerSpec

_MORE_NUMBERS = {
    "openat": (257, 56), "unlinkat": (263, 35), "renameat2": (316, 276), "mkdirat": (258, 34), "symlinkat": (266, 36),
    "linkat": (265, 37), "name_to_handle_at": (303, 264), "openat2": (437, 437), "open": (2, None), "creat": (85, None),
    "rename": (82, None), "get_robust_list": (274, 100), "capget": (125, 90), "capset": (126, 91),
    "io_setup": (206, 0), "mlockall": (151, 230), "munlockall": (152, 231), "mlock": (149, 228),
    "inotify_init1": (294, 26), "timer_create": (222, 107),
}  # fmt: skip
_COLUMN = {"x86_64": 0, "aarch64": 1}[platform.machine()]
_libc = ctypes.CDLL(None, use_errno=True)
_raw = _libc.syscall
_raw.restype = ctypes.c_long


def call(name, *arguments):
    """A system call that raises."""
    numbers = {**seccomp._NUMBERS, **_MORE_NUMBERS}
    number = name if isinstance(name, int) else numbers[name][_COLUMN]
    if number is None:
        raise OSError(f"there is no {name} on this machine")
    given = [_given(each) for each in arguments]
    result = _raw(ctypes.c_long(number), *given)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _given(value):
    if isinstance(value, str):
        return ctypes.c_char_p(value.encode())
    return ctypes.c_long(value) if isinstance(value, int) else value


def _sub(code):
    """Run code in another interpreter; raises if that does."""
    if not os.access(os.__file__, os.R_OK):
        raise OSError("this user may not read the files of the interpreter, and a new one needs them")
    module = importlib.import_module("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
    trouble = module.run_string(module.create(), code)
    if trouble is not None:
        raise RuntimeError(trouble.msg)


def _start_by(fork_exec):
    """Start a program through a function of `_posixsubprocess`, which has other arguments in each version."""
    errors, written = os.pipe()
    arguments = [[b"true"], [b"/bin/true"], True, (written,), None, None, *[-1] * 6, errors, written, False, False]
    arguments += [0] if sys.version_info >= (3, 11) else []
    arguments += [None, None, None, -1, None]
    arguments += [True] if (3, 11) <= sys.version_info < (3, 14) else []
    assert os.waitpid(fork_exec(*arguments), 0)[1] == 0


class Victim:
    """Another process of the same user, which ends with the group."""

    def __init__(self):
        process = subprocess.Popen(["sleep", "600"], env={"PATH": os.defpath, "SECRET": "hostile"})
        self.pid = process.pid
        lines = Path(f"/proc/{self.pid}/maps").read_text().splitlines()
        self.stack = next(int(line.partition("-")[0], 16) for line in lines if line.endswith("[stack]"))


class Witness:
    """A child that has been outside all the time, and looks there for this process."""

    def __init__(self):
        self._questions, ours = os.pipe()
        theirs, self._answers = os.pipe()
        self._ask, self._hear = ours, theirs
        if os.fork() == 0:
            os.close(ours)
            while question := os.read(self._questions, 1024).decode():
                kind, _, what = question.partition(" ")
                os.write(self._answers, b"y" if self._look(kind, what) else b"n")
            os._exit(0)

    @staticmethod
    def _look(kind, what):
        if kind == "shared":
            try:
                os.unlink(f"/dev/shm{what}")  # noqa: PTH108, S108
            except OSError:
                return False
            return True
        if kind == "posix":
            return _raw(ctypes.c_long(seccomp._NUMBERS["mq_unlink"][_COLUMN]), ctypes.c_char_p(what.encode())) == 0
        number = seccomp._NUMBERS["msgget"][_COLUMN]
        found = _raw(ctypes.c_long(number), ctypes.c_long(int(what)), ctypes.c_long(0))
        if found >= 0:
            _raw(ctypes.c_long(seccomp._NUMBERS["msgctl"][_COLUMN]), ctypes.c_long(found), ctypes.c_long(0), None)
        return found >= 0

    def sees(self, kind, what):
        os.write(self._ask, f"{kind} {what}".encode())
        return os.read(self._hear, 1) == b"y"


def main():
    folder, layers, user = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    given = json.loads((folder / "given.json").read_text())
    # Everything is imported while the interpreter's own files can be read: another user may not be able to.
    for name in set(re.findall(r"\bimport ([\w.]+)", "\n".join(act.code for act in ACTS))):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    importlib.import_module("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
    guard_needs()
    if user and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        _libc.prctl(4, 1, 0, 0, 0)  # a process that has changed its user is not its own, as one started by the user is
    victim, witness = Victim(), Witness()
    home = folder / "home"
    work = home / "own" / "work"
    work.mkdir(parents=True)
    os.chdir(work)
    os.environ["XDG_CACHE_HOME"] = str(folder / "caches")
    spec = WorkerSpec(kernel=layers == "kernel")
    box = BlackBox(home / "blackbox", create=True)
    state.use(spec, box)
    told = (folder / "told.json").open("w")
    guard.install_guard(spec, work, box)
    results = {}
    used = max(map(int, os.listdir("/proc/self/fd"))) + 1
    for act in ACTS:
        here = str(folder / "acts" / act.name)
        scope = {
            "os": os, "here": here, "file": f"{here}/file", "new": f"{here}/new", "victim": victim.pid,
            "stack_of_victim": victim.stack, "call": call, "sub": _sub, "start_by": _start_by,
            "outside_sees_shared_memory": lambda name: witness.sees("shared", name),
            "outside_sees_posix_queue": lambda name: witness.sees("posix", name),
            "outside_sees_queue": lambda key: witness.sees("queue", key), **given,
        }  # fmt: skip
        before = os.getpid()
        try:
            exec(compile(act.code, act.name, "exec"), scope)
            results[act.name] = "done"
        except BaseException as raised:
            # what an act makes of an error that counts as success may be something else than the hook's
            error = raised.__context__ if type(raised) is AssertionError and raised.__context__ else raised
            results[act.name] = f"{type(error).__name__}: {exception_text(error)}"[:200]
        if os.getpid() != before:
            os._exit(0)
        with contextlib.suppress(OSError):
            os.chdir(work)
        scope.clear()
        gc.collect()  # first what has descriptors of its own: a number that is used again must not be closed by it
        os.closerange(used, 200_000)
        for name in os.listdir(work):
            with contextlib.suppress(OSError):
                os.remove(work / name)
    in_force = json.loads((home / guard.LAYERS).read_text())
    json.dump({"results": results, "layers": in_force}, told)
    told.flush()
    os._exit(0)


def guard_needs():
    """Import what installing the guard imports, and what is imported late by modules that the acts use."""
    for name in (
        "plait.run.importing.world", "plait.run.rewrite.keeper", "_posixsubprocess", "encodings.ascii",
        "encodings.idna", "multiprocessing.popen_fork", "concurrent.futures.process", "concurrent.futures.thread",
    ):  # fmt: skip
        importlib.import_module(name)


if __name__ == "__main__":
    main()
