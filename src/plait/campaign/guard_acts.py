"""Which events of the interpreter are forbidden acts, and how each is told in words.

An act is a function of the event's arguments that returns None if they are harmless.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any, NamedTuple


class Where(NamedTuple):
    """The folders, resolved, that may be written to: the worker's own, and plait's (by plait alone)."""

    work: str
    cache: str


class Told(NamedTuple):
    """A forbidden act in words; ``cached`` if it concerns plait's own folder."""

    text: str
    cached: bool = False


Act = Callable[[tuple[Any, ...], Where], Told | None]

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NOWHERE = frozenset({os.devnull, "/dev/zero", "/dev/full"})
_LONGEST = 160
_HARMLESS_FLAGS = getattr(socket, "SOCK_NONBLOCK", 0) | getattr(socket, "SOCK_CLOEXEC", 0)


def short(value: object) -> str:
    """A value as it would be written, not too long."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _resolved(path: Any, folder: int | None, *, follow: bool) -> str:
    """The path that the system will really use."""
    text = os.fsdecode(path)
    if folder is not None and folder >= 0 and not text.startswith(os.sep):
        text = f"/proc/self/fd/{folder}/{text}"
    if follow:
        return os.path.realpath(text)
    head, tail = os.path.split(text.rstrip(os.sep))
    return os.path.realpath(text) if tail in ("", ".", "..") else f"{os.path.realpath(head)}{os.sep}{tail}"


def _outside(path: Any, folder: int | None, where: Where, *, follow: bool) -> bool | None:
    """None if the path may be written to; else whether it lies in plait's own folder."""
    if isinstance(path, int):
        path, folder = f"/proc/self/fd/{path}", None
    try:
        real = _resolved(path, folder, follow=follow)
    except (TypeError, ValueError):
        return None  # the call itself will complain
    if real == where.work or real.startswith(f"{where.work}{os.sep}") or real in _NOWHERE:
        return None
    return real == where.cache or real.startswith(f"{where.cache}{os.sep}")


def _open(args: tuple[Any, ...], where: Where) -> Told | None:
    path, mode, flags = args
    if not isinstance(flags, int) or not flags & _WRITING or isinstance(path, int):
        return None
    inside = _outside(path, None, where, follow=True)
    if inside is None:
        return None
    return Told(f"open({short(path)}, {mode!r})" if mode else f"os.open({short(path)})", inside)


def _on_paths(name: str, *places: tuple[int, int | None], follow: bool = False) -> Act:
    """An act on the paths at these positions, each with the position of its folder's descriptor."""

    def act(args: tuple[Any, ...], where: Where) -> Told | None:
        answers = [
            _outside(args[path], None if folder is None else args[folder], where, follow=follow)
            for path, folder in places
        ]
        if all(answer is None for answer in answers):
            return None
        shown = ", ".join(short(args[path]) for path, _ in places)
        return Told(f"{name}({shown})", all(answer is not False for answer in answers))

    return act


def _sqlite(args: tuple[Any, ...], where: Where) -> Told | None:
    name = args[0]
    text = os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else ""
    path = text.removeprefix("file:").partition("?")[0] if text.startswith("file:") else text
    if path in ("", ":memory:") or "mode=memory" in text or "mode=ro" in text:
        return None
    return Told(f"sqlite3.connect({short(name)})") if _outside(path, None, where, follow=True) is not None else None


def _any(name: str, *shown: int) -> Act:
    """An act that is forbidden whatever its arguments."""

    def act(args: tuple[Any, ...], _where: Where) -> Told:
        return Told(f"{name}({', '.join(short(args[index]) for index in shown if index < len(args))})")

    return act


def _socket(args: tuple[Any, ...], _where: Where) -> Told | None:
    """A socket alone reaches nobody: connecting, binding and sending have events of their own. Raw ones receive."""
    if args[2] & ~_HARMLESS_FLAGS in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        return None
    return Told(f"socket.socket({short(args[1])}, {short(args[2])})")


def _symbol(args: tuple[Any, ...], _where: Where) -> Told | None:
    name = args[1]
    if isinstance(name, str) and name.startswith(("Py", "_Py")):
        return None
    return Told(f"a call of the native function {short(name)}")


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
    "ctypes.call_function": _any("a call of a native function by address"),
    "sqlite3.load_extension": _any("sqlite3.Connection.load_extension", 1),
}
