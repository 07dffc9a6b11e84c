"""What a user has said about the results of a class."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """``invariant`` is an expression that holds after every execution; ``nondeterministic`` methods give any result."""

    invariant: str | None = None
    nondeterministic: tuple[str, ...] = ()
