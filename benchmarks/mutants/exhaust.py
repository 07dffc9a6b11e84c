"""Whether callers can tell a mutant from its original: all small tests on both, every interleaving of each.

A process of its own has one version. It goes through the same tests in the same order as the others do, explores each
to the end and prints one line of JSON: what was seen, by test. A small test has calls from the subject's pool: up to
three in one thread; behind no or one call, one in each of two threads and one in each of three; and two in one thread
beside one in another. What is seen is each call's result, deadlocks included, and the answers of further calls
afterwards.

    python -m benchmarks.mutants.exhaust < request.json
"""

from __future__ import annotations

import ast
import gc
import hashlib
import itertools
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from plait.judge.difference.behaviour import explore_outcomes
from plait.judge.difference.outcome import View
from plait.model.test import Call, Test
from plait.observe.places import PLACES
from plait.run.endings import SetupBlockedError, SetupFailedError
from plait.run.engine import FINISHED_RUN
from plait.run.importing.world import World
from plait.run.testbed import Testbed

EXECUTIONS = 3_000  # of one test, beyond which it is left out
MODULE = "subject_under_test"
FRESH = "x = "


@dataclass(frozen=True, slots=True)
class Small:
    """A small test, in lines."""

    level: str  # sequence, two, three-calls, three
    prefix: tuple[str, ...]
    threads: tuple[tuple[str, ...], ...]

    @property
    def key(self) -> str:
        """As people read it."""
        return "; ".join(self.prefix) + " || " + " || ".join("; ".join(thread) for thread in self.threads)


def small_tests(makes: Sequence[str], calls: Sequence[str], reached: frozenset[str] | None = None) -> Iterator[Small]:  # noqa: C901 - one loop per kind of small test
    """All of them, the smallest first; with ``reached``, those with a call of such a method."""

    def concerned(*texts: str) -> bool:
        return reached is None or any(method_of(text) in reached for text in texts)

    fresh = [f"{FRESH}{make}" for make in makes]
    for made in fresh:
        for length in (1, 2, 3):
            for thread in itertools.product(calls, repeat=length):
                if concerned(*thread):
                    yield Small("sequence", (made,), (thread,))
    for made in fresh:
        for before in ((), *((call,) for call in calls)):
            for pair in itertools.combinations_with_replacement(calls, 2):
                if concerned(*before, *pair):
                    yield Small("two", (made, *before), tuple((call,) for call in pair))
    for made in fresh:
        for before in ((), *((call,) for call in calls)):
            for triple in itertools.combinations_with_replacement(calls, 3):
                if concerned(*triple):
                    yield Small("three", (made, *before), tuple((call,) for call in triple))
    for made in fresh:
        for first, second, other in itertools.product(calls, repeat=3):
            if concerned(first, second, other):
                yield Small("three-calls", (made,), ((first, second), (other,)))


def method_of(call: str) -> str:
    """The method of a call such as ``x.get(1)``."""
    node = ast.parse(call, mode="eval").body
    while isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute):
        node = node.args[0] if node.args else node.func  # list(x.get(1))
    return node.func.attr if isinstance(node, ast.Call) else call


def reaching(source: str, method: str) -> frozenset[str] | None:
    """The methods that reach one, by the names they mention; None if that is the constructor."""
    if method == "__init__":
        return None
    found = {method}
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    while True:
        more = {
            function.name for function in functions
            if any(isinstance(node, ast.Attribute) and node.attr in found for node in ast.walk(function))
        }  # fmt: skip
        if "__init__" in more:
            return None
        if more <= found:
            return frozenset(found)
        found |= more


