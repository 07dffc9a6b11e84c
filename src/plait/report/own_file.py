"""Files that plait writes beside a result, under names that are made from what was found.

A later run renews such a file, but only if it is about the same thing and nobody has edited it: the last line says what
the file is about, and what it held when it was written. Every other file keeps its name, and ours gets a number.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

_MARK = "# plait may overwrite this file, unless somebody has edited it ({about}, {content})\n"


def write_own(folder: Path, name: str, text: str, *about: str) -> Path:
    """Write ``text`` into ``folder`` as ``name``.py, or ``name``_2.py and so on; ``about`` says what it is about."""
    folder.mkdir(parents=True, exist_ok=True)
    topic = _short("\0".join(about))
    marked = _marked(text.encode("utf-8", "backslashreplace").decode("utf-8"), topic)
    number = 1
    while True:
        target = folder / f"{name}{'' if number == 1 else f'_{number}'}.py"
        try:
            with target.open("x", encoding="utf-8") as file:  # never what somebody else has just written
                file.write(marked)
        except FileExistsError:
            if _is_ours(target, topic):
                target.write_text(marked, encoding="utf-8")
                return target
            number += 1
        else:
            return target


def _marked(text: str, topic: str) -> str:
    return f"{text}\n{_MARK.format(about=topic, content=_short(text))}"


def _is_ours(file: Path, topic: str) -> bool:
    """Whether a file is about this, and as it was written."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    body = text[: max(0, text.rfind("\n#"))]
    return text == _marked(body, topic)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
