"""The end of every report: the statement of what was tested and what it covers, then the notes."""

from __future__ import annotations

from collections.abc import Sequence

from plait.model.result import Result
from plait.report.layout import Layout, Line, prose


def closing_lines(result: Result, statement: Sequence[str], layout: Layout) -> list[Line]:
    """Return the statement and the notes."""
    return [*statement_lines(result, statement, layout), *note_lines(result, layout)]


def statement_lines(result: Result, statement: Sequence[str], layout: Layout) -> list[Line]:
    """Return the sentences of a statement, the first one in the colour of the verdict."""
    head, *rest = statement
    lines = prose(head, layout, "good" if result.is_good else "bad")
    return [*lines, *(line for said in rest for line in prose(said, layout))]


def note_lines(result: Result, layout: Layout) -> list[Line]:
    """Return the notes, but not the reason, which the statement has said."""
    notes = [note for note in result.notes if note != result.reason]
    return [line for note in notes for line in prose(f"note: {note}", layout, "note")]
