"""Functions and methods of a package that return instances of a class: ``Pool.connection``, ``SortedDict.keys``.

Such an object is often made of parts that only they know. What a function returns is read from its annotation, or from
its source if it returns a call of the class. No code of the package runs here.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.generate.values.duck import module_tree, package_modules
from plait.model.foreign import module_of

if TYPE_CHECKING:
    from plait.subject.changes.scopes import FunctionNode

_MOST_MODULES = 300
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Maker:
    """A function, or if ``owner`` is set a method; ``attribute`` is the object of that name, such as a property."""

    module: str
    name: str
    owner: type | None
    attribute: Any

    @property
    def function(self) -> Any:
        """The function itself, if the attribute is a property, a class method or a static method."""
        inner = self.attribute.fget if isinstance(self.attribute, property) else self.attribute
        return getattr(inner, "__func__", inner)


def makers_of(cls: type) -> Iterator[Maker]:
    """Yield the public functions and methods of the class's package that return an instance; its own module first."""
    home = module_of(cls) or ""
    modules = sorted(package_modules(home.partition(".")[0]), key=lambda each: each.__name__ != home)
    for module in modules[:_MOST_MODULES]:
        if not _mentions(module, cls.__name__) or (tree := module_tree(module.__name__)) is None:
            continue
        for node in tree.body:
            found = vars(module).get(getattr(node, "name", ""))
            if isinstance(node, _FUNCTIONS) and _hands_out(node, cls.__name__) and callable(found):
                yield Maker(module.__name__, node.name, None, found)
            elif isinstance(node, ast.ClassDef) and isinstance(found, type) and not _is_kin(found, cls):
                yield from _methods(node, found, cls.__name__)


def _methods(tree: ast.ClassDef, owner: type, wanted: str) -> Iterator[Maker]:
    for node in tree.body:
        if isinstance(node, _FUNCTIONS) and _hands_out(node, wanted) and node.name in vars(owner):
            yield Maker(owner.__module__, node.name, owner, vars(owner)[node.name])


def _is_kin(found: type, cls: type) -> bool:
    """Return whether one class is a base of the other: such methods make copies, for which an instance is needed."""
    return found in cls.__mro__ or cls in found.__mro__


def _mentions(module: Any, name: str) -> bool:
    file = getattr(module, "__file__", None)
    try:
        return isinstance(file, str) and file.endswith(".py") and name in Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _hands_out(function: FunctionNode, wanted: str) -> bool:
    """Return whether a function returns an instance of a class, according to its annotation or its code."""
    inside = [node for node in ast.walk(function) if node is not function]
    nested = any(isinstance(node, (*_FUNCTIONS, ast.Lambda)) for node in inside)
    resumed = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in inside)
    if function.name.startswith("_") or resumed or isinstance(function, ast.AsyncFunctionDef):
        return False
    if function.returns is not None:
        said = function.returns
        text = said.value if isinstance(said, ast.Constant) and isinstance(said.value, str) else ast.unparse(said)
        return text.rpartition(".")[2].partition("[")[0] == wanted
    returned = [part for node in inside if isinstance(node, ast.Return) for part in _ways(node.value)]
    kept = {
        target.id for node in inside if isinstance(node, ast.Assign) and _makes(node.value, wanted)
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    return not nested and any(
        _makes(each, wanted) or (isinstance(each, ast.Name) and each.id in kept) for each in returned
    )


def _makes(value: ast.expr | None, wanted: str) -> bool:
    return isinstance(value, ast.Call) and _last(value.func) == wanted


def _ways(value: ast.expr | None) -> list[ast.expr | None]:
    """Return the expression, or the branches of a conditional expression."""
    return [*_ways(value.body), *_ways(value.orelse)] if isinstance(value, ast.IfExp) else [value]


def _last(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def import_line(module: str, top: str) -> str:
    """Return the line that imports a name from an imported module; an empty text if the module has no such name."""
    return f"from {module} import {top}" if top in vars(sys.modules[module]) else ""
