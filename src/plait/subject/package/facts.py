"""The accesses of functions and methods to shared state, and the locks around them, by source text alone.

Shared state is state that two threads can reach: attributes of ``self``, attributes of a class, and names at the top of
a module, its own or another one's. A lock counts if its ``with`` block contains the access; a private helper counts as
locked if all its callers hold the lock. This is an estimate: it ranks what to test, and never decides whether code is
safe.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from plait.subject.changes.scopes import FUNCTIONS, FunctionNode
from plait.subject.interface.concurrent import is_lock_name, primitive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from plait.subject.source import Module

CHANGERS = frozenset({
    "append", "appendleft", "add", "extend", "extendleft", "insert", "remove", "discard", "pop", "popleft", "popitem",
    "clear", "update", "setdefault", "sort", "reverse", "move_to_end", "rotate", "__setitem__", "__delitem__",
    "difference_update", "intersection_update", "symmetric_difference_update", "subtract", "write", "writelines",
})  # fmt: skip
_WALKERS = frozenset({
    "list", "tuple", "set", "dict", "sorted", "sum", "min", "max", "any", "all", "frozenset", "enumerate", "zip",
    "map", "filter", "iter", "reversed", "items", "keys", "values", "copy",
})  # fmt: skip
_SETUP = frozenset({
    "__init__", "__new__", "__post_init__", "__set_name__", "__init_subclass__", "__class_getitem__",
    "__setstate__",
})  # fmt: skip
_LOCKS = frozenset({"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "allocate_lock"})
_REACHING = frozenset({
    "setattr", "delattr", "vars", "globals", "locals", "exec", "eval", "open", "input", "__import__", "print",
})  # fmt: skip
"""Built-in functions that change something, or call code that the source does not show."""
_SETTERS, _SETTING_METHODS = frozenset({"setattr", "delattr"}), frozenset({"__setattr__", "__delattr__"})
_EMPTY = frozenset({"object", "ABC", "Generic", "Protocol", ""})  # bases that bring no state
READ, WRITE, CHANGE = "read", "write", "change"  # CHANGE reads and writes: ``n += 1``, ``items.append(x)``
_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MAKERS = frozenset({
    "list", "dict", "set", "deque", "defaultdict", "OrderedDict", "Counter", "bytearray", "WeakValueDictionary",
    "WeakKeyDictionary", "WeakSet", "count", "ContextVar",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Use:
    """One access to shared state. ``tested`` says that it stands in the condition of an ``if`` or ``while``."""

    state: str  # "self.total", "cls.registry", "CACHE"
    mode: str
    line: int
    locks: frozenset[str]
    tested: bool = False
    walked: bool = False  # it iterates over the state


@dataclass(slots=True)
class FunctionFacts:
    """The accesses of one function to shared state."""

    name: str
    line: int
    uses: list[Use] = field(default_factory=list)
    calls: list[tuple[str, frozenset[str]]] = field(default_factory=list)  # of the same class or module; locks held
    orders: list[tuple[str, str, int]] = field(default_factory=list)  # a lock, another one taken inside it, the line
    careless_waits: list[int] = field(default_factory=list)  # lines that wait for a condition without a loop
    calls_out: bool = False  # it calls what may have state of its own: other functions and classes, `setattr`


@dataclass(slots=True)
class ClassFacts:
    """One class: its functions, the locks it makes, the attributes that hold containers or thread-local data."""

    name: str
    line: int
    functions: dict[str, FunctionFacts] = field(default_factory=dict)
    locks: set[str] = field(default_factory=set)
    containers: set[str] = field(default_factory=set)
    local: set[str] = field(default_factory=set)
    bases: tuple[str, ...] = ()
    frozen: bool = False  # its instances refuse assignments: a frozen data class
    overridden: dict[str, list[FunctionFacts]] = field(default_factory=dict)  # of bases; heirs may still call them
    unknown_bases: set[str] = field(default_factory=set)  # classes whose source was not read

    def later_uses(self) -> Iterator[tuple[FunctionFacts, Use]]:
        """Yield the uses outside of set-up, by threads that share a complete object.

        Private methods that only the set-up calls belong to it. Methods and properties are no state.
        """
        setup = set(_SETUP)
        while more := {name for name in self.functions if name not in setup and self._only_from(name, setup)}:
            setup |= more
        inherited = (function for functions in self.overridden.values() for function in functions)
        for function in (*self.functions.values(), *inherited):
            for use in function.uses if function.name not in setup else ():
                if use.state.partition(".")[2] not in self.functions:
                    yield function, use

    @property
    def changes_itself(self) -> bool:
        """True if a method changes an attribute, or what an attribute holds, after the object is complete."""
        return any(use.mode != READ for _, use in self.later_uses())

    @property
    def is_stateless(self) -> bool:
        """True if nothing in the class, or in its bases, touches an attribute, a class attribute or a name of a module.

        Methods and properties are no state. A class that calls other functions or classes may use their state.
        """
        functions = (*self.functions.values(), *(each for some in self.overridden.values() for each in some))
        uses = (use.state.partition(".")[2] or use.state for function in functions for use in function.uses)
        alone = not self.unknown_bases and not any(function.calls_out for function in functions)
        return alone and all(state in self.functions for state in uses)

    @property
    def is_record(self) -> bool:
        """True if a class has no methods at all, private ones included: these may be handed out as attributes."""
        every = {*self.functions, *self.overridden}
        return not self.unknown_bases and all(name.startswith("__") and name.endswith("__") for name in every)

    def touched_by(self, name: str) -> list[Use] | None:
        """Return the uses of a method and of those that it calls; None if its source is not known."""
        if name not in self.functions:
            return None
        seen = {name}
        pending = [name]
        found: list[Use] = []
        while pending:
            name = pending.pop()
            for function in (self.functions[name], *self.overridden.get(name, ())):
                found += function.uses
                read = [use.state.partition(".")[2] for use in function.uses]  # properties
                for called in (*(each for each, _ in function.calls), *read):
                    if called in self.functions and called not in seen:
                        seen.add(called)
                        pending.append(called)
        return found

    def _only_from(self, name: str, callers: set[str]) -> bool:
        found = {each.name for each in self.functions.values() if any(called == name for called, _ in each.calls)}
        return name.startswith("_") and not name.startswith("__") and bool(found) and found <= callers


@dataclass(slots=True)
class ModuleFacts:
    """One module: its classes, its functions, and the names at its top whose objects can change."""

    name: str
    classes: dict[str, ClassFacts] = field(default_factory=dict)
    functions: dict[str, FunctionFacts] = field(default_factory=dict)
    containers: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)  # by a ``global`` statement

    @property
    def state(self) -> set[str]:
        """Names whose value can change after import."""
        return self.containers | self.rebound


def whole_class(facts: Mapping[str, ModuleFacts], module: str, qualname: str) -> ClassFacts | None:
    """Return a class with all that it inherits of classes in these modules; None if it is in none of them.

    Bases are found by name, in the same module first: this is an estimate as well.
    """
    near = facts[module].classes if module in facts else {}
    own = near.get(qualname)
    if own is None:
        return None
    everywhere = {name: known for each in facts.values() for name, known in each.classes.items()}
    found = replace(
        own, functions=dict(own.functions), locks=set(own.locks), containers=set(own.containers), local=set(own.local),
        overridden={}, unknown_bases=set(),
    )  # fmt: skip
    pending, seen = list(own.bases), {qualname}
    while pending:
        name = pending.pop(0)
        base = near.get(name) or everywhere.get(name)
        if base is None and name not in _EMPTY:
            found.unknown_bases.add(name)
        if base is None or name in seen:
            continue
        seen.add(name)
        for function in base.functions.values():
            if function.name in found.functions:
                found.overridden.setdefault(function.name, []).append(function)
        found.functions = {**base.functions, **found.functions}
        found.locks |= base.locks
        found.containers |= base.containers
        found.local |= base.local
        found.frozen |= base.frozen  # data classes and those of attrs let no other class inherit from a frozen one
        pending += base.bases
    return found


def module_facts(module: Module) -> ModuleFacts:
    """Return the facts about a module's accesses to shared state."""
    found = ModuleFacts(module.name)
    bound: set[str] = set()
    for node in module.tree.body:
        for name, value in _assigned(node):
            bound.add(name)
            if _is_container(value):
                found.containers.add(name)
    for part in ast.walk(module.tree):
        if isinstance(part, ast.Global):
            found.rebound.update(part.names)
    names = bound | found.rebound
    foreign = frozenset(module.imports) | {name for name in module.definitions if "." not in name}
    for qualname, nodes in module.definitions.items():
        node = nodes[-1]
        if isinstance(node, ast.ClassDef) and "<locals>" not in qualname:
            found.classes[qualname] = _class(module, qualname, node, names, foreign)
        elif isinstance(node, FUNCTIONS) and "." not in qualname:
            found.functions[qualname] = _function(module, node, None, names, foreign=foreign)
    for each in found.classes.values():
        _inherit_locks(each.functions)
    _inherit_locks(found.functions)
    return found


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a statement at the top binds, with their values; those of ``try`` and ``if`` too."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        yield node.target.id, node.value
    elif isinstance(node, ast.If | ast.Try):
        for block in (node.body, node.orelse, *([] if isinstance(node, ast.If) else [node.finalbody])):
            for inner in block:
                yield from _assigned(inner)


