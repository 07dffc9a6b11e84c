"""Runs one test on one version in all orders of whole calls, and records outcomes and traces.

Versions are first compared by these. Different outcomes are a sequential difference (ConDiff, Definition 3 and Figure
3, lines 6 and 12): with one call per thread, the orders of whole calls contain ``prefix + suffix1`` and ``prefix +
suffix2``. The filter compares the traces (line 26).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plait.explore.runner import execute, model
from plait.explore.serial import Serial
from plait.generate.draft import ARGUMENT
from plait.judge.difference.outcome import Outcome, View, Watch, features, locations, result_value, settled
from plait.judge.oracle.specification import MASKED, CallResult
from plait.model.foreign import Canonical
from plait.model.test import Call, Test
from plait.observe.canonical import exception_name
from plait.observe.footprint import AccessRecorder, Touched
from plait.observe.places import PLACES, place
from plait.observe.serializable import SerialRun, serial_run, serializable
from plait.observe.trace import Place, Trace, Tracer
from plait.run.endings import OWN, RAISED, SetupBlockedError, SetupFailedError
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed, namespace

MAX_ORDERS = 24
Order = tuple[tuple[int, int], ...]  # (thread, index of the call), in the order in which the calls ended


class Beginning(NamedTuple):
    """The behaviour of the prefix alone: each call's result, and the final state; ``failed`` if it cannot be run."""

    results: tuple[CallResult, ...]
    state: Canonical
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """The serial executions of a test on one version. ``orders`` is empty if the prefix fails.

    ``begun`` has for each order the calls in the order of their beginnings, and whether none overlapped, so that a
    single thread can do the same. A ``serializable`` test is proven to have no outcomes except those of ``orders``.
    """

    beginning: Beginning
    orders: tuple[tuple[Order, Outcome], ...] = ()
    traces: tuple[Trace, ...] = ()
    serializable: bool = False
    begun: tuple[tuple[Order, bool], ...] = ()

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcomes of all orders."""
        return tuple(outcome for _order, outcome in self.orders)

    @property
    def digest(self) -> tuple[str, ...]:
        """A key that is equal for executions with the same effects on shared memory."""
        return tuple(trace.digest for trace in self.traces)


class Observer:
    """Observes tests on the version that this process has loaded."""

    def __init__(self, view: View, relative: Callable[[str], str]) -> None:
        self.view = view
        self._relative = relative
        self._beginnings: dict[tuple[Call, ...], Beginning] = {}

    def beginning(self, test: Test) -> Beginning:
        """Return the behaviour of the test's prefix alone, which is run once and cached."""
        known = self._beginnings.get(test.prefix)
        if known is None:
            known = self._beginnings[test.prefix] = _run_prefix(test, self.view)
        return known

    def observe(self, test: Test, *, traced: bool = True) -> Observation:
        """Run the prefix, then all orders of the calls."""
        beginning = self.beginning(test)
        if beginning.failed:
            return Observation(beginning)
        bed = Testbed(test, PLACES)
        bed.stops = True
        watch = Watch(bed, self.view)
        orders: list[tuple[Order, Outcome]] = []
        traces: list[Trace] = []
        runs: list[SerialRun | None] = []
        begun: list[tuple[Order, bool]] = []
        serial = Serial()

        def finish() -> None:
            if traced:
                traces.append(tracer.trace(ENGINE))
                runs.append(serial_run(ENGINE, bed.done, tracer.lock_names(), self._visible(bed)))
            begun.append(_begun(bed))
            orders.append((tuple((done.thread, done.index) for done in bed.done), watch.outcome()))

        try:
            while len(orders) < MAX_ORDERS and serial.next_prefix() is not None:
                tracer = Tracer(lambda: bed.values, self._relative)
                with model(recorder=tracer if traced else None):
                    execute(bed.prepare, (), serial, finish=finish)
                serial.executed(ENGINE)
        except SetupFailedError:
            return Observation(beginning._replace(failed=True))
        proven = serial.exhausted and serializable(runs)
        return Observation(beginning, tuple(orders), tuple(traces), proven, tuple(begun))

    def _visible(self, bed: Testbed) -> frozenset[int]:
        """Return the locations that callers can read at any moment, if the view includes states."""
        if not self.view.state:
            return frozenset()
        return frozenset(locations([bed.values[name] for name in bed.variables], public=True))

    def observe_alone(self, test: Test) -> tuple[Observation, Touched]:
        """Run a test of one thread; return also what its call touches."""
        beginning = self.beginning(test)
        if beginning.failed:
            return Observation(beginning), Touched(None)
        bed = Testbed(test, PLACES)
        watch = Watch(bed, self.view)
        recorder = AccessRecorder(lambda: bed.values, self._relative)
        found: list[tuple[Observation, Touched]] = []

        def finish() -> None:
            order = tuple((done.thread, done.index) for done in bed.done)
            touched = recorder.touched(ENGINE)
            found.append((Observation(beginning, ((order, watch.outcome()),)), touched))

        try:
            with model(recorder=recorder):
                execute(bed.prepare, finish=finish)
        except SetupFailedError:
            return Observation(beginning._replace(failed=True)), Touched(None)
        return found[0]


