"""Calls one after another in this very process, for a generator that learns from how they go."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from plait.generate.outcome import CallOutcome

if TYPE_CHECKING:
    from plait.model.test import Call, Test

PATIENCE_S = 0.2
"""How long a call may take that would not wait for another thread. Longer ones are left out of performance tests."""


def run_natively(test: Test) -> list[CallOutcome]:
    """A `RunSequentially` for code that is imported as it is. A call that waits for ever keeps its thread."""
    outcomes: list[CallOutcome] = []
    worker = threading.Thread(target=_execute, args=(test, outcomes), daemon=True)
    worker.start()
    done, since = 0, time.monotonic()
    while worker.is_alive() and time.monotonic() - since < PATIENCE_S:
        worker.join(0.02)
        if len(outcomes) > done:
            done, since = len(outcomes), time.monotonic()
    return [*outcomes[:done], CallOutcome("blocked")] if worker.is_alive() else outcomes


def _execute(test: Test, outcomes: list[CallOutcome]) -> None:
    scope: dict[str, Any] = {}
    exec("\n".join(test.imports), scope)
    for index, call in enumerate(test.prefix):
        before = _state(scope.get(call.receiver))
        try:
            result = _call(call, scope)
        except BaseException as error:
            outcomes.append(CallOutcome("raised", type(error).__name__, str(error)[:200]))
            if index == 0:
                return
            continue
        changed = _state(scope.get(call.receiver)) != before
        outcomes.append(CallOutcome("ok", changed=changed, result=type(result).__name__))


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
    """What is to be seen of an object; its own code may raise, which says nothing about the call."""
    try:
        fields = {name: repr(each) for name, each in getattr(value, "__dict__", {}).items()}
        return fields, len(value) if hasattr(value, "__len__") else None
    except Exception:
        return None
