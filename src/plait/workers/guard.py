"""The audit hook of workers: the events of the interpreter that are forbidden acts, and their descriptions.

An act is a function of an event's arguments. It returns None if they are harmless, else a description.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import sys
import sysconfig
from collections.abc import Callable, Iterable
from pathlib import Path, PosixPath, PurePosixPath, PureWindowsPath, WindowsPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import plait
from plait.errors import STOPPED
from plait.run.native import kernel

if TYPE_CHECKING:
    from types import FrameType

    from plait.workers.blackbox import BlackBox
    from plait.workers.protocol import WorkerSpec


Act = Callable[[tuple[Any, ...], str], str | None]
"""Takes an event's arguments and the writable folder; returns the forbidden act in words."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NOWHERE = frozenset({os.devnull, "/dev/zero", "/dev/full"})
_PATHS = frozenset({PosixPath, PurePosixPath, WindowsPath, PureWindowsPath})
_LONGEST = 160
_HARMLESS_FLAGS = getattr(socket, "SOCK_NONBLOCK", 0) | getattr(socket, "SOCK_CLOEXEC", 0)


def _short_path(value: object) -> str:
    """Return the text of a value, shortened if it is long."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _as_text(path: Any) -> str:
    """Return the path that the system call will use; raise `TypeError` for an object that may change its answer.

    Objects of other classes than the interpreter's own texts and paths can lie, in every method.
    """
    kind = type(path)  # unlike `isinstance`, this cannot be deceived
    if issubclass(kind, str):
        return str.__str__(path)
    if issubclass(kind, bytes):
        return bytes.decode(path, sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
    if kind in _PATHS:
        return str(path)
    raise TypeError("it is no text")


def _resolved(path: Any, folder: int | None, *, follow: bool) -> str:
    """Return the path that the system will really use."""
    text = _as_text(path)
    if folder is not None and folder >= 0 and not text.startswith(os.sep):
        text = f"/proc/self/fd/{folder}/{text}"
    if follow:
        return os.path.realpath(text)
    head, tail = os.path.split(text.rstrip(os.sep))
    return os.path.realpath(text) if tail in ("", ".", "..") else f"{os.path.realpath(head)}{os.sep}{tail}"


def _outside(path: Any, folder: int | None, work: str, *, follow: bool) -> bool:
    """Return whether the path may not be written to."""
    if issubclass(type(path), int):
        path, folder = f"/proc/self/fd/{int.__index__(path)}", None
    try:
        real = _resolved(path, folder, follow=follow)
    except ValueError:
        return False  # the call itself will complain
    except TypeError:
        return True
    return real != work and not real.startswith(f"{work}{os.sep}") and real not in _NOWHERE


def _open(args: tuple[Any, ...], work: str) -> str | None:
    path, mode, flags = args
    if issubclass(type(path), int):  # a number that means something else to the code under test
        return f"open({int(path)})" if int(path) in _protected else None
    if not isinstance(flags, int) or not flags & _WRITING:
        return None
    if not _outside(path, None, work, follow=True):
        return None
    return f"open({_short_path(path)}, {mode!r})" if mode else f"os.open({_short_path(path)})"


def _on_paths(name: str, *places: tuple[int, int | None], follow: bool = False) -> Act:
    """Return an act that checks the paths at these positions, each with the position of its folder's descriptor."""

    def act(args: tuple[Any, ...], work: str) -> str | None:
        if not any(
            _outside(args[path], None if folder is None else args[folder], work, follow=follow)
            for path, folder in places
        ):
            return None
        return f"{name}({', '.join(_short_path(args[path]) for path, _ in places)})"

    return act


def _sqlite(args: tuple[Any, ...], work: str) -> str | None:
    name = args[0]
    try:
        text = _as_text(name)
    except TypeError:
        return f"sqlite3.connect({_short_path(name)})"
    path, modes = text, set()
    if text.startswith("file:"):
        path, _, query = text.removeprefix("file:").partition("#")[0].partition("?")
        path, modes = unquote(path), set(map(unquote, query.split("&")))
    if path in ("", ":memory:") or not modes.isdisjoint({"mode=memory", "mode=ro"}):
        return None
    return f"sqlite3.connect({_short_path(name)})" if _outside(path, None, work, follow=True) else None


def _any(name: str, *shown: int) -> Act:
    """Return an act that is forbidden whatever its arguments."""

    def act(args: tuple[Any, ...], _work: str) -> str:
        return f"{name}({', '.join(_short_path(args[index]) for index in shown if index < len(args))})"

    return act


