"""What a user may say about a subject that its code does not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Hints:
    """Knowledge for one subject.

    ``factories`` are expressions that build the receiver and replace the constructors. ``values`` gives expressions
    for a parameter (``"key"``) or for one method's (``"put.key"``), and replaces all others. ``not_parallel`` holds
    pairs of methods that no test runs at the same time. Where ``only`` names methods, tests call no others.
    """

    imports: tuple[str, ...] = ()
    factories: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    not_parallel: tuple[tuple[str, str], ...] = ()
    only: tuple[str, ...] = ()

    def leaves_out(self, method: str) -> bool:
        """Whether no test is to call the method."""
        return method in self.exclude or (bool(self.only) and method not in self.only)
