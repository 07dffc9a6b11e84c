"""The subject that a user names: a class, or a module."""

from __future__ import annotations

import difflib
import keyword
from dataclasses import dataclass
from pathlib import Path

from plait.errors import UsageError

FORMS = "write module:Class, package.module:Class or path/file.py:Class"


@dataclass(frozen=True, slots=True)
class Subject:
    """A class, or with an empty ``qualname`` a whole module; ``file`` is set when it was named by its file."""

    module: str
    qualname: str
    file: Path | None = None

    def __str__(self) -> str:
        return f"{self.module}:{self.qualname}" if self.qualname else self.module

    @classmethod
    def parse(cls, text: str, *, path: Path | None = None) -> Subject:
        """Read SUBJECT as the command line has it; ``path`` (default: the current folder) is where files are looked up.

        A dotted name without a colon is split where the files say that the module ends; without files the first
        capitalised part begins the class. Raises UsageError with one line when that is not possible.
        """
        path = Path.cwd() if path is None else path
        head, colon, qualname = text.strip().rpartition(":")
        if not colon:
            head, qualname = qualname, ""
        if head.endswith(".py") or "/" in head or "\\" in head:
            return _from_file(text, head, qualname, path)
        if not _is_dotted(head) or (colon and not _is_dotted(qualname)):
            raise UsageError(f"subject {text!r} is not a name: {FORMS}")
        return cls(head, qualname) if colon else _from_dotted(text, path)


def _is_dotted(text: str) -> bool:
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in text.split("."))


def _from_file(text: str, head: str, qualname: str, path: Path) -> Subject:
    file = Path(head).expanduser()
    file = file if file.is_absolute() else next((f for f in (path / file, file) if f.is_file()), path / file)
    if file.is_dir():
        raise UsageError(f"subject {text!r} is a folder: `plait audit {head}` judges every class in it; {FORMS}")
    if not file.is_file():
        raise UsageError(f"subject {text!r}: there is no file {head}; {_near(file) or FORMS}")
    if file.suffix != ".py":
        raise UsageError(f"subject {text!r}: {head} is not a Python source file (.py)")
    if qualname and not _is_dotted(qualname):
        raise UsageError(f"subject {text!r}: {qualname!r} is not the name of a class; {FORMS}")
    file = file.resolve()
    parts = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        parts.insert(0, folder.name)
        folder = folder.parent
    module = ".".join(parts)
    if not module or not _is_dotted(module):
        raise UsageError(f"subject {text!r}: {file.name} cannot be imported; its name must be an identifier")
    return Subject(module, qualname, file)


def _near(file: Path) -> str:
    """Return the question for the file that was probably meant; nothing if no name in the folder is like it."""
    if not file.parent.is_dir():
        return ""
    close = difflib.get_close_matches(file.name, sorted(each.name for each in file.parent.glob("*.py")), 1)
    return f"did you mean {close[0]}?" if close else ""


def _from_dotted(text: str, path: Path) -> Subject:
    parts = text.split(".")
    tops = (path, path / "src", path / "lib")
    lengths = [n for n in range(len(parts), 0, -1) if any(is_module(top, ".".join(parts[:n])) for top in tops)]
    if lengths and lengths[0] == len(parts) and len(parts) > 1 and parts[-1][:1].isupper():
        package = ".".join(parts[:-1])
        raise UsageError(
            f"subject {text!r} is a module and may also be a class: write {package}:{parts[-1]} or {text}:Class"
        )
    if lengths:
        return Subject(".".join(parts[: lengths[0]]), ".".join(parts[lengths[0] :]))
    capital = next((n for n, part in enumerate(parts) if part.lstrip("_")[:1].isupper()), None)
    if capital:
        return Subject(".".join(parts[:capital]), ".".join(parts[capital:]))
    if capital is None:
        return Subject(text, "")
    raise UsageError(f"subject {text!r} names a class without its module: {FORMS}")


def is_module(root: Path, module: str) -> bool:
    """Return whether ``import module`` with ``root`` on the path finds a file there; parents need no ``__init__``."""
    base = root.joinpath(*module.split("."))
    try:
        if base.with_name(base.name + ".py").is_file() or (base / "__init__.py").is_file():
            return True
        return any(base.parent.glob(base.name + ".*.so")) or any(base.parent.glob(base.name + ".*.pyd"))
    except (OSError, ValueError):  # a folder that nobody may look into; a name that no file can have
        return False
