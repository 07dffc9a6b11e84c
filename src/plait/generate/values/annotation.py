"""Values for a parameter, from its annotation.

Annotations are read as source text, so that a name that cannot be resolved affects only its part of the annotation.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from plait.generate.values.value import Value, literal

Build = Callable[[str], list[Value] | None]
"""Makes values for a name that this module does not know; None if the name says nothing (a type variable)."""

_SCALARS: dict[str, tuple[str, ...]] = {
    "int": ("1", "2", "0"),
    "float": ("0.5", "1.0", "0.0"),
    "complex": ("1j",),
    "bool": ("True", "False"),
    "str": ("'a'", "'b'", "''"),
    "LiteralString": ("'a'", "'b'"),
    "AnyStr": ("'a'", "'b'"),
    "bytes": ("b'a'", "b''"),
    "bytearray": ("bytearray(b'a')",),
    "memoryview": ("memoryview(b'a')",),
    "ReadableBuffer": ("b'a'",),
    "WriteableBuffer": ("bytearray(b'ab')",),
    "SupportsIndex": ("0", "1"),
    "SupportsInt": ("1", "2"),
    "SupportsFloat": ("1.0", "2"),
    "Number": ("1", "0.5"),
    "Real": ("1", "0.5"),
    "Hashable": ("'a'", "1", "'b'"),
    "None": ("None",),
    "NoneType": ("None",),
    "StrPath": ("'./plait-a'",),
    "PathLike": ("'./plait-a'",),
    "slice": ("slice(0, 1)", "slice(None)"),
    "Exception": ("ValueError('a')", "KeyError('b')"),
    "BaseException": ("ValueError('a')",),
}
_THING = Value("Thing", "type", ("from plait.generate.callables import Thing",))
"""A class whose instances are never equal: a test shows if two were made instead of one."""
_FRESH = Value("fresh", "callable", ("from plait.generate.callables import fresh",))
_SILENT = {"Any", "object", "Incomplete", "Unused", "T", "Unknown"}
_LISTS = {
    "list", "List", "Sequence", "MutableSequence", "Iterable", "Collection", "Container", "Reversible", "Sized",
    "deque", "Deque", "UserList",
}  # fmt: skip
_SETS = {"set", "Set", "AbstractSet", "MutableSet", "KeysView"}
_FROZEN = {"frozenset", "FrozenSet"}
_DICTS = {
    "dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict", "SupportsKeysAndGetItem",
    "UserDict",
}  # fmt: skip
_ITERATORS = {"Iterator", "Generator"}
_TYPES = {"type", "Type"}
_WRAPPERS = {"Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar", "Awaitable"}
_CALLABLES = {"Callable", "callable", "FunctionType", "MethodType", "function"}


def by_annotation(text: str, build: Build) -> list[Value] | None:
    """Return values of the annotated type, simplest first.

    The result is None if the annotation allows anything, and [] if no value is known to fit.
    """
    try:
        return _values(ast.parse(text, mode="eval").body, build)
    except SyntaxError:
        return None


def by_members(text: str, build: Build) -> list[Value]:
    """Return values of those members of a union that say what they allow; empty if the annotation is no union."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return []
    sides = [_values(each, build) or [] for each in _members(node)]
    return _in_turns([[each for each in side if each.kind != "None"] for side in sides])


