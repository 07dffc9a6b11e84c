"""Locks that a mend can hold: an existing one, or a new one with its import and the line that makes it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from plait.subject.changes.scopes import FUNCTIONS
from plait.subject.mend.text import SourceText
from plait.subject.mend.view import Function, ModuleView, Primitive, last_name

_NAMES = ("_lock", "_state_lock", "_guard", "_mutex")
_MODULE = "threading"
INSTANCE, CLASS, MODULE = "instance", "class", "module"


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A lock by name; ``new`` says where to make it, None if it exists.

    With ``upgrade``, the lock exists and must become re-entrant.
    """

    name: str
    owner: str  # the class that has it; empty for a global name
    kind: str  # Lock, RLock or Condition
    new: str | None = None
    there: Primitive | None = None
    upgrade: bool = False

    @property
    def is_shared(self) -> bool:
        """True if all instances share the lock."""
        return self.new in (CLASS, MODULE) or (self.there is not None and self.there.shared)

    @property
    def reenters(self) -> bool:
        """True if its owner can take it again."""
        if self.upgrade or self.kind == "RLock":
            return True
        made = None if self.there is None else self.there.made
        return self.kind == "Condition" and made is not None and not made.args  # its own lock is an RLock

    def expression(self, function: Function) -> str | None:
        """Return the expression for the lock in a function; None if the function cannot reach it."""
        if not self.owner:
            return self.name
        if function.binding == "instance" or (function.binding == "class" and self.is_shared):
            return f"{function.receiver}.{self.name}"
        return f"{self.owner}.{self.name}" if self.is_shared else None

    def prepare(self, view: ModuleView, edit: SourceText) -> bool:
        """Add the code that makes the lock; return False if that is not possible."""
        if self.there is not None:
            return not self.upgrade or reentrant(view, edit, self.there)
        if self.new == MODULE:
            _make_in_module(view, edit, self.name, self.kind)
            return True
        node = view.classes[self.owner]
        made = f"{constructor(view, edit, self.kind)}()"
        if self.new == CLASS:
            _make_in_class(node, edit, f"{self.name} = {made}")
            return True
        return _make_in_instances(view, self.owner, edit, self.name, made)


def free_name(view: ModuleView, owner: str) -> str:
    """Return a name for a new lock that is unused in the family of classes and in the module."""
    if owner:
        family = set(view.family(owner))
        own = [each for each in view.functions.values() if each.owner in family]
        taken = {node.attr for each in own for node in each.nodes if isinstance(node, ast.Attribute)}
        bodies = [each for name in family for each in view.classes[name].body]
        taken |= {node.id for each in bodies for node in ast.walk(each) if isinstance(node, ast.Name)}
        taken |= {each.name for each in own}
    else:
        taken = {node.id for node in ast.walk(view.tree) if isinstance(node, ast.Name)}
    return next((name for name in _NAMES if name not in taken), "_lock_of_mend")


def can_make_in_instances(view: ModuleView, owner: str) -> bool:
    """Return whether every instance runs an `__init__` of the class that stands in the module."""
    init = view.functions.get(f"{owner}.__init__")
    if init is None or not init.body or init.body[0].lineno == init.node.lineno:
        return False
    below = [each for each in view.family(owner) if each != owner and owner in view.line_of(each)]
    for name in below:
        own = view.functions.get(f"{name}.__init__")
        if own is not None and not runs_base_init(own):
            return False
    return _slots(view.classes[owner]) is None or _slot_list(view.classes[owner]) is not None


def runs_base_init(init: Function) -> bool:
    """Return whether an `__init__` calls that of a base class."""
    return any(_is_base_init(node) for node in init.nodes)


