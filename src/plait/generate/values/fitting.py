"""Values that fit what the code does with a parameter: a text that a pattern matches, bytes that a format unpacks.

Names and annotations seldom say that a text must be a date, have three parts, or match ``#[0-9a-f]{6}``. The code says
it: by the pattern, by the format, by the number of variables that the parts are unpacked to, by the function of the
standard library that reads the text. Nothing is run; constants of the module and the class are looked up.
"""

from __future__ import annotations

import ast
import datetime as dt
import enum
import re
import struct
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from plait.generate.values.duck import followed
from plait.generate.values.names import by_name
from plait.generate.values.pattern import matching
from plait.generate.values.value import Value, literal
from plait.model.foreign import is_a, module_of, own_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST = 12
"""Values for one parameter."""
_READ_BY = {
    "json.loads": ("'{\"a\": 1}'", "'[1]'"), "ast.literal_eval": ("'[1]'",), "literal_eval": ("'[1]'",),
    "date.fromisoformat": ("'2020-01-02'",), "datetime.fromisoformat": ("'2020-01-02T03:04:05'",),
    "time.fromisoformat": ("'03:04:05'",), "uuid.UUID": (f"'{'1' * 32}'",), "UUID": (f"'{'1' * 32}'",),
    "ipaddress.ip_address": ("'127.0.0.1'",), "ip_address": ("'127.0.0.1'",), "IPv4Address": ("'127.0.0.1'",),
    "ipaddress.ip_network": ("'10.0.0.0/8'",), "ip_network": ("'10.0.0.0/8'",), "IPv4Network": ("'10.0.0.0/8'",),
    "IPv6Address": ("'::1'",), "b64decode": ("'YWI='",), "urlsafe_b64decode": ("'YWI='",), "b32decode": ("'MFRA===='",),
    "b16decode": ("'6162'",), "unhexlify": ("'6162'",), "bytes.fromhex": ("'6162'",), "bytearray.fromhex": ("'6162'",),
    "float.fromhex": ("'0x1p1'",), "Decimal": ("'1.5'",), "Fraction": ("'1/2'",), "int": ("1", "'1'"),
    "float": ("1.0", "'1.0'"), "complex": ("'1+2j'",), "chr": ("97",), "ord": ("'a'",), "urlsplit": ("'http://a/b'",),
    "urlparse": ("'http://a/b'",), "parse_qs": ("'a=1'",), "parse_qsl": ("'a=1'",), "shlex.split": ("'a b'",),
    "ElementTree.fromstring": ("'<a><b/></a>'",), "tomllib.loads": ("'a = 1'",), "import_module": ("'string'",),
    "math.sqrt": ("4.0",), "math.log": ("4.0",), "fromtimestamp": ("1000.0",), "utcfromtimestamp": ("1000.0",),
    "timedelta": ("1",), "date.fromordinal": ("730000",), "zlib.decompress": ("zlib.compress(b'ab')",),
    "gzip.decompress": ("gzip.compress(b'ab')",), "pickle.loads": ("pickle.dumps(1)",),
    "ZoneInfo": ("'UTC'",), "codecs.lookup": ("'utf-8'",), "getLevelName": ("'INFO'",), "re.compile": ("'a'",),
    "execute": ("'SELECT 1'",),
}  # fmt: skip
"""What functions of the standard library read, by their names: with the module or class where that alone tells."""
_CALLED_BY = {
    "cmp_to_key": 0, "partial": 0, "map": 0, "filter": 0, "submit": 0, "Thread": 0, "Timer": 1, "reduce": 0,
    "starmap": 0, "takewhile": 0, "dropwhile": 0, "add_done_callback": 0, "finalize": 1, "call_soon": 0,
    "apply_async": 0, "run_in_executor": 1, "iter": 0, "register": 0, "wraps": 0, "update_wrapper": 1, "WeakMethod": 0,
}  # fmt: skip
"""Functions that call one of their arguments, with its position."""
_RECORDER = ("from plait.generate.callables import Recorder",)
_DATE = dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
_LONG = 40
"""Longest text that is made to have a length that the code asks for."""


