"""Encode values of declared types as JSON, and decode them: the results that a worker sends to its parent.

The type is the return type in a task's signature. A worker is not trusted: the reader checks each part against the
type, so that the result consists of built-in values and plait's own plain classes, whatever was sent. Nothing is looked
up by a name that the sender chose.

`Canonical` values are nested tuples and become arrays as they are. `Any` keeps its types by marks: an object with one
key, such as ``{"tuple": [1, 2]}``.
"""

from __future__ import annotations

import binascii
import collections
import dataclasses
import functools
import math
import operator
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from plait.model.foreign import IS_CANONICAL, IS_JSON, class_name

_DEEPEST_CANONICAL = 400
"""How deep arrays may lie in each other. Less than what recursive functions of the reader can follow."""
_DEEPEST_PLAIN = 64
_MOST_BITS = 64  # of a number in a field
_MOST_HASHED = 20_000
"""Elements of a set, or of a dictionary with other keys than texts: their hashes can be made to collide."""
_LONG_BITS = 4096  # of a number that is spelled: JSON's own spelling, decimal, is limited by the interpreter


class FrameError(Exception):
    """A received value, or one to be sent, does not have the declared type."""


class Codec(NamedTuple):
    """The functions that encode and decode values of a type; no ``encode`` if JSON writes them as they are."""

    encode: Callable[[Any], Any] | None
    decode: Callable[[Any], Any]


@functools.lru_cache(256)
def return_type(task: Callable[..., Any]) -> Any:
    """Return the return type in a task's signature; any plain data if it says nothing."""
    if not isinstance(task, types.FunctionType):
        return Any
    wanted = task.__annotations__.get("return", Any)
    if isinstance(wanted, str):
        wanted = typing.get_type_hints(task, include_extras=True)["return"]
    return types.NoneType if wanted is None else wanted