def _begun(bed: Testbed) -> tuple[Order, bool]:
    """Return the calls of the last execution in the order of their beginnings, and whether none overlapped."""
    stuck = len(ENGINE.trace) + 1
    calls = [(done.start, done.end, done) for done in bed.done]
    calls += [(each.start, stuck, each) for each in bed.running.values()]
    calls.sort(key=lambda each: each[:2])
    whole = all(end <= start for (_begin, end, _one), (start, _end, _other) in itertools.pairwise(calls))
    return tuple((each.thread, each.index) for _start, _end, each in calls), whole


def _run_prefix(test: Test, view: View) -> Beginning:
    """Run the prefix alone."""
    found: list[Beginning] = []
    execute(lambda: _run(test, view, found))
    return found[0]


def reached(test: Test) -> frozenset[tuple[str, object]]:
    """Return features of the state in which a prefix leaves its object; prefixes are chosen to differ by them."""
    beginning = _run_prefix(test, View())
    names = sorted({call.result for call in test.prefix if call.result is not None})
    if beginning.failed or not isinstance(beginning.state, tuple):
        return frozenset()
    return features(beginning.state[names.index(test.prefix[0].result or "")])


def statements_reached(test: Test, relative: Callable[[str], str]) -> frozenset[Place]:
    """Return the lines at which a test's calls make steps, in all orders of whole calls."""
    bed = Testbed(test, PLACES)
    bed.stops = True
    serial = Serial()
    sites: set[int] = set()
    try:
        while serial.next_prefix() is not None:
            execute(bed.prepare, (), serial, finish=lambda: sites.update(entry[3] for entry in ENGINE.trace))
            serial.executed(ENGINE)
    except SetupFailedError:
        return frozenset()
    found = [place(site) for site in sites]
    return frozenset((relative(each.file), each.line) for each in found)


def _run(test: Test, view: View, found: list[Beginning]) -> Sequence[Callable[[], object]]:
    space = namespace(test.imports)
    values: dict[str, object] = {}
    results: list[CallResult] = []
    for call in test.prefix:
        try:
            try:
                code = compile(call.expression, "<call>", "eval")
            except SyntaxError:
                exec(call.expression, space, values)
                results.append(("done",))
                continue
            value = eval(code, space, values)
        except SetupBlockedError:
            found.append(Beginning((*results, ("blocked",)), None, failed=True))
            return []
        except OWN:
            raise
        except RAISED as error:
            found.append(Beginning((*results, ("raised", exception_name(error))), None, failed=True))
            return []
        # Objects that a test makes as arguments are compared by their final states.
        if not results or call.method == ARGUMENT:
            results.append(("made",))
        elif call.method in view.masked:
            results.append(MASKED)
        else:
            results.append(("returned", result_value(value, view.ignored)))
        if call.result is not None:
            values[call.result] = value
    state = settled([values[name] for name in sorted(values)], view.ignored) if view.state else None
    found.append(Beginning(tuple(results), state))
    return []