@cache
def fitting(owner: object, function: str, parameter: str) -> tuple[Value, ...]:
    """Return values for a parameter of a class's method, or of a module's function, that its code can use."""
    found: dict[str, Value] = {}
    for tree, text in followed(owner, function, parameter):
        if text not in _names_in(tree):
            continue
        for value in (*_structures(tree, text), *_of_nodes(owner, tree, text)):
            found.setdefault(value.text, value)
    return tuple(found.values())[:_MOST]


_TELLING = (
    ast.Call, ast.Compare, ast.BinOp, ast.Assign, ast.For, ast.comprehension, ast.Attribute, ast.withitem,
    ast.Subscript,
)  # fmt: skip


@cache
def _nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return the nodes of a tree that may say something; the trees of large classes are searched thousands of times."""
    return tuple(node for node in ast.walk(tree) if isinstance(node, _TELLING))


@cache
def _names_in(tree: ast.AST) -> frozenset[str]:
    """Return all names and attributes of ``self`` in a tree."""
    return frozenset(_dotted(node) for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute))


def _of_nodes(owner: object, tree: ast.AST, text: str) -> Iterator[Value]:
    shapes = [value for node in _nodes(tree) for value in _unpacked(node, text)]
    yield from shapes  # these tell most: `int(part) for part in text.split(":")` reads whole texts as well
    if any(isinstance(node, ast.Call) and _is(node.func, text) for node in _nodes(tree)):
        yield from (_giving("1"), _giving("['a']"))
    for node in _nodes(tree):
        match node:
            case ast.Call():
                yield from _read(owner, node, text)
            case ast.Compare():
                yield from _compared(owner, node, text)
            case ast.BinOp(left=left, op=ast.Sub() | ast.Div() | ast.FloorDiv() | ast.Pow()) if _is(left, text):
                yield literal("4")


# -- what reads it -----------------------------------------------------------------------------------------------------


def _read(owner: object, node: ast.Call, text: str) -> Iterator[Value]:
    """Yield what the function takes that gets the parameter, or that the parameter's own method needs."""
    name = _dotted(node.func)
    short, last = ".".join(name.split(".")[-2:]), name.rpartition(".")[2]
    at = next((number for number, each in enumerate(node.args) if _is(each, text)), None)
    if at is None:
        yield from _said_by_method(node, text)
        if any(each.arg == "key" and _is(each.value, text) for each in node.keywords):
            yield Value("Recorder('g', 1)", "callable", _RECORDER)
        return
    if _CALLED_BY.get(last) == at:
        yield Value("Recorder('g', 1)", "callable", _RECORDER)
    first = _constant(owner, node.args[0]) if node.args else None
    pattern = first if at == 1 else _constant(owner, node.func.value) if isinstance(node.func, ast.Attribute) else None
    if last in ("match", "fullmatch", "search"):
        made = matching(pattern)
        yield from () if made is None else (literal(repr(made)),)
    elif last == "strptime" and len(node.args) > 1:
        form = _constant(owner, node.args[1])
        yield from (literal(repr(_DATE.strftime(form))),) if isinstance(form, str) else ()
    elif last in ("unpack", "unpack_from", "iter_unpack"):
        yield from _packed(pattern)
    elif at == 0:
        for each in _READ_BY.get(short, _READ_BY.get(last, ())):
            module = each.partition(".")[0] if "(" in each else ""
            yield Value(each, "bytes", (f"import {module}",)) if module else literal(each)


