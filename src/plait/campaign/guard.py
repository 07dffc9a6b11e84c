"""The guard rail around code under test: an audit hook that stops it from doing more than computing.

By default code under test may write only below its worker's folder, and may open no sockets, start or signal no
processes and load no native code through ctypes. A forbidden act raises `PermissionError` where it was tried and is
noted, with the call and its place. A guard rail, not a sandbox: it stops accidents, such as a ``clear()`` that removes
files, not an attacker (who has extension modules, ``gc`` and the interpreter's internals to get around it). Python
raises no event for named pipes (``os.mkfifo``), for the C libraries behind ``dbm``, nor the folder descriptor of
``os.open(dir_fd=...)``.

The hook can be neither removed nor reached by name: what it allows is decided when it is made and lives in its closure
alone. It is called for every event of the interpreter, so it leaves at once for those it does not know; and it must not
use modules that are under the engine's control (`collections`, `contextlib`, `functools`).
"""

from __future__ import annotations

import errno
import os
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.campaign.guard_acts import NATIVE, NETWORK, SUBPROCESS, WRITE, Act, Where

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

    from plait.campaign.blackbox import BlackBox
    from plait.campaign.spec import WorkerSpec

KEPT = 50
"""Different stopped acts that are noted per task; the rest is stopped all the same."""

_PLAIT = str(Path(__file__).resolve().parents[1])
_STANDARD = sysconfig.get_path("stdlib")
_ACTS: dict[str, dict[str, Act]] = {"write": WRITE, "network": NETWORK, "subprocess": SUBPROCESS, "native": NATIVE}

_drain: Callable[[], list[dict[str, str]]] = list


def stopped() -> list[dict[str, str]]:
    """What was stopped since the last call: ``act`` (as ``--allow`` names it), ``call``, and ``at``, its place."""
    return _drain()


def install(spec: WorkerSpec, work: Path, box: BlackBox) -> None:
    """From now on, and for good, this process may do only what ``spec`` allows; writing goes below ``work``."""
    global _drain
    import _posixsubprocess  # noqa: PLC0415 - not on every platform
    import ctypes  # noqa: F401, PLC0415 - opens the interpreter itself, which is harmless now and forbidden later

    from plait.run.rewrite import cache as code_cache  # noqa: PLC0415 - the engine is loaded only in workers
    from plait.run.world import cache_folder  # noqa: PLC0415

    where = Where(os.path.realpath(work), os.path.realpath(spec.cache or cache_folder()))
    writer = code_cache._write.__code__
    acts: dict[str, tuple[str, Act]] = {
        event: (name, act) for name, some in _ACTS.items() if name not in spec.allow for event, act in some.items()
    }
    noted: dict[tuple[str, str, str], dict[str, str]] = {}
    own = os.getpid()

    def hook(event: str, args: tuple[Any, ...]) -> None:
        found = acts.get(event)
        if found is None:
            return
        name, act = found
        call = act(args, where)
        if call is None:
            return
        frame = sys._getframe(1)
        if name == "write" and call.cached and _called_by(writer, frame):
            return
        if event == "os.kill" and args[0] in (own, 0):
            box.deed = call.text  # its own end; the parent will want to know who did it
            return
        at = _place(frame)
        if len(noted) < KEPT:
            noted.setdefault((name, call.text, at), {"act": name, "call": call.text, "at": at})
        told = f"plait stopped {call.text}: code under test may not do that without --allow {name}"
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
    """Starting a process through `multiprocessing` raises no event of Python's own."""
    start = module.fork_exec

    def fork_exec(*args: Any) -> int:
        sys.audit("plait.fork_exec", *args[:1])
        return start(*args)  # type: ignore[no-any-return]

    module.fork_exec = fork_exec


def _called_by(code: CodeType, frame: FrameType | None) -> bool:
    """Whether the act is one of plait's own, a few calls further up."""
    for _ in range(8):
        if frame is None:
            return False
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False


def _place(frame: FrameType | None) -> str:
    """The innermost frame that belongs neither to plait nor to the standard library."""
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        library = file.startswith(_STANDARD) and "site-packages" not in file
        if not library and not file.startswith((_PLAIT, "<frozen")):
            return f"{os.path.basename(file)}:{frame.f_lineno} in {code.co_qualname}"  # noqa: PTH119 - may be no path
        frame = frame.f_back
    return ""
