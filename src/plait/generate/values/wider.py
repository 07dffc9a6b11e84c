"""Values for methods that have rejected all earlier ones: values of many shapes, and values that an error asks for.

A text may have to be a time, a date, a number, an address or a document; a function may have to return an iterable.
Often only the exception says so. These values are used only while no call of a method has ever returned, so they cost
nothing if the first values fit.
"""

from __future__ import annotations

import io
import re
import types
from typing import TYPE_CHECKING

from plait.generate.values.value import Value, literal

if TYPE_CHECKING:
    from collections.abc import Collection

_CALLABLES = "from plait.generate.callables import"
_RECORDER = (f"{_CALLABLES} Recorder",)

_SHAPES = (
    # texts: words, numbers, yes and no, times and dates, names with parts, addresses, documents
    "'ab'", "'1'", "'true'", "'10:30'", "'2020-01-02'", "'2100-01-02'", "'1 a'", "'a=1'", "'a.b'", "'a:b'", "'A'",
    "'/a'", "'.'", "'*'", "'http://localhost/a'", "'127.0.0.1'", "'a@b.c'", "'text/plain'", "'{\"a\": 1}'", "'a,b'",
    "'utf-8'", "'* * * * *'", "'1.2.3'", "'a/b'", "'a-b'", "'abcdefghij'",
    # numbers at the edges of what is allowed
    "0", "1", "10", "1000", "-1", "0.5", "1.0", "True",
    "b'ab'", "b'1'", "[]", "[1, 2]", "['a', 'b']", "[('a', 1)]", "('a', 1)", "(1, 2)", "{}", "{'a': 1}", "{'a': {}}",
    "{'a': 'b'}", "{'a': ['b']}", "{1, 2}", "int", "dict", "None",
)  # fmt: skip
_FUNCTIONS = (
    Value("Recorder('g', [1])", "callable", _RECORDER), Value("Recorder('g', 'a')", "callable", _RECORDER),
    Value("Recorder('g', b'a')", "callable", _RECORDER), Value("Recorder('g', True)", "callable", _RECORDER),
    Value("Recorder('g', {'a': 1})", "callable", _RECORDER),
)  # fmt: skip
_PARTS = (
    Value("io.BytesIO(b'ab')", "BytesIO", ("import io",)), Value("io.StringIO('ab')", "StringIO", ("import io",)),
    Value("Recorder('g').__call__", "method", _RECORDER), Value("bytearray(b'ab')", "bytearray"),
)  # fmt: skip
_ANY_CLASS = Value("Partner", "type", (f"{_CALLABLES} Partner",))
"""A class that can be called with anything, and whose instances take every call."""
_WIDER = (*map(literal, _SHAPES), *_FUNCTIONS, _ANY_CLASS, *_PARTS)


def wider(kinds: Collection[str] | None) -> list[Value]:
    """Return the values of these kinds, or of all kinds for None."""
    return [each for each in _WIDER if kinds is None or each.kind in kinds]


# -- what an error asks for --------------------------------------------------------------------------------------------
# Error messages that blame an argument: which kind of value was wrong, what it lacked, or which kind is wanted.


