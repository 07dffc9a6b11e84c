"""What a strategy may ask about two methods before it spends a test on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.model.test import Test


class Meetings(Protocol):
    """Knows methods from calls that ran alone. Plain data: it travels with the strategy."""

    def look(self, method: str, alone: Iterable[Test]) -> None:
        """Get to know a method from tests whose only suffix is one call of it."""
        ...

    def knows(self, method: str) -> bool:
        """Whether the method was looked at."""
        ...

    def may_meet(self, first: str, second: str) -> bool:
        """Whether calls of the two, at the same time, might do what they do not do one after the other.

        A guess from few calls: False says that none of them could disturb each other.
        """
        ...
