"""An argument as source text."""

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
    """An expression, the imports it needs, and the kind that feedback accepts or rejects: ``int``, ``callable``..."""

    text: str
    kind: str
    imports: tuple[str, ...] = ()


def literal(text: str) -> Value:
    """Return the value of an expression that needs no import."""
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
    """Return whether the text can be read without running anything."""
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
# The values that one parameter may take, and which kinds of them have turned out to fit.


_RANK = (1.0, 0.8, 0.6, 0.45, 0.35)
_LAST_RANK = 0.25
_REFUSED = 6
"""Calls of a method that raised, none having returned, before values of other shapes are tried."""


@dataclass(slots=True)
class Scores:
    """How often each kind of value was accepted and rejected."""

    accepted: dict[str, int] = field(default_factory=dict)
    rejected: dict[str, int] = field(default_factory=dict)

    def weight(self, kind: str) -> float:
        """Between 0 and 1: one for a kind that was never rejected, falling with each rejection."""
        good = self.accepted.get(kind, 0) + 1
        return good / (good + 2 * self.rejected.get(kind, 0))


@dataclass(slots=True)
class Pool:
    """Values, simplest first. ``anything`` marks a parameter whose type nobody states.

    ``spare`` values take over while every kind among the values has only been rejected. ``failed`` counts, while no
    call of the method has returned at all, how often one with a certain value failed; ``further`` values join in then.
    """

    values: tuple[Value, ...]
    scores: Scores = field(default_factory=Scores)
    role: str | None = None
    anything: bool = False
    spare: tuple[Value, ...] = ()
    failed: dict[str, int] = field(default_factory=dict)
    further: tuple[Value, ...] = ()

    def choose(self, random: Random, *, without: Iterable[str] = ()) -> Value | None:
        """Return a value, the simple and proven ones more often; None if all are of the kinds to do without."""
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
        """Whether so many calls have failed, and none returned, that other values are worth trying."""
        return sum(self.failed.values()) >= _REFUSED

    def _weight(self, value: Value) -> float:
        """Return the weight of a kind; of single values, too, while nothing that was given has ever worked."""
        refusals = self.failed.get(value.text, 0) if self.is_refused else 0
        # The kind is no help then: a text that fits is of the kind that was rejected with all others.
        return 1 / (1 + refusals) ** 2 if self.is_refused else self.scores.weight(value.kind)

    def fail(self, value: Value) -> None:
        """Note that a call with this value raised, of a method that has never returned."""
        self.failed[value.text] = self.failed.get(value.text, 0) + 1

    def succeed(self, value: Value) -> None:
        """Note that a call with this value returned: it is kept, and the search for others is over."""
        if self.is_refused and value in self.further and value not in self.values:
            self.values = (value, *self.values)
        self.failed.clear()

    def accept(self, kind: str) -> None:
        """Note that a call with a value of this kind went well."""
        self.scores.accepted[kind] = self.scores.accepted.get(kind, 0) + 1

    def reject(self, kind: str) -> None:
        """Note that a call with a value of this kind failed at once, as calls with the wrong type do."""
        self.scores.rejected[kind] = self.scores.rejected.get(kind, 0) + 1

    def proven(self, kind: str) -> bool:
        """Return whether a call with a value of this kind ever went well."""
        return self.scores.accepted.get(kind, 0) > 0
