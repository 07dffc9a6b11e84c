"""The simple values that the annotation of a parameter admits.

People read minimised tests, and dismiss one that passes ``0`` for ``customer: Customer``, whatever it shows. So
arguments are simplified only within their annotation. Annotations are read as text, name by name. One that cannot be
resolved admits nothing, so that the argument stays as it is.
"""

from __future__ import annotations

import ast
import builtins
import collections.abc
import inspect
import numbers
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from plait.model.foreign import unwrapped
from plait.model.test import Call
from plait.subject.interface.members import constructor_parameters
from plait.subject.interface.signature import Parameter, annotation_text, read_signature

Admitted = dict[str, dict[str, list[str]]]
"""By `call_key` and by argument (its position as text, or its name): the values that may stand there."""

_ANYTHING = {"Any", "object", "Incomplete", "Unused", "Self"}
_WRAPPERS = {"Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar"}
_DEEPEST = 8  # aliases of aliases


def call_key(call: Call) -> str:
    """Return what calls of the same function on the same object have in common."""
    return f"{call.receiver} {call.form}"


def admitted_values(calls: Sequence[Call], values: Mapping[str, Any], candidates: Sequence[str]) -> Admitted:
    """Return which of the ``candidates`` each argument may become; arguments that nobody annotates are left out.

    ``values`` are the names that the calls use: imported ones, and the objects that the test has built.
    """
    found: Admitted = {}
    for call in calls:
        if call_key(call) in found or not (call.args or call.kwargs):
            continue
        function, parameters = _called(call, values)
        space = _names(function)
        stated = {
            name: [text for text in candidates if admits(annotation, text, space)]
            for name, annotation in _annotations(call, parameters)
        }
        if stated:
            found[call_key(call)] = stated
    return found


def _called(call: Call, values: Mapping[str, Any]) -> tuple[Any, Sequence[Parameter]]:
    """Return the function that a call runs, and its parameters; none where it cannot be told."""
    try:
        if "{receiver}" not in call.form:
            function = _dotted(call.form.partition("(")[0], values)
            if isinstance(function, type):
                return function, constructor_parameters(function)
            bound = False
        else:
            owner = values[call.receiver]
            owner = owner if isinstance(owner, type) else type(owner)
            raw = inspect.getattr_static(owner, call.methods[0])
            function = raw.fset if isinstance(raw, property) else getattr(raw, "__func__", raw)
            bound = not isinstance(raw, staticmethod)
        module, qualname = str(getattr(function, "__module__", "")), str(getattr(function, "__qualname__", ""))
        return function, read_signature(function, module=module, qualname=qualname, bound=bound) or ()
    except Exception:  # code of others answers: whatever it raises, the argument is then left unstated
        return None, ()


def _dotted(text: str, values: Mapping[str, Any]) -> Any:
    head, *rest = text.strip().split(".")
    found = values[head]
    for name in rest:
        found = getattr(found, name)
    return found


