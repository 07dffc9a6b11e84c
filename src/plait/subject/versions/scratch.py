"""Folders that live as long as a version is used, also when the process that made them is killed.

Each folder holds a lock file whose lock the operating system drops with the process; the next user removes folders
whose lock is free. A process id would not do: temporary folders are shared between containers.
"""

from __future__ import annotations

import contextlib
import itertools
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
_SWEPT = (PREFIX, "plait-load-", "plait-session-")
"""Folders of measuring processes and of pytest sessions, which hold no lock, are removed after a day."""
LOCK = ".owner"
_DAY_S = 86_400


@contextlib.contextmanager
def scratch(parent: Path | None = None) -> Iterator[Path]:
    """Yield an empty folder, removed on leaving; leftovers of killed processes are removed on entering."""
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
        remove_tree(folder)


def sweep(parent: Path) -> None:
    """Remove what killed processes have left in ``parent``; ignore what cannot be removed."""
    with contextlib.suppress(OSError):
        for folder in itertools.chain.from_iterable(parent.glob(f"{each}*") for each in _SWEPT):
            with contextlib.suppress(OSError):
                if _is_abandoned(folder):
                    remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove a folder with everything in it, however deep: never recursive, never an error, no link is followed.

    Code under test may nest folders deeper than any path can be long. So what is found in a folder is moved up to the
    top first; then every folder that is removed is one below it.
    """
    if not (os.rename in os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_NOFOLLOW")):
        with contextlib.suppress(RecursionError):
            shutil.rmtree(folder, ignore_errors=True)
        return
    with contextlib.suppress(OSError):
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            _flatten(top)
        finally:
            os.close(top)
        folder.rmdir()


def _flatten(top: int) -> None:
    """Empty a folder, given by its descriptor."""
    numbers = itertools.count()
    waiting = [name for name in os.listdir(top) if not _unlinked(name, top)]
    while waiting:
        name = waiting.pop()
        with contextlib.suppress(OSError):
            os.chmod(name, 0o700, dir_fd=top)
        with contextlib.suppress(OSError):
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
            try:
                for entry in os.listdir(inner):  # noqa: PTH208 - as above
                    if not _unlinked(entry, inner):
                        moved = f"{os.getpid()}-{next(numbers)}"
                        with contextlib.suppress(OSError):
                            os.chmod(entry, 0o700, dir_fd=inner)
                        with contextlib.suppress(OSError):
                            os.rename(entry, moved, src_dir_fd=inner, dst_dir_fd=top)
                            waiting.append(moved)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)


def _unlinked(name: str, folder: int) -> bool:
    """Remove a file that is no folder; return whether it was one."""
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        return False
    return True


def _is_abandoned(folder: Path) -> bool:
    if folder.is_symlink() or folder.stat().st_uid != _user():
        return False
    if sys.platform == "win32" or not (folder / LOCK).is_file():
        return time.time() - folder.stat().st_mtime > _DAY_S
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