def _said_by_method(node: ast.Call, text: str) -> Iterator[Value]:
    """Yield texts for which a method of the parameter, such as ``startswith('a')``, finds something."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[ast.Constant(value=str(said)), *_]) if (
            _is(value, text) and said
        ):
            if name in ("partition", "rpartition", "index", "rindex", "split", "rsplit"):
                yield literal(repr(f"a{said}b"))
            elif name in ("startswith", "removeprefix"):
                yield literal(repr(f"{said}a"))
            elif name in ("endswith", "removesuffix"):
                yield literal(repr(f"a{said}"))


def _packed(form: Any) -> Iterator[Value]:
    """Yield bytes that a format, or a `struct.Struct`, unpacks."""
    try:
        size = form.size if isinstance(form, struct.Struct) else struct.calcsize(form)
    except (struct.error, TypeError):
        return
    yield literal(repr(bytes(size)))


# -- what it is unpacked to --------------------------------------------------------------------------------------------


def _unpacked(node: ast.AST, text: str) -> Iterator[Value]:
    """Yield values with as many parts as the code takes out of the parameter, or out of what it returns."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=value) if not any(map(_is_rest, parts)):
            yield from _parted(parts, value, text)
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            made = _shape(target)
            if isinstance(target, ast.Tuple) and _is(value, text):
                yield literal(f"[{made}]")
            elif isinstance(value, ast.Call) and _is(value.func, text):
                yield _giving(f"[{made}]")
            elif isinstance(target, ast.Tuple) and _maps(value, text):
                yield _giving(made)
        case ast.Attribute(value=ast.Call(func=function), attr=name) if _is(function, text):
            yield from (_giving(plain) for plain, kind in _PLAIN_RESULTS if name in dir(kind))
        case ast.BinOp(left=ast.Call(func=function)) | ast.BinOp(right=ast.Call(func=function)) if _is(function, text):
            yield _giving("1")
        case ast.withitem(context_expr=ast.Call(func=function)) if _is(function, text):
            yield Value("contextlib.nullcontext", "callable", ("import contextlib",))


_PLAIN_RESULTS = (("'a'", str), ("['a']", list), ("{'a': 1}", dict))


def _parted(parts: list[ast.expr], value: ast.expr, text: str) -> Iterator[Value]:
    made = _shape(ast.Tuple(parts))
    if _is(value, text):
        yield literal(made)
    elif isinstance(value, ast.Call) and _is(value.func, text):
        yield _giving(made)
    else:
        inner = value.args[-1] if isinstance(value, ast.Call) and _dotted(value.func) == "map" else value
        match inner:
            case ast.Call(func=ast.Attribute(value=of, attr="split" | "rsplit"), args=said) if _is(of, text):
                between = said[0].value if said and isinstance(said[0], ast.Constant) else " "
                yield from (literal(repr(between.join("1" * len(parts)))),) if isinstance(between, str) else ()


def _shape(target: ast.expr) -> str:
    """Return an expression for a value that can be unpacked to a target, with parts that its names ask for."""
    if isinstance(target, ast.Tuple | ast.List):
        parts = [_shape(each) for each in target.elts if not _is_rest(each)]
        return f"({', '.join(parts)},)" if len(parts) == 1 else f"({', '.join(parts)})"
    named = by_name(target.id) if isinstance(target, ast.Name) else []
    return next((each.text for each in named if not each.imports), "1")


def _is_rest(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)


def _maps(value: ast.expr, text: str) -> bool:
    """Return whether an expression is a ``map`` with the parameter as its function."""
    return (
        isinstance(value, ast.Call) and _dotted(value.func) == "map" and bool(value.args) and _is(value.args[0], text)
    )


def _giving(result: str) -> Value:
    return Value(f"Recorder('g', {result})", "callable", _RECORDER)


# -- what it is compared with ------------------------------------------------------------------------------------------


def _compared(owner: object, node: ast.Compare, text: str) -> Iterator[Value]:
    """Yield values that a comparison lets through, or just not: elements of a collection, numbers at a limit."""
    sides = [node.left, *node.comparators]
    for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
        other = right if _is(left, text) else left if _is(right, text) else None
        if other is not None and not isinstance(operator, ast.In | ast.NotIn):
            yield from _near(_constant(owner, other))
            yield from _members(_constant(owner, other.value)) if isinstance(other, ast.Attribute) else ()
        elif other is right:
            yield from _members(_constant(owner, right))
        elif isinstance(left, ast.Constant) and isinstance(left.value, str) and _is(right, text):
            yield literal(repr(f"a{left.value}b"))
        for one, limit in ((left, right), (right, left)):
            yield from _as_long(one, _constant(owner, limit), text)
    numbers = [each.value for each in (sides[0], sides[-1]) if isinstance(each, ast.Constant)]
    limits = [float(each) for each in numbers if isinstance(each, int | float)]
    if len(sides) == 3 and len(limits) == 2 and _is(sides[1], text):
        yield literal(repr(sum(limits) / 2))


