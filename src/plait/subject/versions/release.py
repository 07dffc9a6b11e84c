"""A release from the package index, with its dependencies, in a cache that needs no network the second time."""

from __future__ import annotations

import difflib
import ensurepip
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plait.errors import UsageError
from plait.subject.versions.scratch import scratch

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_REQUIREMENT = re.compile(rf"({_NAME})\s*(\[[A-Za-z0-9._,\s-]*\])?\s*==\s*([\w.!+-]+)")


@dataclass(frozen=True, slots=True)
class Release:
    """One release of one distribution."""

    name: str
    extras: str
    number: str

    @classmethod
    def parse(cls, text: str) -> Release:
        """Read ``name==1.2.3``; UsageError where no single release is named."""
        found = _REQUIREMENT.fullmatch(text.strip())
        if found is None:
            raise UsageError(f"release {text!r} is not of the form pypi:NAME==NUMBER, such as pypi:cachetools==5.3.0")
        name, extras, number = found.groups()
        return cls(canonical_name(name), "".join((extras or "").split()), number)

    def __str__(self) -> str:
        return f"{self.name}{self.extras}=={self.number}"

    def folder(self, cache: Path) -> Path:
        """Return the folder in which the release is, or would be, installed for this interpreter."""
        return cache / "releases" / _tag() / re.sub(r"[^\w.+-]", "_", str(self))

    def fetch(self, cache: Path) -> tuple[Path, Path]:
        """Return the folders of the release and of its dependencies, installed into ``cache`` when missing."""
        kept = self.folder(cache)
        home = kept.parent
        if not kept.is_dir():
            with scratch(home) as stage:
                installed = stage / "installed"
                _install_release(self, installed, stage)
                split(installed, self.name)
                try:
                    installed.rename(kept)
                except OSError:
                    # Another process was faster; its copy is as good.
                    if not kept.is_dir():
                        raise
        return kept / "release", kept / "dependencies"


def canonical_name(name: str) -> str:
    """Return a distribution's name as all spellings of it are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _tag() -> str:
    """Return the interpreter that installed files are good for (a free-threaded build has its own)."""
    return str(sysconfig.get_config_var("SOABI") or f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}")


# -- installation ------------------------------------------------------------------------------------------------------
# Installation by pip into folders: releases with their dependencies, and missing requirements.


# What an old source distribution may need to be built: setuptools of this decade, or the last one with 2to3.
_BUILD_TOOLS = (("setuptools<81", "wheel"), ("setuptools<58", "wheel"))


def distributions_in(folder: Path) -> list[Distribution]:
    """Return the distributions that are installed in a folder."""
    from importlib.metadata import distributions  # noqa: PLC0415 - slow to import, for releases alone

    return list(distributions(path=[str(folder)]))


def pip_install(folder: Path, requirements: Iterable[str]) -> bool:
    """Put distributions into a folder, in place of others there; False, with nothing changed, if they cannot be had."""
    with scratch(folder.parent) as stage:
        fresh = stage / "fresh"
        if _pip(stage, fresh, *requirements).returncode != 0:
            return False
        names = {canonical_name(each.metadata["Name"]) for each in distributions_in(fresh)}
        for other in distributions_in(folder):
            if canonical_name(other.metadata["Name"]) in names:
                for file in other.files or ():
                    if ".." not in file.parts:
                        (folder / file).unlink(missing_ok=True)
                    if file.parts[0].endswith(".dist-info"):
                        shutil.rmtree(folder / file.parts[0], ignore_errors=True)
        shutil.copytree(fresh, folder, dirs_exist_ok=True)
    return True


def _install_release(release: Release, target: Path, stage: Path) -> None:
    """Install a release and what it depends on; UsageError with the reason where that fails."""
    first = _pip(stage, target, str(release))
    if first.returncode == 0:
        return
    if _is_build_failure(first.stdout):
        for number, tools in enumerate(_BUILD_TOOLS):
            folder = stage / f"tools-{number}"
            if _pip(stage, folder, *tools).returncode != 0:
                continue
            shutil.rmtree(target, ignore_errors=True)
            if _pip(stage, target, "--no-build-isolation", str(release), path=folder).returncode == 0:
                return
    raise UsageError(_explain(release, first.stdout))


def _pip(cwd: Path, target: Path, *arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Install into a folder; pip runs elsewhere than in the project, whose files could shadow what pip imports."""
    environment = os.environ | {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "LC_ALL": "C.UTF-8"}
    environment.pop("PIP_TARGET", None)
    environment.pop("PIP_PREFIX", None)
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    command = [
        *_pip_command(environment), "install", "--target", str(target), "--no-input", "--no-compile", "--prefer-binary",
        "--disable-pip-version-check", "--no-warn-script-location", "--progress-bar", "off", *arguments,
    ]  # fmt: skip
    return subprocess.run(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", check=False,
    )  # fmt: skip