def _is_container(value: ast.expr) -> bool:
    return isinstance(value, _MUTABLE) or (isinstance(value, ast.Call) and _last(value.func) in _MAKERS)


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _class(module: Module, qualname: str, node: ast.ClassDef, names: set[str], foreign: frozenset[str]) -> ClassFacts:
    bases = tuple(_last(base) for base in node.bases)
    found = ClassFacts(qualname, node.lineno, bases=bases, frozen=any(map(_freezes, node.decorator_list)))
    shared = set()
    for part in node.body:
        for name, value in _assigned(part):
            if _is_container(value):
                shared.add(name)
            found.locks |= {f"self.{name}"} if _makes_lock(module, value) or is_lock_name(name) else set()
    for part in node.body:
        if isinstance(part, FUNCTIONS):
            _attributes_of(module, part, found)
    for part in node.body:
        if isinstance(part, FUNCTIONS):
            made = _function(module, part, node.name, names, frozenset(shared), frozenset(found.locks), foreign)
            known = found.functions.get(part.name)
            if known is not None:  # a property and its setter, an overload
                made.uses, made.calls = known.uses + made.uses, known.calls + made.calls
            found.functions[part.name] = made
    return found


def _freezes(decorator: ast.expr) -> bool:
    """Return whether a decorator makes a data class frozen: ``dataclass(frozen=True)``, ``attrs.frozen``."""
    if isinstance(decorator, ast.Call):
        given = {each.arg: each.value for each in decorator.keywords}
        if "frozen" in given:
            return isinstance(given["frozen"], ast.Constant) and given["frozen"].value is True
        decorator = decorator.func
    return _last(decorator) == "frozen"


