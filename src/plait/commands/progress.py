"""Progress output of a campaign: one updated line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TextIO

from plait.model.counted import counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live
    from rich.spinner import Spinner

    from plait.commands.budget import Budget

EVERY_S = 10.0  # seconds between two plain lines


@dataclass(slots=True)
class Count:
    """The figures to show."""

    tests: int = 0
    executions: int = 0
    pairs: int = 0
    covered: int = 0
    findings: int = 0


class Progress:
    """A context that shows the progress of a campaign; `show` is cheap and may be called at any rate.

    On a terminal, a thread repaints the line, so that the time advances even when nothing else happens; the line
    disappears at the end. Elsewhere a line is written every few seconds, and for every finding. ``quiet`` writes
    nothing.
    """

    def __init__(self, title: str, budget: Budget, *, quiet: bool = False, file: TextIO | None = None) -> None:
        self.count = Count()
        self._title = title
        self._budget = budget
        self._quiet = quiet
        self._file = sys.stderr if file is None else file
        self._live: Live | None = None
        self._written = time.monotonic()
        self._found = 0
        self._spinner: Spinner | None = None

    def __enter__(self) -> Self:
        if not self._quiet and self._file.isatty():
            from rich.console import Console  # noqa: PLC0415 - slow to import, and seldom needed
            from rich.live import Live  # noqa: PLC0415

            console = Console(file=self._file, highlight=False)
            self._live = Live(
                get_renderable=self._painted, console=console, transient=True, refresh_per_second=5,
                redirect_stdout=False, redirect_stderr=False,
            )  # fmt: skip
            self._live.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def show(
        self, *, tests: int | None = None, executions: int | None = None, pairs: int | None = None,
        covered: int | None = None, findings: int | None = None,
    ) -> None:  # fmt: skip
        """Update the figures; those that are not given stay as they are."""
        count = self.count
        count.tests = count.tests if tests is None else tests
        count.executions = count.executions if executions is None else executions
        count.pairs = count.pairs if pairs is None else pairs
        count.covered = count.covered if covered is None else covered
        count.findings = count.findings if findings is None else findings
        if self._quiet or self._live is not None:
            return
        now = time.monotonic()
        if count.findings > self._found or now - self._written >= EVERY_S:
            self._found, self._written = count.findings, now
            print(self.line(), file=self._file, flush=True)

    def say(self, text: str) -> None:
        """Print a line that stays on the screen."""
        if self._quiet:
            return
        if self._live is not None:
            self._live.console.print(text, markup=False, highlight=False)
        else:
            print(text, file=self._file, flush=True)

    def line(self) -> str:
        """Return all figures as one line without colour."""
        return ", ".join([f"{self._title}: {self._clock()}", *self._parts()])

    def _clock(self) -> str:
        if self._budget.wall is None:
            return f"{duration(self._budget.elapsed)} so far"
        return f"{duration(self._budget.left)} left"

    def _parts(self) -> list[str]:
        count = self.count
        limit = self._budget.max_tests
        rate = count.executions / max(self._budget.elapsed, 1e-9)
        tests = f"{count.tests} of {counted(limit, 'test')}" if limit else counted(count.tests, "test")
        parts = [tests, f"{shown_number(rate)} executions/s"]
        if count.pairs:
            parts.append(f"{count.covered} of {counted(count.pairs, 'pair')} covered")
        parts.append("nothing found yet" if not count.findings else f"{count.findings} found")
        return parts

    def _painted(self) -> RenderableType:
        from rich.spinner import Spinner  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415

        if self._spinner is None:
            self._spinner = Spinner("dots")
        text = Text(no_wrap=True, overflow="ellipsis")
        text.append(f"{self._title}: ", "bold")
        text.append(self._clock(), "cyan")
        for part in self._parts():
            text.append(", ", "dim")
            text.append(part, "bold red" if part.endswith(" found") else "")
        self._spinner.update(text=text)
        return self._spinner


def terminal_line(*, quiet: bool = False, plain: bool = False) -> Callable[[str], None]:
    """Return a function that shows the current activity as one line on the terminal; an empty text clears it.

    Without a terminal it shows nothing or, if ``plain``, a line every few seconds, for people who follow a log.
    """
    if not quiet and plain and not sys.stderr.isatty():
        return _line_now_and_then()
    if quiet or not sys.stderr.isatty():
        return lambda _text: None
    return lambda text: print(f"\r\033[K{text}", end="" if text else "\r", file=sys.stderr, flush=True)


def _line_now_and_then() -> Callable[[str], None]:
    written = time.monotonic()

    def say(text: str) -> None:
        nonlocal written
        if text and time.monotonic() - written >= EVERY_S:
            written = time.monotonic()
            print(text, file=sys.stderr, flush=True)

    return say


def duration(seconds: float) -> str:
    """Return a duration as text: ``42 s``, ``3 min 20 s``, ``1 h 05 min``."""
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def shown_number(value: float) -> str:
    """Return a number as text: ``87``, ``1,234``, ``12.3k``."""
    return f"{value / 1000:.1f}k" if value >= 10_000 else f"{round(value):,}"
