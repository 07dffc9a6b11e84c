"""A place in the source at which the code under test accesses something that threads can share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Site:
    """One rewritten expression.

    ``text`` is the normalised source of the access and ``ordinal`` counts equal (function, kind, text) triples in
    source order: together they name the place across re-formatting and Python versions.
    """

    number: int
    module: str
    file: str
    line: int
    function: str
    kind: str
    text: str
    ordinal: int

    @property
    def name(self) -> tuple[str, str, str, str, int]:
        """The name of the place in saved schedules."""
        return (self.module, self.function, self.kind, self.text, self.ordinal)
