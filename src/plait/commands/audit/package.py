"""Facts about a package as a whole: whether importing it enables the GIL, and what its classifiers claim."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from plait.model.command_results import AuditMore
from plait.model.files import file_text
from plait.model.folders import files_below
from plait.subject.package.listing import Listing
from plait.subject.versions.version import Version

_CLASSIFIER = "Programming Language :: Python :: Free Threading"
_EXTENSIONS = tuple(importlib.machinery.EXTENSION_SUFFIXES)
_NAMED = 3


def claims_of(listing: Listing, version: Version, supported: str) -> AuditMore:
    """Return the fields of the result file that describe the package as a whole."""
    stated = next((each for each in _classifiers(listing, version) if each.startswith(_CLASSIFIER)), None)
    level = None if stated is None else stated.removeprefix(_CLASSIFIER).strip(" :") or "without a level"
    return {"free_threading": {"classifier": level, "supported": supported, "gil": _gil(listing, version)}}


def _gil(listing: Listing, version: Version) -> str:
    """Return whether importing the package enables the GIL, as far as its files show."""
    if listing.extensions:
        return (
            f"is not known: {_names(listing.extensions)} in C must declare that they work without it; import them on a "
            "free-threaded build"
        )
    others = _imported_extensions(listing, version)
    if others:
        return (
            f"stays off by the package itself, which has no modules in C; what it imports has some ({_names(others)}), "
            "and these must declare that they work without it"
        )
    return "stays off: neither the package nor what it imports has modules in C"


def _names(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:_NAMED]) + (" ..." if len(every) > _NAMED else "")


def _imported_extensions(listing: Listing, version: Version) -> list[str]:
    """Return the installed packages with modules in C that this one imports by name."""
    own = {module.name.partition(".")[0] for module in listing.modules}
    tops = {
        target.module.partition(".")[0]
        for module in listing.modules for targets in module.imports.values() for target in targets
    }  # fmt: skip
    places = [listing.root, *version.extra, *map(Path, sys.path)]
    asked = sorted(tops - own - set(sys.stdlib_module_names) - {""})
    return [name for name in asked if any(_is_compiled(place, name) for place in places)]


def _is_compiled(place: Path, name: str) -> bool:
    folder = place / name
    if folder.is_dir():
        return bool(files_below(folder, _EXTENSIONS))
    return place.is_dir() and any(file.name.endswith(_EXTENSIONS) for file in place.glob(f"{name}.*"))


def _classifiers(listing: Listing, version: Version) -> list[str]:
    """Return the trove classifiers of the project, otherwise of the release or the installed distribution."""
    for folder in dict.fromkeys((listing.root, listing.root.parent, version.project or version.root)):
        found = _of_project(Path(folder) / "pyproject.toml")
        if found is not None:
            return found
    top = listing.modules[0].name.partition(".")[0] if listing.modules else listing.extensions[0].partition(".")[0]
    beside = next(_distributions(listing.root, top), None)
    if beside is not None:
        return _stated(beside)
    for name in importlib.metadata.packages_distributions().get(top, ()):
        return _stated(importlib.metadata.distribution(name))
    return []


def _distributions(place: Path, top: str) -> Iterator[importlib.metadata.Distribution]:
    """Yield the distributions in a folder that have a package or module of that name."""
    for found in importlib.metadata.distributions(path=[str(place)]):
        if any(file.parts[0] in (top, f"{top}.py") for file in found.files or ()):
            yield found


def _stated(distribution: importlib.metadata.Distribution) -> list[str]:
    return [str(each) for each in distribution.metadata.get_all("Classifier") or ()]


def _of_project(file: Path) -> list[str] | None:
    try:
        project = tomllib.loads(file_text(file)).get("project", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None
    listed = project.get("classifiers") if isinstance(project, dict) else None
    return [str(each) for each in listed] if isinstance(listed, list) else None
