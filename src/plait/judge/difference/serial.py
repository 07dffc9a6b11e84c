"""One test on one version, one call after another: its outcomes in all orders, and the traces they leave.

This is what two versions are first compared by. Different outcomes are a sequential difference (ConDiff, Definition 3
and Figure 3, lines 6 and 12): with one call per thread, the orders of whole calls contain ``prefix + suffix1`` and
``prefix + suffix2``. The traces are what the filter compares (line 26).
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
from plait.observe.footprint import Touched, Toucher
from plait.observe.places import PLACES, place
from plait.observe.serializable import SerialRun, serial_run, serializable
from plait.observe.trace import Place, Trace, Tracer
from plait.run.endings import OWN, RAISED, SetupBlockedError, SetupFailedError
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed, namespace

MAX_ORDERS = 24
Order = tuple[tuple[int, int], ...]  # (thread, index of the call), as the calls came to their ends


class Beginning(NamedTuple):
    """What the prefix alone does: each call's result, and the state it leaves; ``failed`` if it cannot be run."""

    results: tuple[CallResult, ...]
    state: Canonical
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """A test on one version. ``orders`` is empty when the prefix fails.

    ``begun`` says of each order how its calls began, and whether none did while another one waited: then one thread
    can do the same. A ``serializable`` test is proven to have no outcomes but those of the orders of whole calls.
    """

    beginning: Beginning
    orders: tuple[tuple[Order, Outcome], ...] = ()
    traces: tuple[Trace, ...] = ()
    serializable: bool = False
    begun: tuple[tuple[Order, bool], ...] = ()

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Return what the orders came to."""
        return tuple(outcome for _order, outcome in self.orders)

    @property
    def digest(self) -> tuple[str, ...]:
        """Equal for executions that do the same to shared memory."""
        return tuple(trace.digest for trace in self.traces)


class Observer:
    """Observes tests on the version that this process has loaded."""

    def __init__(self, view: View, relative: Callable[[str], str]) -> None:
        self.view = view
        self._relative = relative
        self._beginnings: dict[tuple[Call, ...], Beginning] = {}

    def beginning(self, test: Test) -> Beginning:
        """Return what the test's prefix alone does; it is run once."""
        known = self._beginnings.get(test.prefix)
        if known is None:
            known = self._beginnings[test.prefix] = run_prefix(test, self.view)
        return known

    def observe(self, test: Test, *, traced: bool = True) -> Observation:
        """Run the prefix, then every order of the calls."""
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
        """Return what callers can look at in passing, where that counts (see `difference_passing`)."""
        if not self.view.state:
            return frozenset()
        return frozenset(locations([bed.values[name] for name in bed.variables], public=True))

    def observe_alone(self, test: Test) -> tuple[Observation, Touched]:
        """Run a test of one thread; also what its call touches."""
        beginning = self.beginning(test)
        if beginning.failed:
            return Observation(beginning), Touched(None)
        bed = Testbed(test, PLACES)
        watch = Watch(bed, self.view)
        toucher = Toucher(lambda: bed.values, self._relative)
        found: list[tuple[Observation, Touched]] = []

        def finish() -> None:
            order = tuple((done.thread, done.index) for done in bed.done)
            touched = toucher.touched(ENGINE)
            found.append((Observation(beginning, ((order, watch.outcome()),)), touched))

        try:
            with model(recorder=toucher):
                execute(bed.prepare, finish=finish)
        except SetupFailedError:
            return Observation(beginning._replace(failed=True)), Touched(None)
        return found[0]


def _begun(bed: Testbed) -> tuple[Order, bool]:
    """Return in which order the calls of the execution that has just ended began, and whether none overlapped."""
    stuck = len(ENGINE.trace) + 1
    calls = [(done.start, done.end, done) for done in bed.done]
    calls += [(each.start, stuck, each) for each in bed.running.values()]
    calls.sort(key=lambda each: each[:2])
    whole = all(end <= start for (_begin, end, _one), (start, _end, _other) in itertools.pairwise(calls))
    return tuple((each.thread, each.index) for _start, _end, each in calls), whole


def run_prefix(test: Test, view: View) -> Beginning:
    """Run the prefix alone."""
    found: list[Beginning] = []
    execute(lambda: _run(test, view, found))
    return found[0]


def reached(test: Test) -> frozenset[tuple[str, object]]:
    """Return what is special about the state that a prefix leaves its object in: what prefixes are to differ by."""
    beginning = run_prefix(test, View())
    names = sorted({call.result for call in test.prefix if call.result is not None})
    if beginning.failed or not isinstance(beginning.state, tuple):
        return frozenset()
    return features(beginning.state[names.index(test.prefix[0].result or "")])


def statements_reached(test: Test, relative: Callable[[str], str]) -> frozenset[Place]:
    """Return the lines that a test's calls reach with a step of their own, in all orders of whole calls."""
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
        # Objects that a test makes for itself are compared by their states, in the end.
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