@functools.cache
def codec(kind: Any) -> Codec:
    """Return the codec of a type; raise `TypeError` for a type that cannot be sent."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if kind in _SCALARS:
        return Codec(None, _SCALARS[kind])
    if kind is Any or kind is object:
        return Codec(_encode_plain, _decode_plain)
    if origin is typing.Annotated:
        return _annotated(kind.__metadata__[0], args[0])
    if kind is bytes:
        return Codec(_encode_bytes, _decode_bytes)
    if isinstance(kind, type) and issubclass(kind, Path):
        return Codec(str, lambda value: kind(_text(value)))
    if origin is typing.Literal:
        return Codec(None, functools.partial(_one_of, frozenset(args)))
    if origin in (typing.Union, types.UnionType):
        return _union(args)
    if origin is tuple:
        return _tuple(args)
    if origin in (list, set, frozenset):
        return _collection(origin, codec(args[0]))
    if origin is collections.Counter:
        return _mapping(collections.Counter, args[0], int)
    if origin in (dict, Mapping):
        return _mapping(dict, *args)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, [field.name for field in dataclasses.fields(kind)])
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _record(kind, list(kind._fields))
    raise TypeError(f"{kind} cannot cross from a worker to its parent")


# -- parts ----------------------------------------------------------------------------------------------------------


def _text(value: Any) -> str:
    if type(value) is not str:
        raise FrameError(f"a text was expected, not {_shown(value)}")
    return value


def _number(value: Any) -> int:
    if type(value) is not int or value.bit_length() > _MOST_BITS:
        raise FrameError(f"a whole number was expected, not {_shown(value)}")
    return value


def _real(value: Any) -> float:
    if type(value) is float and math.isfinite(value):
        return value
    return float(_number(value))


def _truth(value: Any) -> bool:
    if type(value) is not bool:
        raise FrameError(f"true or false was expected, not {_shown(value)}")
    return value


def _nothing(value: Any) -> None:
    if value is not None:
        raise FrameError(f"nothing was expected, not {_shown(value)}")


_SCALARS: dict[Any, Callable[[Any], Any]] = {
    str: _text, int: _number, float: _real, bool: _truth, types.NoneType: _nothing, None: _nothing,
}  # fmt: skip
_SHAPES: dict[Any, tuple[type, ...]] = {
    str: (str,), int: (int,), float: (float, int), bool: (bool,), types.NoneType: (types.NoneType,),
}  # fmt: skip


def _one_of(options: frozenset[Any], value: Any) -> Any:
    if type(value) not in (str, int, bool) or value not in options:
        raise FrameError(f"one of {sorted(map(str, options))} was expected, not {_shown(value)}")
    return value


def _union(kinds: tuple[Any, ...]) -> Codec:
    """Return the codec of a union: scalars differ by their JSON types; anything else is the one other member."""
    scalars = {shape: _SCALARS[kind] for kind in kinds if kind in _SHAPES for shape in _SHAPES[kind]}
    others = [kind for kind in kinds if kind not in _SHAPES]
    if len(others) > 1:
        raise TypeError(f"values of {kinds} cannot be told apart")
    other = codec(others[0]) if others else None

    def decode(value: Any) -> Any:
        known = scalars.get(type(value))
        if known is not None:
            return known(value)
        if other is None:
            raise FrameError(f"one of {kinds} was expected, not {_shown(value)}")
        return other.decode(value)

    if other is None or other.encode is None:
        return Codec(None, decode)
    write, plain = other.encode, tuple(kind for kind in kinds if kind in _SHAPES)
    return Codec(lambda value: value if isinstance(value, plain) else write(value), decode)


def _items(value: Any) -> list[Any]:
    if type(value) is not list:
        raise FrameError(f"an array was expected, not {_shown(value)}")
    return value


def _collection(kind: type, item: Codec) -> Codec:
    write, read = item

    def decode(value: Any) -> Any:
        return _hashed(kind, [read(each) for each in _items(value)])

    if write is None:
        return Codec(None if kind in (list, tuple) else list, decode)
    return Codec(lambda value: list(map(write, value)), decode)


def _tuple(kinds: tuple[Any, ...]) -> Codec:
    if kinds[1:] == (...,):
        return _collection(tuple, codec(kinds[0]))
    return _row(tuple, [codec(kind) for kind in kinds], lambda value: value, tuple)


def _mapping(make: Callable[[Any], Any], key: Any, part: Any) -> Codec:
    write, read = codec(part)
    if key is str:

        def decode(value: Any) -> Any:
            if type(value) is not dict:  # its keys are texts: JSON knows no others
                raise FrameError(f"an object was expected, not {_shown(value)}")
            return make({name: read(held) for name, held in value.items()})

        if write is None:
            return Codec(dict, decode)
        return Codec(lambda value: {name: write(held) for name, held in value.items()}, decode)
    pairs = _collection(list, codec(tuple[key, part]))
    write_pairs = pairs.encode or list
    return Codec(lambda value: write_pairs(list(value.items())), lambda value: make(_hashed(dict, pairs.decode(value))))


def _annotated(note: Any, kind: Any) -> Codec:
    if note == IS_CANONICAL:
        return Codec(None, _decode_canonical)
    if note == IS_JSON:
        return Codec(None, _decode_json)
    return _keys(note) if typing.is_typeddict(note) else codec(kind)


def _keys(kind: Any) -> Codec:
    """Return the codec of a dictionary with certain keys; its other values are plain JSON."""
    parts = {name: codec(hint) for name, hint in typing.get_type_hints(kind, include_extras=True).items()}
    readers = {name: part.decode for name, part in parts.items()}
    writers = {name: part.encode for name, part in parts.items()}
    required: frozenset[str] = kind.__required_keys__

    def decode(value: Any) -> Any:
        if type(value) is not dict or not required <= value.keys():
            raise FrameError(f"{kind.__name__} were expected, not {_shown(value)}")
        return {name: readers.get(name, _decode_json)(held) for name, held in value.items()}

    def encode(value: Any) -> Any:
        written = {}
        for name, held in value.items():
            write = writers.get(name)
            written[name] = held if write is None else write(held)
        return written

    return Codec(encode, decode)


def _record(kind: type, names: list[str]) -> Codec:
    """Return the codec of one of plait's own plain classes: its fields, in their order."""
    hints = typing.get_type_hints(kind, include_extras=True)
    parts = [codec(hints[name]) for name in names]
    if issubclass(kind, tuple):
        return _row(kind, parts, lambda value: value, lambda values: kind(*values))
    get = operator.attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),)
    return _row(kind, parts, get, lambda values: kind(*values))


def _row(kind: type, parts: list[Codec], get: Callable[[Any], Any], make: Callable[[Iterable[Any]], Any]) -> Codec:
    """Return the codec of a fixed number of values of different types."""
    readers = [part.decode for part in parts]
    writers = [(number, part.encode) for number, part in enumerate(parts) if part.encode is not None]
    count, name = len(parts), kind.__name__

    def decode(value: Any) -> Any:
        if type(value) is not list or len(value) != count:
            raise FrameError(f"{name} has {count} parts; that does not fit to {_shown(value)}")
        return make([read(each) for read, each in zip(readers, value, strict=True)])

    def encode(value: Any) -> Any:
        if not isinstance(value, kind):
            raise FrameError(f"a {name} was expected, not a {class_name(type(value))}")
        row = list(get(value))
        for number, write in writers:
            row[number] = write(row[number])
        return row

    return Codec(None if kind is tuple and not writers else encode, decode)


# -- opaque and plain -----------------------------------------------------------------------------------------------


def _encode_bytes(value: bytes) -> str:
    return binascii.b2a_base64(value, newline=False).decode("ascii")


