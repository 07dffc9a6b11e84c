"""Make a generated test executable: its prefix builds the objects, and each suffix becomes the body of a thread.

The source of the test is rewritten like the code under test, because a call such as ``x['a'] = 1`` on a subclass of
``dict`` is itself the access. The outcome of each call is recorded when it returns.
"""

from __future__ import annotations

import ast
import functools
import linecache
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from plait.errors import UsageError
from plait.model.foreign import class_name, exception_text
from plait.model.site import Site
from plait.model.test import Call, Test
from plait.run.endings import OWN, RAISED, SetupBlockedError, SetupFailedError
from plait.run.engine import ENGINE, access
from plait.run.hooks.dynamic import HOOKS
from plait.run.operations import LOCAL
from plait.run.primitives.lock import Lock
from plait.run.rewrite import rewrite

BETWEEN = "_p_between"
ARGUMENT = "_p_argument"
MODULE = "test"  # the name of the function that the places of a test's own calls belong to


@dataclass(slots=True)
class Done:
    """The outcome of one outer call: its value or exception, and the part of the trace that it spans."""

    thread: int  # of the test, counted from one
    index: int
    start: int
    end: int
    number: int  # of that thread in the trace: set-ups may have started others before it
    value: Any = None
    error: BaseException | None = None
    seen: Any = None  # what an observer noted when the call returned
    waited_before: int = 0  # how often its thread had waited for anything but a lock when it began,
    waited: int = 0  # and has meanwhile


Observer = Callable[["Testbed", Done], Any]
_Step = tuple[Callable[..., Any], tuple[str, ...], str | None]  # a call, the variables it uses, the one it binds


