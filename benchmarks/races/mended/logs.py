"""A logger of a package that gets its handler with the first message, under a lock."""

import threading


class Handler:
    def __init__(self):
        self.lines = []

    def emit(self, text):
        self.lines.append(text)


class Logger:
    def __init__(self):
        self.level = None
        self.handlers = []

    def log(self, text):
        for handler in self.handlers:
            handler.emit(text)


_logger = None
_lock = threading.Lock()


def log(message: str) -> None:
    global _logger
    with _lock:
        if _logger is None:
            made = Logger()
            made.level = "info"
            made.handlers.append(Handler())
            _logger = made
        _logger.log(message)


def written() -> int:
    with _lock:
        return 0 if _logger is None else sum(len(handler.lines) for handler in _logger.handlers)
