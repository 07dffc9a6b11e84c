"""The sound classes that bugs are planted into, and the calls that small tests of them are made of."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@dataclass(frozen=True, slots=True)
class Subject:
    """A sound class; ``makes`` and ``calls`` are what small tests use (`benchmarks.mutants.exhaust`)."""

    group: str  # the folder of benchmarks/ that it comes from
    file: Path
    cls: str
    makes: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.group}/{self.module}"

    @property
    def module(self) -> str:
        """What it is imported as."""
        return self.file.stem

    @property
    def source(self) -> str:
        """Its text."""
        return self.file.read_text(encoding="utf-8")

    @property
    def pool(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Constructors and calls for small tests, by hand or by annotation."""
        return (self.makes, self.calls) if self.makes else by_annotation(self.source, self.cls)


_OWN: dict[str, tuple[str, str, str]] = {
    "accounts": ("Accounts", "()", "save(6) save(12) spend(6) total() deposit(5) deposit(-1)"),
    "announcement": ("Announcement", "()", "announce(1) announce(2) read() is_known()"),
    "beacon": ("Beacon", "()", "hoist() lower() wait_up() wait_down()"),
    "bounded_buffer": ("BoundedBuffer", "(1)", "put(1) put(2) get() offer(3) size()"),
    "connection_pool": ("ConnectionPool", "(1)", "borrow() give_back(1) discard(1) counts()"),
    "counter": ("Counter", "(1) (3)", "increment() decrement() reset() value()"),
    "downloads": ("Downloads", "(1)", "load('a') load('b') publish('b',2) retract('a') loaded()"),
    "event_bus": ("EventBus", "()", "subscribe('a') subscribe('b') unsubscribe('a') publish(1) subscribers()"),
    "expiring": ("Expiring", "()", "put('a',1) put('b',2) sweep(1) sweep(2) forget_swept() alive() swept()"),
    "future": ("Promise", "()", "fulfil(1) fulfil(2) refuse() result() is_done()"),
    "gate": ("Gate", "()", "open() close() wait() is_open()"),
    "id_generator": ("IdGenerator", "(1) (2)", "new() give_back(0) give_back(1) reserve(2)"),
    "index": ("Index", "()", "add(1,'a') add(1,'b') remove(1) find('a') find('b') check()"),
    "interner": ("Interner", "()", "symbol('a') origin('a','f') origin('a','g') is_known('a')"),
    "jobs": ("Jobs", "()", "submit(1) submit(2) finish(1) drop_done() queued() report()"),
    "key_locks": (
        "KeyLocks", "()",
        ("increment('a') decrement('a') own('a','p') "
         "own('a','q') join('g','m') join('g','n') members('g')"),
    ),
    "latch": ("Latch", "(1) (2)", "count_down() open() wait() missing()"),
    "lazy_connection": ("LazyConnection", "()", "connection() statement() opened()"),
    "lazy_registry": ("LazyRegistry", "()", "service('a') is_started('a') aliases('a')"),
    "lazy_schema": ("LazySchema", "() ('')", "columns() key() both()"),
    "lazy_tables": ("LazyTables", "(2)", "square(1) cube(1) cube(5) computed()"),
    "lru_cache": ("LRUCache", "(1) (2)", "get('a') put('a',1) put('b',2) pop('a') size() keys()"),
    "mailbox": ("Mailbox", "()", "send(1) send(2) receive() close() has_message()"),
    "observers": ("Observers", "()", "add('a') add('b') remove('a') change(1) shout() marked()"),
    "pausable": ("Pausable", "()", "start() pause() step() wait_idle() is_running()"),
    "plugins": ("Plugins", "()", "install('a',1) install('b',2) uninstall('a') upgrade('a') listed()"),
    "priority_queue": ("PriorityQueue", "()", "add(1) add(2) take() close() size()"),
    "rate_limiter": ("RateLimiter", "(1,10)", "allow(1) allow(20) left() refund()"),
    "read_write_lock": ("ReadWriteLock", "()", "acquire_read() release_read() acquire_write() release_write() state()"),
    "registry": (
        "Registry", "()",
        ("register('a',1) register('b',1) rename('a','b') "
         "unregister('a') number_of('a') name_of(1) consistent()"),
    ),
    "resource_pool": ("ResourcePool", "(1)", "use(2) use(0) log(1) log(-1) logged(1)"),
    "routes": ("Routes", "()", "add('/a','t') add('/b','u') remove('/a') resolve('/a') paths()"),
    "session_store": (
        "SessionStore", "()",
        ("send('u','m') box('u') tag('u','t') "
         "tags('u') claim('r','u') claim('r','v') messages('u')"),
    ),
    "settings": ("Settings", "()", "set_range(1,2) set_range(3,9) widen(1) width() note('a') note('b') history()"),
    "stack": ("Stack", "(1)", "push(1) push(2) pop() clear() peek()"),
    "statistics": ("Statistics", "()", "add(1) add(5) add_pair(2,3) mean() summary() clear()"),
    "task_tracker": ("TaskTracker", "(1) (2)", "begin() finish() join() cancel_all()"),
    "throttle": ("Throttle", "(1)", "store('a',1) store('a',-1) add('a',1) remove('a') size()"),
    "token_bucket": ("TokenBucket", "(2)", "fill(1) fill(2) take(1) take(2) take(3) try_take(1)"),
    "warehouse": ("Warehouse", "(2)", "order('a',1) order('a',2) cancel('a') receive(1) replace('a','b') balance()"),
}  # fmt: skip