class Testbed:
    """One test, compiled; `prepare` is the function for `Engine.execute`."""

    __test__ = False  # pytest must not collect it

    def __init__(self, test: Test, sites: dict[int, Site]) -> None:
        self.test = test
        self.variables = list(dict.fromkeys(call.result for call in test.prefix if call.result is not None))
        self.values: dict[str, Any] = {}
        self.positions: dict[tuple[int, int], int] = {}  # of each call, by thread and index: thread by thread
        for thread, suffix in enumerate(test.suffixes, 1):
            for index in range(len(suffix)):
                self.positions[thread, index] = len(self.positions)
        self.done: list[Done] = []
        self.running: dict[int, Done] = {}  # by the thread's number in the trace
        self.stops = False  # every call begins with a step of its own: where serial executions may switch
        self.exclusive = False  # no two calls are under way at a time
        self.one_more: Callable[[], object] | None = None  # what one more thread does, the last one
        self.before_reading: Callable[[], None] | None = None  # what the engine asks before the clock is read,
        self.before_idle: Callable[[], object] | None = None  # and before time passes because nothing can run
        self.on_return: Observer | None = None
        self.space: dict[str, Any] = dict(HOOKS)
        self._compile(sites)

    def _compile(self, sites: dict[int, Site]) -> None:
        space = self.space
        space.update(namespace(self.test.imports))
        space[BETWEEN] = self._between
        prefix = [call.expression for call in self.test.prefix]
        if any(word in text for text in prefix for word in _CLOSING):
            values = ", ".join(f"{name!r}: {name}" for name in self.variables)
            lines = (*(call.source for call in self.test.prefix), f"return {{{values}}}")
            self._prefix = _function("", lines, sites, space)
        else:
            steps = self._calls(self.test.prefix, [], [(_with_value(text),) for text in prefix], sites)
            self._prefix = functools.partial(_performed, steps)
        self._bodies = [
            self._calls(suffix, list(self.variables), [_lines(call.expression, space) for call in suffix], sites)
            for suffix in self.test.suffixes
        ]

    def _calls(
        self, calls: Sequence[Call], bound: list[str], lines: Sequence[tuple[str, ...]], sites: dict[int, Site]
    ) -> list[_Step]:
        """Return a function for each call. Its parameters are the variables that the call uses."""
        found: list[_Step] = []
        for call, parts in zip(calls, lines, strict=True):
            used = frozenset().union(*map(_names_in, parts))
            names = tuple([name for name in bound if name in used])
            found.append((_function(", ".join(names), parts, sites, self.space), names, call.result))
            if call.result is not None and call.result not in bound:
                bound.append(call.result)
        return found

    def _between(self) -> None:
        """Pass a point between two parts of a call: in the block of a ``with``, and after an argument."""
        if self.stops:
            access(ENGINE.thread, 0, LOCAL, 0)

    def prepare(self) -> Sequence[Callable[[], object]]:
        """Build the objects, and return the bodies of the threads."""
        self.done = []
        self.running = {}
        ENGINE.time.brief_sleeps = self.stops
        ENGINE.time.before_reading, ENGINE.time.before_idle = self.before_reading, self.before_idle
        turn = Lock() if self.exclusive else None
        try:
            self.values = self._prefix()
        except SetupBlockedError:
            raise
        except OWN:
            raise
        except RAISED as error:
            raise SetupFailedError(f"{class_name(type(error))}: {exception_text(error)}") from error
        bodies = [self._body(thread, calls, turn) for thread, calls in enumerate(self._bodies, 1)]
        return bodies if self.one_more is None else [*bodies, self._more(self.one_more)]

    @staticmethod
    def _more(action: Callable[[], object]) -> Callable[[], object]:
        def body() -> None:
            access(ENGINE.thread, 0, LOCAL, 0)
            action()

        return body

    def call(self, thread: int, index: int) -> Callable[[], object]:
        """Return a function that makes one call as a thread of the test does, without recording its outcome."""
        calls = self._bodies[thread - 1]

        def action() -> None:
            values = dict(self.values)
            for done in self.done:
                name = calls[done.index][2] if done.thread == thread and done.index < index else None
                if name is not None:
                    values[name] = done.value
            try:
                function, names, _result = calls[index]
                function(*[values[name] for name in names])
            except OWN:
                raise
            except RAISED:
                pass

        return action

    def _body(self, thread: int, calls: Sequence[_Step], turn: Lock | None) -> Callable[[], object]:
        def body() -> None:
            e = ENGINE
            values = self.values
            for index, (call, names, result) in enumerate(calls):
                if self.stops:
                    access(e.thread, 0, LOCAL, 0)
                if turn is not None:
                    turn.acquire()
                number = e.thread.id
                done = Done(thread, index, len(e.trace), 0, number, waited_before=e.thread.waits)
                self.running[number] = done
                e.thread.may_switch = True
                try:
                    done.value = call(*[values[name] for name in names])
                except OWN:
                    raise
                except RAISED as error:
                    done.error = error
                if result is not None:
                    values = {**values, result: done.value}
                done.end = len(e.trace)
                done.waited = e.thread.waits - done.waited_before
                del self.running[number]
                self.done.append(done)
                if turn is not None:
                    turn.release()
                if self.on_return is not None:
                    done.seen = self.on_return(self, done)

        return body


@functools.lru_cache(maxsize=4096)
def _compiled(names: str, lines: tuple[str, ...]) -> tuple[CodeType, tuple[Site, ...]]:
    """Return a function of the test's variables. It is cached, because many tests contain the same calls."""
    body = "".join(f"    {line}\n" for line in lines)
    source = f"def step({names}):\n{body}"
    file = f"<test {zlib.crc32(source.encode()):08x}>"
    try:
        tree, sites = rewrite(source, f"{MODULE} {file[6:-1]}", file)
        code = compile(tree, file, "exec")
    except SyntaxError as error:
        raise UsageError(f"the test cannot be compiled: {error.msg}: {'; '.join(lines)}") from None
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    return code, tuple(sites)


def _function(names: str, lines: tuple[str, ...], sites: dict[int, Site], space: dict[str, Any]) -> Callable[..., Any]:
    code, found = _compiled(names, lines)
    for site in found:
        sites[site.number] = site
    exec(code, space)
    return space.pop("step")  # type: ignore[no-any-return]


