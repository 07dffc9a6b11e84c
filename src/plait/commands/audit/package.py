"""What a package says about itself: whether importing it turns the GIL on, and what its classifiers claim."""

from __future__ import annotations

import importlib.metadata
import tomllib
from pathlib import Path

from plait.model.command_results import AuditMore
from plait.model.files import file_text
from plait.subject.package.listing import Listing
from plait.subject.versions.version import Version

_CLASSIFIER = "Programming Language :: Python :: Free Threading"


def claims_of(listing: Listing, version: Version, supported: str) -> AuditMore:
    """Return the fields of the result file that are about the package as a whole."""
    stated = next((each for each in _classifiers(listing, version) if each.startswith(_CLASSIFIER)), None)
    level = None if stated is None else stated.removeprefix(_CLASSIFIER).strip(" :") or "without a level"
    return {"free_threading": {"classifier": level, "supported": supported, "gil": _gil(listing)}}


def _gil(listing: Listing) -> str:
    """Return whether importing the package turns the GIL on, as far as files tell."""
    if not listing.extensions:
        return "stays off: the package has no modules in C"
    names = ", ".join(listing.extensions[:3]) + (" ..." if len(listing.extensions) > 3 else "")
    return f"not known: {names} in C must declare that they work without it; import them on a free-threaded build"


def _classifiers(listing: Listing, version: Version) -> list[str]:
    """Return the trove classifiers of the project, else those of the installed distribution."""
    for folder in dict.fromkeys((listing.root, listing.root.parent, version.project or version.root)):
        found = _of_project(Path(folder) / "pyproject.toml")
        if found is not None:
            return found
    top = listing.modules[0].name.partition(".")[0] if listing.modules else listing.extensions[0].partition(".")[0]
    for name in importlib.metadata.packages_distributions().get(top, ()):
        stated = importlib.metadata.metadata(name).get_all("Classifier")
        return [str(each) for each in stated or ()]
    return []


def _of_project(file: Path) -> list[str] | None:
    try:
        project = tomllib.loads(file_text(file)).get("project", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None
    listed = project.get("classifiers") if isinstance(project, dict) else None
    return [str(each) for each in listed] if isinstance(listed, list) else None
