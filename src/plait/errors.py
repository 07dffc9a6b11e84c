"""The two ways in which plait itself can fail."""


class UsageError(Exception):
    """What was asked for cannot be done: one line says what was given, why it fails and what to do (exit code 2)."""


class PlaitBugError(Exception):
    """A failure of plait, never of the code under test."""

    def __init__(self, message: str) -> None:
        super().__init__(f"[plait bug] {message}")
