"""Reports fit the width at hand, and nothing in them is cut."""

import io
from dataclasses import replace

import pytest
from report_samples import checked, compared, explored

from plait.report.check_text import check_text
from plait.report.diff_text import diff_text
from plait.report.explore_text import explore_text
from plait.report.layout import (
    NARROWEST,
    PIPED,
    SCREEN,
    WIDEST,
    Layout,
    as_text,
    fitted,
    prose,
    terminal_layout,
    wrapped,
)

WIDTHS = (72, 80, 100, 140)
REPORTS = {"check": (check_text, checked), "diff": (diff_text, compared), "explore": (explore_text, explored)}


COPIED = "Replay it: "  # a command to be copied stands in one line


class Terminal(io.StringIO):
    """A terminal of unknown width."""

    def isatty(self):
        return True


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_fits_its_width(name, width):
    report, sample = REPORTS[name]
    text = as_text(report(sample(), Layout(width)))
    assert max(len(line) for line in text.splitlines() if not line.startswith(COPIED)) <= width
    assert "…" not in text
    words = set(as_text(report(sample(), Layout(400))).split())
    assert {each for each in words if each.isalpha()} <= set(text.split())


@pytest.mark.parametrize("width", WIDTHS)
def test_one_finding_fits_one_screen(width):
    result = checked()
    (finding,) = result.findings
    start = finding.interleaving[0]
    own = [replace(start, line=number, verb="read", place=f"Account.own{number}") for number in range(100, 160)]
    finding.interleaving = [start, *own, *finding.interleaving[1:]]
    lines = as_text(check_text(result, Layout(width))).splitlines()
    end = next(number for number, line in enumerate(lines) if line.startswith("1 thread-safety violation"))
    assert end <= SCREEN + 1  # with an empty line before the verdict
    assert any("more steps" in line for line in lines)
    assert "more steps" not in as_text(check_text(result, Layout(width, full=True)))


def test_words_are_never_broken():
    text = "a word-with-hyphens and averyveryveryveryverylongword and more"
    assert wrapped(text, 20) == ["a word-with-hyphens", "  and", "  averyveryveryveryverylongword", "  and more"]
    assert as_text(prose(text, Layout(400))) == text


def test_finished_text_keeps_its_lines_and_their_indent():
    text = "short\n\n    " + "word " * 30
    lines = as_text(fitted(text, Layout(60))).splitlines()
    assert lines[:3] == ["short", "", "    " + " ".join(["word"] * 11)]
    assert all(line.startswith("      word") for line in lines[3:])


@pytest.mark.parametrize(
    ("columns", "width"),
    [("80", 80), ("140", 140), ("7", NARROWEST), ("99999", WIDEST), ("", PIPED), ("wide", PIPED), ("-3", PIPED)],
)
def test_columns_say_the_width(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal_layout(stream=io.StringIO()).width == width


def test_a_terminal_without_a_width_gets_that_of_a_file(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert terminal_layout(stream=Terminal()).width == PIPED
