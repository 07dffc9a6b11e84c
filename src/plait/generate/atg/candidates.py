"""Random candidates for tests (ATG, section 5.1).

The static metric depends on the called methods only, so arguments are written only for a candidate that was chosen.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from plait.generate.atg.diversity import Shape
from plait.generate.draft import ARGUMENT, Scene, Writer
from plait.generate.pairs import PairTable, pair
from plait.generate.sequence import Prefix, Sequences
from plait.generate.values.value import Value
from plait.model.test import has_value, judged_lengths

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from plait.generate.draft import Draft
    from plait.generate.values.value import Pool
    from plait.model.test import Test
    from plait.subject.interface.members import Method
    from plait.subject.interface.signature import Parameter


SUFFIX_LENGTH = 4
"""Section 6: at most four calls per thread."""
PREFIX_LENGTH = 5
_PREFIXES = 12
"""Most prefixes that are kept; candidates share them."""
_FRESH = 0.3
_TRIES = 60


class Candidate(NamedTuple):
    """The prefix of a test and the methods that its threads will call."""

    prefix: Prefix
    patterns: tuple[tuple[Method, ...], ...]

    @property
    def shape(self) -> Shape:
        """The methods called, which are the input of the static metric."""
        before = tuple(draft.call.method for draft in self.prefix.drafts if draft.call.method != ARGUMENT)
        return Shape(before, tuple(tuple(method.name for method in pattern) for pattern in self.patterns))


class RandomCandidates:
    """A source of random candidates, which also writes the tests of those that are chosen."""

    def __init__(
        self, sequences: Sequences, random: Random, *, threads: int, suffix_length: int = SUFFIX_LENGTH,
        prefix_length: int = PREFIX_LENGTH,
    ) -> None:  # fmt: skip
        catalogue = sequences.catalogue
        self.pairs = PairTable((each.name for each in catalogue.methods), not_parallel=catalogue.not_parallel)
        self._allowed = frozenset(self.pairs.records)
        names = [each.name for each in catalogue.methods]
        self._all_allowed = self._allowed >= {pair(one, other) for one, other in product(names, names)}
        self._sequences = ReusingSequences.like(sequences)
        self._random = random
        self._lengths = judged_lengths(suffix_length, threads)
        self._prefix_length = prefix_length
        self._prefixes: list[Prefix] = []
        self._written: set[Test] = set()

    def draw(self) -> Candidate | None:
        """Return a random candidate; None if no method can be called, or none beside another."""
        knowledge = self._sequences.knowledge
        methods = [each for each in self._sequences.catalogue.methods if not knowledge.of(each.name).uncallable]
        if not methods:
            return None
        prefix = self._prefix()
        for _ in range(_TRIES):
            patterns = tuple(
                tuple(self._random.choices(methods, k=self._random.randint(1, length))) for length in self._lengths
            )
            if self._all_allowed or self._met(patterns) <= self._allowed:
                return Candidate(prefix, patterns)
        return None

    def write(self, candidate: Candidate) -> Test | None:
        """Return the candidate's test; None if its methods cannot be called, or if the test was written before."""
        prefix = Prefix(list(candidate.prefix.drafts), candidate.prefix.scene.copy())
        suffixes = self._sequences.suffixes(prefix, candidate.patterns)
        if suffixes is None:
            return None
        test = self._sequences.test(prefix, suffixes)
        if test in self._written:
            return None
        self._written.add(test)
        for each in self._met(candidate.patterns) & self.pairs.records.keys():
            self.pairs.records[each].tried += 1
            self.pairs.records[each].tests += 1
        return test

    def _prefix(self) -> Prefix:
        if not self._prefixes or (len(self._prefixes) < _PREFIXES and self._random.random() < _FRESH):
            length = self._random.randint(0, self._prefix_length)
            self._prefixes.append(self._sequences.prefix(length))
        return self._random.choice(self._prefixes)

    @staticmethod
    def _met(patterns: tuple[tuple[Method, ...], ...]) -> set[tuple[str, str]]:
        return {
            pair(one.name, other.name)
            for index, pattern in enumerate(patterns)
            for later in patterns[index + 1 :]
            for one, other in product(pattern, later)
        }


