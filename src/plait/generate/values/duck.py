"""Which class beside the subject an untyped parameter wants, by its name and by what the code does with it."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.model.foreign import is_a, module_of
from plait.subject.interface.members import snake_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

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

    A name alone convinces only if nothing is asked, or all of it is there; what plain data has proves nothing. What
    instances of classes far from the subject get in their constructors is not looked for: a package may have thousands.
    """
    package = _module(owner).partition(".")[0]
    near = list(_classes(homes, package))
    far = _classes([vars(each) for each in _modules(package)], package)
    fitting = [
        each for each in dict.fromkeys([*near, *far])
        if each is not owner and (asked <= set(dir(each)) or (each in near and asked <= _provided(each)))
    ]  # fmt: skip
    last = name.rstrip("0123456789").rpartition("_")[2]
    for each in fitting:
        if snake_case(each.__name__).rpartition("_")[2] == last:
            return each
    telling = len(asked) > 1 and not any(asked <= set(dir(plain)) for plain in _PLAIN)
    return fitting[0] if telling and fitting else None


def _modules(package: str) -> list[ModuleType]:
    """Return the modules of a package that are imported."""
    return [
        module for name, module in sorted(sys.modules.items())
        if module is not None and package and name.partition(".")[0] == package
    ]  # fmt: skip


def _classes(homes: Iterable[dict[str, Any]], package: str) -> Iterator[type]:
    """Classes of the package in some of its modules."""
    for home in homes:
        for each in list(home.values()):
            if (
                is_a(each, type) and _module(each).partition(".")[0] == package
                and not issubclass(each, BaseException) and not getattr(each, "_is_protocol", False)
            ):  # fmt: skip
                yield each


def _module(owner: object) -> str:
    return module_of(owner) or ""  # a class whose instances have modules gives a descriptor


@cache
def _provided(cls: type) -> frozenset[str]:
    """Return all attributes that instances have, as far as the class and its source tell."""
    found = set(dir(cls))
    for tree in _sources(cls):
        found |= {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _text(node.value) == "self"
        }
    return frozenset(found)


@cache
def _sources(owner: object) -> tuple[ast.ClassDef, ...]:
    """Return the class's own source and that of its bases."""
    classes: Iterable[type] = owner.__mro__ if isinstance(owner, type) else ()
    found = (_defined(_module(each)).get(each.__qualname__) for each in classes)
    return tuple(each for each in found if each is not None)


@cache
def _defined(module: str) -> dict[str, ast.ClassDef]:
    """Return the classes that a module defines, by qualified name; `inspect` would read all of it for each of them."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if module in {"builtins", "typing", "abc"} or not isinstance(file, str) or not file.endswith(".py"):
        return {}
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[str, ast.ClassDef] = {}
    open_: list[tuple[str, ast.AST]] = [("", tree)]
    while open_:
        prefix, node = open_.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                found[f"{prefix}{child.name}"] = child
                open_.append((f"{prefix}{child.name}.", child))
            elif isinstance(child, ast.If | ast.Try):
                open_.append((prefix, child))
    return found


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
    """Return the attributes of ``self`` that hold the parameter as it was given."""
    return {
        target.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and _text(node.value) == parameter
        for target in node.targets
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    }
