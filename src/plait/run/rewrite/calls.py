"""Rewriting of calls: the hook gets the callee and the arguments, and returns the argument that is evaluated last."""

from __future__ import annotations

import ast
import builtins
from typing import NamedTuple

from plait.run.rewrite import build
from plait.run.rewrite.context import RewriteContext


class _FieldHook(NamedTuple):
    """The hook of a built-in that names an attribute by a string."""

    hook: str
    kind: str
    arities: tuple[int, ...]


# Functions that pass elements on one by one: in the head of a loop, their arguments have a point per element, too.
_LAZY_WALKERS = frozenset({"enumerate", "zip", "map", "filter"})
# Built-ins that read the whole content of their arguments.
_WALKERS = frozenset({"len", "reversed", "iter", "str", "repr", "bool", *_LAZY_WALKERS})
# Names of functions in C that may work in several steps; those of the library are no built-ins.
_STEPWISE = frozenset({
    "list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "any", "all", "enumerate", "zip", "map", "filter",
    "next", "bytes", "bytearray", "min", "max", "frozendict",
})  # fmt: skip
_STEPWISE_LIBRARY = frozenset({
    "deque", "reduce", "accumulate", "batched", "chain", "compress", "cycle", "dropwhile", "filterfalse", "groupby",
    "islice", "pairwise", "starmap", "takewhile", "tee", "zip_longest", "product", "permutations", "combinations",
    "combinations_with_replacement", "ior", "isub",
})  # fmt: skip
_STEPWISE_METHODS = frozenset({
    "index", "count", "insert", "remove", "sort", "reverse", "extend", "extendleft", "update", "union", "intersection",
    "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint", "fromkeys", "from_iterable",
    "difference_update", "intersection_update", "symmetric_difference_update",
    "__ior__", "__isub__",
})  # fmt: skip
_FUNCTION_FIRST = frozenset({"map", "filter"})
_SIZES = frozenset({"len", "bool"})  # they look at nothing but how long a value is
BARE = frozenset({"sort", "reverse"})  # the methods among them that need no argument
_HEAP_WRITERS = frozenset({
    "heappush", "heappop", "heapify", "heappushpop", "heapreplace", "insort", "insort_left", "insort_right",
})  # fmt: skip
_FIELD_HOOKS = {
    "getattr": _FieldHook("_p_ga", "read", (2, 3)),
    "hasattr": _FieldHook("_p_ga", "read", (2,)),
    "setattr": _FieldHook("_p_sa", "write", (3,)),
    "delattr": _FieldHook("_p_da", "delete", (2,)),
}
# They depend on the frame they are called from, or run nobody's code and let no other thread in: no hook.
_UNHOOKED = frozenset({"super", "__import__", "isinstance", "len"})
# Without arguments they say what the frame they are called from holds, temporaries of rewriting included.
FRAME_READERS = {"locals": "_p_lo", "vars": "_p_lo", "dir": "_p_lo", "globals": "_p_gl"}
_RUNNERS = frozenset({"eval", "exec"})
# They call their first argument, or what they are given by name, from C.
_CALLERS = frozenset({"map", "filter", "reduce", "starmap", "takewhile", "dropwhile", "filterfalse"})
_CALLERS_BY_NAME = frozenset({"sorted", "min", "max", "sort", "groupby", "accumulate"})


