"""A logger of a package that gets its handler with the first message: two first messages give it two."""


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


def log(message: str) -> None:
    global _logger
    if _logger is None:
        _logger = Logger()
        if _logger.level is None:
            _logger.level = "info"
        if not _logger.handlers:
            _logger.handlers.append(Handler())
    _logger.log(message)


def written() -> int:
    return 0 if _logger is None else sum(len(handler.lines) for handler in _logger.handlers)
