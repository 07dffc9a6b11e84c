"""From an object to its interface: a class, a function, a decorator, or a whole module."""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any

from plait.errors import UsageError
from plait.model.foreign import is_a, module_of, unwrapped
from plait.subject.interface import signature
from plait.subject.interface.members import (
    Interface,
    Method,
    callable_methods,
    class_interface,
    nodes_inside,
    special_methods,
    tree_of,
)
from plait.subject.interface.signature import Parameter
from plait.subject.package.facts import FunctionFacts, module_facts
from plait.subject.source import Module

_FRESH = "from plait.generate.callables import fresh"


def discover(owner: object, *, name: str) -> Interface:
    """Return the interface of what is importable as ``name`` (``module:Class``, ``module:function`` or ``module``).

    Inherited public methods count, those of `object` do not. Raises `UsageError` for what cannot be driven.
    """
    if isinstance(owner, types.ModuleType):
        return _of_module(owner, name)
    if isinstance(owner, type):
        return class_interface(owner, name)
    above, _, own = name.partition(":")
    if callable(owner) and "." not in own and inspect.isroutine(unwrapped(owner)):
        return _of_function(owner, name, above, own)
    if callable(owner):
        outer = name.rpartition(".")[0]
        raise UsageError(f"{name} is a method, not a class; give its class: {outer}")
    raise UsageError(f"{name} is not a class but an object of type {type(owner).__name__}")


def _of_module(module: types.ModuleType, name: str, only: frozenset[str] | None = None) -> Interface:
    public = vars(module).get("__all__")
    methods: list[Method] = []
    notes: list[str] = []
    for found, value in vars(module).items():
        if only is not None and found not in only:
            continue
        if found == "__getattr__":
            methods.extend(special_methods(found, module, value))
        elif (
            is_a(value, type)
            or not callable(value)
            or type(value).__module__ == "typing"
            or (found.startswith("_") and only is None)
        ):
            continue
        elif only is not None or (found in public if public is not None else module_of(value) == module.__name__):
            made = callable_methods(found, value, module.__name__, found, bound=False, kind="function", notes=notes)
            methods.extend(made)
    if not methods:
        own = [each for each, value in vars(module).items() if is_a(value, type) and value.__module__ == name]
        classes = ", ".join(f"{name}:{each}" for each in own[:6] if not each.startswith("_")) or f"{name}:Class"
        if not own:
            raise UsageError(
                f"{name} has neither public functions nor classes: there is nothing that threads could call"
            )
        raise UsageError(f"{name} is a module without public functions; give a class in it: {classes}")
    imports = [f"import {module.__name__}"]
    form = module.__name__
    if _reached(form) not in (module, None):  # a package may offer a function under the name of the module it is from
        imports, form = [*imports, "import sys"], f"sys.modules[{form!r}]"
    whole = Method("module", form, "module")
    return Interface(name, tuple(imports), (whole,), tuple(methods), tuple(notes))


def _reached(dotted: str) -> Any:
    """Return the object that the name of a module refers to when it is imported."""
    head, *rest = dotted.split(".")
    found: Any = sys.modules.get(head)
    for each in rest:
        found = getattr(found, each, None)
    return found


def _of_function(function: Any, name: str, home: str, own: str) -> Interface:
    """Return the interface of one function.

    A decorator, or another function that returns a function, makes the object: threads share and call its result. Any
    other function is called together with those that use the same names at the top of its module.
    """
    module = inspect.getmodule(unwrapped(function))
    inner = unwrapped(function)
    if inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner):
        raise UsageError(f"{name} is asynchronous: its calls run in one thread")
    made = _made_by(function)
    if made is not None:
        return _of_maker(function, name, home, own, made)
    if module is None:
        raise UsageError(f"{name} has no module whose state threads could share; give the module or a class")
    known = own if own in vars(module) else str(inner.__name__)  # another module may hand it on under another name
    return _of_module(module, name, _related(module, known))


# -- functions that make functions -------------------------------------------------------------------------------------


def _made_by(function: Any) -> ast.FunctionDef | None:
    """Return the function that a function makes and returns; None if it makes none."""
    tree = tree_of(unwrapped(function))
    outer = tree.body[0] if tree is not None and tree.body else None
    return _returned(outer) if isinstance(outer, ast.FunctionDef) else None


def _returned(outer: ast.FunctionDef) -> ast.FunctionDef | None:
    own = list(nodes_inside(outer))
    made = {node.name: node for node in own if isinstance(node, ast.FunctionDef)}
    names = [node.value.id for node in own if isinstance(node, ast.Return) and isinstance(node.value, ast.Name)]
    return next((made[each] for each in names if each in made), None)


def _of_maker(function: Any, name: str, home: str, own: str, made: ast.FunctionDef) -> Interface:
    """Return the interface of what a decorator makes of a function of ours, called with the same key or another one."""
    parameters = signature.read_signature(function, module=home, qualname=own, bound=False) or ()
    deeper = _returned(made)
    form, imports = f"{own}({{args}})", [f"from {home} import {own}"]
    if deeper is not None:  # ``cached(maxsize=2)`` makes a decorator, which wants the function
        form, made = f"{form}(fresh)", deeper
        imports.append(_FRESH)
    methods = [Method("__call__", "{receiver}({args})", "protocol", _asked_of(made))]
    methods += [
        Method(each, f"{{receiver}}.{each}()", "method")
        for each in dict.fromkeys(_attached(made.name, function))
    ]  # fmt: skip
    constructor = Method(own, form, "factory", parameters)
    return Interface(name, tuple(imports), (constructor,), tuple(methods))


def _asked_of(made: ast.FunctionDef) -> tuple[Parameter, ...]:
    """Return the parameters of the made function; if it takes anything, an optional key."""
    plain = [each.arg for each in (*made.args.posonlyargs, *made.args.args)]
    if plain:
        return tuple(Parameter(each, "positional-only") for each in plain)
    return (Parameter("key", "positional-only", default="None"),) if made.args.vararg is not None else ()


def _attached(made: str, function: Any) -> Iterator[str]:
    """Yield the functions that are attached to the made one: ``wrapper.clear = cache.clear``."""
    tree = tree_of(unwrapped(function))
    assigned = (node for node in ast.walk(tree) if isinstance(node, ast.Assign)) if tree is not None else ()
    for node in assigned:
        for target in node.targets:
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == made:
                callable_value = isinstance(node.value, ast.Name | ast.Attribute | ast.Lambda)
                if callable_value and not target.attr.startswith("_") and "lock" not in target.attr:
                    yield target.attr


# -- functions over the state of a module ------------------------------------------------------------------------------


def _related(module: types.ModuleType, own: str) -> frozenset[str]:
    """Return the function and the public ones that use the same names at the top of the module, through others too."""
    try:
        text = inspect.getsource(module)
        facts = module_facts(Module(module.__name__, "", ast.parse(text), False, True, text.encode()))
    except (OSError, TypeError, SyntaxError):
        return frozenset({own})
    used = {name: _state_of(name, facts.functions, facts.state) for name in facts.functions}
    mine = used.get(own, frozenset())
    others = {name for name, state in used.items() if state & mine and not name.startswith("_")}
    return frozenset({own, *others})


def _state_of(name: str, functions: dict[str, FunctionFacts], state: set[str]) -> frozenset[str]:
    """Return the changing names that a function uses, itself or through functions that it calls."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = [name]
    while pending:
        function = functions.get(each := pending.pop())
        if function is not None and each not in seen:
            seen.add(each)
            found |= {use.state for use in function.uses if use.state in state}
            pending += [called for called, _ in function.calls]
    return frozenset(found)
