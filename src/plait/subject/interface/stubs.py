"""Signatures of the standard library and of compiled classes, from the type stubs that typeshed-client carries.

The package is imported when it is needed: in workers, for whom their server has imported it, and not in the parent.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typeshed_client import NameInfo, Resolver

_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@lru_cache(maxsize=1)
def _resolver() -> Resolver:
    from typeshed_client import Resolver, get_search_context  # noqa: PLC0415 - see above

    return Resolver(get_search_context(search_path=()))  # else it starts an interpreter to ask for its path


@lru_cache(maxsize=512)
def _lookup(module: str, qualname: str) -> NameInfo | None:
    from typeshed_client import ImportedInfo, NameInfo  # noqa: PLC0415 - see above

    try:
        head, *rest = qualname.split(".")
        found = _resolver().get_fully_qualified_name(f"{module}.{head}")
    except Exception:  # a broken or missing stub is the same as none
        return None
    info = found.info if isinstance(found, ImportedInfo) else found
    for part in rest:
        child = info.child_nodes.get(part) if isinstance(info, NameInfo) and info.child_nodes else None
        info = child
    return info if isinstance(info, NameInfo) else None


def overloads(module: str, qualname: str) -> list[ast.arguments]:
    """Return the argument lists that the stub of ``module`` gives the function or method; empty when it has none."""
    return [node.args for node in _functions(module, qualname)]


def returns(module: str, qualname: str) -> str | None:
    """Return the return annotation, when all overloads agree on it."""
    texts = {ast.unparse(node.returns) for node in _functions(module, qualname) if node.returns is not None}
    return texts.pop() if len(texts) == 1 else None


def is_static(module: str, qualname: str) -> bool:
    """Return whether the stub says ``@staticmethod``: such an argument list has no receiver to drop."""
    return any(
        isinstance(mark, ast.Name) and mark.id == "staticmethod"
        for node in _functions(module, qualname)
        for mark in node.decorator_list
    )


def _functions(module: str, qualname: str) -> list[_FunctionNode]:
    from typeshed_client import OverloadedName  # noqa: PLC0415 - see above

    info = _lookup(module, qualname)
    if info is None:
        return []
    definitions = info.ast.definitions if isinstance(info.ast, OverloadedName) else [info.ast]
    return [node for node in definitions if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
