"""Finds names in a test that the code no longer has: such a test would pass without having shown anything."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterable, Mapping
from typing import Any

from plait.run.endings import SetupBlockedError, SetupFailedError

UNBUILT = (SetupFailedError, SetupBlockedError)


def missing_name(lines: Iterable[str], values: Mapping[str, Any]) -> str:
    """Return a message on the first method, attribute or parameter in ``lines`` that the objects lack; '' if none does.

    No code under test runs. Attributes are looked up in the classes. An object whose class defines ``__getattr__`` is
    assumed to have all attributes.
    """
    for line in lines:
        try:
            tree = ast.parse(line)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute)) if name in values:
                    if said := _lacks(values[name], attribute, "method") or _misfits(values[name], attribute, node):
                        return said
                case ast.Attribute(value=ast.Name(id=name), attr=attribute, ctx=ast.Load()) if name in values:
                    if said := _lacks(values[name], attribute, "attribute"):
                        return said
    return ""


def _owner(value: Any) -> str:
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    return value.__name__ if issubclass(type(value), type) else type(value).__name__


def _lacks(value: Any, attribute: str, kind: str) -> str:
    if inspect.getattr_static(value, attribute, _NOTHING) is not _NOTHING:
        return ""
    classes = [*type(value).__mro__, *(value.__mro__ if issubclass(type(value), type) else ())]
    if any("__getattr__" in vars(each) for each in classes) or "__getattr__" in getattr(value, "__dict__", ()):
        return ""
    if any("__getattribute__" in vars(each) for each in type(value).__mro__ if each.__module__ != "builtins"):
        return ""
    return f"{_owner(value)} has no {kind} {attribute}"


_NOTHING = object()


def _misfits(value: Any, attribute: str, call: ast.Call) -> str:
    """Return a message if the arguments of a call do not fit a function written in Python, otherwise ''."""
    found = inspect.getattr_static(value, attribute, None)
    bound = not isinstance(value, types.ModuleType) and not issubclass(type(value), type)
    if isinstance(found, staticmethod | classmethod):
        bound = isinstance(found, classmethod)
        found = found.__func__
    spread = any(isinstance(each, ast.Starred) for each in call.args) or any(not each.arg for each in call.keywords)
    if not isinstance(found, types.FunctionType) or hasattr(found, "__wrapped__") or spread:
        return ""
    given = [None] * (len(call.args) + bound)
    try:
        inspect.signature(found).bind(*given, **{str(each.arg): None for each in call.keywords})
    except TypeError as error:
        return f"{_owner(value)}.{attribute} cannot be called as {ast.unparse(call)}: {error}"
    except ValueError:  # it has no signature
        return ""
    return ""
