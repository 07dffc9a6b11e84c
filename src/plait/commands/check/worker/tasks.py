"""The tasks of worker processes for `plait check`: plain data in, plain data out; only they touch code under test."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from plait.commands.check.evidence import LEFT_OPEN, Alone
from plait.commands.check.worker.finding import FindingContext, finding_of, look_of
from plait.commands.check.worker.stream import Chunk, Stream, StreamOptions
from plait.errors import UsageError, guarded
from plait.generate.catalogue import Catalogue, Hints, build_catalogue
from plait.generate.knowledge import MethodRecord
from plait.generate.preparing import Preparing
from plait.generate.sequence import Prefix, Sequences
from plait.generate.values.duck import left_open
from plait.judge.oracle.evidence import broken_invariant
from plait.judge.oracle.examine import examine
from plait.judge.oracle.probes import probes_of
from plait.judge.oracle.rules import Rules, may_wait
from plait.judge.oracle.safety import Examination
from plait.judge.oracle.sequential import SequentialRunner
from plait.model.finding import Finding
from plait.model.test import Call, Test
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed
from plait.store.explored_tests import explored_tests
from plait.store.recording import start_position
from plait.subject.interface.members import Interface, Method, written_in_c
from plait.subject.interface.results import with_results
from plait.workers import state as worker_state


def import_trouble() -> list[str]:
    """Return what an import error of the subject is about: modules, then files; empty if the import works."""
    try:
        worker_state.subject()
    except UsageError:
        return worker_state.concerned()
    return []


def imported(folder: str) -> list[str]:
    """Return the source files in a folder that this process has imported."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    return sorted(file for file in files if isinstance(file, str) and file.startswith(folder) and file.endswith(".py"))


def interface_of(name: str) -> Interface:
    """Return what can be called on the subject."""
    return with_results(worker_state.interface(name), worker_state.subject())


def begin_stream(
    name: str, options: StreamOptions, hints: Hints, tests: Path | None, learned: Alone | None = None
) -> bytes:
    """Return the pickled state of a new stream; only workers unpickle it.

    ``learned`` is what calling each method alone has shown: after which calls methods return that otherwise raise, and
    which methods never end.
    """
    with _prepared(name, options, hints, tests) as (found, catalogue):
        catalogue.prepared = {} if learned is None else learned.prepared
        stream = Stream.begin(options, found, catalogue)
        if learned is not None:
            stream.endless = dict(learned.endless)
            stream.ends = _ends(learned.prepared, learned.endless)
        if options.recorded:
            stream.position = start_position(stream)
        return pickle.dumps(stream)


def alone(name: str, options: StreamOptions, hints: Hints, tests: Path | None) -> Alone:
    """Call each method by itself in a single thread, and return what that shows. The process may not survive it."""
    starters = set()
    with _prepared(name, options, hints, tests) as (_found, catalogue):
        # A separate cache: an execution must show which threads a method starts, and known calls are not executed.
        sequences = Sequences(catalogue, SequentialRunner(apart=True), Random(options.seed))
        for method in catalogue.methods:
            sequences.compose(0, [[method]])
            if len(ENGINE.threads) > 1:
                starters.add(method.name)
        prepared = _preparations(sequences)
        _prepare_for(sequences)
        records = sequences.knowledge.records
        draft, recipe = sequences.built()
        built = sequences.test(Prefix([draft]), ())
        invariant = options.rules.invariant
        return Alone(
            frozenset(starters),
            {each: record.called for each, record in records.items()},
            {each: record.succeeded for each, record in records.items()},
            {each: _error(record) for each, record in records.items() if record.last_error},
            written_in_c(worker_state.subject(), [method.name for method in catalogue.methods]),
            "" if invariant is None else broken_invariant(invariant, Testbed(built, PLACES)),
            draft.call.expression,
            "" if recipe is None else recipe.origin,
            () if recipe is None else recipe.imports,
            prepared,
            dict(SequentialRunner.endless),
        )  # fmt: skip


def _error(record: MethodRecord) -> str:
    """Return what a method last raised, marked if only subclasses have what the method uses."""
    is_open = not record.succeeded and left_open(worker_state.subject(), record.lacking)
    return record.lacking + LEFT_OPEN if is_open else record.last_error


