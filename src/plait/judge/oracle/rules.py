"""What is known about the results of a class besides what its executions show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plait.subject.interface.members import Interface


@dataclass(frozen=True, slots=True)
class Rules:
    """What the user says, and which methods may wait.

    ``invariant`` is an expression that holds after every execution; ``nondeterministic`` methods give any result. A
    call of one of the ``waiting`` methods is not one moment: others may see it under way.
    """

    invariant: str | None = None
    nondeterministic: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return plain data, for `Rules(**data)`; only what is said."""
        every = {"invariant": self.invariant, "nondeterministic": self.nondeterministic, "waiting": self.waiting}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in every.items() if value}


def may_wait(interface: Interface) -> tuple[str, ...]:
    """Return the methods whose code waits.

    What their parameters are called says nothing: a ``timeout`` may be an expiry.
    """
    return tuple(method.name for method in interface.methods if method.waits)