class Calls(RewriteContext):
    """Rewrites calls."""

    def call(self, node: ast.Call) -> ast.expr:
        """Rewrite any call."""
        name = node.func.id if isinstance(node.func, ast.Name) and self.is_builtin(node.func.id) else ""
        if name in _FIELD_HOOKS and _is_plain(node, _FIELD_HOOKS[name].arities):
            return self._field_call(node, _FIELD_HOOKS[name])
        if name in FRAME_READERS and _is_plain(node, (0,)):
            return build.call_node(FRAME_READERS[name], [node], node)
        if name in _RUNNERS and _is_plain(node, (1, 2, 3)):
            return self._run_text(node)
        if name in _UNHOOKED or (name == "type" and _is_plain(node, (1,))):
            text = ast.unparse(node)
            node.args = self._arguments(node, name, text)
            node.keywords = [self._keyword(keyword) for keyword in node.keywords]
            return node
        if self._may_be_stepwise(node, name):
            return self._stepwise_call(node)
        return self._hooked_call(node, name)

    def _may_be_stepwise(self, node: ast.Call, name: str) -> bool:
        """Return whether the callee's name may be that of an operation that C code performs in several steps."""
        match node.func:
            case ast.Attribute(attr=other) if not node.args and not node.keywords:
                return other in BARE
            case ast.Name() if not node.args:
                return False
            case ast.Name() if name:
                return name in _STEPWISE and (name not in ("min", "max") or len(node.args) == 1)
            case ast.Name(id=other):
                return other in _STEPWISE_LIBRARY and self.is_global(other)
            case ast.Attribute(attr="pop"):
                return len(node.args) == 1 and not isinstance(node.args[0], ast.Starred) and not node.keywords
            case ast.Attribute(value=ast.Name(id=module), attr=other) if other in _STEPWISE_LIBRARY:
                return self.is_global(module)
            case ast.Attribute(attr=other):
                return other in _STEPWISE_METHODS
        return False

    def _stepwise_call(self, node: ast.Call) -> ast.expr:
        """Rewrite a call whose callee may be replaced by a stepwise form; it is looked up before the arguments."""
        site = self.site("call", node)
        called = _called(node)
        match node.func:
            case ast.Attribute(value=receiver, attr=attribute) if attribute not in _STEPWISE_LIBRARY:
                subject = [self.value(receiver), build.constant(self.mangled(attribute), node), site]
                node.func = build.call_node("_p_nm", subject, node)
            case callee:
                node.func = build.call_node("_p_nf", [self.value(callee), site], node)
        node.args = [self._given(called, arg, position) for position, arg in enumerate(node.args)]
        node.keywords = [self._keyword(keyword, called) for keyword in node.keywords]
        return node

    def _run_text(self, node: ast.Call) -> ast.expr:
        """Rewrite ``eval(text)`` or ``exec(text)``: a hook runs the text, in the same name spaces."""
        site = self.site("call", node)
        args = [self.value(arg) for arg in node.args]
        if len(args) == 1:
            local = build.call_node("_p_lo", [build.call_node("_p_locals", [], node)], node)
            args += [build.call_node("_p_globals", [], node), local]
        return build.call_node("_p_xe", [node.func, site, *args], node)

    def steps(self, node: ast.expr) -> ast.expr:
        """Return the rewritten iterable of a loop."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and self.is_builtin(node.func.id):
            if node.func.id in _LAZY_WALKERS:
                return self._lazy_walk(node, node.func.id)
            if node.func.id == "range":
                return self.value(node)
        if not self.is_sharable(node):
            return self.value(node)
        site = self.site("iterate", node)
        return build.call_node("_p_it", [self.value(node), site], node)

    def _lazy_walk(self, node: ast.Call, name: str) -> ast.expr:
        """Rewrite ``enumerate(xs)`` and the like as the iterable of a loop: each step reads ``xs``."""
        site = self.site("call", node)
        args = [
            self._given(_called(node), arg, position)
            if position < (name in _FUNCTION_FIRST) or isinstance(arg, ast.Starred)
            else self.steps(arg)
            for position, arg in enumerate(node.args)
        ]
        return self._guarded(node, None, site, args)

    def _arguments(self, node: ast.Call, name: str, text: str) -> list[ast.expr]:
        """Return the rewritten positional arguments; a walker's is read as a whole, several at one moment."""
        return [
            self.whole(arg, "read", text, "_p_z" if name in _SIZES else "_p_o")
            if self._announces(node, name)
            and not isinstance(arg, ast.Starred)
            and position >= (name in _FUNCTION_FIRST)
            else self._given(_called(node), arg, position)
            for position, arg in enumerate(node.args)
        ]

    def _given(self, called: str, arg: ast.expr, position: int) -> ast.expr:
        """Return a rewritten argument; one that C code will call is announced: it may be written in C itself."""
        calls = position == 0 and called in _CALLERS and self._may_touch(arg)
        site = self.site("call", arg) if calls else None
        value = self.value(arg)
        return value if site is None else build.call_node("_p_fn", [value, site], arg)

    def _may_touch(self, node: ast.expr) -> bool:
        """Return whether a function that is passed to C code may be written in C and access shared state."""
        if isinstance(node, ast.Name) and self.is_builtin(node.id) and hasattr(builtins, node.id):
            return node.id in _FIELD_HOOKS
        return isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)

    def _keyword(self, keyword: ast.keyword, called: str = "") -> ast.keyword:
        calls = keyword.arg in ("key", "func") and called in _CALLERS_BY_NAME
        site = self.site("call", keyword.value) if calls and self._may_touch(keyword.value) else None
        value = self.value(keyword.value) if keyword.arg else self.whole(keyword.value, "iterate")
        if site is not None:
            value = build.call_node("_p_fn", [value, site], keyword.value)
        return ast.copy_location(ast.keyword(keyword.arg, value), keyword)

    def _field_call(self, node: ast.Call, field: _FieldHook) -> ast.expr:
        """Rewrite ``getattr(o, n, d)`` and the like."""
        site = self.site(field.kind, node)
        args = [self.value(arg) for arg in node.args]
        if not self.can_keep(*args[:2]):
            return build.call_node("_p_xf", [node.func, site, *args], node)
        args[0], subject = self.keep(args[0])
        name, name_again = self.keep(args[1])
        if len(args) == 2:
            args[1] = build.call_node(field.hook, [subject, name, site, name_again], node)
        else:
            args[1:] = [name, build.call_node(field.hook, [subject, name_again, site, args[2]], node)]
        node.args = args
        return node

    def _hooked_call(self, node: ast.Call, name: str) -> ast.expr:
        text = ast.unparse(node)
        site = self.site("call", node, text)
        func: ast.Attribute | None = None
        match node.func:
            case ast.Attribute(value=receiver):
                func = node.func
                writes = func.attr in _HEAP_WRITERS and isinstance(receiver, ast.Name) and self.is_global(receiver.id)
                func.value = self.value(receiver)
            case callee:
                writes = isinstance(callee, ast.Name) and callee.id in _HEAP_WRITERS and self.is_global(callee.id)
                node.func = self.value(callee)
        args = self._arguments(node, name, text)
        if writes and args and not _has_star(args):
            self._announce_write(node, args, text)
        return self._guarded(node, func, site, args, announced=writes or self._announces(node, name))

    @staticmethod
    def _announces(node: ast.Call, name: str) -> bool:
        return name in _WALKERS and (len(node.args) == 1 or name in _LAZY_WALKERS or name in _UNHOOKED)

    def _announce_write(self, node: ast.Call, args: list[ast.expr], text: str) -> None:
        """Announce a write of the whole first argument, after the other arguments have been evaluated."""
        site = self.site("write", node, text)
        if all(map(_is_quiet, args[1:])) or not self.can_keep(args[0]):
            args[0] = build.call_node("_p_ow", [args[0], site], node)
        else:
            args[0], again = self.keep(args[0])
            args[-1] = build.then(args[-1], build.call_node("_p_ow", [again, site], node), node)

    def _guarded(
        self, node: ast.Call, func: ast.Attribute | None, site: ast.Constant, args: list[ast.expr], *,
        announced: bool = False,
    ) -> ast.expr:  # fmt: skip
        """Return the call with its hook in the argument that is evaluated last.

        The callee (``func`` if it is a method) and ``args`` are rewritten already, keywords not yet.
        """
        keywords = [self._keyword(keyword, _called(node)) for keyword in node.keywords]
        letter = "f" if func is None else "c"
        subject = node.func if func is None else func.value
        rest: list[ast.expr] = [site] if func is None else [build.constant(self.mangled(func.attr), node), site]
        # A keyword's value is evaluated after the positional arguments: the hook waits for it if it does anything.
        positional = bool(args) and not _has_star(args) and all(map(_is_quiet, keywords))
        again = [_again(arg) for arg in args[:-1]] if positional else []
        if not keywords and (not args or isinstance(args[-1], ast.Starred)):
            subject = build.call_node(f"_p_{letter}0", [subject, *rest], node)
        elif not self.can_keep(subject, *again):
            args = _unpacked_alone(args)
            if func is not None and not all(map(_is_quiet, [*args, *keywords])):
                # The method is looked up before the arguments are evaluated, which may matter: pass it bound.
                func.value = subject
                return build.call_node("_p_xf", [func, site, *args], node, keywords)
            return build.call_node(f"_p_x{letter}", [subject, *rest, *args], node, keywords)
        else:
            subject, subject_again = self.keep(subject)
            for position, arg in enumerate(again):
                if not self.is_stable(arg):
                    args[position], again[position] = self.keep(args[position])
            if positional:
                hook = "_p_l" if announced and func is None else f"_p_{letter}"
                args[-1] = build.call_node(hook, [subject_again, *rest, *again, args[-1]], node)
            elif keywords:
                last = keywords[-1]
                last.value = build.call_node(f"_p_{letter}k", [subject_again, *rest, last.value], node)
            else:
                args[-1] = build.call_node(f"_p_{letter}k", [subject_again, *rest, args[-1]], node)
        if func is None:
            node.func = subject
        else:
            func.value = subject
        node.args, node.keywords = args, keywords
        return node


