"""A stream of generated tests for one class: generate, execute, judge and explain, in chunks that any worker can run.

The state between two chunks is plain data that is sent along with the task. So results depend only on the seed, the
stream and the chunk: not on the number of workers, nor on which of them ran which chunk. A campaign has a fixed number
of streams, each with a share of the pairs of methods.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from plait.commands.check.worker.adaptive import Gain, advance_adaptively
from plait.commands.check.worker.finding import FindingContext, finding_of, look_of, renew_guards
from plait.errors import (
    MOST_OWN_ERRORS,
    UsageError,
    guarded,
    own_error,
)
from plait.explore.capp.partition import Aim
from plait.explore.runner import model
from plait.generate.atg.adaptive import AdaptiveTests
from plait.generate.catalogue import Catalogue
from plait.generate.deeper import DeeperTests
from plait.generate.mixing import is_wide
from plait.generate.registry import GenerationStrategy, make_generator
from plait.judge.oracle.causes import cause, inside, names_of
from plait.judge.oracle.evidence import Evidence
from plait.judge.oracle.examine import Examined, examine
from plait.judge.oracle.meetings import SeenAlone, conduct_of
from plait.judge.oracle.probes import probes_of
from plait.judge.oracle.rules import Rules, may_wait
from plait.judge.oracle.safety import Examination, Violation
from plait.judge.oracle.sequential import SequentialRunner
from plait.model.finding import Finding, PairRow
from plait.model.schedule import Schedule
from plait.model.test import Call, Test
from plait.observe.places import PLACES
from plait.run.endings import SetupFailedError
from plait.run.engine import ENGINE
from plait.store.explored_tests import ExploredTest, ExploredTests
from plait.store.keys import Changed, token
from plait.store.recording import (
    DIVERGED,
    UNUSABLE,
    RecordedChunk,
    RecordedTest,
    answer_digest,
    chunk_key,
    reached_by,
    renewed,
)
from plait.subject.interface.members import Interface
from plait.workers.protocol import STREAMS

_GUARD_TESTS = 40
# Executions of a wide test before samples; its schedules are too many to explore all of them anyway.
_WIDE_SYSTEMATIC = 60
_EARLY = 3  # with time-outs at any moment, this fraction of the executions is enough
_FURTHER = 32  # executions after a test's first violation, to find others that look different
_ENDLESS = 1_000
_SAME_SIGNATURE = 2  # violations with one signature that are explained


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """Everything that a stream needs besides the class."""

    subject: str  # the name of the class, for messages
    generate: str = "covcon"
    seed: int = 0
    stream: int = 0
    streams: int = STREAMS
    threads: int = 2
    systematic: int = 250
    sampled: int = 60
    model: str = "both"
    any_timeouts: bool = False
    order: str | None = None  # a search to use instead of the default one
    aim: Aim | None = None  # changed code at which its executions preempt first
    deeper: bool = True
    wide: bool = True  # whether tests of many methods at once are generated, too (`plait.generate.mixing`)
    rules: Rules = field(default_factory=Rules)
    recorded: bool = False  # record how tests are generated, for a later run to follow (`plait.store.recording`)
    # A digest of the environment of code under test: the user's hook, and what it is allowed to do.
    environment: str = ""


@dataclass(slots=True)
class Chunk:
    """The result of a chunk of tests."""

    tests: int = 0
    schedules: int = 0
    exhausted: int = 0
    findings: list[Finding] = field(default_factory=list)
    first: int | None = None  # tests of the stream until its first finding
    first_schedules: int | None = None  # the same in schedules
    undetermined: list[str] = field(default_factory=list)
    over: bool = False  # the generator has no new tests
    diverged: int = 0
    looks: dict[str, int] = field(default_factory=dict)
    unusable: list[str] = field(default_factory=list)
    so_far: int = 0  # tests of the stream so far
    schedules_so_far: int = 0
    pairs: list[PairRow] = field(default_factory=list)
    gain: Gain | None = None  # only of an adaptive strategy
    recalled: list[str] = field(default_factory=list)  # keys of tests that were known from an earlier run
    units: dict[str, dict[str, Any]] = field(default_factory=dict)  # results of the other tests by key, for the store
    followed: bool = False  # the tests came from a recording
    # Causes, with further methods that showed them.
    also: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # mostly on internal errors
    evidence: Evidence = field(default_factory=Evidence)


@dataclass(slots=True)
class Stream:
    """The state of a stream between chunks."""

    options: StreamOptions
    interface: Interface
    strategy: GenerationStrategy
    tests: int = 0
    schedules: int = 0  # including those of an earlier run for known tests
    recent: list[Test] = field(default_factory=list)
    signatures: dict[str, int] = field(default_factory=dict)
    # By cause: size of the finding, and number of wrapped methods.
    causes: dict[str, tuple[int, int]] = field(default_factory=dict)
    looks: dict[str, int] = field(default_factory=dict)  # looks of explained violations, with the size of the test
    explained: dict[str, str] = field(default_factory=dict)  # by look: the cause of the finding
    # By look: the public methods that the finding's methods wrap.
    wrapped: dict[str, frozenset[str]] = field(default_factory=dict)
    shown: frozenset[str] = frozenset()  # causes of earlier runs' findings that still show
    probes: tuple[Call, ...] = ()
    endless: dict[str, str] = field(default_factory=dict)  # methods with an endless call, and that call
    # For some of these: methods after whose calls they end.
    ends: dict[str, tuple[str, ...]] = field(default_factory=dict)
    position: str = ""  # see `plait.store.recording`; empty if the stream cannot be followed
    _explored: ExploredTests | None = None  # set while a chunk runs, as is the next one
    _most: int | None = None

    @classmethod
    def begin(cls, options: StreamOptions, interface: Interface, catalogue: Catalogue) -> Stream:
        """Return a new stream with its share of the pairs."""
        seed = options.seed * 1_000_003 + options.stream
        strategy = make_generator(
            options.generate, catalogue, SequentialRunner(), seed=seed, threads=options.threads, deeper=options.deeper,
            meetings=SeenAlone(), wide=options.wide, part=(options.stream, options.streams),
        )  # fmt: skip
        if options.streams > 1 and len(strategy.pairs.records) >= 4 * options.streams:
            strategy.pairs.share(options.stream, options.streams)
        options = replace(options, rules=replace(options.rules, waiting=may_wait(interface)))
        return cls(options, interface, strategy, probes=probes_of(interface))

    def run(
        self, count: int, deadline: float, on_test: Callable[[Test], None], explored: ExploredTests | None = None,
        max_schedules: int | None = None, *, until_found: bool = False,
    ) -> Chunk:  # fmt: skip
        """Run the next ``count`` tests, or fewer if the deadline (of `time.monotonic`) passes; return the chunk.

        Known tests are not explored again. No test begins after ``max_schedules`` schedules of the whole stream or,
        with ``until_found``, after a finding.
        """
        chunk, recorded = Chunk(), RecordedChunk()
        self._explored, self._most = explored, max_schedules
        try:
            if isinstance(self.strategy, AdaptiveTests):
                advance_adaptively(self, self.strategy, chunk, count, deadline, on_test)
            else:
                SequentialRunner.listener = recorded.record if self.position else None
                for test in self._generated(chunk, count, deadline, until_found=until_found):
                    recorded.tests.append(self.examine_one(test, chunk, on_test))
                self._keep_recording(recorded, chunk, count)
        except MemoryError:
            raise
        except UsageError as error:  # the class cannot be built, or no longer
            if not self.tests:
                raise
            chunk.notes.append(f"a stream of tests ended early: {error}")
            chunk.over = True
        except Exception as error:
            self._own_error(chunk, own_error("searching", error, kept="this stream of tests ended here"))
            chunk.over = True
        finally:
            SequentialRunner.listener = None
        self._renew_guards(chunk)
        self._explored = None
        chunk.notes += SequentialRunner.left_out()
        chunk.so_far, chunk.schedules_so_far = self.tests, self.schedules
        chunk.pairs = self.strategy.pairs.matrix()
        return chunk

    def _renew_guards(self, chunk: Chunk) -> None:
        own: list[str] = []
        kept = "findings may not name the lock they lack"
        guarded("explaining", lambda: renew_guards(chunk.findings, self.recent, self.probes), own, None, kept)
        for note in own:
            self._own_error(chunk, note)

    def follow(self, count: int, on_test: Callable[[Test], None], explored: ExploredTests) -> Chunk:
        """Run a chunk from a recording. It is not ``followed`` if the generator has to be used instead."""
        chunk = Chunk()
        self._explored = explored
        chunk.followed = _follow_recording(self, chunk, count, explored, on_test)
        self._explored = None
        chunk.so_far, chunk.schedules_so_far = self.tests, self.schedules
        return chunk

    def _generated(self, chunk: Chunk, count: int, deadline: float, *, until_found: bool) -> Iterator[Test]:
        """Yield tests until ``count`` of them were examined, a limit is reached, or there are no new ones."""
        failures = 0
        while chunk.tests < count and time.monotonic() < deadline and not self.is_done:
            if until_found and chunk.findings:
                return
            try:
                test = self.strategy.next_test()
            except (UsageError, MemoryError):
                raise
            except Exception as error:
                self._own_error(chunk, own_error("generating", error, kept="another test is made instead"))
                failures += 1
                if failures < MOST_OWN_ERRORS:
                    continue
                test = None
            if test is None:
                chunk.over = True
                return
            yield test

    def _keep_recording(self, recorded: RecordedChunk, chunk: Chunk, count: int) -> None:
        """Record how the chunk's tests were generated, unless the chunk was ended by time."""
        if self._explored is None or not (chunk.over or chunk.tests == count):
            self.position = ""
        if self.position and self._explored is not None:
            recorded.pairs, recorded.over = self.strategy.pairs.matrix(), chunk.over
            chunk.units[chunk_key(self.position, count)] = recorded.as_json(self._explored.part)
            self.position = recorded.position_after(self.position)

    def examine_one(
        self, test: Test, chunk: Chunk, on_test: Callable[[Test], None], key: str | None = None
    ) -> RecordedTest:
        """Explore a test unless it is known; ``key`` is its key in the store, if that has been computed."""
        self.tests += 1
        chunk.tests += 1
        self.remember(test)
        if self._explored is not None:
            key = self._explored.key(test, self._limits()) if key is None else key
            known = self._explored.find(key, self.probes)
            if known is not None and self._was_explored(test, known, chunk):
                chunk.recalled.append(key)
                return RecordedTest(test, key, known.feedback)
        on_test(test)
        try:
            examination = Examination(test, PLACES, self.probes, self.options.rules)
        except UsageError as error:  # a call that is no valid Python: an error of the generator
            chunk.unusable.append(str(error))
            return RecordedTest(test, key, UNUSABLE)
        options = self.options
        wide = is_wide(call.method for call in test.calls)
        try:
            examined = examine(
                examination, seed=_seed_of(test, options.seed), public={each.name for each in self.interface.methods},
                systematic=min(options.systematic, _WIDE_SYSTEMATIC) if wide else options.systematic,
                sampled=options.sampled, order=options.order, aim=options.aim, further=_FURTHER,
            )  # fmt: skip
            if self._leaves_timeouts(examined):
                examined = self._with_timeouts(test, examination, examined)
            return RecordedTest(test, key, self._feedback(test, key, examination, examined, chunk, on_test))
        except SetupFailedError:
            chunk.diverged += 1
            return RecordedTest(test, key, DIVERGED)
        except (UsageError, MemoryError):
            raise
        except Exception as error:
            self._own_error(chunk, own_error("exploring", error, test, "the test is left out"))
            return RecordedTest(test, key, UNUSABLE)

    def _own_error(self, chunk: Chunk, note: str) -> None:
        """Add a note on an internal error; a stream that had one cannot be followed."""
        chunk.notes.append(note)
        self.position = ""

    def _feedback(
        self, test: Test, key: str | None, examination: Examination, examined: Examined, chunk: Chunk,
        on_test: Callable[[Test], None],
    ) -> str:  # fmt: skip
        """Count what the executions of a test showed, explain violations, and return the generator's feedback."""
        chunk.schedules += examined.executions
        self.schedules += examined.executions
        chunk.exhausted += examined.exhausted
        chunk.diverged += examined.diverged
        chunk.evidence.add(examined.evidence)
        self.strategy.feedback(test, examined.covered)
        undetermined: tuple[str, ...] = ()
        if examined.conflicts:
            calls = test.calls
            undetermined = tuple(calls[at].method for at in examination.undetermined)
            self._conflicted(test, chunk, undetermined, unguarded=examined.unguarded)
        if examined.error is not None:
            self._own_error(chunk, own_error("exploring", examined.error, test, "what it had shown before is kept"))
        causes = [self.found(test, *each, chunk, on_test) for each in examined.violations]
        explored = ExploredTest.of(
            examined, undetermined=undetermined, causes=tuple(map(str, causes)) if all(causes) else (),
            probes=None if self._explored is None else self._explored.probed(examination, self.probes),
            violation=None if examined.violation is None else _finding_signature(examined.violation, test),
        )  # fmt: skip
        if key is not None:
            chunk.units[key] = explored.as_json()
        return explored.feedback

    def _leaves_timeouts(self, examined: Examined) -> bool:
        """Return whether nothing was found, but time-outs at other moments might still show something."""
        told = examined.violation is not None or not examined.timed or examined.polls
        return not told and not self.options.any_timeouts and self.options.order is None

    def _with_timeouts(self, test: Test, examination: Examination, examined: Examined) -> Examined:
        """Execute a test once more with time-outs at any moment; return what both explorations showed."""
        options = self.options
        with model(gil=ENGINE.gil, any_timeouts=True):
            again = examine(
                examination, seed=_seed_of(test, options.seed), systematic=options.systematic // _EARLY,
                sampled=options.sampled // _EARLY, aim=options.aim, further=_FURTHER,
            )  # fmt: skip
        again.executions += examined.executions
        again.conflicts |= examined.conflicts
        again.unguarded |= examined.unguarded
        again.exhausted &= examined.exhausted
        again.diverged |= examined.diverged
        again.covered.update(examined.covered)
        return again

    @property
    def is_done(self) -> bool:
        """True if the limit of schedules is reached."""
        return self._most is not None and self.schedules >= self._most

    def _limits(self) -> dict[str, Any]:
        """Return everything that exploring a test depends on, besides the test and the code."""
        options = self.options
        return {
            "seed": options.seed, "systematic": options.systematic, "sampled": options.sampled, "model": options.model,
            "timeouts": options.any_timeouts, "order": options.order, "rules": options.rules.as_json(),
            "command": "check", "around": options.environment,
        }  # fmt: skip

    def _was_explored(self, test: Test, known: ExploredTest, chunk: Chunk) -> bool:
        """Continue as if a known test had been explored; return False if its violation still has to be explained."""
        if known.violation is not None:
            seen = self.signatures.get(known.violation, 0)
            explained = bool(known.causes) and self.shown.issuperset(known.causes)
            if seen < _SAME_SIGNATURE and not explained:
                return False
            self.signatures[known.violation] = seen + 1
        chunk.exhausted += known.exhausted
        chunk.diverged += known.diverged
        self.schedules += known.executions
        chunk.evidence.add(known.evidence)
        self.strategy.feedback(test, known.covered)
        if known.conflicts:
            self._conflicted(test, chunk, known.undetermined, unguarded=known.unguarded)
        return True

    def _conflicted(self, test: Test, chunk: Chunk, undetermined: tuple[str, ...], *, unguarded: bool) -> None:
        """Take account of a test whose threads touched something in common, and of calls that are nondeterministic."""
        if isinstance(self.strategy, DeeperTests):
            self.strategy.conflicted(test, unguarded=unguarded)
        for name in undetermined:
            if name not in chunk.undetermined and name not in self.options.rules.nondeterministic:
                chunk.undetermined.append(name)

    def remember(self, test: Test) -> None:
        """Keep a test; its executions show which locks guard what."""
        self.recent.append(test)
        if len(self.recent) > _GUARD_TESTS:
            self.recent.pop(0)

    def found(
        self, test: Test, violation: Violation, schedule: Schedule, chunk: Chunk, on_test: Callable[[Test], None]
    ) -> str | None:
        """Minimise and explain a violation, unless a similar one was explained; return its cause if it is known."""
        with model(gil=ENGINE.gil, any_timeouts=schedule.any_timeouts):
            return self._found(test, violation, schedule, chunk, on_test)

    def _found(
        self, test: Test, violation: Violation, schedule: Schedule, chunk: Chunk, on_test: Callable[[Test], None]
    ) -> str | None:
        signature = _finding_signature(violation, test)
        self.signatures[signature] = self.signatures.get(signature, 0) + 1
        if self.signatures[signature] > _SAME_SIGNATURE:
            return None
        own: list[str] = []
        look = guarded(
            "explaining", lambda: look_of(test, violation, schedule, self.probes, self.options.rules), own, test,
        ) or signature  # fmt: skip
        methods = frozenset(name for call in test.calls for name in call.methods)
        if self.looks.get(look, _ENDLESS) <= size_of(test) and not methods <= self.wrapped.get(look, frozenset()):
            if look in self.explained:  # explained by a test that is not larger than this one
                chunk.also.append((self.explained[look], methods))
            return self.explained.get(look)
        context = FindingContext(self.options.subject, self.probes, self.recent, self.options.rules, on_test)
        finding = finding_of(test, violation, schedule, context, notes=own)
        for note in own:
            self._own_error(chunk, note)
        if finding is None:
            return None
        finding.through = inside(finding, {method.name for method in self.interface.methods})
        size = size_of(finding.test)
        self.looks[look] = chunk.looks[look] = min(size, self.looks.get(look, size))
        same = self.explained[look] = cause(finding)
        self.wrapped[look] = names_of(finding.through)
        chunk.also.append((same, names_of(finding.methods)))
        if (size, len(finding.through)) < self.causes.get(same, (_ENDLESS, 0)):
            self.causes[same] = (size, len(finding.through))
            chunk.findings.append(finding)
            if chunk.first is None:
                chunk.first, chunk.first_schedules = self.tests, self.schedules
        return same


