"""Which methods of a class wait for other threads, read from its source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any


def waiting_methods(cls: type) -> frozenset[str]:
    """Methods and properties whose code calls ``wait``, or ``wait_for_anything``, themselves or through others."""
    calls: dict[str, set[str]] = {}
    for klass in cls.__mro__:
        for name, attribute in vars(klass).items():
            if name not in calls and klass is not object:
                calls[name] = _called(attribute)
    found = {name for name, called in calls.items() if any(map(_waits, called))}
    while more := {name for name, called in calls.items() if name not in found and called & found}:
        found |= more
    return frozenset(found)


def _waits(called: str) -> bool:
    """So conditions, events, barriers and futures call it, and what others write around them; a lock does not count."""
    return called == "wait" or called.startswith("wait_")


def _called(attribute: Any) -> set[str]:
    """The names that the code behind an attribute calls as methods, or enters."""
    function = attribute.fget if isinstance(attribute, property) else getattr(attribute, "__func__", attribute)
    if not inspect.isfunction(function):
        return set()
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return set()
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {called.attr for called in calls if isinstance(called, ast.Attribute)}
