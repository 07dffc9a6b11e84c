"""How a stream came to its tests, chunk by chunk, so that a later run need not make them again.

The tests of a chunk follow from the stream's state before it, from how calls went that were run one after another, and
from what exploring the tests told the generator. A chunk is named by its *trail*: a hash of the stream's first state
and of all such answers since. So whoever finds a chunk under the trail that he has come by, and gets the same answers
again, has come to the same tests and to the same next trail. Answers that reach nothing changed are the same; the
others are asked for (`plait.commands.check.worker.stream`).
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from plait.model.test import Call, Test
from plait.store.keys import around, parts_of, token

UNUSABLE, DIVERGED = "unusable", "diverged"


@dataclass(frozen=True, slots=True)
class Planned:
    """A test that a generator gave out, its name in the store, and a hash of what it was told about it."""

    test: Test
    key: str | None
    told: str


@dataclass(slots=True)
class Plan:
    """One chunk: ``runs`` are what its generator ran and a hash of how that went, ``pairs`` what it had tried then."""

    runs: list[tuple[Test, str]] = field(default_factory=list)
    tests: list[Planned] = field(default_factory=list)
    pairs: list[dict[str, Any]] = field(default_factory=list)
    over: bool = False

    def heard(self, test: Test, answer: object) -> None:
        """Record what a generator got to know by running something."""
        self.runs.append((test, answer_of(answer)))

    def trail(self, before: str) -> str:
        """Return where the chunk leads to."""
        return plan_digest(before, *(answer for _test, answer in self.runs), *(each.told for each in self.tests))

    def as_json(self, part: Callable[[str], str]) -> dict[str, Any]:
        """Plain data; ``part`` gives the hash of a part of the code."""
        calls, imports, parts = Numbered(), Numbered(), set[str]()

        def packed(test: Test) -> list[Any]:
            parts.update(parts_of(test))
            threads = [[calls.number(call) for call in suffix] for suffix in test.suffixes]
            return [imports.number(test.imports), [calls.number(call) for call in test.prefix], threads]

        runs = [[*packed(test), answer] for test, answer in self.runs]
        tests = [[*packed(each.test), each.key, each.told] for each in self.tests]
        return {
            "runs": runs, "tests": tests, "over": self.over, "imports": [list(lines) for lines in imports.values],
            "calls": [call.as_json() for call in calls.values], "parts": {each: part(each) for each in sorted(parts)},
            "pairs": [[*row["methods"], row["tried"], row["covered"]] for row in self.pairs],
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> tuple[Plan, dict[str, str]] | None:
        """Return the inverse of `as_json`, with the hashes of all parts of the code; None for anything else."""
        try:
            calls = [Call.from_json(call) for call in data["calls"]]
            imports = [tuple(map(str, lines)) for lines in data["imports"]]

            def unpacked(lines: int, prefix: list[int], threads: list[list[int]]) -> Test:
                suffixes = tuple(tuple(calls[number] for number in thread) for thread in threads)
                return Test(imports[lines], tuple(calls[number] for number in prefix), suffixes)

            plan = cls(
                [(unpacked(*packed), str(answer)) for *packed, answer in data["runs"]],
                [
                    Planned(unpacked(*packed), None if key is None else str(key), str(told))
                    for *packed, key, told in data["tests"]
                ],
                [
                    {"methods": [str(one), str(other)], "tried": int(tried), "covered": int(covered)}
                    for one, other, tried, covered in data["pairs"]
                ],
                bool(data["over"]),
            )  # fmt: skip
            return plan, {str(part): str(code) for part, code in data["parts"].items()}
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            return None


def renewed(content: Mapping[str, Any], tests: Iterable[Planned], part: Callable[[str], str]) -> dict[str, Any]:
    """Return a plan's plain data with the code, and the names of its tests in the store, as they are now."""
    rows = [[*row[:3], each.key, each.told] for row, each in zip(content["tests"], tests, strict=True)]
    return {**content, "tests": rows, "parts": {each: part(each) for each in content["parts"]}}


class Numbered:
    """Each value once, by number."""

    def __init__(self) -> None:
        self.values: dict[Any, int] = {}

    def number(self, value: Any) -> int:
        """Return that of the value, the next one if it is new."""
        return self.values.setdefault(value, len(self.values))


def first_trail(stream: object) -> str:
    """Return the trail of a stream that has just begun."""
    state = io.BytesIO()
    pickler = pickle.Pickler(state)
    pickler.fast = True  # equal states give equal bytes, whichever of their equal parts are the same object
    pickler.dump(stream)
    return hashlib.sha256(state.getvalue()).hexdigest()


def plan_key(trail: str, count: int) -> str:
    """Return the name, in the store, of a chunk of so many tests, on this Python and plait."""
    return plan_digest("plan", trail, str(count), around())


def answer_of(value: object) -> str:
    """Return a hash of what the generator was told."""
    return plan_digest(token(value))[:16]


def plan_digest(*parts: str) -> str:
    """Return a hash of texts, one after another."""
    return hashlib.sha256("\0".join(_escaped(parts)).encode("utf-8", "surrogatepass")).hexdigest()


def _escaped(parts: Iterable[str]) -> Iterable[str]:
    return (part.replace("\0", "\0\0") for part in parts)