def _near(limit: Any) -> Iterator[Value]:
    if type(limit) in (int, float):
        yield from (literal(repr(each)) for each in (limit, limit + 1, limit - 1))


def _as_long(node: ast.expr, length: Any, text: str) -> Iterator[Value]:
    """Yield texts as long as ``len(parameter)`` is compared with, and texts with as many words."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[measured]) if type(length) is int and 0 < length <= _LONG:
            if _is(measured, text):
                yield literal(repr(("abcdefgh" * 6)[:length]))
                yield literal(repr(list(range(length))))


def _members(found: Any) -> Iterator[Value]:
    """Yield the elements of a constant collection, or the members of an enumeration."""
    if isinstance(found, type) and issubclass(found, enum.Enum):
        line = f"from {found.__module__} import {found.__qualname__.partition('.')[0]}"
        yield from (Value(f"{found.__qualname__}.{name}", found.__name__, (line,)) for name in found.__members__)
    elif is_a(found, tuple, list, dict, set, frozenset):
        plain = [repr(each) for each in found if type(each) in (str, int, float, bytes)]
        yield from map(literal, sorted(plain) if is_a(found, set, frozenset) else plain)


# -- tables in tables --------------------------------------------------------------------------------------------------


def _structures(tree: ast.AST, text: str) -> Iterator[Value]:
    """Yield a dictionary with the keys that the code looks up in a parameter and in what it finds there."""
    chains = [chain for node in _nodes(tree) if (chain := _chain(node, text)) is not None]
    if any(len(chain) > 1 for chain in chains):
        table: dict[str, Any] = {}
        for chain in sorted(chains, key=len):
            inside = table
            for key in chain:
                inside = inside.setdefault(key, {})
        yield literal(_shown(table))


def _chain(node: ast.AST, text: str) -> list[str] | None:
    """Return the keys of nested subscripts of the parameter; None for other expressions."""
    match node:
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key)), ctx=ast.Load()):
            before = [] if _is(value, text) else _chain(value, text)
            return None if before is None else [*before, key]
    return None


def _shown(table: dict[str, Any]) -> str:
    parts = []
    for key, inside in table.items():
        named = [each.text for each in by_name(key) if not each.imports]
        parts.append(f"{key!r}: {_shown(inside) if inside else next(iter(named), '1')}")
    return "{" + ", ".join(parts) + "}"


# -- expressions -------------------------------------------------------------------------------------------------------


def _is(node: ast.expr, text: str) -> bool:
    """Return whether an expression is the parameter, or a part of it as in ``blob[:8]``."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    return isinstance(node, ast.Name | ast.Attribute) and _dotted(node) == text


def _dotted(node: ast.expr) -> str:
    """Return a name with dots; of other expressions, only what follows their last dot."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id] if isinstance(node, ast.Name) else parts))


def _constant(owner: object, node: ast.expr) -> Any:
    """Return the value of a constant, or of a name of the module or class; None if it is not known."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return tuple(each.value for each in node.elts if isinstance(each, ast.Constant))
    if isinstance(node, ast.Call) and _dotted(node.func) == "re.compile" and node.args:
        return _constant(owner, node.args[0])
    first, *rest = _dotted(node).split(".")
    found: Any = None
    for space in _spaces(owner, own=first in ("self", "cls")):
        name, more = (rest[0], rest[1:]) if first in ("self", "cls") and rest else (first, rest)
        found = space.get(name)
        for each in more:
            found = vars(found).get(each) if isinstance(found, type) else None
        if found is not None:
            break
    plain = (str, bytes, int, float, tuple, list, dict, set, frozenset, re.Pattern, struct.Struct)
    return found if is_a(found, *plain) or isinstance(found, type) else None


def _spaces(owner: object, *, own: bool) -> Iterable[dict[str, Any]]:
    """Return the namespaces of a class and its bases, or of the modules that these are defined in."""
    classes = owner.__mro__ if isinstance(owner, type) else ()
    if own:
        return [dict(vars(each)) for each in classes]
    names = [module_of(each) or "" for each in classes] if classes else [own_name(owner)]
    return [vars(sys.modules[each]) for each in dict.fromkeys(names) if each in sys.modules and each != "builtins"]
