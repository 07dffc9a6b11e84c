"""A process that writes performance tests: it imports one version of the subject, and learns by calling it.

It answers one JSON command per line, as measuring processes do: ``open``, ``focus`` and ``next``.
"""

from __future__ import annotations

import importlib
import os
import random
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.generate.catalogue import Hints, build_catalogue
from plait.generate.outcome import CallOutcome, is_absent, made_text
from plait.generate.perf import PerformanceTests
from plait.generate.sequence import Sequences
from plait.model.foreign import attributes_of, exception_text, short_name
from plait.run.native.kernel import confine
from plait.run.native.load import guard, serve
from plait.run.native.stillness import sleeps
from plait.subject.contract import Contract
from plait.subject.interface.discovery import discover

if TYPE_CHECKING:
    from plait.model.test import Call, Test


class Author:
    """Answers the commands of one parent (`plait.run.native.process.Process`)."""

    _chance: random.Random
    _sequences: Sequences
    _tests: PerformanceTests

    def open(
        self, root: str, extra: list[str], subject: str, folder: str, allowed: list[str], seed: int,
        hints: dict[str, Any], tests: str | None,
    ) -> dict[str, Any]:  # fmt: skip
        """Import the subject and discover its interface; ``tests`` is the folder of the project's own tests."""
        os.chdir(folder)
        sys.path[:0] = [root, *extra]
        confine(folder, allowed)
        guard(allowed, folder)
        module, _, qualname = subject.partition(":")
        owner: Any = importlib.import_module(module)
        for name in filter(None, qualname.split(".")):
            owner = getattr(owner, name)
        interface = discover(owner, name=subject)
        given = Hints(
            tuple(hints["imports"]), tuple(hints["factories"]), {k: tuple(v) for k, v in hints["values"].items()},
            tuple(hints["exclude"]), tuple((one, other) for one, other in hints["not_parallel"]),
            tuple(hints["only"]), Contract(**hints["contract"]),
        )  # fmt: skip
        catalogue = build_catalogue(owner, interface, hints=given, seed=seed, tests=Path(tests) if tests else None)
        self._chance = random.Random(seed)
        self._sequences = Sequences(catalogue, run_natively, self._chance)
        return {"methods": [each.name for each in catalogue.methods]}

    def focus(self, methods: list[str], excluded: list[str]) -> dict[str, Any]:
        """Set the methods that the tests are about, and those that they must not call."""
        catalogue = self._sequences.catalogue
        catalogue.methods = tuple(each for each in catalogue.methods if each.name not in excluded)
        self._tests = PerformanceTests(self._sequences, run_natively, self._chance, focus=methods)
        return {}

    def next(self, calls: int, suffixes: int, without: list[str]) -> dict[str, Any]:
        """Return one more test, or none."""
        test = self._tests.next_test(calls, suffixes, without=without)
        return {"test": test.as_json() if test is not None else None}


def author_main() -> None:
    """Serve until the parent closes the pipe."""
    serve(Author())


# -- native calls ------------------------------------------------------------------------------------------------------
# Calls one after another in this process, for a generator that learns from their outcomes.


PATIENCE_S = 0.2
"""Seconds that a call may take; longer ones count as waiting for a thread, and are left out of performance tests."""


_LOOK_S = PATIENCE_S / 10


def run_natively(test: Test) -> list[CallOutcome]:
    """Return a `RunSequentially` for code that is not rewritten. A call that waits for ever keeps its thread."""
    outcomes: list[CallOutcome] = []
    worker = threading.Thread(target=_execute, args=(test, outcomes), daemon=True)
    worker.start()
    done, silent = 0, 0.0
    while worker.is_alive() and silent < PATIENCE_S:
        used = time.process_time()
        worker.join(_LOOK_S)
        # On a busy machine, a call may be ready to run without getting a processor: it does not wait for a thread. So
        # time alone is no evidence. Ten checks must find the call asleep, and each counts for no more than its planned
        # length, however late this thread wakes up. A call that only waits for the GIL, which this thread has, is not
        # asleep.
        silent += _LOOK_S if sleeps(worker.native_id) else time.process_time() - used
        if len(outcomes) > done:
            done, silent = len(outcomes), 0.0
    return [*outcomes[:done], CallOutcome("blocked")] if worker.is_alive() else outcomes


def _execute(test: Test, outcomes: list[CallOutcome]) -> None:
    scope: dict[str, Any] = {}
    exec("\n".join(test.imports), scope)
    for index, call in enumerate(test.prefix):
        before = _state(scope.get(call.receiver))
        try:
            result = _call(call, scope)
        except BaseException as error:
            kind, text = short_name(type(error)), exception_text(error)[:200]
            outcomes.append(CallOutcome("raised", kind, text, absent=is_absent(error)))
            if index == 0:
                return
            continue
        changed = _state(scope.get(call.receiver)) != before
        outcomes.append(CallOutcome("ok", changed=changed, result=short_name(type(result)), made=made_text(result)))


def _call(call: Call, scope: dict[str, Any]) -> Any:
    try:
        code = compile(call.expression, "<call>", "eval")
    except SyntaxError:  # a statement
        exec(compile(call.source, "<call>", "exec"), scope)
        return None
    result = eval(code, scope)
    if call.result is not None:
        scope[call.result] = result
    return result


def _state(value: Any) -> Any:
    """Return the visible state of an object; if its own code raises, that says nothing about the call."""
    try:
        fields = {name: repr(each) for name, each in (attributes_of(value) or {}).items()}
        return fields, len(value) if hasattr(value, "__len__") else None
    except BaseException:
        return None
