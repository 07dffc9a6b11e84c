"""The loop of `plait check` over chunks: hands streams of tests to workers and collects what they bring.

With a budget of steps, what is found depends on neither the number of workers nor on which of them was faster: streams
know nothing of each other then, and what they bring is put together in a way that does not depend on its order.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plait.commands.budget import Budget, Share
from plait.commands.check.causes import (
    better,
    culprits_of,
    lines_of,
    methods_of_finding,
    relate,
    weight,
    without_bystanders,
)
from plait.commands.check.evidence import Alone, conclude
from plait.commands.check.known import Replays
from plait.commands.check.worker import tasks
from plait.commands.check.worker.adaptive import Tally
from plait.commands.check.worker.stream import Chunk, StreamOptions
from plait.commands.interrupt import Interrupt
from plait.commands.progress import Progress
from plait.errors import (
    PlaitBugError,
    UsageError,
    guarded,
    own_error,
)
from plait.explore.capp.partition import Aim
from plait.generate.mixing import is_wide
from plait.judge.oracle.causes import cause, grouped
from plait.judge.oracle.evidence import Evidence
from plait.judge.oracle.probes import probes_of
from plait.judge.oracle.rules import may_wait
from plait.model.finding import Finding
from plait.model.result import Result
from plait.store.keys import files_key, token
from plait.store.project import Memory
from plait.subject.interface.members import Interface
from plait.workers.failures import WorkerCrashed, WorkerHung
from plait.workers.pool import Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.commands.check.options import CheckOptions


CHUNK_TESTS = 25
CHUNK_SECONDS = 2.0
LONGEST_CHUNK = 60.0  # a chunk may end in a long minimisation
STALL = 3.0  # seconds that one test may take: they take milliseconds
LONGER = 3  # times as long for what seemed to have no end, before it is said to have none
AFTER_FOUND = 10.0  # seconds to look for other causes once something was found,
TESTS_AFTER_FOUND = 120  # and tests, or a busy machine would end the search too soon
MOST_BARREN = 50  # chunks without a test or a schedule; one is given half a second at least
ALONE = -1  # stands for the stream that calls each method once, before the others begin
GRACE = 2.0  # seconds that chunks under way get when time is up
_COLLECTS = ("list(", "tuple(", "sorted(", "set(", "dict(")


class Campaign:
    """One check."""

    def __init__(
        self, options: CheckOptions, budget: Budget, memory: Memory, interrupt: Interrupt | None, progress: Progress,
        aim: Aim | None = None,
    ) -> None:  # fmt: skip
        self._options = options
        self._budget = budget
        self._memory = memory
        self._interrupt = interrupt
        self._progress = progress
        self._aim = aim
        self._name = options.name
        self._findings: dict[str, Finding] = {}
        self.replays = Replays(memory)
        self._followers = Followers()
        self._planned = budget.by_steps and budget.max_schedules is None and memory.keeps
        self._around = token((files_key(options.hook), tuple(sorted(options.allow))))
        self._tally = Tally()
        self._pairs = PairCounts()
        self._coverage: list[tuple[float, int]] = []
        self._so_far: dict[int, int] = {}
        self._barren: dict[int, int] = {}  # by stream: chunks in a row that brought nothing
        self._looks: dict[str, int] = {}
        self._explored: set[str] = set()  # by this campaign, as the store names them
        self._recalled = 0
        self._schedules_so_far: dict[int, int] = {}
        self._schedules = 0
        self._tests = 0
        self._exhausted = 0
        self._ended = 0  # streams that have nothing new to say
        self._firsts: list[tuple[int, int]] = []  # tests and schedules until a stream's finding
        self._first_found: float | None = None
        self._last_found = 0.0
        self._tests_then = 0
        self._stopped_by = "budget"
        self._notes = Notes()
        self._excluded: dict[int, set[str]] = {}  # by stream: the methods that have killed its worker
        self._left_out: dict[int, set[str]] = {}  # by stream: those that it was begun without
        self._alone = Alone()
        self._evidence = Evidence()
        self._lost: list[dict[str, str]] = []
        self._also: set[tuple[str, frozenset[str]]] = set()  # causes, and methods that have shown them
        self._again: dict[int, int] = {}  # streams that begin anew, and for the which time with the same methods
        self._narrow: set[int] = set()  # streams that go on without tests of many methods
        self._stall: dict[int, float | None] = {}  # by stream: how long its next task may be without a sign of life
        self._interface: Interface | None = None

    def run(self, workers: Workers) -> None:
        """Replay what is known, then explore until the budget is used up."""
        self._workers = workers
        self._interface = self._discover()
        self._notes.general += self._interface.notes
        self.replay(workers)
        self._try_alone()
        running: dict[Future[Any], tuple[int, bytes | None, int]] = {}
        shares = self._budget.shares(self._options.streams)
        for number, share in enumerate(shares):
            if not share.is_over(tests=0, schedules=0):
                running[self._begin(number)] = (number, None, 0)
        while running:
            done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda each: running[each][0]):
                number, stream, attempt = running.pop(future)
                following = self._collect(future, number, stream, attempt)
                if following is None:
                    if number in self._again and not self._over():
                        again = self._again.pop(number)
                        running[self._begin(number)] = (number, None, again)
                    continue
                stream, attempt = following
                tests, schedules = self._so_far.get(number, 0), self._schedules_so_far.get(number, 0)
                if not self._over() and not shares[number].is_over(tests=tests, schedules=schedules):
                    running[self._advance(number, stream, shares[number])] = (number, stream, attempt)
            if self._over():
                self._give_grace(running)
                break
            self._renew(running)
        for number, chunk in self._followers.chunks():
            self._add(number, chunk)

    def replay(self, workers: Workers) -> None:
        """See what has become of the findings of earlier runs."""
        self.replays.run(workers, self._name, self._asked(0), self._memory.known(), self._over)
        self._findings.update(self.replays.findings)
        if self._findings:
            self._found()

    def _try_alone(self) -> None:
        """Call each method once, in one thread: no stream needs to meet what loses the worker by itself.

        What starts threads is remembered: it is to blame when one of these waits for something out of reach.
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
                        self._survive(error, ALONE, None, attempt)
                    except PlaitBugError as error:
                        self._own_error(error, "calling each method alone")
                    else:
                        self._alone = answer.value
                        self._notes.add_stopped(answer.stopped)
            attempt = self._again.pop(ALONE, None)

    def _advance(self, number: int, stream: bytes, share: Share) -> Future[Any]:
        """Return the next chunk of a stream. What it does must not depend on timing if the budget does not."""
        left = CHUNK_TESTS if share.tests is None else share.tests - self._so_far.get(number, 0)
        seconds = LONGEST_CHUNK / 2
        if self._budget.wall is not None:
            seconds = min(CHUNK_SECONDS, max(0.5, self._budget.left))
        looks = self.replays.looks if self._budget.by_steps else self.replays.looks | self._looks
        portion = tasks.Portion(
            min(CHUNK_TESTS, left), seconds, share.schedules, looks, self._memory.folder, self._memory.keeps,
            self.replays.explained, until_found=not self._budget.by_steps and not self._findings,
        )  # fmt: skip
        stall = self._stall.pop(number, STALL)
        if number in self._followers:
            return self._workers.submit(tasks.follow_plan, stream, portion, left, timeout=LONGEST_CHUNK, stall=stall)
        return self._workers.submit(tasks.advance, stream, portion, timeout=LONGEST_CHUNK, stall=stall)

    def _discover(self) -> Interface:
        try:
            found: Interface = (
                self._workers.attempt(tasks.interface_of, self._name, timeout=LONGEST_CHUNK).result().value
            )
        except (WorkerCrashed, WorkerHung) as error:
            where = f" at {error.where}" if error.where else ""
            raise UsageError(f"{self._name} cannot be imported: {error.reason}{where}") from None
        return found

    def _give_grace(self, running: dict[Future[Any], tuple[int, bytes | None, int]]) -> None:
        """Time is up: take what the chunks under way bring within a few seconds, and leave the rest."""
        grace = 1.0 if self._interrupt is not None and self._interrupt.requested else GRACE
        done, late = wait(running, timeout=grace)
        for future in sorted(done, key=lambda each: running[each][0]):
            number, stream, attempt = running.pop(future)
            self._collect(future, number, stream, attempt)
        for future in late:
            future.cancel()

    def _asked(self, number: int) -> StreamOptions:
        options = self._options
        return StreamOptions(
            options.subject.qualname.rpartition(".")[2] or options.subject.module, options.generate, options.seed,
            number, options.streams, options.threads, model=options.model, order=options.order, aim=self._aim,
            rules=options.rules, deeper=options.deeper and options.generate == "covcon", around=self._around,
            planned=self._planned, wide=number not in self._narrow,
        )  # fmt: skip

    def _begin(self, number: int, task: Callable[..., Any] = tasks.begin_stream) -> Future[Any]:
        options = self._options
        hints = options.hints
        self._left_out[number] = excluded = self._without(number)
        self._so_far[number] = self._schedules_so_far[number] = self._barren[number] = 0
        if excluded:
            hints = replace(hints, exclude=(*hints.exclude, *sorted(excluded)))
        return self._workers.submit(
            task, self._name, self._asked(max(number, 0)), hints, options.tests, timeout=LONGEST_CHUNK,
            stall=self._stall.pop(number, STALL),
        )  # fmt: skip

    def _renew(self, running: dict[Future[Any], tuple[int, bytes | None, int]]) -> None:
        """Streams that have not begun yet need not meet again what others have been left without."""
        for future, (number, stream, attempt) in list(running.items()):
            if stream is None and self._without(number) - self._left_out[number] and future.cancel():
                del running[future]
                running[self._begin(number)] = (number, None, attempt)

    def _without(self, number: int) -> set[str]:
        """Return the methods that a stream goes on without; what others have learned depends on timing."""
        if self._budget.by_steps:
            return self._excluded.get(number, set()) | self._excluded.get(ALONE, set())
        return set().union(*self._excluded.values())

    def _collect(
        self, future: Future[Any], number: int, stream: bytes | None, attempt: int
    ) -> tuple[bytes, int] | None:
        """Take what a worker brought; returns the stream to go on with."""
        try:
            answer = future.result()
        except (WorkerCrashed, WorkerHung) as error:
            if stream is not None and number in self._followers:
                return self._ask_again(number), 0
            return self._survive(error, number, stream, attempt)
        except PlaitBugError as error:
            self._own_error(error, "running tests")
            return None
        except UsageError as error:  # what was found, or has been tried, stands
            if not self._tests and not self._findings:
                raise
            self._notes.general.append(f"a stream of tests ended early: {error}")
            return None
        self._notes.add_stopped(answer.stopped)
        if isinstance(answer.value, bytes):
            if self._planned and self._memory.folder is not None:
                self._followers.begin(number, answer.value)
            return answer.value, 0
        stream, came = answer.value
        chunks = [came] if isinstance(came, Chunk) else came
        chunk = chunks[-1]
        if not self._advanced(number, chunk):
            self._notes.general.append("a stream of tests ended early: its workers told of no progress")
            return None
        if number not in self._followers:
            self._add(number, chunk)
        elif chunk.followed:
            self._followers.take(number, chunks)
        else:
            return self._ask_again(number, *chunks), 0
        return None if chunk.over else (stream, 0)

    def _advanced(self, number: int, chunk: Chunk) -> bool:
        """Count how far a stream is; False if it does not get on: a worker that lies could keep it for ever."""
        before = self._so_far.get(number, 0), self._schedules_so_far.get(number, 0)
        now = max(before[0], chunk.so_far), max(before[1], chunk.schedules_so_far)
        self._so_far[number], self._schedules_so_far[number] = now
        self._barren[number] = self._barren.get(number, 0) + 1 if now == before else 0
        return self._barren[number] < MOST_BARREN

    def _own_error(self, error: PlaitBugError, stage: str) -> None:
        """Note an error of plait's own that a worker could not tie to one test; the other streams go on."""
        note = own_error(stage, error, kept="the rest of the search goes on")
        self._notes.general.append(note)
        self._lost.append({"kind": "plait bug", "summary": note, "trace": str(error)})

    def _ask_again(self, number: int, *chunks: Chunk) -> bytes:
        """There is no plan, or it does not hold any more: the stream begins again and asks its generator."""
        stream, before = self._followers.give_up(number)
        for chunk in (*before, *chunks):
            self._schedules += chunk.schedules
            self._explored.update(chunk.units)
            self._memory.keep_tests(chunk.units)
        self._so_far[number] = self._schedules_so_far[number] = 0
        return stream

    def _survive(
        self, error: WorkerCrashed | WorkerHung, number: int, stream: bytes | None, attempt: int
    ) -> tuple[bytes, int] | None:
        """Return a worker died: try the chunk once more, then name the culprit and go on without it."""
        kind = "hang" if isinstance(error, WorkerHung) else "crash"
        note = getattr(error, "note", None) or {}
        alone = bool(note) and not note.get("suffixes")  # one thread was enough for it
        waits = isinstance(error, WorkerHung) and error.waits  # it will wait again
        known = {method.name for method in self._interface.methods} if self._interface is not None else set()
        culprits = culprits_of(note, self._without(number), error.where, known, self._alone.starters if waits else ())
        endless = alone and not waits and (kind == "hang" or _walks_for_ever(error, note))
        if attempt == 0 and not waits and not endless and not culprits & self._without(number):
            self._stall[number] = LONGER * STALL
            if stream is not None:
                return stream, 1
            if alone:
                self._again[number] = 1
                return None
        if stream is None and attempt == 0 and not note:
            self._again[number] = 1  # perhaps it only takes its time: nothing of the class was running
            self._stall[number] = None
            return None
        where = f" at {error.where}" if error.where else ""
        lines = [*note.get("prefix", ()), *(" | ".join(suffix) for suffix in note.get("suffixes", ()))]
        by_itself = " (one thread is enough)" if alone else ""
        summary = f"{self._name}: {error.reason}{where}, while running: {'; '.join(lines) or 'its import'}{by_itself}"
        methods = methods_of_finding(note)
        calls = [line for line in lines_of(note) if methods[line] in culprits] or [*lines_of(note)[-1:]]
        if endless:
            # One thread is enough: whatever is wrong with it, it is no matter of thread safety.
            self._notes.general.append(f"`{calls[-1]}` does not end{where}, in one thread and by itself: left out")
        elif waits and culprits:
            said = f"`{calls[-1]}` waits{where} for something that is not under control: left out"
            self._notes.general += [said] if said not in self._notes.general else []
        else:
            owner = self._asked(0).subject
            self._take(Finding(kind, summary, sorted(f"{owner}.{name}" for name in culprits)))
        self._lost.append({"kind": kind, "summary": summary})
        if not endless and not waits and number not in self._narrow and is_wide(methods.values()):
            self._narrow.add(number)  # too many to tell which of them it was: none is left out for it
            self._again[number] = 0
        elif culprits - self._left_out[number]:
            self._excluded.setdefault(number, set()).update(culprits)
            self._again[number] = 0
        return None

    def _found(self) -> None:
        self._last_found, self._tests_then = self._budget.elapsed, self._tests
        self._first_found = self._last_found if self._first_found is None else self._first_found

    def _add(self, number: int, chunk: Chunk) -> None:
        self._exhausted += chunk.exhausted
        self._ended += chunk.over
        if chunk.first is not None and chunk.first_schedules is not None:
            self._firsts.append((chunk.first, chunk.first_schedules))
        self._tally.add(chunk.gain)
        self._tests += chunk.tests
        self._schedules += chunk.schedules
        self._explored.update(chunk.units)
        self._recalled += sum(key not in self._explored for key in chunk.recalled)
        self._memory.keep_tests(chunk.units)
        self._pairs.take(number, chunk.pairs)
        pairs = self._pairs.rows()
        covered = sum(row["covered"] > 0 for row in pairs)
        self._coverage.append((round(self._budget.elapsed, 2), covered))
        self._looks.update(chunk.looks)
        self._notes.general += chunk.notes
        self._evidence.add(chunk.evidence)
        self._notes.undetermined.update(chunk.undetermined)
        self._notes.unreadable += len(chunk.unusable)
        self._notes.diverged += chunk.diverged
        for finding in chunk.findings:
            self._take(finding)
        self._also.update(chunk.also)
        self._progress.show(
            tests=self._tests, executions=self._schedules, pairs=len(pairs), covered=covered,
            findings=len(self._findings),
        )  # fmt: skip

    def _take(self, finding: Finding) -> None:
        key = cause(finding)
        known = self._findings.get(key)
        if known is None:
            self._findings[key] = finding
            self._found()
        elif better(finding, known):
            finding.occurrences = known.occurrences + 1
            self._findings[key] = finding
        else:
            known.occurrences += 1
        self._memory.keep_finding(key, self._findings[key])

    def _over(self) -> bool:
        if self._interrupt is not None and self._interrupt.requested:
            self._stopped_by = "interrupt"
            return True
        if self._findings and not self._options.keep_going:
            self._stopped_by = "finding"
            return True
        if self._budget.by_steps:
            return False
        tried = self._tests - self._tests_then >= TESTS_AFTER_FOUND
        long = self._budget.elapsed > self._last_found + max(AFTER_FOUND, self._last_found)
        if self._first_found is not None and tried and long:
            self._stopped_by = "finding"
            return True
        return self._budget.left <= 0

    @property
    def found_anything(self) -> bool:
        """Return whether there is a finding."""
        return bool(self._findings)

    def break_off(self, error: Exception) -> None:
        """Note an error of plait's own that ended the search; what was found stands."""
        self._notes.general.append(own_error("searching", error, kept="the search ended here"))

    def result(self) -> Result:
        """Return what the campaign found and covered; the bare findings if putting that together fails."""
        notes: list[str] = []
        whole = guarded("summing up", self._result, notes, kept="the findings are shown without what was covered")
        if whole is not None:
            return whole
        findings = list(self._findings.values())
        counted = {"tests": self._tests, "schedules": self._schedules, "method_pairs": 0, "method_pairs_covered": 0}
        return Result(
            "check", self._name, "violation" if findings else "inconclusive", seed=self._options.seed,
            model=self._options.model, findings=findings, stats=counted, notes=[*self._notes.general, *notes],
            more={"pairs": [], "coverage_over_time": []},
        )  # fmt: skip

    def _result(self) -> Result:
        options = self._options
        relate(self._findings, self._also, self._memory.keep_finding)
        findings = grouped(without_bystanders(self._findings.values()), weight)
        pairs = self._pairs.rows()
        covered = sum(row["covered"] > 0 for row in pairs)
        elapsed = max(self._budget.elapsed, 1e-9)
        stats = {
            "tests": self._tests, "schedules": self._schedules, "executions_per_s": round(self._schedules / elapsed, 1),
            "method_pairs": len(pairs), "method_pairs_covered": covered, **self._tally.stats(),
            "impacted_points": 0 if self._aim is None else len(self._aim.impact), "tests_known": self._recalled,
            "tests_exhausted": self._exhausted,
            "seconds_to_first": None if self._first_found is None else round(self._first_found, 2),
            "tests_to_first": min((tests for tests, _schedules in self._firsts), default=None),
            "schedules_to_first": min((schedules for _tests, schedules in self._firsts), default=None),
        }  # fmt: skip
        if findings and self._stopped_by == "budget" and not self._budget.by_steps:
            self._stopped_by = "finding" if self._first_found is not None else "budget"
        if not findings and self._ended >= options.streams:
            self._stopped_by = "exhausted"
        if self._aim is not None:
            self._notes.general += self._aim.impact.notes
            if not self._aim.impact.points:
                self._notes.general.append(f"nothing differs from {options.old}: schedules come in the usual order")
        self._notes.general += self._tally.sentences(options.streams)
        if any(f"{each}(" in self._alone.built for each in ("Standin", "Partner", "implemented")):
            self._notes.general.append(
                f"built by `{self._alone.built}`, with a stand-in of plait's for an object that nobody describes; "
                "what a real one does was not tested. To give one: factories = [...] under [tool.plait]"
            )
        if self._alone.recipe:
            self._notes.general.append(_as_written(self._alone))
        self._notes.add_recalled(self._recalled, self._tests)
        self._notes.general += [*self.replays.sentences(), *self._memory.messages]
        if not self._tests and not self._notes.sentences() and self._budget.left <= 0:
            self._notes.general.append("the time was over before the first test was ready; --budget gives more")
        verdict = "violation" if findings else "none"
        reason = ""
        if self._interface is not None:
            end = conclude(self._interface, options.hints, self._alone, self._evidence)
            stats["methods"] = end.methods
            if not findings:
                reason = end.reason
                self._notes.general += [*([reason] if reason else []), *end.notes]
        if not findings and (reason or not self._tests):
            verdict = "inconclusive"
            reason = reason or next(iter(self._notes.sentences()), "not one test could be run within the budget")
        more = {
            **({"reason": reason} if reason else {}),
            "pairs": pairs,
            "coverage_over_time": self._coverage,
            "rules": replace(options.rules, waiting=may_wait(self._interface) if self._interface else ()).as_json(),
            "lost": self._lost,
            "built": self._alone.built,
            "remembered": self.replays.sentences(),
            "probes": [call.expression for call in probes_of(self._interface)] if self._interface is not None else [],
        }  # fmt: skip
        return Result(
            "check", self._name, verdict, seed=options.seed, model=options.model,
            findings=findings, stats=stats, stopped_by=self._stopped_by, notes=self._notes.sentences(), more=more,
        )  # fmt: skip


