"""Values for arguments from the source of the subject's module, the project's tests and examples. Nothing is run."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from plait.generate.values.value import is_literal
from plait.model.files import file_text, parse_source
from plait.model.folders import files_below

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_Key = TypeVar("_Key")

_MAX_FILES = 400
_MAX_BYTES = 400_000
_MAX_EACH = 6
_ITEM_METHODS = {ast.Load: "__getitem__", ast.Store: "__setitem__", ast.Del: "__delitem__"}
_STRING_METHODS = {"startswith", "endswith", "split", "encode", "lower", "upper", "strip", "format", "rpartition"}
_CLOCKS = {"time", "monotonic", "perf_counter", "time_ns", "monotonic_ns", "Timer"}
_MAPPING_METHODS = {"items", "keys", "iteritems"}

Slot = tuple[str, int | str]
"""A method (or class) name, with the position or keyword of one of its arguments."""


@dataclass(slots=True)
class Mined:
    """Expressions found in sources, as text.

    ``compared`` maps a variable to literals that it is compared with, ``used`` maps (function, parameter) to the type
    that its uses suggest, ``given`` maps a slot to literals that tests or examples pass there, and ``built`` lists the
    arguments with which tests call the class. ``timed`` says that the code reads a clock or sets a timer. ``limits``
    maps an attribute to numbers that it is compared with by order, ``stored`` maps (function, parameter) to the
    attribute of ``self`` that gets the parameter.
    """

    compared: dict[str, list[str]] = field(default_factory=dict)
    used: dict[tuple[str, str], str] = field(default_factory=dict)
    given: dict[Slot, list[str]] = field(default_factory=dict)
    timed: bool = False
    limits: dict[str, list[str]] = field(default_factory=dict)
    stored: dict[tuple[str, str], str] = field(default_factory=dict)
    built: list[tuple[tuple[str, ...], tuple[tuple[str, str], ...]]] = field(default_factory=list)


def mine_source(text: str, into: Mined) -> None:
    """Add what the code of a module shows: literals that variables are compared with, and how parameters are used."""
    tree = _parse(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Compare):
            _comparison(node, into)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                if isinstance(case.pattern, ast.MatchValue):
                    _note(into.compared, _variable(node.subject), case.pattern.value)
        elif isinstance(node, ast.FunctionDef):
            _usage(node, into)
        elif isinstance(node, ast.Call) and _variable(node.func) in _CLOCKS:
            into.timed = True


def mine_tests(folder: Path, class_name: str, into: Mined) -> None:
    """Add the arguments that tests in ``folder`` pass to the class and to methods; read files that name the class."""
    for path in map(Path, islice(files_below(folder, ".py"), _MAX_FILES)):
        try:
            text = file_text(path, most=_MAX_BYTES)
        except (OSError, UnicodeDecodeError):
            continue
        tree = _parse(text) if class_name in text else None
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call):
                _call(node, class_name, into)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                _note(into.given, ("__setitem__", 0), node.targets[0].slice)
                _note(into.given, ("__setitem__", 1), node.value)
            elif isinstance(node, ast.Subscript):
                _note(into.given, (_ITEM_METHODS[type(node.ctx)], 0), node.slice)


def mine_examples(examples: Iterable[ast.Module], names: Collection[str], into: Mined) -> None:
    """Add the arguments that examples pass to methods of these names on any object: ``every().day.at("10:30")``."""
    for tree in examples:
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(attr=name), args=args, keywords=keywords) if name in names:
                    for position, argument in enumerate(args):
                        _note(into.given, (name, position), argument)
                    for keyword in keywords:
                        if keyword.arg is not None:
                            _note(into.given, (name, keyword.arg), keyword.value)


def _parse(text: str) -> ast.Module | None:
    try:
        return parse_source(text)
    except SyntaxError:
        return None


def _note(table: dict[_Key, list[str]], key: _Key | None, node: ast.expr) -> None:
    text = ast.unparse(node)
    if key is None or len(text) > 60 or not is_literal(text):
        return
    known = table.setdefault(key, [])
    if text not in known and len(known) < _MAX_EACH:
        known.append(text)


def _variable(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return None


def _comparison(node: ast.Compare, into: Mined) -> None:
    sides = [node.left, *node.comparators]
    for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
        if isinstance(operator, ast.Eq | ast.NotEq):
            for one, other in ((left, right), (right, left)):
                if isinstance(other, ast.Constant):
                    _note(into.compared, _variable(one), other)
        elif isinstance(operator, ast.In | ast.NotIn) and isinstance(right, ast.Tuple | ast.List | ast.Set):
            for each in right.elts:
                _note(into.compared, _variable(left), each)
        elif isinstance(operator, ast.Lt | ast.Gt | ast.LtE | ast.GtE):
            for one, other in ((left, right), (right, left)):
                if isinstance(one, ast.Attribute) and isinstance(other, ast.Constant):
                    _note(into.limits, one.attr, other)


def _usage(function: ast.FunctionDef, into: Mined) -> None:
    names = {each.arg for each in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]}
    for name, kind in _uses(function):
        if name in names:
            into.used.setdefault((function.name, name), kind)
    for node in ast.walk(function):
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=attribute)], value=ast.Name(id=name)
            ):
                if name in names:
                    into.stored.setdefault((function.name, name), attribute)


def _uses(function: ast.FunctionDef) -> Iterator[tuple[str | None, str]]:
    """Yield names in the body, each with the type that a use of it suggests; the most reliable evidence first."""
    nodes = list(ast.walk(function))
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Name(id="isinstance"), args=[ast.Name(id=name), ast.Name() | ast.Attribute() as kind]
            ):
                yield name, ast.unparse(kind)
            case ast.Call(func=ast.Name(id=name)):
                yield name, "Callable"
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
                if method in _STRING_METHODS:
                    yield name, "str"
                elif method in _MAPPING_METHODS:
                    yield name, "Mapping"
    for node in nodes:
        match node:
            case ast.For(iter=ast.Name(id=name)) | ast.comprehension(iter=ast.Name(id=name)):
                yield name, "Iterable"
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE()]):
                yield name, "int"
            case ast.Compare(comparators=[ast.Name(id=name)], ops=[ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE()]):
                yield name, "int"
            case ast.BinOp(right=ast.Name(id=name), op=ast.Sub() | ast.Mult() | ast.Div()):
                yield name, "int"
            case ast.AugAssign(value=ast.Name(id=name), op=ast.Add() | ast.Sub()):
                yield name, "int"


def _call(node: ast.Call, class_name: str, into: Mined) -> None:
    name = _variable(node.func)
    if name is None:
        return
    for position, argument in enumerate(node.args):
        _note(into.given, (name, position), argument)
    for keyword in node.keywords:
        if keyword.arg is not None:
            _note(into.given, (name, keyword.arg), keyword.value)
    if name == class_name and len(into.built) < _MAX_EACH:
        positional = tuple(ast.unparse(each) for each in node.args)
        named = tuple((each.arg or "", ast.unparse(each.value)) for each in node.keywords)
        readable = all(map(is_literal, [*positional, *(value for _, value in named)])) and all(key for key, _ in named)
        if readable and (positional, named) not in into.built:
            into.built.append((positional, named))
