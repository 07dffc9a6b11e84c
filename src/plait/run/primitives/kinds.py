"""What the rest of plait has to know of a primitive: each file of this package says it of its own classes.

A primitive that says so is put back to what it was behind every execution where modules hold it, is part of the state
that is compared, and is named where a thread waits for it in vain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plait.model.foreign import is_a
from plait.run.heap import OPAQUE


@dataclass(frozen=True, slots=True)
class PrimitiveKind:
    """One class of primitives, with those derived of it."""

    keep: Callable[[Any], Callable[[], None]]  # takes its state down; what it returns puts that back
    state: Callable[[Any], tuple[Any, ...]] = lambda _value: ()  # what two executions may leave different
    awaited: str = "{}"  # what a thread waits for in front of it, with the name that it has


_KINDS: dict[type, PrimitiveKind] = {}


def register(primitive: type, kind: PrimitiveKind) -> None:
    """Let plait know a class of primitives."""
    OPAQUE.add(primitive)
    _KINDS[primitive] = kind


def primitive_kind(value: object) -> PrimitiveKind | None:
    """Return what is known of a value that is a primitive, or of a class derived of one; None for anything else."""
    if not is_a(value, *_KINDS):
        return None
    return next(kind for each, kind in _KINDS.items() if is_a(value, each))
