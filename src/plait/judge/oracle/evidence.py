"""What the tests of a class really did: which calls returned, and whether threads touched shared objects.

A search without findings is a pass only if its tests could have shown something. A call that raises because an argument
has the wrong type does nothing that another thread could disturb. Neither do calls that share nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plait.explore.runner import execute
from plait.model.foreign import exception_text
from plait.observe.canonical import exception_name
from plait.run.endings import OWN
from plait.run.endings import RAISED as ERRORS
from plait.run.engine import Engine
from plait.run.testbed import Testbed

RETURNED, RAISED, WAITED = "returned", "raised", "waited"
_LONG = 120  # characters of an error's text that are kept


@dataclass(slots=True)
class Evidence:
    """Counts over all tests, from one execution of each."""

    tests: int = 0
    touched: int = 0  # tests in which a call touched anything that threads can share
    met: int = 0  # tests in which calls of two threads touched the same thing
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)  # by method and by how the call ended
    errors: dict[str, str] = field(default_factory=dict)  # the last error of each method that raised

    def see(self, engine: Engine, bed: Testbed) -> None:
        """Count the execution that has just ended. Call this from the engine's ``finish``."""
        suffixes = bed.test.suffixes
        self.tests += 1
        ended = set()
        for done in bed.done:
            method = suffixes[done.thread - 1][done.index].method
            ended.add((done.thread, done.index))
            self.calls[method, RETURNED if done.error is None else RAISED] += 1
            if done.error is not None:
                self.errors[method] = f"{exception_name(done.error)}: {exception_text(done.error)}"[:_LONG]
        for running in bed.running.values():
            if (running.thread, running.index) not in ended:
                self.calls[suffixes[running.thread - 1][running.index].method, WAITED] += 1
        own = {done.number for done in (*bed.done, *bed.running.values())}
        users: dict[int, int] = {}  # by location: the only thread that has used it so far
        for thread, loc, _mode, _site, _enabled, _after in engine.trace:
            if loc and thread in own and users.setdefault(loc, thread) != thread:
                self.met += 1
                break
        self.touched += bool(users)

    def add(self, other: Evidence) -> None:
        """Add the counts of another instance."""
        self.tests += other.tests
        self.touched += other.touched
        self.met += other.met
        self.calls.update(other.calls)
        self.errors.update(other.errors)

    def as_json(self) -> dict[str, Any]:
        """Return plain data, read back by `from_json`."""
        return {
            "tests": self.tests, "touched": self.touched, "met": self.met, "errors": self.errors,
            "calls": [[*key, count] for key, count in self.calls.items()],
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Evidence:
        """Return the inverse of `as_json`; raise `KeyError`, `TypeError` or `ValueError` for malformed data."""
        calls = Counter({(str(method), str(how)): int(count) for method, how, count in data["calls"]})
        errors = {str(method): str(text) for method, text in data["errors"].items()}
        return cls(int(data["tests"]), int(data["touched"]), int(data["met"]), calls, errors)


def broken_invariant(invariant: str, bed: Testbed) -> str:
    """Return why an invariant is wrong already for a fresh object; empty if it holds.

    ``bed`` builds the object and has no threads.
    """
    found: list[str] = []

    def finish() -> None:
        try:
            holds = bool(eval(invariant, bed.space, dict(bed.values)))
        except OWN:
            raise
        except ERRORS as error:
            found.append(f"`{invariant}` raises {exception_name(error)}: {exception_text(error)}"[: _LONG * 2])
        else:
            found.append("" if holds else f"`{invariant}` is false")

    try:
        execute(bed.prepare, finish=finish)
    except OWN:
        raise
    except ERRORS:  # the object cannot be built now: that is reported elsewhere
        return ""
    return f"{found[0]} for a fresh `{bed.test.prefix[0].expression}`" if found and found[0] else ""
