"""The units of one version, which can change independently, and the resolution of names.

A unit is a function, an attribute of a class body, the initial value of a field, a class's header (bases, decorators),
a module-level value or a name imported from elsewhere. Units are named by module and by ``Class.method``,
``Class.ATTRIBUTE``, ``Class.self.field``, ``Class.<class>``, ``NAME``.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from plait.subject.changes.matching import header_parts, statements
from plait.subject.changes.normal import class_header, header, is_typing_base, normal, sha256
from plait.subject.changes.scopes import FUNCTIONS, FunctionNode, Statement, nested_statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.subject.source import Import, Module, Source

CONSTRUCTORS = ("__new__", "__init__", "__post_init__", "__attrs_post_init__")


class Unit(NamedTuple):
    """The name of a unit."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}:{self.name}"


class Target(NamedTuple):
    """The meaning of a name: a function, a class, a module-level value, or an own module (``unit.name`` is empty)."""

    kind: str
    unit: Unit


class Program:
    """Units and names of the own modules that a subject reaches in one version."""

    def __init__(self, source: Source, start: str) -> None:
        self.source = source
        self._start = start
        self._normal_forms: dict[str, dict[str, Iterable[str]]] = {}
        self._mro: dict[Unit, list[Unit]] = {}
        self._attributes: dict[Unit, dict[str, list[Statement]]] = {}
        self._fields: dict[Unit, dict[str, list[Statement]]] = {}

    @cached_property
    def modules(self) -> dict[str, Module]:
        """The own modules that the start imports, directly or not, by name."""
        return {module.name: module for module in self.source.closure(self._start)}

    def digest(self, unit: Unit) -> str | None:
        """Return a hash of the unit's normal form, or None when this version has no such unit."""
        known = self.source.digests
        if unit not in known:
            module = self.source.module(unit.module)
            texts = self._normal_forms_of(module).get(unit.name) if module is not None else None
            known[unit] = None if texts is None else sha256(texts)
        return known[unit]

    def _normal_forms_of(self, module: Module) -> dict[str, Iterable[str]]:
        """Return the units of a module with their normal forms, which are computed on demand: most are never needed."""
        if module.name not in self._normal_forms:
            self._normal_forms[module.name] = dict(self._units(module))
        return self._normal_forms[module.name]

    @cached_property
    def by_name(self) -> dict[str, list[Unit]]:
        """Return the units of the own modules by the last part of their names."""
        found: dict[str, list[Unit]] = defaultdict(list)
        for module in self.modules.values():
            for name in self._normal_forms_of(module):
                found[name.rpartition(".")[2]].append(Unit(module.name, name))
        return found

    def _units(self, module: Module) -> Iterator[tuple[str, Iterable[str]]]:
        for qualname, nodes in module.definitions.items():
            functions = [node for node in nodes if isinstance(node, FUNCTIONS)]
            if functions:
                yield qualname, map(normal, functions)
            classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
            if classes:
                unit = Unit(module.name, qualname)
                loose = chain.from_iterable(map(loose_statements, classes))
                yield f"{qualname}.<class>", chain(map(class_header, classes), map(header, loose))
                for name, parts in self.attributes(unit).items():
                    yield f"{qualname}.{name}", map(_field_text, parts)
                for name, parts in self.fields(unit).items():
                    yield f"{qualname}.self.{name}", map(header, parts)
        for name, values in module.values.items():
            if name not in module.definitions:
                yield name, map(header, values)
        for name, imports in module.imports.items():
            outside = [target for target in imports if not self._is_own(target)]
            if outside and name not in (".", "*") and name not in module.definitions and name not in module.values:
                yield name, [f"import {target.module} {target.name}" for target in outside]

    def _is_own(self, target: Import) -> bool:
        return any(self.source.own(name) for name in (target.module, f"{target.module}.{target.name}"))

    # Names

    def resolve(self, module: Module, name: str, seen: frozenset[tuple[str, str]] = frozenset()) -> list[Target]:
        """Return the targets of ``name`` at the top level of ``module``, following imports; empty for built-ins."""
        if (module.name, name) in seen:
            return []
        seen |= {(module.name, name)}
        found = []
        if module.functions(name):
            found.append(Target("function", Unit(module.name, name)))
        if module.classes(name):
            found.append(Target("class", Unit(module.name, name)))
        if name in module.values and not found:
            found.append(Target("value", Unit(module.name, name)))
            found += self._aliased(module, name, seen)
        for target in module.imports.get(name, ()):
            found += self.imported(module, name, target, seen)
        if not found:
            for target in module.imports.get("*", ()):
                other = self.source.module(target.module)
                if other is not None and not name.startswith("_"):
                    found += self.resolve(other, name, seen)
        return found

    def classes_named(self, module: Module, qualname: str) -> list[Unit]:
        """Return the classes that a qualified name refers to, even if the module imports them."""
        top, *rest = qualname.split(".")
        targets = self.resolve(module, top)
        for name in rest:
            targets = [found for target in targets for found in self.member(target, name)]
        return [target.unit for target in targets if target.kind == "class"]

    def _aliased(self, module: Module, name: str, seen: frozenset[tuple[str, str]]) -> list[Target]:
        """Return the target of an alias such as ``LRU = _LRUCache``."""
        values = [node.value for node in module.values[name] if isinstance(node, ast.Assign)]
        aliases = [value.id for value in values if isinstance(value, ast.Name)]
        return [target for alias in aliases for target in self.resolve(module, alias, seen) if target.kind != "value"]

    def imported(
        self, module: Module, name: str, target: Import, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> list[Target]:
        """Return what one import binds; a name from elsewhere is a value of the importing module."""
        if target.name is None:
            if self.source.own(target.module):
                return [Target("module", Unit(target.module, ""))]
            return [Target("value", Unit(module.name, name)), Target("library", Unit(target.module, ""))]
        other = self.source.module(target.module)
        found = self.resolve(other, target.name, seen) if other is not None else []
        if not found and self.source.own(f"{target.module}.{target.name}"):
            return [Target("module", Unit(f"{target.module}.{target.name}", ""))]
        if other is None or not other.is_own:
            # Classes of libraries are kept, since own classes may derive from them.
            return [Target("value", Unit(module.name, name)), *(t for t in found if t.kind == "class")]
        return found

    def resolve_expression(self, module: Module, node: ast.AST) -> list[Target]:
        """Return the targets of a dotted name; ``Base[T]`` counts as ``Base``."""
        if isinstance(node, ast.Subscript):
            return self.resolve_expression(module, node.value)
        if isinstance(node, ast.Name):
            return self.resolve(module, node.id)
        found: list[Target] = []
        if isinstance(node, ast.Attribute):
            for target in self.resolve_expression(module, node.value):
                found += self.member(target, node.attr)
        return found

    def member(self, target: Target, name: str) -> list[Target]:
        """Return the targets of ``name`` in a module, or of a class nested in a class."""
        if target.kind in ("module", "library"):
            module = self.source.module(target.unit.module)
            found = self.resolve(module, name) if module is not None else []
            child = f"{target.unit.module}.{name}"
            if not found and self.source.module(child) is not None:
                return [Target(target.kind, Unit(child, ""))]
            return found if target.kind == "module" else [each for each in found if each.kind == "class"]
        nested = Unit(target.unit.module, f"{target.unit.name}.{name}")
        return [Target("class", nested)] if target.kind == "class" and self.class_nodes(nested) else []

    # Classes

    def class_nodes(self, unit: Unit) -> list[ast.ClassDef]:
        """Return the definitions of a class."""
        module = self.source.module(unit.module)
        return module.classes(unit.name) if module is not None else []

    def mro(self, unit: Unit) -> list[Unit]:
        """Return the class and its bases that have source, in the order of look-up."""
        if unit not in self._mro:
            self._mro[unit] = [unit]  # a class that derives from itself
            module = self.source.module(unit.module)
            bases = [
                target.unit
                for node in self.class_nodes(unit) if module is not None
                for base in node.bases if not is_typing_base(base)
                for target in self.resolve_expression(module, base) if target.kind == "class" and target.unit != unit
            ]  # fmt: skip
            self._mro[unit] = [unit, *_merge([*(list(self.mro(base)) for base in bases), bases])]
        return self._mro[unit]

    def attributes(self, unit: Unit) -> dict[str, list[Statement]]:
        """Return names that a class body binds other than by ``def``, with the statements that do it."""
        if unit not in self._attributes:
            found: dict[str, list[Statement]] = defaultdict(list)
            for node in (part for each in self.class_nodes(unit) for part in statements(each)[1:]):
                for name in _bound(node):
                    found[name].append(node)
            self._attributes[unit] = dict(found)
        return self._attributes[unit]

    def fields(self, unit: Unit) -> dict[str, list[Statement]]:
        """Fields that the class's constructors set, with the statements (and those around them) that do it."""
        if unit not in self._fields:
            found: dict[str, list[Statement]] = defaultdict(list)
            module = self.source.module(unit.module)
            for name in CONSTRUCTORS:
                for function in module.functions(f"{unit.name}.{name}") if module is not None else ():
                    for field, nodes in _assigned_fields(function):
                        found[field] += nodes
            self._fields[unit] = dict(found)
        return self._fields[unit]

    def lookup(self, unit: Unit, name: str, *, after: Unit | None = None) -> Unit | None:
        """Return the unit that ``instance.name`` finds in the class; with ``after``, behind that class."""
        order = self.mro(unit)
        if after is not None:
            order = order[order.index(after) + 1 :] if after in order else []
        for each in order:
            found = Unit(each.module, f"{each.name}.{name}")
            module = self.source.module(each.module)
            if (module is not None and module.functions(found.name)) or name in self.attributes(each):
                return found
        return None


def _merge(orders: list[list[Unit]]) -> list[Unit]:
    """C3 linearisation; where the bases contradict each other, the first one wins."""
    merged: list[Unit] = []
    orders = [order for order in orders if order]
    while orders:
        heads = [order[0] for order in orders]
        head = next((h for h in heads if not any(h in order[1:] for order in orders)), heads[0])
        merged.append(head)
        orders = [rest for order in orders if (rest := [unit for unit in order if unit != head])]
    return merged


def _bound(node: Statement) -> Iterator[str]:
    """Yield names that the header of a class-level statement binds."""
    for part in header_parts(node):
        for inner in ast.walk(part):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                yield inner.id


def loose_statements(node: ast.ClassDef) -> list[Statement]:
    """Return statements of a class body that bind no name: they may do anything to the class."""
    return [part for part in statements(node)[1:] if not any(_bound(part))]


def _field_text(node: Statement) -> str:
    # In a class body an annotation may be a field of a data class.
    return ast.unparse(node) if isinstance(node, ast.AnnAssign) else header(node)


def _assigned_fields(function: FunctionNode) -> Iterator[tuple[str, list[Statement]]]:
    receiver = function.args.args[0].arg if function.args.args else "self"
    for node, enclosing in nested_statements(function):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for inner in (inner for target in targets if target is not None for inner in ast.walk(target)):
            if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == receiver:
                yield inner.attr, [*enclosing, node]
