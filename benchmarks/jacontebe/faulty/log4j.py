"""Shapes of faults of Log4j 1.2: appenders, loggers and the thread that dispatches events."""

import threading


class AsyncAppender:
    """LOG4J-38137: one condition for all; the dispatcher notifies one waiter, and only when the buffer was full."""

    def __init__(self, size: int = 1) -> None:
        self._size = size
        self._events: list[str] = []
        self._condition = threading.Condition()

    def append(self, event: str = "event") -> None:
        """Put an event into the buffer; wait while it is full."""
        with self._condition:
            while len(self._events) >= self._size:
                self._condition.wait()
            self._events.append(event)
            if len(self._events) == 1:
                self._condition.notify()

    def dispatch(self) -> str:
        """Take the oldest event; wait while there is none."""
        with self._condition:
            while not self._events:
                self._condition.wait()
            event = self._events.pop(0)
            if len(self._events) == self._size - 1:
                self._condition.notify()
            return event


class Appender:
    """Writes events, one at a time."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.lines: list[str] = []


class Hierarchy:
    """LOG4J-41214: a logger's lock, then its appender's; to render an event may log, under the appender's lock."""

    def __init__(self) -> None:
        self._root_lock = threading.RLock()
        self._appender = Appender()

    def info(self, text: str = "text") -> int:
        """Log a text to the root; returns how many lines there are."""
        with self._root_lock:
            with self._appender.lock:
                self._appender.lines.append(text)
                return len(self._appender.lines)

    def info_object(self, name: str = "object") -> int:
        """Log an object that logs when it is rendered."""
        with self._appender.lock:
            self.info(f"rendering {name}")
            self._appender.lines.append(name)
            return len(self._appender.lines)


class ThrowableInformation:
    """LOG4J-44032: the lines of a stack are shared before they are filled in."""

    def __init__(self, stack: str = "error at a at b") -> None:
        self._stack = stack.split(" at ")
        self._lines: list[str] | None = None

    def lines(self) -> list[str]:
        """Return the lines of the stack, which are made once."""
        if self._lines is not None:
            return list(self._lines)
        self._lines = []
        for line in self._stack:
            self._lines.append(f"at {line}")
        return list(self._lines)


class DispatchedAppender:
    """LOG4J-50463: a dispatcher that dies of a bad event leaves those that wait for room waiting."""

    def __init__(self, size: int = 1) -> None:
        self._size = size
        self._events: list[int] = []
        self._condition = threading.Condition()
        self._closed = False
        self._total = 0
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def append(self, event: int = 1) -> None:
        """Put an event into the buffer; wait while it is full."""
        with self._condition:
            while len(self._events) >= self._size and not self._closed:
                self._condition.wait()
            if self._closed:
                raise ValueError("closed")
            self._events.append(event)
            self._condition.notify_all()

    def close(self) -> int:
        """End the dispatcher when all events are dealt with; returns their sum."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        self._thread.join()
        with self._condition:
            return self._total

    def _work(self) -> None:
        while True:
            with self._condition:
                while not self._events and not self._closed:
                    self._condition.wait()
                if not self._events:
                    return
                event = self._events.pop(0)
                self._condition.notify_all()
                self._total += 10 // event


class AppenderList:
    """LOG4J-54325: appenders are counted, then called one by one, while others remove them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._appenders = ["console", "file"]

    def add(self, name: str = "mail") -> None:
        with self._lock:
            self._appenders.append(name)

    def call_all(self) -> list[str]:
        """Return what each appender said."""
        said = []
        count = len(self._appenders)
        for number in range(count):
            said.append(self._appenders[number])
        return said

    def remove_all(self) -> int:
        count = len(self._appenders)
        self._appenders.clear()
        return count
