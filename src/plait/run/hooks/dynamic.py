"""Code that is made while the program runs: the argument of ``eval`` and ``exec`` is rewritten, too.

Its hooks are found among the built-ins of the name space in which it runs. The names at its top level are keys of that
name space, which the caller has chosen, so they have hooks of their own. The top level uses no temporaries: they would
be visible in the name space.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import operator
import sys
import warnings
import zlib
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any

from plait.run.engine import ENGINE, called_out
from plait.run.hooks import access
from plait.run.hooks.callables import HOOKS
from plait.run.hooks.noop import FUTURE, text_code
from plait.run.rewrite import build
from plait.run.rewrite.build import REFERENCES
from plait.run.rewrite.context import FunctionFrame, SiteTable
from plait.run.rewrite.scope import NameSurvey
from plait.run.rewrite.statements import Statements

if TYPE_CHECKING:
    from plait.model.site import Site

_IN_PLACE = {
    ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.Div: "itruediv", ast.FloorDiv: "ifloordiv", ast.Mod: "imod",
    ast.Pow: "ipow", ast.LShift: "ilshift", ast.RShift: "irshift", ast.BitOr: "ior", ast.BitXor: "ixor",
    ast.BitAnd: "iand", ast.MatMult: "imatmul",
}  # fmt: skip
_MAX_TEXT = 20_000  # longer texts are data rather than code, and run as they are


class Places:
    """The table of the world, to which the places in rewritten texts are added."""

    sites: dict[int, Site] = {}  # noqa: RUF012 - replaced by the world


class _TopLevel(Statements):
    """Rewrites the statements at the top level of a text; functions in it are rewritten like all others."""

    def variable(self, name: str, hook: str, at: ast.AST) -> ast.Call | None:
        """Return the hook call for a name that no function owns: it is a key of the name space."""
        owner = self.frame.scope.owner(self.mangled(name))
        if owner is not self.module or hasattr(builtins, name) or name.startswith("_p_"):
            return super().variable(name, hook, at)
        site = self.site("global", build.load_node(name, at))
        top = self.frame.scope.function() is self.module and name not in self.module.globals
        return build.call_node(f"_p_{hook}n", [build.constant(name, at), build.constant(top, at), site], at)

    def is_shared(self, name: str) -> bool:
        """Return whether threads can share a name: they can share all names at the top level of a text."""
        if self.frame.inside and self.frame.scope.owner(self.mangled(name)) is self.module:
            return not hasattr(builtins, name) and not name.startswith("_p_")
        return super().is_shared(name)

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        return self._change(node) if isinstance(node, ast.AugAssign) else super()._statement(node)

    def _change(self, node: ast.AugAssign) -> list[ast.stmt]:
        """Return an augmented assignment as a call of a hook that reads, calculates and stores."""
        if not self.frame.bare or not isinstance(node.value, ast.Constant | ast.Name):
            return super()._statement(node)
        operation = build.constant(_IN_PLACE[type(node.op)], node)
        read, write = self.site("read", node.target), self.site("write", node.target)
        value = self.value(node.value)
        match node.target:
            case ast.Name(id=name) as target:
                hook = self.variable(name, "w", target)
                changed = build.call_node("_p_xi", [operation, self.value(build.load_node(name, target)), value], node)
                return [build.assign(target, changed if hook is None else build.then(changed, hook, node), node)]
            case ast.Attribute(value=owner) as target:
                args = [self.value(owner), self.attribute_name(target), operation, value, read, write]
                return [build.statement_node(build.call_node("_p_xia", args, node), node)]
            case ast.Subscript(value=owner, slice=key):
                args = [self.value(owner), self.key(key), operation, value, read, write]
                return [build.statement_node(build.call_node("_p_xik", args, node), node)]


@lru_cache(maxsize=512)
def rewritten(text: str, mode: str, flags: int = 0, filename: str = "<string>") -> CodeType | None:
    """Return the code of a text with hooks in it; None if it cannot be rewritten and must be run as it is."""
    if len(text) > _MAX_TEXT:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree: Any = ast.parse(text.lstrip(" \t") if mode == "eval" else text, filename, mode)
            survey = NameSurvey(tree)
            table = SiteTable(f"{filename} {zlib.crc32(text.encode('utf-8', 'surrogatepass')):x}", filename)
            statements = _TopLevel(table, survey.scopes, survey.module)
            statements.frame = FunctionFrame(survey.module, function="<text>", inside=True, bare=True, sealed=True)
            tree.body = statements.value(tree.body) if mode == "eval" else _body(statements, tree.body)
            code: CodeType = compile(ast.fix_missing_locations(tree), filename, mode, flags & FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None  # running the text will raise what is to be raised
    Places.sites.update((site.number, site) for site in table.sites)
    return code


def _body(statements: _TopLevel, body: list[ast.stmt]) -> list[ast.stmt]:
    if any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in body):
        raise ValueError  # another dialect: as it is
    return statements.block(body)


def execute_text(function: Any, site: int, source: Any, *spaces: Any) -> Any:
    """Perform ``eval(source, ...)`` or ``exec(source, ...)``, rewritten."""
    thread = ENGINE.current
    flags = sys._getframe(1).f_code.co_flags
    if thread is None:
        return function(text_code(function, source, flags), *spaces)
    access.marker()  # the code is entered
    ENGINE.current = None  # the rewriter uses libraries that may have hooks themselves
    try:
        code = _code_for(function, source, flags, spaces) or text_code(function, source, flags)
    finally:
        ENGINE.current = thread
    result = function(code, *spaces)
    called_out(thread)
    return result


def _code_for(function: Any, source: Any, flags: int, spaces: tuple[Any, ...]) -> CodeType | None:
    if type(source) is not str or not spaces or type(spaces[0]) is not dict or function not in (eval, exec):
        return None
    space = spaces[0]
    if "_p_m" not in space:
        given = space.get("__builtins__")
        if given is None or given is builtins or given is builtins.__dict__:
            space["__builtins__"] = {**builtins.__dict__, **REFERENCES, **HOOKS}
        elif type(given) is not dict or "_p_m" not in given:
            return None  # the caller has restricted the built-ins on purpose
    return rewritten(source, "eval" if function is eval else "exec", flags)


def generate(source: Any, space: Any = None, *rest: Any) -> None:
    """Stand for ``exec`` in a library that makes methods from text: the methods of classes under test get hooks."""
    flags = sys._getframe(1).f_code.co_flags
    known = type(source) is str and space and "_p_wn" in space  # a module may have been rewritten with fewer hooks
    code = rewritten(source, "exec", flags) if known else None
    exec(code or text_code(exec, source, flags), space, *rest)


def adopt_generators() -> None:
    """Rewrite, from now on, the methods that `dataclasses` makes for classes under test."""
    vars(dataclasses)["exec"] = generate


# -- hooks ----------------------------------------------------------------------------------------------------------


def _space(name: str, frame: Any, *, top: bool) -> Any:
    """Return the dictionary that holds a variable of a text."""
    if top and name in frame.f_locals:
        return frame.f_locals
    return frame.f_globals if name in frame.f_globals else None


def read_name(name: str, top: bool, site: int) -> bool:
    """Announce the load of a text's variable."""
    if ENGINE.current is not None:
        space = _space(name, sys._getframe(1), top=top)
        if type(space) is dict:
            if "_p_m" in space:
                ENGINE.heap.alias_module(space)
            access.read_key(space, name, site)
    return True


