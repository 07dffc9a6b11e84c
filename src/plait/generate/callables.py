"""Callables and objects for arguments: small, importable, and without state that threads could trip over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


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


class Partner:
    """Stands in for an object that nobody knows how to make: a client, a session, an application.

    It has every public attribute and takes every call; what comes of that is another one, told by its name. It
    remembers nothing, so it cannot be what two threads disagree about.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Partner:
        if name.startswith("_"):
            raise AttributeError(name)
        return Partner(f"{self.__name__}.{name}")

    def __call__(self, *_args: Any, **_kwargs: Any) -> Partner:
        """Whatever is asked."""
        return Partner(f"{self.__name__}()")

    def __enter__(self) -> Partner:
        return self

    def __exit__(self, *_why: object) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partner) and self.__name__ == other.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __repr__(self) -> str:
        return f"Partner({self.__name__!r})"


class BreakingList(list[Any]):
    """A list that cannot be read to its end: it fails behind its first element."""

    def __iter__(self) -> Iterator[Any]:
        yield from self[:1]
        raise ValueError("a")


class BreakingDict(dict[Any, Any]):
    """A dictionary that cannot be read to its end, whether by keys, by values or by items."""

    def __iter__(self) -> Iterator[Any]:
        return iter(BreakingList(super().__iter__()))

    def keys(self) -> Any:
        """As `dict.keys`, up to the failure."""
        return BreakingList(super().keys())

    def values(self) -> Any:
        """As `dict.values`, up to the failure."""
        return BreakingList(super().values())

    def items(self) -> Any:
        """As `dict.items`, up to the failure."""
        return BreakingList(super().items())


def failing(*_args: Any, **_kwargs: Any) -> None:
    """What goes wrong each time, for those who count failures or clean up after them."""
    raise ValueError("a")


def fresh(*_args: Any, **_kwargs: Any) -> Thing:
    """Something new each time, for those who make a thing once and keep it: two of them can be told apart."""
    return Thing()
