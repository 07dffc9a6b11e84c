"""Rewriting of statements, function bodies and modules."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any

from plait.run.rewrite import build
from plait.run.rewrite.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Callable

# Where ``while`` jumps back to its test, from 3.14 on; before, the test was repeated behind the body, and only a test
# that held once more jumped back.
_JUMPS_TO_TEST = sys.version_info >= (3, 14)
LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Statements(Patterns):
    """Rewrites whole modules, in place: only what stands in functions changes."""

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Rewrite statements in a row."""
        return [rewritten for statement in body for rewritten in self._statement(statement)]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        self.frame.temporaries.clear()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return self._function(node)
        if isinstance(node, ast.ClassDef):
            return self._class(node)
        if not self.frame.inside:
            self._outside(node)
            return [node]
        form = _FORMS.get(type(node))
        result: list[ast.stmt] = [node] if form is None else form(self, node)
        return result

    def _outside(self, node: ast.AST) -> None:
        """Find the functions in a statement that is not in a function itself."""
        for name, old in ast.iter_fields(node):
            if name == "annotation":
                continue
            if isinstance(old, ast.expr):
                setattr(node, name, self.value(old))
            elif isinstance(old, list) and old and isinstance(old[0], ast.stmt):
                setattr(node, name, self.block(old))
            elif isinstance(old, list):
                old[:] = [self._outside_item(item) for item in old]

    def _outside_item(self, item: Any) -> Any:
        if isinstance(item, ast.expr):
            return self.value(item)
        if isinstance(item, (ast.ExceptHandler, ast.withitem, ast.match_case)):
            self._outside(item)
        return item

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
        before = self.announced(node.name, node)
        node.decorator_list = [self.value(decorator) for decorator in node.decorator_list]
        self.defaults(node.args)
        after = self.clear(node)
        scope = self.scopes[node]
        function = f"{self.frame.prefix}{node.name}"
        with self.within(
            scope=scope, function=function, prefix=f"{function}.<locals>.", inside=True, bare=scope.reads_frame,
            sealed=False,
        ):  # fmt: skip
            has_doc = ast.get_docstring(node, clean=False) is not None
            entry = [build.statement_node(build.call_node("_p_m", [], node), node)]
            tokens = [
                build.assign(build.store(f"_p_cell_{name}", node), build.call_node("_p_cell", [], node), node)
                for name in sorted(scope.shared)
            ]
            node.body = [*node.body[:has_doc], *entry, *tokens, *self.block(node.body[has_doc:])]
        return [*before, node, *after]

    def _class(self, node: ast.ClassDef) -> list[ast.stmt]:
        before = self.announced(node.name, node)
        node.decorator_list = [self.value(decorator) for decorator in node.decorator_list]
        if not getattr(node, "type_params", None):  # those have a scope of their own, without temporaries
            node.bases = [self.value(base) for base in node.bases]
            for keyword in node.keywords:
                keyword.value = self.value(keyword.value)
        after = self.clear(node)
        if self.frame.inside:
            before = [*before, _marker(node)]  # its body is entered like a function
        prefix = f"{self.frame.prefix}{node.name}."
        with self.within(
            scope=self.scopes[node], prefix=prefix, owner=node.name, inside=False, bare=False, sealed=False
        ):
            node.body = self.block(node.body)
        return [*before, node, *after]

    def _expression(self, node: ast.Expr) -> list[ast.stmt]:
        node.value = self.value(node.value)
        return [node, *self.clear(node)]

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        node.value = node.value and self.value(node.value)
        return [node]

    def _raise(self, node: ast.Raise) -> list[ast.stmt]:
        node.exc = node.exc and self.value(node.exc)
        node.cause = node.cause and self.value(node.cause)
        return [node]

    def _assert(self, node: ast.Assert) -> list[ast.stmt]:
        node.test = self.test(node.test)
        node.msg = node.msg and self.value(node.msg)
        return [node, *self.clear(node)]

    def _if(self, node: ast.If) -> list[ast.stmt]:
        node.test = self.test(node.test)
        dropped, dropped_too = self.clear(node.test), self.clear(node.test)
        node.body = [*dropped, *self.block(node.body)]
        node.orelse = [*dropped_too, *self.block(node.orelse)]
        return [node]

    def _while(self, node: ast.While) -> list[ast.stmt]:
        node.test = self.test(node.test)
        dropped, dropped_too = self.clear(node.test), self.clear(node.test)
        if _JUMPS_TO_TEST or self.frame.bare or isinstance(node.test, ast.Constant):
            node.body = [*dropped, *self._loop_body(node.body)]
            node.orelse = [*dropped_too, *self.block(node.orelse)]
            return [node]
        # The jump back, where a GIL build may switch, comes behind the test and only if it holds once more.
        again = f"_p_again{self.frame.loops}"
        self.frame.loops += 1
        marker = ast.copy_location(ast.If(build.load_node(again, node), [_marker(node)], []), node)
        noted = build.assign(build.store(again, node), build.constant(True, node), node)
        node.body = [*dropped, marker, noted, *self.block(node.body)]
        node.orelse = [*dropped_too, *self.block(node.orelse)]
        return [build.assign(build.store(again, node), build.constant(False, node), node), node]

    def _for(self, node: ast.For | ast.AsyncFor) -> list[ast.stmt]:
        node.iter = self.steps(node.iter) if isinstance(node, ast.For) else self.value(node.iter)
        node.target, stores = self.indirect(node.target)
        dropped, dropped_too = self.clear(node.iter), self.clear(node.iter)
        node.body = [*stores, *dropped, *self._loop_body(node.body)]
        node.orelse = [*dropped_too, *self.block(node.orelse)]
        return [node]

    def _loop_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return a loop's body, marked where it jumps back."""
        last = body[-1]
        return [*self.block(body), *([] if isinstance(last, LEAVES) else [_marker(last)])]

    def _continue(self, node: ast.Continue) -> list[ast.stmt]:
        return [_marker(node), node]

    def _with(self, node: ast.With | ast.AsyncWith) -> list[ast.stmt]:
        stores: list[ast.stmt] = []
        for position, item in enumerate(node.items):
            item.context_expr = self.value(item.context_expr)
            if item.optional_vars is not None:
                item.optional_vars, stores = self.indirect(item.optional_vars)
            if stores:  # later managers may use what is stored: they move inside
                later = node.items[position + 1 :]
                if later:
                    node.body = [ast.copy_location(type(node)(items=later, body=node.body), later[0].context_expr)]
                    del node.items[position + 1 :]
                break
        node.body = [*stores, *self.clear(node), *self.block(node.body)]
        return [node]

    def _try(self, node: Any) -> list[ast.stmt]:
        outer, self.frame.used = self.frame.used, set()
        node.body = self.block(node.body)
        abandoned, self.frame.used = self.frame.used, outer | self.frame.used
        for handler in node.handlers:
            self.frame.temporaries.clear()
            handler.type = handler.type and self.value(handler.type)
            dropped = sorted(abandoned.union(self.frame.temporaries))
            if handler.name is not None and self.is_shared(handler.name):
                self._caught(handler, dropped)
            else:
                handler.body = [*build.clear(dropped, handler), *self.block(handler.body)]
        node.orelse = self.block(node.orelse)
        node.finalbody = self.block(node.finalbody)
        return [node]

    def _caught(self, handler: ast.ExceptHandler, dropped: list[str]) -> None:
        """Rewrite ``except E as name`` with a shared name: separate statements store it, and delete it at the end."""
        name, temporary = handler.name, self.temporary()
        assert name is not None
        stored = self.into(build.store(name, handler), build.load_node(temporary, handler))
        cleared = self.into(build.store(name, handler), build.constant(None, handler))
        gone = ast.copy_location(ast.Delete([ast.copy_location(ast.Name(name, ast.Del()), handler)]), handler)
        deleted = [*self.announced(name, handler), gone]
        handler.name = temporary
        body = [*build.clear(dropped, handler), *self.block(handler.body)]
        guarded = ast.copy_location(ast.Try(body, [], [], [*cleared, *deleted]), handler)
        handler.body = [*stored, guarded]

    def _match(self, node: ast.Match) -> list[ast.stmt]:
        self.cases(node)
        kept = list(self.frame.temporaries)
        for case in node.cases:
            case.body = [*build.clear(kept, case.pattern), *self.block(case.body)]
        return [node, *build.clear(kept, node)]

    def _import(self, node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
        """Rewrite an import into shared variables: it binds temporaries, so that the hooks come before the stores."""
        stores: list[ast.stmt] = []
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            if not self.is_shared(name):
                continue
            if self.frame.bare or (alias.asname is None and "." in alias.name):
                continue
            alias.asname = self.temporary()
            stores += self.into(build.store(name, node), build.load_node(alias.asname, node))
        return [node, *stores, *self.clear(node)]


def _marker(at: ast.stmt) -> ast.stmt:
    return build.statement_node(build.call_node("_p_m", [], at), at)


_FORMS: dict[type[ast.stmt], Callable[[Any, Any], list[ast.stmt]]] = {
    ast.Expr: Statements._expression,
    ast.Return: Statements._return,
    ast.Raise: Statements._raise,
    ast.Assert: Statements._assert,
    ast.Assign: Statements.assign,
    ast.AnnAssign: Statements.annotated_assign,
    ast.AugAssign: Statements.augmented_assign,
    ast.Delete: Statements.delete,
    ast.If: Statements._if,
    ast.While: Statements._while,
    ast.For: Statements._for,
    ast.AsyncFor: Statements._for,
    ast.Continue: Statements._continue,
    ast.With: Statements._with,
    ast.AsyncWith: Statements._with,
    ast.Try: Statements._try,
    ast.TryStar: Statements._try,
    ast.Match: Statements._match,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import,
}
