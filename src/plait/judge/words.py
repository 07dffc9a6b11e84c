"""Canonical values and results as people would write them."""

from __future__ import annotations

from typing import Any

from plait.judge.specification import Result


def shown_result(result: Result) -> str:
    """A canonical result in words."""
    if result[0] == "raised":
        return f"raises {result[1]}"
    if result[0] == "returned":
        return f"returns {plain(result[1])}"
    words = {"unfinished": "never returns", "done": "returns", "blocked": "waits for ever", "endless": "does not end"}
    return words.get(result[0], str(result[0]))


def plain(value: Any) -> str:
    """A canonical value as people would write it."""
    if not isinstance(value, tuple):
        return repr(value)
    kind, *rest = value or ("?",)
    if kind == "str":
        return repr(rest[0])
    if kind == "float":
        return str(rest[0])
    if kind == "bytes":
        return repr(bytes.fromhex(rest[0]))
    if kind == "tuple":
        return "(" + ", ".join(plain(part) for part in rest) + ("," if len(rest) == 1 else "") + ")"
    if kind == "list" and rest and rest[0][:1] == ("items",):
        return "[" + ", ".join(plain(part) for part in rest[0][1:]) + "]"
    if kind in ("dict", "OrderedDict") and rest and rest[0][:1] == ("mapping",):
        return "{" + ", ".join(f"{plain(key)}: {plain(held)}" for key, held in rest[0][1:]) + "}"
    if kind == "set" and rest and rest[0][:1] == ("set",):
        return "{" + ", ".join(plain(part) for part in rest[0][1:]) + "}" if len(rest[0]) > 1 else "set()"
    if kind in ("named", "value", "enum", "variable"):
        return str(rest[-1])
    return f"a {kind}"