# -- atg sequence ------------------------------------------------------------------------------------------------------
# Arguments that are results of earlier calls, matched by type (ATG, section 5.1).
#
# If the types match, the argument of a call in a suffix is the most recent matching result of an earlier call of the
# suffix or the prefix. Otherwise a value is drawn from the parameter's pool. The factories and values that a user gives
# (`plait.generate.catalogue`) correspond to the paper's assistant class.


_ANYTHING = frozenset({"Any", "object", "typing.Any"})


def types_match(returned: str | None, wanted: str | None) -> bool:
    """Return whether every value of type ``returned`` fits a parameter declared as ``wanted``.

    The arguments are annotations as text; a union is compared as a set of types.
    """
    if returned is None or wanted is None:
        return False
    have, may = _members(returned), _members(wanted)
    return have <= may and not have <= {"None"} and not have & _ANYTHING


def _members(annotation: str) -> set[str]:
    text = annotation.strip("\"' ")
    if text.startswith("Optional[") and text.endswith("]"):
        return {"None", *_members(text[len("Optional[") : -1])}
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == "|" and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return {part.strip() for part in (*parts, text[start:])}


class _ReusingWriter(Writer):
    """A writer that uses earlier results as arguments if the declared types match, else random values."""

    def _value(self, parameter: Parameter, pool: Pool, scene: Scene, without: tuple[str, ...]) -> Value | None:
        earlier = self._result(parameter, pool, scene)
        return earlier if earlier is not None else pool.choose(self._random, without=without)

    def _result(self, parameter: Parameter, pool: Pool, scene: Scene) -> Value | None:
        for name, kind in reversed(scene.results.items()):
            if types_match(kind, parameter.annotation):
                return Value(name, kind)
        return super()._result(parameter, pool, scene)


class ReusingSequences(Sequences):
    """Sequences whose suffixes bind the results of their calls, for later calls of the same thread."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._writer = _ReusingWriter(self.catalogue, self._random)
        self._left = 0  # calls of the current suffix that are not written yet
        self._number = 0

    @classmethod
    def like(cls, other: Sequences) -> ReusingSequences:
        """Return new sequences for the same subject, with the same random source."""
        return cls(other.catalogue, other._run, other._random)

    def _write(
        self, method: Method, prefix: Prefix, scene: Scene, result: str | None = None, **options: Any
    ) -> Draft | None:
        if not self._left or not has_value(method.form):
            self._left = max(0, self._left - 1)
            return super()._write(method, prefix, scene, result, **options)
        self._left -= 1
        self._number += 1
        name = f"v{self._number}"
        draft = super()._write(method, prefix, scene, name, **options)
        kind = method.returns or self.knowledge.of(method.name).result
        if draft is not None and kind is not None:
            scene.results[name] = kind
        return draft

    def _suffix(self, prefix: Prefix, pattern: Sequence[Method], scene: Scene) -> tuple[list[Draft], bool] | None:
        own = Scene(dict(scene.results), scene.given, scene.bound, scene.pending)
        self._left, self._number = len(pattern), 0
        try:
            written = super()._suffix(prefix, pattern, own)
        finally:
            self._left = 0
        return None if written is None or not _in_order(written[0]) else (_trimmed(written[0]), written[1])


def _in_order(drafts: Sequence[Draft]) -> bool:
    """Return whether every result is bound before it is used; a call that was replaced no longer binds one."""
    bound: set[str | None] = set()
    for draft in drafts:
        if any(_is_result(value) and value not in bound for value in draft.arguments):
            return False
        bound.add(draft.call.result)
    return True


def _trimmed(drafts: Sequence[Draft]) -> list[Draft]:
    """Remove the results that no later call uses."""
    used = {value for draft in drafts for value in draft.arguments}
    return [draft if draft.call.result in used else draft.without_result() for draft in drafts]


def _is_result(value: str) -> bool:
    return value[:1] == "v" and value[1:].isdecimal()
