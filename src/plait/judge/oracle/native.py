"""ConTeGe's thread-safety oracle over native executions (CovCon, section III)."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence

from plait.generate.outcome import CallOutcome
from plait.judge.oracle.sequential import KnownCalls, SequentialRunner
from plait.model.test import Test
from plait.observe.overlap import MethodEvent, covered_pairs
from plait.run.native.bed import PATIENCE, NativeBed, switching, watched

MAX_ORDERS = 300


def run_once(test: Test, owner: type, public: Iterable[str]) -> tuple[str | None, dict[tuple[str, str], int]]:
    """Execute once on OS threads; return the failure that no order of calls shows, if any, and the covered pairs."""
    oracle = NativeOracle(test)
    with watched(owner, public) as watch, switching():
        outcome = oracle.bed.concurrent(watch)
    seen = [MethodEvent("start" if begins else "end", method, thread) for begins, method, thread in watch.events]
    return oracle.violation(outcome), covered_pairs(seen)


class NativeOracle:
    """Judges the executions of one test. Linearisations are executed when first needed, and cached."""

    def __init__(self, test: Test) -> None:
        self.bed = NativeBed(test)
        self._serial: set[str] | None = None

    def violation(self, outcome: Sequence[str]) -> str | None:
        """Return the exception, or ``deadlock``, that this execution shows and no linearisation does; else None."""
        shown = {each for each in outcome if each}
        if not shown:
            return None
        if self._serial is None:
            self._serial = set()
            lengths = [len(suffix) for suffix in self.bed.test.suffixes]
            for number, order in enumerate(orders(lengths)):
                if number >= MAX_ORDERS:
                    return None  # not all were run: nothing can be claimed
                self._serial.update(self.bed.serial(order))
                if shown <= self._serial:
                    return None
        return next(iter(sorted(shown - self._serial)), None)


def orders(lengths: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all orders of the calls of several threads, each a sequence of thread numbers."""
    if not any(lengths):
        yield ()
        return
    for thread, left in enumerate(lengths):
        if left:
            rest = [*lengths[:thread], left - 1, *lengths[thread + 1 :]]
            for order in orders(rest):
                yield (thread, *order)


class NativeRunner(SequentialRunner):
    """A `SequentialRunner` for code that is not under control: a call that does not end in time counts as waiting."""

    def __init__(self) -> None:
        super().__init__(apart=True)
        self._cache: dict[Test, list[CallOutcome]] = {}

    def __call__(self, test: Test) -> list[CallOutcome]:
        """Return one outcome per call made."""
        known = self._cache.get(test)
        if known is None:
            known = self._cache[test] = []
            calls = KnownCalls(self._own.spaces)  # a late thread must not write what others read
            thread = threading.Thread(target=self._run, args=(test, known, calls), daemon=True)
            thread.start()
            thread.join(PATIENCE)
            if thread.is_alive():
                known = self._cache[test] = [*known, CallOutcome("blocked")]
        return known
