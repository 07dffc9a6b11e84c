"""The normal form of code: a text that contains only what can change behaviour.

It has no formatting, comments, docstrings or annotations of functions, and local variables are numbered in order of
appearance, so that renaming one is no change. Empty fields are left out, which makes the text the same on all versions
of Python.
"""

from __future__ import annotations

import ast
import hashlib
from typing import TYPE_CHECKING

from plait.subject.changes.scopes import BLOCKS, COMPREHENSIONS, FUNCTIONS, Bindings, Definition, FunctionNode, is_noise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Code that can see the names of local variables.
_REFLECTIVE = {"locals", "vars", "eval", "exec", "dir"}
_IGNORED = {"annotation", "returns", "type_comment", "type_params", "kind"}
_TYPING_BASES = {"object", "Generic", "Protocol"}

_Scope = dict[str, str | None]


def normal(node: ast.AST, *, rename_locals: bool = True) -> str:
    """Return the normal form of a function, a statement or an expression with all that it contains."""
    reflective = any(isinstance(part, ast.Name) and part.id in _REFLECTIVE for part in ast.walk(node))
    return _Writer(rename_locals=rename_locals and not reflective).text(node)


def header(node: ast.AST) -> str:
    """Return the normal form of a statement without the blocks inside it, with local names as they are."""
    return _Writer(rename_locals=False, blocks=False).text(node)


def class_header(node: ast.ClassDef) -> str:
    """Return the normal form of a class's header: its decorators, bases and metaclass."""
    bases = [base for base in node.bases if not is_typing_base(base)]
    writer = _Writer(rename_locals=False)
    return " ".join(writer.text(part) for part in (*node.decorator_list, *bases, *node.keywords))


def sha256(texts: Iterable[str]) -> str:
    """Return a hash of normal forms."""
    return hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def is_typing_base(base: ast.expr) -> bool:
    """Return whether a base class is for type checkers only."""
    base = base.value if isinstance(base, ast.Subscript) else base
    name = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
    return name in _TYPING_BASES


