"""Receipts: the output of a command, which is printed again before anything else is imported.

To look up a result in the store takes less time than to import the modules that do it. So a command whose next run
would be answered from the store leaves a receipt there, under the command line: the output of that run, and everything
on which it depends. `answer` prints the output if nothing of that has changed. Otherwise the command runs as usual, and
leaves another receipt. Only the fastest modules may be imported here: no ``pathlib``, no ``json``, no ``typing``.

A receipt is a text: a checksum of the rest, the exit code, the environment (interpreter, plait, installed packages),
the state of the store, the number of printed characters, a line for each input, an empty line, and what is printed and
written. A damaged receipt is ignored. The path of the result file is not in it: the command line says it.
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
TARGET = "\0"  # stands for the path of the result file
STORE = ".plait/store.sqlite"
ABSENT = "-"


def answer(words: Sequence[str]) -> int | None:
    """Repeat the output of the same command, and return its exit code; None if the command has to run."""
    try:
        if os.isatty(1) or "GIT_DIR" in os.environ or _elsewhere():
            return None  # in a terminal, width and colours matter; `GIT_*` variables change the answers of git
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
    """Write a receipt that depends on the present state of the files and folders ``inputs``; remove older ones.

    In ``printed``, `TARGET` in quotes stands for the path of the result file.
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
    """Return the line for a file, or for all Python files below a folder: the path and a hash of the content."""
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
    """Return whether the folder of receipts is a link, which may lead out of the project."""
    return os.path.islink(FOLDER) or os.path.islink(os.path.dirname(FOLDER))


def _quietly(path: str, flags: int) -> int:
    """Open a regular file; refuse pipes, which would wait, and devices."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if os.fstat(descriptor).st_mode & 0o170000 != 0o100000:
        os.close(descriptor)
        raise OSError("no ordinary file")
    return descriptor


def _is_harmless(printed: str) -> bool:
    """Return whether a text contains no commands to a terminal or a CI system: another program may have written it."""
    lines = printed.replace(TARGET, "").split("\n")
    return all(line.isprintable() and not line.startswith(("::", "##[")) for line in lines)


def _is_current(file: str) -> bool:
    """Return whether a receipt was written after the last change of the store."""
    with open(file, encoding="utf-8", errors="surrogateescape", newline="", opener=_quietly) as opened:
        lines = opened.read().split("\n", 4)
    return len(lines) > 3 and lines[3] == _store()


def _file(words: Sequence[str]) -> str:
    target, others = _parted(words)
    width = os.environ.get("COLUMNS", "")
    return f"{FOLDER}/{_digest(repr((others, target is None, os.getcwd(), width)))}"


def _parted(words: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """Return the file of the last ``--json FILE``, and the other arguments (``--json -`` is one of these)."""
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
    """Return the output with the name of the result file in it."""
    if target is None or f"'{TARGET}'" not in said:
        return said
    import shlex  # noqa: PLC0415 - seldom needed, and not quick

    return said.replace(f"'{TARGET}'", shlex.quote(target))


def _write(target: str | None, content: str) -> None:
    """Write a file atomically."""
    if target is not None:
        folder, name = os.path.split(target)
        temporary = os.path.join(folder, f".{name}.{os.urandom(6).hex()}")
        with open(temporary, "x", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(content)
        os.replace(temporary, target)


def _store() -> str:
    """Return a text that changes with every write to the store's file: its identity, size and times."""
    found = []
    for name in (STORE, f"{STORE}-wal"):
        with contextlib.suppress(FileNotFoundError):
            seen = os.stat(name)
            found.append(f"{seen.st_ino} {seen.st_size} {seen.st_mtime_ns}")
    return ", ".join(found)


def _environment() -> str:
    """Return a hash of the interpreter, plait's own files and the installed packages."""
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
