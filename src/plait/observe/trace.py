"""The trace of a test: its accesses to shared memory, as plain data by which two versions can be compared.

ConDiff's execution trace (section IV-B): the accesses to shared memory in their order, each with its statement, the
value it read or wrote and its concurrency context. An access counts as shared if another thread of the test makes one
that does not commute with it: nothing else can make two interleavings differ. (That is ISCONFLICT of Figure 3, applied
to all accesses: the object that every thread reads and none writes is no more shared than a constant.) Operations on
synchronisation objects are events as well, because they decide which interleavings are possible.
"""

from __future__ import annotations

import collections
import enum
import hashlib
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from plait.model.foreign import member_name
from plait.observe.context import Context, contexts
from plait.observe.lockset import LockNames
from plait.observe.places import held_value, place
from plait.run.engine import Engine, Entry
from plait.run.heap import OPAQUE, WHOLE
from plait.run.operations import KEY_READ, LOCAL, MODE_NAMES, READ, TIME, dependent
from plait.run.vthread import VThread

Place = tuple[str, int]  # file as seen from its import root, line

_READS = frozenset({READ, KEY_READ})
_LONG = 160
_CONTAINERS = frozenset({
    dict, list, tuple, set, frozenset, collections.OrderedDict, collections.defaultdict, collections.deque,
})  # fmt: skip


class TraceEvent(NamedTuple):
    """One access to shared memory, or one operation on a synchronisation object, then without a value.

    ``location`` numbers the places touched, in the order of the trace.
    """

    thread: int
    place: Place
    location: int
    name: str
    write: bool
    value: str
    context: Context


class Trace(NamedTuple):
    """One execution: its shared accesses and synchronisation, and a hash of both."""

    events: tuple[TraceEvent, ...]
    digest: str


class ValueRecorder:
    """Keeps the values of all accesses of one execution; attach it to the engine."""

    def __init__(self, variables: Callable[[], dict[str, Any]], relative: Callable[[str], str]) -> None:
        self.variables = variables
        self.relative = relative
        self._values: list[str] = []
        self._names: LockNames | None = None

    def __call__(self, engine: Engine, thread: VThread, loc: int, mode: int, site: int) -> None:
        """Record the previous step, which has been performed by now, and name the lock that is about to be taken."""
        self._catch_up(engine, len(engine.trace) - 1)
        owner = engine.heap.locs[loc][0]
        if type(owner) in OPAQUE:
            self.lock_names().of(owner)

    def lock_names(self) -> LockNames:
        """Return names for the locks of this execution."""
        if self._names is None:
            self._names = LockNames(self.variables())
        return self._names

    def accesses(self, engine: Engine) -> Iterator[tuple[Entry, Context, str]]:
        """Yield the trace with contexts and values, while the execution's objects are alive."""
        self._catch_up(engine, len(engine.trace))
        locs = engine.heap.locs
        found = contexts(engine.trace, lambda loc: locs[loc][0], self.lock_names())
        for (entry, context), value in zip(found, self._values, strict=True):
            yield entry, context, value

    def statement(self, site: int) -> Place:
        """Return the file and line of an access."""
        where = place(site)
        return (self.relative(where.file), where.line)

    def _catch_up(self, engine: Engine, length: int) -> None:
        while len(self._values) < length:
            _thread, loc, mode, *_rest = engine.trace[len(self._values)]
            self._values.append(_value(engine, loc) if loc and mode <= 4 else "")


