"""An argument as source text."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Value:
    """An expression, the imports it needs, and the kind that feedback accepts or rejects: ``int``, ``callable``..."""

    text: str
    kind: str
    imports: tuple[str, ...] = ()


def literal(text: str) -> Value:
    """The value of an expression that needs no import."""
    return Value(text, kind_of(text))


def kind_of(text: str) -> str:
    """The kind of an expression, from its syntax alone."""
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


def is_literal(text: str) -> bool:
    """Whether the text can be read without running anything."""
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


RECEIVER = "x"
"""The variable that holds the object under test in every generated test."""

OWN = Value(RECEIVER, "own")
"""The receiver itself as an argument."""
