"""The memory of a project between campaigns: `.plait/`, an SQLite file.

It keeps tests with what exploring them gave, under a key that stands for test, options and all code they depend on
(`plait.store.keys`); coverage counts; and findings. Every write is a short transaction, so that any process
may be killed at any moment and two can work at once. The content is plain JSON with a checksum per row: a row that is
damaged counts as absent, and a file that is damaged is set aside and begun anew. Reading never runs anything: a file
with any trigger, view or table but our own is taken for damaged. No failure of the store fails a campaign: what cannot
be kept is not kept, and that is said.
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
LOCK_LOOK_S = 0.01
IMPATIENT_S = 0.5  # once somebody has kept the file for so long, which code under test can do
READER_BUSY_S = 1.0  # readers wait for nobody but those who repair the file
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
_BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps in files of its own
_PASSING = (
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_IOERR,
)  # fmt: skip
_T = TypeVar("_T")


class Known(NamedTuple):
    """A finding of an earlier campaign: ``content`` is its contract's form, ``status`` open or fixed."""

    subject: str
    cause: str
    status: str
    content: dict[str, Any]
    first: float
    last: float


class Damaged(Exception):  # noqa: N818 - a state of the file, handled here
    """The file is no store of ours."""


class Store:
    """The store below ``folder`` (a project's `.plait`), made when it is first opened.

    ``messages`` tells what a person should know: that a damaged file was set aside, or that nothing can be kept.
    ``read_only`` opens what is there, for workers; nothing is created or repaired then.
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
        """Let go of the file."""
        self._connection.close()

    # -- explored units ---------------------------------------------------------------------------------------------

    def explored(self, key: str) -> dict[str, Any] | None:
        """Return what exploring gave, if it was done before with the same test, options and code."""
        rows = self._read("SELECT content, checksum FROM units WHERE key = ?", (key,))
        return _content(key, *rows[0]) if rows else None

    def remember(self, subject: str, units: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep what exploring gave, by key; all of it or, if this process dies meanwhile, nothing."""
        now = time.time()
        rows = [(key, subject, *_sealed(content, key), now) for key, content in units.items()]
        self._write("INSERT OR REPLACE INTO units VALUES (?, ?, ?, ?, ?)", rows)

    def units(self, subject: str) -> dict[str, dict[str, Any]]:
        """Return everything that was explored of a subject, the latest first."""
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
        """Return how often each item (a pair of methods) was covered so far."""
        rows = self._read("SELECT item, count FROM coverage WHERE subject = ? ORDER BY item", (subject,))
        return {item: count for item, count in rows if isinstance(item, str) and isinstance(count, int)}

    # -- findings ---------------------------------------------------------------------------------------------------

    def record_finding(self, subject: str, cause: str, content: Mapping[str, Any], *, status: str = "open") -> None:
        """Keep a finding, by what causes it; one that is known gets the new content and status."""
        now = time.time()
        statement = (
            "INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (subject, cause) DO UPDATE SET "
            "status = excluded.status, content = excluded.content, checksum = excluded.checksum, last = excluded.last"
        )
        self._write(statement, [(subject, cause, status, *_sealed(content, cause), now, now)])

    def settle(self, subject: str, cause: str, status: str) -> None:
        """Say what has become of a finding, such as ``fixed``."""
        statement = "UPDATE findings SET status = ?, last = ? WHERE subject = ? AND cause = ?"
        self._write(statement, [(status, time.time(), subject, cause)])

    def findings(self, subject: str | None = None, *, status: str | None = None) -> list[Known]:
        """Return the findings kept, the oldest first."""
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
        """Do it; with a new file if this one turns out to be damaged, not at all if it cannot be done now."""
        if not self.read_only and self._place is not None and _place(self.file) != self._place:
            self._connection.close()  # somebody has set the file aside, or removed it
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
        """Lose little time from now on: a campaign writes many times."""
        if not self.read_only:
            self._connection.execute(f"PRAGMA busy_timeout = {IMPATIENT_S * 1000:.0f}")

    def _say(self, message: str) -> None:
        if message not in self.messages:
            self.messages.append(message)

    def _opened(self, *, suspicious: bool = False) -> sqlite3.Connection:
        # Whatever goes wrong, a command gets a store: one in memory, if the file cannot be used. A campaign must not
        # fail because of its cache.
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
        except (Damaged, sqlite3.DatabaseError) as error:
            self._say(f"{self.file} cannot be used ({error}): nothing is kept")
        connection = _connected(":memory:")
        _create(connection)
        return connection

    def _repaired(self, *, suspicious: bool) -> sqlite3.Connection:
        """Return the file as it is, if it is sound; else a new one in its place. Nobody else opens it meanwhile."""
        try:
            return _checked(self.file, thorough=suspicious)
        except (Damaged, sqlite3.DatabaseError) as error:
            if isinstance(error, sqlite3.DatabaseError) and self._is_passing(error):
                raise
            aside = self._set_aside()
            self._say(f"{self.file} was damaged ({error}); it is now {aside.name}, and a new one was begun")
        return _checked(self.file)

    def _is_passing(self, error: sqlite3.DatabaseError) -> bool:
        """Return whether an error is about the moment (or the disk), and not about what the file holds."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_READONLY:  # a file may also claim that it is to be read only
            return not os.access(self.file, os.W_OK)
        return code in _PASSING

    def _set_aside(self) -> Path:
        # Not deleted: findings that people have looked at may be in it, and whoever damaged it may want to know.
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
        """Keep two processes from opening, and perhaps replacing, the file at the same time."""
        # A link would lead to a file of somebody else: none is followed, and nothing is cut.
        flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(self.file.parent / "lock", flags, 0o666), "wb") as lock:  # noqa: PTH123 - a descriptor
            _lock(lock.fileno())
            yield


def _lock(descriptor: int) -> None:
    """Take the lock that opening needs, as soon as it is free; `OSError` if somebody keeps it for too long.

    The system drops it with the process that has it. Code under test may take it, and a process may be stopped.
    """
    if sys.platform != "win32":
        end = time.monotonic() + BUSY_S
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise OSError(errno.EAGAIN, "another process keeps it locked") from None
                time.sleep(LOCK_LOOK_S)
            else:
                return


def _place(file: Path) -> tuple[int, int] | None:
    """Return which file a path leads to at present."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _connected(name: str, *, patience: float | None = None) -> sqlite3.Connection:
    uri = name.startswith("file:")
    timeout = BUSY_S if patience is None else patience
    connection = sqlite3.connect(name, timeout=timeout, isolation_level=None, uri=uri, check_same_thread=False)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")  # what was damaged fails its checksum later
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
    """Return a connection to a sound store, made if there is none; raises `Damaged` or an error of the database."""
    if any(Path(f"{file}{suffix}").is_symlink() for suffix in ("", *_BESIDE)):
        raise Damaged("it is a link to another file")
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
    """Return a connection to a sound store that cannot change it."""
    connection = _connected(f"{file.absolute().as_uri()}?mode=ro", patience=READER_BUSY_S)
    with _closed_on_failure(connection):
        _verify(connection)
    return connection


