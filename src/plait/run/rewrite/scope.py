"""The scopes of a module: which variable a name refers to, as far as rewriting needs it."""

from __future__ import annotations

import ast
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
ComprehensionNode = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

# They use up a generator expression before anything else happens.
CONSUMERS = frozenset({
    "all", "any", "bytes", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple",
})  # fmt: skip
# Expressions that run no code of the module: between two of them no thread can be started.
IDLE = (ast.Name, ast.Constant, ast.Lambda, ast.Tuple, ast.List, ast.Starred, ast.NamedExpr, ast.IfExp)
# They see the caller's variables where no name space is written out, temporaries of a rewritten body included.
FRAME_READERS = frozenset({"eval", "exec"})


def mangled(name: str, owner: str | None) -> str:
    """Return the name that the compiler makes of ``name`` inside a class called ``owner``."""
    if owner is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = owner.lstrip("_")
    return f"_{stripped}{name}" if stripped else name


@dataclass(eq=False, slots=True)
class Scope:
    """One scope: the names that it binds, and those that it declares ``global`` or ``nonlocal``.

    ``shared`` are the variables of a function that one thread may assign while another uses them: nested functions
    assign them by ``nonlocal``, or the function itself does after it has made a nested function that reads them. On the
    module's scope they are the globals that functions assign, of other modules too. All names are mangled.

    ``made``, ``stores``, ``acts`` and ``loops`` tell the order of things: when the scope is made, when which of its
    names is stored, when it runs code that may start threads, and from when to when it repeats what it does.
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
    loaded: set[str] = field(default_factory=set)
    lazy: bool = False  # runs when it is called or consumed, not where it stands
    has_token: bool = False  # the rewritten function names its shared variables by tokens
    made: int = 0
    stores: list[tuple[str, int]] = field(default_factory=list)
    acts: list[int] = field(default_factory=list)
    loops: list[tuple[int, int]] = field(default_factory=list)

    def owner(self, name: str) -> Scope:
        """Return the scope of the variable that ``name`` refers to here; the module's for globals and built-ins."""
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
        """Return the nearest scope that is no comprehension: where ``:=`` binds."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope

    def body(self) -> Scope:
        """Return the function (or module) during whose run this scope's code is evaluated."""
        scope = self
        while not scope.lazy and scope.parent is not None:
            scope = scope.parent
        return scope

    def walk(self) -> Iterator[Scope]:
        """Yield the scope itself and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def captures(self) -> dict[str, list[int]]:
        """Return when nested functions that use a variable of this function are made, by variable."""
        found: dict[str, list[int]] = {}
        for outermost in self._lazy_children():
            for scope in outermost.walk():
                for name in scope.loaded | (scope.nonlocals & scope.stored):
                    if scope.owner(name) is self:
                        found.setdefault(name, []).append(outermost.made)
        return found

    def _lazy_children(self) -> Iterator[Scope]:
        for child in self.children:
            if child.lazy:
                yield child
            else:
                yield from child._lazy_children()

    def stores_late(self, name: str, captured: list[int]) -> bool:
        """Return whether the function may store a variable after a nested function was made that may run later."""
        first = min(captured)
        acted = self.acts[bisect_right(self.acts, first) :][:1]
        for stored, when in self.stores:
            if stored == name:
                if acted and acted[0] < when:
                    return True
                for start, end in self.loops:
                    if start < when <= end and bisect_right(captured, start) < bisect_right(captured, end):
                        return True
        return False


class NameSurvey(ast.NodeVisitor):
    """Builds the scopes of a module; ``scopes`` maps each node that opens one to it."""

    def __init__(self, tree: ast.Module, assigned: Iterable[str] = ()) -> None:
        self.module = Scope("module", None)
        self.scopes: dict[ast.AST, Scope] = {tree: self.module}
        self._scope = self.module
        self._class: str | None = None
        self._time = 0
        self._consumed: set[ast.AST] = set()
        self.generic_visit(tree)
        self.module.shared.update(assigned)
        self._find_shared()

    def _find_shared(self) -> None:
        for scope in self.module.walk():
            if scope.kind != "function":
                continue
            self.module.shared |= scope.globals & scope.stored
            for name in scope.nonlocals & scope.stored:
                self._share(scope.owner(name), name)
            for name, captured in scope.captures().items():
                if scope.stores_late(name, sorted(captured)):
                    self._share(scope, name)

    @staticmethod
    def _share(owner: Scope, name: str) -> None:
        # A token beside the cell would show up in what the frame readers return.
        if owner.has_token and not any(below.reads_frame for below in owner.walk()):
            owner.shared.add(name)

    def _now(self) -> int:
        self._time += 1
        return self._time

    def _act(self) -> None:
        self._scope.body().acts.append(self._now())

    def _open(self, node: ast.AST, kind: Literal["class", "function", "comprehension"]) -> Scope:
        lazy = kind == "function" or (isinstance(node, ast.GeneratorExp) and node not in self._consumed)
        scope = self.scopes[node] = Scope(kind, self._scope, lazy=lazy, made=self._now())
        scope.has_token = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        self._scope.children.append(scope)
        return scope

    def _inside(self, scope: Scope, nodes: Iterable[ast.AST]) -> None:
        outer, self._scope = self._scope, scope
        for node in nodes:
            self.visit(node)
        self._scope = outer

    def _store(self, name: str, scope: Scope | None = None) -> None:
        scope, real = scope or self._scope, mangled(name, self._class)
        scope.stored.add(real)
        if real not in scope.nonlocals and real not in scope.globals:
            scope.stores.append((real, self._now()))

    def visit(self, node: ast.AST) -> None:
        """Record the order of events: an expression takes effect after its parts, a loop from its head to its end."""
        begin = self._time
        super().visit(node)
        if isinstance(node, ast.expr) and not isinstance(node, IDLE):
            self._act()
        elif isinstance(node, ast.For | ast.AsyncFor | ast.While):
            self._scope.body().loops.append((begin, self._now()))

    def _visit_binding(self, node: Any) -> None:
        """Visit the value before the targets: that is how they are evaluated."""
        if node.value is not None:
            self.visit(node.value)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            self.visit(target)
        if isinstance(node, ast.AnnAssign):
            self.visit(node.annotation)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self._scope.loaded.add(mangled(node.target.id, self._class))

    visit_Assign = visit_AnnAssign = visit_AugAssign = _visit_binding  # noqa: N815

    def _visit_loop(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self._act()  # its iterator runs
        for part in (node.target, *node.body, *node.orelse):
            self.visit(part)

    visit_For = visit_AsyncFor = _visit_loop  # noqa: N815

    def _visit_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.visit(item.context_expr)
            self._act()  # it is entered
            if item.optional_vars is not None:
                self.visit(item.optional_vars)
        for statement in node.body:
            self.visit(statement)
        self._act()

    visit_With = visit_AsyncWith = _visit_with  # noqa: N815

    def _visit_function(self, node: FunctionNode) -> None:
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
        if not isinstance(node, ast.Lambda):
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
        if not isinstance(node, ast.Lambda):
            if not all(map(_is_wraps, node.decorator_list)):
                self._act()
            self._store(node.name)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_function  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Open a scope for the body only; bases and decorators belong outside."""
        for expression in [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]:
            self.visit(expression)
        outer, self._class = self._class, node.name
        self._inside(self._open(node, "class"), node.body)
        self._class = outer
        if node.decorator_list or node.bases or node.keywords:
            self._act()
        self._store(node.name)

    def _visit_comprehension(self, node: ComprehensionNode) -> None:
        first, *others = node.generators
        self.visit(first.iter)  # evaluated outside
        results = list(filter(None, [node.key, node.value])) if isinstance(node, ast.DictComp) else [node.elt]
        inner = [first.target, *first.ifs, *others, *results]
        begin = self._time
        self._inside(self._open(node, "comprehension"), inner)
        self._scope.body().loops.append((begin, self._now()))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension  # noqa: N815

    def visit_Name(self, node: ast.Name) -> None:
        """Bind what is stored; loads are resolved later."""
        if isinstance(node.ctx, ast.Load):
            self._scope.loaded.add(mangled(node.id, self._class))
        else:
            self._store(node.id)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Record ``globals()["name"] = value`` as an assignment of a global."""
        match node:
            case ast.Subscript(value=ast.Call(func=ast.Name(id="globals")), slice=ast.Constant(value=str(name))):
                if not isinstance(node.ctx, ast.Load):
                    self.module.shared.add(name)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """Bind the target in the function around, even from inside a comprehension."""
        self.visit(node.value)
        scope = self._scope.function()
        scope.walrus.add(mangled(node.target.id, self._class))
        self._store(node.target.id, scope)

    def visit_Call(self, node: ast.Call) -> None:
        """Record calls that may inspect the frame in which they are made."""
        if isinstance(node.func, ast.Name) and node.func.id in FRAME_READERS:
            written = not node.keywords and not any(isinstance(arg, ast.Starred) for arg in node.args)
            self._scope.function().reads_frame |= not written
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="globals")), attr="update")):
                self.module.shared.update(keyword.arg for keyword in node.keywords if keyword.arg)
        if _consumes(node):
            self._consumed.update(node.args)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        """Record names of the module."""
        self._scope.globals |= {mangled(name, self._class) for name in node.names}

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        """Record names of an enclosing function."""
        self._scope.nonlocals |= {mangled(name, self._class) for name in node.names}

    def visit_alias(self, node: ast.alias) -> None:
        """Bind what an import binds."""
        if node.name != "*":
            self._store(node.asname or node.name.partition(".")[0])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Bind the name of ``except E as name``."""
        if node.name is not None:
            self._store(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        """Bind a capture."""
        if node.name is not None:
            self._store(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        """Bind ``*rest``."""
        if node.name is not None:
            self._store(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        """Bind ``**rest``."""
        if node.rest is not None:
            self._store(node.rest)
        self.generic_visit(node)


def _is_wraps(decorator: ast.expr) -> bool:
    """Return whether a decorator is `functools.wraps`, which never calls the function."""
    match decorator:
        case ast.Call(func=ast.Name(id="wraps") | ast.Attribute(attr="wraps")):
            return True
    return False


def _consumes(call: ast.Call) -> bool:
    match call.func:
        case ast.Name(id=name):
            return name in CONSUMERS
        case ast.Attribute(attr=name):
            return name in ("join", "extend", "update")
    return False
