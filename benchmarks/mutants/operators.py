"""The bugs that are planted: each operator changes one place of a sound module, and nothing else of its text.

An operator is a generator: it is given the module (`Source`) and yields an `Edit` for every place that it fits. A place
is a statement; what replaces it is written with the text of its parts, so that comments and formatting stay.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

LOCKS = ("Lock", "RLock")
SEMAPHORES = ("Semaphore", "BoundedSemaphore")
KINDS = (*LOCKS, *SEMAPHORES, "Condition", "Event")
NOTIFIES = ("notify", "notify_all")
WAITS = ("wait", "wait_for")
_COPIES = ("list", "tuple", "set", "dict", "sorted")
_INDENT = "    "
_NEW = (ast.Call, ast.List, ast.Dict, ast.Set, ast.DictComp, ast.ListComp)  # what makes a new object


@dataclass(frozen=True, slots=True)
class Edit:
    """One planted bug: lines ``first`` to ``last`` (from 1) are replaced; ``more`` are further lines it needs."""

    first: int
    last: int
    text: str
    method: str
    more: tuple[tuple[int, int, str], ...] = ()


@dataclass(slots=True)
class Source:
    """A module with what operators ask about it."""

    text: str
    tree: ast.Module = field(init=False)
    lines: list[str] = field(init=False)
    kinds: dict[str, str] = field(init=False)  # names of attributes and variables that hold primitives
    made: dict[str, ast.expr] = field(init=False)  # and how these are made
    _functions: list[ast.FunctionDef] = field(init=False)  # every operator walks through these and the blocks
    _blocks: list[tuple[ast.FunctionDef, list[ast.stmt]]] = field(init=False)

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)
        self.lines = self.text.splitlines()
        self.kinds, self.made = {}, {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                made = next((each for each in ast.walk(node.value) if kind_made(each)), None)
                for name in filter(None, map(last_name, targets)):
                    if made is not None:
                        self.kinds[name], self.made[name] = kind_made(made), made
        self._functions = [
            node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef) and node.name != "__init__"
        ]
        self._blocks = [
            (function, block)
            for function in self._functions
            for node in _inside(function)
            for name in ("body", "orelse", "finalbody")
            if isinstance(block := getattr(node, name, None), list) and block and isinstance(block[0], ast.stmt)
        ]

    def kind(self, node: ast.AST) -> str:
        """Which primitive an expression is; empty if none."""
        return self.kinds.get(last_name(node), "")

    def functions(self) -> Iterator[ast.FunctionDef]:
        """All methods and functions that several threads can be in."""
        yield from self._functions

    def blocks(self) -> Iterator[tuple[ast.FunctionDef, list[ast.stmt]]]:
        """All lists of statements, with the method that they belong to."""
        yield from self._blocks

    def statements(self) -> Iterator[tuple[ast.FunctionDef, ast.stmt]]:
        """All statements of methods."""
        for function, block in self.blocks():
            for node in block:
                yield function, node

    def of(self, *nodes: ast.AST) -> str:
        """The text of statements, from column 0."""
        return "\n".join(textwrap.dedent("\n".join(self.lines[node.lineno - 1 : node.end_lineno])) for node in nodes)

    def edit(self, function: ast.FunctionDef, nodes: Sequence[ast.stmt], text: str) -> Edit:
        """Statements that follow each other are replaced by a text that begins at column 0."""
        first = nodes[0]
        return Edit(first.lineno, nodes[-1].end_lineno, textwrap.indent(text, " " * first.col_offset), function.name)

    def applied(self, edit: Edit) -> str:
        """The module with the bug."""
        lines = list(self.lines)
        for first, last, text in sorted([(edit.first, edit.last, edit.text), *edit.more], reverse=True):
            lines[first - 1 : last] = text.splitlines()
        return "\n".join(lines) + "\n"

    def locked(self, kinds: Sequence[str]) -> Iterator[tuple[ast.FunctionDef, ast.With]]:
        """The ``with`` statements on one primitive of some kind."""
        for function, node in self.statements():
            if isinstance(node, ast.With) and len(node.items) == 1 and self.kind(node.items[0].context_expr) in kinds:
                yield function, node


def kind_made(node: ast.AST) -> str:
    """Which primitive a call makes; empty if none."""
    name = last_name(node.func) if isinstance(node, ast.Call) else ""
    return name if name in KINDS else ""


def last_name(node: ast.AST) -> str:
    """The attribute or variable at the end of an expression, also where an item of it is meant."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def under(head: str, body: str) -> str:
    """A block with a head."""
    return f"{head}\n{textwrap.indent(body, _INDENT)}"