_TYPES = {
    "str": str, "dict": dict, "list": list, "int": int, "bytes": bytes, "callable": type(wider), "tuple": tuple,
    "set": set, "float": float, "type": type, "method": types.MethodType, "BytesIO": io.BytesIO,
    "StringIO": io.StringIO,
}  # fmt: skip
_KINDS = {
    "function": "callable", "builtin_function_or_method": "callable", "method": "callable", "Recorder": "callable",
    "NoneType": "None", "read-write bytes-like": "bytearray",
    "string": "str", "bytes-like": "bytes", "integer": "int", "number": "int", "real": "float",
    "mapping": "dict", "dictionary": "dict", "sequence": "list", "iterable": "list", "class": "type",
}  # fmt: skip
"""Names of types in error messages, with the kind of values that they mean."""
_MISSING = (
    (r"'([\w.]+)' object has no attribute '(\w+)'", ""),
    (r"'([\w.]+)' object is not iterable", "__iter__"),
    (r"cannot unpack non-iterable ([\w.]+) object", "__iter__"),
    (r"'([\w.]+)' object is not callable", "__call__"),
    (r"'([\w.]+)' object is not subscriptable", "__getitem__"),
    (r"'([\w.]+)' object does not support item assignment", "__setitem__"),
    (r"'([\w.]+)' object does(?: not|n't) support item deletion", "__delitem__"),
    (r"'([\w.]+)' object does not support the context manager protocol", "__enter__"),
    (r"object of type '([\w.]+)' has no len\(\)", "__len__"),
    (r"argument of type '([\w.]+)' is not (?:iterable|a container)", "__contains__"),
    (r"'([\w.]+)' object cannot be interpreted as an integer", "__index__"),
)
"""Messages that name the type of an object, and the attribute that it lacks (if the message does not say it)."""
_KIND = (
    r"(read-write bytes-like"
    r"|str|string|bytes-like|bytes|int|integer|number|real|float|list|tuple|dict|dictionary|mapping|sequence|iterable"
    r"|callable|set|class|type)\b"
)
_WANTED = (
    re.compile(rf"\b{_KIND}[\w\s-]*\bis required(?:, not '?([\w.]+))?"),
    re.compile(rf"(?:expected|must be|required|requires|should be)\D*?\b{_KIND}(?:.*?\b(?:not|got)\b '?([\w.]+))?"),
)
"""Messages that name the type that is wanted, and perhaps the type of the value that was given."""
_NO_FILE = re.compile(r"No such file or directory: '")
_FILE = Value("sample_file()", "str", (f"{_CALLABLES} sample_file",))
_NO_SQL = re.compile(r"near \".*\": syntax error|incomplete input|unrecognized token")
_SQL = [literal("'SELECT 1'"), literal("'CREATE TABLE IF NOT EXISTS a (b)'")]
_NO_TABLE = re.compile(r"dictionary update sequence element")
_UNHASHABLE = re.compile(r"unhashable type: '([\w.]+)'")
_NO_ARGUMENTS = re.compile(r"([\w.]+)\(\) takes no arguments")
_MOST = 5


def asked_for(message: str) -> tuple[str, str, list[Value]]:
    """Return the kind of the value that an error blames, the attribute that it lacks, and values to try instead.

    The kind is empty if the message does not name it; the attribute is empty if the message names a wanted type.
    """
    if _NO_FILE.search(message):
        return "str", "", [_FILE]
    if _NO_SQL.search(message):
        return "str", "", _SQL
    if _NO_TABLE.search(message):
        return "", "", _of(["dict"])
    if (found := _UNHASHABLE.search(message)) is not None:
        return _kind(found[1]), "", _of(["str", "int", "tuple"])
    for pattern, known in _MISSING:
        found = re.search(pattern, message)
        if found is not None:
            wrong, part = _kind(found[1]), known or found[2]
            kinds = [kind for kind, known_type in _TYPES.items() if part in dir(known_type) and kind != wrong]
            kinds = [kind for kind in kinds if kind != "method"] or kinds  # a method only if nothing else has the part
            return wrong, part, _of(kinds)
    for wanted in _WANTED:
        if (found := wanted.search(message)) is not None:
            return _kind(found[2] or ""), "", _of([_kind(found[1])])
    return ("type", "", [_ANY_CLASS]) if _NO_ARGUMENTS.search(message) else ("", "", [])


_NAMED = (
    re.compile(r"(?:argument|parameter|keyword|field)\W{1,3}(\w+)\W{0,2} (?:must|should|has|is|needs|cannot)"),
    re.compile(
        r"^\W?(\w+)\W{0,2} (?:argument |parameter )?(?:must|should|has to|needs to|is not a|is required|expected)"
    ),
)
"""Messages that name a parameter."""


def parameter_in(message: str) -> str | None:
    """Return the name of the parameter that an error is about; None if it names none."""
    found = (pattern.search(message) for pattern in _NAMED)
    return next((each[1] for each in found if each is not None), None)


def with_part(value: Value | None, part: str, name: str) -> Value:
    """Return a stand-in with this part, and with the parts of ``value`` if that is a stand-in."""
    before = value.text[:-1] if value is not None and value.kind == "Standin" else f"Standin({name!r}"
    return Value(f"{before}, {part!r})", "Standin", (f"{_CALLABLES} Standin",))


def _kind(name: str) -> str:
    return _KINDS.get(name, name)


def _of(kinds: list[str]) -> list[Value]:
    """Return a few values of these kinds, one of each kind first."""
    rows = [[each for each in _WIDER if each.kind == kind] for kind in kinds]
    return [row[at] for at in range(_MOST) for row in rows if at < len(row)][:_MOST]