def _attributes_of(module: Module, function: FunctionNode, found: ClassFacts) -> None:
    """Note what kind of object each attribute is given."""
    me = _first(function)
    for node in ast.walk(function):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = getattr(node, "value", None)
        for target in targets:
            if not isinstance(target, ast.Attribute) or _last(target.value) != me or value is None:
                continue
            name = f"self.{target.attr}"
            if _makes_lock(module, value) or is_lock_name(target.attr):
                found.locks.add(name)
            if _is_container(value):
                found.containers.add(name)
            if any(primitive(module, part) in ("threading.local", "_thread._local") for part in ast.walk(value)):
                found.local.add(name)


def _makes_lock(module: Module, value: ast.expr) -> bool:
    said = (primitive(module, part) for part in ast.walk(value))
    return any(each is not None and each.rpartition(".")[2] in _LOCKS for each in said)


def _first(function: FunctionNode) -> str:
    arguments = [*function.args.posonlyargs, *function.args.args]
    return arguments[0].arg if arguments else ""


def _function(
    module: Module, node: FunctionNode, owner: str | None, names: set[str], shared: frozenset[str] = frozenset(),
    locks: frozenset[str] = frozenset(), foreign: frozenset[str] = frozenset(),
) -> FunctionFacts:  # fmt: skip
    reader = _AccessReader(module, node, owner, names, shared, locks, foreign)
    for decorator in node.decorator_list:
        if is_lock_name(ast.unparse(decorator).partition("(")[0]) or "synchron" in ast.unparse(decorator).lower():
            reader.held.append(f"@{_last(decorator if not isinstance(decorator, ast.Call) else decorator.func)}")
    reader.block(node.body)
    return reader.facts


