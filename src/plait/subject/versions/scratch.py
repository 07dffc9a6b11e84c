"""Folders that live as long as a version is used, also when the process that made them is killed.

Each folder holds a lock file whose lock the operating system drops with the process; the next user removes folders
whose lock is free. A process id would not do: temporary folders are shared between containers.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

if sys.platform != "win32":  # without advisory locks only old folders are swept
    import fcntl

PREFIX = "plait-version-"
LOCK = ".owner"
DAY_S = 86_400


@contextlib.contextmanager
def scratch(parent: Path | None = None) -> Iterator[Path]:
    """An empty folder, removed on leaving; leftovers of killed processes are removed on entering."""
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    parent.mkdir(parents=True, exist_ok=True)
    sweep(parent)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    try:
        with (folder / LOCK).open("w") as owner:
            _try_lock(owner.fileno())
            files = folder / "files"
            files.mkdir()
            yield files
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(parent: Path) -> None:
    """Remove what killed processes have left in ``parent``."""
    for folder in parent.glob(PREFIX + "*"):
        with contextlib.suppress(OSError):
            if _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    if folder.is_symlink() or folder.stat().st_uid != _user():
        return False
    if sys.platform == "win32" or not (folder / LOCK).is_file():
        return time.time() - folder.stat().st_mtime > DAY_S
    with (folder / LOCK).open("r+") as owner:
        # A lock that was just created but not yet taken is young.
        return _try_lock(owner.fileno()) and time.time() - (folder / LOCK).stat().st_mtime > 2


def _try_lock(descriptor: int) -> bool:
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    return False


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0
