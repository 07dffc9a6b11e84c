"""The state of objects as two versions of a class can be compared by it.

As `plait.observe.canonical`, without what a change may alter at will: attributes that only one version has, and the
kind of lock that is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from plait.observe.canonical import Canonical, _Walk
from plait.run.heap import OPAQUE

Attribute = tuple[str, str]  # class, name


def settled(values: Sequence[Any], ignored: frozenset[Attribute]) -> tuple[Canonical, ...]:
    """The states of several objects when no call is under way; a lock that is held then stays held."""
    walk = _StateWalk(ignored, locks=True, public=False)
    return tuple(walk.of(value) for value in values)


def passing(values: Sequence[Any], ignored: frozenset[Attribute], *, public: bool) -> tuple[Canonical, ...]:
    """As `settled`, of a moment in which calls may be under way: who holds a lock then is nobody's business.

    ``public`` leaves only what callers are meant to read: attributes without a leading underscore.
    """
    walk = _StateWalk(ignored, locks=False, public=public)
    return tuple(walk.of(value) for value in values)


def result_value(value: Any, ignored: frozenset[Attribute]) -> Canonical:
    """What a call returned, as its caller can use it: objects count by their content and their public attributes."""
    return passing([value], ignored, public=True)[0]


class _StateWalk(_Walk):
    def __init__(self, ignored: frozenset[Attribute], *, locks: bool, public: bool) -> None:
        super().__init__()
        self._ignored = ignored
        self._locks = locks
        self._public = public

    def _object(self, value: Any, kind: type) -> Canonical:
        found = super()._object(value, kind)
        if kind in OPAQUE:
            return ("primitive", *found[2:]) if self._locks else ("primitive",)
        return found

    def _attributes(self, value: Any) -> list[tuple[str, Any]]:  # type: ignore[override]  # here it depends on more
        owner = type(value).__qualname__
        return [
            (name, held)
            for name, held in _Walk._attributes(value)
            if (owner, name) not in self._ignored and not (self._public and name.startswith("_"))
        ]


def features(value: Canonical) -> frozenset[tuple[str, Any]]:
    """What kind of state an object is in, attribute by attribute: empty or not, None or not, positive or not."""
    return frozenset((path, _outline(held)) for path, held in atoms(value))


def _outline(value: Any) -> Any:
    if not isinstance(value, tuple) or not value:
        return (value > 0) - (value < 0) if type(value) is int else value
    kind, *rest = value
    if kind in ("str", "bytes"):
        return (kind, bool(rest[0]))
    if kind in ("mapping", "items", "set", "tuple"):
        return (kind, min(len(rest), 2))
    if not isinstance(kind, str):
        return tuple(_outline(part) for part in value)
    return (kind, *(_outline(part) for part in rest if isinstance(part, tuple) and part[:1] != ("state",)))


def has_state(value: Any) -> bool:
    """Whether a canonical value is that of an object with attributes."""
    return (
        type(value) is tuple and len(value) > 1 and type(value[0]) is str
        and type(value[-1]) is tuple and value[-1][:1] == ("state",)
        and all(type(item) is tuple and len(item) == 2 for item in value[-1][1:])  # else a word of the code under test
    )  # fmt: skip


def attributes(value: Any) -> Iterator[Attribute]:
    """All attributes that occur in a canonical value."""
    if type(value) is not tuple or not value:
        return
    if has_state(value):
        yield from ((value[0], item[0]) for item in value[-1][1:])
    for part in value:
        yield from attributes(part)


def atoms(value: Canonical, path: str = "") -> Iterator[tuple[str, Any]]:
    """The attributes of a canonical object, nested ones as paths; what is not an object counts as one value."""
    if has_state(value):
        for name, held in value[-1][1:]:
            yield from atoms(held, f"{path}.{name}" if path else name)
        if len(value) > 2:
            yield (path or "content", value[1:-1])
    elif path:
        yield (path, value)
    elif value is not None:
        yield ("content", value)
