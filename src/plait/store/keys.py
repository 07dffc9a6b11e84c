"""Store keys: hashes of everything on which a run, or a test, depends.

If nothing has changed, the keys alone decide, so they must be cheap: nothing of the subject is imported here.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import sys
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import plait
from plait.model.files import file_bytes
from plait.model.folders import files_below
from plait.subject.changes.importing import acts_of
from plait.subject.changes.reach import Reach, Step
from plait.subject.changes.units import CONSTRUCTORS, Program, Unit
from plait.subject.source import Source

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Iterable,
        Iterator,
        Mapping,
    )

    from plait.model.test import Test
    from plait.subject.name import Subject
    from plait.subject.versions.version import Version


def source_of(subject: Subject, version: Version) -> Source:
    """Return the subject's source in one version."""
    return Source(version.root, version.extra, package=subject.module.partition(".")[0])


class Whole(NamedTuple):
    """All code of a version: its hash, and the places where it was searched; None if outside of the version's root."""

    digest: str
    places: tuple[str, ...] | None


def whole_code(subject: Subject, version: Version) -> Whole:
    """Return the text of all own modules that the subject's imports, directly or not."""
    source = source_of(subject, version)
    source.required(subject.module, version.label)
    digest = hashlib.sha256()
    for module in source.closure(subject.module):
        digest.update(f"{module.name}\0{len(module.text)}\0".encode() + module.text)
    places = source.own_places()
    return Whole(digest.hexdigest(), None if places is None else tuple(places))


def token(value: Any) -> str:
    """Return a text that is the same in every process for equal values made of tuples, sets and atoms."""
    if isinstance(value, frozenset | set):
        return f"{{{', '.join(sorted(map(token, value)))}}}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(token, value))})"
    return repr(value)


def files_key(*places: Path | None, relative_to: Path | None = None) -> str:
    """Return a hash of files, and of all Python files below folders; missing ones are left out."""
    digest = hashlib.sha256()
    for place in places:
        if place is None:
            continue
        for file in map(Path, files_below(place, ".py")) if place.is_dir() else [place]:
            with contextlib.suppress(OSError):
                name = file if relative_to is None else file.relative_to(relative_to)
                digest.update(os.fsencode(f"{name}\0") + file_bytes(file))
    return digest.hexdigest()


