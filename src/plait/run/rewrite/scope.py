"""Which variable a name means: the scopes of a module, as far as rewriting needs them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
ComprehensionNode = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

# Called without a name space of their own they see the caller's variables, temporaries of a rewritten body included.
FRAME_READERS = frozenset({"locals", "vars", "dir", "eval", "exec"})


def mangled(name: str, owner: str | None) -> str:
    """The name that the compiler makes of ``name`` inside a class called ``owner``."""
    if owner is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = owner.lstrip("_")
    return f"_{stripped}{name}" if stripped else name


@dataclass(eq=False, slots=True)
class Scope:
    """One scope: the names it binds, and the names it declares to be someone else's.

    ``shared`` are the variables of a function that nested functions assign by ``nonlocal``; on the module's scope, the
    globals that functions assign by ``global``. All names are mangled.
    """

    kind: Literal["module", "class", "function", "comprehension"]
    parent: Scope | None
    children: list[Scope] = field(default_factory=list)
    parameters: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    walrus: set[str] = field(default_factory=set)
    reads_frame: bool = False
    shared: set[str] = field(default_factory=set)

    def owner(self, name: str) -> Scope:
        """The scope whose variable ``name`` means here; the module's for globals and built-ins."""
        scope = self
        outermost = self
        while scope.parent is not None:
            if name in scope.globals:
                break
            visible = scope.kind != "class" or scope is self
            if visible and name not in scope.nonlocals and (name in scope.stored or name in scope.parameters):
                return scope
            scope = scope.parent
        while outermost.parent is not None:
            outermost = outermost.parent
        return outermost

    def function(self) -> Scope:
        """The nearest scope that is no comprehension: where ``:=`` binds."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope

    def walk(self) -> Iterator[Scope]:
        """The scope itself and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


class Survey(ast.NodeVisitor):
    """Builds the scopes of a module; ``scopes`` maps each node that opens one to it."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope("module", None)
        self.scopes: dict[ast.AST, Scope] = {tree: self.module}
        self._scope = self.module
        self._class: str | None = None
        self.generic_visit(tree)
        self._find_shared()

    def _find_shared(self) -> None:
        for scope in self.module.walk():
            if scope.kind != "function":
                continue
            self.module.shared |= scope.globals & scope.stored
            for name in scope.nonlocals & scope.stored:
                owner = scope.owner(name)
                # A token beside the cell would show up in what the frame readers return.
                if owner.kind == "function" and not any(below.reads_frame for below in owner.walk()):
                    owner.shared.add(name)

    def _open(self, node: ast.AST, kind: Literal["class", "function", "comprehension"]) -> Scope:
        scope = self.scopes[node] = Scope(kind, self._scope)
        self._scope.children.append(scope)
        return scope

    def _inside(self, scope: Scope, nodes: Iterable[ast.AST]) -> None:
        outer, self._scope = self._scope, scope
        for node in nodes:
            self.visit(node)
        self._scope = outer

    def _store(self, name: str) -> None:
        self._scope.stored.add(mangled(name, self._class))

    def _visit_function(self, node: FunctionNode) -> None:
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
        if not isinstance(node, ast.Lambda):
            self._store(node.name)
            for expression in [*node.decorator_list, *filter(None, [arg.annotation for arg in every])]:
                self.visit(expression)
            if node.returns is not None:
                self.visit(node.returns)
        for default in [*args.defaults, *filter(None, args.kw_defaults)]:
            self.visit(default)
        scope = self._open(node, "function")
        scope.parameters = {mangled(arg.arg, self._class) for arg in every}
        scope.parameters |= {parameter.name for parameter in getattr(node, "type_params", [])}
        self._inside(scope, [node.body] if isinstance(node, ast.Lambda) else node.body)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_function  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class is a scope for its own body only; its bases and decorators belong outside."""
        self._store(node.name)
        for expression in [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]:
            self.visit(expression)
        outer, self._class = self._class, node.name
        self._inside(self._open(node, "class"), node.body)
        self._class = outer

    def _visit_comprehension(self, node: ComprehensionNode) -> None:
        first, *others = node.generators
        self.visit(first.iter)  # evaluated outside
        results = list(filter(None, [node.key, node.value])) if isinstance(node, ast.DictComp) else [node.elt]
        inner = [first.target, *first.ifs, *others, *results]
        self._inside(self._open(node, "comprehension"), inner)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension  # noqa: N815

    def visit_Name(self, node: ast.Name) -> None:
        """Stores bind; loads are resolved later."""
        if not isinstance(node.ctx, ast.Load):
            self._store(node.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """The target is a variable of the function around, even from inside a comprehension."""
        name = mangled(node.target.id, self._class)
        scope = self._scope.function()
        scope.stored.add(name)
        scope.walrus.add(name)
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        """Remembers calls that look at the frame they stand in."""
        if isinstance(node.func, ast.Name) and node.func.id in FRAME_READERS:
            self._scope.function().reads_frame = True
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        """Names of the module."""
        self._scope.globals |= {mangled(name, self._class) for name in node.names}

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        """Names of a function around."""
        self._scope.nonlocals |= {mangled(name, self._class) for name in node.names}

    def visit_alias(self, node: ast.alias) -> None:
        """What an import binds."""
        if node.name != "*":
            self._store(node.asname or node.name.partition(".")[0])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """``except E as name`` binds."""
        if node.name is not None:
            self._store(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        """A capture binds."""
        if node.name is not None:
            self._store(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        """``*rest`` binds."""
        if node.name is not None:
            self._store(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        """``**rest`` binds."""
        if node.rest is not None:
            self._store(node.rest)
        self.generic_visit(node)
