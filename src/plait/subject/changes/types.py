"""The classes of which expressions are instances, as far as the text shows."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plait.subject.changes.scopes import FUNCTIONS, Bindings, FunctionNode, parameters, scope_statements

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.subject.changes.units import Program, Target, Unit
    from plait.subject.source import Import, Module

_DEPTH = 6


@dataclass(frozen=True)
class TypeScope:
    """The context of an expression: a function of a class, called on an instance of ``receiver``."""

    module: Module
    defining: Unit | None
    receiver: Unit | None
    function: FunctionNode | ast.Lambda | None
    depth: int = 0

    @property
    def self_name(self) -> str | None:
        """The parameter that holds the instance (or, in a class method, the class)."""
        if self.function is None or self.defining is None:
            return None
        decorators = self.function.decorator_list if isinstance(self.function, FUNCTIONS) else []
        static = any(isinstance(node, ast.Name) and node.id == "staticmethod" for node in decorators)
        named = [*self.function.args.posonlyargs, *self.function.args.args]
        return None if static or not named else named[0].arg


class Types:
    """Finds classes by constructor calls and annotations; nothing is followed through the values of containers."""

    def __init__(self, program: Program, *, wide: bool = False) -> None:
        self._program = program
        self._wide = wide  # see `plait.subject.changes.reach.Reach`
        self._locals: dict[ast.AST, set[str]] = {}
        self._imports: dict[ast.AST, dict[str, list[Import]]] = {}
        self._assigned: dict[Unit, dict[str, list[tuple[ast.expr, FunctionNode | None]]]] = {}

    def local_names(self, scope: ast.AST) -> set[str]:
        """Return names that a function or comprehension binds itself."""
        if scope not in self._locals:
            self._locals[scope] = Bindings(scope).names
        return self._locals[scope]

    def local_targets(self, name: str, scope: TypeScope) -> list[Target]:
        """Return what an import inside the scope's function binds a name to."""
        if scope.function is None:
            return []
        if scope.function not in self._imports:
            self._imports[scope.function] = scope.module.imports_of(ast.walk(scope.function))
        imports = self._imports[scope.function].get(name, ())
        return [found for target in imports for found in self._program.imported(scope.module, name, target)]

    def scope(
        self, module: Module, defining: Unit | None, receiver: Unit | None, function: FunctionNode | ast.Lambda | None
    ) -> TypeScope:
        """Return the scope of a function, or of a class body or module."""
        return TypeScope(module, defining, receiver or defining, function)

    def of(self, node: ast.AST, scope: TypeScope) -> set[Unit] | None:
        """Return the possible own classes of a value; empty if it is surely of another kind, None if unknown."""
        if scope.depth > _DEPTH:
            return None
        scope = replace(scope, depth=scope.depth + 1)
        match node:
            case ast.Name():
                return self._of_name(node.id, scope)
            case ast.Attribute(attr="__class__"):
                return self.of(node.value, scope)
            case ast.Attribute():
                return self._of_attribute(node, scope)
            case ast.Call():
                return self._of_call(node, scope)
            case ast.BoolOp():
                return self._any(node.values, scope)
            case ast.IfExp():
                return self._any([node.body, node.orelse], scope)
            case ast.NamedExpr() | ast.Await():
                return self.of(node.value, scope)
            case (
                ast.Constant() | ast.JoinedStr() | ast.List() | ast.Dict() | ast.Set() | ast.Tuple() | ast.Lambda()
                | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp() | ast.Compare()
            ):  # fmt: skip
                return set()
        return None

    def targets(self, node: ast.AST, scope: TypeScope) -> list[Target]:
        """Return the module, class or function that an expression names, local names left out."""
        root = node
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if not isinstance(root, ast.Name):
            return []
        if scope.function is not None and root.id in self.local_names(scope.function):
            return self.local_targets(root.id, scope) if isinstance(node, ast.Name) else []
        return self._program.resolve_expression(scope.module, node)

    def _any(self, nodes: list[ast.expr], scope: TypeScope) -> set[Unit] | None:
        found = [self.of(node, scope) for node in nodes]
        return None if None in found else set().union(*(classes for classes in found if classes is not None))

    def _of_name(self, name: str, scope: TypeScope) -> set[Unit] | None:
        if name == scope.self_name:
            return {scope.receiver} if scope.receiver else None
        if scope.function is not None and name in self.local_names(scope.function):
            return self._of_local(name, scope)
        found: set[Unit] = set()
        for target in self._program.resolve(scope.module, name):
            if target.kind == "value":
                module = self._program.source.module(target.unit.module)
                outside = TypeScope(module, None, None, None, scope.depth) if module is not None else scope
                values = _assigned_values(outside.module.values.get(target.unit.name, ()))
                classes = self._any(values, outside) if values else set()
                if classes is None:
                    return None
                found |= classes
        return found

    def _of_local(self, name: str, scope: TypeScope) -> set[Unit] | None:
        assert scope.function is not None
        for parameter in parameters(scope.function.args):
            if parameter.arg == name:
                return self._annotated(parameter.annotation, scope)
        values = [
            node.value
            for node in scope_statements(scope.function)
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and target.id == name
        ]
        return self._any(values, scope) if values else None

    def _annotated(self, annotation: ast.expr | None, scope: TypeScope) -> set[Unit] | None:
        if annotation is None:
            return None
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                annotation = ast.parse(annotation.value, mode="eval").body
            except SyntaxError:
                return None
        found: set[Unit] = set()
        for part in ast.walk(annotation):  # Optional[Store], Store | None
            if isinstance(part, ast.Name | ast.Attribute):
                resolved = self._program.resolve_expression(scope.module, part)
                found |= {target.unit for target in resolved if target.kind == "class"}
        return found or None

    def _of_attribute(self, node: ast.Attribute, scope: TypeScope) -> set[Unit] | None:
        classes = self.of(node.value, scope)
        if not classes:
            return None
        found: set[Unit] = set()
        known = False
        for unit in (base for cls in classes for base in self._program.mro(cls)):
            for value, inner in self._field_values(unit, node.attr, scope):
                each = self.of(value, inner)
                if each is None:
                    return None
                found |= each
                known = True
        return found if known else None

    def _field_values(self, unit: Unit, name: str, scope: TypeScope) -> list[tuple[ast.expr, TypeScope]]:
        """Return all values that are assigned to ``self.name`` in a class, with the functions that assign them."""
        module = self._program.source.module(unit.module)
        if module is None:
            return []
        if unit not in self._assigned:
            self._assigned[unit] = self._assignments(unit, module)
        values = self._assigned[unit].get(name, ())
        return [(value, TypeScope(module, unit, unit, function, scope.depth)) for value, function in values]

    def _assignments(self, unit: Unit, module: Module) -> dict[str, list[tuple[ast.expr, FunctionNode | None]]]:
        found: dict[str, list[tuple[ast.expr, FunctionNode | None]]] = defaultdict(list)
        for name, nodes in self._program.attributes(unit).items():
            found[name] += [(value, None) for value in _assigned_values(nodes)]
        bodies = [part for cls in self._program.class_nodes(unit) for part in cls.body]
        for function in (part for part in bodies if isinstance(part, FUNCTIONS)):
            receiver = TypeScope(module, unit, unit, function).self_name
            for statement in scope_statements(function):
                if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                    for target in targets:
                        if isinstance(target, ast.Attribute) and _is_name(target.value, receiver):
                            found[target.attr].append((statement.value, function))
        return dict(found)

    def _of_call(self, node: ast.Call, scope: TypeScope) -> set[Unit] | None:
        if isinstance(node.func, ast.Name) and node.func.id == "type" and len(node.args) == 1:
            return self.of(node.args[0], scope)
        if isinstance(node.func, ast.Name) and node.func.id == "cls" == scope.self_name:
            return {scope.receiver} if scope.receiver else None
        targets = self.targets(node.func, scope)
        classes = {target.unit for target in targets if target.kind == "class"}
        if classes:
            return classes
        for target in targets:
            module = self._program.source.module(target.unit.module)
            if target.kind == "function" and module is not None:
                returned = [function.returns for function in module.functions(target.unit.name)]
                return (
                    self._annotated(returned[0], TypeScope(module, None, None, None, scope.depth)) if returned else None
                )
        if self._wide and ast.unparse(node.func).rpartition(".")[2] not in _PLAIN:
            return None  # ``max``, ``copy`` and the like may return an argument
        # A call of a name from elsewhere, or of a built-in, makes no instance of an own class.
        local = self.local_names(scope.function) if scope.function else ()
        outside = isinstance(node.func, ast.Name) and node.func.id not in local
        return set() if outside or (targets and targets[0].kind == "value") else None


_PLAIN = frozenset({
    "dict", "list", "set", "frozenset", "tuple", "str", "bytes", "bytearray", "int", "float", "bool", "complex",
    "object", "OrderedDict", "defaultdict", "deque", "Counter", "Lock", "RLock", "Condition", "Event", "Semaphore",
    "BoundedSemaphore", "Barrier", "Queue", "LifoQueue", "SimpleQueue", "len", "repr", "monotonic", "time", "Decimal",
})  # fmt: skip
"""Expressions whose value is surely no object of an own class."""


def _is_name(node: ast.expr, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _assigned_values(nodes: Iterable[ast.AST]) -> list[ast.expr]:
    assigned = [node for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign)]
    return [node.value for node in assigned if node.value is not None]
