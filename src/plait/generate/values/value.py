"""Arguments as source text, and the pools of values that parameters draw from."""

from __future__ import annotations

import ast
import builtins
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random


@dataclass(frozen=True, slots=True)
class Value:
    """An expression with its kind (``int``, ``callable``...), which feedback accepts or rejects, and its imports."""

    text: str
    kind: str
    imports: tuple[str, ...] = ()


def literal(text: str) -> Value:
    """Return the `Value` of an expression that needs no import."""
    return Value(text, kind_of(text))


def kind_of(text: str) -> str:
    """Return the kind of an expression, from its syntax alone."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return "expression"
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    match node:
        case ast.Constant(value=value):
            return "None" if value is None else type(value).__name__
        case ast.List() | ast.ListComp():
            return "list"
        case ast.Tuple():
            return "tuple"
        case ast.Dict() | ast.DictComp():
            return "dict"
        case ast.Set() | ast.SetComp():
            return "set"
        case ast.Lambda():
            return "callable"
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
        case ast.Name(id=name):
            known = getattr(builtins, name, None)
            return "type" if isinstance(known, type) else "callable" if callable(known) else "expression"
        case _:
            return "expression"


@functools.lru_cache(maxsize=8192)
def is_literal(text: str) -> bool:
    """Return whether the text is a literal, as `ast.literal_eval` defines it."""
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


RECEIVER = "x"
"""The variable that holds the object under test in every generated test."""

OWN = Value(RECEIVER, "own")
"""The receiver itself as an argument."""


# -- pool --------------------------------------------------------------------------------------------------------------
# The values that one parameter may take, and feedback on which kinds of them fit.


_RANK = (1.0, 0.8, 0.6, 0.45, 0.35)
"""Weights of the first values of a pool: the simplest values are drawn most often."""
_LAST_RANK = 0.25
_REFUSED = 6
"""Calls of a method that raised, none having returned, before values of other shapes are tried."""


@dataclass(slots=True)
class Scores:
    """How often each kind of value was accepted and rejected."""

    accepted: dict[str, int] = field(default_factory=dict)
    rejected: dict[str, int] = field(default_factory=dict)

    def weight(self, kind: str) -> float:
        """Return a weight between 0 and 1: 1 for a kind that was never rejected, less with each rejection."""
        good = self.accepted.get(kind, 0) + 1
        return good / (good + 2 * self.rejected.get(kind, 0))


@dataclass(slots=True)
class Pool:
    """The values of one parameter, simplest first. ``anything`` means that its type is unknown.

    ``spare`` values are added while every kind among the values has been rejected and none accepted. ``failed`` counts,
    while no call of the method has returned, the failed calls by value. If there are enough of them, the ``further``
    values are added.
    """

    values: tuple[Value, ...]
    scores: Scores = field(default_factory=Scores)
    role: str | None = None
    anything: bool = False
    spare: tuple[Value, ...] = ()
    failed: dict[str, int] = field(default_factory=dict)
    further: tuple[Value, ...] = ()

    def choose(self, random: Random, *, without: Iterable[str] = ()) -> Value | None:
        """Return a random value, more often a simple and proven one; None if all are of kinds in ``without``."""
        hopeless = all(self.scores.rejected.get(each.kind, 0) and not self.proven(each.kind) for each in self.values)
        values = (*self.spare, *self.values) if hopeless and self.spare else self.values
        if self.is_refused:
            known = {each.text for each in values}
            values = (*values, *(each for each in self.further if each.text not in known))
        fitting = [
            (value, self._weight(value) * (_RANK[rank] if rank < len(_RANK) else _LAST_RANK))
            for rank, value in enumerate(values)
            if value.kind not in without
        ]
        if not fitting:
            return None
        return random.choices([value for value, _ in fitting], [weight for _, weight in fitting])[0]

    @property
    def is_refused(self) -> bool:
        """True if so many calls have failed, and none has returned, that other values are worth trying."""
        return sum(self.failed.values()) >= _REFUSED

    def _weight(self, value: Value) -> float:
        """Return the weight of the value's kind, or while no call has returned, of the value itself."""
        refusals = self.failed.get(value.text, 0) if self.is_refused else 0
        # The kind does not help then: a text that fits has the same kind as those that were rejected.
        return 1 / (1 + refusals) ** 2 if self.is_refused else self.scores.weight(value.kind)

    def fail(self, value: Value) -> None:
        """Record that a call with this value raised, while no call of the method has ever returned."""
        self.failed[value.text] = self.failed.get(value.text, 0) + 1

    def succeed(self, value: Value) -> None:
        """Record that a call with this value returned: keep the value, and stop trying further ones."""
        if self.is_refused and value in self.further and value not in self.values:
            self.values = (value, *self.values)
        self.failed.clear()

    def accept(self, kind: str) -> None:
        """Record that a call with a value of this kind returned."""
        self.scores.accepted[kind] = self.scores.accepted.get(kind, 0) + 1

    def reject(self, kind: str) -> None:
        """Record that a call with a value of this kind failed as calls with a wrong type do."""
        self.scores.rejected[kind] = self.scores.rejected.get(kind, 0) + 1

    def proven(self, kind: str) -> bool:
        """Return whether a call with a value of this kind has ever returned."""
        return self.scores.accepted.get(kind, 0) > 0