def namespace(imports: Sequence[str]) -> dict[str, Any]:
    """Return the names that a test's import lines bind, with their values."""
    space: dict[str, Any] = {}
    exec(_importing(tuple(imports)), space)
    return space


@functools.lru_cache(maxsize=256)
def _importing(imports: tuple[str, ...]) -> CodeType:
    return compile("\n".join(imports), "<imports>", "exec")


def is_nested(call: Call) -> bool:
    """Return whether the call consists of several context managers, one inside the other."""
    return _nests(call.expression)


@functools.lru_cache(maxsize=4096)
def _nests(text: str) -> bool:
    if not text.startswith("with "):
        return False
    tree = ast.parse(text).body[0]
    return isinstance(tree, ast.With) and len(tree.items) > 1


@functools.lru_cache(maxsize=4096)
def _with_value(text: str) -> str:
    """Return a call as a statement that returns its value, if it has one."""
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return text
    return f"return {text}"


@functools.lru_cache(maxsize=4096)
def _names_in(line: str) -> frozenset[str]:
    """Return the names of the variables that a statement may use."""
    try:  # as the body of a function: it may return something
        tree = ast.parse(f"def step():\n    {line}\n")
    except SyntaxError as error:
        raise UsageError(f"the test cannot be compiled: {error.msg}: {line}") from None
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _returned(text: str) -> str:
    """Return a call of a thread as statements that return its value; a ``with`` has a point in its block."""
    if text.startswith("with ") and not _nests(text):
        return text.removesuffix("pass") + f"{BETWEEN}()"
    return _with_value(text)


def _lines(text: str, space: dict[str, Any]) -> tuple[str, ...]:
    """Return a call of a thread as statements.

    An argument that runs code under test, such as a constructor, becomes a call of its own, made before: its effects
    and those of the call that receives it do not happen at one moment.
    """
    if text.count("(") < 2:
        return (_returned(text),)
    try:
        tree = ast.parse(text).body[0]
    except SyntaxError:  # compiling says so, in its own words
        return (_returned(text),)
    if not isinstance(tree, ast.Expr | ast.Assign):
        return (_returned(text),)
    arguments = _Arguments(space, tree.value if isinstance(tree, ast.Expr) else None)
    tree = arguments.visit(tree)
    if not arguments.made:
        return (_returned(text),)
    return (*arguments.made, f"{BETWEEN}()", _returned(ast.unparse(tree)))


class _Arguments(ast.NodeTransformer):
    """Moves calls of controlled classes and functions out of an expression, except ``whole``, the call itself."""

    def __init__(self, space: dict[str, Any], whole: ast.expr | None) -> None:
        self.made: list[str] = []
        self._space = space
        self._whole = whole

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if node is self._whole or not _is_controlled(_named(node.func, self._space)):
            return self.generic_visit(node)
        self.made.append(f"{ARGUMENT}{len(self.made)} = {ast.unparse(node)}")
        return ast.Name(f"{ARGUMENT}{len(self.made) - 1}", ast.Load())

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node  # the call that takes it may run it, or nobody


def _named(node: ast.expr, space: dict[str, Any]) -> Any:
    if isinstance(node, ast.Attribute):
        return getattr(_named(node.value, space), node.attr, None)
    return space.get(node.id) if isinstance(node, ast.Name) else None


def _is_controlled(called: Any) -> bool:
    code = getattr(called, "__init__", None) if isinstance(called, type) else called
    return "_p_r" in getattr(code, "__globals__", ())


_CLOSING = ("lambda", " for ")
"""Syntax that may use variables later than where it stands: a prefix with it is compiled as one function."""


def _performed(steps: Sequence[_Step]) -> dict[str, Any]:
    """Make the calls of a prefix, and return the variables that they bind."""
    values: dict[str, Any] = {}
    for call, names, result in steps:
        value = call(*[values[name] for name in names])
        if result is not None:
            values[result] = value
    return values
