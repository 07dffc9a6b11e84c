"""Tests that `plait diff` has compared before without a difference: they are not explored again.

A test is known if it was compared in the same way and nothing it can reach has changed, on either version. That it
passed the filter, and what the filter made of it, follows from its traces, and so from the same code.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from plait.campaign.diff_options import DiffOptions
from plait.campaign.fingerprint import Fingerprints, unit_key
from plait.campaign.keys import files_key, token
from plait.campaign.memory import Memory
from plait.judge.difference_outcome import View
from plait.model.test import Test
from plait.report.diff_reproducer import view_as_json
from plait.subject.version import Version


class Compared(NamedTuple):
    """What became of a test: filtered, because it has nothing new (or only a repetition), or explored alike."""

    filtered: bool = False
    repeated: bool = False
    inconclusive: bool = False
    schedules: int = 0


class Comparisons:
    """Looks tests up, and keeps those that were compared; `save` writes them down."""

    def __init__(self, memory: Memory, options: DiffOptions, old: Version, new: Version) -> None:
        self._memory = memory
        self._prints = {"old": Fingerprints(options.subject, old), "new": Fingerprints(options.subject, new)}
        self._how = {
            "command": "diff", "gil": options.model == "gil", "filter": options.filter, "hook": files_key(options.hook),
            "allow": sorted(options.allow), "timed": options.max_tests is None,
        }  # fmt: skip
        self._codes: dict[tuple[frozenset[str], tuple[str, ...]], dict[str, str]] = {}
        self._keys: dict[tuple[Test, View], str] = {}  # of the tests since the last `save`
        self._new: dict[str, dict[str, Any]] = {}

    def find(self, test: Test, view: View) -> Compared | None:
        """What is known."""
        content = self._memory.explored(self._key(test, view))
        try:
            if content is None:
                return None
            filtered, repeated, inconclusive = (
                bool(content[name]) for name in ("filtered", "repeated", "inconclusive")
            )
            return Compared(filtered, repeated, inconclusive, int(content["schedules"]))
        except (KeyError, TypeError, ValueError, OverflowError):
            return None

    def keep(self, test: Test, view: View, compared: Compared) -> None:
        """Remember a test that showed no difference."""
        self._new[self._key(test, view)] = compared._asdict()

    def save(self) -> None:
        """Write down what is to be remembered."""
        self._memory.keep_tests(self._new)
        self._new, self._keys = {}, {}

    def _key(self, test: Test, view: View) -> str:
        known = self._keys.get((test, view))
        if known is None:
            options = {**self._how, "view": view_as_json(view)}
            known = self._keys[test, view] = unit_key(test, options, self._code(test, view))
        return known

    def _code(self, test: Test, view: View) -> dict[str, str]:
        """A hash of all that the test, and the calls that look at its final state, can reach on either version."""
        calls = (*test.prefix, *test.calls, *view.probes)
        names = (frozenset(call.method for call in calls), test.imports)
        if names not in self._codes:
            reaching = Test(test.imports, (), (calls,))
            self._codes[names] = {
                side: hashlib.sha256(token(sorted(prints.code(reaching).items())).encode()).hexdigest()
                for side, prints in self._prints.items()
            }
        return self._codes[names]
