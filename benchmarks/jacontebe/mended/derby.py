"""Shapes of faults of Derby 10.5: pages and containers, pooled connections, a class loader."""

import threading


class ContainerHandle:
    """An open container; whoever latches a page of it wants to know when it is closed."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.pages: list[Page] = []
        self.open = True

    def forget(self, page: "Page") -> None:
        with self.lock:
            if page in self.pages:
                self.pages.remove(page)

    def close(self) -> None:
        with self.lock:
            self.open = False
            pages = list(self.pages)
        for page in pages:
            page.closed(self)


class Page:
    """A page, latched by one container at a time."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.owner: ContainerHandle | None = None

    def closed(self, container: ContainerHandle) -> None:
        with self.lock:
            if self.owner is container:
                self.owner = None

    def latch(self, container: ContainerHandle) -> bool:
        with self.lock:
            if self.owner is not None:
                return False
            self.owner = container
        with container.lock:
            container.pages.append(self)
        return True

    def release(self) -> None:
        with self.lock:
            owner, self.owner = self.owner, None
        if owner is not None:
            owner.forget(self)


class Scan:
    """DERBY-4129: to release a page takes its lock and then the container's; to close the container, the reverse."""

    def __init__(self) -> None:
        self._container = ContainerHandle()
        self._page = Page()
        self._page.latch(self._container)

    def next_page(self) -> None:
        """Unlatch the page that was read."""
        self._page.release()

    def commit(self) -> None:
        """Close the container, and with it every page that is still latched."""
        self._container.close()

    def latched(self) -> bool:
        with self._page.lock:
            return self._page.owner is not None


class OverflowStream:
    """DERBY-5447: the same two locks as DERBY-4129, met by `read` and `close` of a stream over several pages."""

    def __init__(self, pages: int = 2) -> None:
        self._lock = threading.Lock()
        self._container = ContainerHandle()
        self._pages = [Page() for _ in range(pages)]
        self._next = 0

    def read(self) -> int:
        """Read the next page; returns its number, or -1 at the end."""
        with self._lock:
            if self._next == len(self._pages):
                return -1
            page = self._pages[self._next]
            self._next += 1
            page.latch(self._container)
            page.release()
            return self._next - 1

    def close(self) -> None:
        self._container.close()


class LogicalConnection:
    """What a client of a pooled connection holds."""

    def __init__(self, pooled: "PooledConnection") -> None:
        self.lock = threading.RLock()
        self.pooled: PooledConnection | None = pooled

    def close(self) -> bool:
        with self.lock:
            if self.pooled is None:
                return False
            pooled, self.pooled = self.pooled, None
        pooled.recycle()
        return True

    def detach(self) -> None:
        with self.lock:
            self.pooled = None


class PooledConnection:
    """DERBY-5560: a logical connection is closed under its lock, then the pooled one's; `close` is the reverse."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._logical = LogicalConnection(self)
        self._recycled = 0
        self._open = True

    def close_logical(self) -> bool:
        """Close what the client holds."""
        return self._logical.close()

    def recycle(self) -> None:
        with self._lock:
            self._recycled += 1

    def close(self) -> bool:
        """Close the connection under the client's."""
        with self._lock:
            was, self._open = self._open, False
            self._logical.detach()
            return was


class LogicalStatement:
    """DERBY-5561: the physical connection is tested, and used when it may be gone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._physical: dict[str, str] | None = {"select 1": "SELECT 1"}

    def native_sql(self, sql: str = "select 1") -> str:
        """Translate a statement."""
        with self._lock:
            if self._physical is None:
                raise ValueError("no current connection")
            return self._physical.get(sql, sql)

    def close(self) -> None:
        with self._lock:
            self._physical = None


class UpdateLoader:
    """DERBY-764: the loader's lock and the lock set's, taken in both orders by a change of a jar and by an unlock."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._set_lock = threading.RLock()
        self._held: set[str] = set()
        self._version = 0

    def modify_jar(self, name: str = "app") -> int:
        """Lock the class path, change a jar; returns its version."""
        with self._lock:
            with self._set_lock:
                self._held.add(name)
            self._version += 1
            return self._version

    def end_transaction(self) -> int:
        """Give up all locks; returns how many these were."""
        with self._set_lock:
            count = len(self._held)
            self._held.clear()
        for _ in range(count):
            self._unlocked()
        return count

    def _unlocked(self) -> None:
        with self._lock:
            self._version += 0
