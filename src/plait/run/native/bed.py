"""Run generated tests as CovCon and ConTeGe do: on real threads, without rewriting, scheduled by the system.

The switch interval is made tiny, so that threads overlap more often. Nothing is controlled: a test that shows nothing
may show something the next time. Calls that wait for ever are recognised by a time limit.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from plait.model.test import Call, Test
from plait.run.testbed import namespace

_SWITCH_INTERVAL = 1e-6
_LEAST_INTERVAL = 1e-9  # is kept as 0, like everything below a microsecond
PATIENCE = 0.5  # seconds without an end after which threads count as deadlocked

Outcome = tuple[str, ...]  # one entry per call: "" or the name of an exception; ("deadlock",) if they did not end
Event = tuple[bool, str, int]  # whether a method begins, which one, in which thread


@contextmanager
def switching(interval: float = _SWITCH_INTERVAL) -> Iterator[None]:
    """Let the interpreter switch threads as often as it can until the block ends."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(interval)
    try:
        yield
    finally:
        put_back_interval(before)


def put_back_interval(seconds: float) -> None:
    """Set the switch interval to what `sys.getswitchinterval` has returned: that may be 0, which cannot be set."""
    sys.setswitchinterval(max(seconds, _LEAST_INTERVAL))


class NativeWatch:
    """The record of `watched`: ``events``, and the ``outer`` methods, of which only the test's calls are recorded."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.outer: set[str] = set()

    def noting(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, wrapped to record when its calls begin and end."""

        @functools.wraps(function)
        def noted(*args: Any, **kwargs: Any) -> Any:
            thread = threading.get_ident()
            self.events.append((True, name, thread))
            try:
                return function(*args, **kwargs)
            finally:
                self.events.append((False, name, thread))

        return noted


class NativeBed:
    """One test; the begin and end of its methods' calls are recorded inside `watched`."""

    def __init__(self, test: Test) -> None:
        self.test = test
        self._space = namespace(test.imports)
        self._prefix = [_Step(call) for call in test.prefix]
        self._suffixes = [[_Step(call) for call in suffix] for suffix in test.suffixes]

    def concurrent(self, watch: NativeWatch) -> Outcome:
        """Return one execution on threads."""
        values = self._built()
        gate = threading.Barrier(len(self._suffixes))
        found: list[list[str]] = [[] for _ in self._suffixes]

        def body(steps: Sequence[_Step], into: list[str]) -> None:
            runs = [watch.noting(step.method, step.run) if step.method in watch.outer else step.run for step in steps]
            gate.wait()
            for run in runs:
                into.append(run(self._space, values))  # noqa: PERF401 - seen by the others as it grows

        return _joined([(body, (steps, into)) for steps, into in zip(self._suffixes, found, strict=True)], found)

    def serial(self, order: Sequence[int]) -> Outcome:
        """Return the calls one after another, ``order`` naming the thread of each.

        Outcomes in the order of `concurrent`.
        """
        values = self._built()
        found: list[list[str]] = [[] for _ in self._suffixes]

        def body() -> None:
            for thread in order:
                step = self._suffixes[thread][len(found[thread])]
                found[thread].append(step.run(self._space, values))

        return _joined([(body, ())], found)

    def _built(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for step in self._prefix:
            step.run(self._space, values)
        return values


class _Step:
    """A call, compiled."""

    def __init__(self, call: Call) -> None:
        self._result = call.result
        self.method = call.method
        try:
            self._code, self._value = compile(call.expression, "<call>", "eval"), True
        except SyntaxError:
            self._code, self._value = compile(call.expression, "<call>", "exec"), False

    def run(self, space: dict[str, Any], values: dict[str, Any]) -> str:
        """Return the name of the exception, or nothing."""
        try:
            if self._value:
                result = eval(self._code, space, values)
                if self._result is not None:
                    values[self._result] = result
            else:
                exec(self._code, space, dict(values))
        except Exception as error:
            return type(error).__qualname__
        return ""


def _joined(bodies: Sequence[tuple[Callable[..., None], tuple[Any, ...]]], found: Sequence[list[str]]) -> Outcome:
    """Run the bodies. Threads that do not end are left behind: they cannot be killed, but are daemons."""
    threads = [threading.Thread(target=body, args=args, daemon=True) for body, args in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    if any(thread.is_alive() for thread in threads):
        return ("deadlock",)
    return tuple(outcome for outcomes in found for outcome in outcomes)


@contextmanager
def watched(owner: type, public: Iterable[str]) -> Iterator[NativeWatch]:
    """Record when public methods of the class begin and end (CovCon, section IV-B1: instrumentation)."""
    watch = NativeWatch()
    before: dict[str, Any] = {}
    for name in public:
        found = next((vars(klass)[name] for klass in owner.__mro__ if name in vars(klass)), None)
        if not callable(found) or isinstance(found, type):
            continue
        own = vars(owner).get(name)
        try:
            setattr(owner, name, watch.noting(name, found))
        except TypeError:  # a class written in C
            watch.outer.add(name)
        else:
            before[name] = own
    try:
        yield watch
    finally:
        for name, function in before.items():
            delattr(owner, name) if function is None else setattr(owner, name, function)
