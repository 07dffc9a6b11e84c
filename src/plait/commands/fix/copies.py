"""Copies of a project in which mends are tried: the user's own files are never written."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from plait.errors import UsageError
from plait.subject.mend.candidates import Mend
from plait.subject.mend.text import decoded
from plait.subject.versions.scratch import scratch
from plait.subject.versions.version import Version

MOST_BYTES = 300 * 1024 * 1024
_LEFT_OUT = frozenset(
    (".git", ".hg", ".svn", ".venv", "venv", "env", ".env", ".tox", ".nox", "node_modules", "__pycache__",
     ".mypy_cache", ".ruff_cache", ".pytest_cache", ".plait", "plait-out", "site-packages")
)  # fmt: skip

_PROJECT = ("pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True, slots=True)
class ProjectCopy:
    """A copy: ``version`` is the same one with its root in the copy, ``base`` the copied folder."""

    version: Version
    base: Path

    def apply(self, mend: Mend) -> None:
        """Write a mend into the copy."""
        for each in mend.edits:
            file = self.version.root / each.file
            encoding = decoded(file.read_bytes(), each.file)[1]
            if file.is_symlink():
                file.unlink()
            file.write_bytes(each.after.encode(encoding))

    def undo(self, mend: Mend) -> None:
        """Write the text before a mend into the copy."""
        self.apply(mend.undone)


@contextlib.contextmanager
def copied(version: Version, count: int = 1) -> Iterator[tuple[ProjectCopy, ...]]:
    """Make copies of the project that a version is in, or of its import root; removed on leaving."""
    root = version.root.resolve()
    project = _whole_project(version)
    base = project if root.is_relative_to(project) and version.kind != "release" else root
    with scratch() as folder:
        made = []
        for number in range(count):
            target = folder / str(number) / base.name
            target.parent.mkdir()
            _copy_tree(base, target)
            inside = target / root.relative_to(base)
            moved = replace(version, root=inside, kind="folder", tree=target, project=target, origin=None)
            made.append(ProjectCopy(moved, target))
        yield tuple(made)


def _whole_project(version: Version) -> Path:
    """Return the folder with the files of the whole project: its tests need not be below the folder of its modules."""
    project = (version.project or version.root).resolve()
    top = (version.tree or project).resolve()
    for folder in (project, *project.parents) if project.is_relative_to(top) else ():
        if any((folder / name).is_file() for name in _PROJECT):
            return folder
        if folder == top:
            break
    return project


def _copy_tree(source: Path, target: Path) -> None:
    """Copy the files of a folder, and leave out what is no part of the project; UsageError if it is too much."""
    left = MOST_BYTES

    def copy_file(name: str, into: str) -> None:
        nonlocal left
        left -= os.stat(name).st_size  # noqa: PTH116 - of many files
        if left < 0:
            most = MOST_BYTES // 1024 // 1024
            raise UsageError(f"{source} holds more than {most} MB, too much for a copy: give the package with --path")
        shutil.copyfile(name, into)
        shutil.copymode(name, into)

    def unwanted(folder: str, names: list[str]) -> set[str]:
        kept = []
        for name in names:
            path = Path(folder) / name
            if name in _LEFT_OUT or (path.is_dir() and (path / "pyvenv.cfg").exists()) or not _is_plain(path):
                continue
            kept.append(name)
        return set(names) - set(kept)

    try:
        shutil.copytree(source, target, ignore=unwanted, copy_function=copy_file)
    except (OSError, shutil.Error) as error:
        raise UsageError(f"{source} cannot be copied: {' '.join(str(error).split())[:200]}") from None


def _is_plain(path: Path) -> bool:
    """Return whether a path is a file or folder that can be read: no socket, no link that leads nowhere."""
    return (path.is_file() or path.is_dir()) and not (path.is_symlink() and path.is_dir())
