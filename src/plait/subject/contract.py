"""The thread-safety contract of a class, as its author has written it down.

The settings say it per method (``"*"`` is every other one), and so may docstrings: a line ``Thread safety: atomic`` in
that of the class or of a method. The words are those of the official guide to free-threading.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.subject.source import Module

IMMUTABLE, LOCAL, ATOMIC = "immutable", "thread-local", "atomic"
INTERNAL, EXTERNAL = "internally synchronised", "externally synchronised"
LEVELS = (IMMUTABLE, LOCAL, ATOMIC, INTERNAL, EXTERNAL)
_SHAREABLE = frozenset({IMMUTABLE, ATOMIC, INTERNAL})  # calls at the same time are promised to be safe
EVERY = "*"
_STATED = re.compile(
    r"^\s*thread[ -]safety:\s*(immutable|thread-local|atomic|(?:in|ex)ternally synchroni[sz]ed)\b",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Contract:
    """A level per method; ``"*"`` stands for those that are not named. ``source`` says where it is written."""

    levels: Mapping[str, str] = field(default_factory=dict)
    source: str = ""

    def __bool__(self) -> bool:
        return bool(self.levels)

    def level(self, method: str) -> str | None:
        """Return the level of a method; None if none is stated."""
        plain = method.rpartition(".")[2] if method not in self.levels else method
        return self.levels.get(plain, self.levels.get(EVERY))

    def covers(self, methods: Iterable[str]) -> bool:
        """Return whether all these methods are stated to be safe at the same time."""
        return all(self.level(each) in _SHAREABLE for each in methods)

    def apart(self, methods: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """Return the pairs of methods that are not stated to be safe at the same time."""
        pairs = combinations_with_replacement(sorted(set(methods)), 2)
        return tuple(each for each in pairs if not self.covers(each))


def canonical_level(text: str) -> str | None:
    """Return one of `LEVELS`, however it is spelt; None if it is none of them."""
    found = " ".join(text.lower().replace("synchronized", "synchronised").split())
    return found if found in LEVELS else None


def stated_in(module: Module, qualname: str) -> Contract:
    """Return the contract that the docstrings of a class, or of a module's functions, state."""
    nodes = module.classes(qualname) if qualname else [module.tree]
    if not nodes:
        return Contract()
    owner = nodes[-1]
    levels = {}
    if (said := _level_in(owner)) is not None:
        levels[EVERY] = said
    for part in owner.body:
        if isinstance(part, ast.FunctionDef) and (said := _level_in(part)) is not None:
            levels[part.name] = said
    return Contract(levels, "docstring") if levels else Contract()


def _level_in(node: ast.ClassDef | ast.FunctionDef | ast.Module) -> str | None:
    found = _STATED.search(ast.get_docstring(node) or "")
    return canonical_level(found[1]) if found is not None else None
