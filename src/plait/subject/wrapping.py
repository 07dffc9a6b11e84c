"""Functions that make functions: decorators, and what hands out a closure."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def hands_out_function(function: Any) -> bool:
    """Whether a function returns one of its own making that can be called without arguments, as most wrappers can.

    What such a function is about happens when its result is called: applying a decorator alone does next to nothing.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return False
    if not isinstance(tree, ast.FunctionDef):
        return False
    own = list(_inside(tree))
    made = {node.name: node.args for node in own if isinstance(node, ast.FunctionDef)}
    returned = [node.value for node in own if isinstance(node, ast.Return)]
    signatures = [made[value.id] for value in returned if isinstance(value, ast.Name) and value.id in made]
    return any(map(_needs_nothing, signatures))


def _inside(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function's body, but not those of the functions in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def _needs_nothing(arguments: ast.arguments) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    return positional == len(arguments.defaults) and None not in arguments.kw_defaults
