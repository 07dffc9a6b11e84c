"""The difference between two versions of a class, as plain data."""

from __future__ import annotations

import ast
import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from plait.errors import UsageError
from plait.model.test import methods_of
from plait.subject.changes.matching import (
    Alignment,
    align,
    matched_lines,
    span,
    statements,
)
from plait.subject.changes.normal import normal
from plait.subject.changes.reach import Reach, Step
from plait.subject.changes.scopes import FUNCTIONS, Container
from plait.subject.changes.units import CONSTRUCTORS, Program, Unit
from plait.subject.source import Source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from plait.subject.name import Subject
    from plait.subject.source import Module
    from plait.subject.versions.version import Version


Side = Literal["old", "new"]
Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ChangedStatement:
    """Lines that only one version has, or has elsewhere (``moved``: matched, but in another order).

    ``function`` is the qualified name of the function or class that the lines stand in, empty at module level; of a
    compound statement only the header counts.
    """

    file: str
    first: int
    last: int
    function: str
    kind: Literal["added", "removed", "moved"]


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a subject and to the own modules that it imports.

    Functions are named ``module:qualname``, methods by their plain names. ``direct_methods`` have a changed body,
    signature or decorator; ``changed_methods`` in addition reach something changed, by the shortest way that
    ``reasons`` tells. Both are methods that both versions have. ``changed_beside`` are public functions of the class's
    module that are or reach something changed.
    """

    subject: str
    old_statements: tuple[ChangedStatement, ...]
    new_statements: tuple[ChangedStatement, ...]
    added_functions: tuple[str, ...]
    removed_functions: tuple[str, ...]
    changed_functions: tuple[str, ...]
    direct_methods: frozenset[str]
    changed_methods: frozenset[str]
    common_methods: frozenset[str]
    added_methods: frozenset[str]
    removed_methods: frozenset[str]
    changed_beside: frozenset[str] = frozenset()
    reasons: dict[str, tuple[str, ...]] = field(default_factory=dict)
    old_to_new: dict[Place, Place] = field(default_factory=dict, repr=False)
    new_to_old: dict[Place, Place] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()

    def changed_pairs(self, methods: Iterable[str]) -> list[tuple[str, str]]:
        """Return ConDiff's CMP (section IV-A, Fig. 3 line 3): unordered pairs of ``methods``, at least one changed.

        A method pairs with itself too: of n methods with c changed ones, c*n - c*(c-1)/2 pairs. Names are those of an
        interface (see `touches`) and come back as they were given.
        """
        names = list(dict.fromkeys(methods))
        changed = {name for name in names if self.touches(name)}
        return [
            (first, second)
            for number, first in enumerate(names)
            for second in names[number:]
            if first in changed or second in changed
        ]

    def touches(self, method: str) -> bool:
        """Return whether a method of the interface, or with the name of the class what makes an object, is changed."""
        changed = self.changed_methods | self.changed_beside
        names = [name.rpartition(".")[2] for name in methods_of(method)]
        if method == self.subject.rpartition(":")[2].rpartition(".")[2]:
            names += (*CONSTRUCTORS, _METACLASS_CALL)
        return not changed.isdisjoint(names)

    def line_map(self, side: Side) -> dict[Place, Place]:
        """(file, line) of ``side`` -> the matched (file, line) of the other version; files as seen from the roots."""
        return self.old_to_new if side == "old" else self.new_to_old

    def changed_lines(self, side: Side) -> dict[str, frozenset[int]]:
        """Per file, the changed lines of ``side`` (CAPP, section 3.1: what impacted code points start from)."""
        lines: dict[str, set[int]] = {}
        for statement in self.old_statements if side == "old" else self.new_statements:
            lines.setdefault(statement.file, set()).update(range(statement.first, statement.last + 1))
        return {file: frozenset(numbers) for file, numbers in lines.items()}

    @property
    def is_empty(self) -> bool:
        """True if no method of the subject is changed, added or removed."""
        return not (self.changed_methods or self.added_methods or self.removed_methods)


_METACLASS_CALL = "metaclass.__call__"
"""What making an object of the class calls first, among the methods of a class."""


# -- change analysis ---------------------------------------------------------------------------------------------------
# The comparison of two versions of a subject, by source text alone.


def methods_of_one_version(added: Collection[str], removed: Collection[str]) -> list[str]:
    """Return sentences on methods that there is nothing to compare with; only a check can judge new ones."""
    said = f"only the new version has {', '.join(added)}: `plait check` judges {'it' if len(added) == 1 else 'them'}"
    return [*([said] if added else []), *([f"only the old version has {', '.join(removed)}"] if removed else [])]


def is_touched(subject: Subject, old: Version, new: Version, sources: dict[tuple[Path, str], Source]) -> bool:
    """Return whether `analyse` would find a method changed, added or removed; much faster if the answer is no."""
    before, after = _Side(subject, old, sources), _Side(subject, new, sources)
    before.other, after.other = after, before
    if before.methods.keys() != after.methods.keys():
        return True
    return any(side.way(step) for side in (before, after) for step in side.methods.values())


def analyse(
    subject: Subject, old: Version, new: Version, sources: dict[tuple[Path, str], Source] | None = None
) -> Change:
    """Compare the subject in two versions whose roots are its import roots.

    ``sources`` keeps parsed files for the next subject of the same versions. UsageError when a version lacks the module
    or the class, or when this Python cannot parse it.
    """
    known = {} if sources is None else sources
    before, after = _Side(subject, old, known), _Side(subject, new, known)
    before.other, after.other = after, before
    statements_ = _compare_statements(before, after)
    common = before.methods.keys() & after.methods.keys()
    reasons = {}
    for method in sorted(common):
        ways = [way for side in (before, after) if (way := side.way(side.methods[method]))]
        if ways:
            reasons[method] = tuple(str(unit) for unit in min(ways, key=lambda way: len(way)))  # noqa: PLW0108  (mypy)
    beside = before.beside.keys() & after.beside.keys()
    changed_functions = sorted(
        str(unit) for unit in before.functions & after.functions
        if before.program.digest(unit) != after.program.digest(unit)
    )  # fmt: skip
    return Change(
        subject=str(subject),
        old_statements=tuple(statements_.removed),
        new_statements=tuple(statements_.added),
        added_functions=tuple(sorted(str(unit) for unit in after.functions if after.is_alone(unit))),
        removed_functions=tuple(sorted(str(unit) for unit in before.functions if before.is_alone(unit))),
        changed_functions=tuple(changed_functions),
        direct_methods=frozenset(method for method, way in reasons.items() if len(way) == 1),
        changed_methods=frozenset(reasons),
        common_methods=frozenset(common),
        added_methods=frozenset(after.methods.keys() - common),
        removed_methods=frozenset(before.methods.keys() - common),
        changed_beside=frozenset(n for n in beside if before.way(before.beside[n]) or after.way(after.beside[n])),
        reasons=reasons,
        old_to_new=statements_.old_to_new,
        new_to_old=statements_.new_to_old,
        notes=tuple(dict.fromkeys([*before.source.unreadable, *after.source.unreadable])),
    )


class _Side:
    """One version while it is compared."""

    other: _Side

    def __init__(self, subject: Subject, version: Version, known: dict[tuple[Path, str], Source]) -> None:
        package = subject.module.partition(".")[0]
        self.source = known.setdefault((version.root, package), Source(version.root, version.extra, package))
        module = self.source.required(subject.module, version.label)
        self.program = Program(self.source, subject.module)
        self.reach = Reach(self.program)
        self.cls = _find_class(self.program, module, subject, version.label) if subject.qualname else None
        if self.cls is not None:
            # A class may be re-exported from a module that the subject's module names in a way only Python follows.
            for extra in self.source.closure(*(unit.module for unit in self.program.mro(self.cls))):
                self.program.modules.setdefault(extra.name, extra)
        home = self.source.module(self.cls.module) if self.cls else None
        self.methods = dict(self._methods(self.cls) if self.cls else _public_functions(module))
        self.beside = dict(_public_functions(home)) if home else {}

    @property
    def functions(self) -> set[Unit]:
        """Return all functions of the own modules."""
        return {
            Unit(module.name, qualname)
            for module in self.program.modules.values()
            for qualname, nodes in module.definitions.items()
            if any(isinstance(node, FUNCTIONS) for node in nodes)
        }

    def _methods(self, cls: Unit) -> Iterator[tuple[str, Step]]:
        """Public and protocol methods of the class, inherited ones included."""
        for unit in self.program.mro(cls):
            for name in filter(_is_public, self._members(unit)):
                found = self.program.lookup(cls, name)
                if found is not None:
                    yield name, Step(found, cls)
        for metaclass in self._metaclasses(cls):
            found = self.program.lookup(metaclass, "__call__")
            if found is not None:
                yield _METACLASS_CALL, Step(found, metaclass)

    def _metaclasses(self, cls: Unit) -> Iterator[Unit]:
        """Yield the metaclasses that the class and its bases name, the nearest last."""
        for unit in reversed(self.program.mro(cls)):
            module = self.source.module(unit.module)
            for keyword in (each for node in self.program.class_nodes(unit) for each in node.keywords):
                if module is not None and keyword.arg == "metaclass":
                    targets = self.program.resolve_expression(module, keyword.value)
                    yield from (target.unit for target in targets if target.kind == "class")

    def _members(self, unit: Unit) -> Iterator[str]:
        module = self.source.module(unit.module)
        prefix = unit.name + "."
        for qualname in module.definitions if module is not None else ():
            name = qualname.removeprefix(prefix)
            if qualname.startswith(prefix) and "." not in name and module and module.functions(qualname):
                yield name
        for name, nodes in self.program.attributes(unit).items():
            if any(self._is_callable(unit, node) for node in nodes):
                yield name

    def _is_callable(self, unit: Unit, node: ast.AST) -> bool:
        """Return whether a class attribute is callable: ``pop = remove``, ``size = property(...)``, ``key = len``."""
        value = node.value if isinstance(node, ast.Assign) else None
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name | ast.Attribute):
            name = value.func.id if isinstance(value.func, ast.Name) else value.func.attr
            return name in {"property", "cached_property", "partialmethod", "staticmethod", "classmethod"}
        if isinstance(value, ast.Name):
            module = self.source.module(unit.module)
            names = (f"{unit.name}.{value.id}", value.id)
            return module is not None and any(module.functions(name) for name in names)
        return isinstance(value, ast.Lambda)

    def way(self, start: Step) -> tuple[Unit, ...] | None:
        """Return the shortest way to something that the other version does not have in the same form."""
        return self.reach.path_to(start, self.is_changed)

    def is_changed(self, unit: Unit) -> bool:
        """Return whether a unit is missing in the other version (also under another name), or different there."""
        mine = self.program.digest(unit)
        if mine is None:
            return False
        theirs = self.other.program.digest(unit)
        return self.is_alone(unit) if theirs is None else mine != theirs

    def is_alone(self, unit: Unit) -> bool:
        """Return whether the other version has neither this unit nor an identical one that is new there."""
        return self.other.program.digest(unit) is None and self.moved_to(unit) is None

    def moved_to(self, unit: Unit) -> Unit | None:
        """Return the unit of the same plain name and text that only the other version has: it was moved there."""
        mine = self.program.digest(unit)
        for candidate in self.other.program.by_name.get(unit.name.rpartition(".")[2], ()):
            if self.program.digest(candidate) is None and self.other.program.digest(candidate) == mine:
                return candidate
        return None


def _public_functions(module: Module) -> Iterator[tuple[str, Step]]:
    for name in module.definitions:
        if "." not in name and _is_public(name) and module.functions(name):
            yield name, Step(Unit(module.name, name), None)


def _is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _find_class(program: Program, module: Module, subject: Subject, label: str) -> Unit:
    """Return the class that the subject names, even if the module imports it."""
    found = program.classes_named(module, subject.qualname)
    if found:
        return found[0]
    known = [name for name in module.definitions if module.classes(name)] + list(module.imports)
    close = difflib.get_close_matches(subject.qualname, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"version {label}: module {subject.module!r} has no class {subject.qualname!r}{hint}")


class _Statements:
    """Changed statements and matched lines of both sides."""

    def __init__(self) -> None:
        self.removed: list[ChangedStatement] = []
        self.added: list[ChangedStatement] = []
        self.old_to_new: dict[Place, Place] = {}
        self.new_to_old: dict[Place, Place] = {}

    def take(self, found: Alignment, old: tuple[str, str], new: tuple[str, str]) -> None:
        """Add one pair of scopes, each given by its file and its qualified name."""
        for mine, theirs in (*found.kept, *found.moved):
            for line, other in matched_lines(mine, theirs):
                self.old_to_new.setdefault((old[0], line), (new[0], other))
                self.new_to_old.setdefault((new[0], other), (old[0], line))
        for mine, theirs in found.moved:
            self.removed.append(ChangedStatement(old[0], *span(mine), old[1], "moved"))
            self.added.append(ChangedStatement(new[0], *span(theirs), new[1], "moved"))
        self.removed += (ChangedStatement(old[0], *span(node), old[1], "removed") for node in found.removed)
        self.added += (ChangedStatement(new[0], *span(node), new[1], "added") for node in found.added)

    def sort(self) -> None:
        for side in (self.removed, self.added):
            side.sort(key=lambda statement: (statement.file, statement.first, statement.last))


def _compare_statements(before: _Side, after: _Side) -> _Statements:
    """Match functions, class bodies and modules by name, moved functions by text, and compare what they contain."""
    result = _Statements()
    old, new = _scopes(before.program.modules.values()), _scopes(after.program.modules.values())
    for unit in dict.fromkeys((*old, *new)):
        mine, theirs = old.get(unit, []), new.get(unit, [])
        for index in range(max(len(mine), len(theirs))):
            first = mine[index] if index < len(mine) else None
            second = theirs[index] if index < len(theirs) else None
            if first and second:
                result.take(align(first[1], second[1]), (first[0], unit.name), (second[0], unit.name))
            elif first:
                target = before.moved_to(unit) if not theirs else None
                there = new.get(target, []) if target else []
                if target and index < len(there) and normal(first[1]) == normal(there[index][1]):
                    result.take(align(first[1], there[index][1]), (first[0], unit.name), (there[index][0], target.name))
                else:
                    gone = Alignment((), (), tuple(statements(first[1])), ())
                    result.take(gone, (first[0], unit.name), ("", ""))
            elif second and (mine or after.moved_to(unit) is None):
                result.take(Alignment((), (), (), tuple(statements(second[1]))), ("", ""), (second[0], unit.name))
    result.sort()
    return result


def _scopes(modules: Iterable[Module]) -> dict[Unit, list[tuple[str, Container]]]:
    found: dict[Unit, list[tuple[str, Container]]] = {}
    for module in modules:
        found[Unit(module.name, "")] = [(module.file, module.tree)]
        for qualname, nodes in module.definitions.items():
            found[Unit(module.name, qualname)] = [(module.file, node) for node in nodes]
    return found
