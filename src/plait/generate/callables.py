"""Callables for arguments: small, importable, and without state that threads could trip over."""

from __future__ import annotations

from typing import Any


class Recorder:
    """A callable that remembers what it was called with.

    ``Recorder('f')`` equals any other recorder of that name, so that a callback can be registered in one call and
    removed in the next. `list.append` is atomic: the recorder itself adds no race to the code under test.
    """

    def __init__(self, name: str, result: Any = None) -> None:
        self.__name__ = name
        self.calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        self._result = result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Note the arguments; return what the constructor was given."""
        self.calls.append((args, kwargs))
        return self._result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recorder) and self.__name__ == other.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __repr__(self) -> str:
        return f"Recorder({self.__name__!r})"


class Thing:
    """A class for those who take classes: its instances have nothing but their identity."""
