"""Runs calls one after another and tells a generator how each went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import ClassVar

from plait.explore.runner import execute
from plait.generate.outcome import CallOutcome
from plait.model.foreign import exception_text, short_name
from plait.model.test import Test
from plait.observe.canonical import canonical, exception_name
from plait.run.endings import OWN, RAISED, EndlessError, SetupBlockedError, memory_is_exhausted, patience
from plait.run.engine import ENGINE
from plait.run.testbed import namespace

MAX_CACHED = 4000
ALONE_S = 1.0  # of processor time for a call that nothing disturbs, after which it counts as one without an end


class SequentialRunner:
    """`plait.generate.outcome.RunSequentially` over the code under test, with quiet hooks and virtual time."""

    announce: Callable[[Test], None] | None = None  # told what runs before it runs
    endless: ClassVar[dict[str, str]] = {}  # methods whose calls had no end, with one of them; they are not made again
    listener: Callable[[Test, object], None] | None = None  # told what the generator gets to know

    def __init__(self) -> None:
        self._spaces: dict[tuple[str, ...], dict[str, object]] = {}
        self._cache: dict[Test, list[CallOutcome]] = {}

    def __reduce__(self) -> tuple[type[SequentialRunner], tuple[()]]:
        """A generator travels between processes; what was cached does not."""
        return (SequentialRunner, ())

    def __call__(self, test: Test) -> list[CallOutcome]:
        """Return one outcome per call that was made; see `RunSequentially`."""
        known = self._cache.get(test)
        if known is not None:
            return known
        found: list[CallOutcome] = []
        announce = type(self).announce
        if announce is not None:
            announce(test)
        execute(lambda: self._run(test, found))
        if len(self._cache) >= MAX_CACHED:
            self._cache.clear()
        self._cache[test] = found
        listener = type(self).listener
        if listener is not None:
            listener(test, found)
        return found

    def _run(self, test: Test, found: list[CallOutcome]) -> Sequence[Callable[[], object]]:
        space = self._spaces.get(test.imports)
        if space is None:
            space = self._spaces[test.imports] = namespace(test.imports)
        values: dict[str, object] = {}
        receiver = test.prefix[0].result if test.prefix else None
        state: object = None
        for number, call in enumerate(test.prefix):
            before_it = ENGINE.main.waits
            if number and call.method in self.endless:
                found.append(CallOutcome("endless"))
                return []
            try:
                with patience(ALONE_S) if number else nullcontext():
                    result = _perform(call.expression, space, values)
            except (EndlessError, RecursionError):
                if not number:
                    found.append(CallOutcome("raised", "RecursionError"))
                    return []
                self.endless[call.method] = call.expression
                found.append(CallOutcome("endless"))
                return []
            except SetupBlockedError:
                found.append(CallOutcome("blocked", waited=True))
                return []
            except OWN:
                raise
            except RAISED as error:
                if isinstance(error, MemoryError) and memory_is_exhausted():
                    raise  # nothing that runs after it can be trusted
                waited = ENGINE.main.waits > before_it
                found.append(CallOutcome("raised", exception_name(error), exception_text(error)[:200], waited=waited))
                if number == 0:
                    return []
                continue
            if call.result is not None:
                values[call.result] = result
            before, state = state, canonical(values.get(receiver)) if receiver is not None else None
            changed, waited = number > 0 and before != state, ENGINE.main.waits > before_it
            found.append(CallOutcome("ok", changed=changed, result=short_name(type(result)), waited=waited))
        return []


def _perform(text: str, space: dict[str, object], values: dict[str, object]) -> object:
    try:
        code = compile(text, "<call>", "eval")
    except SyntaxError:
        exec(text, space, values)
        return None
    return eval(code, space, values)
