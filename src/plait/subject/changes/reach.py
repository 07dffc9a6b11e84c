"""The code that a method can reach by name: a change in a helper, a base class or a constant affects the method."""

from __future__ import annotations

import ast
from collections import defaultdict, deque
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from plait.subject.changes.importing import registered_with
from plait.subject.changes.scopes import FUNCTIONS, FunctionNode
from plait.subject.changes.types import Types
from plait.subject.changes.units import CONSTRUCTORS, Program, Target, Unit, loose_statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plait.subject.source import Module

# Names of methods of built-in containers: on a receiver of unknown class, they are assumed to be these.
_COMMON = {name for kind in (dict, list, set, str, bytes, deque) for name in dir(kind)}

_BUILTINS = {
    "len": ("__len__",), "iter": ("__iter__",), "next": ("__next__",), "bool": ("__bool__", "__len__"),
    "str": ("__str__", "__repr__"), "repr": ("__repr__",), "hash": ("__hash__",), "reversed": ("__reversed__",),
    "abs": ("__abs__",), "int": ("__int__",), "float": ("__float__",), "format": ("__format__",), "copy": ("__copy__",),
    **dict.fromkeys(("list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "min", "max", "any", "all",
                     "enumerate", "zip", "map", "filter"), ("__iter__", "__next__", "__len__", "keys", "__getitem__")),
}  # fmt: skip
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitOr: "or", ast.BitXor: "xor", ast.BitAnd: "and",
    ast.MatMult: "matmul", ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
_ITEMS: dict[type[ast.expr_context], tuple[str, ...]] = {
    ast.Load: ("__getitem__", "__missing__"), ast.Store: ("__setitem__",), ast.Del: ("__delitem__",),
}  # fmt: skip

_NAMING = frozenset({"getattr", "setattr", "delattr", "hasattr"})
_OPAQUE = frozenset({
    "eval", "exec", "compile", "globals", "locals", "vars", "__import__", "import_module", "methodcaller",
    "attrgetter", "getmembers", "__dict__", "__subclasses__", "__getattribute__", "__globals__", "__closure__",
    "__mro__", "__bases__",
})  # fmt: skip
"""Names of functions that reach code by names which are not in the source."""


class Step(NamedTuple):
    """A unit in use; methods that it calls on itself are looked up in the class of ``receiver``."""

    unit: Unit
    receiver: Unit | None


