"""What is known about the results of a class before any execution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plait.subject.interface.members import Interface


@dataclass(frozen=True, slots=True)
class Rules:
    """Settings of the user, and the methods that may wait.

    ``invariant`` is an expression that must be true after every execution. ``nondeterministic`` methods may return
    anything. A call of a ``waiting`` method is not atomic: others may see it half done.
    """

    invariant: str | None = None
    nondeterministic: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return plain data for `Rules(**data)`, without empty values."""
        every = {"invariant": self.invariant, "nondeterministic": self.nondeterministic, "waiting": self.waiting}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in every.items() if value}


def may_wait(interface: Interface) -> tuple[str, ...]:
    """Return the methods whose code waits.

    Names of parameters are no evidence: a ``timeout`` may be an expiry time.
    """
    return tuple(method.name for method in interface.methods if method.waits)