def write_name(name: str, top: bool, site: int) -> bool:
    """Announce the store or deletion of a text's variable."""
    if ENGINE.current is not None:
        frame = sys._getframe(1)
        space = frame.f_locals if top else frame.f_globals
        if type(space) is dict:
            if "_p_m" in space:
                ENGINE.heap.alias_module(space)
            access.write_key(space, name, site)
    return True


def change(operation: str, left: Any, right: Any) -> Any:
    """Return the value of ``left += right``."""
    return getattr(operator, operation)(left, right)


def change_attribute(owner: Any, name: str, operation: str, right: Any, reading: int, writing: int) -> None:
    """Perform ``owner.name += right``."""
    value = change(operation, getattr(access.read(owner, name, reading), name), right)
    setattr(access.write(owner, name, writing), name, value)


def change_key(container: Any, key: Any, operation: str, right: Any, reading: int, writing: int) -> None:
    """Perform ``container[key] += right``."""
    value = change(operation, container[access.read_key(container, key, reading)], right)
    container[access.write_key(container, key, writing)] = value


HOOKS.update({
    "_p_xe": execute_text, "_p_rn": read_name, "_p_wn": write_name, "_p_xi": change, "_p_xia": change_attribute,
    "_p_xik": change_key,
})  # fmt: skip

__all__ = ["HOOKS", "Places", "adopt_generators", "execute_text", "rewritten"]
