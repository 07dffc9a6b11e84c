"""The facts about a module that mends need: functions, class families, locks, and the attributes that functions use."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from plait.subject.changes.scopes import FUNCTIONS, FunctionNode
from plait.subject.mend.text import SourceText

LOCKS = ("Lock", "RLock")
HELD = (*LOCKS, "Condition")
"""The primitives that exclude other threads in a `with` statement."""
KINDS = (*HELD, "Semaphore", "BoundedSemaphore", "Event")
_MUTATORS = frozenset(
    ("add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "insert", "pop", "popitem", "popleft",
     "remove", "reverse", "rotate", "setdefault", "sort", "update")
)  # fmt: skip
_LOOPS = (ast.For, ast.While, ast.AsyncFor)


@dataclass(frozen=True, slots=True)
class Primitive:
    """A lock, condition or event that a class or a module keeps under a ``name``; ``made`` is the call of its class."""

    name: str
    kind: str
    made: ast.Call
    statement: ast.Assign | ast.AnnAssign
    shared: bool  # by all instances: it is an attribute of the class, or a global name
    owner: str  # the class; empty for a global name


@dataclass(frozen=True)
class Function:
    """A method or function; ``receiver`` is what it calls its object or class, empty for functions without one."""

    qualname: str
    node: FunctionNode
    owner: str  # the class; empty at the top of a module
    receiver: str
    binding: str  # instance, class, static or module

    @property
    def name(self) -> str:
        """Its plain name."""
        return self.node.name

    @property
    def body(self) -> list[ast.stmt]:
        """Its statements without the docstring."""
        body = self.node.body
        first = body[0]
        doc = (
            isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
        )
        return body[1:] if doc else body

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of its own scope."""
        return list(own_nodes(self.node))

    @property
    def can_hold(self) -> bool:
        """True if its body can be put under a lock: a generator would keep the lock while it is suspended."""
        is_generator = any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in own_nodes(self.node))
        return bool(self.body) and isinstance(self.node, ast.FunctionDef) and not is_generator


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function's own scope; lambdas and comprehensions count, functions in it do not."""
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        child = waiting.pop(0)
        yield child
        if not isinstance(child, (*FUNCTIONS, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(child))


def last_name(node: ast.AST) -> str:
    """Return the attribute or variable at the end of an expression; empty for others."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _primitive_made(node: ast.AST | None) -> str:
    """Return the name of the primitive that a call makes; empty if none."""
    name = last_name(node.func) if isinstance(node, ast.Call) else ""
    return name if name in KINDS else ""


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield all lists of statements in a function's own scope, the outer ones first."""
    waiting: list[ast.AST] = [node]
    while waiting:
        here = waiting.pop(0)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(here, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block
                waiting.extend(each for each in block if not isinstance(each, (*FUNCTIONS, ast.ClassDef)))
        waiting.extend(getattr(here, "handlers", ()))
        waiting.extend(getattr(here, "cases", ()))


def attribute_of(node: ast.AST, receiver: str) -> str:
    """Return the attribute of the receiver that an expression is, or is inside of; empty if it is neither."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == receiver:
            return node.attr
        node = node.func if isinstance(node, ast.Call) else node.value
    return ""


@dataclass
class ModuleView:
    """One parsed module."""

    text: str
    tree: ast.Module
    functions: dict[str, Function] = field(init=False)
    classes: dict[str, ast.ClassDef] = field(init=False)
    primitives: list[Primitive] = field(init=False)

    def __post_init__(self) -> None:
        self.functions, self.classes, self.primitives = {}, {}, []
        self._read(self.tree.body, "")

    def edit(self) -> SourceText:
        """Return the text, to be edited."""
        return SourceText(self.text)

    def _read(self, body: Iterable[ast.stmt], owner: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                name = f"{owner}.{node.name}" if owner else node.name
                self.classes[name] = node
                self._read(node.body, name)
            elif isinstance(node, FUNCTIONS):
                self._function(node, owner)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                self._primitive(node, owner, "", shared=True)
            elif isinstance(node, ast.If | ast.Try):
                self._read([each for block in blocks(node) for each in block], owner)

    def _function(self, node: FunctionNode, owner: str) -> None:
        marks = {last_name(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list}
        first = next((each.arg for each in (*node.args.posonlyargs, *node.args.args)), "")
        binding = "instance" if owner else "module"
        if owner and "staticmethod" in marks:
            binding = "static"
        elif owner and ("classmethod" in marks or node.name in ("__new__", "__init_subclass__", "__class_getitem__")):
            binding = "class"
        receiver = first if binding in ("instance", "class") else ""
        qualname = f"{owner}.{node.name}" if owner else node.name
        self.functions.setdefault(qualname, Function(qualname, node, owner, receiver, binding))
        for inner in own_nodes(node):
            if isinstance(inner, ast.Assign | ast.AnnAssign) and binding == "instance":
                self._primitive(inner, owner, receiver, shared=False)

    def _primitive(self, node: ast.Assign | ast.AnnAssign, owner: str, receiver: str, *, shared: bool) -> None:
        kind = _primitive_made(node.value)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            named = isinstance(target, ast.Name) if shared else bool(attribute_of(target, receiver))
            if kind and named and isinstance(node.value, ast.Call):
                self.primitives.append(Primitive(last_name(target), kind, node.value, node, shared, owner))

    # -- classes --

    def bases(self, name: str) -> list[str]:
        """Return the base classes of a class that stand in the same module."""
        node = self.classes.get(name)
        return [base for each in (node.bases if node else ()) if (base := last_name(each)) in self.classes]

    def line_of(self, name: str) -> list[str]:
        """Return a class and its base classes in this module, the class first."""
        found = [name] if name in self.classes else []
        for each in found:
            found += [base for base in self.bases(each) if base not in found]
        return found

    def family(self, name: str) -> list[str]:
        """Return a class with all classes of the module that are related to it by inheritance."""
        found = self.line_of(name)
        more = True
        while more:
            below = [each for each in self.classes if each not in found and set(self.bases(each)) & set(found)]
            more = bool(below)
            found += below
        return list(dict.fromkeys(base for each in found for base in self.line_of(each)))

    def top(self, names: Iterable[str]) -> str | None:
        """Return the class that all of these inherit from, or are; None if there is none."""
        lines = [self.line_of(name) for name in names]
        common = [each for each in lines[0] if all(each in line for line in lines)] if lines else []
        return common[0] if common else None

    def method(self, owner: str, name: str) -> Function | None:
        """Return the method that a call on an instance of ``owner`` reaches in this module."""
        for each in self.line_of(owner):
            if f"{each}.{name}" in self.functions:
                return self.functions[f"{each}.{name}"]
        return None

    def methods(self, owner: str) -> list[Function]:
        """Return all methods of a class and of its base classes here, those that are overridden left out."""
        found: dict[str, Function] = {}
        for each in self.line_of(owner):
            for function in self.functions.values():
                if function.owner == each:
                    found.setdefault(function.name, function)
        return list(found.values())

    # -- locks --

    def locks_of(self, owner: str) -> list[Primitive]:
        """Return the locks and conditions that methods of a class can hold; global ones for functions."""
        family = set(self.family(owner)) if owner else set()
        found = [each for each in self.primitives if each.kind in HELD and (each.owner in family or not each.owner)]
        return sorted(found, key=lambda each: not each.owner) if owner else [each for each in found if not each.owner]

    def kind_of(self, node: ast.AST) -> str:
        """Return the kind of primitive that an expression refers to, by its last name."""
        name = last_name(node)
        return next((each.kind for each in self.primitives if each.name == name), "")

    def held_by(self, node: ast.With, lock: str) -> bool:
        """Return whether a statement takes nothing but the lock of that name."""
        return len(node.items) == 1 and last_name(node.items[0].context_expr) == lock

    def shares_lock(self, condition: Primitive) -> str:
        """Return the name of the lock that a condition was made with; empty if it has one of its own."""
        return last_name(condition.made.args[0]) if condition.kind == "Condition" and condition.made.args else ""

    # -- attributes and calls --

    def touched(self, function: Function) -> set[str]:
        """Return the attributes of the receiver that a function itself touches, names of methods left out."""
        return {
            node.attr for node in function.nodes
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            and node.value.id == function.receiver and self.method(function.owner, node.attr) is None
        }  # fmt: skip

    def called(self, function: Function) -> list[Function]:
        """Return the methods and functions of this module that a function calls by name."""
        found: list[Function] = []
        for node in function.nodes:
            other = None
            if isinstance(node, ast.Attribute) and function.owner:
                other = self.method(function.owner, node.attr)
            elif isinstance(node, ast.Name):
                other = self.functions.get(node.id)
            if other is not None and other is not function and other not in found:
                found.append(other)
        return found

    def reached(self, function: Function) -> list[Function]:
        """Return a function and all that it may call in this module, directly or not."""
        found = [function]
        for each in found:
            found += [other for other in self.called(each) if other not in found]
        return found

    def touches(self, function: Function, attributes: Iterable[str]) -> bool:
        """Return whether a function, or one that it calls, touches one of the attributes."""
        wanted = set(attributes)
        return any(self.touched(each) & wanted for each in self.reached(function))

    def takes(self, function: Function, lock: str) -> bool:
        """Return whether a function itself takes the lock of that name."""
        return any(
            (isinstance(node, ast.With) and any(last_name(item.context_expr) == lock for item in node.items))
            or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "acquire"
                and last_name(node.func.value) == lock)
            for node in function.nodes
        )  # fmt: skip

    def written(self, function: Function) -> dict[str, list[ast.stmt]]:
        """Return the statements of a function that change attributes of the receiver, by attribute."""
        found: dict[str, list[ast.stmt]] = {}
        for block in blocks(function.node):
            for statement in block:
                for name in _changed_by(statement, function.receiver):
                    found.setdefault(name, []).append(statement)
        return found


def _changed_by(statement: ast.stmt, receiver: str) -> Iterator[str]:
    """Yield the attributes of the receiver that one statement, without those inside it, writes to or changes."""
    if isinstance(statement, (*_LOOPS, ast.If, ast.With, ast.Try, *FUNCTIONS, ast.ClassDef)):
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            name = attribute_of(node, receiver)
            if name:
                yield name
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
            name = attribute_of(node.func.value, receiver)
            if name:
                yield name


def covering(function: Function, lines: Iterable[int]) -> list[ast.stmt]:
    """Return the shortest run of statements of one block that all of the lines stand in; empty if there is none."""
    wanted = sorted(set(lines))
    if not wanted:
        return []
    found: list[ast.stmt] = []
    waiting = [function.body]
    while waiting:
        block = waiting.pop()
        first = next((at for at, each in enumerate(block) if (each.end_lineno or 0) >= wanted[0]), None)
        last = next((at for at, each in enumerate(block) if (each.end_lineno or 0) >= wanted[-1]), None)
        if first is None or last is None or block[first].lineno > wanted[0] or block[last].lineno > wanted[-1]:
            continue
        found = block[first : last + 1]
        if first == last:
            waiting += [] if isinstance(block[first], (*FUNCTIONS, ast.ClassDef)) else _inner(block[first])
    return found


def _inner(node: ast.stmt) -> list[list[ast.stmt]]:
    """Return the blocks directly below a statement."""
    found = [getattr(node, name) for name in ("body", "orelse", "finalbody") if getattr(node, name, None)]
    found += [each.body for each in (*getattr(node, "handlers", ()), *getattr(node, "cases", ()))]
    return [each for each in found if isinstance(each, list) and isinstance(each[0], ast.stmt)]
