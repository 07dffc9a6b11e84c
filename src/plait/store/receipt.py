"""Receipts: what a command would say again, given out before anything else is imported.

To look an answer up in the store takes less time than to import what looks it up. So a command whose next run would be
answered from the store leaves there, under its words, what that run would print, and everything that this depends on.
`answer` gives it out if all of that is as it was; otherwise the command runs as always, and leaves another one. Nothing
but the quickest modules may be imported here: no ``pathlib``, no ``json``, no ``typing``.

A receipt is text: a checksum of the rest, the exit code, what is around (interpreter, plait, installed packages), the
store as it was, the number of characters that are printed, a line for each input, an empty line, and what is printed
and written. A damaged one counts as none. It says what is written, but not where: the words of the command do.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys

from plait.model.folders import files_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FOLDER = ".plait/receipts"
TARGET = "\0"  # stands for the file that a result is written to
STORE = ".plait/store.sqlite"
ABSENT = "-"


def answer(words: Sequence[str]) -> int | None:
    """Print and write what the same command said before, and return its exit code; None if it has to run."""
    try:
        if os.isatty(1) or "GIT_DIR" in os.environ or _elsewhere():
            return None  # there, width and colours matter; so does who calls git
        with open(_file(words), encoding="utf-8", errors="surrogateescape", newline="", opener=_quietly) as file:
            seal, _, text = file.read().partition("\n")
        if seal != _digest(text):
            return None
        head, _, body = text.partition("\n\n")
        code, environment, store, size, *inputs = head.split("\n")
        if (
            environment != _environment()
            or store != _store()
            or any(line != receipt_state(line.partition(" ")[2]) for line in inputs)
        ):
            return None
        target, _ = _parted(words)
        if (target is not None and os.path.isdir(target)) or not _is_harmless(body[: int(size)]):
            return None
        _write(target, body[int(size) :])
        sys.stdout.write(_named(body[: int(size)], target))
        sys.stdout.flush()
        return int(code)
    except (OSError, ValueError):
        return None


def leave(words: Sequence[str], code: int, inputs: Iterable[str], printed: str, written: str = "") -> None:
    """Leave a receipt: ``inputs`` are files and folders, there or not, as they are now; older ones go.

    In what is ``printed``, `TARGET` in quotes stands for the result's file.
    """
    lines = [receipt_state(path) for path in sorted(set(inputs))]
    if any("\n" in line for line in lines):
        return
    head = "\n".join([str(code), _environment(), _store(), str(len(printed)), *lines])
    text = f"{head}\n\n{printed}{written}"
    with contextlib.suppress(OSError, ValueError):
        if _elsewhere():
            return
        os.makedirs(FOLDER, exist_ok=True)
        file = _file(words)
        for name in os.listdir(FOLDER):
            if len(name) == len(_digest("")) and not _is_current(f"{FOLDER}/{name}"):
                os.remove(f"{FOLDER}/{name}")
        _write(file, f"{_digest(text)}\n{text}")


def receipt_state(path: str) -> str:
    """Return a file, or all Python files below a folder, with a hash of what is in it."""
    if os.path.isdir(path):
        found = "\n".join(receipt_state(file) for file in files_below(path, ".py"))
        content = found.encode(errors="surrogateescape")
    else:
        try:
            with open(path, "rb", buffering=0, opener=_quietly) as file:
                content = file.read()
        except OSError:
            return f"{ABSENT} {path}"
    return f"{hashlib.sha256(content).hexdigest()} {path}"


def _elsewhere() -> bool:
    """Return whether a link stands where receipts are: it would lead to files of somebody else."""
    return os.path.islink(FOLDER) or os.path.islink(os.path.dirname(FOLDER))


def _quietly(path: str, flags: int) -> int:
    """Open an ordinary file: nobody waits for a pipe, or reads a device."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if os.fstat(descriptor).st_mode & 0o170000 != 0o100000:
        os.close(descriptor)
        raise OSError("no ordinary file")
    return descriptor


def _is_harmless(printed: str) -> bool:
    """Return whether nothing in it is a command to a terminal or to a CI system: somebody else may have left it."""
    lines = printed.replace(TARGET, "").split("\n")
    return all(line.isprintable() and not line.startswith(("::", "##[")) for line in lines)


def _is_current(file: str) -> bool:
    """Return whether a receipt was left since the store was last changed."""
    with open(file, encoding="utf-8", errors="surrogateescape", newline="", opener=_quietly) as opened:
        lines = opened.read().split("\n", 4)
    return len(lines) > 3 and lines[3] == _store()


def _file(words: Sequence[str]) -> str:
    target, others = _parted(words)
    width = os.environ.get("COLUMNS", "")
    return f"{FOLDER}/{_digest(repr((others, target is None, os.getcwd(), width)))}"


def _parted(words: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """Return the file of ``--json FILE``, the last one given, and the other words: ``--json -`` is one of those."""
    target, others, left = None, [], iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        found = None if name != "--json" else value if equals else next(left, None)
        if found is None:
            others.append(word)
        else:
            target = found
    if target == "-":
        return None, (*others, "--json=-")
    return target, tuple(others)


def _named(said: str, target: str | None) -> str:
    """Return what was said, with the file's name in it."""
    if target is None or f"'{TARGET}'" not in said:
        return said
    import shlex  # noqa: PLC0415 - seldom needed, and not quick

    return said.replace(f"'{TARGET}'", shlex.quote(target))


def _write(target: str | None, content: str) -> None:
    """Write a file, whole or not at all."""
    if target is not None:
        folder, name = os.path.split(target)
        temporary = os.path.join(folder, f".{name}.{os.urandom(6).hex()}")
        with open(temporary, "x", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(content)
        os.replace(temporary, target)


def _store() -> str:
    """Return the store's file, as far as it shows from outside; whatever is kept or damaged there changes it."""
    found = []
    for name in (STORE, f"{STORE}-wal"):
        with contextlib.suppress(FileNotFoundError):
            seen = os.stat(name)
            found.append(f"{seen.st_ino} {seen.st_size} {seen.st_mtime_ns}")
    return ", ".join(found)


def _environment() -> str:
    """Return the interpreter, plait's own files and what is installed beside it."""
    found = [sys.version, sys.executable]
    found += _below(os.path.dirname(os.path.dirname(__file__)))
    for place in sys.path:
        with contextlib.suppress(OSError):
            found += [name for name in sorted(os.listdir(place or ".")) if name.endswith((".dist-info", ".egg-info"))]
    return _digest("\n".join(found))


def _below(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            if entry.name.endswith(".py"):
                seen = entry.stat()
                yield f"{entry.path} {seen.st_size} {seen.st_mtime_ns}"
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _below(entry.path)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()
