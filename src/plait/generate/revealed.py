"""What the state of an object tells: keys, names and parts that its methods may be asked for.

A method that takes the name of a session, a column or a plug-in finds only what is there. What is there is written in
the state: as keys of dictionaries, as elements of lists, as texts of the parts. It reaches the generator, which runs
elsewhere than the object, as the message of an error.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import types
from typing import Any

from plait.model.foreign import attributes_of

IMPORT = "from plait.generate.revealed import reveal, reveal_parts"
_MOST_VALUES = 10
_MOST_TEXT = 180
"""Characters of a message that reach the generator."""
_LONGEST = 24
_DEPTH = 3
_WIDTH = 8
"""Elements of one collection that are looked at."""
_TABLES = (dict, list, tuple, set, frozenset)
"""What a class has as a constant: its keys and elements are values as well."""
_MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict)
_SEQUENCES = (list, tuple, set, frozenset, collections.deque)


_MOST_PARTS = 4
_TELLING = frozenset({"identifier", "id", "ident", "uid", "uuid", "key", "name", "token", "number", "handle", "tag"})


class RevealedError(Exception):
    """Carries a list of expressions."""


def reveal(owner: object) -> None:
    """Raise `RevealedError` with expressions for what the state of ``x`` has."""
    found: list[str] = []
    for text in dict.fromkeys([*_keys(owner), *_parts(owner)]):
        if len(found) < _MOST_VALUES and len(repr([*found, text])) <= _MOST_TEXT:
            found.append(text)
    raise RevealedError(repr(found))


def reveal_parts(owner: object, name: str) -> None:
    """Raise `RevealedError` with expressions for the plain attributes of a result that is bound to this ``name``.

    Those that are named for what tells things apart come first: a method is asked for the ``identifier`` of a node that
    another one has made, not for the node.
    """
    found: list[str] = []
    public = [each for each in dir(owner) if not each.startswith("_")]
    for each in sorted(public, key=lambda each: (_TELLING.isdisjoint(each.lower().split("_")), each)):
        with contextlib.suppress(Exception):  # a property of code under test may raise anything
            if len(found) < _MOST_PARTS and type(getattr(owner, each)) in (str, int, bytes, tuple):
                found.append(f"{name}.{each}")
    raise RevealedError(repr(found))


def revealed(message: str) -> list[str]:
    """Return the expressions in the message of a `RevealedError`."""
    try:
        found = ast.literal_eval(message)
    except (ValueError, SyntaxError):
        return []
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _parts(owner: object) -> list[str]:
    """Return the public attributes of ``x`` that hold objects of the code under test."""
    known = {name: each for name, each in _attributes(owner).items() if not name.startswith("_")}
    return [f"x.{name}" for name, each in known.items() if _attributes(each) and type(each).__module__ != "builtins"]


def _attributes(owner: object) -> dict[str, Any]:
    return {name: each for name, each in (attributes_of(owner) or {}).items() if type(name) is str}


def _keys(owner: object) -> list[str]:
    """Return the constants in the state, keys of dictionaries first."""
    keys: list[Any] = []
    others: list[Any] = []
    constants = [each for kind in type(owner).__mro__[:-1] for each in vars(kind).values() if type(each) in _TABLES]
    pending = [(each, 0) for each in (*_attributes(owner).values(), *constants)]
    seen: set[int] = set()
    while pending:
        value, depth = pending.pop(0)
        if id(value) in seen or depth > _DEPTH:
            continue
        seen.add(id(value))
        if type(value) in _MAPPINGS:
            names = list(value)[:_WIDTH]
            keys += names
            keys += [part for each in names if type(each) is tuple for part in each]
            pending += [(each, depth + 1) for each in list(value.values())[:_WIDTH]]
        elif type(value) in _SEQUENCES:
            inside = list(value)[:_WIDTH]
            others += inside
            pending += [(each, depth + 1) for each in inside]
        elif not isinstance(value, type | types.ModuleType):
            others += [each for name, each in _attributes(value).items() if not name.startswith("__")]
    return [repr(each) for each in (*keys, *others) if _is_plain(each)]


def _is_plain(value: Any) -> bool:
    return type(value) in (str, int, float, bytes) and 0 < len(repr(value)) <= _LONGEST
