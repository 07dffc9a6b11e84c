"""Functions that are written in C where they come from, and in Python here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


class BuiltIn(functools.partial[Any]):
    """Stands for a function written in C: an attribute of a class that is one does not become a method.

    ``class Limiter: clock = time.monotonic`` reads the clock by ``self.clock()``. It is a `partial` because that adds
    no frame of Python: the place of a call is taken from the caller's frame.
    """

    __name__: str

    def __get__(self, instance: object, owner: type | None = None) -> BuiltIn:
        return self

    def __reduce__(self) -> str:
        return self.__name__  # copied and pickled as the function itself is

    def __repr__(self) -> str:
        return f"<built-in function {self.__name__}>"


def built_in(function: _Function) -> _Function:
    """Let a function stand for one that is written in C."""
    made: Any = BuiltIn(function)
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(made, name, getattr(function, name))
    return cast("_Function", made)