class _Writer:
    """Writes one node; a stack of scopes gives the numbers of local variables."""

    def __init__(self, *, rename_locals: bool, blocks: bool = True) -> None:
        self._rename = rename_locals
        self._blocks = blocks
        self._parts: list[str] = []
        self._scopes: list[tuple[bool, _Scope]] = []
        self._count = 0
        self._fields_are_data = False
        self._special: dict[type[ast.AST], Callable[..., None]] = {
            ast.Constant: self._constant, ast.Name: self._plain_name, ast.arg: self._argument, ast.alias: self._alias,
            ast.arguments: self._arguments,
            ast.FunctionDef: self._function, ast.AsyncFunctionDef: self._function, ast.Lambda: self._lambda,
            ast.ClassDef: self._class, ast.AnnAssign: self._annotated, ast.ExceptHandler: self._named,
            ast.MatchAs: self._named, ast.MatchStar: self._named, ast.MatchMapping: self._named,
            ast.Global: self._declared, ast.Nonlocal: self._declared,
            **dict.fromkeys(COMPREHENSIONS, self._comprehension),
        }  # fmt: skip

    def text(self, node: ast.AST) -> str:
        self._parts = []
        self._write(node)
        return "".join(self._parts)

    def _write(self, value: object) -> None:
        if isinstance(value, ast.AST):
            self._special.get(type(value), self._node)(value)
        elif isinstance(value, list):
            self._parts.append("[")
            for item in value:
                self._write(item)
                self._parts.append(",")
            self._parts.append("]")
        else:
            self._parts.append(repr(value))

    def _node(self, node: ast.AST, *skipped: str) -> None:
        self._parts.append(type(node).__name__ + "(")
        for field, value in ast.iter_fields(node):
            if value is None or value == [] or field in _IGNORED or field in skipped:
                continue
            if field in BLOCKS and isinstance(value, list):
                value = [item for item in value if not self._is_silent(item)] if self._blocks else []  # noqa: PLW2901
            self._parts.append(field + "=")
            self._write(value)
            self._parts.append(" ")
        self._parts.append(")")

    def _is_silent(self, node: ast.AST) -> bool:
        bare = isinstance(node, ast.AnnAssign) and node.value is None
        return is_noise(node) or (bare and not self._fields_are_data)

    def _constant(self, node: ast.Constant) -> None:
        self._parts.append(f"{type(node.value).__name__}:{node.value!r}")

    def _plain_name(self, node: ast.Name) -> None:
        self._parts.append(f"{type(node.ctx).__name__}:{self._renamed(node.id)}")

    def _argument(self, node: ast.arg) -> None:
        self._parts.append(f"arg:{self._renamed(node.arg)}")

    def _alias(self, node: ast.alias) -> None:
        self._parts.append(f"alias:{node.name}>{self._renamed(node.asname) if node.asname else ''}")

    def _named(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar | ast.MatchMapping) -> None:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        self._parts.append(f"{self._renamed(name)}=" if name else "")
        self._node(node, "name", "rest")

    def _declared(self, node: ast.Global | ast.Nonlocal) -> None:
        self._parts.append(f"{type(node).__name__}:{sorted(map(self._renamed, node.names))}")

    def _function(self, node: FunctionNode) -> None:
        self._outside(node.decorator_list, node.args)
        data, self._fields_are_data = self._fields_are_data, False
        self._enter(node)
        self._node(node, "decorator_list")
        self._scopes.pop()
        self._fields_are_data = data

    def _lambda(self, node: ast.Lambda) -> None:
        self._outside([], node.args)
        self._enter(node)
        self._node(node)
        self._scopes.pop()

    def _outside(self, decorators: list[ast.expr], arguments: ast.arguments) -> None:
        """Visit what a definition evaluates in the scope around it: a default may be named like a local."""
        self._write(decorators)
        self._write([*arguments.defaults, None, *arguments.kw_defaults])

    def _arguments(self, node: ast.arguments) -> None:
        self._node(node, "defaults", "kw_defaults")

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        """Visit the first iterable in the scope around a comprehension, all else in its own."""
        first, *others = node.generators
        self._write(first.iter)
        self._enter(node)
        self._node(node, "generators")
        self._node(first, "iter")
        self._write(others)
        self._scopes.pop()

    def _class(self, node: ast.ClassDef) -> None:
        data, self._fields_are_data = self._fields_are_data, bool(node.decorator_list or node.bases)
        self._scopes.append((True, dict.fromkeys(Bindings(node).names)))
        self._node(node)
        self._scopes.pop()
        self._fields_are_data = data

    def _annotated(self, node: ast.AnnAssign) -> None:
        """Annotations are dropped, but those of decorated or derived classes may be fields (data classes)."""
        if self._fields_are_data:
            self._parts.append("field:")
            self._write(node.annotation)
        if node.value is not None:
            # As a plain assignment is written.
            self._parts.append("Assign(targets=[")
            self._write(node.target)
            self._parts.append(",] value=")
            self._write(node.value)
            self._parts.append(" )")
        elif self._fields_are_data:
            self._write(node.target)

    def _enter(self, scope: ast.AST) -> None:
        bound = Bindings(scope)
        names: _Scope = dict.fromkeys((bound.fixed - bound.outer) | bound.globals)
        names.update(dict.fromkeys(bound.free, "" if self._rename else None))
        self._scopes.append((False, names))

    def _renamed(self, name: str) -> str:
        for depth, (is_class, scope) in enumerate(reversed(self._scopes)):
            if name in scope and not (is_class and depth):
                number = scope[name]
                if number is None:
                    return name
                if not number:
                    self._count += 1
                    number = scope[name] = f"·{self._count}"
                return number
        return name


def digest(nodes: Iterable[Definition]) -> str:
    """Return the sha256 of all definitions of one name (a property's getter and setter, the branches of an ``if``)."""
    return sha256(normal(node) if isinstance(node, FUNCTIONS) else class_header(node) for node in nodes)