def _socket(args: tuple[Any, ...], _work: str) -> str | None:
    """Refuse raw sockets, which receive at once; other sockets are harmless until they connect, bind or send."""
    if args[2] & ~_HARMLESS_FLAGS in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        return None
    return f"socket.socket({_short_path(args[1])}, {_short_path(args[2])})"


_asked: set[str] = set()
"""The interpreter's own functions that were looked up by name, by plait or by code under test; see `_by_address`."""


def _symbol(args: tuple[Any, ...], _work: str) -> str | None:
    name = args[1]
    if isinstance(name, str) and name.startswith(("Py", "_Py")):
        _asked.add(name)
        return None
    return f"a call of the native function {_short_path(name)}"


def _by_address(args: tuple[Any, ...], _work: str) -> str | None:
    """Refuse calls of native functions by address.

    Up to 3.13 the interpreter raises this event only for those. From 3.14 on it raises it for every call through
    ctypes, with the address alone: then the functions that ctypes itself consists of are allowed, and those of the
    interpreter that were looked up by name.
    """
    import _ctypes  # noqa: PLC0415 - loaded already: this is its event
    import ctypes  # noqa: PLC0415

    if sys.version_info >= (3, 14):
        own = {value for name, value in vars(_ctypes).items() if name.endswith("_addr")}
        if args[0] in own:
            return None
        for name in sorted(_asked):  # which asks for it again, and passes
            with contextlib.suppress(OSError):
                if _ctypes.dlsym(ctypes.pythonapi._handle, name) == args[0]:
                    return None
    return "a call of a native function by address()"


WRITE: dict[str, Act] = {
    "open": _open,
    "os.remove": _on_paths("os.remove", (0, 1)),
    "os.rmdir": _on_paths("os.rmdir", (0, 1)),
    "os.mkdir": _on_paths("os.mkdir", (0, 2)),
    "os.rename": _on_paths("os.rename", (0, 2), (1, 3)),
    "os.link": _on_paths("os.link", (0, 2), (1, 3)),
    "os.symlink": _on_paths("os.symlink", (1, 2)),
    "os.truncate": _on_paths("os.truncate", (0, None), follow=True),
    "os.chmod": _on_paths("os.chmod", (0, 2), follow=True),
    "os.chown": _on_paths("os.chown", (0, 3), follow=True),
    "os.chflags": _on_paths("os.chflags", (0, None), follow=True),
    "os.utime": _on_paths("os.utime", (0, 3), follow=True),
    "os.setxattr": _on_paths("os.setxattr", (0, None), follow=True),
    "os.removexattr": _on_paths("os.removexattr", (0, None), follow=True),
    "sqlite3.connect": _sqlite,
    "syslog.openlog": _any("syslog.openlog", 0),
    "syslog.syslog": _any("syslog.syslog", 1),
}

NETWORK: dict[str, Act] = {
    "socket.__new__": _socket,
    **{
        f"socket.{name}": _any(f"socket.{name}", *shown)
        for name, shown in {
            "bind": (1,), "connect": (1,), "sendto": (1,), "sendmsg": (1,), "getaddrinfo": (0, 1),
            "gethostbyname": (0,), "gethostbyaddr": (0,), "getnameinfo": (0,), "sethostname": (0,),
        }.items()
    },
}  # fmt: skip

SUBPROCESS: dict[str, Act] = {
    "subprocess.Popen": _any("subprocess.Popen", 1),
    "plait.fork_exec": _any("fork_exec", 0),
    "pty.spawn": _any("pty.spawn", 0),
    **{
        f"os.{name}": _any(f"os.{name}", *shown)
        for name, shown in {
            "system": (0,), "exec": (0, 1), "posix_spawn": (0, 1), "spawn": (1, 2), "startfile": (0,), "fork": (),
            "forkpty": (), "kill": (0, 1), "killpg": (0, 1),
        }.items()
    },
}  # fmt: skip

NATIVE: dict[str, Act] = {
    "ctypes.dlopen": _any("ctypes.CDLL", 0),
    "ctypes.dlsym": _symbol,
    "ctypes.dlsym/handle": _symbol,
    "ctypes.call_function": _by_address,
    "sqlite3.load_extension": _any("sqlite3.Connection.load_extension", 1),
}


