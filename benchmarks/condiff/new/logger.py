"""C5: a logger (JDK 1.4.1, java.util.logging.Logger, JDK-4779253).

`log` looks at the filter twice under the logger's lock. In the faulty version `set_filter` writes it without the
lock, so the filter can become None between the two. Three conditions make this hard to find, as in the original: the
filter must have been set before, the concurrent call must set None, and the message must be at least of level INFO.
The handlers are told outside the lock; they have one of their own.
"""

import enum
import functools
import threading


def synchronized(method):
    """Hold the object's lock for the whole method."""

    @functools.wraps(method)
    def locked(self, *args, **kwargs):
        with self._lock:
            return method(self, *args, **kwargs)

    return locked


class Level(enum.IntEnum):
    """How important a message is, or has to be."""

    ALL = -(2**31)
    FINEST = 300
    FINER = 400
    FINE = 500
    CONFIG = 700
    INFO = 800
    WARNING = 900
    SEVERE = 1000
    OFF = 2**31 - 1


class LogRecord:
    """One message on its way to the handlers."""

    def __init__(self, level: Level, message: str) -> None:
        self.level_value = int(level)
        self.message = message
        self.source_class: str | None = None
        self.source_method: str | None = None
        self.bundle_name: str | None = None
        self.parameters: list[object] = []
        self.thrown: Exception | None = None


class Filter:
    """Lets records of at least a level pass."""

    def __init__(self, minimum: int = 0) -> None:
        self.minimum = minimum

    def is_loggable(self, record: LogRecord) -> bool:
        """Whether the record may pass."""
        return record.level_value >= self.minimum


class Handler:
    """Keeps the texts it was told."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.published: list[str] = []

    @synchronized
    def publish(self, record: LogRecord) -> None:
        """Keep the record's message."""
        self.published.append(record.message)


