"""Colours are for terminals, and change no letter."""

import io
import re

import pytest
from report_samples import asked, checked, spoken

from plait.report.check_text import check_statement, check_text
from plait.report.layout import as_text
from plait.report.publish import write_all

SPOKEN = spoken()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def printed(result, monkeypatch, stream):
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    write_all(result.as_json(), asked(), check_text(result), check_statement(result))
    return stream.getvalue()


@pytest.mark.parametrize("name", SPOKEN)
def test_the_verdict_of_every_report_has_a_style(name):
    result, lines, sentences = SPOKEN[name]
    styles = {span.style for line in lines for span in line}
    assert styles & {"good", "bad"} or result.command == "perf"  # its first line gets one where it is published


def test_a_terminal_sees_the_finding_in_red(monkeypatch):
    result = checked()
    seen = printed(result, monkeypatch, Terminal())
    assert re.search(r"\x1b\[1;31m.*can leave `x.balance` -8", seen)
    assert re.sub(r"\x1b\[[0-9;]*m", "", seen).strip() == as_text(check_text(result)).strip()


def test_a_dumb_terminal_sees_no_colour(monkeypatch):
    result, stream = checked(), Terminal()
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setenv("TERM", "dumb")
    write_all(result.as_json(), asked(), check_text(result), check_statement(result))
    assert stream.getvalue() == as_text(check_text(result)) + "\n"


def test_a_pipe_sees_no_colour(monkeypatch):
    result = checked()
    assert printed(result, monkeypatch, io.StringIO()) == as_text(check_text(result)) + "\n"


def test_nothing_found_is_green(monkeypatch):
    result = checked(found=False)
    assert re.search(r"\x1b\[32mNo thread-safety violation found", printed(result, monkeypatch, Terminal()))