def _seed_of(test: Test, seed: int) -> int:
    """Return the seed for the executions of a test, which does not depend on when the test is generated."""
    return zlib.crc32(repr((seed, test)).encode())


def _finding_signature(violation: Violation, test: Test) -> str:
    """Return a key that is equal for violations that look alike before they are explained."""
    return token((violation.cause, frozenset(call.method for call in test.calls)))


def size_of(test: Test | None) -> int:
    """Return how much there is to read in a test: the number of calls first, then of different methods."""
    return 0 if test is None else 10 * len(test.calls) + len({call.method for call in test.calls})


# -- follow ------------------------------------------------------------------------------------------------------------
# Runs a stream's next chunk from a recording: no test is generated, and only tests that a change reaches are run again.


def _follow_recording(
    stream: Stream, chunk: Chunk, count: int, explored: ExploredTests, on_test: Callable[[Test], None]
) -> bool:
    """Run the next ``count`` tests as recorded; return False if there is no recording, or an answer has changed.

    In that case only the ``units`` of the chunk are valid. The stream's generator does not advance in either case.
    """
    key = chunk_key(stream.position, count)
    content = explored.chunk(key)
    found = RecordedChunk.from_json(content) if content is not None else None
    if content is None or found is None:
        return False
    recorded, parts = found
    changed = Changed(part for part, code in parts.items() if explored.part(part) != code)
    run = SequentialRunner()
    for each in reached_by(changed, recorded.asked):
        now = conduct_of(each.test) if each.test.suffixes else run(each.test)
        if answer_digest(now) != each.answer:
            return False
    tests: list[RecordedTest] = []
    for test in recorded.tests:
        # A test that no change reaches keeps its key: computing the key again would hash all of its code.
        tests.append(stream.examine_one(test.test, chunk, on_test, None if changed.reaches(test.test) else test.key))
        if tests[-1].feedback != test.feedback:
            return False
    stream.position = recorded.position_after(stream.position)
    if changed:
        chunk.units[key] = renewed(content, tests, explored.part)
    chunk.over, chunk.pairs = recorded.over, recorded.pairs
    return True