class Tracer(ValueRecorder):
    """Records a `Trace`."""

    def trace(self, engine: Engine) -> Trace:
        """Return the recorded trace, while the execution's objects are alive."""
        locs = engine.heap.locs
        shared = _shared(engine.trace, engine.heap.roots)
        numbers: dict[int, int] = {}
        events: list[TraceEvent] = []
        digest = hashlib.blake2b(digest_size=12)
        names = self.lock_names()
        met = _met(engine.trace)
        for entry, context, value in self.accesses(engine):
            thread, loc, mode, site, _enabled, _after = entry
            if mode in (TIME, LOCAL) or not loc:
                continue
            owner, part = locs[loc]
            at = self.statement(site)
            synchronises = type(owner) in OPAQUE or isinstance(owner, VThread)
            if synchronises:
                _mix(digest, (thread, at, names.of(owner), mode))
            # A lock that only the call itself uses is left out; one with a path may be used by others.
            if (loc in met or names.path_of(owner) is not None) if synchronises else (thread, loc, mode) in shared:
                number = numbers.setdefault(loc, len(numbers))
                if synchronises:
                    name = f"{MODE_NAMES[mode]} {names.of(owner)}.{part}"
                    events.append(TraceEvent(thread, at, number, name, mode != READ, "", context))
                else:
                    events.append(
                        TraceEvent(thread, at, number, _name(owner, part), mode not in _READS, value, context)
                    )
                _mix(digest, events[-1])
        return Trace(tuple(events), digest.hexdigest())


def _mix(digest: hashlib.blake2b, part: Any) -> None:
    digest.update(repr(part).encode("utf-8", "surrogatepass"))


def _met(trace: Sequence[Entry]) -> set[int]:
    """Return the locations that several threads have accessed."""
    by: dict[int, set[int]] = {}
    for thread, loc, *_rest in trace:
        if thread > 0:
            by.setdefault(loc, set()).add(thread)
    return {loc for loc, threads in by.items() if len(threads) > 1}


def _shared(trace: Sequence[Entry], roots: Sequence[int]) -> set[tuple[int, int, int]]:
    """Return accesses (thread, location, mode) that do not commute with one of another thread."""
    made: dict[int, set[tuple[int, int, int]]] = {}
    for thread, loc, mode, _site, _enabled, _after in trace:
        if loc and thread > 0 and mode <= 4:
            made.setdefault(roots[loc], set()).add((thread, loc, mode))
    return {
        one
        for accesses in made.values()
        for one in accesses
        if any(one[0] != other[0] and dependent(one[2], one[1], other[2], other[1]) for other in accesses)
    }


def _name(owner: Any, name: Any) -> str:
    kind = owner if type(owner) is str else owner.__name__ if issubclass(type(owner), type) else type(owner).__name__
    return kind if name is WHOLE else f"{kind}.{name}" if isinstance(name, str) else f"{kind}[{value_text(name)}]"


def _value(engine: Engine, loc: int) -> str:
    obj, name = engine.heap.locs[loc]
    if type(obj) in OPAQUE:
        return ""
    key = name is not WHOLE and engine.heap.roots[loc] != loc
    if key and isinstance(obj, set):
        return repr(set.__contains__(obj, name))
    return value_text(held_value(obj, name, key=key))


def value_text(value: Any, depth: int = 2) -> str:
    """Return a text that is the same for equal values of both versions: built-in content, else the class."""
    kind = type(value)
    if kind in (int, float, bool, complex, type(None)):
        return repr(value)
    if kind in (str, bytes):
        return repr(value) if len(value) <= _LONG else f"{value[:20]!r} {len(value)} {zlib.crc32(repr(value).encode())}"
    if issubclass(kind, enum.Enum):
        return f"{kind.__name__}.{member_name(value)}"
    if depth and kind in _CONTAINERS:
        return f"{kind.__name__}({_content(value, depth - 1)})"
    return kind.__name__


def _content(value: Any, depth: int) -> str:
    if len(value) > _LONG:
        return f"{len(value)} parts"
    if isinstance(value, dict):
        return ", ".join(
            f"{value_text(key, depth)}: {value_text(dict.get(value, key), depth)}" for key in dict.__iter__(value)
        )
    parts = [value_text(part, depth) for part in value]
    return ", ".join(sorted(parts) if isinstance(value, set | frozenset) else parts)


def relative_to(roots: Sequence[Path]) -> Callable[[str], str]:
    """Return a function that names files in traces: relative to the import root, so that both versions agree."""
    prefixes = [f"{root.resolve()}/" for root in roots]
    known: dict[str, str] = {}

    def relative(file: str) -> str:
        found = known.get(file)
        if found is None:
            found = next((file[len(prefix) :] for prefix in prefixes if file.startswith(prefix)), file)
            known[file] = found
        return found

    return relative