@cache
def environment_digest() -> str:
    """Return a hash of the interpreter, of plait's own code and of the installed packages."""
    digest = hashlib.sha256(sys.version.encode())
    folder = str(Path(plait.__file__).parent)
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                digest.update(f"{parent}/{name}\0".removeprefix(folder).encode())
                with open(f"{parent}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - hundreds: it is twice as fast
                    digest.update(file.read())
    for place in sys.path:
        with contextlib.suppress(OSError):
            for name in sorted(os.listdir(place or ".")):  # noqa: PTH208 - names are wanted
                if name.endswith((".dist-info", ".egg-info")):  # their names hold the versions
                    digest.update(os.fsencode(f"{name}\0"))
    return digest.hexdigest()


# -- fingerprint -------------------------------------------------------------------------------------------------------
# Fingerprints: hashes of everything on which a test's outcome depends.
#
# The code is followed by name from the called methods through the subject's own modules
# (`plait.subject.changes.reach`). So after a change, only tests that can reach it have another fingerprint. The effects
# of importing the modules belong to every test (`plait.subject.changes.importing`). Code that cannot be followed by
# name (``getattr`` with a computed name, ``exec``) makes a test depend on every line. `tests/store/test_edits.py`
# compares this with the behaviour of edited code.


class Fingerprints:
    """The code of one subject in one version, as far as tests depend on it. Nothing is imported."""

    def __init__(self, subject: Subject, version: Version, on_read: Callable[[], object] | None = None) -> None:
        source = source_of(subject, version)
        source.on_read = on_read
        self._root = version.root
        self._module = source.required(subject.module, version.label)
        self._program = Program(source, subject.module)
        self._reach = Reach(self._program, wide=True)
        self._classes = self._program.classes_named(self._module, subject.qualname) if subject.qualname else []
        self._reached: dict[Step, dict[str, str]] = {}
        self._parts: dict[str, str] = {}

    def code(self, test: Test) -> dict[str, str]:
        """Return hashes of all code that the test's calls can reach, by ``module:name``."""
        names = dict.fromkeys(call.method for call in (*test.prefix, *test.calls))
        if any(map(_of_a_result, names)):
            return self._everything
        found = self._code((*self._built(), *self._called(names), *self._imported(test.imports)))
        return {**self._acts, **found}

    def part(self, part: str) -> str:
        """Return a hash of the code of one of the `parts_of` a test; together the parts cover the whole test."""
        if part not in self._parts:
            kind, _, name = part.partition(" ")
            if kind == "call" and _of_a_result(name):
                self._parts[part] = hashlib.sha256(json.dumps(sorted(self._everything.items())).encode()).hexdigest()
                return self._parts[part]
            named = self._called([name]) if kind == "call" else self._imported([name])
            found = {**self._acts, **self._code(self._built())} if kind == "build" else self._code(named)
            self._parts[part] = hashlib.sha256(json.dumps(sorted(found.items())).encode()).hexdigest()
        return self._parts[part]

    @cached_property
    def _acts(self) -> dict[str, str]:
        """Return hashes of the code that importing the modules runs, and of all code that this can reach."""
        found: dict[str, str] = {}
        for name, module in self._program.modules.items():
            acts = list(acts_of(self._program, module))
            if not acts:
                continue
            found[f"{name}:<import>"] = hashlib.sha256("\n".join(map(ast.dump, acts)).encode()).hexdigest()
            steps, opaque = self._reach.uses_of(module, acts)
            found |= self._everything if opaque else self._code(steps)
        return found

    @cached_property
    def _everything(self) -> dict[str, str]:
        """Return hashes of all modules, including those of the project that are imported by computed names."""
        texts = {name: module.text for name, module in self._program.modules.items()}
        digests = {f"{name}:<text>": hashlib.sha256(text).hexdigest() for name, text in texts.items()}
        folder = (self._root / self._module.file).parent
        return digests | {"<beside>": files_key(*sorted(folder.glob("*.py")), relative_to=folder)}

    # To hash too much costs time. To hash too little is a false pass: the stored result of a test would be used
    # although the test behaves differently now. So code that cannot be followed by name makes the key depend on all
    # modules.

    def _code(self, steps: Iterable[Step]) -> dict[str, str]:
        found: dict[str, str] = {}
        for step in steps:
            found.update(self._all_from(step))
        return found

    def _called(self, names: Iterable[str]) -> Iterator[Step]:
        for name in names:
            for cls in self._classes:
                unit = self._program.lookup(cls, name)
                if unit is not None:
                    yield Step(unit, cls)
            if not self._classes and self._module.functions(name):
                yield Step(Unit(self._module.name, name), None)

    def _built(self) -> Iterator[Step]:
        """Yield the code that making an instance, or having one, runs."""
        yield from self._called(CONSTRUCTORS)
        for cls in self._classes:
            for unit in self._program.mro(cls):
                yield Step(Unit(unit.module, f"{unit.name}.<class>"), None)

    def _imported(self, imports: Iterable[str]) -> Iterator[Step]:
        """Yield the names that the test itself imports from the subject's modules, such as classes of arguments."""
        for text in imports:
            for node in ast.walk(ast.parse(text)):
                if not isinstance(node, ast.ImportFrom) or node.module is None:
                    continue
                module = self._program.source.own(node.module)
                for alias in node.names if module is not None else ():
                    for target in self._program.resolve(module, alias.name):  # type: ignore[arg-type]
                        yield Step(target.unit, None)
                        if target.kind == "class":
                            yield Step(Unit(target.unit.module, f"{target.unit.name}.<class>"), None)
                            for name in CONSTRUCTORS:
                                unit = self._program.lookup(target.unit, name)
                                if unit is not None:
                                    yield Step(unit, target.unit)

    def _all_from(self, start: Step) -> dict[str, str]:
        if start not in self._reached:
            seen = {start}
            pending = [start]
            while pending:
                for step in self._reach.uses(pending.pop()):
                    if step not in seen:
                        seen.add(step)
                        pending.append(step)
            digests = {str(step.unit): self._program.digest(step.unit) for step in seen}
            reached = {name: digest for name, digest in digests.items() if digest is not None}
            opaque = not self._reach.opaque.isdisjoint(seen)
            self._reached[start] = reached | (self._everything if opaque else {})
        return self._reached[start]


def _of_a_result(name: str) -> bool:
    """Return whether a method belongs to the result of another one: then its code cannot be found by name."""
    return "()." in name


def parts_of(test: Test) -> list[str]:
    """Return the parts of a test whose code is hashed separately, because most tests share most parts."""
    calls = dict.fromkeys(call.method for call in (*test.prefix, *test.calls))
    return ["build", *(f"call {name}" for name in calls), *(f"use {line}" for line in test.imports)]


class Changed:
    """The parts of the code (see `parts_of`) that have changed."""

    def __init__(self, parts: Iterable[str]) -> None:
        named = [part.partition(" ")[::2] for part in parts]
        self.everything = ("build", "") in named  # what an instance is
        self._calls = {name for kind, name in named if kind == "call"}
        self._lines = {name for kind, name in named if kind == "use"}

    def __bool__(self) -> bool:
        return self.everything or bool(self._calls or self._lines)

    def reaches(self, test: Test) -> bool:
        """Return whether the test depends on any changed part."""
        return (
            self.everything
            or any(call.method in self._calls for call in test.prefix)
            or any(call.method in self._calls for suffix in test.suffixes for call in suffix)
            or not self._lines.isdisjoint(test.imports)
        )


def unit_key(test: Test, options: Mapping[str, Any], code: Mapping[str, str]) -> str:
    """Return the store's key for the result of a test with these options, this code, this Python and this plait."""
    parts = {"test": test.as_json(), "options": dict(options), "code": dict(code), "around": environment_digest()}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
