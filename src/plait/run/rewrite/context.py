"""The context of a rewriting: the scope, the temporaries, and the numbers of places."""

from __future__ import annotations

import ast
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from plait.model.site import Site
from plait.run.rewrite import build
from plait.run.rewrite.scope import Scope, mangled

if TYPE_CHECKING:
    from collections.abc import Iterator

# Built-ins whose results are immutable and not shared: looking at such a value is no access.
_SCALAR_CALLS = frozenset({
    "len", "isinstance", "issubclass", "callable", "hasattr", "bool", "any", "all", "id", "hash", "ord", "chr", "int",
    "float", "str", "repr", "ascii", "bin", "hex", "oct", "format", "type",
})  # fmt: skip
_SHARABLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.NamedExpr, ast.Await)


@dataclass(slots=True)
class FunctionFrame:
    """The function, or other code, that is being rewritten.

    ``inside`` says that it is a function's body, ``bare`` that it must do without temporaries, ``sealed`` that even a
    lambda in it must (the iterable of a comprehension). ``temporaries`` are those of the current statement; the next
    statement uses the same names again, and ``used`` collects them all.
    """

    scope: Scope
    function: str = ""
    prefix: str = ""
    owner: str | None = None
    inside: bool = False
    bare: bool = False
    sealed: bool = False
    temporaries: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    loops: int = 0


@dataclass(slots=True)
class SiteTable:
    """Numbers the places of one module; the numbers depend on the source alone."""

    module: str
    file: str
    sites: list[Site] = field(default_factory=list)
    _seen: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def add(self, function: str, kind: str, node: ast.expr, text: str) -> int:
        """Return the number of a new place."""
        number = (zlib.crc32(self.module.encode()) << 20) | len(self.sites)
        key = (function, kind, text)
        self.sites.append(Site(number, self.module, self.file, node.lineno, function, kind, text, self._seen[key]))
        self._seen[key] += 1
        return number


