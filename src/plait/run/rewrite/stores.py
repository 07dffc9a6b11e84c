"""Rewriting of assignments, augmented assignments and deletions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plait.run.rewrite import build
from plait.run.rewrite.expressions import WHOLE_OPERATORS, Expressions

if TYPE_CHECKING:
    from collections.abc import Callable


_IN_PLACE: dict[type[ast.operator], str] = {ast.BitOr: "_p_ij", ast.Sub: "_p_ir"}
"""Operators that a set performs element by element."""


class Stores(Expressions):
    """Rewrites the statements that bind.

    Storing to a shared variable needs a hook between the evaluation of the value and the store. Targets with such a
    variable in them are therefore taken apart into single stores, in the order in which Python does them.
    """

    def has_shared(self, target: ast.expr) -> bool:
        """Return whether a target binds a shared variable."""
        if isinstance(target, (ast.Tuple, ast.List)):
            return any(map(self.has_shared, target.elts))
        if isinstance(target, ast.Starred):
            return self.has_shared(target.value)
        return isinstance(target, ast.Name) and self.is_shared(target.id)

    def into(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """Return statements that store a value, which is cheap to evaluate, to a target."""
        if not self.has_shared(target):
            return [build.assign(self.target(target), value, target)]
        if isinstance(target, ast.Name):
            return [*self.announced(target.id, target), build.assign(target, value, target)]
        assert isinstance(target, (ast.Tuple, ast.List))
        names: list[ast.expr] = []
        stores: list[ast.stmt] = []
        for element in target.elts:
            name = self.temporary()
            if isinstance(element, ast.Starred):
                names.append(ast.copy_location(ast.Starred(build.store(name, element), ast.Store()), element))
                stores += self.into(element.value, build.load_node(name, element))
            else:
                names.append(build.store(name, element))
                stores += self.into(element, build.load_node(name, element))
        unpacked = ast.copy_location(ast.Tuple(names, ast.Store()), target)
        return [build.assign(unpacked, value, target), *stores]

    def announced(self, name: str, at: ast.AST) -> list[ast.stmt]:
        """Return the hook's statement before a store to, or a deletion of, a variable; none if it is not shared."""
        hook = self.variable(name, "w", at)
        return [] if hook is None else [build.statement_node(hook, at)]

    def indirect(self, target: ast.expr) -> tuple[ast.expr, list[ast.stmt]]:
        """Return the target of a loop or ``with``, and the statements with which its body must begin."""
        if self.frame.bare or not self.has_shared(target):
            return self.target(target), []
        name = self.temporary()
        return build.store(name, target), self.into(target, build.load_node(name, target))

    def assign(self, node: ast.Assign) -> list[ast.stmt]:
        """Rewrite ``a = b.c = value``."""
        unpacks = any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets)
        hook = "_p_un" if len(node.targets) == 1 else "_p_o"  # which one of several targets keeps the value itself
        node.value = self.whole(node.value, "iterate", hook=hook) if unpacks else self.value(node.value)
        shared = any(map(self.has_shared, node.targets))
        match node.targets:
            case [ast.Subscript(value=container, slice=ast.Slice() as key) as target]:
                site = self.site("write", target)
                parts = [node.value, self.value(container), self.key(key), site]
                return [build.statement_node(build.call_node("_p_ss", parts, node), node), *self.clear(node)]
            case [ast.Name(id=name)] if shared and not self.is_stable(node.value):
                self._store_announced(node, name)
                return [node, *self.clear(node)]
            case targets if self.frame.bare or not shared:
                node.targets = [self.target(target) for target in targets]
                return [node, *self.clear(node)]
        kept: list[ast.stmt] = []
        value = node.value
        if not self.is_stable(value):
            name = self.temporary()
            kept.append(build.assign(build.store(name, node), value, node))
            value = build.load_node(name, node)
        stores = [statement for target in node.targets for statement in self.into(target, value)]
        return [*kept, *stores, *self.clear(node)]

    def _store_announced(self, node: ast.Assign | ast.AnnAssign, name: str) -> None:
        hook = self.variable(name, "w", node)
        if hook is not None and node.value is not None:
            node.value = build.then(node.value, hook, node)

    def annotated_assign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        """Rewrite ``a: T = value``; annotations in functions are never evaluated."""
        if node.value is None:
            return [node]
        node.value = self.value(node.value)
        if isinstance(node.target, ast.Name):
            self._store_announced(node, node.target.id)
        else:
            self.target(node.target)
        return [node, *self.clear(node)]

    def augmented_assign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """Split ``target += value`` into a read, the operation and a write."""
        changes = isinstance(node.op, ast.Mult) or (
            isinstance(node.op, WHOLE_OPERATORS) and not self.is_scalar(node.value)
        )
        operation = self.site("operator", node.target, ast.unparse(node)) if changes else None
        match node.target:
            case ast.Name(id=name) if not self.is_shared(name):
                self._operand(node, build.load_node(name, node), operation)
                return [node, *self.clear(node)]
            case target if self.frame.bare:
                self.target(target)
                node.value = self.value(node.value)
                return [node]
            case ast.Name(id=name) as target:
                load = self.value(build.load_node(name, target))
                return self._split(node, [], load, operation, lambda value: self.into(target, value))
            case ast.Attribute() as target:
                return self._split_attribute(node, target, operation)
            case ast.Subscript() as target:
                return self._split_subscript(node, target, operation)

    def _split_attribute(
        self, node: ast.AugAssign, target: ast.Attribute, operation: ast.Constant | None
    ) -> list[ast.stmt]:
        read, write = self.site("read", target), self.site("write", target)
        before, owner = self._held(self.value(target.value))
        name = self.attribute_name(target)

        def access(hook: str, site: ast.expr, context: ast.expr_context) -> ast.expr:
            guarded = build.call_node(hook, [owner, name, site], target)
            return ast.copy_location(ast.Attribute(guarded, target.attr, context), target)

        def stores(value: ast.expr) -> list[ast.stmt]:
            return [build.assign(access("_p_w", write, ast.Store()), value, node)]

        return self._split(node, before, access("_p_r", read, ast.Load()), operation, stores)

    def _split_subscript(
        self, node: ast.AugAssign, target: ast.Subscript, operation: ast.Constant | None
    ) -> list[ast.stmt]:
        read, write = self.site("read", target), self.site("write", target)
        before, container = self._held(self.value(target.value))
        more, key = self._held(self.key(target.slice))

        def access(hook: str, site: ast.expr, context: ast.expr_context) -> ast.expr:
            guarded = build.call_node(hook, [container, key, site], target)
            return ast.copy_location(ast.Subscript(container, guarded, context), target)

        def stores(value: ast.expr) -> list[ast.stmt]:
            return [build.assign(access("_p_wk", write, ast.Store()), value, node)]

        return self._split(node, [*before, *more], access("_p_rk", read, ast.Load()), operation, stores)

    def _held(self, value: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """Return statements that evaluate a rewritten expression once, and its value from then on."""
        if self.is_stable(value):
            return [], value
        name = self.temporary()
        return [build.assign(build.store(name, value), value, value)], build.load_node(name, value)

    def _split(
        self,
        node: ast.AugAssign,
        before: list[ast.stmt],
        load: ast.expr,
        operation: ast.Constant | None,
        stores: Callable[[ast.expr], list[ast.stmt]],
    ) -> list[ast.stmt]:
        name = self.temporary()
        node.target = build.store(name, node.target)
        self._operand(node, build.load_node(name, node), operation)
        return [
            *before, build.assign(build.store(name, node), load, node), node,
            *stores(build.load_node(name, node)), *self.clear(node),
        ]  # fmt: skip

    def _operand(self, node: ast.AugAssign, left: ast.expr, operation: ast.Constant | None) -> None:
        """Rewrite the right-hand side; a container on the left is changed in place after it has been evaluated."""
        if operation is None:
            node.value = self.value(node.value)
        else:
            operand = self.whole(node.value, "operator")
            hook = _IN_PLACE.get(type(node.op), "_p_ia")
            node.value = build.call_node(hook, [operand, left, operation], node)

    def delete(self, node: ast.Delete) -> list[ast.stmt]:
        """Rewrite ``del a, b.c, d[k]``."""
        if not any(map(self.has_shared, node.targets)):
            node.targets = [self.target(target) for target in node.targets]
            return [node, *self.clear(node)]
        return [*self._deletions(node.targets), *self.clear(node)]

    def _deletions(self, targets: list[ast.expr]) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for target in targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                statements += self._deletions(target.elts)
                continue
            if isinstance(target, ast.Name):
                statements += self.announced(target.id, target)
            statements.append(ast.copy_location(ast.Delete([self.target(target)]), target))
        return statements
