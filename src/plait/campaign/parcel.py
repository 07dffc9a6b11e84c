"""Plain data between processes.

What a worker sends must not make its receiver import, let alone run, code under test: a stray instance of one of the
subject's classes (a subclass of ``str``, an enumeration) would do that when unpickled. So only built-in values and
plait's own classes are read.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

from plait.errors import PlaitBugError

_STANDARD = {
    "builtins": frozenset({"set", "frozenset", "bytearray", "complex", "range", "slice"}),
    "collections": frozenset({"Counter", "OrderedDict", "defaultdict", "deque"}),
    "random": frozenset({"Random"}),
    "pathlib": frozenset({"PosixPath", "PurePosixPath", "WindowsPath"}),
    "pathlib._local": frozenset({"PosixPath", "PurePosixPath", "WindowsPath"}),
}


def pack(value: Any) -> bytes:
    """The value as bytes."""
    return pickle.dumps(value, protocol=5)


def unpack(data: bytes) -> Any:
    """The value again; `PlaitBugError` if it holds anything but plain data."""
    return _Reader(io.BytesIO(data)).load()


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name in _STANDARD.get(module, ()):
            return super().find_class(module, name)
        if module.startswith("plait."):
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise PlaitBugError(f"a task's answer holds a {module}.{name}, which is not plain data")