def _decode_bytes(value: Any) -> bytes:
    try:
        return binascii.a2b_base64(_text(value), strict_mode=True)
    except ValueError as error:  # binascii.Error is one, and so is a text that is not ASCII
        raise FrameError(f"bytes were expected: {error}") from None


def _decode_json(value: Any, left: int = _DEEPEST_PLAIN) -> Any:
    if type(value) in _NESTED:
        if left == 0:
            raise FrameError("a value is too deep")
        for each in value.values() if type(value) is dict else value:
            _decode_json(each, left - 1)
    return value


def _decode_canonical(value: Any, left: int = _DEEPEST_CANONICAL) -> Any:
    if type(value) is list:
        if left == 0:
            raise FrameError("arrays lie too deep in each other")
        return tuple([_decode_canonical(each, left - 1) if type(each) in _NESTED else each for each in value])
    if type(value) is dict:
        return _spelled_number(_only(value))
    return value


_NESTED = (list, dict)


def _encode_plain(value: Any, left: int = _DEEPEST_PLAIN) -> Any:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if left == 0:
        raise FrameError("a value is too deep to be sent")
    if kind is list:
        return [_encode_plain(each, left - 1) for each in value]
    if kind is dict:
        if all(type(key) is str for key in value):
            return {"map": {key: _encode_plain(held, left - 1) for key, held in value.items()}}
        return {"dict": [[_encode_plain(key, left - 1), _encode_plain(held, left - 1)] for key, held in value.items()]}
    if kind in (tuple, set, frozenset):
        return {kind.__name__: [_encode_plain(each, left - 1) for each in value]}
    if kind is bytes:
        return {"bytes": _encode_bytes(value)}
    if isinstance(value, Path):
        return {"path": str(value)}
    raise FrameError(f"a task's answer holds a {class_name(kind)}, which is not plain data")


_ATOMS = frozenset({str, int, float, bool, types.NoneType})


def _decode_plain(value: Any, left: int = _DEEPEST_PLAIN) -> Any:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if left == 0:
        raise FrameError("a value is too deep")
    if kind is list:
        return [_decode_plain(each, left - 1) for each in value]
    mark, content = _only(value)
    if mark in _MARKED:
        parts = [_decode_plain(each, left - 1) for each in _items(content)]
        return _hashed(_MARKED[mark], parts)
    if mark == "map" and type(content) is dict:
        return {key: _decode_plain(held, left - 1) for key, held in content.items()}
    if mark == "dict":
        pairs = [[_decode_plain(each, left - 1) for each in _items(pair)] for pair in _items(content)]
        if any(len(pair) != 2 for pair in pairs):
            raise FrameError("a dictionary was expected")
        return _hashed(dict, pairs)
    if mark == "bytes":
        return _decode_bytes(content)
    if mark == "path":
        return Path(_text(content))
    return _spelled_number((mark, content))


_MARKED: dict[str, type] = {"tuple": tuple, "set": set, "frozenset": frozenset}


def _hashed(kind: type, parts: list[Any]) -> Any:
    if len(parts) > _MOST_HASHED and kind not in (list, tuple) and type(parts[0]) is not str:
        raise FrameError(f"a {kind.__name__} of {len(parts)} parts is too large")
    try:
        return kind(parts)
    except TypeError:
        raise FrameError(f"a {kind.__name__} of parts that cannot be hashed") from None


def _only(value: dict[str, Any]) -> tuple[str, Any]:
    if len(value) != 1:
        raise FrameError(f"one mark was expected, not {len(value)}")
    return next(iter(value.items()))


def _spelled_number(marked: tuple[str, Any]) -> int | float:
    mark, content = marked
    try:
        if mark == "int":
            return int(_text(content), 16)
        if mark == "float":
            return float(_text(content)[:20])
    except ValueError:
        pass
    raise FrameError(f"there are no values marked {mark[:20]!r}")


def spelled(tree: Any) -> Any:
    """Return data for JSON in which numbers that JSON cannot write (very long, infinite) are marked."""
    if isinstance(tree, int):
        return {"int": hex(tree)} if tree.bit_length() > _LONG_BITS else tree
    if isinstance(tree, float):
        return tree if math.isfinite(tree) else {"float": repr(tree)}
    if isinstance(tree, list | tuple):
        return [spelled(each) for each in tree]
    if isinstance(tree, dict):
        return {key: spelled(held) for key, held in tree.items()}
    return tree


def _shown(value: Any) -> str:
    """Return a short description of a value that was read from JSON."""
    if isinstance(value, list | dict):
        return f"{'an array' if isinstance(value, list) else 'an object'} of {len(value)}"
    return repr(value[:40] if isinstance(value, str) else value)[:60] if not isinstance(value, int) else "a number"
