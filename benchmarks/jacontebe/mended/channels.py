"""Shapes of faults of the JDK's channels, files, references, engines and authentication."""

import threading


class ReferenceQueue:
    """JDK-4243978: the link of a reference serves two lists, and each list has a lock of its own."""

    def __init__(self) -> None:
        self._pending_lock = threading.Lock()
        self._queue_lock = threading.Lock()
        self._next: dict[int, int] = {}
        self._pending: list[int] = []
        self._head = -1

    def discover(self, reference: int) -> None:
        """Put a reference before the handler."""
        with self._pending_lock:
            if reference not in self._pending:
                self._pending.append(reference)

    def handle(self) -> int:
        """Take one reference from the pending list; returns it, or -1."""
        with self._pending_lock:
            if not self._pending:
                return -1
            reference = self._pending.pop()
            with self._queue_lock:
                if reference not in self._next:
                    self._next[reference] = reference
                return reference

    def enqueue(self, reference: int) -> None:
        """Put a reference at the head of the queue."""
        with self._queue_lock:
            if reference in self._listed():
                return
            self._next[reference] = reference if self._head == -1 else self._head
            self._head = reference

    def listed(self) -> list[int]:
        """Return the queue, from its head."""
        with self._queue_lock:
            return self._listed()

    def _listed(self) -> list[int]:
        found: list[int] = []
        here = self._head
        while here != -1 and here not in found:
            found.append(here)
            here = self._next[here]
        return found


class FileTree:
    """JDK-4742723: a folder is made with the one above it; who finds that one made by another gives up."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._folders = {""}

    def exists(self, parent: str, name: str) -> bool:
        with self._lock:
            return f"{parent}/{name}" in self._folders

    def _mkdir(self, path: str) -> bool:
        """Make one folder, as the system does: in one step."""
        with self._lock:
            if path in self._folders or path.rpartition("/")[0] not in self._folders:
                return False
            self._folders.add(path)
            return True

    def mkdirs(self, parent: str, name: str) -> bool:
        """Make a folder and those above it; False if it is there already."""
        with self._lock:
            return self._mkdirs(f"{parent}/{name}")

    def _mkdirs(self, path: str) -> bool:
        with self._lock:
            if path in self._folders:
                return False
        if self._mkdir(path):
            return True
        above = path.rpartition("/")[0]
        self._mkdirs(above)
        return self._mkdir(path)


class SelectionKey:
    """JDK-6436220: `attach` reads the old attachment and stores the new one, in two steps."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._attachment: str | None = None

    def attach(self, what: str) -> str | None:
        """Store; returns what was there before."""
        with self._lock:
            before = self._attachment
            self._attachment = what
            return before

    def attachment(self) -> str | None:
        return self._attachment


class Engine:
    """JDK-6492872: `wrap` holds the lock for writing and takes the engine's; a task takes them the other way."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._wrap_lock = threading.RLock()
        self._written: list[str] = []
        self._failed = False

    def wrap(self, data: str) -> int:
        """Write a record; returns how many are written."""
        with self._wrap_lock:
            with self._lock:
                if self._failed:
                    raise ValueError("a task failed")
            self._written.append(data)
            return len(self._written)

    def run_task(self) -> int:
        """Finish the handshake: writes the change of the cipher."""
        with self._lock:
            self._failed = False
        with self._wrap_lock:
            self._written.append("change cipher")
            return len(self._written)


class Authentication:
    """JDK-6648001: who asks for a password first keeps the others waiting, and goes without a word if there is none."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._asking: dict[str, int] = {}
        self._known: dict[str, str] = {}

    def learn(self, server: str, password: str) -> None:
        with self._condition:
            self._known[server] = password

    def ask(self, server: str = "host") -> str | None:
        """Return the password for a server; one thread at a time asks for each."""
        me = threading.get_ident()
        with self._condition:
            while self._asking.get(server, me) != me:
                self._condition.wait()
            self._asking[server] = me
        answer = self._answer(server)
        self._end(server)
        return answer

    def _answer(self, server: str) -> str | None:
        with self._condition:
            return self._known.get(server)

    def _end(self, server: str) -> None:
        with self._condition:
            self._asking.pop(server, None)
            self._condition.notify_all()


class SelectableChannel:
    """JDK-7132889: a channel is closed between the test that it is open and the entry of the new key."""

    def __init__(self) -> None:
        self._close_lock = threading.Lock()
        self._key_lock = threading.Lock()
        self._open = True
        self._keys: list[int] = []

    def register(self, key: int) -> None:
        """Enter a key; an error on a closed channel."""
        with self._key_lock:
            if not self._open:
                raise ValueError("closed")
            self._keys.append(key)

    def close(self) -> None:
        """Close; no key is valid afterwards."""
        with self._close_lock:
            with self._key_lock:
                if not self._open:
                    return
                self._open = False
                self._keys.clear()

    def valid_keys(self) -> int:
        with self._key_lock:
            return len(self._keys)


class FileChannel:
    """JDK-8012019: `close` holds the lock of the position and waits for readers, who need that lock to end."""

    def __init__(self) -> None:
        self._position_lock = threading.RLock()
        self._readers = threading.Condition()
        self._reading = 0
        self._open = True

    def read(self) -> int:
        """Read one byte; -1 if the channel is closed."""
        with self._readers:
            if not self._open:
                return -1
            self._reading += 1
        try:
            with self._position_lock:
                return 7
        finally:
            with self._readers:
                self._reading -= 1
                self._readers.notify_all()

    def close(self) -> bool:
        """Close, when nobody reads any more."""
        return self._closed()

    def _closed(self) -> bool:
        with self._readers:
            was, self._open = self._open, False
            while self._reading:
                self._readers.wait()
            return was
