"""A result that is set once and waited for by many."""

import threading


class AlreadySet(Exception):
    """The promise has a result."""


class Promise:
    """A result that will be there later."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._done = False
        self._result = None
        self._error = None

    def set_result(self, value) -> None:
        """Give the result; everybody who waits gets it."""
        with self._condition:
            if self._done:
                raise AlreadySet
            self._result = value
            self._done = True
            self._condition.notify_all()

    def fail(self, reason: str) -> None:
        """Give the reason why there will be no result."""
        with self._condition:
            if self._done:
                raise AlreadySet
            self._error = RuntimeError(reason)
            self._done = True
            self._condition.notify_all()

    def result(self, timeout=None):
        """Wait for the result and return it."""
        with self._condition:
            while not self._done:
                if not self._condition.wait(timeout):
                    raise TimeoutError
            if self._error is not None:
                raise self._error
            return self._result

    def done(self) -> bool:
        """Whether there is a result, or a reason for none."""
        with self._condition:
            return self._done
