"""The database of a project: an SQLite file in `.plait/` with the results of earlier runs.

It contains the results of explored tests, under keys that stand for test, options and all code that they depend on
(`plait.store.keys`); coverage counts; and findings.

Invariants:

- **Any process may be killed at any moment, and two may work at once.** Every write is a short transaction.
- **A damaged row counts as absent.** The content is JSON with a checksum that covers the key, so that a valid row
  cannot stand under another key either.
- **Reading never runs anything.** A file with a trigger, a view or a table that is not plait's own counts as damaged.
- **A damaged file is set aside, never deleted**, and a new one is made.
- **No failure of the store fails a run.** What cannot be stored is not stored, and a message says so.

A wrong entry would be a false pass. So the only entries that are used are those under exactly the wanted key, with a
valid checksum.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import sqlite3
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from plait.model.files import make_folder

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FOLDER = ".plait"
FILE = "store.sqlite"
SCHEMA = 1
BUSY_S = 30.0
_LOCK_LOOK_S = 0.01
IMPATIENT_S = 0.5  # seconds, once the file has been locked for long, which code under test can do
_READER_BUSY_S = 1.0  # readers wait only for a process that repairs the file
MOST_UNITS = 200_000

_TABLES = {
    "units": (
        "CREATE TABLE units (key TEXT PRIMARY KEY, subject TEXT, content TEXT, checksum TEXT, at REAL) WITHOUT ROWID"
    ),
    "coverage": (
        "CREATE TABLE coverage (subject TEXT, item TEXT, count INTEGER, PRIMARY KEY (subject, item)) WITHOUT ROWID"
    ),
    "findings": (
        "CREATE TABLE findings (subject TEXT, cause TEXT, status TEXT, content TEXT, checksum TEXT, "
        "first REAL, last REAL, PRIMARY KEY (subject, cause)) WITHOUT ROWID"
    ),
}
_BESIDE = ("-wal", "-shm", "-journal")  # the further files of SQLite
_PASSING = (
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_IOERR,
)  # fmt: skip
_T = TypeVar("_T")


class Known(NamedTuple):
    """A finding of an earlier run: ``content`` is its form in result files, ``status`` is open or fixed."""

    subject: str
    cause: str
    status: str
    content: dict[str, Any]
    first: float
    last: float


class _Damaged(Exception):  # noqa: N818 - a state of the file, handled here
    """The file is no valid store."""


class Store:
    """The store below ``folder`` (a project's `.plait`), created when it is first opened.

    ``messages`` are for the user: a damaged file was set aside, or nothing can be stored. Workers open it
    ``read_only``: then nothing is created or repaired.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self.file = folder / FILE
        self.read_only = read_only
        self.messages: list[str] = []
        self._place: tuple[int, int] | None = None
        self._connection = self._opened()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    # -- explored units ---------------------------------------------------------------------------------------------

    def explored(self, key: str) -> dict[str, Any] | None:
        """Return the result of exploring a test with the same options and code before; None if there is none."""
        rows = self._read("SELECT content, checksum FROM units WHERE key = ?", (key,))
        return _content(key, *rows[0]) if rows else None

    def remember(self, subject: str, units: Mapping[str, Mapping[str, Any]]) -> None:
        """Store results of exploring tests, by key, in one transaction."""
        now = time.time()
        rows = [(key, subject, *_sealed(content, key), now) for key, content in units.items()]
        self._write("INSERT OR REPLACE INTO units VALUES (?, ?, ?, ?, ?)", rows)

    def units(self, subject: str) -> dict[str, dict[str, Any]]:
        """Return all results of explored tests of a subject, the latest first."""
        statement = "SELECT key, content, checksum FROM units WHERE subject = ? ORDER BY at DESC, key"
        found = {row[0]: _content(*row) for row in self._read(statement, (subject,))}
        return {key: content for key, content in found.items() if content is not None}

    # -- coverage ---------------------------------------------------------------------------------------------------

    def cover(self, subject: str, counts: Mapping[str, int]) -> None:
        """Add to the coverage counts."""
        statement = (
            "INSERT INTO coverage VALUES (?, ?, ?) "
            "ON CONFLICT (subject, item) DO UPDATE SET count = count + excluded.count"
        )
        self._write(statement, [(subject, item, count) for item, count in counts.items()])

    def coverage(self, subject: str) -> dict[str, int]:
        """Return how often each item (such as a pair of methods) was covered so far."""
        rows = self._read("SELECT item, count FROM coverage WHERE subject = ? ORDER BY item", (subject,))
        return {item: count for item, count in rows if isinstance(item, str) and isinstance(count, int)}

    # -- findings ---------------------------------------------------------------------------------------------------

    def record_finding(self, subject: str, cause: str, content: Mapping[str, Any], *, status: str = "open") -> None:
        """Store a finding under its cause; a finding that is stored already gets the new content and status."""
        now = time.time()
        statement = (
            "INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (subject, cause) DO UPDATE SET "
            "status = excluded.status, content = excluded.content, checksum = excluded.checksum, last = excluded.last"
        )
        self._write(statement, [(subject, cause, status, *_sealed(content, cause), now, now)])

    def settle(self, subject: str, cause: str, status: str) -> None:
        """Set the status of a finding, such as ``fixed``."""
        statement = "UPDATE findings SET status = ?, last = ? WHERE subject = ? AND cause = ?"
        self._write(statement, [(status, time.time(), subject, cause)])

    def findings(self, subject: str | None = None, *, status: str | None = None) -> list[Known]:
        """Return the stored findings, the oldest first."""
        rows = self._read(
            "SELECT subject, cause, status, content, checksum, first, last FROM findings "
            "WHERE (?1 IS NULL OR subject = ?1) AND (?2 IS NULL OR status = ?2) ORDER BY first, cause",
            (subject, status),
        )
        found = []
        for name, cause, state, content, checksum, first, last in rows:
            data = _content(cause, content, checksum)
            if data is not None and all(isinstance(text, str) for text in (name, cause, state)):
                found.append(Known(name, cause, state, data, float(first), float(last)))
        return found

    # -- the file ---------------------------------------------------------------------------------------------------

    def _read(self, statement: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        return self._kept(lambda: self._connection.execute(statement, values).fetchall()) or []

    def _write(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            self._kept(lambda: self._transaction(statement, rows))

    def _transaction(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        with _immediate(self._connection):
            self._connection.executemany(statement, rows)

    def _kept(self, act: Callable[[], _T]) -> _T | None:
        """Perform a write: with a new file if this one turns out to be damaged, not at all if it is impossible now."""
        if not self.read_only and self._place is not None and _place(self.file) != self._place:
            self._connection.close()  # another process has set the file aside or removed it
            self._connection = self._opened()
        for _ in range(2):
            try:
                return act()
            except sqlite3.DatabaseError as error:
                if self.read_only or self._is_passing(error):
                    self._wait_less()
                    self._say(f"{self.file} cannot be used now ({error}): what is found is not kept")
                    return None
            self._connection.close()
            self._connection = self._opened(suspicious=True)
        return None

    def _wait_less(self) -> None:
        """Wait for locks only briefly from now on, because a run writes many times."""
        if not self.read_only:
            self._connection.execute(f"PRAGMA busy_timeout = {IMPATIENT_S * 1000:.0f}")

    def _say(self, message: str) -> None:
        if message not in self.messages:
            self.messages.append(message)

    def _opened(self, *, suspicious: bool = False) -> sqlite3.Connection:
        # Whatever goes wrong, the command gets a store: one in memory if the file cannot be used. A run must not fail
        # because of its cache.
        self._place = None
        try:
            if self.read_only:
                return _checked_reader(self.file)
            self._make_folder()
            with self._alone():
                connection = self._repaired(suspicious=suspicious)
                self._place = _place(self.file)
                return connection
        except OSError as error:
            self._say(f"{self.file.parent} cannot be written ({error.strerror}): nothing is kept")
        except (_Damaged, sqlite3.DatabaseError) as error:
            self._say(f"{self.file} cannot be used ({error}): nothing is kept")
        connection = _connected(":memory:")
        _create(connection)
        return connection

    def _repaired(self, *, suspicious: bool) -> sqlite3.Connection:
        """Open the file if it is valid; else replace it by a new one. A lock keeps other processes from opening it."""
        try:
            return _checked(self.file, thorough=suspicious)
        except (_Damaged, sqlite3.DatabaseError) as error:
            if isinstance(error, sqlite3.DatabaseError) and self._is_passing(error):
                raise
            aside = self._set_aside()
            self._say(f"{self.file} was damaged ({error}); it is now {aside.name}, and a new one was begun")
        return _checked(self.file)

    def _is_passing(self, error: sqlite3.DatabaseError) -> bool:
        """Return whether an error is temporary or about the disk, and not about the content of the file."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_READONLY:  # a damaged file, too, may claim that it is read-only
            return not os.access(self.file, os.W_OK)
        return code in _PASSING

    def _set_aside(self) -> Path:
        # The file is not deleted: findings may be in it, and its author may want to know how it was damaged.
        aside = self.file.with_name(f"damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.sqlite")
        for suffix in (*_BESIDE, ""):
            with contextlib.suppress(FileNotFoundError):
                Path(f"{self.file}{suffix}").rename(f"{aside}{suffix}")
        return aside

    def _make_folder(self) -> None:
        folder = self.file.parent
        make_folder(folder)
        with contextlib.suppress(FileExistsError), (folder / ".gitignore").open("x", encoding="ascii") as ignored:
            ignored.write("*\n")

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Prevent two processes from opening, and perhaps replacing, the file at the same time."""
        # Do not follow a link, which may lead to a file outside of the project, and do not truncate the file.
        flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(self.file.parent / "lock", flags, 0o666), "wb") as lock:  # noqa: PTH123 - a descriptor
            _lock(lock.fileno())
            yield


def _lock(descriptor: int) -> None:
    """Take the lock for opening; raise `OSError` if another process holds it for too long.

    The system releases the lock when its process ends. But code under test may take it, and a process may be stopped.
    """
    if sys.platform != "win32":
        end = time.monotonic() + BUSY_S
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise OSError(errno.EAGAIN, "another process keeps it locked") from None
                time.sleep(_LOCK_LOOK_S)
            else:
                return


def _place(file: Path) -> tuple[int, int] | None:
    """Return the identity of the file that a path leads to at present."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _connected(name: str, *, patience: float | None = None) -> sqlite3.Connection:
    uri = name.startswith("file:")
    timeout = BUSY_S if patience is None else patience
    connection = sqlite3.connect(name, timeout=timeout, isolation_level=None, uri=uri, check_same_thread=False)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")  # damaged rows fail their checksum later
    with _closed_on_failure(connection):
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "synchronous = NORMAL"):
            connection.execute(f"PRAGMA {pragma}")
    return connection


@contextlib.contextmanager
def _closed_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _checked(file: Path, *, thorough: bool = False) -> sqlite3.Connection:
    """Return a connection to a valid store, created if needed; raise `_Damaged` or an error of the database."""
    if any(Path(f"{file}{suffix}").is_symlink() for suffix in ("", *_BESIDE)):
        raise _Damaged("it is a link to another file")
    connection = _connected(str(file))
    with _closed_on_failure(connection):
        if not file.exists() or not file.stat().st_size:
            connection.execute("PRAGMA journal_mode = WAL")
            _create(connection)
        if thorough:
            _scan(connection)
        _verify(connection)
        _prune(connection)
    return connection


def _checked_reader(file: Path) -> sqlite3.Connection:
    """Return a read-only connection to a valid store."""
    connection = _connected(f"{file.absolute().as_uri()}?mode=ro", patience=_READER_BUSY_S)
    with _closed_on_failure(connection):
        _verify(connection)
    return connection


def _scan(connection: sqlite3.Connection) -> None:
    found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        raise _Damaged(" ".join(found.split())[:120])


def _create(connection: sqlite3.Connection) -> None:
    with _immediate(connection):
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            for statement in _TABLES.values():
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _verify(connection: sqlite3.Connection) -> None:
    """Raise `_Damaged` unless the file has exactly the schema of a store."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA:
        raise _Damaged(f"its format is {version}, not {SCHEMA}")
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master").fetchall())
    if found != _TABLES:
        strange = sorted(map(str, found.keys() ^ _TABLES.keys())) or ["a changed table"]
        raise _Damaged(f"it does not have the tables of a store: {', '.join(strange)[:80]}")


def _prune(connection: sqlite3.Connection) -> None:
    """Delete the oldest half of the explored tests if there are too many."""
    if connection.execute("SELECT count(*) FROM units").fetchone()[0] > MOST_UNITS:
        with _immediate(connection):
            connection.execute(
                "DELETE FROM units WHERE key IN (SELECT key FROM units ORDER BY at LIMIT ?)", (MOST_UNITS // 2,)
            )


@contextlib.contextmanager
def _immediate(connection: sqlite3.Connection) -> Iterator[None]:
    """Open a transaction that takes the write lock before it reads."""
    # IMMEDIATE: a transaction that reads first and writes later fails at once, without waiting, if another one has
    # written in between.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _sealed(content: Mapping[str, Any], name: str) -> tuple[str, str]:
    """Return the text of a content, and a checksum over the text and the row's name."""
    # The name is part of it, so that a valid row that was copied to another key is refused as well.
    text = json.dumps(content, sort_keys=True)
    return text, hashlib.sha256(f"{name}\0{text}".encode()).hexdigest()


def _content(name: Any, text: Any, checksum: Any) -> dict[str, Any] | None:
    """Return the content of a row; None if its checksum is wrong."""
    if not isinstance(text, str):
        return None
    if checksum != hashlib.sha256(f"{name}\0{text}".encode("utf-8", "replace")).hexdigest():
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
