"""Exceptions that end threads of a test: those that pytest's own handling would accept, and the others.

pytest warns of such a thread (`PytestUnhandledThreadExceptionWarning`) and lets the test pass. Here the thread fails
the test, unless the test or the project expects it: a filter that ignores the warning (a mark, the configuration file,
the command line), a ``pytest.warns`` around the thread's end, a `threading.excepthook` of its own.
"""

from __future__ import annotations

import threading
import traceback
import warnings
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.recwarn import WarningsChecker

if TYPE_CHECKING:
    from collections.abc import Iterator


class Deaths:
    """The threads that exceptions ended in one run of a test; `begin` starts a run, `close` ends the last one.

    The warnings of a run are recorded: a recorded warning was not accepted inside of the test. Those of the first run
    are passed on to pytest; those of later runs would only repeat them.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._log: list[warnings.WarningMessage] = []
        self._expecting: list[WarningsChecker] = []
        self._postponed: list[Warning] = []
        self._of: list[tuple[BaseException, Warning]] = []
        self._runs = 0

    def begin(self) -> None:
        """Start a run with the filters that pytest has set for this test."""
        self.close()
        self._runs += 1
        self._expecting, self._postponed, self._of = [], [], []
        log = self._stack.enter_context(warnings.catch_warnings(record=True))
        assert log is not None
        self._log = log

    def close(self) -> None:
        """End the run: the filters are what they were before it."""
        self._stack.close()
        if self._runs == 1:
            own = [warning for _error, warning in self._of]
            for entry in self._log:
                if not any(entry.message is warning for warning in own):
                    _emit_again(entry)
        self._log = []

    def died(self, error: BaseException, name: str) -> None:
        """Record the end of a thread as pytest does."""
        text = f"Exception in thread {name}\n\n{''.join(traceback.format_exception(error))}"
        self._warn(error, pytest.PytestUnhandledThreadExceptionWarning(text))

    def died_unraisably(self, error: BaseException, name: str) -> None:
        """Note the end of a thread of `_thread.start_new_thread`, which Python calls an unraisable exception."""
        text = f"Exception ignored in thread started by {name}\n\n{''.join(traceback.format_exception(error))}"
        self._warn(error, pytest.PytestUnraisableExceptionWarning(text))

    def _warn(self, error: BaseException, warning: Warning) -> None:
        """Warn at once only where the test waits for exactly this; pytest itself warns when the test is over."""
        self._of.append((error, warning))
        if any(type(warning) in checker.expected_warning for checker in self._expecting):
            _emit(warning, self._log)
        else:
            self._postponed.append(warning)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Track the open ``pytest.warns`` blocks until this block ends."""
        enter, leave = WarningsChecker.__enter__, WarningsChecker.__exit__
        expecting = self._expecting_now

        def entered(checker: Any) -> Any:
            expecting().append(checker)
            return enter(checker)

        def left(checker: Any, *error: Any) -> Any:
            if checker in expecting():
                expecting().remove(checker)
            return leave(checker, *error)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(WarningsChecker, "__enter__", entered)
            patch.setattr(WarningsChecker, "__exit__", left)
            try:
                yield
            finally:
                self.close()

    def _expecting_now(self) -> list[WarningsChecker]:
        return self._expecting

    def knows(self, error: BaseException) -> bool:
        """Return whether the error was the end of a thread of this run."""
        return any(error is known for known, _warning in self._of)

    def accepted(self, error: BaseException) -> bool:
        """Return whether the test or its project expects this exception to end a thread.

        Call this at the end of the run.
        """
        postponed, self._postponed = self._postponed, []
        for warning in postponed:
            _emit(warning, self._log)
        reached = [entry.message for entry in self._log]
        return any(error is known and not any(warning is each for each in reached) for known, warning in self._of)

    @contextmanager
    def of_os_threads(self) -> Iterator[None]:
        """Watch one run on OS threads; a project that replaces the hook handles the exceptions itself."""
        before = threading.excepthook
        if is_own_hook(before):
            yield
            return

        def hook(args: Any, /) -> None:
            if not isinstance(args.exc_value, SystemExit):
                self.died(args.exc_value, "<unknown>" if args.thread is None else args.thread.name)

        threading.excepthook = hook
        try:
            yield
        finally:
            threading.excepthook = before

    def unaccepted(self) -> list[BaseException]:
        """Return the unexpected errors of the run."""
        return [error for error, _warning in self._of if not self.accepted(error)]


def is_own_hook(hook: Any) -> bool:
    """Return whether a `threading.excepthook` is the project's, neither Python's nor pytest's."""
    module = getattr(getattr(hook, "func", hook), "__module__", None) or ""
    return hook is not threading.__excepthook__ and not module.startswith(("_pytest.", "plait."))


def _emit(warning: Warning, log: list[warnings.WarningMessage]) -> None:
    try:
        warnings.warn_explicit(warning, type(warning), __file__, 0, registry={})
    except Warning:  # a filter makes it an error: it is not accepted either
        log.append(warnings.WarningMessage(warning, type(warning), __file__, 0))


def _emit_again(entry: warnings.WarningMessage) -> None:
    with suppress(Warning):  # it was shown inside of the test, where the filters were others
        warnings.warn_explicit(entry.message, entry.category, entry.filename, entry.lineno, source=entry.source)
