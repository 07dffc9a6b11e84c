"""Shapes of faults of the JDK's annotations, properties, tasks, registries and loggers."""

import threading


class AnnotationTypes:
    """JDK-6588239: the types' lock is taken before a class's to make a type, and after it to read the annotations."""

    def __init__(self) -> None:
        self._types_lock = threading.RLock()
        self._class_lock = threading.RLock()
        self._types: dict[str, int] = {}
        self._read = False

    def instance(self, name: str = "Test") -> int:
        """Return the type of an annotation."""
        with self._types_lock:
            if name not in self._types:
                self._initialise()
                self._types[name] = len(self._types)
            return self._types[name]

    def annotations(self) -> bool:
        """Read the annotations of the class; False if they were read before."""
        with self._class_lock:
            if self._read:
                return False
            self._read = True
            with self._types_lock:
                return True

    def _initialise(self) -> None:
        with self._class_lock:
            self._read = True


class AnnotatedClass:
    """A class with annotations, which may be annotated by each other."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lock = threading.RLock()
        self.partner: AnnotatedClass | None = None
        self.types: dict[str, str] = {}


class AnnotationPair:
    """JDK-7122142: two annotations that are used on each other, each read under its own lock and then the types'."""

    def __init__(self) -> None:
        self._types_lock = threading.RLock()
        self._classes = [AnnotatedClass("A"), AnnotatedClass("B")]
        self._classes[0].partner, self._classes[1].partner = self._classes[1], self._classes[0]

    def declared(self, number: int = 0) -> str:
        """Return the annotations of one of the two."""
        one = self._classes[number % 2]
        with one.lock:
            return self._instance(one)

    def _instance(self, one: AnnotatedClass) -> str:
        with self._types_lock:
            partner = one.partner
            with partner.lock:
                one.types[partner.name] = partner.name
                return partner.name


class Properties:
    """JDK-6977738: `store` holds the properties and asks the launcher; the launcher asks for a property."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._launcher_lock = threading.RLock()
        self._values: dict[str, str] = {"path": "/"}
        self._path: str | None = None

    def put(self, key: str, value: str) -> None:
        with self._lock:
            self._values[key] = value

    def get(self, key: str) -> str | None:
        with self._lock:
            return self._values.get(key)

    def resource(self) -> str:
        """Return the launcher's path, which is made of a property when it is first asked for."""
        with self._launcher_lock:
            if self._path is None:
                self._path = f"boot of {self.get('path')}"
            return self._path

    def store(self) -> int:
        """Write all; the heading needs a resource. Returns how many were written."""
        with self._lock:
            self.resource()
            return len(self._values)


class FutureTask:
    """JDK-7132378: the state says that the task has run before the result is there."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._ran = False
        self._result: str | None = None

    def set(self, result: str) -> bool:
        """Give the result, once."""
        with self._lock:
            if self._ran:
                return False
            self._ran = True
            self._done.set()
            self._result = result
            return True

    def get(self) -> str | None:
        """Wait for the result."""
        self._done.wait()
        return self._result

    def done(self) -> bool:
        return self._done.is_set()


class Exported:
    """The objects that other programs can look up."""

    def __init__(self) -> None:
        self.names: dict[str, RegistryEntry] = {}


class RegistryEntry:
    """An entry; exports itself when it is made."""

    def __init__(self, exported: Exported, name: str) -> None:
        exported.names[name] = self


class SystemEntry(RegistryEntry):
    """The entry of the system, with its stub."""

    def __init__(self, exported: Exported, name: str, stub: str) -> None:
        super().__init__(exported, name)
        self.stub = stub


class Activation:
    """JDK-8023541: an entry can be looked up before its constructor has ended."""

    def __init__(self) -> None:
        self._exported = Exported()

    def start(self, name: str = "system") -> None:
        SystemEntry(self._exported, name, f"stub of {name}")

    def lookup(self, name: str = "system") -> str | None:
        entry = self._exported.names.get(name)
        return None if entry is None else entry.stub


class FilteredLogger:
    """JDK-4779253: the filter is tested and used under the lock, and replaced without it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._filter: set[str] | None = {"debug"}
        self._lines = 0

    def set_filter(self, levels: set[str] | None) -> None:
        self._filter = levels

    def log(self, level: str = "info") -> bool:
        """Write a line, if the filter lets it pass."""
        with self._lock:
            if self._filter is not None and level in self._filter:
                return False
            self._lines += 1
            return True


class LoggerTable:
    """JDK-7045594: two callers give a new logger two bundles, and neither is told."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bundles: dict[str, str | None] = {}

    def get_logger(self, name: str, bundle: str) -> str:
        """Return the bundle of a logger, which is given to it once."""
        with self._lock:
            self._bundles.setdefault(name, None)
        if self._bundles[name] is None:
            self._bundles[name] = bundle
        elif self._bundles[name] != bundle:
            raise ValueError(f"{self._bundles[name]} != {bundle}")
        return bundle


class LogManager:
    """JDK-8010939: the manager's lock and the context's, in one order for settings, in the other for a new logger."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._context = threading.RLock()
        self._levels: dict[str, int] = {}
        self._dropped = 0

    def add_logger(self, name: str) -> bool:
        """Add a logger, and clear away those that are gone; False if it is there already."""
        with self._context:
            self._drain()
            return self._added(name)

    def _added(self, name: str) -> bool:
        if name in self._levels:
            return False
        self._levels[name] = 0
        return True

    def _drain(self) -> None:
        with self._lock:
            self._dropped += 1

    def read_configuration(self, level: int = 1) -> int:
        """Set the level of all loggers; returns how many there are."""
        with self._lock:
            with self._context:
                for name in self._levels:
                    self._levels[name] = level
                return len(self._levels)