def _annotations(call: Call, parameters: Sequence[Parameter]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    positional = [each for each in parameters if each.kind in ("positional-only", "positional")]
    rest = next((each for each in parameters if each.kind == "varargs"), None)
    for index in range(len(call.args)):
        parameter = positional[index] if index < len(positional) else rest
        if parameter is not None and parameter.annotation is not None:
            found.append((str(index), parameter.annotation))
    named = {each.name: each.annotation for each in parameters if each.kind in ("positional", "keyword")}
    more = next((each.annotation for each in parameters if each.kind == "varkeywords"), None)
    for name, _text in call.kwargs:
        annotation = named.get(name, more)
        if annotation is not None:
            found.append((name, annotation))
    return found


def _names(function: Any) -> Mapping[str, Any]:
    """Return what names mean where a function, or a class's constructor, is defined."""
    if isinstance(function, type):
        module = inspect.getmodule(function)
        return vars(module) if module is not None else {}
    found = getattr(unwrapped(function) if callable(function) else function, "__globals__", {})
    return found if isinstance(found, Mapping) else {}


def admits(annotation: str, text: str, space: Mapping[str, Any], depth: int = 0) -> bool:
    """Return whether a literal is of the annotated type, as far as that is known."""
    try:
        node = ast.parse(annotation, mode="eval").body
    except SyntaxError:
        return False
    return depth < _DEEPEST and _fits(node, ast.literal_eval(text), space, depth)


def _fits(node: ast.expr, value: Any, space: Mapping[str, Any], depth: int) -> bool:
    match node:
        case ast.Constant(value=None):
            return value is None
        case ast.Constant(value=str(text)):
            return admits(text, repr(value), space, depth + 1)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _fits(left, value, space, depth) or _fits(right, value, space, depth)
        case ast.Subscript(value=head, slice=inside):
            arguments = list(inside.elts) if isinstance(inside, ast.Tuple) else [inside]
            return _generic_fits(head, arguments, value, space, depth)
        case ast.Name() | ast.Attribute():
            return _name_fits(node, value, space, depth)
        case _:
            return False


def _generic_fits(head: ast.expr, arguments: list[ast.expr], value: Any, space: Mapping[str, Any], depth: int) -> bool:
    name = ast.unparse(head).rpartition(".")[2]
    if name == "Literal":
        return any(isinstance(each, ast.Constant) and _same(each.value, value) for each in arguments)
    if name == "Optional":
        return value is None or _fits(arguments[0], value, space, depth)
    if name == "Union":
        return any(_fits(each, value, space, depth) for each in arguments)
    if name in _WRAPPERS:
        return _fits(arguments[0], value, space, depth)
    return _empty(value) and _name_fits(head, value, space, depth)


def _same(stated: object, value: object) -> bool:
    return type(stated) is type(value) and stated == value


def _empty(value: Any) -> bool:
    """Return whether a value is an empty container: the simple ones are, and fit whatever they are to hold."""
    return isinstance(value, (tuple, list, dict)) and not value


def _name_fits(node: ast.expr, value: Any, space: Mapping[str, Any], depth: int) -> bool:
    text = ast.unparse(node)
    if text.rpartition(".")[2] in _ANYTHING:
        return True
    try:
        meant = _dotted(text, {**vars(builtins), **_KNOWN, **space})
    except (KeyError, AttributeError):
        return False
    return _object_fits(meant, value, space, depth)


_KNOWN: dict[str, Any] = {
    **{name: getattr(typing, name) for name in typing.__all__},
    **{name: getattr(collections.abc, name) for name in collections.abc.__all__},
    **{name: getattr(numbers, name) for name in numbers.__all__},
}
"""What annotations name without importing it, as type stubs and docstrings do."""


def _object_fits(meant: Any, value: Any, space: Mapping[str, Any], depth: int) -> bool:
    if isinstance(meant, typing.TypeVar):
        allowed = [meant.__bound__] if meant.__bound__ is not None else list(meant.__constraints__)
        texts = [annotation_text(each) for each in allowed]
        return not texts or any(text is not None and admits(text, repr(value), space, depth + 1) for text in texts)
    if isinstance(meant, type):
        return _instance(value, meant)
    origin = typing.get_origin(meant)
    if origin in (typing.Union, types.UnionType):
        return any(_object_fits(each, value, space, depth + 1) for each in typing.get_args(meant))
    if isinstance(origin, type):
        return _empty(value) and _instance(value, origin)
    inner = getattr(meant, "__supertype__", None)  # of a `NewType`
    text = annotation_text(meant if inner is None else inner)
    return text is not None and admits(text, repr(value), space, depth + 1)


def _instance(value: Any, meant: type) -> bool:
    if meant in (int, float, complex) and isinstance(value, bool):
        return False
    numeric = (int, float, complex)
    if meant in numeric and type(value) in numeric:
        return numeric.index(type(value)) <= numeric.index(meant)  # as PEP 484 has it: an int will do for a float
    try:
        return isinstance(value, meant)
    except TypeError:  # a Protocol that is not made for it
        return False
