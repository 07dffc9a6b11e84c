"""Colours, on terminals only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from plait.report.table import Line, as_text

if TYPE_CHECKING:
    from collections.abc import Iterable

_STYLES = {"head": "bold cyan", "line": "", "note": "dim", "end": "bold red", "good": "green", "bad": "bold red",
           "why": "yellow", "title": "bold"}  # fmt: skip


def show(lines: Iterable[Line], file: TextIO | None = None) -> None:
    """Print lines, in colour if somebody looks at a terminal."""
    stream = sys.stdout if file is None else file
    if not stream.isatty():
        print(as_text(lines), file=stream)
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import, and seldom needed
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=stream, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((span.text, _STYLES.get(span.style, "")) for span in line)))
