"""Values of common shapes, for methods that have refused all that was tried so far.

A text may have to be a time, a date, a number, an address or a document; a function may have to return something that
can be iterated over. Nothing says so but the exception. These values are given only while no call of a method has ever
returned, so that they cost nothing where the first guess was right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.generate.values.value import Value, literal

if TYPE_CHECKING:
    from collections.abc import Collection

_RECORDER = ("from plait.generate.callables import Recorder",)

_SHAPES = (
    # texts: words, numbers, yes and no, times and dates, names with parts, addresses, documents
    "'ab'", "'1'", "'true'", "'10:30'", "'2020-01-02'", "'1 a'", "'a=1'", "'a.b'", "'a:b'", "'A'", "'/a'", "'.'", "'*'",
    "'http://localhost/a'", "'127.0.0.1'", "'a@b.c'", "'text/plain'", "'{\"a\": 1}'", "'a,b'", "'utf-8'",
    # numbers at the edges of what is allowed
    "0", "1", "10", "1000", "-1", "0.5", "1.0", "True",
    "b'ab'", "b'1'", "[]", "[1, 2]", "['a', 'b']", "[('a', 1)]", "('a', 1)", "(1, 2)", "{}", "{'a': {}}", "{'a': 'b'}",
    "{1, 2}", "int", "dict", "None",
)  # fmt: skip
_FUNCTIONS = (
    Value("Recorder('g', [1])", "callable", _RECORDER), Value("Recorder('g', 'a')", "callable", _RECORDER),
    Value("Recorder('g', True)", "callable", _RECORDER), Value("Recorder('g', {'a': 1})", "callable", _RECORDER),
)  # fmt: skip
WIDER = (*map(literal, _SHAPES), *_FUNCTIONS)


def wider(kinds: Collection[str] | None) -> list[Value]:
    """Return values of these kinds; of every kind for None."""
    return [each for each in WIDER if kinds is None or each.kind in kinds]
