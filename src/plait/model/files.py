"""Files of a project that may have come from anybody: read and written so that none of them does harm.

A name may lead to a device, to a pipe that nobody writes to, to something endless, or through a link to another place.
What is no ordinary file is not read, and nothing is written through a link. All of that is an `OSError`.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

LARGEST = 64 << 20
"""Bytes of a file of source, settings or documents."""
LARGEST_SOURCE = 4 << 20
"""Bytes of a source that is parsed. Its tree may take 700 times as many."""
_QUIETLY = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def file_bytes(file: Path | str, most: int = LARGEST) -> bytes:
    """Return what an ordinary file holds; `OSError` if it is none, or has more bytes than ``most``."""
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
    """Return what an ordinary file of text holds."""
    return file_bytes(file, most).decode("utf-8", errors).replace("\r\n", "\n").replace("\r", "\n")


def parse_source(text: str | bytes, name: str = "<unknown>") -> ast.Module:
    """Return the syntax tree of a source; `SyntaxError` for whatever the parser cannot make one of."""
    if len(text) > LARGEST_SOURCE:
        raise SyntaxError(f"it has more than {LARGEST_SOURCE >> 20} MB")
    try:
        return ast.parse(text, name)
    except (RecursionError, MemoryError):
        raise SyntaxError("it is nested too deeply") from None
    except ValueError as error:
        raise SyntaxError(str(error)) from None


def make_folder(folder: Path) -> None:
    """Make a folder of plait's own, unless it is there; `OSError` if a link stands in its place."""
    if folder.is_symlink():
        raise OSError(errno.ELOOP, "it is a link to another place", str(folder))
    folder.mkdir(parents=True, exist_ok=True)


def write_whole_file(file: Path, content: bytes) -> None:
    """Write a file, whole or not at all. A link of that name is replaced, not followed."""
    temporary = file.with_name(f".{file.name[:200]}.{secrets.token_hex(6)}")
    try:
        with temporary.open("xb") as opened:
            opened.write(content)
        temporary.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