def _as_written(alone: Alone) -> str:
    """Return how the object was built, where somebody has written that down; it can be put into the settings."""
    imports = ", ".join(f'"{line}"' for line in alone.recipe_imports)
    return (
        f"built as {alone.recipe} does it: `{alone.built}`; to pin that: imports = [{imports}] and "
        f"factories = [{json.dumps(alone.built)}] under [tool.plait]"
    )


def _walks_for_ever(error: WorkerCrashed | WorkerHung, note: dict[str, Any]) -> bool:
    """Return whether a worker ran out of memory while it collected what an iterator gives."""
    return error.reason == "out of memory" and any(line.startswith(_COLLECTS) for line in lines_of(note)[-1:])


# -- check notes -------------------------------------------------------------------------------------------------------
# What a check could not do, or did differently, in sentences for the end of its report.


MOST = 6  # names in one sentence


@dataclass(slots=True)
class Notes:
    """Collects while the campaign runs; `sentences` at its end."""

    general: list[str] = field(default_factory=list)
    undetermined: Counter[str] = field(default_factory=Counter)
    stopped: dict[tuple[str, str], str] = field(default_factory=dict)
    unreadable: int = 0
    diverged: int = 0

    def add_stopped(self, acts: Iterable[Mapping[str, str]]) -> None:
        """Acts of the code under test that the guard has stopped."""
        for act in acts:
            self.stopped.setdefault((act["act"], act["call"]), act["at"])

    def add_recalled(self, known: int, tests: int) -> None:
        """So many of the tests were known."""
        if known:
            self.general.append(
                f"{known} of {tests} tests had been explored before and touch nothing that has changed: they were not "
                "explored again"
            )

    def sentences(self) -> list[str]:
        """Return one per subject."""
        said = list(dict.fromkeys(self.general))
        if self.undetermined:
            names = _listed(sorted(self.undetermined, key=lambda name: (-self.undetermined[name], name)))
            said.append(f"results of {names} differ from run to run by themselves and were compared with nothing")
        for kind in sorted({kind for kind, _call in self.stopped}):
            calls = [f"{call} at {at}" for (other, call), at in self.stopped.items() if other == kind]
            said.append(f"stopped: {_listed(calls, 3)}; `--allow {kind}` lets it happen")
        if self.diverged:
            tests = f"{self.diverged} test{'s' if self.diverged > 1 else ''}"
            said.append(f"{tests} did not do the same again under the same schedule (something is not under control: "
                        "real time, random numbers, input or output); nothing is claimed about them")  # fmt: skip
        if self.unreadable:
            said.append(f"{self.unreadable} generated tests were no valid Python and were left out")
        return said


