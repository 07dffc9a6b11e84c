"""Colours are for terminals, and change no letter."""

import io
import re

import pytest
from report_samples import asked, checked, spoken

from plait.report.interleaving import as_text
from plait.report.publish import statement, styled, text, write_all

SPOKEN = spoken()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def printed(result, monkeypatch, stream):
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    write_all(result.as_json(), asked(), text(result), statement(result))
    return stream.getvalue()


@pytest.mark.parametrize("name", SPOKEN)
def test_styles_change_no_letter(name):
    result, said, sentences = SPOKEN[name]
    lines = styled(said, [each.summary for each in result.findings], sentences[0], good=False)
    assert as_text(lines) == said
    assert [line[0].style for line in lines].count("bad") >= 1


def test_a_terminal_sees_the_finding_in_red(monkeypatch):
    result = checked()
    seen = printed(result, monkeypatch, Terminal())
    assert re.search(r"\x1b\[1;31m.*can leave `x.balance` -8", seen)
    assert re.sub(r"\x1b\[[0-9;]*m", "", seen).strip() == text(result).strip()


def test_a_pipe_sees_no_colour(monkeypatch):
    result = checked()
    assert printed(result, monkeypatch, io.StringIO()) == text(result) + "\n"


def test_nothing_found_is_green(monkeypatch):
    result = checked(found=False)
    assert re.search(r"\x1b\[32mNo thread-safety violation found", printed(result, monkeypatch, Terminal()))
