"""Versions as commands open them: releases of the package index get dependencies that they can be imported with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plait.subject.name import Subject
from plait.subject.version import Version, resolve


def cache_root() -> Path:
    """Where releases are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plait" / "releases"


@contextmanager
def opened(text: str, *, project: Path, subject: Subject, allow: tuple[str, ...] = ()) -> Iterator[Version]:
    """As `plait.subject.version.resolve`; a release's dependencies are mended if its module cannot be imported."""
    with resolve(text, project=project, cache=cache_root(), subject=subject) as version:
        if version.kind == "release":
            from plait.campaign.mending import mend  # noqa: PLC0415 - few versions are releases, and workers import much

            mend(version, subject, allow)
        yield version