def _preparations(sequences: Sequences) -> dict[str, Test]:
    """Return, by method that has only raised so far, a test with calls after which it returns, if one was found."""
    preparing = Preparing(sequences)
    found: dict[str, Test] = {}
    silent: list[Method] = []
    for method in sequences.catalogue.methods:
        record = sequences.knowledge.of(method.name)
        if record.succeeded or record.blocked:
            continue
        test = _tried(method, preparing.of)
        if test is None:
            silent.append(method)
        else:
            found[method.name] = test
            record.prepared = True
    new: Collection[str] = list(found)
    while new and silent:  # what was found for others may be what these need
        behind = partial(preparing.further, known=frozenset(new))
        later = {each.name: _tried(each, behind) for each in silent}
        new = [name for name, test in later.items() if test is not None]
        found.update({name: test for name, test in later.items() if test is not None})
        silent = [each for each in silent if each.name not in new]
        for name in new:
            sequences.knowledge.of(name).prepared = True
    SequentialRunner.ends.update(
        {name: frozenset(calls) for name, calls in _ends(found, SequentialRunner.endless).items()}
    )
    return found


def _tried(method: Method, search: Callable[[Method], Test | None]) -> Test | None:
    """Return what a search finds for a method, which is called even if it was endless before."""
    SequentialRunner.trying = method.name
    try:
        return search(method)
    finally:
        SequentialRunner.trying = ""


