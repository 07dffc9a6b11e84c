"""The registry of primitives: each file of this package registers what the rest of plait needs to know of its classes.

The state of a primitive that a module holds is restored after every execution, it is part of the state that is
compared, and the primitive has a name in the report of a deadlock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plait.model.foreign import is_a
from plait.run.heap import OPAQUE


@dataclass(frozen=True, slots=True)
class PrimitiveKind:
    """A class of primitives, with its subclasses."""

    keep: Callable[[Any], Callable[[], None]]  # takes its state down; what it returns puts that back
    state: Callable[[Any], tuple[Any, ...]] = lambda _value: ()  # what two executions may leave different
    awaited: str = "{}"  # what a thread waits for in front of it, with the name that it has


_KINDS: dict[type, PrimitiveKind] = {}


def register(primitive: type, kind: PrimitiveKind) -> None:
    """Register a class of primitives."""
    OPAQUE.add(primitive)
    _KINDS[primitive] = kind


def primitive_kind(value: object) -> PrimitiveKind | None:
    """Return the kind of a primitive; None if the value is no primitive."""
    if not is_a(value, *_KINDS):
        return None
    return next(kind for each, kind in _KINDS.items() if is_a(value, each))
