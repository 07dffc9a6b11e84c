"""Hashes that stand for all that a run depends on: its code as a whole, files, and everything around it.

Whatever has not changed is answered by them alone, so they need little: nothing is imported or followed by name here.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import plait
from plait.subject.source import Source

if TYPE_CHECKING:
    from plait.subject.name import Subject
    from plait.subject.version import Version


def source_of(subject: Subject, version: Version) -> Source:
    """The subject's source in one version."""
    return Source(version.root, version.extra, package=subject.module.partition(".")[0])


class Whole(NamedTuple):
    """All code of a version: a hash of it, and where it was looked for; None if not below the version's root."""

    digest: str
    places: tuple[str, ...] | None


def whole_code(subject: Subject, version: Version) -> Whole:
    """The text of all own modules that the subject's imports, directly or not."""
    source = source_of(subject, version)
    source.required(subject.module, version.label)
    digest = hashlib.sha256()
    for module in source.closure(subject.module):
        digest.update(f"{module.name}\0{len(module.text)}\0".encode() + module.text)
    places = source.own_places()
    return Whole(digest.hexdigest(), None if places is None else tuple(places))


def token(value: Any) -> str:
    """Text that is equal for equal values made of tuples, sets and atoms, in every process."""
    if isinstance(value, frozenset | set):
        return f"{{{', '.join(sorted(map(token, value)))}}}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(token, value))})"
    return repr(value)


def files_key(*places: Path | None) -> str:
    """A hash of files, and of all Python files below folders; what is not there is left out."""
    digest = hashlib.sha256()
    for place in places:
        if place is None:
            continue
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            with contextlib.suppress(OSError):
                digest.update(f"{file}\0".encode() + file.read_bytes())
    return digest.hexdigest()


@cache
def around() -> str:
    """A hash of the interpreter, of plait's own code and of what is installed beside it."""
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
                    digest.update(f"{name}\0".encode())
    return digest.hexdigest()
