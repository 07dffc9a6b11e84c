"""Find the classes that a change affects and that are meant for several threads."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from plait.errors import UsageError
from plait.model.folders import files_below
from plait.subject.changes.change import analyse, is_touched
from plait.subject.changes.units import Program, Unit
from plait.subject.interface.concurrent import Concurrent
from plait.subject.name import Subject
from plait.subject.source import Module, Source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from plait.subject.changes.change import Change
    from plait.subject.versions.version import Version

_NOT_PRODUCT = re.compile(
    r"(^|/)(tests?|testing|docs?|examples?|benchmarks?|build|dist|plait-out|node_modules|v?env|site-packages)/"
)
_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|conftest|setup|noxfile)\.py$")


@dataclass(frozen=True, slots=True)
class TouchedClass:
    """One class: why it is included, and its change (None if the old version has no such class)."""

    subject: Subject
    why: str
    change: Change | None

    @property
    def directly(self) -> bool:
        """True if the class's own text changed, and not only what it uses."""
        return self.change is None or bool(self.change.direct_methods)


@dataclass(slots=True)
class Survey:
    """Searches one version for classes that differ from another; ``notes`` name files that could not be read.

    ``named`` and ``excluded`` are subjects (``module:Class``, with wildcards) that the project's settings include
    whatever their source says, or leave out. Files are seen from the top of the repository.
    """

    old: Version
    new: Version
    named: Sequence[str] = ()
    excluded: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)
    _sources: dict[Path, Source] = field(default_factory=dict)
    _parsed: dict[tuple[Path, str], Source] = field(default_factory=dict)

    def touched(self, changed: Collection[str]) -> list[TouchedClass]:
        """Return the classes, those with a changed text of their own first, in the order of their names."""
        modules = dict(self._modules())
        found = []
        for name in _affected(modules, set(changed)):
            file, source, module = modules[name]
            program = Program(source, module.name)
            concurrent = Concurrent(program)
            for qualname in module.definitions:
                if module.classes(qualname) and "<locals>" not in qualname:
                    each = self._look(Subject(module.name, qualname, self._origin(file)), concurrent)
                    if each is not None:
                        found.append(each)
        return sorted(found, key=lambda each: (not each.directly, str(each.subject)))

    def _look(self, subject: Subject, concurrent: Concurrent) -> TouchedClass | None:
        name = str(subject)
        if any(fnmatchcase(name, pattern) for pattern in self.excluded):
            return None
        named = any(fnmatchcase(name, pattern) for pattern in self.named)
        hidden = any(part.startswith("_") for part in subject.qualname.split("."))
        why = "named in the settings" if named else concurrent.reason(Unit(subject.module, subject.qualname))
        if why is None or (hidden and not named):
            return None
        try:
            new = self.new.at(subject)
        except UsageError as error:
            self.notes.append(f"{name} is left out: {error}")
            return None
        try:
            old = self.old.at(subject)
            if not is_touched(subject, old, new, self._parsed):
                return None
            return TouchedClass(subject, why, analyse(subject, old, new, self._parsed))
        except UsageError:
            return TouchedClass(subject, why, None)

    def _origin(self, file: str) -> Path | None:
        """Return the user's file, which names the class's place in both versions."""
        place = (self.new.origin or self.new.root) / file
        return place if place.is_file() else None

    def _modules(self) -> Iterator[tuple[str, tuple[str, Source, Module]]]:
        """Yield all modules of the project that can be parsed, by the path of their file."""
        top, start = self.new.tree or self.new.root, self.new.project or self.new.root
        for path in map(Path, files_below(start, ".py")):
            file = path.relative_to(top).as_posix()
            if any(part.startswith(".") for part in PurePosixPath(file).parts) or (path.parent / "pyvenv.cfg").exists():
                continue
            if _NOT_PRODUCT.search(file) or _TEST_FILE.search(file):
                continue
            try:
                subject = Subject.parse(str(path))
            except UsageError:
                continue
            root = path.parents[subject.module.count(".") + (path.stem == "__init__")]
            source = self._sources.setdefault(root, Source(root))
            module = source.module(subject.module)
            if module is not None:
                yield file, (file, source, module)
        self.notes += [text for source in self._sources.values() for text in source.unreadable]


def _affected(modules: dict[str, tuple[str, Source, Module]], changed: set[str]) -> list[str]:
    """Files that changed, or import one that did, directly or not; modules are looked up by name."""
    by_name: dict[str, list[str]] = {}
    for file, (_, _, module) in modules.items():
        by_name.setdefault(module.name, []).append(file)
    users: dict[str, set[str]] = {}
    for file, (_, _, module) in modules.items():
        for name in {name for each in module.imported for name in (each.module, f"{each.module}.{each.name}")}:
            for used in by_name.get(name, ()):
                users.setdefault(used, set()).add(file)
    found, pending = set(), [file for file in modules if file in changed]
    while pending:
        file = pending.pop()
        if file not in found:
            found.add(file)
            pending += users.get(file, ())
    return sorted(found)
