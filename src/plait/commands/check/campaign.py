"""The main loop of `plait check`: gives streams of tests to workers, chunk by chunk, and collects the results.

With a budget of steps, the findings depend neither on the number of workers nor on their speed: streams then share no
information, and `plait.commands.check.totals` combines their results independently of the order in which they arrive.
`plait.commands.check.lost` says how a stream continues after it has lost its worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from plait.commands.budget import Budget, Share
from plait.commands.check.evidence import Alone
from plait.commands.check.known import Replays
from plait.commands.check.lost import ALONE, LostWorkers
from plait.commands.check.summary import Summary
from plait.commands.check.totals import Totals
from plait.commands.check.worker import tasks
from plait.commands.check.worker.stream import Chunk, StreamOptions
from plait.commands.interrupt import Interrupt
from plait.commands.progress import Progress
from plait.errors import NO_ANSWER, PlaitBugError, SpoiltError, UsageError, guarded, own_error
from plait.explore.capp.partition import Aim
from plait.model.command_results import CheckResult
from plait.store.keys import files_key, token
from plait.store.project import Memory
from plait.subject.interface.members import Interface
from plait.workers.failures import WorkerCrashed, WorkerHung
from plait.workers.pool import Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.commands.check.options import CheckOptions


CHUNK_TESTS = 50
_CHUNK_SECONDS = 2.0
_LONGEST_CHUNK = 60.0  # seconds; a chunk may end with a long minimisation
_MOST_BARREN = 50  # chunks in a row without a test or schedule; each is given at least half a second
GRACE = 2.0  # seconds for running chunks after the budget is used up


class Running(NamedTuple):
    """A running task of one stream: ``stream`` is its packed state, None while it is being created."""

    number: int
    stream: bytes | None
    attempt: int


class Campaign:
    """One check: decides which stream runs next, and when the search ends."""

    def __init__(
        self, options: CheckOptions, budget: Budget, memory: Memory, interrupt: Interrupt | None, progress: Progress,
        aim: Aim | None = None,
    ) -> None:  # fmt: skip
        self._options = options
        self._budget = budget
        self._memory = memory
        self._interrupt = interrupt
        self._aim = aim
        self._name = options.name
        self._owner = options.subject.qualname.rpartition(".")[2] or options.subject.module
        self.replays = Replays(memory)
        self._totals = Totals(budget, memory, progress)
        self._lost = LostWorkers(options.name, self._owner, self._totals)
        self._followers = _Followers()
        self._recorded = budget.by_steps and budget.max_schedules is None and memory.keeps
        self._environment = token((files_key(options.hook), tuple(sorted(options.allow))))
        self._so_far: dict[int, int] = {}  # tests by stream
        self._barren: dict[int, int] = {}  # by stream: chunks in a row without progress
        self._schedules_so_far: dict[int, int] = {}
        self._stopped_by = "budget"
        self._alone = Alone()
        self._interface: Interface | None = None

    def run(self, workers: Workers) -> None:
        """Replay known findings, then explore until the budget is used up."""
        self._workers = workers
        self._interface = self._discover()
        self._lost.methods = {method.name for method in self._interface.methods}
        self._totals.notes.general += self._interface.notes
        self.replay(workers)
        self._try_alone()
        running: dict[Future[Any], Running] = {}
        shares = self._budget.shares(self._options.streams)
        for number, share in enumerate(shares):
            if not share.is_over(tests=0, schedules=0):
                running[self._begin(number)] = Running(number, None, 0)
        while running:
            done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda each: running[each].number):
                ended = running.pop(future)
                number = ended.number
                following = self._collect(future, *ended)
                if following is None:
                    if not self._over() and (attempt := self._lost.next_attempt(number)) is not None:
                        running[self._begin(number)] = Running(number, None, attempt)
                    continue
                if not self._over() and not self._is_served(number, shares[number]):
                    task, *arguments = self._next_chunk(number, following[0], shares[number])
                    stall = self._lost.stall(number)
                    begun = workers.submit(task, *arguments, timeout=_LONGEST_CHUNK, stall=stall)
                    running[begun] = Running(number, *following)
            if self._over():
                self._give_grace(running)
                break
            self._renew(running)
        for number, chunk in self._followers.chunks():
            self._totals.add(number, chunk)

    @contextmanager
    def keeping_findings(self) -> Iterator[None]:
        """Turn an internal error that ends the search into a note if there are findings, so that they are kept."""
        try:
            yield
        except (UsageError, MemoryError):
            raise
        except Exception as error:
            if not self._totals.findings:
                raise
            self._totals.notes.general.append(own_error("searching", error, kept="the search ended here"))

    def replay(self, workers: Workers) -> None:
        """Replay the findings of earlier runs."""
        self.replays.run(workers, self._name, self._asked(0), self._memory.known(), self._over)
        self._totals.findings.update(self.replays.findings)
        if self._totals.findings:
            self._totals.note_found()

    def result(self) -> CheckResult:
        """Return what the search found and covered; if combining that fails, return the findings alone."""
        summary = Summary(
            self._options, self._totals, self.replays, self._aim, self._interface, self._alone, self._stopped_by
        )
        notes: list[str] = []
        whole = guarded("summing up", summary.result, notes, kept="the findings are shown without what was covered")
        return summary.bare_result(notes) if whole is None else whole

    def _discover(self) -> Interface:
        try:
            found: Interface = (
                self._workers.submit(tasks.interface_of, self._name, timeout=self._budget.import_s).result().value
            )
        except (WorkerCrashed, WorkerHung) as error:
            where = f" at {error.where}" if error.where else ""
            about = NO_ANSWER if isinstance(error, WorkerHung) else ""
            raise UsageError(f"{self._name} cannot be imported: {error.reason}{where}", about=about) from None
        except SpoiltError as error:
            raise UsageError(f"{self._name} cannot be tested: {error}") from None
        return found

    def _try_alone(self) -> None:
        """Call each method once in a single thread, so that streams can leave out methods that kill a worker alone.

        Methods that start threads are remembered: they are suspected first if a test waits for something outside of
        plait's control.
        """
        attempt: int | None = 0
        while attempt is not None and not self._over():
            running = {self._begin(ALONE, tasks.alone)}
            while running and not self._over():
                done, running = wait(running, timeout=0.2)
                for future in done:
                    try:
                        answer = future.result()
                    except (WorkerCrashed, WorkerHung) as error:
                        self._lost.survive(error, ALONE, None, attempt)
                    except PlaitBugError as error:
                        self._totals.note_own_error(error, "calling each method alone")
                    else:
                        self._alone = answer.value
                        self._lost.starters = self._alone.starters
                        self._totals.notes.add_stopped(answer.stopped)
            attempt = self._lost.next_attempt(ALONE)

    def _is_served(self, number: int, share: Share) -> bool:
        """Return whether a stream has used its share of the budget."""
        return share.is_over(tests=self._so_far.get(number, 0), schedules=self._schedules_so_far.get(number, 0))

    def _next_chunk(self, number: int, stream: bytes, share: Share) -> tuple[Any, ...]:
        """Return the task for a stream's next chunk. With a budget of steps, the task must not depend on timing."""
        left = CHUNK_TESTS if share.tests is None else share.tests - self._so_far.get(number, 0)
        seconds = _LONGEST_CHUNK / 2
        if self._budget.wall is not None:
            seconds = min(_CHUNK_SECONDS, max(0.5, self._budget.left))
        looks = self.replays.looks if self._budget.by_steps else self.replays.looks | self._totals.looks
        portion = tasks.Portion(
            min(CHUNK_TESTS, left), seconds, share.schedules, looks, self._memory.folder, self._memory.keeps,
            self.replays.explained, until_found=not self._budget.by_steps and not self._totals.findings,
        )  # fmt: skip
        if number in self._followers:
            return tasks.follow_recordings, stream, portion, left
        return tasks.advance, stream, portion

    def _give_grace(self, running: dict[Future[Any], Running]) -> None:
        """Collect chunks that end within a few seconds after the budget is used up, and cancel the others."""
        grace = 1.0 if self._interrupt is not None and self._interrupt.requested else GRACE
        done, late = wait(running, timeout=grace)
        for future in sorted(done, key=lambda each: running[each].number):
            self._collect(future, *running.pop(future))
        for future in late:
            future.cancel()

    def _asked(self, number: int) -> StreamOptions:
        options = self._options
        return StreamOptions(
            self._owner, options.generate, options.seed, number, options.streams, options.threads, model=options.model,
            order=options.order, aim=self._aim, rules=options.rules,
            deeper=options.deeper and options.generate == "covcon", environment=self._environment,
            recorded=self._recorded, wide=self._lost.is_wide(number),
        )  # fmt: skip

    def _begin(self, number: int, task: Callable[..., Any] = tasks.begin_stream) -> Future[Any]:
        options = self._options
        hints = options.hints
        excluded = self._lost.left_out(number)
        self._so_far[number] = self._schedules_so_far[number] = self._barren[number] = 0
        if excluded:
            hints = replace(hints, exclude=(*hints.exclude, *sorted(excluded)))
        more = (self._alone,) if task is tasks.begin_stream else ()
        return self._workers.submit(
            task, self._name, self._asked(max(number, 0)), hints, options.tests, *more, timeout=_LONGEST_CHUNK,
            stall=self._lost.stall(number),
        )  # fmt: skip

    def _renew(self, running: dict[Future[Any], Running]) -> None:
        """Restart queued streams without the methods known to kill workers."""
        for future, (number, stream, attempt) in list(running.items()):
            if stream is None and self._lost.has_learned(number) and future.cancel():
                del running[future]
                running[self._begin(number)] = Running(number, None, attempt)

    def _collect(
        self, future: Future[Any], number: int, stream: bytes | None, attempt: int
    ) -> tuple[bytes, int] | None:
        """Take the result of a task; return the stream to continue with and its attempt, or None if it has ended."""
        try:
            answer = future.result()
        except (WorkerCrashed, WorkerHung) as error:
            if stream is not None and number in self._followers:
                return self._ask_again(number), 0
            return self._lost.survive(error, number, stream, attempt)
        except PlaitBugError as error:
            self._totals.note_own_error(error, "running tests")
            return None
        except UsageError as error:  # the results so far are kept
            if not self._totals.tests and not self._totals.findings:
                raise
            self._totals.notes.general.append(f"a stream of tests ended early: {error}")
            return None
        self._totals.notes.add_stopped(answer.stopped)
        if isinstance(answer.value, bytes):
            if self._recorded and self._memory.folder is not None:
                self._followers.begin(number, answer.value)
            return answer.value, 0
        stream, came = answer.value
        chunks = [came] if isinstance(came, Chunk) else came
        chunk = chunks[-1]
        if not self._advanced(number, chunk):
            self._totals.notes.general.append("a stream of tests ended early: its workers told of no progress")
            return None
        if number not in self._followers:
            self._totals.add(number, chunk)
        elif chunk.followed:
            self._followers.take(number, chunks)
        else:
            return self._ask_again(number, *chunks), 0
        return None if chunk.over else (stream, 0)

    def _advanced(self, number: int, chunk: Chunk) -> bool:
        """Record how far a stream is; return False if it has made no progress for too long.

        Otherwise a worker that reports wrong figures could keep it for ever.
        """
        before = self._so_far.get(number, 0), self._schedules_so_far.get(number, 0)
        now = max(before[0], chunk.so_far), max(before[1], chunk.schedules_so_far)
        self._so_far[number], self._schedules_so_far[number] = now
        self._barren[number] = self._barren.get(number, 0) + 1 if now == before else 0
        return self._barren[number] < _MOST_BARREN

    def _ask_again(self, number: int, *chunks: Chunk) -> bytes:
        """Restart a stream with its generator, because there is no recording of it, or the recording is outdated."""
        stream, before = self._followers.give_up(number)
        self._totals.give_up((*before, *chunks))
        self._so_far[number] = self._schedules_so_far[number] = 0
        return stream

    def _over(self) -> bool:
        if self._interrupt is not None and self._interrupt.requested:
            self._stopped_by = "interrupt"
            return True
        if self._totals.findings and not self._options.keep_going:
            self._stopped_by = "finding"
            return True
        if self._budget.by_steps:
            return False
        if self._totals.is_settled:
            self._stopped_by = "finding"
            return True
        return self._budget.left <= 0


# -- followers ---------------------------------------------------------------------------------------------------------
# Streams that follow the recording of an earlier run (`plait.store.recording`).


@dataclass(slots=True)
class _Followers:
    """The chunks of streams that follow recordings. They count only if a recording is valid to its stream's end."""

    _streams: dict[int, tuple[bytes, list[Chunk]]] = field(default_factory=dict)  # with the initial state

    def __contains__(self, number: int) -> bool:
        return number in self._streams

    def begin(self, number: int, stream: bytes) -> None:
        """Let a stream follow its recording from the given state."""
        self._streams[number] = (stream, [])

    def take(self, number: int, chunks: list[Chunk]) -> None:
        """Keep chunks that were made by the recording."""
        self._streams[number][1].extend(chunks)

    def give_up(self, number: int) -> tuple[bytes, list[Chunk]]:
        """Stop following; return the initial state of the stream, and its chunks so far."""
        return self._streams.pop(number)

    def chunks(self) -> Iterator[tuple[int, Chunk]]:
        """Yield all chunks, stream by stream."""
        return ((number, chunk) for number, (_, chunks) in sorted(self._streams.items()) for chunk in chunks)
