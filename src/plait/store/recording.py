"""Recorded generators: a later run need not generate the same tests again.

The tests of a generator are determined by its initial state and by the answers of the code under test to its questions:
the outcomes of calls made one after another, the states that they leave, the results of exploring a test. So each
portion of its work (a chunk of tests in `plait check`, a stage in `plait diff`) is stored with these questions and
hashes of their answers, under the generator's *position*: a hash of its initial state and of all answers so far.

Suppose that a later run is at the same position. If it gets the same answers again, the generator would make the same
tests and come to the same next position, so the recording replaces it. An answer can only differ if a change reaches
the code that was asked, so only those questions are asked again (`reached_by`). If one answer differs, the recording is
not used from there on, and the generator itself runs.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from plait.model.test import Call, Test
from plait.store.keys import Changed, environment_digest, parts_of, token

CALLS, STATE = "calls", "state"  # the question about a sequence of calls: their outcomes, or the state that they leave
UNUSABLE, DIVERGED = "unusable", "diverged"


class Asked(NamedTuple):
    """A generator's question about a sequence of calls, and a hash of the answer."""

    kind: str
    test: Test
    answer: str


def reached_by(changed: Changed, asked: Iterable[Asked]) -> tuple[Asked, ...]:
    """Return the questions whose answers may have changed."""
    return tuple(each for each in asked if changed.reaches(each.test))


# -- positions ---------------------------------------------------------------------------------------------------------


def start_position(generator: object) -> str:
    """Return the position of a generator in its initial state."""
    state = io.BytesIO()
    pickler = _Pickler(state)
    pickler.fast = True  # equal states give equal bytes, whichever of their equal parts are the same object
    pickler.dump(generator)
    return hashlib.sha256(state.getvalue()).hexdigest()


class _Pickler(pickle.Pickler):
    """Writes frozen sets as tuples, because CPython's fast mode takes about fifty of them for a cycle and raises."""

    def persistent_id(self, obj: object) -> object:
        return ("frozenset", *obj) if type(obj) is frozenset else None


def next_position(position: str, answers: Iterable[str]) -> str:
    """Return the next position of a generator after these answers."""
    return _digest(position, *answers)


def recording_key(kind: str, position: str, *how: str) -> str:
    """Return the store's key for the recording at a position, with this Python and this plait."""
    return _digest(kind, position, *how, environment_digest())


def answer_digest(value: object) -> str:
    """Return a hash of an answer."""
    return digest_of(value)[:16]


def digest_of(value: object) -> str:
    """Return a hash of plain data that is equal for equal data in every process."""
    return _digest(token(value))


def _digest(*parts: str) -> str:
    """Return a hash of a sequence of texts; the boundaries between the texts count."""
    escaped = (part.replace("\0", "\0\0") for part in parts)
    return hashlib.sha256("\0".join(escaped).encode("utf-8", "surrogatepass")).hexdigest()


# -- plain data --------------------------------------------------------------------------------------------------------


class Numbered:
    """A list of values without duplicates; each value has a number."""

    def __init__(self) -> None:
        self.values: dict[Any, int] = {}

    def number(self, value: Any) -> int:
        """Return the number of a value, a new one if the value is new."""
        return self.values.setdefault(value, len(self.values))


class Packer:
    """Writes tests as rows of numbers, because a recording has many tests with few different calls."""

    def __init__(self) -> None:
        self._calls, self._imports = Numbered(), Numbered()

    def call(self, call: Call) -> int:
        """Return the number of a call."""
        return self._calls.number(call)

    def imports(self, lines: tuple[str, ...]) -> int:
        """Return the number of a test's list of import lines."""
        return self._imports.number(lines)

    def test(self, test: Test) -> list[Any]:
        """Return a test."""
        threads = [[self.call(call) for call in suffix] for suffix in test.suffixes]
        return [self.imports(test.imports), [self.call(call) for call in test.prefix], threads]

    def asked(self, asked: Asked) -> list[Any]:
        """Return a question with its answer."""
        return [asked.kind, *self.test(asked.test), asked.answer]

    def as_json(self) -> dict[str, Any]:
        """Return the tables of the numbers; call this last."""
        return {
            "calls": [call.as_json() for call in self._calls.values],
            "imports": [list(lines) for lines in self._imports.values],
        }