def _own() -> list[Subject]:
    return [
        Subject(
            "mutants", HERE / "subjects" / f"{module}.py", cls, tuple(cls + each for each in makes.split()),
            tuple(f"x.{call}" for call in calls.split()),
        )
        for module, (cls, makes, calls) in _OWN.items()
    ]  # fmt: skip


def _ports() -> list[Subject]:
    from benchmarks.condiff.scenarios import SUBJECTS
    from benchmarks.covcon.table import ROWS

    found = [Subject("covcon", row.sound, row.cls) for row in ROWS]
    found += [
        Subject("condiff", ROOT / "benchmarks" / "condiff" / "old" / f"{each.module}.py", each.class_name)
        for each in SUBJECTS
    ]
    capp = ROOT / "benchmarks" / "capp"
    found.append(
        Subject(
            "capp", capp / "bounded_buffer" / "old" / "bounded_buffer.py", "BufferImpl", ("BufferImpl(1)",),
            ("x.put(1)", "x.put(2)", "x.get()"),
        )
    )  # fmt: skip
    found.append(
        Subject(
            "capp", capp / "readers_writers" / "old" / "readers_writers.py", "GuardedCell", ("GuardedCell()",),
            ("x.read()", "x.write(1)", "x.before_read()", "x.after_read()", "x.before_write()", "x.after_write()"),
        )
    )  # fmt: skip
    found.append(Subject("demo", ROOT / "benchmarks" / "demo" / "old" / "account.py", "Account"))
    return found


def _monitors() -> list[Subject]:
    folder = ROOT / "benchmarks" / "monitors"
    if not folder.is_dir():
        return []
    from benchmarks.monitors.faults import CLASSES, SOUND

    return [Subject("monitors", SOUND / f"{module}.py", cls) for module, cls in CLASSES.items()]


@cache
def subjects() -> tuple[Subject, ...]:
    """All of them."""
    return (*_own(), *_monitors(), *_ports())


_VALUES = {"int": ("1", "0", "2"), "str": ("'a'", "'b'"), "float": ("1.0",), "bool": ("True",), "object": ("1",)}
_MOST = 2  # calls of one method


@cache
def by_annotation(source: str, cls: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A constructor without arguments that have defaults, and a few calls of every public method."""
    owner = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef) and node.name == cls)
    makes: tuple[str, ...] = (f"{cls}()",)
    calls: list[str] = []
    for method in (node for node in owner.body if isinstance(node, ast.FunctionDef)):
        given = method.args.args[1:]
        needed = given[: len(given) - len(method.args.defaults)] if method.args.defaults else given
        values = [_VALUES.get(ast.unparse(each.annotation) if each.annotation else "", ("1",)) for each in needed]
        if method.name == "__init__":
            makes = (f"{cls}({', '.join(value[0] for value in values)})",)
        elif not method.name.startswith("_") and not method.decorator_list:
            most = min(_MOST, max((len(value) for value in values), default=1))
            for number in range(most):
                calls.append(f"x.{method.name}({', '.join(value[number % len(value)] for value in values)})")
    return makes, tuple(calls)