def _unpacked_alone(args: list[ast.expr]) -> list[ast.expr]:
    """Make a tuple of a single ``*iterable``, as the call it stands in does; a longer list would ask for its length."""
    match args:
        case [ast.Starred(value=value) as star]:
            inner = ast.copy_location(ast.Starred(value, ast.Load()), star)
            return [ast.copy_location(ast.Starred(build.call_node("_p_star", [inner], star), ast.Load()), star)]
    return args


def _called(node: ast.Call) -> str:
    """Return the last part of the callee's name."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _has_star(args: list[ast.expr]) -> bool:
    return any(isinstance(arg, ast.Starred) for arg in args)


def _is_plain(node: ast.Call, arities: tuple[int, ...]) -> bool:
    """Return whether a call has one of these numbers of arguments, all of them written out and positional."""
    return len(node.args) in arities and not node.keywords and not _has_star(node.args)


def _is_quiet(node: ast.AST) -> bool:
    """Return whether evaluating a rewritten argument calls no hook and no code of the module."""
    if isinstance(node, ast.keyword):
        return node.arg is not None and _is_quiet(node.value)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(map(_is_quiet, node.elts))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_p_fn":
        return _is_quiet(node.args[0])
    return isinstance(node, (ast.Name, ast.Constant, ast.Lambda))


def _again(node: ast.expr) -> ast.expr:
    """Return an expression for the value of a rewritten argument once more; the argument if that needs a temporary."""
    match node:
        case ast.Call(func=ast.Name(id="_p_o" | "_p_ow" | "_p_z"), args=[ast.Name() | ast.Constant() as inner, _]):
            return inner
        case ast.NamedExpr(target=ast.Name(id=name)) if name.startswith("_p_t"):
            return build.load_node(name, node)
    return node
