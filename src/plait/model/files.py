"""Safe access to the files of an untrusted project.

A name may lead to a device, to a pipe without a writer, to an endless file, or through a link to another place. Only
regular files are read, and nothing is written through a link. Everything else raises `OSError`.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import os
import stat
from pathlib import Path

LARGEST = 64 << 20
"""Maximum size in bytes of a file of source, settings or documents."""
LARGEST_SOURCE = 4 << 20
"""Maximum size in bytes of a source that is parsed. Its tree may take 700 times as many."""
_QUIETLY = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def file_bytes(file: Path | str, most: int = LARGEST) -> bytes:
    """Return the content of a regular file; raise `OSError` if it is none, or has more than ``most`` bytes."""
    descriptor = os.open(file, _QUIETLY)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no ordinary file", str(file))
        if status.st_size > most:
            raise OSError(errno.EFBIG, f"it has more than {most >> 20} MB", str(file))
        with open(descriptor, "rb", buffering=0, closefd=False) as opened:
            return opened.read(most)
    finally:
        os.close(descriptor)


def file_text(file: Path | str, errors: str = "strict", most: int = LARGEST) -> str:
    """Return the content of a regular text file."""
    return file_bytes(file, most).decode("utf-8", errors).replace("\r\n", "\n").replace("\r", "\n")


def parse_source(text: str | bytes, name: str = "<unknown>") -> ast.Module:
    """Return the syntax tree of a source; raise `SyntaxError` if the parser cannot make one."""
    if len(text) > LARGEST_SOURCE:
        raise SyntaxError(f"it has more than {LARGEST_SOURCE >> 20} MB")
    try:
        return ast.parse(text, name)
    except (RecursionError, MemoryError):
        raise SyntaxError("it is nested too deeply") from None
    except ValueError as error:
        raise SyntaxError(str(error)) from None


def make_folder(folder: Path) -> None:
    """Create a folder of plait's own if it does not exist; raise `OSError` if it is a link."""
    if folder.is_symlink():
        raise OSError(errno.ELOOP, "it is a link to another place", str(folder))
    folder.mkdir(parents=True, exist_ok=True)


def write_whole_file(file: Path, content: bytes) -> None:
    """Write a file atomically. A link of that name is replaced, not followed."""
    temporary = file.with_name(f".{file.name[:200]}.{os.urandom(6).hex()}")
    try:
        with temporary.open("xb") as opened:
            opened.write(content)
        temporary.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
