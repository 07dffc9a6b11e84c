"""The two ways in which plait itself can fail, and what a failure of its own may cost.

An error of plait's own costs the test that shows it, never the campaign nor what was found before: each stage of a
search runs in `guarded`, which turns such an error into a note that names the stage and the test.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from plait.model.foreign import exception_text

if TYPE_CHECKING:
    from plait.model.test import Test

NOTHING_FOUND, FOUND, UNUSABLE, INCONCLUSIVE, INTERRUPTED = 0, 1, 2, 3, 130
"""The exit codes of all commands."""
READER_GONE = 141  # what a shell gives a program whose output nobody reads any more; then there is no verdict yet
MOST_OWN_ERRORS = 5  # that one chunk of tests survives while tests are made: then something is wrong with all of them
BUG = "[plait bug]"
STOPPED = "plait stopped "
"""How the error of a call begins that code under test may not make."""
_T = TypeVar("_T")


class UsageError(Exception):
    """What was asked for cannot be done: one line says what was given, why it fails and what to do (exit code 2).

    ``about`` is for the program what the line is for people: one of the constants below, or nothing.
    """

    def __init__(self, message: str = "", *, about: str = "") -> None:
        super().__init__(message)
        self.about = about


NO_METHODS, NO_ANSWER = "no methods", "no answer"
"""What a `UsageError` may be about: a class without methods that threads could call; an import that took too long."""


class PlaitBugError(Exception):
    """A failure of plait, never of the code under test."""

    def __init__(self, message: str) -> None:
        super().__init__(f"{BUG} {message}")


class SpoiltError(PlaitBugError):
    """A failure of plait in a process in which code under test has broken what plait's own code needs."""

    def __init__(self, message: str) -> None:
        Exception.__init__(self, f"code under test has broken what plait's own code needs: {message}")


def _nobody(_error: BaseException) -> str:
    return ""


_blame: Callable[[BaseException], str] = _nobody


def blame_by(find: Callable[[BaseException], str]) -> None:
    """Let `spoiler_of` ask a function, in a process that has code under test."""
    global _blame
    _blame = find


def spoiler_of(error: BaseException) -> str:
    """Return what code under test has done to this process so that plait's own code raised; empty if nothing."""
    return _blame(error)


def own_error(stage: str, error: BaseException, test: Test | None = None, kept: str = "") -> str:
    """Return a note on an error of plait's own at a ``stage``, with the test that shows it and what is ``kept``."""
    said = " ".join(exception_text(error).removeprefix(BUG).split())[:300]
    import traceback  # noqa: PLC0415 - slow to import, and hardly ever needed

    frames = traceback.extract_tb(error.__traceback__)
    at = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    shown = "" if test is None else f", test: {_line(test)}"
    behind = f"{shown}{f'; {kept}' if kept else ''}"
    spoiler = spoiler_of(error)
    if spoiler:
        said = str(SpoiltError(f"{type(error).__name__}: {said} ({spoiler})"))
    if spoiler or isinstance(error, SpoiltError):
        return f"{stage}: {said}{behind}"
    return f"{BUG} {stage}: {type(error).__name__}: {said}{at}{behind}"


def guarded(stage: str, act: Callable[[], _T], notes: list[str], test: Test | None = None, kept: str = "") -> _T | None:
    """Return what ``act`` returns; None, and a note, if it raises what only plait can be to blame for.

    A `UsageError` is about what was asked for, and a `MemoryError` ends the process: both are raised.
    """
    try:
        return act()
    except (UsageError, MemoryError):
        raise
    except Exception as error:
        notes.append(own_error(stage, error, test, kept))
        return None


def _line(test: Test) -> str:
    """Return a test on one line: the prefix, then the threads side by side."""
    lines = test.as_lines()
    threads = " | ".join("; ".join(suffix) for suffix in lines["suffixes"])
    return "; ".join([*lines["prefix"], *([threads] if threads else [])])
