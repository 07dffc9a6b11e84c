"""Canonical values and results (see `plait.observe.canonical`) as text for people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from plait.judge.difference.outcome import Attribute, has_state
from plait.judge.oracle.specification import CallResult
from plait.model.foreign import Canonical


def with_article(name: str) -> str:
    """Return the name of a class as a name for one of its instances: ``an Item``."""
    return f"{'an' if name[:1] in 'AEIOaeio' else 'a'} {name}"


def shown_result(result: CallResult, telling: Collection[Attribute] = ()) -> str:
    """Return a canonical result as text, with the attributes in ``telling``."""
    if result[0] == "raised":
        return f"raises {result[1]}"
    if result[0] == "returned":
        return f"returns {plain(result[1], telling)}"
    if result[0] == "is":
        return f"is {plain(result[1], telling)}"
    words = {"unfinished": "never returns", "done": "returns", "blocked": "waits for ever", "endless": "does not end"}
    return words.get(result[0], str(result[0]))


def plain(value: Any, telling: Collection[Attribute] = ()) -> str:
    """Return a canonical value as a person would write it: objects by class, with their attributes in ``telling``."""
    if not isinstance(value, tuple):
        return repr(value)
    kind, *rest = value or ("?",)
    if not isinstance(kind, str):  # a sequence of values, not a pair of kind and content
        return _joined(value, telling)
    if kind == "str":
        return repr(rest[0])
    if kind == "float":
        return str(rest[0])
    if kind == "bytes":
        return repr(bytes.fromhex(rest[0]))
    if kind == "tuple":
        return "(" + _joined(rest, telling) + ("," if len(rest) == 1 else "") + ")"
    if kind == "enum":
        return ".".join(map(str, rest))
    if kind in ("named", "value", "variable"):
        return _own(str(rest[-1]))
    content = _content_of(kind, rest, telling)
    if content:
        return content
    state = [
        f"{name}={plain(held, telling)}"
        for name, held in (value[-1][1:] if has_state(value) else ())
        if (kind, name) in telling
    ]
    return f"{kind}({', '.join(state)})" if state else with_article(kind)


def _content_of(kind: str, parts: list[Any], telling: Collection[Attribute]) -> str:
    """Return a container, whose content is the first part of its canonical value; empty for anything else."""
    what, *content = parts[0] if parts and isinstance(parts[0], tuple) and parts[0] else ("",)
    if what == "items":
        said = f"[{_joined(content, telling)}]" if kind in ("list", "deque") else _joined(content, telling)
    elif what == "set":
        said = "{" + _joined(content, telling) + "}" if content else ""
    elif what == "mapping":
        said = "{" + ", ".join(f"{plain(key, telling)}: {plain(held, telling)}" for key, held in content) + "}"
    else:
        return ""
    return said if said and kind in ("list", "set", "dict") else f"{kind}({said})"


def _joined(values: Iterable[Any], telling: Collection[Attribute]) -> str:
    return ", ".join(plain(each, telling) for each in values)


def telling_attributes(values: Iterable[Canonical]) -> frozenset[Attribute]:
    """Return the attributes in which values differ that have the same text: only these tell them apart."""
    alike: dict[str, dict[Canonical, None]] = {}
    for value in values:
        alike.setdefault(plain(value), {})[value] = None
    found: set[Attribute] = set()
    for group in alike.values():
        held = [_held(each) for each in group] if len(group) > 1 else []
        found |= {name for each in held for name in each if any(other.get(name) != each[name] for other in held)}
    return frozenset(found)


def _held(value: Any) -> dict[Attribute, list[Canonical]]:
    """Return what the attributes of a value and of its parts hold, in the order of the canonical form."""
    found: dict[Attribute, list[Canonical]] = {}
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if type(each) is tuple and each:
            waiting += each
            for name, held in each[-1][1:] if has_state(each) else ():
                found.setdefault((each[0], name), []).append(held)
    return found


def _own(name: str) -> str:
    """Return a name without the function that plait puts a test's line into: what a line defines is its own."""
    return name.removeprefix("step.<locals>.")


# -- values of limited length and depth --------------------------------------------------------------------------------


_LONG = 80


def shown_value(value: Any) -> str:
    """Return a short text for a canonical value; deep parts are abbreviated."""
    text = _shown(value, 3)
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def _shown(value: Any, depth: int) -> str:
    if not isinstance(value, tuple) or not value:
        return repr(value)
    kind, *rest = value
    if kind in _SIMPLE and rest:
        return _SIMPLE[kind](rest)
    if kind == "tuple":
        return "(" + _listed(rest, depth) + ("," if len(rest) == 1 else "") + ")"
    if kind == "exception":
        return f"{rest[0]}({_listed(rest[1:], depth)})"
    if kind == "primitive":
        return "a lock"
    if not isinstance(kind, str):
        return ", ".join(_shown(part, depth) for part in value)
    if kind in _CONTENTS:
        return _content(value, depth)
    return _object(kind, rest, depth) if depth else with_article(kind)


_SIMPLE: dict[str, Callable[[list[Any]], str]] = {
    "str": lambda rest: repr(rest[0]), "float": lambda rest: str(rest[0]), "bytes": lambda rest: repr(_bytes(rest[0])),
    "enum": lambda rest: ".".join(map(str, rest)), "named": lambda rest: _own(str(rest[0])),
    "value": lambda rest: str(rest[-1]), "opaque": lambda rest: with_article(str(rest[0])), "same": lambda _rest: "...",
    "method": lambda rest: str(rest[0]), "address": lambda _rest: "an address",
}  # fmt: skip


def _bytes(text: Any) -> bytes:
    return bytes.fromhex(text) if isinstance(text, str) else b""


def _listed(parts: Any, depth: int) -> str:
    return ", ".join(_shown(part, depth - 1) for part in parts)


def _object(kind: str, parts: list[Any], depth: int) -> str:
    contents = [_content(part, depth) for part in parts if isinstance(part, tuple) and part]
    if kind in ("list", "dict", "set", "deque") and len(contents) == 1:
        return contents[0]
    return f"{kind}({', '.join(contents)})" if contents else with_article(kind)


_CONTENTS = frozenset({"mapping", "items", "set", "state"})


def _content(part: Any, depth: int) -> str:
    what, *rest = part
    if what == "mapping":
        return "{" + ", ".join(f"{_shown(key, depth - 1)}: {_shown(held, depth - 1)}" for key, held in rest) + "}"
    if what == "items":
        return f"[{_listed(rest, depth)}]"
    if what == "set":
        return "{" + _listed(rest, depth) + "}" if rest else "set()"
    if what == "bytes":
        return repr(_bytes(rest[0]))
    if what == "state":
        return ", ".join(f"{name}={_shown(held, depth - 1)}" for name, held in rest if held != ("primitive",))
    return _shown(part, depth)
