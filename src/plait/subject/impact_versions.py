"""Impacted code points between two versions of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.subject.impact import Impact
from plait.subject.impact_analysis import collect

if TYPE_CHECKING:
    from plait.subject.version import Version

_IN_GIT = ("worktree", "revision")


def impact_between(old: Version, new: Version) -> Impact:
    """The points of ``new`` that the change from ``old`` impacts; whole trees where both versions have one."""
    if old.kind in _IN_GIT and new.kind in _IN_GIT:
        return collect(old.tree or old.root, new.tree or new.root)
    return collect(old.root, new.root)


def impact_on_both(old: Version, new: Version) -> Impact:
    """The points of either version that the change between them impacts."""
    return Impact.together([impact_between(new, old), impact_between(old, new)])
