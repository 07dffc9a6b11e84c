"""The identifiers of virtual threads: the same in every execution, and harmless in C code.

Functions of the C library (``pthread_setname_np``) take the identifier of a thread for the address of what the system
keeps of it, and end the process if there is nothing. So the virtual threads of a test have addresses of memory that is
all zeros. There the C library finds a thread that has ended, and returns an error.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.run.vthread import VThread

_BASE = 1000  # where no test runs: an identifier is never 0
_WANTED = 0x2000_0000_0000  # an address that is free as a rule: then identifiers are the same in every process
_SPACING = 4096  # more than any system keeps of a thread
_THREADS = 2048  # those with more than this number have no memory of their own


def ident_of(thread: VThread, *, in_test: bool) -> int:
    """Return the identifier of a virtual thread."""
    return _region() + thread.id * _SPACING if in_test else _BASE + thread.id


def is_ident(ident: int, threads: int) -> bool:
    """Return whether this is the identifier of one of so many virtual threads."""
    return _BASE <= ident < _BASE + threads or 0 <= ident - _region() < threads * _SPACING


@functools.cache
def _region() -> int:
    """Return the address of the memory; where the system gives none, a number that is as good for Python code."""
    try:
        allocate = ctypes.CDLL(None).mmap
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        rights = mmap.PROT_READ | mmap.PROT_WRITE
    except (OSError, AttributeError, TypeError):
        return _BASE
    allocate.restype = ctypes.c_void_p
    allocate.argtypes = [
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
    ]  # fmt: skip
    found = allocate(_WANTED, _THREADS * _SPACING, rights, flags, -1, 0)
    return _BASE if found is None or found == ctypes.c_void_p(-1).value else int(found)
