"""Which class beside the subject an untyped parameter wants, by its name and by what the code does with it."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from functools import cache
from typing import TYPE_CHECKING, Any

from plait.subject.interface import snake_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PLAIN = (str, bytes, int, float, dict, list, set, tuple)


def asked_of(owner: object, function: str, parameter: str) -> frozenset[str]:
    """The attributes that a class uses of what one of its methods is given, there or where it is kept in ``self``."""
    trees = _sources(owner)
    found: set[str] = set()
    kept: set[str] = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == function and parameter in _names(node):
                found |= _attributes(node, parameter)
                kept |= _kept(node, parameter)
    found.update(attribute for tree in trees for name in kept for attribute in _attributes(tree, f"self.{name}"))
    return frozenset(found)


def wanted(owner: object, name: str, asked: frozenset[str], homes: list[dict[str, Any]]) -> type | None:
    """The class of the subject's package that is named like the parameter, or that alone has what is asked of it.

    A name alone convinces only if nothing is asked, or all of it is there; what plain data has proves nothing.
    """
    package = getattr(owner, "__module__", "").partition(".")[0]
    near = [each for each in _classes(homes, package) if each is not owner]
    fitting = [each for each in near if asked <= _provided(each)]
    last = name.rstrip("0123456789").rpartition("_")[2]
    for each in fitting:
        if snake_case(each.__name__).rpartition("_")[2] == last:
            return each
    telling = len(asked) > 1 and not any(asked <= set(dir(plain)) for plain in _PLAIN)
    return fitting[0] if telling and fitting else None


def _classes(homes: list[dict[str, Any]], package: str) -> list[type]:
    """Classes of the package: those that the subject's modules know, then those of the package's other modules."""
    others = [
        vars(module)
        for name, module in sorted(sys.modules.items())
        if module is not None and package and name.partition(".")[0] == package
    ]
    found = {
        each: None
        for home in [*homes, *others]
        for each in list(home.values())
        if isinstance(each, type)
        and each.__module__.partition(".")[0] == package
        and not issubclass(each, BaseException)
        and not getattr(each, "_is_protocol", False)
    }
    return list(found)


def _provided(cls: type) -> set[str]:
    """All attributes that instances have, as far as the class and its source tell."""
    found = set(dir(cls))
    for tree in _sources(cls):
        found |= {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self"
        }
    return found


@cache
def _sources(owner: object) -> tuple[ast.Module, ...]:
    classes: Iterable[type] = owner.__mro__ if isinstance(owner, type) else ()
    return tuple(tree for each in classes for tree in _source(each))


def _source(cls: type) -> Iterator[ast.Module]:
    if cls.__module__ in {"builtins", "typing", "abc"}:
        return
    try:
        yield ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return


def _names(function: ast.FunctionDef) -> set[str]:
    return {each.arg for each in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]}


def _attributes(tree: ast.AST, text: str) -> set[str]:
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and _text(node.value) == text
    }


def _text(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return f"self.{name}"
    return None


def _kept(function: ast.FunctionDef, parameter: str) -> set[str]:
    """The attributes of ``self`` that hold the parameter as it was given."""
    return {
        target.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and _text(node.value) == parameter
        for target in node.targets
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    }