def _members(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [each for side in (left, right) for each in _members(side) or [side]]
        case ast.Subscript(value=head, slice=inside) if _name(head) in ("Union", "Optional"):
            return list(inside.elts) if isinstance(inside, ast.Tuple) else [inside]
    return []


def _in_turns(sides: list[list[Value]]) -> list[Value]:
    """Return the first values of each side, then the second ones, and so on."""
    return [side[index] for index in range(max(map(len, sides), default=0)) for side in sides if index < len(side)]


def _values(node: ast.expr, build: Build) -> list[Value] | None:
    match node:
        case ast.Constant(value=None):
            return [literal("None")]
        case ast.Constant(value=str(text)):
            return by_annotation(text, build)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _union([left, right], build)
        case ast.Call(func=ast.Name(id="ForwardRef"), args=[ast.Constant(value=str(text)), *_]):
            return by_annotation(text, build)  # how `typing` shows an annotation that is a string
        case ast.Subscript(value=head, slice=inside):
            arguments = list(inside.elts) if isinstance(inside, ast.Tuple) else [inside]
            return _generic(_name(head), ast.unparse(head), arguments, build)
        case ast.Name() | ast.Attribute():
            return _generic(_name(node), ast.unparse(node), [], build)
        case _:
            return None


def _name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _generic(name: str, dotted: str, arguments: list[ast.expr], build: Build) -> list[Value] | None:
    if name in _SILENT:
        return None
    if name in _SCALARS:
        return [literal(text) for text in _SCALARS[name]]
    if name == "Literal":
        return [literal(ast.unparse(each)) for each in arguments]
    if name == "Optional":
        return _union([*arguments, ast.Constant(None)], build)
    if name == "Union":
        return _union(arguments, build)
    if name in _WRAPPERS and arguments:
        return _values(arguments[0], build)
    if name in _CALLABLES:
        return [Value("lambda *args, **kwargs: None", "callable"), _returning(arguments, build)]
    if name in _TYPES:
        return _classes(arguments, build) or [_THING, *(Value(text, "type") for text in ("int", "str", "dict"))]
    elements = [_some(each, build) for each in arguments]
    first = elements[0] if elements else _some(None, build)
    if name in _LISTS:
        return [*_lists(first), literal("[]")]
    if name in _ITERATORS:
        return [_display("iter([{}])", first[:2])]
    if name in _SETS:
        return [_display("{{{}}}", first[:2]), _display("{{{}}}", first[:1]), literal("set()")]
    if name in _FROZEN:
        return [_display("frozenset([{}])", first[:2])]
    if name in _DICTS:
        return _mappings(first, elements[1] if len(elements) > 1 else [literal("1"), literal("2")])
    if name in {"tuple", "Tuple"}:
        return _tuples(arguments, elements)
    return build(dotted)


def _union(members: list[ast.expr], build: Build) -> list[Value] | None:
    """Return values of each member in turn, or None if one of the members allows anything."""
    sides = [_values(each, build) for each in members]
    if any(side is None for side in sides):
        return None
    known: list[list[Value]] = [side for side in sides if side is not None]
    turns = _in_turns(known)
    # None mostly means that no value is given: it comes after one value of every other member.
    nothing = [each for each in turns if each.kind == "None"]
    others = [each for each in turns if each.kind != "None"]
    return [*others[: len(known)], *nothing, *others[len(known) :]]


def _some(node: ast.expr | None, build: Build) -> list[Value]:
    found = _values(node, build) if node is not None else None
    return found or [literal("'a'"), literal("'b'")]


def _classes(arguments: list[ast.expr], build: Build) -> list[Value]:
    """Return the classes that fit ``type[...]`` with this argument."""
    named = arguments[0] if len(arguments) == 1 else None
    if isinstance(named, ast.Name) and isinstance(vars(builtins).get(named.id), type) and named.id != "object":
        return [Value(named.id, "type")]
    if not isinstance(named, ast.Name | ast.Attribute) or _name(named) in (*_SCALARS, *_SILENT):
        return []
    made = build(ast.unparse(named)) or []
    calls = [(each, ast.parse(each.text, mode="eval").body) for each in made]
    found = {
        ast.unparse(call.func): Value(ast.unparse(call.func), "type", each.imports)
        for each, call in calls
        if isinstance(call, ast.Call)
    }
    return list(found.values())


def _display(pattern: str, values: list[Value]) -> Value:
    text = pattern.format(", ".join(each.text for each in values))
    imports = tuple(sorted({line for each in values for line in each.imports}))
    kind = {"[": "list", "{": "set", "i": "iterator", "f": "frozenset"}[pattern[0]]
    return Value(text, kind, imports)


def _lists(elements: list[Value]) -> list[Value]:
    """Return a list of two elements, one of the first, and one of the second if that is an object.

    Two objects may not fit together, or one of them may be rejected: then the lists of one are still usable.
    """
    objects = [[each] for each in elements[1:2] if each.imports]
    return [_display("[{}]", each) for each in [elements[:2], elements[:1], *objects]]


def _mappings(keys: list[Value], values: list[Value]) -> list[Value]:
    pairs = list(zip(keys, values, strict=False))[:2]
    imports = tuple(sorted({line for pair in pairs for each in pair for line in each.imports}))
    shown = [f"{key.text}: {value.text}" for key, value in pairs]
    full = Value("{" + ", ".join(shown) + "}", "dict", imports)
    return [Value("{" + shown[0] + "}", "dict", imports), literal("{}"), full]


def _tuples(arguments: list[ast.expr], elements: list[list[Value]]) -> list[Value]:
    repeated = len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is ...
    if repeated:
        columns: list[list[Value]] = [elements[0], elements[0][1:] or elements[0]]
    else:
        columns = elements or [[literal("'a'"), literal("'b'")], [literal("1"), literal("2")]]
    rows: list[list[Any]] = [[column[min(index, len(column) - 1)] for column in columns] for index in range(2)]
    found = []
    for row in rows:
        imports = tuple(sorted({line for each in row for line in each.imports}))
        found.append(Value("(" + ", ".join(each.text for each in row) + ("," if len(row) == 1 else "") + ")",
                           "tuple", imports))  # fmt: skip
    return found


def _returning(arguments: list[ast.expr], build: Build) -> Value:
    """Return a callable that returns a value of the annotated result type; a new object if it may be anything."""
    if len(arguments) == 2 and isinstance(arguments[1], ast.UnaryOp):  # a type variable, as `typing` shows it
        return _FRESH
    promised = _some(arguments[1], build)[0] if len(arguments) == 2 else literal("1")
    return Value(f"lambda *args, **kwargs: {promised.text}", "callable", promised.imports)
