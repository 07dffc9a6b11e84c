"""What code under test has done to its process so that plait's own code fails in it: whom to blame for the failure.

Code under test shares its process with plait. It may replace a built-in, block a module, lower a limit, or answer when
plait imports one of its own modules. What plait's code raises then is no fault of plait's.
"""

from __future__ import annotations

import builtins
import itertools
import os
import sys
import sysconfig
import traceback
from pathlib import Path

import plait
from plait.model.foreign import traceback_of
from plait.workers import guard

if sys.platform != "win32":
    import resource

_PLAIT = str(Path(plait.__file__).resolve().parent)
_STANDARD = sysconfig.get_path("stdlib")
_LIMITS = ("RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_NPROC", "RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_STACK")


class Spoilers:
    """A picture of what plait's code needs of the process, taken before code under test is imported."""

    def __init__(self) -> None:
        self._builtins = dict(vars(builtins))
        self._modules = frozenset(sys.modules)
        self._limits = _limits()

    def of(self, error: BaseException) -> str:
        """Return what code under test has put in the way of the code that raised; empty if nothing is known."""
        now = vars(builtins)
        for name, value in self._builtins.items():
            if now.get(name) is not value:
                return f"it has replaced builtins.{name}"
        for name in self._modules:
            if sys.modules.get(name) is None:  # plait itself replaces some, and removes none
                return f"it has removed the module {name}"
        if type(error) is ModuleNotFoundError and sys.modules.get(str(error.name), plait) is None:
            return f"it has blocked the module {error.name}"
        lowered = [name for name, value in _limits().items() if value < self._limits.get(name, value)]
        if lowered and issubclass(type(error), OSError | MemoryError | RuntimeError):
            return f"it has lowered {lowered[0]}"
        return _importing(error)


def _limits() -> dict[str, float]:
    if sys.platform == "win32":
        return {}
    found = {name: resource.getrlimit(getattr(resource, name))[0] for name in _LIMITS if hasattr(resource, name)}
    return {name: float("inf") if value == resource.RLIM_INFINITY else value for name, value in found.items()}


def _importing(error: BaseException) -> str:
    """Return where code under test raised that ran because plait's own code imported a module."""
    trace = [(frame.f_code, line) for frame, line in traceback.walk_tb(traceback_of(error))]
    while trace and trace[-1][0].co_filename == guard.__file__:  # which raises for what it stops
        trace.pop()
    inner = list(itertools.takewhile(lambda each: not each[0].co_filename.startswith(_PLAIT), reversed(trace)))
    own = [each for each in inner if not each[0].co_filename.startswith((_STANDARD, "<frozen"))]
    if not own:
        return ""
    code, line = own[0]
    called = inner[-1][0]  # the interpreter leaves out its own frames between an import and the body of the module
    imported = called.co_name == "<module>" or called.co_filename.startswith("<frozen importlib")
    return f"{os.path.basename(code.co_filename)}:{line}" if imported else ""  # noqa: PTH119 - may be no path
