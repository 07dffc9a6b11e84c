"""The methods of objects that a class returns: a pool's connection, a registration, a handle, a view.

Such an object often works on the object that returned it: to close a connection puts it back into its pool. So its
methods belong to the interface, each thread with a result of its own. Only results count that are made of the object or
of its parts, and only those of their methods that use these parts. Nothing is run.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from plait.errors import UsageError
from plait.model.foreign import is_a, module_of, unwrapped
from plait.subject.interface.members import Interface, Method, class_interface, nodes_inside, tree_of

_MOST = 3
"""Methods of one kind of result: a class has many, and few of them are about where it comes from."""
_KINDS = ("method", "context")
_WALKED = ("__iter__", "__next__")
"""Many results only say what is wanted; the object is read when they are iterated."""
_BOUND = frozenset({"local", "get_ident", "current_thread", "threadlocal"})


def with_results(interface: Interface, owner: object) -> Interface:
    """Return the interface with methods of what its methods hand out (`Method.of` names the one that does)."""
    if not isinstance(owner, type) or _is_bound_to_threads(owner):
        return interface
    seen: set[type] = set()
    found: list[Method] = []
    for maker in interface.methods:
        made = _made_by(owner, maker)
        if made is not None and made not in seen:
            seen.add(made)
            found += _methods(made, maker)
    return replace(interface, methods=(*interface.methods, *found)) if found else interface


def _is_bound_to_threads(cls: type) -> bool:
    """Return whether a class keeps something per thread: what it hands out is then for one thread alone."""
    functions = [each for klass in cls.__mro__ for each in vars(klass).values() if inspect.isfunction(each)]
    return any(_BOUND.intersection(each.__code__.co_names) for each in functions)


def _made_by(owner: type, maker: Method) -> type | None:
    """Return the class of what a method returns, if it is made of the object; None if nothing is known of it."""
    if maker.kind != "method" or maker.form != f"{{receiver}}.{maker.name}({{args}})":
        return None
    attribute = inspect.getattr_static(owner, maker.name, None)
    function = unwrapped(attribute) if inspect.isfunction(attribute) else None
    body = _definition(function)
    if function is None or body is None or not body.args.args:
        return None
    for call in _returned(body):
        made: Any = function.__globals__.get(call.func.id) if isinstance(call.func, ast.Name) else None
        given = [*call.args, *(each.value for each in call.keywords)]
        shared = any(_mentions(each, body.args.args[0].arg) for each in given)
        if shared and is_a(made, type) and _is_of_the_package(made, owner):
            return made  # type: ignore[no-any-return]  # `is_a` has looked
    return None


def _is_of_the_package(made: type, owner: type) -> bool:
    near = (module_of(made) or "").partition(".")[0] == (module_of(owner) or "").partition(".")[0]
    kin = issubclass(made, owner) or issubclass(owner, made)
    return near and not kin and not issubclass(made, BaseException) and "<locals>" not in made.__qualname__


def _returned(function: ast.FunctionDef) -> Iterator[ast.Call]:
    """Yield the calls whose result a function returns, at once or by way of a variable."""
    own = list(nodes_inside(function))
    returned = [way for node in own if isinstance(node, ast.Return) for way in _ways(node.value)]
    names = {value.id for value in returned if isinstance(value, ast.Name)}
    for node in own:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.Assign) and any(isinstance(each, ast.Name) and each.id in names for each in targets):
            returned += _ways(node.value)
    yield from (_first_of_chain(value) for value in returned if isinstance(value, ast.Call))


def _first_of_chain(call: ast.Call) -> ast.Call:
    """Return the call that makes the object of ``Cursor(self).sort(key).limit(1)``: such methods mostly return it."""
    while isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        call = call.func.value
    return call


def _ways(value: ast.expr | None) -> list[ast.expr | None]:
    """Return an expression, or those that it chooses from."""
    match value:
        case ast.IfExp(body=one, orelse=other):
            return [*_ways(one), *_ways(other)]
        case ast.BoolOp(values=values):
            return [way for each in values for way in _ways(each)]
    return [value]


def _methods(made: type, maker: Method) -> list[Method]:
    """Return those methods of a result that use what it was made of, as calls on the result of ``maker``."""
    try:
        own = class_interface(made, f"{made.__module__}:{made.__qualname__}")
    except UsageError:
        return []
    using = _using_parts(made)
    entered = {"__enter__", "__exit__"} & using
    wanted = [
        each for each in own.methods
        if (each.kind in _KINDS or each.name in _WALKED)
        and (each.name in using or (each.name == "with" and entered))
    ]  # fmt: skip
    wanted.sort(key=lambda each: (each.name != "with", each.name not in _WALKED))
    return [replace(each, name=f"{maker.name}().{each.name}", of=maker.name) for each in wanted[:_MOST]]


def _using_parts(cls: type) -> frozenset[str]:
    """Return the methods that use, themselves or through others, an attribute that the constructor was given."""
    functions: dict[str, ast.FunctionDef] = {}
    for klass in cls.__mro__:
        for name, attribute in vars(klass).items():
            body = _definition(unwrapped(attribute)) if inspect.isfunction(attribute) else None
            if body is not None and body.args.args:
                functions.setdefault(name, body)
    maker = functions.get("__init__")
    kept = _kept(maker) if maker is not None else frozenset()
    uses = {name: _touched(body) for name, body in functions.items() if name != "__init__"}
    found = {name for name, touched in uses.items() if touched & kept}
    while more := {name for name, touched in uses.items() if name not in found and touched & found}:
        found |= more
    return frozenset(found)


def _kept(maker: ast.FunctionDef) -> frozenset[str]:
    """Return the attributes that a constructor sets to what it was given."""
    itself, *given = [each.arg for each in [*maker.args.posonlyargs, *maker.args.args, *maker.args.kwonlyargs]]
    found = set()
    for node in nodes_inside(maker):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in given:
            found |= {
                target.attr for target in node.targets
                if isinstance(target, ast.Attribute) and _mentions(target.value, itself)
            }  # fmt: skip
    return frozenset(found)


def _touched(function: ast.FunctionDef) -> frozenset[str]:
    """Return the attributes of ``self`` whose own parts or elements a function uses, and the methods that it calls."""
    itself = function.args.args[0].arg
    found = set()
    for node in ast.walk(function):
        inner: ast.AST | None = None
        if isinstance(node, ast.Attribute | ast.Subscript):
            inner = node.value
        elif isinstance(node, ast.Call):
            inner = node.func
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == itself:
            found.add(inner.attr)
    return frozenset(found)


def _definition(function: Any) -> ast.FunctionDef | None:
    tree = tree_of(function) if function is not None else None
    body = tree.body[0] if tree is not None and tree.body else None
    return body if isinstance(body, ast.FunctionDef) else None


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))