class Logger:
    """Sends messages to its handlers and to those of its parents."""

    _registry: "dict[str, Logger]" = {}
    _registry_lock = threading.RLock()

    def __init__(self, name: str | None = None, bundle_name: str | None = None) -> None:
        self._lock = threading.RLock()
        self._name = name
        self._bundle_name = bundle_name
        self._anonymous = name is None
        self._filter: Filter | None = None
        self._level: Level | None = None
        self._level_value = int(Level.INFO)
        self._handlers: list[Handler] = []
        self._parent: Logger | None = None
        self._use_parent_handlers = True

    @classmethod
    def get_logger(cls, name: str) -> "Logger":
        """The logger of that name, made on first demand."""
        with cls._registry_lock:
            if name not in cls._registry:
                cls._registry[name] = cls(name)
            return cls._registry[name]

    @classmethod
    def get_anonymous_logger(cls) -> "Logger":
        """A logger that nobody else can find."""
        return cls(None)

    @classmethod
    def get_anonymous_logger_with_bundle(cls, bundle_name: str) -> "Logger":
        """A logger that nobody else can find, with a resource bundle."""
        return cls(None, bundle_name)

    def get_resource_bundle_name(self) -> str | None:
        """The name of the resource bundle."""
        return self._bundle_name

    def get_resource_bundle(self) -> dict[str, str]:
        """The localised texts: there are none."""
        return {}

    def set_filter(self, new_filter: Filter | None) -> None:
        """Decide which records pass from now on; None lets all pass."""
        self._filter = new_filter

    def get_filter(self) -> Filter | None:
        """The filter in force."""
        return self._filter

    def log(self, record: LogRecord) -> None:
        """Publish a record, if its level and the filter let it pass."""
        if not self._passes(record.level_value):
            return
        with self._lock:
            if self._filter is not None and not self._filter.is_loggable(record):
                return
        logger: Logger | None = self
        while logger is not None:
            for handler in logger.get_handlers():
                handler.publish(record)
            if not logger.get_use_parent_handlers():
                break
            logger = logger.get_parent()

    def _passes(self, level_value: int) -> bool:
        return level_value >= self._level_value and self._level_value != int(Level.OFF)

    def _record(
        self, level: Level, message: str, source_class: str | None = None, source_method: str | None = None
    ) -> LogRecord:
        record = LogRecord(level, message)
        record.source_class = source_class
        record.source_method = source_method
        record.bundle_name = self._bundle_name
        return record

    def log_message(self, level: Level, message: str) -> None:
        """Log a message."""
        if self._passes(level):
            self.log(self._record(level, message))

    def log_parameter(self, level: Level, message: str, parameter: int) -> None:
        """Log a message with one parameter."""
        self.log_parameters(level, message, [parameter])

    def log_parameters(self, level: Level, message: str, parameters: list[int]) -> None:
        """Log a message with parameters."""
        if self._passes(level):
            record = self._record(level, message)
            record.parameters = list(parameters)
            self.log(record)

    def log_thrown(self, level: Level, message: str, thrown: Exception | None) -> None:
        """Log a message with an exception."""
        if self._passes(level):
            record = self._record(level, message)
            record.thrown = thrown
            self.log(record)

    def logp(self, level: Level, source_class: str, source_method: str, message: str) -> None:
        """Log a message from a named method."""
        if self._passes(level):
            self.log(self._record(level, message, source_class, source_method))

    def logp_parameter(
        self, level: Level, source_class: str, source_method: str, message: str, parameter: int
    ) -> None:
        """Log a message with one parameter from a named method."""
        self.logp_parameters(level, source_class, source_method, message, [parameter])

    def logp_parameters(
        self, level: Level, source_class: str, source_method: str, message: str, parameters: list[int]
    ) -> None:
        """Log a message with parameters from a named method."""
        if self._passes(level):
            record = self._record(level, message, source_class, source_method)
            record.parameters = list(parameters)
            self.log(record)

    def logp_thrown(
        self, level: Level, source_class: str, source_method: str, message: str, thrown: Exception | None
    ) -> None:
        """Log a message with an exception from a named method."""
        if self._passes(level):
            record = self._record(level, message, source_class, source_method)
            record.thrown = thrown
            self.log(record)

    def logrb(self, level: Level, source_class: str, source_method: str, bundle_name: str, message: str) -> None:
        """Log a message of a resource bundle."""
        if self._passes(level):
            record = self._record(level, message, source_class, source_method)
            record.bundle_name = bundle_name
            self.log(record)

    def logrb_parameter(
        self, level: Level, source_class: str, source_method: str, bundle_name: str, message: str, parameter: int
    ) -> None:
        """Log a message of a resource bundle with one parameter."""
        self.logrb_parameters(level, source_class, source_method, bundle_name, message, [parameter])

    def logrb_parameters(
        self,
        level: Level,
        source_class: str,
        source_method: str,
        bundle_name: str,
        message: str,
        parameters: list[int],
    ) -> None:
        """Log a message of a resource bundle with parameters."""
        if self._passes(level):
            record = self._record(level, message, source_class, source_method)
            record.bundle_name = bundle_name
            record.parameters = list(parameters)
            self.log(record)

    def logrb_thrown(
        self,
        level: Level,
        source_class: str,
        source_method: str,
        bundle_name: str,
        message: str,
        thrown: Exception | None,
    ) -> None:
        """Log a message of a resource bundle with an exception."""
        if self._passes(level):
            record = self._record(level, message, source_class, source_method)
            record.bundle_name = bundle_name
            record.thrown = thrown
            self.log(record)

    def entering(self, source_class: str, source_method: str) -> None:
        """Log that a method begins, at level FINER."""
        self.logp(Level.FINER, source_class, source_method, "ENTRY")

    def entering_parameter(self, source_class: str, source_method: str, parameter: int) -> None:
        """Log that a method begins with a parameter."""
        self.logp_parameter(Level.FINER, source_class, source_method, "ENTRY {0}", parameter)

    def entering_parameters(self, source_class: str, source_method: str, parameters: list[int]) -> None:
        """Log that a method begins with parameters."""
        self.logp_parameters(Level.FINER, source_class, source_method, "ENTRY", parameters)

    def exiting(self, source_class: str, source_method: str) -> None:
        """Log that a method ends, at level FINER."""
        self.logp(Level.FINER, source_class, source_method, "RETURN")

    def exiting_result(self, source_class: str, source_method: str, result: int) -> None:
        """Log that a method ends with a result."""
        self.logp_parameter(Level.FINER, source_class, source_method, "RETURN {0}", result)

    def throwing(self, source_class: str, source_method: str, thrown: Exception | None) -> None:
        """Log that a method ends with an exception."""
        self.logp_thrown(Level.FINER, source_class, source_method, "THROW", thrown)

    def severe(self, message: str) -> None:
        """Log at level SEVERE."""
        self.log_message(Level.SEVERE, message)

    def warning(self, message: str) -> None:
        """Log at level WARNING."""
        self.log_message(Level.WARNING, message)

    def info(self, message: str) -> None:
        """Log at level INFO."""
        self.log_message(Level.INFO, message)

    def config(self, message: str) -> None:
        """Log at level CONFIG."""
        self.log_message(Level.CONFIG, message)

    def fine(self, message: str) -> None:
        """Log at level FINE."""
        self.log_message(Level.FINE, message)

    def finer(self, message: str) -> None:
        """Log at level FINER."""
        self.log_message(Level.FINER, message)

    def finest(self, message: str) -> None:
        """Log at level FINEST."""
        self.log_message(Level.FINEST, message)

    @synchronized
    def set_level(self, new_level: Level | None) -> None:
        """Set the level below which messages are dropped; None takes the parent's."""
        self._level = new_level
        self._update_effective_level()

    def _update_effective_level(self) -> None:
        if self._level is not None:
            self._level_value = int(self._level)
        elif self._parent is not None:
            self._level_value = self._parent._level_value
        else:
            self._level_value = int(Level.INFO)

    def get_level(self) -> Level | None:
        """The level set for this logger."""
        return self._level

    def is_loggable(self, level: Level) -> bool:
        """Whether messages of that level pass."""
        return self._passes(level)

    def get_name(self) -> str | None:
        """The name, None for an anonymous logger."""
        return self._name

    @synchronized
    def add_handler(self, handler: Handler) -> None:
        """Send records to one more handler."""
        self._handlers.append(handler)

    @synchronized
    def remove_handler(self, handler: Handler) -> None:
        """Send no more records to the handler; an unknown one is ignored."""
        if handler in self._handlers:
            self._handlers.remove(handler)

    @synchronized
    def get_handlers(self) -> list[Handler]:
        """The handlers, as a list of the caller's own."""
        return list(self._handlers)

    @synchronized
    def set_use_parent_handlers(self, use_parent_handlers: bool) -> None:
        """Decide whether the parent's handlers are told too."""
        self._use_parent_handlers = use_parent_handlers

    @synchronized
    def get_use_parent_handlers(self) -> bool:
        """Whether the parent's handlers are told too."""
        return self._use_parent_handlers

    def get_parent(self) -> "Logger | None":
        """The parent, if there is one."""
        return self._parent

    def set_parent(self, parent: "Logger") -> None:
        """Change the parent; its handlers are told from now on."""
        ancestor: Logger | None = parent
        while ancestor is not None:
            if ancestor is self:
                raise ValueError("a logger cannot be its own ancestor")
            ancestor = ancestor._parent
        self._parent = parent
        self._update_effective_level()