class Unpacker:
    """The inverse of `Packer`. Rows that it did not write raise one of the exceptions in `BROKEN`."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.calls = [Call.from_json(call) for call in data["calls"]]
        self.imports = [tuple(map(str, lines)) for lines in data["imports"]]

    def test(self, lines: int, prefix: list[int], threads: list[list[int]]) -> Test:
        """Return a test."""
        suffixes = tuple(tuple(self.calls[number] for number in thread) for thread in threads)
        return Test(self.imports[lines], tuple(self.calls[number] for number in prefix), suffixes)

    def asked(self, kind: str, lines: int, prefix: list[int], threads: list[list[int]], answer: str) -> Asked:
        """Return a question with its answer."""
        return Asked(str(kind), self.test(lines, prefix, threads), str(answer))


BROKEN = (LookupError, TypeError, ValueError, AttributeError, OverflowError)
"""The exceptions that invalid rows raise: such rows count as absent."""


# -- chunks of `plait check` -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordedTest:
    """A generated test, its key in the store, and a hash of what the generator learned from exploring it."""

    test: Test
    key: str | None
    feedback: str


@dataclass(slots=True)
class RecordedChunk:
    """One chunk of tests: what its generator ``asked``, the tests, and the ``pairs`` of methods tried by then."""

    asked: list[Asked] = field(default_factory=list)
    tests: list[RecordedTest] = field(default_factory=list)
    pairs: list[dict[str, Any]] = field(default_factory=list)
    over: bool = False

    def record(self, test: Test, answer: object) -> None:
        """Record a question of the generator and its answer."""
        self.asked.append(Asked(CALLS, test, answer_digest(answer)))

    def position_after(self, position: str) -> str:
        """Return the generator's position after this chunk."""
        return next_position(position, [*(each.answer for each in self.asked), *(each.feedback for each in self.tests)])

    def as_json(self, part: Callable[[str], str]) -> dict[str, Any]:
        """Return plain data; ``part`` gives the hash of a part of the code."""
        packer = Packer()
        asked = [packer.asked(each) for each in self.asked]
        tests = [[*packer.test(each.test), each.key, each.feedback] for each in self.tests]
        tests_run = [*(each.test for each in self.asked), *(each.test for each in self.tests)]
        parts = {each for test in tests_run for each in parts_of(test)}
        return {
            "asked": asked, "tests": tests, "over": self.over, "parts": {each: part(each) for each in sorted(parts)},
            "pairs": [[*row["methods"], row["tried"], row["covered"]] for row in self.pairs], **packer.as_json(),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> tuple[RecordedChunk, dict[str, str]] | None:
        """Return the inverse of `as_json`, with the hashes of all parts of the code; None for anything else."""
        try:
            unpacker = Unpacker(data)
            chunk = cls(
                [unpacker.asked(*row) for row in data["asked"]],
                [
                    RecordedTest(unpacker.test(*packed), None if key is None else str(key), str(feedback))
                    for *packed, key, feedback in data["tests"]
                ],
                [
                    {"methods": [str(one), str(other)], "tried": int(tried), "covered": int(covered)}
                    for one, other, tried, covered in data["pairs"]
                ],
                bool(data["over"]),
            )  # fmt: skip
            return chunk, {str(part): str(code) for part, code in data["parts"].items()}
        except BROKEN:
            return None


def chunk_key(position: str, count: int) -> str:
    """Return the store's key for a chunk of so many tests."""
    return recording_key("chunk", position, str(count))


def renewed(content: Mapping[str, Any], tests: Iterable[RecordedTest], part: Callable[[str], str]) -> dict[str, Any]:
    """Return a chunk's plain data with the present hashes of the code, and the present keys of its tests."""
    rows = [[*row[:3], each.key, each.feedback] for row, each in zip(content["tests"], tests, strict=True)]
    return {**content, "tests": rows, "parts": {each: part(each) for each in content["parts"]}}
