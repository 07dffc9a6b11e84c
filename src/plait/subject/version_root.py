"""Where in a tree of files a module is importable from."""

from __future__ import annotations

import difflib
import importlib.machinery
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plait.errors import UsageError
from plait.subject.name import is_module

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_USUAL = ("", "src", "lib", "python", "source")
_SKIPPED = {"build", "dist", "node_modules", "site-packages", "venv", "env", "__pycache__"}
_DEPTH = 3


def import_root(start: Path, top: Path, module: str) -> Path | None:
    """The folder to put on ``sys.path`` so that ``module`` is imported from this tree, or None.

    Looked at, in this order: the usual places and those that ``pyproject.toml`` names, from ``start`` upwards to
    ``top``; then every folder near ``start``. UsageError when several folders are equally near.
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
    """Where modules of a project are looked for first."""
    return [folder / name for name in _USUAL]


def near_module(start: Path, module: str) -> str | None:
    """A module of the project whose name looks like this one: same package, or a top-level name that differs."""
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
    """Sub-folders that can be import roots: not hidden, not installed copies, not themselves packages."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _SKIPPED or entry.is_symlink() or not entry.is_dir():
            continue
        if not (entry / "__init__.py").exists() and not (entry / "pyvenv.cfg").exists():
            yield entry


def _declared(folder: Path) -> Iterator[Path]:
    """Package folders that the build configuration names (setuptools, poetry, hatch)."""
    if not (folder / "pyproject.toml").is_file():
        return
    import tomllib  # noqa: PLC0415 - slow to import, and many folders are no project's

    try:
        tool = tomllib.loads((folder / "pyproject.toml").read_text("utf-8")).get("tool", {})
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
    """Whether the running interpreter's own path has the module; nothing is imported to find out."""
    top = module.partition(".")[0]
    if top in sys.builtin_module_names or importlib.machinery.PathFinder.find_spec(top) is None:
        return top in sys.builtin_module_names
    return "." not in module or any(is_module(Path(entry or "."), module) for entry in sys.path)
