"""Virtual functions in Python that stand for functions written in C."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


class BuiltIn(functools.partial[Any]):
    """A function that does not become a method when it is an attribute of a class, as functions in C do not.

    So ``class Limiter: clock = time.monotonic`` can read the clock by ``self.clock()``. It is a `partial` because a
    call of one has no Python frame of its own: the place of a call is taken from the caller's frame.
    """

    __name__: str

    def __get__(self, instance: object, owner: type | None = None) -> BuiltIn:
        return self

    def __reduce__(self) -> str:
        return self.__name__  # copied and pickled as the function itself is

    def __repr__(self) -> str:
        return f"<built-in function {self.__name__}>"


def built_in(function: _Function) -> _Function:
    """Return a function as a `BuiltIn` with its name."""
    made: Any = BuiltIn(function)
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(made, name, getattr(function, name))
    return cast("_Function", made)
