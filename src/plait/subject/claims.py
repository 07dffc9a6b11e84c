"""Whether anybody has said that a class may be shared by threads: a lock in its module, a word in its documents.

Only text is read. A class that nobody has made for threads is not at fault if threads break it, and a reader wants to
know that first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

_WORDS = re.compile(
    r"thread|concurren|\braces?\b|\b[rf]?lock(s|ed|ing)?\b|atomic|synchroni[sz]|semaphore", re.IGNORECASE
)
_DOCUMENTS = ("README*", "CHANGE*", "HISTORY*", "*.rst", "docs/**/*.md", "docs/**/*.rst", "doc/**/*.md", "doc/**/*.rst")
_MOST = 300  # documents
_LARGEST = 2_000_000  # characters of one


def mentions_threads(sources: list[Path], root: Path, package: str) -> bool:
    """Return whether the source files of a class, or the documents of its package, say anything about threads.

    True where nothing could be read: who has not looked cannot tell.
    """
    read = [text for text in map(_text, sources) if text is not None]
    if not read:
        return True
    return any(_WORDS.search(text) for text in read) or any(_WORDS.search(text) for text in _documents(root, package))


def _documents(root: Path, package: str) -> Iterator[str]:
    """Yield the documents of a project, found at the root of its sources or above, or of an installed package."""
    installed = list(root.glob(f"{re.sub(r'[-_.]+', '[-_.]', package)}-*.dist-info/METADATA"))
    homes = [] if installed else [root, *([root.parent] if root.name in ("src", "lib") else [])]
    found = (path for home in homes for pattern in _DOCUMENTS for path in sorted(home.glob(pattern)))
    for path in islice((*installed, *found), _MOST):
        text = _text(path)
        if text is not None:
            yield text


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[:_LARGEST]
    except OSError:
        return None
