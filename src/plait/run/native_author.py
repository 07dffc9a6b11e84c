"""A process that writes performance tests: it has one version of the subject imported, and learns by calling it.

Answers one JSON command per line, as measuring processes do: ``open`` with what is to be tested, ``focus``, ``next``.
"""

from __future__ import annotations

import importlib
import os
import random
import sys
from pathlib import Path
from typing import Any

from plait.generate.catalogue import build_catalogue
from plait.generate.hints import Hints
from plait.generate.perf import PerformanceTests
from plait.generate.sequence import Sequences
from plait.run.native_calls import run_natively
from plait.run.native_load import guard, serve
from plait.subject.interface import discover


class Author:
    """Answers the commands of one parent (`plait.run.native.Process`)."""

    _chance: random.Random
    _sequences: Sequences
    _tests: PerformanceTests

    def open(
        self, root: str, extra: list[str], subject: str, folder: str, allowed: list[str], seed: int,
        hints: dict[str, Any], tests: str | None,
    ) -> dict[str, Any]:  # fmt: skip
        """Import the subject and find out what can be called; ``tests`` is the folder of the project's own tests."""
        os.chdir(folder)
        sys.path[:0] = [root, *extra]
        guard(allowed, folder)
        module, _, qualname = subject.partition(":")
        owner: Any = importlib.import_module(module)
        for name in filter(None, qualname.split(".")):
            owner = getattr(owner, name)
        interface = discover(owner, name=subject)
        given = Hints(
            tuple(hints["imports"]), tuple(hints["factories"]), {k: tuple(v) for k, v in hints["values"].items()},
            tuple(hints["exclude"]), tuple((one, other) for one, other in hints["not_parallel"]),
            tuple(hints["only"]),
        )  # fmt: skip
        catalogue = build_catalogue(owner, interface, hints=given, seed=seed, tests=Path(tests) if tests else None)
        self._chance = random.Random(seed)
        self._sequences = Sequences(catalogue, run_natively, self._chance)
        return {"methods": [each.name for each in catalogue.methods]}

    def focus(self, methods: list[str], excluded: list[str]) -> dict[str, Any]:
        """Say which methods the tests are about, and which they must not call."""
        catalogue = self._sequences.catalogue
        catalogue.methods = tuple(each for each in catalogue.methods if each.name not in excluded)
        self._tests = PerformanceTests(self._sequences, run_natively, self._chance, focus=methods)
        return {}

    def next(self, calls: int, suffixes: int, without: list[str]) -> dict[str, Any]:
        """One more test, or none."""
        test = self._tests.next_test(calls, suffixes, without=without)
        return {"test": test.as_json() if test is not None else None}


def main() -> None:
    """Be the process."""
    serve(Author())