# -- guard -------------------------------------------------------------------------------------------------------------
# The sandbox: an audit hook that names each forbidden act, and the kernel's layers that enforce the same.
#
# By default code under test may write only below its worker's folder, and may open no sockets, start or signal no
# processes and load no native code through ctypes. A forbidden act that the interpreter knows of raises
# `PermissionError` where it was tried and is noted, with the call and its place. The hook alone stops accidents, such
# as a ``clear()`` that removes files. It does not stop an attacker, who can get around it with extension modules,
# ``gc`` and the internals of Python: for that there is `plait.run.native.kernel`, on Linux.
#
# The hook can be neither removed nor reached by name: its permissions are fixed when it is made, and live in its
# closure alone. It is called for every event of the interpreter, so it returns at once for those it does not know. It
# must not use modules that are under the engine's control (`collections`, `contextlib`, `functools`).


LAYERS = "layers"
"""The file in a worker's folder that lists the kernel's layers in force."""
KEPT = 50
"""The number of different stopped acts that are recorded per task; further ones are stopped as well."""

_PLAIT = str(Path(plait.__file__).resolve().parent)
_STANDARD = sysconfig.get_path("stdlib")
_ACTS: dict[str, dict[str, Act]] = {"write": WRITE, "network": NETWORK, "subprocess": SUBPROCESS, "native": NATIVE}

_drain: Callable[[], list[dict[str, str]]] = list


_protected: set[int] = set()


def protect(descriptors: Iterable[int]) -> None:
    """Let nobody open these files by their numbers: who closes one of them afterwards ends the process."""
    _protected.update(descriptors)


def stopped() -> list[dict[str, str]]:
    """Return the acts that were stopped since the last call: ``act`` (as in ``--allow``), ``call``, and ``at``."""
    return _drain()


def install_guard(spec: WorkerSpec, work: Path, box: BlackBox) -> None:
    """Restrict this process permanently to what ``spec`` allows, and writing to files below ``work``.

    The folder around ``work`` is writable, too, so that code under test can remove ``work``. The kernel's layers in
    force are written to the file `LAYERS`.
    """
    global _drain
    import _posixsubprocess  # noqa: PLC0415 - not on every platform
    import ctypes  # noqa: PLC0415 - opens the interpreter itself, which is harmless now and forbidden later

    from plait.run.importing.world import cache_folder  # noqa: PLC0415 - the engine is loaded only in workers
    from plait.run.rewrite.keeper import start_keeper  # noqa: PLC0415

    start_keeper(spec.cache or cache_folder())
    _asked.update(name for name in vars(ctypes.pythonapi) if name.startswith("Py"))  # what plait has looked up so far
    own = work.parent
    with (own.parent / LAYERS).open("w", encoding="ascii") as file:  # opened while that is possible
        disk = None if "write" in spec.allow else kernel.DISK
        confinement = kernel.confine(str(own), spec.allow, disk=disk, layers=kernel.LAYERS if spec.kernel else ())
        json.dump(confinement.as_json(), file)
    work.mkdir(exist_ok=True)
    os.chdir(work)
    folder = os.path.realpath(work)
    acts: dict[str, tuple[str, Act]] = {
        event: (name, act) for name, some in _ACTS.items() if name not in spec.allow for event, act in some.items()
    }
    noted: dict[tuple[str, str, str], dict[str, str]] = {}
    process = os.getpid()

    def hook(event: str, args: tuple[Any, ...]) -> None:
        found = acts.get(event)
        if found is None:
            return
        name, act = found
        call = act(args, folder)
        if call is None:
            return
        if event == "os.kill" and args[0] in (process, 0):
            box.own_end = call  # it ends itself; record this for the parent
            return
        at = _place(sys._getframe(1))
        if len(noted) < KEPT:
            noted.setdefault((name, call, at), {"act": name, "call": call, "at": at})
        told = f"{STOPPED}{call}: code under test may not do that without --allow {name}"
        raise PermissionError(errno.EPERM, told)

    def drain() -> list[dict[str, str]]:
        found = list(noted.values())
        noted.clear()
        return found

    if "subprocess" not in spec.allow:
        _raise_event_of(_posixsubprocess)
    _drain = drain
    sys.addaudithook(hook)


def _raise_event_of(module: Any) -> None:
    """Raise an audit event when `multiprocessing` starts a process: Python itself raises none."""
    start = module.fork_exec

    def fork_exec(*args: Any) -> int:
        sys.audit("plait.fork_exec", *args[:1])
        return start(*args)  # type: ignore[no-any-return]

    module.fork_exec = fork_exec


def _place(frame: FrameType | None) -> str:
    """Return the innermost frame that belongs neither to plait nor to the standard library."""
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        library = file.startswith(_STANDARD) and "site-packages" not in file
        if not library and not file.startswith((_PLAIT, "<frozen")):
            return f"{os.path.basename(file)}:{frame.f_lineno} in {code.co_qualname}"  # noqa: PTH119 - may be no path
        frame = frame.f_back
    return ""
