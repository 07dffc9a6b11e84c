import io
import os
import pty
import select
import time

import pytest

from plait.commands import progress as module
from plait.commands.budget import Budget
from plait.commands.progress import Progress, duration, shown_number


def test_words():
    assert [duration(value) for value in (0.4, 59.6, 99, 200, 3600, 3900)] == [
        "0 s", "60 s", "99 s", "3 min 20 s", "1 h 00 min", "1 h 05 min",
    ]  # fmt: skip
    assert [shown_number(value) for value in (0, 87.4, 1234, 12_345)] == ["0", "87", "1,234", "12.3k"]


def plain(budget, **named):
    file = io.StringIO()
    return file, Progress("check m:C", budget, file=file, **named)


def test_the_line():
    budget = Budget(60.0)
    budget.started -= 20
    _, progress = plain(budget)
    progress.show(tests=340, executions=24_000, pairs=21, covered=14, findings=0)
    expected = "40 s left, 340 tests, 1,200 executions/s, 14 of 21 pairs covered, nothing found yet"
    assert progress.line() == f"check m:C: {expected}"
    progress.show(findings=2)
    assert progress.line().endswith("14 of 21 pairs covered, 2 found")


def test_the_line_with_a_limit_by_steps():
    budget = Budget(max_tests=500)
    budget.started -= 125
    _, progress = plain(budget)
    progress.show(tests=7)
    assert progress.line() == "check m:C: 2 min 05 s so far, 7 of 500 tests, 0 executions/s, nothing found yet"


def test_plain_lines_now_and_then_and_at_every_finding(monkeypatch):
    file, progress = plain(Budget(60.0))
    with progress:
        for tests in range(1000):
            progress.show(tests=tests)
        assert file.getvalue() == ""
        progress.show(findings=1)
        progress.show(findings=1)
        assert file.getvalue().count("\n") == 1
        assert "1 found" in file.getvalue()
        monkeypatch.setattr(module, "EVERY_S", 0.05)
        time.sleep(0.06)
        progress.show(tests=1000)
        progress.show(tests=1001)
        progress.say("nothing is kept")
    lines = file.getvalue().splitlines()
    assert len(lines) == 3
    assert "1,000 tests" in lines[1]
    assert lines[2] == "nothing is kept"
    assert "\x1b" not in file.getvalue()


def test_quiet(monkeypatch):
    monkeypatch.setattr(module, "EVERY_S", 0.0)
    file, progress = plain(Budget(60.0), quiet=True)
    with progress:
        progress.show(tests=1, findings=1)
        progress.say("nothing is kept")
    assert file.getvalue() == ""


@pytest.fixture
def terminal():
    """A terminal, and what was painted on it."""
    reader, writer = pty.openpty()

    def painted():
        text = b""
        while select.select([reader], [], [], 0.1)[0]:
            text += os.read(reader, 65536)
        return text.decode()

    with os.fdopen(writer, "w") as file:
        yield file, painted
    os.close(reader)


def test_on_a_terminal_the_line_lives_and_goes(terminal, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    file, painted = terminal
    with Progress("check m:C", Budget(60.0), file=file) as progress:
        progress.show(tests=3, executions=10, findings=1)
        text = ""
        while "3 tests" not in text:  # the line is painted now and then
            text += painted()
        progress.say("a [line] that stays")
        text += painted()
        assert "3 tests" in text
        assert "1 found" in text
        assert "a [line] that stays" in text
        assert "\x1b[?25l" in text
    assert "\x1b[?25h" in painted()