def _inside(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions in it."""
    waiting: list[ast.AST] = [function]
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting.extend(
            child for child in ast.iter_child_nodes(node)
            if not isinstance(child, ast.FunctionDef | ast.ClassDef | ast.Lambda)
        )  # fmt: skip


def _called(node: ast.AST, names: Sequence[str]) -> ast.Call | None:
    """The statement's call of a method with one of the names."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        return node.value if node.value.func.attr in names else None
    return None


def _calls(nodes: Sequence[ast.AST], names: Sequence[str]) -> bool:
    """Whether a method with one of the names is called anywhere."""
    return any(
        isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in names
        for node in nodes for inner in ast.walk(node)
    )  # fmt: skip


def _has(nodes: Sequence[ast.AST], *kinds: type[ast.AST]) -> bool:
    return any(isinstance(inner, kinds) for node in nodes for inner in ast.walk(node))


def _head(source: Source, node: ast.With) -> str:
    return "\n".join(source.lines[node.lineno - 1 : node.body[0].lineno - 1]).strip()


def _needs_lock(nodes: Sequence[ast.AST]) -> bool:
    """Whether a condition is used, which raises without its lock."""
    return _calls(nodes, (*NOTIFIES, *WAITS))


# -- scopes of locks ------------------------------------------------------------------------------------------------


def drop_with(source: Source) -> Iterator[Edit]:
    for function, node in source.locked((*LOCKS, "Condition")):
        if not _needs_lock(node.body):
            yield source.edit(function, [node], source.of(*node.body))
    for function in source.functions():
        for decorator in function.decorator_list:
            if last_name(decorator) in ("synchronized", "locked"):
                yield Edit(decorator.lineno, decorator.end_lineno, "", function.name)


def first_out(source: Source) -> Iterator[Edit]:
    for function, node in source.locked((*LOCKS, "Condition")):
        first, *rest = node.body
        if rest and not _needs_lock([first]):
            yield source.edit(function, [node], f"{source.of(first)}\n{under(_head(source, node), source.of(*rest))}")


def last_out(source: Source) -> Iterator[Edit]:
    for function, node in source.locked((*LOCKS, "Condition")):
        *rest, last = node.body
        if rest and not _needs_lock([last]):
            yield source.edit(function, [node], f"{under(_head(source, node), source.of(*rest))}\n{source.of(last)}")


def split_with(source: Source) -> Iterator[Edit]:
    for function, node in source.locked((*LOCKS, "Condition")):
        if len(node.body) > 1:
            middle = len(node.body) // 2
            parts = (node.body[:middle], node.body[middle:])
            head = _head(source, node)
            yield source.edit(function, [node], "\n".join(under(head, source.of(*part)) for part in parts))


def swap_locks(source: Source) -> Iterator[Edit]:
    for function, node in source.statements():
        if not isinstance(node, ast.With):
            continue
        if len(node.items) == 2 and all(source.kind(item.context_expr) in LOCKS for item in node.items):
            one, two = (ast.unparse(item) for item in node.items)
            yield source.edit(function, [node], under(f"with {two}, {one}:", source.of(*node.body)))
        for position, inner in enumerate(node.body):
            if (
                isinstance(inner, ast.With) and len(inner.items) == len(node.items) == 1
                and all(source.kind(each.items[0].context_expr) in LOCKS for each in (node, inner))
            ):  # fmt: skip
                middle = under(_head(source, node), source.of(*inner.body))
                parts = (source.of(*node.body[:position]), middle, source.of(*node.body[position + 1 :]))
                yield source.edit(function, [node], under(_head(source, inner), "\n".join(filter(None, parts))))


def new_lock(source: Source) -> Iterator[Edit]:
    for function, node in source.locked(LOCKS):
        made = source.made[last_name(node.items[0].context_expr)]
        if not _needs_lock(node.body):
            yield source.edit(function, [node], under(f"with {ast.unparse(made)}:", source.of(*node.body)))


def rlock_lock(source: Source) -> Iterator[Edit]:
    froms = (node for node in ast.walk(source.tree) if isinstance(node, ast.ImportFrom))
    imports = [node for node in froms if node.module == "threading"]
    for node in ast.walk(source.tree):
        if kind_made(node) != "RLock":
            continue
        line = source.lines[node.lineno - 1]
        text = line[: node.col_offset] + line[node.col_offset :].replace("RLock", "Lock", 1)
        more = ()
        if isinstance(node.func, ast.Name):
            more = tuple((each.lineno, each.end_lineno, "from threading import Lock, RLock") for each in imports)
        yield Edit(node.lineno, node.lineno, text, "__init__", more)


# -- waiting and waking ---------------------------------------------------------------------------------------------


def while_if(source: Source) -> Iterator[Edit]:
    for function, node in source.statements():
        if isinstance(node, ast.While) and any(_called(each, WAITS) for each in node.body):
            if not _has(node.body, ast.Break, ast.Continue) and not node.orelse:
                yield source.edit(function, [node], source.of(node).replace("while ", "if ", 1))
        call = _called(node, ("wait_for",))
        if call is not None and isinstance(call.args[0], ast.Lambda) and source.kind(call.func.value) == "Condition":
            test, owner = ast.unparse(call.args[0].body), ast.unparse(call.func.value)
            yield source.edit(function, [node], under(f"if not ({test}):", f"{owner}.wait()"))


def drop_notify(source: Source) -> Iterator[Edit]:
    for function, node in source.statements():
        if _called(node, NOTIFIES):
            yield source.edit(function, [node], "pass")


def notify_one(source: Source) -> Iterator[Edit]:
    for function, node in source.statements():
        if _called(node, ("notify_all",)):
            yield source.edit(function, [node], source.of(node).replace("notify_all", "notify"))


def wrong_condition(source: Source) -> Iterator[Edit]:
    conditions = [name for name, kind in source.kinds.items() if kind == "Condition"]
    for function, node in source.statements():
        call = _called(node, NOTIFIES)
        name = last_name(call.func.value) if call is not None else ""
        others = [other for other in conditions if other != name]
        if name in conditions and others:
            yield source.edit(function, [node], source.of(node).replace(f".{name}.", f".{others[0]}."))


def _changes_and_notifies(source: Source) -> Iterator[tuple[ast.FunctionDef, ast.With, int]]:
    """Blocks where a statement changes the state and the next one notifies, with the position of the first."""
    kinds = (*LOCKS, "Condition")
    for function, node in source.locked(kinds):
        for position, (change, after) in enumerate(zip(node.body, node.body[1:], strict=False)):
            if _called(after, NOTIFIES) and isinstance(change, ast.Assign | ast.AugAssign | ast.Expr | ast.AnnAssign):
                if not _needs_lock([change, *node.body[position + 2 :]]):
                    yield function, node, position


def notify_early(source: Source) -> Iterator[Edit]:
    for function, node, at in _changes_and_notifies(source):
        inside = under(_head(source, node), source.of(*node.body[:at], node.body[at + 1]))
        yield source.edit(function, [node], f"{inside}\n{source.of(node.body[at], *node.body[at + 2 :])}")


def change_late(source: Source) -> Iterator[Edit]:
    for function, node, at in _changes_and_notifies(source):
        head = _head(source, node)
        inside = under(head, source.of(*node.body[:at], node.body[at + 1]))
        after = under(head, source.of(node.body[at], *node.body[at + 2 :]))
        yield source.edit(function, [node], f"{inside}\n{after}")


def set_clear(source: Source) -> Iterator[Edit]:
    for function, node in source.statements():
        call = _called(node, ("set", "clear"))
        if call is not None and source.kind(call.func.value) == "Event":
            other = {"set": "clear", "clear": "set"}[call.func.attr]
            yield source.edit(function, [node], f"{ast.unparse(call.func.value)}.{other}()")


# -- initialisation and publication ---------------------------------------------------------------------------------


def unchecked_init(source: Source) -> Iterator[Edit]:
    for function, node in source.statements():
        if not isinstance(node, ast.If) or not isinstance(node.body[0], ast.With):
            continue
        inner = node.body[0].body[-1]
        if isinstance(inner, ast.If) and not inner.orelse and ast.dump(inner.test) == ast.dump(node.test):
            yield source.edit(function, [inner], source.of(*inner.body))


def _is_shared(node: ast.AST) -> bool:
    """Whether an assignment to it is seen by other threads: an attribute of ``self``, or an item of one."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def _local(node: ast.stmt) -> str:
    """The local variable that a statement assigns."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        return node.target.id
    return ""


def _published(node: ast.stmt, name: str) -> bool:
    """Whether a statement stores the variable where others see it."""
    return (
        isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == name
        and any(map(_is_shared, node.targets))
    )  # fmt: skip


def publish_early(source: Source) -> Iterator[Edit]:
    for function, block in source.blocks():
        for position, node in enumerate(block):
            name = _local(node)
            if not name or not isinstance(node.value, _NEW):
                continue
            for later in range(position + 2, len(block)):
                between = block[position + 1 : later]
                names = (each for part in between for each in ast.walk(part) if isinstance(each, ast.Name))
                uses = any(each.id == name for each in names)
                if _published(block[later], name) and uses:
                    yield source.edit(function, block[position : later + 1], source.of(node, block[later], *between))


def get_then_set(source: Source) -> Iterator[Edit]:
    for function, node in source.statements():
        if isinstance(node, ast.With | ast.If | ast.For | ast.While | ast.Try):
            continue
        for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "setdefault":
                continue
            table, (key, value) = ast.unparse(call.func.value), map(ast.unparse, call.args)
            text = ast.unparse(node).replace(ast.unparse(call), "found")
            made = f"found = {table}.get({key})\nif found is None:\n    found = {value}\n    {table}[{key}] = found\n"
            yield source.edit(function, [node], made + text)


def _copied(node: ast.AST) -> ast.expr | None:
    """What an expression is a copy of."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.args[0] if node.func.id in _COPIES and len(node.args) == 1 else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value if node.func.attr == "copy" and not node.args else None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and ast.unparse(node.slice) == ":":
        return node.value
    return None


def in_place(source: Source) -> Iterator[Edit]:
    for function, block in source.blocks():
        for position, node in enumerate(block):
            name = _local(node)
            copied = _copied(node.value) if name else None
            if copied is not None and _is_shared(copied):
                original = ast.unparse(copied)
                for later in block[position + 1 :]:
                    if _published(later, name) and ast.unparse(later.targets[0]) == original:
                        yield source.edit(function, [node], f"{name} = {original}")
            if isinstance(node, ast.Assign) and _is_shared(node.targets[0]) and isinstance(node.value, ast.List):
                first, *rest = node.value.elts or [None]
                shared = ast.unparse(node.targets[0])
                if isinstance(first, ast.Starred) and ast.unparse(first.value) == shared and rest:
                    items = ", ".join(map(ast.unparse, rest))
                    yield source.edit(function, [node], f"{shared}.extend([{items}])")


def no_snapshot(source: Source) -> Iterator[Edit]:
    for function in source.functions():
        walked = {
            each.id for node in ast.walk(function) if isinstance(node, ast.For | ast.comprehension)
            for each in ast.walk(node.iter) if isinstance(each, ast.Name)
        }  # fmt: skip
        for node in (each for each in ast.walk(function) if isinstance(each, ast.For | ast.Assign)):
            if isinstance(node, ast.For):
                copied = _copied(node.iter)
                if copied is not None and any(map(_is_shared, ast.walk(copied))):
                    head = ast.unparse(node.iter)
                    yield source.edit(function, [node], source.of(node).replace(head, ast.unparse(copied), 1))
            elif (name := _local(node)) in walked and name:
                copied = _copied(node.value)
                if copied is not None and any(map(_is_shared, ast.walk(copied))):
                    yield source.edit(function, [node], f"{name} = {ast.unparse(copied)}")


# -- what is lost on an exception -------------------------------------------------------------------------------------


def _without_cleanup(source: Source, body: Sequence[ast.stmt], release: str) -> str | None:
    """A body that is followed by its clean-up only if it ends without an exception; None if it returns elsewhere."""
    *rest, last = body
    if _has(rest, ast.Return):
        return None
    text = source.of(*body)
    if not _has([last], ast.Return):
        return f"{text}\n{release}"
    inner = last
    while isinstance(inner, ast.With | ast.Try):
        if _has(inner.body[:-1], ast.Return):
            return None
        inner = inner.body[-1]
    if not isinstance(inner, ast.Return) or inner.value is None:
        return None
    returned = source.of(inner)
    assert text.count(returned) >= 1
    before, _, after = text.rpartition(returned)
    return f"{before}{returned.replace('return', 'outcome =', 1)}{after}\n{release}\nreturn outcome"


def _lost(source: Source, kinds: Sequence[str]) -> Iterator[Edit]:
    for function, node in source.locked(kinds):
        owner = ast.unparse(node.items[0].context_expr)
        text = _without_cleanup(source, node.body, f"{owner}.release()")
        if text is not None and _has(node.body, ast.Raise, ast.Call, ast.Subscript, ast.BinOp):
            yield source.edit(function, [node], f"{owner}.acquire()\n{text}")
    for function, node in source.statements():
        if isinstance(node, ast.Try) and len(node.finalbody) == 1 and not node.handlers:
            call = _called(node.finalbody[0], ("release",))
            if call is not None and source.kind(call.func.value) in kinds:
                text = _without_cleanup(source, node.body, source.of(*node.finalbody))
                if text is not None:
                    yield source.edit(function, [node], text)


def lost_release(source: Source) -> Iterator[Edit]:
    return _lost(source, LOCKS)


def lost_permit(source: Source) -> Iterator[Edit]:
    return _lost(source, SEMAPHORES)


OPERATORS: dict[str, tuple[str, Callable[[Source], Iterator[Edit]]]] = {
    "drop-with": ("a `with lock:` dropped", drop_with),
    "first-out": ("the first statement moved out of the `with` block", first_out),
    "last-out": ("the last statement moved out of the `with` block", last_out),
    "split-with": ("one `with` block split into two on the same lock", split_with),
    "swap-locks": ("two nested locks taken in the other order", swap_locks),
    "while-if": ("`while` around `Condition.wait` made an `if`", while_if),
    "drop-notify": ("`notify`/`notify_all` removed", drop_notify),
    "notify-one": ("`notify_all` made `notify`", notify_one),
    "wrong-condition": ("the wrong condition notified", wrong_condition),
    "notify-early": ("`notify` before the state change, which is outside the lock", notify_early),
    "change-late": ("the state changed after `notify`, in a `with` block of its own", change_late),
    "set-clear": ("`set` and `clear` of an event swapped", set_clear),
    "new-lock": ("the lock replaced by a new one per call", new_lock),
    "rlock-lock": ("`RLock` made `Lock`", rlock_lock),
    "unchecked-init": ("double-checked initialisation without the second check", unchecked_init),
    "publish-early": ("publication before initialisation", publish_early),
    "get-then-set": ("`get`, then `set`, for `setdefault`", get_then_set),
    "in-place": ("copy-on-write made in-place", in_place),
    "no-snapshot": ("a snapshot removed before iteration", no_snapshot),
    "lost-release": ("a lock not released on an exception", lost_release),
    "lost-permit": ("a semaphore's permit lost on an exception", lost_permit),
}
"""By name: what the table calls it, and the operator."""
