"""Rewriting of expressions other than calls."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any

from plait.run.rewrite import build
from plait.run.rewrite.calls import Calls

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.run.rewrite.scope import ComprehensionNode

WHOLE_OPERATORS = (ast.Add, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor, ast.Mult)
_WHOLE_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_MEMBERSHIP = (ast.In, ast.NotIn)
_DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict)


_CALLED = sys.version_info < (3, 12)  # a comprehension is a function of its own, entered like any other


class Expressions(Calls):
    """Rewrites loaded expressions. Outside function bodies only the lambdas in them are rewritten."""

    def value(self, node: ast.expr) -> ast.expr:
        """Return a loaded expression, rewritten."""
        rewritten = _FORMS.get(type(node))
        if rewritten is not None and (self.frame.inside or isinstance(node, ast.Lambda)):
            result: ast.expr = rewritten(self, node)
            return result
        self.children(node)
        return node

    def children(self, node: ast.expr) -> None:
        """Rewrite, in place, the expressions in a node that needs no hook itself."""
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            self._comprehension(node)
            return
        for name, old in ast.iter_fields(node):
            if isinstance(old, ast.expr):
                setattr(node, name, self.value(old))
            elif isinstance(old, list):
                old[:] = [self._child(item) for item in old]

    def _child(self, item: Any) -> Any:
        if isinstance(item, ast.expr):
            return self.value(item)
        if isinstance(item, ast.keyword):
            item.value = self.value(item.value)
        return item

    def test(self, node: ast.expr) -> ast.expr:
        """Return an expression whose truth is tested, rewritten."""
        if isinstance(node, ast.BoolOp):
            node.values = [self.test(value) for value in node.values]
            return node
        if isinstance(node, ast.IfExp):
            node.test, node.body, node.orelse = self.test(node.test), self.test(node.body), self.test(node.orelse)
            return node
        return self.whole(node, "test", hook="_p_z")

    def _name(self, node: ast.Name) -> ast.expr:
        hook = self.variable(node.id, "r", node)
        return node if hook is None else build.both([hook, node], node)

    def _attribute(self, node: ast.Attribute) -> ast.expr:
        site = self.site("read", node)
        node.value = build.call_node("_p_r", [self.value(node.value), self.attribute_name(node), site], node)
        return node

    def attribute_name(self, node: ast.Attribute) -> ast.Constant:
        """Return the attribute's name for a hook."""
        return build.constant(self.mangled(node.attr), node)

    def _subscript(self, node: ast.Subscript) -> ast.expr:
        if isinstance(node.value, (ast.Constant, *_DISPLAYS)):
            self.children(node)
            return node
        site = self.site("read", node)
        container, key = self.value(node.value), self.key(node.slice)
        if not self.can_keep(container):
            return build.call_node("_p_xk", [container, key, site], node)
        node.value, again = self.keep(container)
        node.slice = build.call_node("_p_rk", [again, key, site], node)
        return node

    def key(self, node: ast.expr) -> ast.expr:
        """Return a subscript's index as an object: slices become calls."""
        if isinstance(node, ast.Slice):
            parts = [build.constant(None, node) if part is None else part for part in (node.lower, node.upper)]
            if node.step is not None:
                parts.append(node.step)
            return build.call_node("_p_slice", [self.value(part) for part in parts], node)
        if isinstance(node, ast.Tuple):
            node.elts = [self.key(element) for element in node.elts]
            return node
        return self.value(node)

    def _bool(self, node: ast.BoolOp) -> ast.expr:
        node.values = [*(self.test(value) for value in node.values[:-1]), self.value(node.values[-1])]
        return node

    def _unary(self, node: ast.UnaryOp) -> ast.expr:
        node.operand = self.test(node.operand) if isinstance(node.op, ast.Not) else self.value(node.operand)
        return node

    def _conditional(self, node: ast.IfExp) -> ast.expr:
        node.test, node.body, node.orelse = self.test(node.test), self.value(node.body), self.value(node.orelse)
        return node

    def _binary(self, node: ast.BinOp) -> ast.expr:
        whole = isinstance(node.op, WHOLE_OPERATORS) and not (self.is_scalar(node.left) or self.is_scalar(node.right))
        if whole and isinstance(node.op, ast.Mult):  # a sequence is repeated by a number
            whole = not isinstance(node.left, _DISPLAYS) and not isinstance(node.right, _DISPLAYS)
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant | ast.JoinedStr):  # text is filled in
            whole = isinstance(node.left, ast.JoinedStr) or isinstance(node.left.value, str | bytes)
        if isinstance(node.op, ast.Mult) and isinstance(node.right, ast.Constant):
            whole = True
        if whole and isinstance(node.op, ast.Mod):
            node.left, node.right = self.whole(node.left, "operator"), self.whole(node.right, "operator")
        elif whole:
            node.left, node.right = self.both(node.left, node.right, "operator")
        else:
            node.left, node.right = self.value(node.left), self.value(node.right)
        return node

    def _compare(self, node: ast.Compare) -> ast.expr:
        operands = [node.left, *node.comparators]
        whole = [False] * len(operands)
        for position, (operator, left, right) in enumerate(zip(node.ops, operands, operands[1:], strict=False)):
            if isinstance(operator, _WHOLE_COMPARISONS) and not self.is_scalar(left) and not self.is_scalar(right):
                whole[position] = whole[position + 1] = True
            elif isinstance(operator, _MEMBERSHIP) and isinstance(right, _DISPLAYS):  # it is compared with each element
                parts = [part for part in ast.iter_child_nodes(right) if isinstance(part, ast.expr)]
                whole[position] |= not all(map(self.is_scalar, parts))
        single = len(node.ops) == 1
        if single and all(whole):
            node.left, node.comparators[0] = self.both(node.left, node.comparators[0], "operator")
            return node
        sites = {
            position: self.site("member", node)
            for position, (operator, container) in enumerate(zip(node.ops, node.comparators, strict=True))
            if isinstance(operator, _MEMBERSHIP) and self.is_sharable(container)
        }
        values = [
            self.whole(operand, "operator") if whole[position] else self.value(operand)
            for position, operand in enumerate(operands)
        ]
        for position, site in sites.items():
            if self.can_keep(values[position]):
                values[position], key = self.keep(values[position])
                alone = [build.constant(True, node)] if single else []
                values[position + 1] = build.call_node("_p_in", [values[position + 1], key, site, *alone], node)
            elif single:
                member = build.call_node("_p_xin", [values[0], values[1], site], node)
                if isinstance(node.ops[0], ast.In):
                    return member
                return ast.copy_location(ast.UnaryOp(ast.Not(), member), node)
            else:
                values[position + 1] = build.call_node("_p_o", [values[position + 1], site], node)
        node.left, *node.comparators = values
        return node

    def _named(self, node: ast.NamedExpr) -> ast.expr:
        hook = self.variable(node.target.id, "w", node)
        node.value = self.value(node.value)
        if hook is not None:
            node.value = build.then(node.value, hook, node)
        return node

    def _starred(self, node: ast.Starred) -> ast.expr:
        node.value = self.whole(node.value, "iterate")
        return node

    def _dict(self, node: ast.Dict) -> ast.expr:
        for position, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            if key is None:
                node.values[position] = self.whole(value, "iterate")
            else:
                node.keys[position], node.values[position] = self.value(key), self.value(value)
        return node

    def _formatted(self, node: ast.FormattedValue) -> ast.expr:
        node.value = self.whole(node.value, "read")
        if node.format_spec is not None:
            node.format_spec = self.value(node.format_spec)
        return node

    def _interpolation(self, node: Any) -> ast.expr:
        """Return a field of a t-string: its value is kept, not formatted, so nothing is read as a whole."""
        node.value = self.value(node.value)
        if node.format_spec is not None:
            node.format_spec = self.value(node.format_spec)
        return node  # type: ignore[no-any-return]

    def _lambda(self, node: ast.Lambda) -> ast.expr:
        self.defaults(node.args)
        function = f"{self.frame.prefix}<lambda>"
        scope = self.scopes[node]
        with self.within(
            scope=scope, function=function, prefix=f"{function}.<locals>.", inside=True,
            bare=scope.reads_frame or self.frame.sealed,
        ):  # fmt: skip
            body = self.value(node.body)
        marker = build.call_node("_p_m", [], node.body)
        node.body = ast.copy_location(ast.BoolOp(ast.Or(), [marker, body]), node.body)
        return node

    def defaults(self, args: ast.arguments) -> None:
        """Rewrite default values, which are evaluated where the function is defined."""
        args.defaults = [self.value(default) for default in args.defaults]
        args.kw_defaults = [default and self.value(default) for default in args.kw_defaults]

    def _comprehension(self, node: ComprehensionNode) -> ast.expr:
        outer = self.frame
        scope = self.scopes[node]
        for position, generator in enumerate(node.generators):
            # Temporaries are forbidden in the iterables of a comprehension, and would leak from the rest of it.
            with self.within(bare=True, sealed=True, scope=scope if position else outer.scope):
                eager = outer.inside and not generator.is_async
                generator.iter = self.steps(generator.iter) if eager else self.value(generator.iter)
                if outer.inside and position == 0 and _CALLED and not isinstance(node, ast.GeneratorExp):
                    generator.iter = build.call_node("_p_e", [generator.iter], generator.iter)
            with self.within(bare=True, scope=scope):
                generator.target = self.target(generator.target)
                generator.ifs = [self.test(test) if outer.inside else self.value(test) for test in generator.ifs]
        with self.within(bare=True, scope=scope):
            self._results(node, outer.inside)
        return node

    def _results(self, node: ComprehensionNode, inside: bool) -> None:
        """Rewrite the element of a comprehension; inside a function, mark it as the end of a round of the loop.

        From 3.15 on it may be unpacked: ``*element``, and ``**mapping`` (a key without a value).
        """

        def marked(value: ast.expr) -> ast.expr:
            return build.call_node("_p_e", [value], value) if inside else value

        elt: Any = node.key if isinstance(node, ast.DictComp) else node.elt
        if isinstance(node, ast.DictComp) and getattr(node, "value", None) is not None:
            node.key, node.value = self.value(node.key), marked(self.value(node.value))
        elif isinstance(node, ast.DictComp):
            node.key = marked(self.whole(elt, "iterate") if inside else self.value(elt))
        elif not isinstance(elt, ast.Starred):
            node.elt = marked(self.value(elt))
        elif isinstance(node, ast.GeneratorExp):  # handed on one by one
            elt.value = marked(self.steps(elt.value) if inside else self.value(elt.value))
        else:
            elt.value = marked(self.whole(elt.value, "iterate") if inside else self.value(elt.value))

    def target(self, node: ast.expr) -> ast.expr:
        """Return an expression that is stored to or deleted, rewritten; names stay as they are."""
        letter, kind = ("d", "delete") if isinstance(getattr(node, "ctx", None), ast.Del) else ("w", "write")
        if not self.frame.inside:
            self.children(node)
            return node
        if isinstance(node, ast.Attribute):
            site = self.site(kind, node)
            hook = "_p_wd" if node.attr == "__dict__" else f"_p_{letter}"
            node.value = build.call_node(hook, [self.value(node.value), self.attribute_name(node), site], node)
        elif isinstance(node, ast.Subscript):
            site = self.site(kind, node)
            container, key = self.value(node.value), self.key(node.slice)
            if self.can_keep(container):
                node.value, again = self.keep(container)
                node.slice = build.call_node(f"_p_{letter}k", [again, key, site], node)
            else:
                node.value, node.slice = build.call_node("_p_ow", [container, site], node), key
        elif isinstance(node, (ast.Tuple, ast.List)):
            node.elts = [self.target(element) for element in node.elts]
        elif isinstance(node, ast.Starred):
            node.value = self.target(node.value)
        return node


_FORMS: dict[type[ast.expr], Callable[[Any, Any], Any]] = {
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.Call: Expressions.call,
    ast.BoolOp: Expressions._bool,
    ast.UnaryOp: Expressions._unary,
    ast.IfExp: Expressions._conditional,
    ast.BinOp: Expressions._binary,
    ast.Compare: Expressions._compare,
    ast.NamedExpr: Expressions._named,
    ast.Starred: Expressions._starred,
    ast.Dict: Expressions._dict,
    ast.FormattedValue: Expressions._formatted,
    ast.Lambda: Expressions._lambda,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
}
if sys.version_info >= (3, 14):
    _FORMS[ast.Interpolation] = Expressions._interpolation
