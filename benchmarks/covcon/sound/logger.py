"""A hierarchical logger; every method takes the lock under which ``log`` tests and uses the filter."""

from __future__ import annotations

from threading import RLock
from typing import ClassVar

SEVERE, WARNING, INFO, CONFIG, FINE, FINER, FINEST = 1000, 900, 800, 700, 500, 400, 300


class LogRecord:
    """One message on its way to the handlers."""

    def __init__(self, level: int = INFO, message: str = "") -> None:
        self.level = level
        self.message = message
        self.source: tuple[str, str] | None = None
        self.parameters: tuple[object, ...] = ()
        self.bundle: str | None = None


class Filter:
    """Rejects records below ``minimum``."""

    def __init__(self, minimum: int = INFO) -> None:
        self.minimum = minimum

    def is_loggable(self, record: LogRecord) -> bool:
        return record.level >= self.minimum


class Handler:
    """Where records end; this one drops them."""

    def __init__(self, name: str = "handler") -> None:
        self.name = name

    def publish(self, record: LogRecord) -> None:
        """Stateless on purpose: what is tested is the logger."""


class Logger:
    """Records at or above the level (INFO unless set) pass the filter and reach the handlers up the parent chain."""

    _lock = RLock()  # one for the whole hierarchy: a record visits several loggers
    _loggers: ClassVar[dict[str, Logger]] = {}

    def __init__(self, name: str | None = None, resource_bundle_name: str | None = None) -> None:
        self.name = name
        self.resource_bundle_name = resource_bundle_name
        self.filter: Filter | None = None
        self.level: int | None = None
        self.handlers: tuple[Handler, ...] = ()
        self.parent: Logger | None = None
        self.use_parent_handlers = True
        self.anonymous = False

    @classmethod
    def get_logger(cls, name: str) -> Logger:
        with cls._lock:
            if name not in cls._loggers:
                cls._loggers[name] = cls(name)
            return cls._loggers[name]

    @classmethod
    def get_logger_with_bundle(cls, name: str, resource_bundle_name: str) -> Logger:
        with cls._lock:
            logger = cls.get_logger(name)
            if logger.resource_bundle_name is None:
                logger.resource_bundle_name = resource_bundle_name
            return logger

    @classmethod
    def get_anonymous_logger(cls) -> Logger:
        with cls._lock:
            logger = cls()
            logger.anonymous = True
            return logger

    @classmethod
    def get_anonymous_logger_with_bundle(cls, resource_bundle_name: str) -> Logger:
        with cls._lock:
            logger = cls(None, resource_bundle_name)
            logger.anonymous = True
            return logger

    def get_name(self) -> str | None:
        with self._lock:
            return self.name

    def get_resource_bundle_name(self) -> str | None:
        with self._lock:
            return self.resource_bundle_name

    def get_resource_bundle(self) -> tuple[str, ...]:
        with self._lock:
            return () if self.resource_bundle_name is None else (self.resource_bundle_name,)

    def get_filter(self) -> Filter | None:
        with self._lock:
            return self.filter

    def set_filter(self, new_filter: Filter | None) -> None:
        with self._lock:
            self.filter = new_filter

    def get_level(self) -> int | None:
        with self._lock:
            return self.level

    def set_level(self, level: int | None) -> None:
        with self._lock:
            self.level = level

    def is_loggable(self, level: int) -> bool:
        with self._lock:
            return level >= self._effective_level()

    def get_handlers(self) -> tuple[Handler, ...]:
        with self._lock:
            return self.handlers

    def add_handler(self, handler: Handler) -> None:
        with self._lock:
            self.handlers = (*self.handlers, handler)

    def remove_handler(self, handler: Handler) -> None:
        with self._lock:
            self.handlers = tuple(other for other in self.handlers if other is not handler)

    def get_use_parent_handlers(self) -> bool:
        with self._lock:
            return self.use_parent_handlers

    def set_use_parent_handlers(self, flag: bool) -> None:
        with self._lock:
            self.use_parent_handlers = flag

    def get_parent(self) -> Logger | None:
        with self._lock:
            return self.parent

    def set_parent(self, parent: Logger) -> None:
        with self._lock:
            ancestor: Logger | None = parent
            while ancestor is not None:
                if ancestor is self:
                    raise ValueError("a logger cannot be its own ancestor")
                ancestor = ancestor.parent
            self.parent = parent

    def _effective_level(self) -> int:
        logger: Logger | None = self
        while logger is not None:
            if logger.level is not None:
                return logger.level
            logger = logger.parent
        return INFO

    def log_record(self, record: LogRecord) -> None:
        """Where all logging methods end."""
        with self._lock:
            if record.level < self._effective_level():
                return
            if self.filter is not None and not self.filter.is_loggable(record):
                return
            logger: Logger | None = self
            while logger is not None:
                for handler in logger.handlers:
                    handler.publish(record)
                if not logger.use_parent_handlers:
                    break
                logger = logger.parent

    def _send(
        self,
        level: int,
        message: str,
        *parameters: object,
        source: tuple[str, str] | None = None,
        bundle: str | None = None,
    ) -> None:
        record = LogRecord(level, message)
        record.parameters = parameters
        record.source = source
        record.bundle = self.resource_bundle_name if bundle is None else bundle
        self.log_record(record)

    def log(self, level: int, message: str) -> None:
        with self._lock:
            self._send(level, message)

    def log_with_parameter(self, level: int, message: str, parameter: object) -> None:
        with self._lock:
            self._send(level, message, parameter)

    def log_with_parameters(self, level: int, message: str, parameters: tuple[object, ...]) -> None:
        with self._lock:
            self._send(level, message, *parameters)

    def log_thrown(self, level: int, message: str, thrown: Exception | None) -> None:
        with self._lock:
            self._send(level, message, thrown)

    def logp(self, level: int, source_class: str, source_method: str, message: str) -> None:
        with self._lock:
            self._send(level, message, source=(source_class, source_method))

    def logp_with_parameter(
        self, level: int, source_class: str, source_method: str, message: str, parameter: object
    ) -> None:
        with self._lock:
            self._send(level, message, parameter, source=(source_class, source_method))

    def logp_with_parameters(
        self, level: int, source_class: str, source_method: str, message: str, parameters: tuple[object, ...]
    ) -> None:
        with self._lock:
            self._send(level, message, *parameters, source=(source_class, source_method))

    def logp_thrown(
        self, level: int, source_class: str, source_method: str, message: str, thrown: Exception | None
    ) -> None:
        with self._lock:
            self._send(level, message, thrown, source=(source_class, source_method))

    def logrb(self, level: int, source_class: str, source_method: str, bundle: str, message: str) -> None:
        with self._lock:
            self._send(level, message, source=(source_class, source_method), bundle=bundle)

    def logrb_with_parameter(
        self, level: int, source_class: str, source_method: str, bundle: str, message: str, parameter: object
    ) -> None:
        with self._lock:
            self._send(level, message, parameter, source=(source_class, source_method), bundle=bundle)

    def logrb_with_parameters(
        self,
        level: int,
        source_class: str,
        source_method: str,
        bundle: str,
        message: str,
        parameters: tuple[object, ...],
    ) -> None:
        with self._lock:
            self._send(level, message, *parameters, source=(source_class, source_method), bundle=bundle)

    def logrb_thrown(
        self, level: int, source_class: str, source_method: str, bundle: str, message: str, thrown: Exception | None
    ) -> None:
        with self._lock:
            self._send(level, message, thrown, source=(source_class, source_method), bundle=bundle)

    def entering(self, source_class: str, source_method: str) -> None:
        with self._lock:
            self._send(FINER, "ENTRY", source=(source_class, source_method))

    def entering_with_parameter(self, source_class: str, source_method: str, parameter: object) -> None:
        with self._lock:
            self._send(FINER, "ENTRY {0}", parameter, source=(source_class, source_method))

    def entering_with_parameters(
        self, source_class: str, source_method: str, parameters: tuple[object, ...]
    ) -> None:
        with self._lock:
            self._send(FINER, "ENTRY {0} {1}", *parameters, source=(source_class, source_method))

    def exiting(self, source_class: str, source_method: str) -> None:
        with self._lock:
            self._send(FINER, "RETURN", source=(source_class, source_method))

    def exiting_with_result(self, source_class: str, source_method: str, result: object) -> None:
        with self._lock:
            self._send(FINER, "RETURN {0}", result, source=(source_class, source_method))

    def throwing(self, source_class: str, source_method: str, thrown: Exception | None) -> None:
        with self._lock:
            self._send(FINER, "THROW", thrown, source=(source_class, source_method))

    def severe(self, message: str) -> None:
        with self._lock:
            self._send(SEVERE, message)

    def warning(self, message: str) -> None:
        with self._lock:
            self._send(WARNING, message)

    def info(self, message: str) -> None:
        with self._lock:
            self._send(INFO, message)

    def config(self, message: str) -> None:
        with self._lock:
            self._send(CONFIG, message)

    def fine(self, message: str) -> None:
        with self._lock:
            self._send(FINE, message)

    def finer(self, message: str) -> None:
        with self._lock:
            self._send(FINER, message)

    def finest(self, message: str) -> None:
        with self._lock:
            self._send(FINEST, message)

    def __repr__(self) -> str:
        with self._lock:
            filtered = self.filter is not None
            return f"Logger({self.name!r}, level={self.level}, filtered={filtered}, handlers={len(self.handlers)})"