class RewriteContext(ABC):
    """The state of one rewriting, and the queries that all its parts share."""

    def __init__(self, table: SiteTable, scopes: dict[ast.AST, Scope], module: Scope) -> None:
        self.table = table
        self.scopes = scopes
        self.module = module
        self.frame = FunctionFrame(module)

    @abstractmethod
    def value(self, node: ast.expr) -> ast.expr:
        """Return a loaded expression, rewritten."""

    @abstractmethod
    def test(self, node: ast.expr) -> ast.expr:
        """Return an expression whose truth is tested, rewritten."""

    @contextmanager
    def within(self, **changes: object) -> Iterator[None]:
        """Rewrite in another frame until the block ends."""
        outer = self.frame
        self.frame = replace(outer, **{"temporaries": [], "used": set(), **changes})  # type: ignore[arg-type]
        yield
        self.frame = outer

    def site(self, kind: str, node: ast.expr, text: str | None = None) -> ast.Constant:
        """Return a new place, as the constant that a hook is given.

        Without ``text`` it is to be taken before the node's children are rewritten, which happens in place.
        """
        return build.constant(self.table.add(self.frame.function, kind, node, text or ast.unparse(node)), node)

    def mangled(self, name: str) -> str:
        """Return the name as the compiler will see it."""
        return mangled(name, self.frame.owner)

    def temporary(self) -> str:
        """Return a new local variable of the function being rewritten."""
        name = f"_p_t{len(self.frame.temporaries) + 1}"
        self.frame.temporaries.append(name)
        self.frame.used.add(name)
        return name

    def clear(self, at: ast.AST) -> list[ast.stmt]:
        """Return statements that clear the temporaries of the current statement."""
        return build.clear(self.frame.temporaries, at)

    def is_builtin(self, name: str) -> bool:
        """Return whether nothing in the module or around the current place redefines a built-in."""
        owner = self.frame.scope.owner(name)
        return owner is self.module and name not in owner.stored

    def is_global(self, name: str) -> bool:
        """Return whether the name is the module's (or a built-in) here."""
        return self.frame.scope.owner(self.mangled(name)) is self.module

    def is_shared(self, name: str) -> bool:
        """Return whether the variable is a global or closure cell that functions assign."""
        real = self.mangled(name)
        return self.frame.inside and real in self.frame.scope.owner(real).shared

    def variable(self, name: str, hook: str, at: ast.AST) -> ast.Call | None:
        """Return the hook call ``hook`` ("r" or "w") for a shared global or closure cell.

        None for any other variable.
        """
        if not self.is_shared(name):
            return None
        real = self.mangled(name)
        node = build.load_node(name, at)
        if self.is_global(name):
            subject: ast.expr = build.constant(self.table.module, at)
            letter, site = "g", self.site("global", node)
        else:
            subject = build.load_node(f"_p_cell_{real}", at)
            letter, site = "c", self.site("cell", node)
        return build.call_node(f"_p_{hook}{letter}", [subject, build.constant(real, at), site], at)

    def is_stable(self, node: ast.expr) -> bool:
        """Return whether evaluating the rewritten expression twice gives the same object, without any effect."""
        if isinstance(node, ast.Name):
            return self.mangled(node.id) not in self.frame.scope.function().walrus
        return isinstance(node, ast.Constant)

    def can_keep(self, *nodes: ast.expr) -> bool:
        """Return whether `keep` is possible here, for all of these expressions."""
        return not self.frame.bare or all(map(self.is_stable, nodes))

    def keep(self, node: ast.expr) -> tuple[ast.expr, ast.expr]:
        """Return two forms of a rewritten expression: one to evaluate first, one that gives the same object later."""
        if self.is_stable(node):
            return node, node
        name = self.temporary()
        return build.kept(name, node, node), build.load_node(name, node)

    def is_scalar(self, node: ast.expr) -> bool:
        """Return whether an original expression surely gives an immutable value such as a number or a string.

        Bytes are none here: what they are compared with, or added to, may be a bytearray.
        """
        match node:
            case ast.Constant(value=bytes()):
                return False  # see `both`
            case ast.Constant() | ast.JoinedStr() | ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.UnaryOp(operand=operand):
                return self.is_scalar(operand)
            case ast.Call(func=ast.Name(id=name)):
                return name in _SCALAR_CALLS and self.is_builtin(name)
            case ast.BinOp(left=left, right=right):
                return self.is_scalar(left) and self.is_scalar(right)
        return False

    def is_sharable(self, node: ast.expr) -> bool:
        """Return whether the value of an original expression may be an object that other threads use."""
        if isinstance(node, ast.Name):
            return node.id != "__debug__"
        return isinstance(node, _SHARABLE) and not self.is_scalar(node)

    def whole(self, node: ast.expr, kind: str, text: str | None = None, hook: str = "_p_o") -> ast.expr:
        """Return the rewritten expression, announced as read as a whole if it, or what it is made of, may be shared."""
        if not (self.is_sharable(node) or (kind != "iterate" and self._has_sharable(node))):
            return self.value(node)
        site = self.site(kind, node, text)
        return build.call_node(hook, [self.value(node), site], node)

    def both(self, left: ast.expr, right: ast.expr, kind: str) -> tuple[ast.expr, ast.expr]:
        """Return two rewritten operands; if both may be shared, the operation reads them at one moment."""
        shared = [self.is_sharable(node) or self._has_sharable(node) for node in (left, right)]
        if any(shared) and all(seen or _is_bytes(node) for seen, node in zip(shared, (left, right), strict=True)):
            site = self.site(kind, right)
            first, second = self.value(left), self.value(right)
            if self.can_keep(first):
                first, again = self.keep(first)
                return first, build.call_node("_p_oo", [again, second, site], right)
            return build.call_node("_p_o", [first, site], left), build.call_node("_p_o", [second, site], right)
        return self.whole(left, kind), self.whole(right, kind)

    def _has_sharable(self, node: ast.expr) -> bool:
        """Return whether a display may contain an object that threads share."""
        match node:
            case ast.Dict():
                return any(map(self.is_sharable, node.values))
            case ast.Tuple() | ast.List() | ast.Set():
                return any(map(self.is_sharable, node.elts))
        return False


def _is_bytes(node: ast.expr) -> bool:
    """Return whether an operand is a bytes literal: the other one may be a bytearray, which is read byte by byte."""
    return isinstance(node, ast.Constant) and isinstance(node.value, bytes)
