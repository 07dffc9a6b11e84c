"""A mutex as C++ has it: not re-entrant, and releasing a free one does nothing."""

from __future__ import annotations

from contextlib import suppress
from threading import Lock

from plait.run.primitives.site import SKIPPED

SKIPPED.add(__name__)  # a lock is taken by the line that says so


class Mutex:
    """`unlock` may also release what another thread has locked."""

    def __init__(self) -> None:
        self.__lock__ = Lock()

    def lock(self) -> None:
        self.__lock__.acquire()

    def unlock(self) -> None:
        with suppress(RuntimeError):
            self.__lock__.release()
