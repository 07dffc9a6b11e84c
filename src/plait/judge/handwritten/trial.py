"""A hand-written test in the form that the engine runs: set-up, thread bodies, check."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from plait.explore.runner import execute, model
from plait.explore.scripted import Scripted
from plait.model.foreign import exception_text
from plait.model.outcome import CheckFailed, Finished, Outcome
from plait.observe.ending import ending, left_behind
from plait.observe.places import HINTS
from plait.observe.racing import RacingPair, racing_pairs
from plait.observe.recording import Moment, StepRecorder, count_preemptions, schedule_of
from plait.observe.spots import spot_of_error
from plait.run.engine import DIVERGED, ENGINE, FINISHED_RUN, REDUNDANT
from plait.run.hooks.access import perform_function
from plait.run.hooks.containers import is_c_callable
from plait.subject.interface.signature import signature_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.explore.strategy import Strategy
    from plait.model.schedule import Schedule

_Body = Callable[..., object]


class Failure(NamedTuple):
    """One failed execution, in a form that can be replayed."""

    outcome: Outcome
    schedule: Schedule
    preemptions: int

    @property
    def cost(self) -> tuple[int, int]:
        """A sort key: schedules with a smaller cost are easier to understand."""
        return (self.preemptions, self.schedule.switches)


class RecordedTrial(NamedTuple):
    """A replayed execution with everything that a report shows."""

    outcome: Outcome
    moments: list[Moment]
    pairs: list[RacingPair]
    error: BaseException | None
    lost: str | None
    names: tuple[str, ...]
    schedule: Schedule
    preemptions: int


class Trial:
    """Prepares and judges the executions of one test; ``outcome`` and ``error`` are those of the last execution."""

    def __init__(self, setup: _Body | None, threads: Sequence[_Body], check: _Body | None, *, seed: int = 0) -> None:
        self._seed = seed
        self.reseed = False  # seed `random` before every execution, so that random numbers repeat
        self._setup = setup
        self._threads = [(body, _takes_state(body)) for body in threads]
        self._check = check
        self._check_takes_state = check is not None and _takes_state(check)
        self.state: Any = None
        self.names: dict[int, str] = {}  # names, by id, of objects made before the executions; reports use them
        self.outcome: Outcome = Finished()
        self.error: BaseException | None = None

    def prepare(self) -> list[Callable[[], object]]:
        """Return the thread bodies over a fresh state; `Engine.execute` calls this first."""
        self.outcome, self.error = Finished(), None
        if self.reseed:
            random.seed(self._seed)
        state = self.state = self._setup() if self._setup is not None else None
        return [_body(body, state, takes_state) for body, takes_state in self._threads]

    def finish(self) -> None:
        """Judge the execution while its objects are alive; `Engine.execute` calls this at the end."""
        if ENGINE.status == DIVERGED:
            return
        if ENGINE.status != FINISHED_RUN or ENGINE.pending:
            self._hint()
        for thread in ENGINE.threads:
            if thread.error is not None:
                if isinstance(thread.error, KeyboardInterrupt):
                    raise thread.error
                self.error = self.error or thread.error
        if ENGINE.status != FINISHED_RUN or self.error is not None:
            self.outcome = ending(ENGINE)
            if not isinstance(self.outcome, Finished) or ENGINE.status == REDUNDANT:
                return  # an execution that was cut short shows no final state, but its exceptions are real
        if self._check is not None:
            self._judge(self._check)
        if ENGINE.pending and isinstance(self.outcome, Finished):
            self.outcome = left_behind(ENGINE)

    def _hint(self) -> None:
        """Give reports the names that the test itself uses for its objects."""
        HINTS.clear()
        HINTS.update(self.names)
        state = self.state
        parts = enumerate(state) if isinstance(state, list | tuple) else state.items() if type(state) is dict else ()
        HINTS.update((id(part), f"state[{key!r}]") for key, part in parts)

    def _judge(self, check: _Body) -> None:
        try:
            answer = check(self.state) if self._check_takes_state else check()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            spot = spot_of_error(error)
            self.error = error
            self.outcome = CheckFailed(type(error).__name__, exception_text(error) or spot.code, spot)
            return
        if answer is not None and not answer:
            self.outcome = CheckFailed("AssertionError", f"it returned {answer!r}")

    def probe(self) -> Any:
        """Return a fresh state without running the threads."""
        execute(lambda: self.prepare()[:0])
        return self.state

    # -- executions ---------------------------------------------------------------------------------------------

    def execute(self, prefix: Sequence[int], strategy: Strategy | None, *, free: bool, backend: str = "auto") -> str:
        """Run one execution and return the engine's status."""
        return execute(self.prepare, prefix, strategy, free=free, finish=self.finish, backend=backend)

    def failure(self) -> Failure:
        """Return the outcome of the last execution with its schedule."""
        return Failure(self.outcome, schedule_of(ENGINE), count_preemptions(ENGINE.trace))

    def replay(self, schedule: Schedule, *, backend: str = "auto") -> tuple[Failure, str | None]:
        """Run a schedule; the second part of the result says where it no longer fits the code, or is None."""
        script = Scripted(schedule)
        script.next_prefix()
        with model(gil=schedule.gil, any_timeouts=schedule.any_timeouts):
            self.execute((), script, free=False, backend=backend)
            return self.failure(), script.lost

    def record(self, schedule: Schedule) -> RecordedTrial:
        """Replay a schedule and record what a report shows."""
        script = Scripted(schedule)
        script.next_prefix()
        recorder = StepRecorder()
        moments: list[Moment] = []
        pairs: list[RacingPair] = []

        def finish() -> None:
            self._hint()
            moments.extend(recorder.moments(ENGINE))
            pairs.extend(racing_pairs(ENGINE, moments))
            self.finish()

        with model(gil=schedule.gil, any_timeouts=schedule.any_timeouts):
            ENGINE.recorder = recorder
            try:
                execute(self.prepare, (), script, finish=finish)
            finally:
                ENGINE.recorder = None
            names = tuple(thread.name for thread in ENGINE.threads)
            done = self.failure()
        return RecordedTrial(
            done.outcome, moments, pairs, self.error, script.lost, names, done.schedule, done.preemptions
        )


def _body(body: _Body, state: Any, takes_state: bool) -> Callable[[], object]:
    """Return the function that a thread runs. A built-in one is announced to the engine, as rewritten code would do."""
    if is_c_callable(body):
        given = (state,) if takes_state else ()
        return lambda: perform_function(body, 0, *given)
    return (lambda: body(state)) if takes_state else body


def _takes_state(function: _Body) -> bool:
    """Return whether a function can be called with one argument. One without parameters has the state as a closure."""
    try:
        signature_of(function).bind(None)
    except TypeError:
        return False
    except ValueError:  # a built-in without a signature
        return True
    return True
