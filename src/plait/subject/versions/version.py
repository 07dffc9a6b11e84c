"""Resolve versions of the code under test."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import importlib.machinery
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from plait.errors import UsageError
from plait.model.files import file_text
from plait.subject.name import Subject, is_module
from plait.subject.versions.git import Repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


Kind = Literal["worktree", "revision", "folder", "release"]
_LABEL = re.compile(r"(.+) \(([0-9a-f]{10})\)")


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the code: what a worker process needs to import it.

    ``root`` becomes the first entry of ``sys.path``, ``extra`` (dependencies of a release) the last ones.
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
        """Return the same version with the import root of ``subject`` as root.

        UsageError when it has no such module.
        """
        start, top = self.project or self.root, self.tree or self.root
        root = self._same_place(subject) or import_root(start, top, subject.module)
        if root is None and self.kind == "worktree" and environment_has(subject.module):
            return self
        if root is None:
            where = "the project" if self.kind == "worktree" else f"version {self.label}"
            package, _, last = subject.module.rpartition(".")
            hint = "check the name, or --path" if self.kind == "worktree" else "check the name"
            if (start / subject.module).is_file():
                raise UsageError(f"{subject}: {subject.module} is not a Python source file (.py)")
            if not subject.qualname and package and import_root(start, top, package):
                hint = f"if {last} is a class, write {package}:{last}"
            elif near := _near_module(start, subject.module):
                hint = f"did you mean {Subject(near, subject.qualname)}?"
            raise UsageError(f"{subject}: {where} has no module {subject.module!r}; {hint}")
        return dataclasses.replace(self, root=root)

    def _same_place(self, subject: Subject) -> Path | None:
        """Return the import root that a subject named by its file has in the version, if it is there."""
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
        from plait.subject.versions.release import Release  # noqa: PLC0415 - as rare as it is slow to import

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
    from plait.subject.versions.scratch import scratch  # noqa: PLC0415 - folders need none of it

    tree = stack.enter_context(scratch())
    repository.extract(commit, tree)
    inside = tree / repository.prefix
    if not inside.is_dir():
        raise UsageError(f"revision {text!r} has no folder {repository.prefix!r}; run from one that both versions have")
    label = commit[:10] if commit.startswith(text) else f"{text} ({commit[:10]})"
    return Version(label, inside, "revision", tree=tree, project=inside, origin=repository.top)


def _existing(text: str, project: Path) -> Path | None:
    """Return a path as the shell would complete it, else relative to the project (as configuration files write it)."""
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


# -- version root ------------------------------------------------------------------------------------------------------
# Import roots: the folders of a tree from which a module can be imported.


_USUAL = ("", "src", "lib", "python", "source")
_SKIPPED = {"build", "dist", "node_modules", "site-packages", "venv", "env", "__pycache__"}
_DEPTH = 3


def import_root(start: Path, top: Path, module: str) -> Path | None:
    """Return the folder to put on ``sys.path`` so that ``module`` is imported from this tree, or None.

    The search order is: the usual places and those that ``pyproject.toml`` names, from ``start`` upwards to ``top``;
    then every folder near ``start``. UsageError when several folders are equally near.
    """
    folder = start
    while True:
        for place in (*usual_places(folder), *_declared(folder)):
            if place.is_dir() and is_module(place, module):
                return place
        if folder in (top, folder.parent) or top not in folder.parents:
            break
        folder = folder.parent
    level = [start]
    for _ in range(_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        found = [place for place in level if is_module(place, module)]
        if len(found) > 1:
            names = " and ".join(str(place.relative_to(start)) for place in found[:2])
            raise UsageError(f"module {module!r} exists in {names}; say which with --path")
        if found:
            return found[0]
    return None


def usual_places(folder: Path) -> list[Path]:
    """Return the places where modules of a project are searched first."""
    return [folder / name for name in _USUAL]


def _near_module(start: Path, module: str) -> str | None:
    """Return a module of the project whose name looks like this one: same package, or a top-level name that differs."""
    tops = [place for place in usual_places(start) if place.is_dir()]
    package, _, last = module.rpartition(".")
    inside = [place.joinpath(*package.split(".")) for place in tops] if package else tops
    if near := difflib.get_close_matches(last, _modules(inside), 1):
        return f"{package}.{near[0]}" if package else near[0]
    first, _, rest = module.partition(".")
    near = difflib.get_close_matches(first, _modules(tops), 1)
    return f"{near[0]}.{rest}" if near and rest else None


def _modules(folders: Iterable[Path]) -> list[str]:
    entries = [entry for folder in folders if folder.is_dir() for entry in folder.iterdir()]
    return [
        entry.stem for entry in entries
        if entry.suffix == ".py" or (entry.is_dir() and (entry / "__init__.py").is_file())
    ]  # fmt: skip


def _children(folder: Path) -> Iterator[Path]:
    """Yield sub-folders that can be import roots: not hidden, no installed copies, no packages themselves."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _SKIPPED:
            continue
        try:
            fits = entry.is_dir() and not entry.is_symlink()
            fits = fits and not (entry / "__init__.py").exists() and not (entry / "pyvenv.cfg").exists()
        except OSError:  # nobody may look into it
            continue
        if fits:
            yield entry


def _declared(folder: Path) -> Iterator[Path]:
    """Yield the package folders that the build configuration names (setuptools, poetry, hatch)."""
    if not (folder / "pyproject.toml").is_file():
        return
    import tomllib  # noqa: PLC0415 - slow to import, and many folders are no project's

    try:
        tool = tomllib.loads(file_text(folder / "pyproject.toml")).get("tool", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return
    setuptools = _table(tool, "setuptools")
    names = [
        *_table(setuptools, "package-dir").values(),
        *_list(_table(setuptools, "packages", "find").get("where")),
        *(entry.get("from") for entry in _list(_table(tool, "poetry").get("packages")) if isinstance(entry, dict)),
        *(Path(entry).parent for entry in _list(_table(tool, "hatch", "build", "targets", "wheel").get("packages"))
          if isinstance(entry, str)),
    ]  # fmt: skip
    yield from (folder / name for name in names if isinstance(name, str | Path))


def _table(data: object, *keys: str) -> dict[str, object]:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _list(data: object) -> list[object]:
    return data if isinstance(data, list) else []


def environment_has(module: str) -> bool:
    """Return whether the running interpreter's own path has the module; nothing is imported to find out."""
    top = module.partition(".")[0]
    if top in sys.builtin_module_names or importlib.machinery.PathFinder.find_spec(top) is None:
        return top in sys.builtin_module_names
    return "." not in module or any(is_module(Path(entry or "."), module) for entry in sys.path)
