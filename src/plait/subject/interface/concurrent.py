"""Find the classes that are meant for several threads, by source text alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from plait.model.files import file_text
from plait.subject.changes.scopes import FUNCTIONS, scope_statements
from plait.subject.changes.types import Types
from plait.subject.changes.units import Program, Unit

if TYPE_CHECKING:
    from plait.subject.source import Module


_PRIMITIVES = {
    "threading": {"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "Event", "Barrier", "Thread", "Timer",
                  "local"},
    "_thread": {"allocate_lock", "LockType", "RLock", "start_new_thread"},
    "queue": {"Queue", "LifoQueue", "PriorityQueue", "SimpleQueue"},
    "concurrent.futures": {"ThreadPoolExecutor", "Future"},
    "multiprocessing.pool": {"ThreadPool"},
}  # fmt: skip
_LOCK_NAME = re.compile(r"(^|_)(r?lock|mutex|guard|cond(ition)?|sem(aphore)?|monitor)s?(_|$)", re.IGNORECASE)
_SAFE = re.compile(r"thread[\s-]*safe|(from|by|between) (several|multiple|many|different) threads", re.IGNORECASE)
_UNSAFE = re.compile(
    r"\b(not|non|isn't|never|un)[\s-]*(be |itself |intrinsically |necessarily )?thread[\s-]*safe|thread[\s-]*unsafe",
    re.IGNORECASE,
)
_DEPTH = 3
_USERS = {"Thread", "Timer", "_Timer"}  # a subclass of these uses others rather than being used


def is_lock_name(text: str) -> bool:
    """Return whether an expression such as ``self._lock`` or ``self._locks[key]`` is called like a lock."""
    return any(_LOCK_NAME.search(_snake(part)) for part in re.findall(r"\w+", text))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)


class Concurrent:
    """Searches for locks and other primitives in classes, in their attributes, and in their bases."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._types = Types(program)

    def reason(self, unit: Unit) -> str | None:
        """Return why a class is meant for several threads; None if nothing says so, or its docstring denies it."""
        said = " ".join(" ".join(ast.get_docstring(node) or "" for node in self._program.class_nodes(unit)).split())
        if _UNSAFE.search(said):
            return None
        return ("documented as thread-safe" if _SAFE.search(said) else None) or self._uses(unit, _DEPTH, set())

    def _uses(self, unit: Unit, depth: int, seen: set[Unit]) -> str | None:
        if unit in seen or not depth:
            return None
        seen.add(unit)
        for base in self._program.mro(unit):
            found = self._own(base)
            if found and base == unit:
                return f"uses {found}"
            if found and not (base.module == "threading" and base.name in _USERS):
                return f"inherits from {base.name.rpartition('.')[2]}, which uses {found}"
        for field, owned in self._owned(unit):
            if self._uses(owned, depth - 1, seen):
                return f"owns `{field}`, a {owned.name.rpartition('.')[2]}, which threads may share"
        return None

    def _own(self, unit: Unit) -> str | None:
        """Return the first primitive that a class's own text names, or lock that it takes."""
        module = self._program.source.module(unit.module)
        if module is None:
            return None
        classes = self._program.class_nodes(unit)
        inside = [part for node in classes for part in (*node.decorator_list, *node.body)]  # not its bases
        for node in (part for each in inside for part in ast.walk(each)):
            found = primitive(module, node) or _taken(node) or self._elsewhere(module, node)
            if found:
                return found
        return None

    def _elsewhere(self, module: Module, node: ast.AST) -> str | None:
        """Return a lock at module level; a decorator or helper of ours that takes one."""
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or not module.is_own:
            return None
        source = self._program.source
        if not any(source.own(each.module) for each in module.imports.get(node.id, ())) and (
            node.id not in module.values and not module.functions(node.id)
        ):
            return None  # of a library, which need not be parsed for this
        for target in self._program.resolve(module, node.id):
            home = self._program.source.own(target.unit.module)
            if home is None:
                continue
            if target.kind == "value":
                parts = [part for each in home.values.get(target.unit.name, ()) for part in ast.walk(each)]
                if any(primitive(home, part) for part in parts):
                    return f"`{node.id}`"
            elif target.kind == "function":
                parts = [part for each in home.functions(target.unit.name) for part in ast.walk(each)]
                if any(_taken(part) for part in parts):
                    return f"`{node.id}`, which takes a lock"
        return None

    def _owned(self, unit: Unit) -> Iterator[tuple[str, Unit]]:
        """Yield the own classes whose instances a class keeps in its attributes."""
        for base in self._program.mro(unit):
            module = self._program.source.own(base.module)
            if module is None:
                continue
            bodies = [part for node in self._program.class_nodes(base) for part in node.body]
            for function in (part for part in bodies if isinstance(part, FUNCTIONS)):
                scope = self._types.scope(module, base, base, function)
                for statement in scope_statements(function):
                    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
                        continue
                    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                    for target in targets:
                        if isinstance(target, ast.Attribute) and ast.unparse(target.value) == scope.self_name:
                            for owned in sorted(self._types.of(statement.value, scope) or ()):
                                if self._program.source.own(owned.module):
                                    yield ast.unparse(target), owned


