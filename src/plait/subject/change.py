"""What differs between two versions of a class, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from plait.model.test import methods_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Side = Literal["old", "new"]
Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ChangedStatement:
    """Lines that only one version has, or has elsewhere (``moved``: matched, but in another order).

    ``function`` is the qualified name of the function or class that the lines stand in, empty at module level; of a
    compound statement only the header counts.
    """

    file: str
    first: int
    last: int
    function: str
    kind: Literal["added", "removed", "moved"]


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a subject and to the own modules that it imports.

    Functions are named ``module:qualname``, methods by their plain names. ``direct_methods`` have a changed body,
    signature or decorator; ``changed_methods`` in addition reach something changed, by the shortest way that
    ``reasons`` tells. Both are methods that both versions have. ``changed_beside`` are public functions of the class's
    module that are or reach something changed.
    """

    subject: str
    old_statements: tuple[ChangedStatement, ...]
    new_statements: tuple[ChangedStatement, ...]
    added_functions: tuple[str, ...]
    removed_functions: tuple[str, ...]
    changed_functions: tuple[str, ...]
    direct_methods: frozenset[str]
    changed_methods: frozenset[str]
    common_methods: frozenset[str]
    added_methods: frozenset[str]
    removed_methods: frozenset[str]
    changed_beside: frozenset[str] = frozenset()
    reasons: dict[str, tuple[str, ...]] = field(default_factory=dict)
    old_to_new: dict[Place, Place] = field(default_factory=dict, repr=False)
    new_to_old: dict[Place, Place] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()

    def changed_pairs(self, methods: Iterable[str]) -> list[tuple[str, str]]:
        """CMP of ConDiff (section IV-A, Fig. 3 line 3): unordered pairs of ``methods``, at least one of them changed.

        A method pairs with itself too: of n methods with c changed ones, c*n - c*(c-1)/2 pairs. Names are those of an
        interface (see `touches`) and come back as they were given.
        """
        names = list(dict.fromkeys(methods))
        changed = {name for name in names if self.touches(name)}
        return [
            (first, second)
            for number, first in enumerate(names)
            for second in names[number:]
            if first in changed or second in changed
        ]

    def touches(self, method: str) -> bool:
        """Whether a method of the interface is changed."""
        changed = self.changed_methods | self.changed_beside
        return any(name.rpartition(".")[2] in changed for name in methods_of(method))

    def line_map(self, side: Side) -> dict[Place, Place]:
        """(file, line) of ``side`` -> the matched (file, line) of the other version; files as seen from the roots."""
        return self.old_to_new if side == "old" else self.new_to_old

    def changed_lines(self, side: Side) -> dict[str, frozenset[int]]:
        """Per file, the changed lines of ``side`` (CAPP, section 3.1: what impacted code points start from)."""
        lines: dict[str, set[int]] = {}
        for statement in self.old_statements if side == "old" else self.new_statements:
            lines.setdefault(statement.file, set()).update(range(statement.first, statement.last + 1))
        return {file: frozenset(numbers) for file, numbers in lines.items()}

    @property
    def is_empty(self) -> bool:
        """Whether no method of the subject is touched in any way."""
        return not (self.changed_methods or self.added_methods or self.removed_methods)