def _scan(connection: sqlite3.Connection) -> None:
    found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        raise Damaged(" ".join(found.split())[:120])


def _create(connection: sqlite3.Connection) -> None:
    with _immediate(connection):
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            for statement in _TABLES.values():
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _verify(connection: sqlite3.Connection) -> None:
    """Make sure that it is a store and nothing but one."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA:
        raise Damaged(f"its format is {version}, not {SCHEMA}")
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master").fetchall())
    if found != _TABLES:
        strange = sorted(map(str, found.keys() ^ _TABLES.keys())) or ["a changed table"]
        raise Damaged(f"it does not have the tables of a store: {', '.join(strange)[:80]}")


def _prune(connection: sqlite3.Connection) -> None:
    """Forget the oldest half of what was explored when there is too much of it."""
    if connection.execute("SELECT count(*) FROM units").fetchone()[0] > MOST_UNITS:
        with _immediate(connection):
            connection.execute(
                "DELETE FROM units WHERE key IN (SELECT key FROM units ORDER BY at LIMIT ?)", (MOST_UNITS // 2,)
            )


@contextlib.contextmanager
def _immediate(connection: sqlite3.Connection) -> Iterator[None]:
    """Open a transaction that waits for its turn before it reads."""
    # IMMEDIATE: a transaction that begins by reading and then wants to write fails at once if another one has written
    # in between, however long it would be ready to wait.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _sealed(content: Mapping[str, Any], name: str) -> tuple[str, str]:
    """Content as a row keeps it, and the checksum that ties it to its name."""
    # With the name in it: a sound row that was copied under another key is refused as well.
    text = json.dumps(content, sort_keys=True)
    return text, hashlib.sha256(f"{name}\0{text}".encode()).hexdigest()


def _content(name: Any, text: Any, checksum: Any) -> dict[str, Any] | None:
    """Return the content of a row, if it is what was once sealed."""
    if not isinstance(text, str):
        return None
    if checksum != hashlib.sha256(f"{name}\0{text}".encode("utf-8", "replace")).hexdigest():
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