def primitive(module: Module, node: ast.AST) -> str | None:
    """Return the full name of a primitive, such as ``threading.Lock``, to which a name or attribute refers."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        for target in module.imports.get(node.id, ()):
            if target.name in _PRIMITIVES.get(target.module, ()):
                return f"{target.module}.{target.name}"
    if isinstance(node, ast.Attribute):
        dotted = ast.unparse(node.value)
        head, _, rest = dotted.partition(".")
        for target in (*module.imports.get(head, ()), *module.imports.get(".", ())):
            name = target.module if target.name is None else f"{target.module}.{target.name}"
            full = f"{name}.{rest}" if rest and name == head else name
            if (rest == "" or full == dotted) and node.attr in _PRIMITIVES.get(full, ()):
                return f"{full}.{node.attr}"
    return None


def _taken(node: ast.AST) -> str | None:
    """Return the lock that a node takes by ``with self._lock:`` or ``self._lock.acquire()``; None if it takes none."""
    if isinstance(node, ast.With):
        for item in node.items:
            text = ast.unparse(item.context_expr)
            if is_lock_name(text.partition("(")[0]):
                return f"`{text}`"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "acquire":
        text = ast.unparse(node.func.value)
        return f"`{text}`" if is_lock_name(text) else None
    return None


# -- claims ------------------------------------------------------------------------------------------------------------
# Evidence that a class may be shared by threads: a lock in its module, a word in its documents.
#
# Only text is read. A class that was not made for threads is not at fault if threads break it, and a reader wants to
# know that first.


_WORDS = re.compile(
    r"thread|concurren|\braces?\b|\b[rf]?lock(s|ed|ing)?\b|atomic|synchroni[sz]|semaphore", re.IGNORECASE
)
_DOCUMENTS = ("README*", "CHANGE*", "HISTORY*", "*.rst", "docs/**/*.md", "docs/**/*.rst", "doc/**/*.md", "doc/**/*.rst")
_MOST = 300  # documents
_LARGEST = 2_000_000  # characters of one


def mentions_threads(sources: list[Path], root: Path, package: str) -> bool:
    """Return whether the source files of a class, or the documents of its package, say anything about threads.

    True where nothing could be read: who has not looked cannot tell.
    """
    read = [text for text in map(_text, sources) if text is not None]
    if not read:
        return True
    return any(_WORDS.search(text) for text in read) or any(_WORDS.search(text) for text in _documents(root, package))


def _documents(root: Path, package: str) -> Iterator[str]:
    """Yield the documents of a project, found at the root of its sources or above, or of an installed package."""
    installed = list(root.glob(f"{re.sub(r'[-_.]+', '[-_.]', package)}-*.dist-info/METADATA"))
    homes = [] if installed else [root, *([root.parent] if root.name in ("src", "lib") else [])]
    found = (path for home in homes for pattern in _DOCUMENTS for path in sorted(home.glob(pattern)))
    for path in islice((*installed, *found), _MOST):
        text = _text(path)
        if text is not None:
            yield text


def _text(path: Path) -> str | None:
    try:
        return file_text(path, "replace")[:_LARGEST]
    except OSError:
        return None
