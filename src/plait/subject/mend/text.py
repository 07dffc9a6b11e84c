"""Edits of Python source that keep its comments, layout, line ends and strings.

All positions are those of the original text. Edits are collected line by line and applied at once. So a statement can
be indented, have a word replaced and get a line before it, and no caller has to adjust positions.
"""

from __future__ import annotations

import ast
import difflib
import io
import tokenize
from collections import defaultdict
from collections.abc import Sequence

from plait.errors import UsageError
from plait.model.files import parse_source

_UNIT = "    "


def parsed(text: str) -> ast.Module | None:
    """Return the tree of a text; None if it is no Python that this interpreter reads."""
    try:
        return parse_source(text)
    except SyntaxError:
        return None


def decoded(content: bytes, name: str) -> tuple[str, str]:
    """Return the text of a source file, line ends as they are, and its encoding; UsageError if it cannot be read."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding), encoding
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise UsageError(f"{name} cannot be read as source text: {error}") from None


def unified(name: str, before: str, after: str) -> str:
    """Return the difference of two texts of one file, as `patch` and `git apply` read it."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def diff_size(before: str, after: str) -> tuple[int, int]:
    """Return how many lines differ when indentation does not count, and how many when it does."""
    old, new = before.splitlines(), after.splitlines()
    return _changed([line.strip() for line in old], [line.strip() for line in new]), _changed(old, new)


def _changed(old: Sequence[str], new: Sequence[str]) -> int:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return sum(max(e1 - b1, 0) + max(e2 - b2, 0) for tag, b1, e1, b2, e2 in matcher.get_opcodes() if tag != "equal")


class SourceText:
    """The text of one module, and the edits of its lines (numbered from 1)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.end = "\r" if self.lines and self.lines[0].endswith("\r") else ""
        self._inner = _inside_strings(text)
        self._shift: dict[int, int] = defaultdict(int)
        self._before: dict[int, list[str]] = defaultdict(list)
        self._after: dict[int, list[str]] = defaultdict(list)
        self._spans: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
        self._gone: set[int] = set()
        self._units: dict[int, str] = {}

    def copy(self) -> SourceText:
        """Return the same text without any edits."""
        return SourceText(self.text)

    def line(self, number: int) -> str:
        """Return a line without its end."""
        return self.lines[number - 1].removesuffix("\r")

    def indent_of(self, number: int) -> str:
        """Return the blanks that a line begins with."""
        line = self.line(number)
        return line[: len(line) - len(line.lstrip(" \t"))]

    def column(self, number: int, offset: int) -> int:
        """Return the position in a line that the tree gives in bytes."""
        return len(self.line(number).encode()[:offset].decode(errors="replace"))

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node."""
        return ast.get_source_segment(self.text.replace("\r\n", "\n"), node) or ast.unparse(node)

    # -- edits --

    def shift(self, first: int, last: int, levels: int, unit: str = _UNIT) -> None:
        """Indent or dedent lines by so many levels; the continuation lines of strings stay as they are."""
        for number in range(first, last + 1):
            self._shift[number] += levels
            self._units[number] = unit

    def insert_before(self, number: int, *lines: str) -> None:
        """Insert whole lines before a line."""
        self._before[number].extend(lines)

    def insert_after(self, number: int, *lines: str) -> None:
        """Insert whole lines after a line."""
        self._after[number].extend(lines)

    def delete(self, first: int, last: int) -> None:
        """Delete lines."""
        self._gone.update(range(first, last + 1))

    def replace(self, node: ast.expr | ast.stmt, text: str) -> None:
        """Replace the text of a node."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start, end = self.column(node.lineno, node.col_offset), self.column(node.end_lineno, node.end_col_offset)
        if node.lineno == node.end_lineno:
            self.replace_span(node.lineno, start, end, text)
            return
        rest = self.line(node.end_lineno)[end:]
        self.replace_span(node.lineno, start, len(self.line(node.lineno)), text + rest)
        self.delete(node.lineno + 1, node.end_lineno)

    def replace_span(self, number: int, start: int, end: int, text: str) -> None:
        """Replace a part of one line."""
        self._spans[number].append((start, end, text))

    def result(self) -> str | None:
        """Return the text with all edits; None if that is no Python, or nothing has changed."""
        made: list[str] = []
        for number in range(1, len(self.lines) + 1):
            made += [f"{line}{self.end}" for line in self._before[number]]
            if number not in self._gone:
                made.append(self._edited(number))
            made += [f"{line}{self.end}" for line in self._after[number]]
        text = "\n".join(made)
        return text if text != self.text and parsed(text) is not None else None

    def _edited(self, number: int) -> str:
        line = self.lines[number - 1]
        for start, end, text in sorted(self._spans[number], reverse=True):
            line = line[:start] + text.replace("\n", f"{self.end}\n") + line[end:]
        levels = self._shift[number]
        if not levels or number in self._inner or not line.strip():
            return line
        unit = self._units[number]
        if levels > 0:
            return unit * levels + line
        for _ in range(-levels):
            line = line.removeprefix(unit)
        return line


def _inside_strings(text: str) -> frozenset[int]:
    """Return the lines that begin inside a string: their blanks are part of it."""
    found: set[int] = set()
    opened: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            name = tokenize.tok_name[token.type]
            if name == "STRING":
                found.update(range(token.start[0] + 1, token.end[0] + 1))
            elif name in ("FSTRING_START", "TSTRING_START"):
                opened.append(token.start[0])
            elif name in ("FSTRING_END", "TSTRING_END") and opened:
                found.update(range(opened.pop() + 1, token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return frozenset(range(1, text.count("\n") + 2))
    return frozenset(found)
