"""Lines of styled text for a given width.

Reports are lines of spans for a `Layout`: the width, and whether to show everything. Prose is wrapped at words and
never cut. Colours come from the styles of the spans, on terminals only.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterable
from typing import NamedTuple, TextIO

from plait.model.foreign import harmless, visible

PIPED = 100  # columns where nobody says how many there are: a file, a pipe, a log
NARROWEST, WIDEST = 40, 200
_LONGEST_TEXT = 20_000  # characters of one message
_PROSE = 110  # longer lines are hard to read, however wide the terminal is
_ENDLESS = 1_000_000
SCREEN = 45  # lines in which one finding is told


class Layout(NamedTuple):
    """The room of a report: columns, and whether steps may be folded.

    ``hint`` says how to see what is folded. In a file (``unwrapped``) a sentence is one line, so that programs such as
    grep find it.
    """

    width: int = PIPED
    full: bool = False
    hint: str = "--full shows them"
    unwrapped: bool = False

    @property
    def prose(self) -> int:
        """Columns for sentences."""
        return _ENDLESS if self.unwrapped else min(self.width, _PROSE)

    def within(self, indent: int) -> Layout:
        """Return the same for text that is indented."""
        return self._replace(width=self.width - indent)


def terminal_layout(*, full: bool = False, stream: TextIO | None = None) -> Layout:
    """Return the room that standard output has: ``COLUMNS``, the terminal's width, or that of a file."""
    found = _stated_columns() or _columns_of(sys.stdout if stream is None else stream)
    return _layout(found, full=full)


def piped_layout(*, full: bool = False) -> Layout:
    """Return the room that a file has."""
    return _layout(_stated_columns(), full=full)


def _layout(columns: int, *, full: bool) -> Layout:
    return Layout(max(NARROWEST, min(WIDEST, columns or PIPED)), full, unwrapped=not columns)


def _stated_columns() -> int:
    """Return what ``COLUMNS`` says; 0 if that is no number."""
    text = os.environ.get("COLUMNS", "")
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 6 else 0


def _columns_of(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (OSError, ValueError):  # closed, or not the kind of stream that has a number
        return 0


# -- lines -------------------------------------------------------------------------------------------------------------


class Span(NamedTuple):
    """Text in one style: a key of `_STYLES`, or plain."""

    text: str
    style: str = ""


Line = list[Span]


def as_text(lines: Iterable[Line]) -> str:
    """Return lines without styles, with nothing in them that a terminal or a CI system would obey."""
    return "\n".join(harmless("".join(span.text for span in line).rstrip()) for line in lines)


def indented(lines: Iterable[Line], by: int = 2) -> list[Line]:
    """Return the lines further to the right; empty ones stay empty."""
    return [[Span(" " * by), *line] if line else [] for line in lines]


def prose(text: str, layout: Layout, style: str = "", *, indent: int = 0, hang: int = 2) -> list[Line]:
    """Return sentences wrapped at words, the lines after the first one ``hang`` further to the right."""
    return [[Span(part, style)] for part in wrapped(text, layout.prose, indent, hang)]


def wrapped(text: str, width: int, indent: int = 0, hang: int = 2) -> list[str]:
    """Return text in lines of at most ``width``, broken between words only: a longer word stays whole."""
    first, rest = " " * indent, " " * (indent + hang)
    found: list[str] = []
    for part in _cut(text).splitlines() or [""]:
        found += textwrap.wrap(
            _UNIT.sub("\\1\N{NO-BREAK SPACE}", part),
            max(width, indent + hang + 10), initial_indent=rest if found else first, subsequent_indent=rest,
            break_long_words=False, break_on_hyphens=False, replace_whitespace=False, drop_whitespace=True,
        )  # fmt: skip
    return [part.replace("\N{NO-BREAK SPACE}", " ") for part in found]


def _cut(text: str) -> str:
    """Return text that a person may read: code under test can make a message of any length."""
    rest = len(text) - _LONGEST_TEXT
    return text if rest <= 0 else f"{text[:_LONGEST_TEXT]}... and {rest} more characters"


_UNIT = re.compile(r"(\d) (?=(s|ms|%)\b|%)")  # a number stays with its unit
_INDENT = re.compile(r" *")


def fitted(text: str, layout: Layout) -> list[Line]:
    """Return finished text with its long lines wrapped at words, below where their words begin."""
    lines: list[Line] = []
    for line in text.splitlines():
        if len(line) <= layout.width or layout.unwrapped:
            lines.append([Span(line)] if line else [])
            continue
        start = len(_INDENT.match(line)[0])  # type: ignore[index]
        lines += [[Span(part)] for part in wrapped(line.strip(), layout.width, start)]
    return lines


# -- terminal ----------------------------------------------------------------------------------------------------------


_STYLES = {"head": "bold cyan", "line": "", "note": "dim", "end": "bold red", "good": "green", "bad": "bold red",
           "why": "yellow", "race": "bold yellow", "title": "bold"}  # fmt: skip


def show(lines: Iterable[Line], file: TextIO | None = None) -> None:
    """Print lines, in colour on a terminal."""
    stream = sys.stdout if file is None else file
    if not stream.isatty():
        print(as_text(lines), file=stream)
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import, and seldom needed
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=stream, highlight=False, soft_wrap=True)
    for line in lines:
        text = Text.assemble(*((visible(span.text), _STYLES.get(span.style, "")) for span in line))
        text.rstrip()
        console.print(text)
