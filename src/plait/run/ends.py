"""What is raised to end a thread, a set-up or a look at an execution before its time."""

from __future__ import annotations


class Killed(BaseException):  # it must not look like an error that code under test would handle
    """Unwinds a virtual thread that an execution leaves behind."""


RAISED = (Exception, SystemExit, KeyboardInterrupt)
"""What a call under test may raise and its caller learns of: ``sys.exit`` ends the call, not plait."""


class SetupBlockedError(RuntimeError):
    """The set-up (or the check) waits for something that nobody will ever do."""

    def __init__(self) -> None:
        super().__init__("blocks for ever before any thread of the test has started")


class HeldError(RuntimeError):
    """Something was evaluated beside an execution that would have to wait for one of its threads."""

    def __init__(self) -> None:
        super().__init__("this would wait for a thread, and all threads are held")


class SetupFailedError(RuntimeError):
    """The set-up raised, which it did not when the test was made: something outside of the test has changed."""