class Reach:
    """The graph of uses in one version.

    A ``wide`` graph leaves out nothing that could be used: an object of unknown class may be of any class, a class
    comes with all its special methods, and code that uses names made at run time is ``opaque``. The store needs this,
    because it keeps results for code that has not changed. To find the subject of a change, the narrow graph is better.
    """

    def __init__(self, program: Program, *, wide: bool = False) -> None:
        self.program = program
        self.types = Types(program, wide=wide)
        self.wide = wide
        self.opaque: set[Step] = set()
        self._uses: dict[Step, list[Step]] = {}

    def path_to(self, start: Step, is_changed: Callable[[Unit], bool]) -> tuple[Unit, ...] | None:
        """Return the shortest chain of uses from ``start`` to a changed unit, both included.

        None when there is none.
        """
        before: dict[Step, Step | None] = {start: None}
        pending = deque([start])
        while pending:
            step = pending.popleft()
            if is_changed(step.unit):
                chain = []
                at: Step | None = step
                while at is not None:
                    chain.append(at.unit)
                    at = before[at]
                return tuple(reversed(chain))
            for following in self.uses(step):
                if following not in before:
                    before[following] = step
                    pending.append(following)
        return None

    def uses(self, step: Step) -> list[Step]:
        """Return what a unit uses directly, in source order."""
        if step not in self._uses:
            self._uses[step] = list(dict.fromkeys(self._find_uses(step)))
        return self._uses[step]

    def uses_of(self, module: Module, nodes: Iterable[ast.AST]) -> tuple[list[Step], bool]:
        """Return what statements at the top level of a module use, and whether they are opaque."""
        collector = _Uses(self, module, None, None)
        collector.expressions(nodes)
        return collector.steps, collector.opaque

    def _find_uses(self, step: Step) -> list[Step]:
        module = self.program.source.module(step.unit.module)
        if module is None:
            return []
        owner, _, last = step.unit.name.rpartition(".")
        owner = owner.removesuffix(".self")
        classes = self.program.class_nodes(Unit(module.name, owner)) if owner else []
        defining = Unit(module.name, owner) if classes else None
        collector = _Uses(self, module, defining, step.receiver)
        functions = module.functions(step.unit.name)
        for function in functions:
            collector.function(function)
        if last == "<class>":
            for node in classes:
                collector.expressions([*node.decorator_list, *node.keywords, *loose_statements(node)])
            if self.wide and defining is not None and module.is_own:
                collector.special_methods(defining)
        elif defining and f"{owner}.self.{last}" == step.unit.name:
            for function in (f for name in CONSTRUCTORS for f in module.functions(f"{owner}.{name}")):
                collector.within(function, self.program.fields(defining).get(last, ()))
        elif defining and not functions:
            collector.expressions(self.program.attributes(defining).get(last, ()))
        elif not owner:
            collector.expressions(module.values.get(last, ()))
        if collector.opaque:
            self.opaque.add(step)
        return [*collector.steps, *(Step(unit, step.receiver) for unit in self._registered.get(step.unit, ()))]

    @cached_property
    def _registered(self) -> dict[Unit, list[Unit]]:
        """Functions that a decorator hands to another one of their scope (``@area.register``), which may call them."""
        found: dict[Unit, list[Unit]] = defaultdict(list)
        for module in self.program.modules.values():
            for qualname, nodes in module.definitions.items():
                owner, _, last = qualname.rpartition(".")
                for name in set().union(*map(registered_with, nodes)) - {last}:
                    inside = f"{owner}.{name}" if owner else name
                    units = [Unit(module.name, inside)] if module.functions(inside) else []
                    if not units and not owner:
                        targets = self.program.resolve(module, name)
                        units = [target.unit for target in targets if target.kind == "function"]
                    for unit in units:
                        found[unit].append(Unit(module.name, qualname))
        return found


