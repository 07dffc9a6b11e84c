"""Classes that need collaborators which plait cannot make up: none of them can be tested without settings."""

import queue
import threading


class Pool:
    """A pool of connections; `connect` makes one."""

    def __init__(self, dsn, size):
        self._dsn = dsn
        self._lock = threading.Lock()
        self._free = queue.LifoQueue(size)

    def acquire(self):
        with self._lock:
            if self._free.empty():
                return self._dsn.connect()
            return self._free.get_nowait()

    def release(self, connection):
        connection.reset()
        self._free.put_nowait(connection)

    def status(self):
        return self._dsn.host


class Client:
    def __init__(self, session, base):
        self._session = session
        self._base = base
        self._lock = threading.Lock()
        self._token = None

    def login(self, user):
        with self._lock:
            self._token = self._session.post(self._base + "/login", user).json()["token"]

    def get(self, path):
        with self._lock:
            return self._session.get(self._base + path, headers={"token": self._token})

    def logout(self):
        with self._lock:
            self._session.delete(self._base)
            self._token = None


class Dispatcher:
    def __init__(self, executor):
        self._executor = executor
        self._lock = threading.Lock()
        self._futures = []

    def dispatch(self, job):
        with self._lock:
            self._futures.append(self._executor.submit(job.run))

    def drain(self):
        with self._lock:
            done = [each.result() for each in self._futures]
            self._executor.flush()
            return done

    def cancel(self):
        with self._lock:
            self._executor.shutdown()


class Loader:
    def __init__(self, backend):
        self._backend = backend
        self._lock = threading.RLock()
        self._rows = {}

    def load(self, key):
        with self._lock:
            if key not in self._rows:
                self._rows[key] = self._backend.fetch(key)
            return self._rows[key]

    def refresh(self):
        with self._lock:
            self._rows = dict(self._backend.items())

    def forget(self, key):
        with self._lock:
            del self._rows[key]


class Meter:
    def __init__(self, clock, sink):
        self._clock = clock
        self._sink = sink
        self._lock = threading.Lock()
        self._since = None

    def start(self):
        with self._lock:
            self._since = self._clock.now()

    def stop(self):
        with self._lock:
            self._sink.emit("stopped", self._clock.now() - self._since)
            self._since = None

    def peek(self):
        with self._lock:
            return self._clock.now() - self._since


class Sealed:
    """Its engine must know a word that nothing here tells."""

    def __init__(self, engine):
        self._engine = engine
        self._lock = threading.Lock()
        self._opened = 0

    def open(self):
        with self._lock:
            if hash(("seal", self._engine.word())) != 77:
                raise TypeError("the engine is not sealed")
            self._opened += 1
            return self._opened

    def count(self):
        with self._lock:
            return self._opened