def _ends(prepared: Mapping[str, Test], endless: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return, by endless method, the methods after whose calls it ends."""
    return {
        name: tuple(sorted({call.method for call in test.prefix[1:-1]}))
        for name, test in prepared.items() if name in endless
    }  # fmt: skip


_PREPARED = 4  # rounds of longer preparations for methods that have only raised


def _prepare_for(sequences: Sequences) -> None:
    """Call methods that have only raised again, after longer prefixes that may establish the state they need."""
    left = _MOST_PREPARED
    for _ in range(_PREPARED):
        for method in sequences.catalogue.methods:
            record = sequences.knowledge.of(method.name)
            if left and not record.succeeded and not record.blocked and not record.uncallable:
                sequences.compose(_LONGER_PREFIX, [[method]])
                left -= 1


_LONGER_PREFIX = 5
_MOST_PREPARED = 24  # calls, for large classes: the search itself continues to try


@contextmanager
def _prepared(
    name: str, options: StreamOptions, hints: Hints, tests: Path | None
) -> Iterator[tuple[Interface, Catalogue]]:
    """Yield the interface and the catalogue of values, inside the subject's world."""
    owner = worker_state.subject()
    SequentialRunner.announce = _announce
    ENGINE.any_timeouts = options.any_timeouts
    with worker_state.world().entered():
        found = interface_of(name)
        worker_state.try_imports(found.imports)
        key = (name, hints, options.seed, tests)
        if _known[0] != key:  # this takes seconds for large classes, and every stream needs it
            _known[:] = [key, pickle.dumps(build_catalogue(owner, found, hints=hints, seed=options.seed, tests=tests))]
        catalogue: Catalogue = pickle.loads(_known[1])  # noqa: S301 - written right here
        yield found, catalogue


_known: list[Any] = [None, b""]
"""The arguments of the last catalogue, and that catalogue pickled before a stream has changed it."""


@dataclass(frozen=True, slots=True)
class Portion:
    """The limits of a stream's next chunk; ``looks`` are those of violations that were explained elsewhere.

    ``explained`` maps the looks of findings that still show to their causes. With ``until_found``, the chunk ends at
    its first finding, which is waited for. ``store`` is the folder of the project's store, or None to use no store.
    """

    count: int
    seconds: float
    max_schedules: int | None = None
    looks: Mapping[str, int] = field(default_factory=dict)
    store: Path | None = None
    look_up: bool = False
    explained: Mapping[str, str] = field(default_factory=dict)
    until_found: bool = False


def advance(packed: bytes, portion: Portion) -> tuple[bytes, Chunk]:
    """Run the next chunk of a stream; return the stream's new state and the chunk."""
    known = explored_tests(portion.store) if portion.look_up else None
    with _resumed(packed, portion) as stream:
        chunk = stream.run(
            portion.count, time.monotonic() + portion.seconds, _announce, known, portion.max_schedules,
            until_found=portion.until_found,
        )  # fmt: skip
        state = guarded("going on", lambda: pickle.dumps(stream), chunk.notes, kept="this stream of tests ended here")
        chunk.over = chunk.over or state is None
        return state or b"", chunk


def follow_recordings(packed: bytes, portion: Portion, left: int) -> tuple[bytes, list[Chunk]]:
    """Run the next chunks of a stream as recorded, at most ``left`` tests, until the recording or the time ends."""
    known = explored_tests(portion.store)
    deadline = time.monotonic() + portion.seconds
    chunks: list[Chunk] = []
    with _resumed(packed, portion) as stream:
        while known is not None and left > 0 and time.monotonic() < deadline:
            chunks.append(stream.follow(min(portion.count, left), _announce, known))
            left -= chunks[-1].tests
            if chunks[-1].over or not chunks[-1].followed:
                break
        return pickle.dumps(stream), chunks or [Chunk()]


@contextmanager
def _resumed(packed: bytes, portion: Portion) -> Iterator[Stream]:
    """Yield an unpickled stream inside the subject's world."""
    worker_state.subject()
    SequentialRunner.announce = _announce
    with worker_state.world().entered():
        stream: Stream = pickle.loads(packed)  # noqa: S301 - written in a worker
        ENGINE.any_timeouts = stream.options.any_timeouts
        ENGINE.gil = stream.options.model == "gil"
        SequentialRunner.endless.update(stream.endless)
        SequentialRunner.ends.update({name: frozenset(calls) for name, calls in stream.ends.items()})
        stream.looks |= portion.looks
        stream.explained |= portion.explained
        stream.shown = frozenset(portion.explained.values())
        try:
            yield stream
        finally:
            ENGINE.gil = False


class Rechecked(NamedTuple):
    """What has become of a known finding: None if it is fixed, ``moved`` if only another schedule shows it now."""

    finding: Finding | None
    look: str = ""
    moved: bool = False


def recheck(name: str, options: StreamOptions, finding: Finding, unchanged: bool) -> Rechecked:
    """Replay a finding; if its schedule does not show it any more, explore its test."""
    test, schedule = finding.test, finding.schedule
    assert test is not None
    assert schedule is not None
    worker_state.subject()
    _announce(test)
    with worker_state.world().entered():
        found = interface_of(name)
        probes, rules = probes_of(found), replace(options.rules, waiting=may_wait(found))
        cause = (finding.kind, finding.exception)
        try:
            violation, lost = Examination(test, PLACES, probes, rules).replay(schedule)
        except Exception:
            return Rechecked(None)  # a test that cannot be built any more shows nothing
        moved = violation is None or lost is not None or violation.cause != cause
        if moved:
            examined = examine(Examination(test, PLACES, probes, rules), seed=options.seed, order=options.order)
            violation, schedule = examined.violation, examined.schedule
        if violation is None or schedule is None or violation.cause != cause:
            return Rechecked(None)
        look = look_of(test, violation, schedule, probes, rules)
        if unchanged and not moved:
            return Rechecked(finding, look)
        context = FindingContext(options.subject, probes, [test], rules, _announce)
        again = finding_of(test, violation, schedule, context, smallest=not moved)
        return Rechecked(again, look, moved)


def _announce(test: Test) -> None:
    """Note what runs next, in case that this process does not survive it."""
    methods = [*(call.method for call in test.prefix), *(call.method for call in test.calls)]
    getattr(worker_state, "note", bool)({**test.as_lines(), "methods": methods})


# -- review ------------------------------------------------------------------------------------------------------------
# The task of worker processes for `plait review`.


def violation(test: Test, probes: tuple[str, ...], rules: dict[str, Any]) -> tuple[str, str | None] | None:
    """Return kind and exception of the violation that this version shows in a test; None if it shows none."""
    worker_state.subject()
    with worker_state.world().entered():
        worker_state.note(test.as_lines())
        examination = Examination(test, PLACES, tuple(Call.from_line(line) for line in probes), Rules(**rules))
        found = examine(examination).violation
        return None if found is None else (found.kind, found.exception)
