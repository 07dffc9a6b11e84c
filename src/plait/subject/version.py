"""Where the code under test is taken from."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from plait.errors import UsageError
from plait.subject.name import Subject, is_module
from plait.subject.version_root import environment_has, import_root, near_module
from plait.subject.worktree import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["worktree", "revision", "folder", "release"]
_LABEL = re.compile(r"(.+) \(([0-9a-f]{10})\)")


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the code: what a worker process needs to import it.

    ``root`` goes first on ``sys.path``, ``extra`` (dependencies of a release) behind the entries that are there.
    ``tree`` is the folder that holds all files of the version, ``project`` the user's project in it, and ``origin`` the
    user's folder that ``tree`` stands for.
    """

    label: str
    root: Path
    kind: Kind
    extra: tuple[Path, ...] = ()
    tree: Path | None = None
    project: Path | None = None
    origin: Path | None = None

    def at(self, subject: Subject) -> Version:
        """The same version with the import root of ``subject`` as root; UsageError when it has no such module."""
        start, top = self.project or self.root, self.tree or self.root
        root = self._same_place(subject) or import_root(start, top, subject.module)
        if root is None and self.kind == "worktree" and environment_has(subject.module):
            return self
        if root is None:
            where = "the project" if self.kind == "worktree" else f"version {self.label}"
            package, _, last = subject.module.rpartition(".")
            hint = "check the name, or --path" if self.kind == "worktree" else "check the name"
            if not subject.qualname and package and import_root(start, top, package):
                hint = f"if {last} is a class, write {package}:{last}"
            elif near := near_module(start, subject.module):
                hint = f"did you mean {Subject(near, subject.qualname)}?"
            raise UsageError(f"{subject}: {where} has no module {subject.module!r}; {hint}")
        return dataclasses.replace(self, root=root)

    def _same_place(self, subject: Subject) -> Path | None:
        """For a subject named by its file: the import root that this file has in the version, if it is there."""
        if subject.file is None:
            return None
        root = subject.file.parents[subject.module.count(".") + (subject.file.stem == "__init__")]
        if self.origin is not None and self.tree is not None and root.is_relative_to(self.origin):
            root = self.tree / root.relative_to(self.origin)
        elif self.kind != "worktree":
            return None
        return root if is_module(root, subject.module) else None


@contextlib.contextmanager
def resolve(text: str, *, project: Path, cache: Path, subject: Subject | None = None) -> Iterator[Version]:
    """Make the files of VERSION ``text`` available while the context lasts.

    ``worktree`` is the project as it is, ``dir:PATH`` or an existing path a folder, ``pypi:NAME==NUMBER`` a release,
    anything else a git revision of the repository that ``project`` lies in, also as the label of a version. With
    ``subject`` the version is already placed at its import root. Raises UsageError with one line when the version does
    not exist or lacks the subject's module.
    """
    with contextlib.ExitStack() as stack:
        version = _open(text.strip(), project.resolve(), cache, stack)
        yield version if subject is None else version.at(subject)


def _open(text: str, project: Path, cache: Path, stack: contextlib.ExitStack) -> Version:
    if text == "worktree":
        repository = Repository.find(project) if project.is_dir() else None
        tree = repository.top if repository else project
        return Version("worktree", project, "worktree", tree=tree, project=project, origin=tree)
    if text.startswith("dir:"):
        return _folder(text, text.removeprefix("dir:"), project)
    if text.startswith("pypi:"):
        from plait.subject.release import Release  # noqa: PLC0415 - as rare as it is slow to import

        release = Release.parse(text.removeprefix("pypi:"))
        root, dependencies = release.fetch(cache)
        return Version(f"pypi:{release}", root, "release", extra=(dependencies,), tree=root, project=root)
    if not text:
        raise UsageError("an empty version; write worktree, a git revision, a folder or pypi:NAME==NUMBER")
    repository = Repository.find(project) if project.is_dir() else None
    labelled = _LABEL.fullmatch(text)
    commit = repository.commit(labelled[2] if labelled else text) if repository else None
    text = labelled[1] if labelled and commit else text
    if _existing(text, project) is not None:
        if commit and not text.startswith((".", "/", "~")):
            raise UsageError(f"{text!r} is a git revision and a folder; write {commit[:10]} or dir:{text}")
        return _folder(text, text, project)
    if repository is None:
        raise UsageError(
            f"{text!r} is no folder, and no git revision either: {project} is not in a git repository; name a folder "
            "(dir:PATH) or a release (pypi:NAME==NUMBER)"
        )
    if commit is None:
        raise UsageError(repository.explain_unknown(text))
    return _revision(text, commit, repository, stack)


def _revision(text: str, commit: str, repository: Repository, stack: contextlib.ExitStack) -> Version:
    from plait.subject.version_scratch import scratch  # noqa: PLC0415 - folders need none of it

    tree = stack.enter_context(scratch())
    repository.extract(commit, tree)
    inside = tree / repository.prefix
    if not inside.is_dir():
        raise UsageError(f"revision {text!r} has no folder {repository.prefix!r}; run from one that both versions have")
    label = commit[:10] if commit.startswith(text) else f"{text} ({commit[:10]})"
    return Version(label, inside, "revision", tree=tree, project=inside, origin=repository.top)


def _existing(text: str, project: Path) -> Path | None:
    """A path as the shell would complete it, else relative to the project (as configuration files write it)."""
    path = Path(text).expanduser()
    return next((found.resolve() for found in (path, project / path) if found.exists()), None)


def _folder(text: str, path: str, project: Path) -> Version:
    folder = _existing(path, project) if path else None
    if folder is None:
        wanted = Path(path).expanduser()
        beside = [entry.name for entry in wanted.absolute().parent.glob("*") if entry.is_dir()]
        near = difflib.get_close_matches(wanted.name, beside, 1)
        advice = f"; did you mean {wanted.with_name(near[0])}?" if near and wanted.name else ""
        raise UsageError(f"{text!r}: there is no such folder{advice}")
    if not folder.is_dir():
        raise UsageError(f"{text!r} is a file; name the folder that it is imported from")
    return Version(text, folder, "folder", tree=folder, project=folder, origin=project)
