"""Shapes of faults of DBCP 1.2: connections, their pool, and a registry of data sources."""

import threading


class PoolableConnection:
    """A connection; its lock guards what is open on it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.lock = threading.RLock()
        self.statements = 0

    def validate(self) -> bool:
        with self.lock:
            self.statements += 1
            return True


class ConnectionPool:
    """DBCP-270: to close a connection takes its lock, then the pool's; the evictor takes them the other way round."""

    def __init__(self, size: int = 1) -> None:
        self._lock = threading.RLock()
        self._idle = [PoolableConnection(number) for number in range(size)]
        self._all = list(self._idle)

    def borrow(self) -> int:
        with self._lock:
            return self._idle.pop().number if self._idle else -1

    def close(self, number: int = 0) -> bool:
        """Give a connection back; False if it is idle already."""
        connection = self._all[number]
        with connection.lock:
            connection.statements = 0
            return self._returned(connection)

    def _returned(self, connection: PoolableConnection) -> bool:
        with self._lock:
            if connection in self._idle:
                return False
            self._idle.append(connection)
            return True

    def evict(self) -> int:
        """Test the idle connections; returns how many are in order."""
        with self._lock:
            return sum(connection.validate() for connection in self._idle)


class PoolingConnection:
    """DBCP-65: a statement is prepared under the connection's lock, then the pool's, and evicted the other way."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._pool_lock = threading.RLock()
        self._idle: dict[str, int] = {}
        self._trace: list[str] = []

    def prepare(self, sql: str = "select 1") -> int:
        """Take a statement from the pool; returns how often it was used before."""
        with self._lock:
            with self._pool_lock:
                used = self._idle.get(sql, 0)
                self._idle[sql] = used + 1
            return used

    def evict(self) -> int:
        """Activate and drop what is idle; returns how many statements that were."""
        with self._pool_lock:
            for sql in self._idle:
                self._activate(sql)
            count = len(self._idle)
            self._idle.clear()
            return count

    def _activate(self, sql: str) -> None:
        with self._lock:
            self._trace.append(sql)


class InstanceRegistry:
    """DBCP-369: instances are registered under the lock, and removed without it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._instances: dict[int, str] = {}

    def register(self, source: str) -> int:
        """Enter a data source under the first number that is free behind all others."""
        with self._lock:
            highest = 0
            for key in self._instances:
                highest = max(highest, key)
            self._instances[highest + 1] = source
            return highest + 1

    def remove(self, key: int) -> bool:
        return self._instances.pop(key, None) is not None
