"""A release from the package index, with its dependencies, in a cache that needs no network the second time."""

from __future__ import annotations

import re
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from plait.errors import UsageError
from plait.subject.version_scratch import scratch

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
        return cls(canonical(name), "".join((extras or "").split()), number)

    def __str__(self) -> str:
        return f"{self.name}{self.extras}=={self.number}"

    def fetch(self, cache: Path) -> tuple[Path, Path]:
        """The folder of the release's own files and that of its dependencies, installed into ``cache`` when missing."""
        home = cache / "releases" / _tag()
        kept = home / re.sub(r"[^\w.+-]", "_", str(self))
        if not kept.is_dir():
            from plait.subject.installation import install_release, split  # noqa: PLC0415 - slow to import, seldom needed

            with scratch(home) as stage:
                installed = stage / "installed"
                install_release(self, installed, stage)
                split(installed, self.name)
                try:
                    installed.rename(kept)
                except OSError:
                    # Somebody else was faster; their copy is as good.
                    if not kept.is_dir():
                        raise
        return kept / "release", kept / "dependencies"


def canonical(name: str) -> str:
    """A distribution's name as all spellings of it are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _tag() -> str:
    """The interpreter that installed files are good for (a free-threaded build has its own)."""
    return str(sysconfig.get_config_var("SOABI") or f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}")
