"""Opens versions for commands. Releases of the package index are installed with dependencies that work for them."""

from __future__ import annotations

import contextlib
import os
import py_compile
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from plait.commands.check.worker import tasks
from plait.subject.name import Subject
from plait.subject.versions.release import canonical_name, distributions_in, pip_install
from plait.subject.versions.version import Version, resolve
from plait.workers.failures import WorkerError
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec

if TYPE_CHECKING:
    from importlib.metadata import Distribution


def cache_root() -> Path:
    """Return the folder in which installed releases are cached."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plait" / "releases"


@contextmanager
def opened(text: str, *, project: Path, subject: Subject, allow: tuple[str, ...] = ()) -> Iterator[Version]:
    """Open a version; if it is a release that cannot be imported, install older dependencies with which it can."""
    with resolve(text, project=project, cache=cache_root(), subject=subject) as version:
        if version.kind == "release":
            mend(version, subject, allow)
        yield version


# -- dependencies ------------------------------------------------------------------------------------------------------
# Finds dependencies with which a release of the package index can be imported.
#
# Installers choose the newest dependencies, which an old release may not work with, because what it imports was renamed
# or removed. Then the distribution in question is replaced by an older one, first by one series, later in larger steps,
# until the subject's module can be imported.


TRIES = 8
PATIENCE_S = 60.0
_PROVIDED = {"pkg_resources": "setuptools<81"}  # modules that were long part of a distribution with another name


def mend(version: Version, subject: Subject, allow: tuple[str, ...] = ()) -> dict[str, str]:
    """Install older dependencies if that helps; return what was chosen. This is tried once for each module."""
    folder = version.extra[0]
    mark = folder.parent / f"imported-{subject.module}"
    chosen: dict[str, str] = {}
    if mark.exists():
        return chosen
    for _ in range(TRIES):
        culprits = _import_trouble(version, subject, allow)
        wanted = next(filter(None, (older(name, folder, chosen) for name in culprits)), None)
        if wanted is None:
            break
        chosen[canonical_name(re.split("[<=]", wanted)[0])] = wanted
        if not pip_install(folder, chosen.values()):
            break
        print(f"plait: {version.label} needs older dependencies: using {wanted}", file=sys.stderr)
    mark.touch()
    return chosen


def _import_trouble(version: Version, subject: Subject, allow: tuple[str, ...]) -> list[str]:
    """Return modules and files that an import error is about, the likeliest first; empty if the import works.

    Workers never write compiled modules. So if the import works, the modules that the subject imports are compiled
    here, and the many processes of a campaign need not do it.
    """
    spec = WorkerSpec(
        module=subject.module, qualname="", roots=(version.root,), paths=tuple(version.extra), allow=frozenset(allow)
    )
    with Workers(spec, count=1) as workers:
        try:
            trouble = list(workers.attempt(tasks.import_trouble, timeout=PATIENCE_S).result().value)
            needed = workers.attempt(tasks.imported, str(version.extra[0]), timeout=PATIENCE_S).result().value
        except WorkerError:
            return []
    for file in needed if not trouble else ():
        with contextlib.suppress(OSError, py_compile.PyCompileError):
            py_compile.compile(file, doraise=True)
    return trouble


def older(name: str, folder: Path, chosen: dict[str, str]) -> str | None:
    """Return a requirement for an older series of the distribution that a module or file belongs to.

    None if there is no such distribution or no older series.
    """
    distribution = _distribution(name, folder)
    if distribution is None:
        return _PROVIDED.get(name) if canonical_name("setuptools") not in chosen else None
    numbers = [int(part) for part in re.findall(r"\d+", distribution.version)[:2]]
    major, minor = (*numbers, 0, 0)[:2]
    own = canonical_name(distribution.metadata["Name"])
    if own in chosen and re.fullmatch(rf"{re.escape(own)}<{major}\.\d+", chosen[own]):
        minor //= 2  # the last series was not old enough, and there may be dozens
    if major and (own not in chosen or not minor):
        return f"{own}<{major}"
    return f"{own}<{major}.{minor}" if minor else None


def _distribution(name: str, folder: Path) -> Distribution | None:
    path = Path(name)
    if path.is_absolute():
        if not path.is_relative_to(folder):
            return None
        top = path.relative_to(folder).parts[0].removesuffix(".py")
    else:
        top = name.partition(".")[0]
    for found in distributions_in(folder):
        if any(file.parts[0] in (top, f"{top}.py") for file in found.files or ()):
            return found
    return None