def _pip_command(environment: dict[str, str]) -> list[str]:
    """Pip of this interpreter, else the copy that the interpreter carries for making environments."""
    if importlib.util.find_spec("pip") is None:
        folders = [Path(ensurepip.__file__).parent / "_bundled"]
        if elsewhere := sysconfig.get_config_var("WHEEL_PKG_DIR"):  # where distributions keep it
            folders.append(Path(elsewhere))
        bundled = sorted(wheel for folder in folders for wheel in folder.glob("pip-*.whl"))
        if not bundled:
            raise UsageError("releases are fetched with pip, which this Python lacks; run `python -m ensurepip`")
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(bundled[-1]), environment.get("PYTHONPATH"))))
    return [sys.executable, "-m", "pip"]


def _is_build_failure(output: str) -> bool:
    marks = ("metadata-generation-failed", "subprocess-exited-with-error", "Failed to build", "build dependencies")
    return any(mark in output for mark in marks)


def _explain(release: Release, output: str) -> str:
    what = f"pypi:{release}"
    if re.search(r"NewConnectionError|Max retries|ConnectTimeout|name resolution|ProxyError|SSLError", output):
        return f"{what}: the package index cannot be reached; check the network, or name a folder instead"
    listed = re.search(r"requirement (\S+?)==.*\(from versions: ([^)]*)\)", output)
    # The name as pip repeats it may carry extras; another name means that a dependency is what is missing.
    if listed and canonical_name(listed[1].partition("[")[0]) == release.name:
        if re.search(rf"(?:\s|;){re.escape(release.number)} Requires-Python", output):
            return f"{what} does not support Python {sys.version_info[0]}.{sys.version_info[1]}"
        numbers = [number for number in listed[2].split(", ") if number not in ("none", "")]
        if not numbers:
            return f"{what}: the package index has no package {release.name!r} for this Python"
        close = difflib.get_close_matches(release.number, numbers, n=1)
        hint = f"did you mean {close[0]}?" if close else f"the latest is {numbers[-1]}"
        return f"{what}: there is no release {release.number}; {hint}"
    reasons = re.findall(r"^\s*ERROR: (.*\S)", output, re.MULTILINE)
    if _is_build_failure(output):
        cause = re.findall(r"^\s*(?:\w+\.)*\w*(?:Error|Exception): .+$", output, re.MULTILINE)
        return f"{what} cannot be built on this Python: {cause[-1].strip() if cause else (reasons or ['unknown'])[0]}"
    return f"{what} cannot be installed: {(reasons or ['pip gave no reason'])[-1]}"


def split(installed: Path, name: str) -> None:
    """Move the release's files to ``release`` and all others to ``dependencies``.

    The code under test comes first on the path, its dependencies behind plait's own: apart, they cannot shadow these.
    """
    own, others = installed / "release", installed / "dependencies"
    found = distributions_in(installed)
    mine = [dist for dist in found if canonical_name(dist.metadata["Name"]) == name]
    theirs = [dist for dist in found if canonical_name(dist.metadata["Name"]) != name]
    own_files = {file for dist in mine for file in dist.files or () if ".." not in file.parts}
    other_files = {file for dist in theirs for file in dist.files or () if ".." not in file.parts} - own_files
    for folder, files in ((own, own_files), (others, other_files)):
        folder.mkdir()
        for file in sorted(files):
            source = installed / file
            if source.is_file():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                source.rename(folder / file)
    for entry in list(installed.iterdir()):
        if entry not in (own, others):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