class _AccessReader(ast.NodeVisitor):
    """Reads one function, and records its accesses with the locks held there."""

    def __init__(
        self, module: Module, node: FunctionNode, owner: str | None, names: set[str], shared: frozenset[str],
        locks: frozenset[str], foreign: frozenset[str],
    ) -> None:  # fmt: skip
        self.facts = FunctionFacts(node.name, node.lineno)
        self.held: list[str] = []
        self._module = module
        self._owner = owner
        self._me = _first(node) if owner is not None else ""
        kinds = {_last(each) for each in node.decorator_list}
        self._is_class_method = "classmethod" in kinds or node.name in {"__new__", "__init_subclass__"}
        if "staticmethod" in kinds:
            self._me = ""
        self._shared = shared
        self._locks = locks
        own = self._local = _bound_in(node)
        self._names = names - own
        self._foreign = foreign - own
        self._tested = 0
        self._walked = 0
        self._loops = 0

    def block(self, body: Iterable[ast.stmt]) -> None:
        """Read statements one after another; a lock that is acquired counts until it is released."""
        acquired = 0
        for node in body:
            self.visit(node)
            called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
            if not isinstance(called, ast.Attribute) or called.attr not in ("acquire", "release"):
                continue
            if called.attr == "acquire" and self._is_lock(called.value):
                self.held.append(self._text(called.value))
                acquired += 1
            elif acquired and self._is_lock(called.value):
                self.held.pop()
                acquired -= 1
        del self.held[len(self.held) - acquired :]

    def _is_lock(self, node: ast.expr) -> bool:
        text = self._text(node)
        return text in self._locks or is_lock_name(text.partition("(")[0])

    def _text(self, node: ast.expr) -> str:
        text = ast.unparse(node)
        if self._me and (text == self._me or text.startswith(f"{self._me}.")):
            return ("cls" if self._is_class_method else "self") + text[len(self._me) :]
        return text

    def _state(self, node: ast.expr) -> str | None:
        """Return the shared state that an expression names; None if it is none."""
        if isinstance(node, ast.Attribute):
            base = node.value
            if isinstance(base, ast.Name) and base.id == self._me and self._me:
                classwide = self._is_class_method or node.attr in self._shared
                return f"{'cls' if classwide else 'self'}.{node.attr}"
            if self._owner is not None and self._is_class(base):
                return f"cls.{node.attr}"
            if isinstance(base, ast.Name) and base.id in self._foreign:
                return f"{base.id}.{node.attr}"
        if isinstance(node, ast.Name) and node.id in self._names:
            return node.id
        return None

    def _is_class(self, node: ast.expr) -> bool:
        """Return whether an expression is the class itself: its name, ``type(self)`` or ``self.__class__``."""
        if isinstance(node, ast.Name):
            return node.id == self._owner
        if isinstance(node, ast.Call):
            return _last(node.func) == "type" and len(node.args) == 1 and _last(node.args[0]) == self._me
        return isinstance(node, ast.Attribute) and node.attr == "__class__" and _last(node.value) == self._me

    def _note(self, node: ast.expr, mode: str) -> None:
        state = self._state(node)
        while state is None and mode != READ and isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value  # what is inside of it changes: ``self.maps[0][key] = value``
            state = self._state(node)
        if state is not None and mode == READ and "." in state and state.partition(".")[0] in self._foreign:
            return  # every function of a module is an attribute of it: only what is changed tells
        if state is not None and not (mode == READ and (state in self._locks or is_lock_name(state))):
            tested, walked = self._tested > 0, self._walked > 0
            self.facts.uses.append(Use(state, mode, node.lineno, frozenset(self.held), tested, walked))

    # -- accesses

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """``self.total``."""
        self._note(node, READ if isinstance(node.ctx, ast.Load) else WRITE)
        self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        """Note a name at the top of the module."""
        self._note(node, READ if isinstance(node.ctx, ast.Load) else WRITE)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """``self.items[key] = value`` changes what `self.items` holds."""
        if not isinstance(node.ctx, ast.Load):
            self._note(node.value, CHANGE)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """``self.total += 1`` reads and writes, and another thread may come in between."""
        target = node.target.value if isinstance(node.target, ast.Subscript) else node.target
        self.visit(node.value)
        self._note(target, CHANGE)

    def visit_Call(self, node: ast.Call) -> None:
        """``self.items.append(x)`` changes, ``self.helper()`` goes on elsewhere, ``wait`` wants a loop."""
        called = node.func
        if isinstance(called, ast.Attribute):
            if called.attr in CHANGERS:
                self._note(called.value, CHANGE)
            if called.attr == "wait" and not self._loops and self._is_lock(called.value):
                self.facts.careless_waits.append(node.lineno)
            if isinstance(called.value, ast.Name) and called.value.id == self._me and self._me:
                self.facts.calls.append((called.attr, frozenset(self.held)))
        elif isinstance(called, ast.Name) and self._owner is None:
            self.facts.calls.append((called.id, frozenset(self.held)))
        self._note_setter(node)
        self.facts.calls_out |= self._leads_out(called)
        walks = _last(called) in _WALKERS and not (_last(called) in ("min", "max") and len(node.args) > 1)
        self._walked += walks
        self.generic_visit(node)
        self._walked -= walks

    def _note_setter(self, node: ast.Call) -> None:
        """Note ``object.__setattr__(self, "total", 1)`` and ``setattr(self, name, 1)``."""
        bare = isinstance(node.func, ast.Name)
        if not self._me or _last(node.func) not in (_SETTERS if bare else _SETTING_METHODS):
            return
        through_super = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call)
        given = node.args if through_super else node.args[1:]
        if through_super or (node.args and _last(node.args[0]) == self._me):
            name = given[0].value if given and isinstance(given[0], ast.Constant) else None
            state = f"self.{name if isinstance(name, str) else '__dict__'}"
            self.facts.uses.append(Use(state, WRITE, node.lineno, frozenset(self.held), False, False))

    def _leads_out(self, called: ast.expr) -> bool:
        """Return whether a call goes to a function or class whose state is not examined here."""
        root = called
        while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
            root = root.func if isinstance(root, ast.Call) else root.value
        if not isinstance(root, ast.Name):
            return False
        local = root.id in self._local
        return not local and (root.id in _REACHING or not hasattr(builtins, root.id))

    # -- what stands around them

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        taken = 0
        for item in node.items:
            self.visit(item.context_expr)
            if self._is_lock(item.context_expr):
                text = self._text(item.context_expr)
                self.facts.orders += [(outer, text, node.lineno) for outer in self.held if outer != text]
                self.held.append(text)
                taken += 1
        self.block(node.body)
        del self.held[len(self.held) - taken :]

    visit_With = visit_AsyncWith = _with  # noqa: N815

    def visit_If(self, node: ast.If) -> None:
        """Visit the condition, then the body: what was tested may have changed by then."""
        self._tested += 1
        self.visit(node.test)
        self._tested -= 1
        self.block(node.body)
        self.block(node.orelse)

    def visit_While(self, node: ast.While) -> None:
        """Visit as ``if``; what a wait in it lets change is tested again."""
        self._tested += 1
        self.visit(node.test)
        self._tested -= 1
        self._loops += 1
        self.block(node.body)
        self._loops -= 1
        self.block(node.orelse)

    def visit_For(self, node: ast.For) -> None:
        """Record an iteration over something that another thread may change."""
        self._walked += 1
        self.visit(node.iter)
        self._walked -= 1
        self.visit(node.target)
        self.block(node.body)
        self.block(node.orelse)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Visit as ``for``."""
        self._walked += 1
        self.visit(node.iter)
        self._walked -= 1
        for each in (node.target, *node.ifs):
            self.visit(each)

    def visit_Try(self, node: ast.Try) -> None:
        """Visit the blocks in their order."""
        for block in (node.body, *(each.body for each in node.handlers), node.orelse, node.finalbody):
            self.block(block)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Visit an inner function without the locks that are held here: it runs later."""
        held, self.held = self.held, []
        self.block(node.body)
        self.held = held


def _bound_in(function: FunctionNode) -> set[str]:
    """Return the names that are local to a function, so that they are not those of the module."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    local = {each.arg for each in every if each is not None}
    outside: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            local.add(node.id)
        elif isinstance(node, ast.Global):
            outside.update(node.names)
    return local - outside


def _inherit_locks(functions: dict[str, FunctionFacts]) -> None:
    """Let a private helper count as locked where all its callers hold a lock."""
    for _ in range(len(functions)):
        callers: dict[str, list[frozenset[str]]] = defaultdict(list)
        for function in functions.values():
            for name, held in function.calls:
                callers[name].append(held)
        changed = False
        for name, around in callers.items():
            function = functions.get(name)  # type: ignore[assignment]
            if function is None or not name.startswith("_") or name.startswith("__"):
                continue
            common = frozenset.intersection(*around)
            if common and not all(common <= use.locks for use in function.uses):
                function.uses = [replace(use, locks=use.locks | common) for use in function.uses]
                function.calls = [(called, held | common) for called, held in function.calls]
                changed = True
        if not changed:
            return