def _listed(names: Iterable[str], most: int = MOST) -> str:
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return f"{', '.join(every[:most])}{more}"


# -- check pairs -------------------------------------------------------------------------------------------------------
# How often each pair of methods was tried and ran concurrently, in all streams of a campaign.


@dataclass(slots=True)
class PairCounts:
    """Streams report their own counts, each time all of them."""

    _of: dict[int, dict[tuple[str, ...], tuple[int, int]]] = field(default_factory=dict)  # by stream

    def take(self, number: int, rows: Iterable[Mapping[str, Any]]) -> None:
        """Replace the counts of one stream."""
        self._of[number] = {tuple(row["methods"]): (row["tried"], row["covered"]) for row in rows}

    def rows(self) -> list[dict[str, Any]]:
        """Return the counts of all streams, as plain data."""
        found: dict[tuple[str, ...], tuple[int, int]] = {}
        for number in sorted(self._of):
            for pair, (tried, covered) in self._of[number].items():
                before = found.get(pair, (0, 0))
                found[pair] = (before[0] + tried, before[1] + covered)
        return [
            {"methods": list(pair), "tried": tried, "covered": covered}
            for pair, (tried, covered) in sorted(found.items())
        ]


# -- check follow ------------------------------------------------------------------------------------------------------
# Streams of `plait check` that go by the plans of an earlier run.


@dataclass(slots=True)
class Followers:
    """What each of them has brought so far: it counts when there was a plan to the end, else it is done again."""

    _streams: dict[int, tuple[bytes, list[Chunk]]] = field(default_factory=dict)  # with how they began

    def __contains__(self, number: int) -> bool:
        return number in self._streams

    def begin(self, number: int, stream: bytes) -> None:
        """Let a stream follow its plan from here."""
        self._streams[number] = (stream, [])

    def take(self, number: int, chunks: list[Chunk]) -> None:
        """Chunks went by their plans."""
        self._streams[number][1].extend(chunks)

    def give_up(self, number: int) -> tuple[bytes, list[Chunk]]:
        """Return the beginning of a stream that follows no more, and what it brought until now."""
        return self._streams.pop(number)

    def chunks(self) -> Iterator[tuple[int, Chunk]]:
        """Everything that counts, stream by stream."""
        return ((number, chunk) for number, (_, chunks) in sorted(self._streams.items()) for chunk in chunks)
