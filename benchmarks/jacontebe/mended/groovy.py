"""Shapes of faults of Groovy 1.7: class loading, a cache of nodes, builders and a matcher that is shared."""

import threading


class DuplicateClass(Exception):
    """A class was defined twice."""


class RootLoader:
    """GROOVY-3495: a loader asks whether a class is loaded and defines it, in two steps."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: dict[str, str] = {}

    def load(self, name: str = "Bindable") -> str:
        with self._lock:
            if name in self._loaded:
                return self._loaded[name]
            return self._define(name)

    def _define(self, name: str) -> str:
        if name in self._loaded:
            raise DuplicateClass(name)
        self._loaded[name] = f"class {name}"
        return self._loaded[name]


class NodeCache:
    """GROOVY-4292: a hash table with chains grows while others use it; entries get lost, a chain may become a ring."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._table: list[list | None] = [None, None]
        self._count = 0

    def put(self, key: int, node: str) -> None:
        with self._lock:
            self._put(key, node)

    def get(self, key: int) -> str | None:
        with self._lock:
            return self._get(key)

    def _get(self, key: int) -> str | None:
        entry = self._table[key % len(self._table)]
        while entry is not None:
            if entry[0] == key:
                return entry[1]
            entry = entry[2]
        return None

    def _put(self, key: int, node: str) -> None:
        place = key % len(self._table)
        entry = self._table[place]
        while entry is not None:
            if entry[0] == key:
                entry[1] = node
                return
            entry = entry[2]
        self._table[place] = [key, node, self._table[place]]
        self._count += 1
        if self._count > len(self._table):
            self._grow()

    def _grow(self) -> None:
        old, new = self._table, [None] * (2 * len(self._table))
        for entry in old:
            while entry is not None:
                following = entry[2]
                place = entry[0] % len(new)
                entry[2] = new[place]
                new[place] = entry
                entry = following
        self._table = new


class ScriptLoader:
    """GROOVY-4736: the cache of sources is locked before a class is initialised, and asked for while one is."""

    def __init__(self) -> None:
        self._sources = threading.RLock()
        self._initialising = threading.RLock()
        self._classes: dict[str, int] = {}

    def parse(self, name: str = "C2") -> int:
        """Compile a script: looks at the fields of the classes it names."""
        with self._sources:
            version = self._classes.get(name, 0) + 1
            self._classes[name] = version
        with self._initialising:
            return version

    def create(self, name: str = "C2") -> int:
        """Make an object: initialises its class, which loads others."""
        with self._initialising:
            with self._sources:
                return self._classes.get(name, 0)


class AntBuilder:
    """GROOVY-6068: the input stream is saved, replaced and restored, by several threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stream = "stdin"

    def perform(self, task: str) -> str:
        """Run a task with its own input; returns what it was given."""
        with self._lock:
            return self._perform(task)

    def _perform(self, task: str) -> str:
        saved = self._stream
        self._stream = f"demux of {task}"
        try:
            return self._stream
        finally:
            self._stream = saved

    def stream(self) -> str:
        """Return the stream that is in place when no task runs."""
        with self._lock:
            return self._stream


class NameMatcher:
    """Replaces a word; keeps the text and the position between calls, as a matcher of regular expressions does."""

    def __init__(self, word: str) -> None:
        self._word = word
        self._text = ""
        self._found = -1

    def reset(self, text: str) -> None:
        self._text = text
        self._found = -1

    def replace(self, new: str) -> str:
        self._found = self._text.find(self._word)
        if self._found < 0:
            return self._text
        return self._text[: self._found] + new + self._text[self._found + len(self._word) :]


class ScriptServlet:
    """GROOVY-6456: one matcher serves all requests."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._matcher = NameMatcher("a")

    def script_uri(self, uri: str) -> str:
        with self._lock:
            self._matcher.reset(uri)
            return self._matcher.replace("b")