def _is_base_init(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__init__"


def _slots(node: ast.ClassDef) -> ast.expr | None:
    for each in node.body:
        if isinstance(each, ast.Assign) and any(last_name(target) == "__slots__" for target in each.targets):
            return each.value
    return None


def _slot_list(node: ast.ClassDef) -> ast.Tuple | ast.List | None:
    value = _slots(node)
    return value if isinstance(value, ast.Tuple | ast.List) and value.elts else None


def _make_in_instances(view: ModuleView, owner: str, edit: SourceText, name: str, made: str) -> bool:
    if not can_make_in_instances(view, owner):
        return False
    init = view.functions[f"{owner}.__init__"]
    body = init.body
    at = 0
    while at < len(body) - 1 and any(_is_base_init(node) for node in ast.walk(body[at])):
        at += 1
    line = f"{edit.indent_of(body[at].lineno)}{init.receiver}.{name} = {made}"
    if any(_is_base_init(node) for node in ast.walk(body[at])):
        edit.insert_after(body[at].end_lineno or body[at].lineno, line)
    else:
        edit.insert_before(first_line(body[at]), line)
    slots = _slot_list(view.classes[owner])
    if slots is not None:
        last = slots.elts[-1]
        end = edit.column(last.end_lineno or last.lineno, last.end_col_offset or 0)
        edit.replace_span(last.end_lineno or last.lineno, end, end, f', "{name}"')
    return True


def _make_in_class(node: ast.ClassDef, edit: SourceText, line: str) -> None:
    first = node.body[0]
    doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    following = node.body[1] if doc and len(node.body) > 1 else None if doc else first
    indent = edit.indent_of(first.lineno)
    if following is None:
        edit.insert_after(first.end_lineno or first.lineno, "", f"{indent}{line}")
        return
    blank = [""] if isinstance(following, (*FUNCTIONS, ast.ClassDef)) else []
    edit.insert_before(first_line(following), f"{indent}{line}", *blank)


def _make_in_module(view: ModuleView, edit: SourceText, name: str, kind: str) -> None:
    made = constructor(view, edit, kind)
    body = view.tree.body
    at = next((number for number, each in enumerate(body) if isinstance(each, (*FUNCTIONS, ast.ClassDef))), 0)
    before = body[at - 1] if at else None
    if isinstance(before, ast.Assign | ast.AnnAssign):
        edit.insert_after(before.end_lineno or before.lineno, f"{name} = {made}()")
        return
    edit.insert_before(first_line(body[at]), f"{name} = {made}()", "", "")


def first_line(node: ast.stmt) -> int:
    """Return the line that a statement begins in, decorators counted."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


# -- imports --


def constructor(view: ModuleView, edit: SourceText, kind: str) -> str:
    """Return how the module writes a class of `threading`; where it cannot yet, it is imported."""
    names = _imported(view)
    if kind in names:
        return names[kind]
    for node in view.tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == _MODULE:
                    return f"{alias.asname or alias.name}.{kind}"
    for node in view.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == _MODULE and not node.level:
            last = node.names[-1]
            line, end = last.end_lineno or last.lineno, last.end_col_offset or 0
            column = edit.column(line, end)
            edit.replace_span(line, column, column, f", {kind}")
            return kind
    _import_module(view, edit)
    return f"{_MODULE}.{kind}"


def is_only_reentrant(view: ModuleView) -> bool:
    """Return whether the module imports `RLock` by name, and `Lock` not."""
    names = _imported(view)
    return "RLock" in names and "Lock" not in names


def _imported(view: ModuleView) -> dict[str, str]:
    return {
        alias.name: alias.asname or alias.name
        for node in view.tree.body if isinstance(node, ast.ImportFrom) and node.module == _MODULE and not node.level
        for alias in node.names
    }  # fmt: skip


def _import_module(view: ModuleView, edit: SourceText) -> None:
    """Add ``import threading`` where an ordered list of imports has it."""
    body = view.tree.body
    plain = [node for node in body if isinstance(node, ast.Import)]
    others = [node for node in body if isinstance(node, ast.ImportFrom) and node.module != "__future__"]
    line = f"import {_MODULE}"
    if plain:
        behind = [node for node in plain if node.names[0].name < _MODULE]
        if behind:
            edit.insert_after(behind[-1].end_lineno or behind[-1].lineno, line)
        else:
            edit.insert_before(plain[0].lineno, line)
    elif others:
        edit.insert_before(others[0].lineno, line)
    else:
        _import_first(body, edit, line)


def _import_first(body: list[ast.stmt], edit: SourceText, line: str) -> None:
    """Add an import to a module that has none, behind its docstring and ``from __future__``."""
    head = [
        node for node in body
        if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) or isinstance(node, ast.ImportFrom)
    ]  # fmt: skip
    if head:
        edit.insert_after(head[-1].end_lineno or head[-1].lineno, "", line)
    elif body:
        edit.insert_before(first_line(body[0]), line, "", "")


# -- kinds --


def reentrant(view: ModuleView, edit: SourceText, lock: Primitive) -> bool:
    """Make a lock re-entrant; return False if it is so already, or cannot become so."""
    made = lock.made
    if lock.kind == "Lock":
        edit.replace(made.func, constructor(view, edit, "RLock"))
        return True
    inner = made.args[0] if lock.kind == "Condition" and made.args else None
    if isinstance(inner, ast.Call) and last_name(inner.func) == "Lock":
        edit.replace(inner.func, constructor(view, edit, "RLock"))
        return True
    return False


def locks_of_clues(view: ModuleView, owner: str, named: Iterable[str]) -> list[HeldLock]:
    """Return the locks that methods of a class can hold, those that a finding names first."""
    wanted = list(named)
    found = [HeldLock(each.name, each.owner, each.kind, there=each) for each in view.locks_of(owner)]
    unique = list({each.name: each for each in found}.values())
    return sorted(unique, key=lambda each: wanted.index(each.name) if each.name in wanted else len(wanted))