class _Uses(ast.NodeVisitor):
    """Collects the uses of one unit."""

    def __init__(self, reach: Reach, module: Module, defining: Unit | None, receiver: Unit | None) -> None:
        self.steps: list[Step] = []
        self.opaque = False
        self._wide = reach.wide and module.is_own
        self._program = reach.program
        self._types = reach.types
        self._module = module
        self._defining = defining
        self._receiver = receiver
        self._scope = reach.types.scope(module, defining, receiver, None)
        self._locals: list[set[str]] = []

    def function(self, node: FunctionNode) -> None:
        """Visit everything in a function; for a method also the headers of its receiver's classes."""
        for unit in self._program.mro(self._receiver) if self._receiver else ():
            if self._program.source.own(unit.module):
                self._add(Unit(unit.module, f"{unit.name}.<class>"))
        self._scope = self._types.scope(self._module, self._defining, self._receiver, node)
        self.visit(node)

    def within(self, function: FunctionNode, nodes: Iterable[ast.AST]) -> None:
        """Visit some statements of a function."""
        self._scope = self._types.scope(self._module, self._defining, self._receiver, function)
        self._locals.append(self._types.local_names(function))
        self.expressions(nodes)
        self._locals.pop()

    def expressions(self, nodes: Iterable[ast.AST]) -> None:
        """Visit headers of statements outside of functions."""
        for node in nodes:
            self.visit(node)

    def special_methods(self, cls: Unit) -> None:
        """Record the special methods of a class, which may be called without being named."""
        start = f"{cls.name}.__"
        names = [*self._module.definitions, *(f"{cls.name}.{name}" for name in self._program.attributes(cls))]
        for name in names:
            if name.startswith(start) and name.endswith("__") and "." not in name[len(start) :]:
                self._add(Unit(cls.module, name), cls)

    def _add(self, unit: Unit | None, receiver: Unit | None = None) -> None:
        if unit is not None:
            self.steps.append(Step(unit, receiver))

    def _method(self, cls: Unit, name: str) -> bool:
        found = self._program.lookup(cls, name)
        self._add(found, cls)
        return found is not None

    def _protocol(self, node: ast.AST, *names: str) -> None:
        for cls in self._types.of(node, self._scope) or ():
            for name in names:
                self._method(cls, name)

    # Scopes

    def _inner(self, node: ast.AST) -> None:
        if isinstance(node, FUNCTIONS):
            for outside in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
                self.visit(outside)
        scope = self._scope
        if isinstance(node, ast.Lambda) and scope.function is None:  # property(lambda self: ...)
            self._scope = self._types.scope(self._module, self._defining, self._receiver, node)
        self._locals.append(self._types.local_names(node))
        for field, value in ast.iter_fields(node):
            if field in {"decorator_list", "returns", "args", "type_params"} and isinstance(node, FUNCTIONS):
                continue
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    self.visit(part)
        self._locals.pop()
        self._scope = scope

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _inner  # noqa: N815
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _inner  # noqa: N815

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Skip the annotation: it uses nothing."""
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    # Names and attributes

    def visit_Name(self, node: ast.Name) -> None:
        """Note a module-level name, or in a class body a member of the class."""
        self.opaque |= self._wide and (node.id in _OPAQUE or node.id in _NAMING)
        if any(node.id in names for names in self._locals):
            self._targets(self._types.local_targets(node.id, self._scope))
        elif not self._locals and self._defining and (member := self._program.lookup(self._defining, node.id)):
            self._add(member, self._receiver)
        else:
            self._targets(self._program.resolve(self._module, node.id))

    def _targets(self, targets: list[Target]) -> None:
        for target in targets:
            if not self._module.is_own:
                continue
            if target.kind == "class":
                self._add(Unit(target.unit.module, f"{target.unit.name}.<class>"))
            elif target.kind in ("function", "value"):
                self._add(target.unit)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """``self.x``, ``super().x``, ``helper.x``, ``module.x``, ``Class.x``."""
        self.opaque |= self._wide and node.attr in _OPAQUE
        self._attribute(node.value, node.attr, stored=not isinstance(node.ctx, ast.Load))
        self.visit(node.value)

    def _attribute(self, value: ast.expr, name: str, *, stored: bool) -> None:
        if _is_super(value) and self._defining and self._receiver:
            self._add(self._program.lookup(self._receiver, name, after=self._defining), self._receiver)
            return
        targets = self._types.targets(value, self._scope)
        for target in targets:
            if target.kind == "class":
                self._method(target.unit, name)
            elif self._module.is_own:
                self._targets(self._program.member(target, name))
        classes = self._types.of(value, self._scope)
        unknown = classes is None and not targets and name not in _COMMON and self._module.is_own
        if unknown or (self._wide and self._may_be_any(value, targets, classes)):
            self._by_name(name)
        if classes is None:
            return
        for cls in classes:
            self._of_instance(cls, name, stored=stored)

    def _may_be_any(self, value: ast.expr, targets: list[Target], classes: set[Unit] | None) -> bool:
        """Return whether an object may be of an unknown class: a subclass, or an element of a container."""
        if isinstance(value, ast.Name) and value.id == self._scope.self_name:
            return False
        if targets and all(target.kind in ("module", "class", "library") for target in targets):
            return isinstance(value, ast.Subscript)
        return classes is None or bool(classes) or not isinstance(value, ast.Attribute)

    def _of_instance(self, cls: Unit, name: str, *, stored: bool) -> None:
        private = name.startswith("__") and not name.endswith("__") and self._defining is not None
        where = self._defining if private and self._defining in self._program.mro(cls) else None
        found = self._program.lookup(where or cls, name)
        self._add(found, cls)
        self._method(cls, "__setattr__" if stored else "__getattribute__")
        if found is None:
            fields = [unit for unit in self._program.mro(cls) if name in self._program.fields(unit)]
            for unit in fields:
                self._add(Unit(unit.module, f"{unit.name}.self.{name}"), cls)
            if not fields and not stored:
                self._method(cls, "__getattr__")

    def _by_name(self, name: str) -> None:
        """Note every own class that has the name: the receiver's class is unknown."""
        for unit in self._program.by_name.get(name, ()):
            owner = Unit(unit.module, unit.name.rpartition(".")[0])
            if self._program.class_nodes(owner):
                self._add(unit, owner)

    # Calls and protocols

    def visit_Call(self, node: ast.Call) -> None:
        """Note constructors that calls of classes run, and methods that some built-ins call."""
        for target in self._types.targets(node.func, self._scope):
            if target.kind == "class" and self._module.is_own:
                for name in CONSTRUCTORS:
                    self._method(target.unit, name)
        if not isinstance(node.func, ast.Attribute):
            self._protocol(node.func, "__call__")
            if self._is_unknown(node.func):
                self._by_name("__call__")
        if isinstance(node.func, ast.Name) and not any(node.func.id in names for names in self._locals):
            for argument in node.args:
                self._protocol(argument, *_BUILTINS.get(node.func.id, ()))
            named = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) else None
            if node.func.id in _NAMING and isinstance(named, str):
                self._attribute(node.args[0], named, stored=node.func.id in {"setattr", "delattr"})
                for part in (*node.args, *node.keywords):  # the name of the function says nothing more
                    self.visit(part)
                return
        self.generic_visit(node)

    def _is_unknown(self, called: ast.expr) -> bool:
        """Return whether the callee is an unknown local variable, which may be any callable object of the program."""
        local = isinstance(called, ast.Name) and any(called.id in names for names in self._locals)
        known = self._types.of(called, self._scope) is not None or self._types.targets(called, self._scope)
        return local and not known and self._module.is_own

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """``x[k]`` in its three forms."""
        self._protocol(node.value, *_ITEMS[type(node.ctx)])
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Comparisons and membership."""
        for operator, left, right in zip(node.ops, [node.left, *node.comparators], node.comparators, strict=False):
            if isinstance(operator, ast.In | ast.NotIn):
                self._protocol(right, "__contains__", "__iter__")
            elif type(operator) in _OPERATORS:
                self._protocol(left, f"__{_OPERATORS[type(operator)]}__")
                self._protocol(right, f"__{_OPERATORS[type(operator)]}__")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Arithmetic."""
        self._protocol(node.left, f"__{_OPERATORS[type(node.op)]}__")
        self._protocol(node.right, f"__r{_OPERATORS[type(node.op)]}__")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """``x += y``, and ``x[k] += y``, which also reads."""
        name = _OPERATORS[type(node.op)]
        self._protocol(node.target, f"__i{name}__", f"__{name}__")
        if isinstance(node.target, ast.Subscript):
            self._protocol(node.target.value, "__getitem__")
        self.generic_visit(node)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self._protocol(item.context_expr, "__enter__", "__exit__", "__aenter__", "__aexit__")
        self.generic_visit(node)

    visit_With = visit_AsyncWith = _with  # noqa: N815

    def _loop(self, node: ast.For | ast.AsyncFor | ast.comprehension | ast.YieldFrom | ast.Starred) -> None:
        iterated = node.value if isinstance(node, ast.YieldFrom | ast.Starred) else node.iter
        self._protocol(iterated, "__iter__", "__next__", "__aiter__", "__anext__")
        self.generic_visit(node)

    visit_For = visit_AsyncFor = visit_comprehension = visit_YieldFrom = visit_Starred = _loop  # noqa: N815

    def _test(self, node: ast.If | ast.While | ast.IfExp | ast.Assert) -> None:
        self._protocol(node.test, "__bool__", "__len__")
        self.generic_visit(node)

    visit_If = visit_While = visit_IfExp = visit_Assert = _test  # noqa: N815

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Note the truth test in ``a and b``."""
        for value in node.values:
            self._protocol(value, "__bool__", "__len__")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """``not x``; signs."""
        names = ("__bool__", "__len__") if isinstance(node.op, ast.Not) else ("__neg__", "__pos__", "__invert__")
        self._protocol(node.operand, *names)
        self.generic_visit(node)


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
