"""The folder in which code under test runs. Files that an execution leaves there are removed before the next one."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from plait.subject.versions.scratch import remove_tree

_COARSE_NS = 50_000_000  # two changes of a folder within this time may have the same time stamp


class WorkFolder:
    """A folder, and the names of the files that stay in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._place = str(path)
        self.keep()

    def keep(self) -> None:
        """Keep the files that are there now: the import of the subject has made them."""
        self._names = _names(self.path)
        self._unchanged_since = -1  # the folder's time stamp when nothing was left in it

    def remove_left(self) -> None:
        """Remove the files that were created since `keep`.

        Most executions write no file, so this must be cheap. The folder is listed only if its time stamp has changed,
        or is so recent that a further change would not show.
        """
        try:
            changed = os.stat(self._place).st_mtime_ns  # noqa: PTH116 - a path object takes longer
            if changed == self._unchanged_since:
                return
            left = _names(self.path) - self._names
        except OSError:
            return  # the folder itself is gone
        for name in left:
            _remove(self.path / name)
        self._unchanged_since = -1 if left or time.time_ns() - changed < _COARSE_NS else changed


def _names(folder: Path) -> set[str]:
    return {entry.name for entry in os.scandir(folder)}


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        remove_tree(path)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