class Version:
    """One version of a module, loaded."""

    def __init__(self, source: str, imports: Sequence[str], probes: Sequence[str]) -> None:
        self.world = World(PLACES)
        for entry in imports:
            sys.path.insert(0, entry)
        with self.world.entered():
            self.world.importer.load_source(MODULE, source)
        self.world.snapshot()
        gc.freeze()
        self.view = View(
            frozenset(), probes=tuple(Call.from_line(line) for line in probes), state=False,
        )  # fmt: skip

    def seen(self, small: Small) -> dict[str, Any] | None:
        """All outcomes of a test by what they are; None if there are too many executions or it cannot be built."""
        test = Test.from_lines([f"from {MODULE} import *"], small.prefix, small.threads)
        with self.world.entered():
            try:
                found = explore_outcomes(Testbed(test, PLACES), self.view, limit=EXECUTIONS)
            except (SetupFailedError, SetupBlockedError):
                return None
        if not found.exhausted:
            return None
        return {repr((each.status, each.results, each.answers, each.objects)): each for each in found.outcomes}

    def waits_or_is_serial(self, small: Small, seen: dict[str, Any]) -> bool:
        """Whether all outcomes are those of whole calls one after another, or a call waits in one of these orders."""
        allowed = set()
        owners = [number for number, thread in enumerate(small.threads) for _ in thread]
        starts = list(itertools.accumulate((len(thread) for thread in small.threads), initial=0))
        for order in sorted(set(itertools.permutations(owners))):
            places, used = [], [0] * len(small.threads)
            for owner in order:
                places.append(starts[owner] + used[owner])
                used[owner] += 1
            flat = [call for thread in small.threads for call in thread]
            alone = self.seen(Small("sequence", small.prefix, (tuple(flat[place] for place in places),)))
            if alone is None or any(each.status != FINISHED_RUN for each in alone.values()):
                return True
            for each in alone.values():
                results = dict(zip(places, each.results, strict=True))
                allowed.add(repr((tuple(results[place] for place in range(len(flat))), each.answers)))
        return all(repr((each.results, each.answers)) in allowed for each in seen.values())


def digests(request: dict[str, Any]) -> dict[str, Any]:
    """What one version shows in every test, packed."""
    version = Version(request["source"], request["imports"], request["probes"])
    found: dict[str, Any] = {}
    deadline = time.process_time() + request["seconds"]
    for small in small_tests(request["makes"], request["calls"], _reached(request)):
        if time.process_time() > deadline:
            break
        seen = version.seen(small)
        found[small.key] = None if seen is None else sorted(map(_digest, seen))
    return {"tests": found}


def _reached(request: dict[str, Any]) -> frozenset[str] | None:
    return None if request["reached"] is None else frozenset(request["reached"])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def judge(request: dict[str, Any]) -> dict[str, Any]:
    """Compare a mutant with what its original showed: the first difference of each kind.

    ``sequential``: in one thread. ``unsound``: an outcome with several threads that no order of whole calls of the
    mutant itself gives. ``concurrent``: any other difference that needs threads.
    """
    version = Version(request["source"], request["imports"], request["probes"])
    known: dict[str, list[str] | None] = request["known"]
    found: dict[str, Any] = {"tests": 0, "left_out": 0, "complete": True}
    deadline = time.process_time() + request["seconds"]
    for small in small_tests(request["makes"], request["calls"], _reached(request)):
        if time.process_time() > deadline:
            found["complete"] = False
            break
        base = known.get(small.key, None)
        seen = version.seen(small) if base is not None else None
        if base is None or seen is None:
            found["left_out"] += 1
            continue
        found["tests"] += 1
        mine = {_digest(text): text for text in seen}
        only_new = [text for key, text in mine.items() if key not in base]
        only_old = [key for key in base if key not in mine]
        if not only_new and not only_old:
            continue
        shown = {"test": small.key, "only_new": only_new[:1], "only_old": len(only_old)}
        if small.level == "sequence":
            found.setdefault("sequential", shown)
        elif "sequential" not in found:
            found.setdefault("unsound" if only_new else "concurrent", shown)
        elif not version.waits_or_is_serial(small, seen):
            found.setdefault("unsound", shown)
        if "unsound" in found:
            break
    return found


if __name__ == "__main__":
    request = json.load(sys.stdin)
    print(json.dumps((judge if "known" in request else digests)(request)))
