"""Tests for two versions of a class: pairs of methods of which at least one changed (ConDiff, Figure 3, lines 4-15).

Tests are made in stages. A stage is one random prefix with calls of every method that can run after it; the tests of
the stage combine those calls.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from random import Random
from typing import TYPE_CHECKING

from plait.errors import UsageError
from plait.generate.crossing import CrossedTests
from plait.generate.draft import ARGUMENT, Scene, that_worked
from plait.generate.raising import RaisingTests
from plait.generate.sequence import LATER, Prefix, Sequences
from plait.generate.siblings import SiblingTests
from plait.generate.states import StateTests
from plait.generate.telling import ToldTests
from plait.generate.values.value import RECEIVER
from plait.generate.waiting import WaitingTests
from plait.model.test import Call, Test
from plait.subject.changes.change import methods_of_one_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plait.generate.catalogue import Catalogue
    from plait.generate.draft import Draft
    from plait.generate.outcome import RunSequentially
    from plait.subject.interface.members import Interface, Method, Parameter


PREFIX_LENGTH = 10
"""l of section V-C."""
COMBINATIONS = 5
"""k of section V-C."""
_POOL = 8
"""Most calls of one method that are kept for later stages."""
_FRESH = 2
"""New calls of a method that a stage tries to write while fewer are kept."""
_OWN = 2
"""Calls in a stage of a method of objects that another method returns."""
_CHOSEN = 4
"""Most calls of one method in a stage: enough for k combinations with those of another method."""
_WHOLE = 12
"""Most tests of a stage in which calls wait (`plait.generate.waiting`)."""
_RAISING = 3
"""Most tests of a stage in which calls raise (`plait.generate.raising`)."""
_CROSSED = 2
"""Most tests of a stage whose calls take two things in both orders (`plait.generate.crossing`)."""
_TOLD = 2
"""Most tests of a stage whose calls tell an observer that calls back (`plait.generate.telling`)."""
_STATES = 6
"""Most tests of a stage in states in which calls change something (`plait.generate.states`)."""
_FIRST_USES = 4
"""Most tests of the first stage whose threads are the first to use the class."""
_SIBLINGS = 1
"""Most tests of a stage in which threads use different objects (`plait.generate.siblings`)."""
_DOUBLED = 2
"""Groups of four tests with two calls in one thread, in a stage without waiting methods (`Stages._doubled`)."""
_ELSEWHERE = 0.3
"""How often one of a method's calls goes to another instance of the class."""
_CANDIDATES = 4
"""Random prefixes of which the one with the rarest state is taken."""
_ROUNDS = 4
_BARE = 0.12
"""How often a prefix is only the constructor call: some faults show only on fresh objects."""
_VARIED = 0.7
"""How often the calls of a prefix are of different methods, mostly those that change the state."""

Pair = tuple[str, str]
Feature = tuple[str, object]
"""A property of an object's state: the name of an attribute and the kind of its value."""


@dataclass(frozen=True, slots=True)
class Suffix:
    """A call that can run after a prefix, and the import lines that it needs.

    A ``single`` call goes to an object that belongs to one thread, which another call has returned.
    """

    call: Call
    imports: tuple[str, ...] = ()
    single: bool = False


@dataclass(frozen=True, slots=True)
class Stage:
    """One random prefix and calls of every method to run after it. All tests made of the two share the whole prefix."""

    number: int
    imports: tuple[str, ...]
    prefix: tuple[Call, ...]
    suffixes: tuple[Suffix, ...]
    waiting: frozenset[str] = frozenset()  # methods that may wait: `combinations` also lets two of them wait at once
    whole: tuple[Test, ...] = ()  # complete tests: calls that wait or raise, crossed arguments, two calls in a thread

    def test(self, chosen: Sequence[int]) -> Test:
        """Return the test with one suffix in each thread; ``chosen`` has their indices."""
        return self.longer([(number,) for number in chosen])

    def longer(self, chosen: Sequence[Sequence[int]]) -> Test:
        """Return the test with several suffixes in each thread; ``chosen`` has their indices per thread."""
        threads = [[self.suffixes[number] for number in numbers] for numbers in chosen]
        imports = dict.fromkeys((*self.imports, *(line for each in threads for one in each for line in one.imports)))
        return Test(tuple(imports), self.prefix, tuple(tuple(each.call for each in thread) for thread in threads))

    def combinations(
        self, pairs: Sequence[Pair], random: Random, *, threads: int = 2, count: int = COMBINATIONS
    ) -> Iterator[tuple[int, ...]]:
        """Yield, for each pair, up to ``count`` different choices of suffixes (lines 8-11), as indices.

        If one of the methods waits, each choice is repeated with a third thread, so that two calls can wait at once.
        """
        by_method: dict[str, list[int]] = {}
        for number, each in enumerate(self.suffixes):
            by_method.setdefault(each.call.method, []).append(number)
        shuffled = list(pairs)
        random.shuffle(shuffled)
        for first, second in shuffled:
            mine, theirs = by_method.get(first, []), by_method.get(second, [])
            every = [
                (a, b) for a in mine for b in theirs
                if first != second or a < b or (a == b and not self.suffixes[a].single)
            ]  # fmt: skip
            for a, b in random.sample(every, min(count, len(every))):
                yield tuple((a, b)[thread % 2] for thread in range(threads))
                if threads == 2 and self.waiting & {first, second}:
                    yield (a, a, b) if first in self.waiting else (a, b, b)


def tidied(test: Test) -> Test:
    """Return the test without prefix calls that make arguments which no call uses."""
    used = {value for call in test.calls for value in _values(call)}
    kept = []
    for call in reversed(test.prefix):
        if call.method != ARGUMENT or call.result in used:
            kept.append(call)
            used |= _values(call)
    return replace(test, prefix=tuple(reversed(kept)))


class Stages:
    """A source of stages.

    Objects that serve as arguments have the same names in all stages, and calls are kept for later stages: stages
    differ in the state that their prefixes reach. ``avoid`` holds calls and names of methods that must not be in
    prefixes, because the two versions differ there even in a single thread.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        run: RunSequentially,
        random: Random,
        methods: Sequence[str],
        reached: Callable[[Test], frozenset[Feature]],
        changed: Sequence[str] = (),
    ) -> None:
        self.avoid: set[str] = set()
        self._reached = reached
        self._features: Counter[Feature] = Counter()
        self.made = 0
        self._random = random
        self._methods = tuple(methods)
        self._sequences = _StageSequences(catalogue, run, random)
        self._calls: dict[str, dict[str, Draft]] = {}
        self._changed = tuple(changed)  # in the same order in every process, so that stages are reproducible
        self._whole: WaitingTests | None = None
        own = Random(0)  # a separate source: these tests do not change the stages
        self._raising = RaisingTests(Sequences(catalogue, run, own), own)
        self._crossed = CrossedTests(Sequences(catalogue, run, own), own)
        states, siblings, telling = Random(0), Random(0), Random(0)
        self._told = ToldTests(Sequences(catalogue, run, telling), telling)
        self._siblings = SiblingTests(Sequences(catalogue, run, siblings), siblings, scouts=False)
        self._states = StateTests(Sequences(catalogue, run, states), states, concerned=changed)

    def next_stage(self) -> Stage:
        """Return a new prefix with its suffixes. Raises `UsageError` if no constructor call of the subject works."""
        self.made += 1
        prefix = self._prefix()
        drafts = [draft for name in self._methods for draft in self._behind(prefix, name)]
        self._sequences.keep_arguments(prefix)
        imports = dict.fromkeys(self._sequences.catalogue.imports)
        imports.update(dict.fromkeys(line for draft in prefix.drafts for line in draft.imports))
        makers = {each.of for each in self._sequences.catalogue.methods if each.of}
        handed = {draft.call.result for draft in prefix.drafts if draft.call.method in makers}
        waiting = self._waiting()
        whole = self._with_waits() if waiting else self._doubled(prefix, drafts)
        return Stage(
            self.made, tuple(imports), tuple(draft.call for draft in prefix.drafts),
            tuple(Suffix(draft.call, draft.imports, draft.call.receiver in handed) for draft in drafts), waiting,
            (
                *whole, *self._raising.take(_RAISING, self._is_wanted), *self._crossed.take(_CROSSED, self._is_wanted),
                *self._told.take(_TOLD, self._is_wanted), *self._states.take(_STATES, self._is_wanted),
                *self._siblings.take(_SIBLINGS, self._is_wanted), *self._first_uses(),
            ),
        )  # fmt: skip

    def _doubled(self, prefix: Prefix, drafts: Sequence[Draft]) -> list[Test]:
        """Return tests in which one thread makes two calls, with a changed method in one of the threads.

        To reveal that a changed call is not atomic may take two calls in the other thread, such as closing an object
        and then looking at what is left.
        """
        changed = [draft for draft in drafts if draft.call.method in self._changed]
        changing = [draft for draft in drafts if self._sequences.knowledge.of(draft.call.method).changes_state]
        random = Random(self.made)  # a separate source: later stages do not depend on these choices
        found: list[Test] = []
        for _ in range(_DOUBLED if changed and changing else 0):
            one, two, three = random.choice(changed), random.choice(drafts), random.choice(changing)
            # Two calls concurrent with the changed one, in both orders; and the changed call with another one before or
            # after it in the same thread, concurrent with a call that changes the state.
            made = ((one, [two, three]), (one, [three, two]), (three, [one, two]), (three, [one, three]))
            found += [
                self._sequences.test(prefix, [[alone], both]) for alone, both in made if not self._apart(alone, both)
            ]
        # What both threads see behind a changed call: the last of them sees both changes, whoever keeps the state.
        looking = [draft for draft in drafts if draft not in changing and draft not in changed]
        for _ in range(1 if changed and looking else 0):
            one, look = random.choice(changed), random.choice(looking)
            if not self._apart(one, [one, look]) and not self._apart(look, [look]):
                found.append(self._sequences.test(prefix, [[one, look]] * 2))
        return found

    def _first_uses(self) -> list[Test]:
        """Return, in the first stage, tests in which changed methods find the class as nobody has used it yet."""
        sequences = self._sequences
        methods = [sequences.catalogue.method(name) for name in self._methods] if self.made == 1 else []
        pairs = [
            pair for pair in combinations_with_replacement(methods, 2)
            if not {each.name for each in pair}.isdisjoint(self._changed)
            and frozenset(each.name for each in pair) not in set(map(frozenset, sequences.catalogue.not_parallel))
        ]  # fmt: skip
        found = (sequences.on_first_use(pair) for pair in pairs)
        return [test for test in found if test is not None][:_FIRST_USES]

    def _apart(self, one: Draft, others: Sequence[Draft]) -> bool:
        """Return whether the call must not run concurrently with one of the others."""
        forbidden = {frozenset(each) for each in self._sequences.catalogue.not_parallel}
        return any(frozenset((one.call.method, each.call.method)) in forbidden for each in others)

    def _with_waits(self) -> list[Test]:
        """Return tests in which calls wait and a changed method is called."""
        if self._whole is None:
            self._whole = WaitingTests(self._sequences, self._random)
        return self._whole.take(_WHOLE, self._is_wanted)

    def _is_wanted(self, test: Test) -> bool:
        concerned = any(call.method in self._changed for call in test.calls)
        return concerned and not any({call.method, call.source} & self.avoid for call in test.prefix)

    def _waiting(self) -> frozenset[str]:
        """Return the methods whose code waits, and those that were seen to block in a single thread."""
        sequences = self._sequences
        every = {method.name: method for method in sequences.catalogue.methods}
        return frozenset(
            name for name in self._methods
            if (name in every and every[name].waits) or sequences.knowledge.of(name).blocked
        )  # fmt: skip

    def _prefix(self) -> Prefix:
        """Return the one of a few random prefixes whose state has the rarest features so far."""
        found: list[tuple[list[int], int, Prefix, frozenset[Feature]]] = []
        for number in range(_CANDIDATES):
            prefix = self._sequences.stage_prefix(self._random.randint(0, PREFIX_LENGTH), self.avoid)
            self._sequences.keep_arguments(prefix)
            features = self._reached(self._sequences._sequential(prefix.drafts))
            rarest = sorted(self._features[each] for each in features)[:3]
            found.append((rarest, number, prefix, features))
        _rarest, _number, prefix, features = min(found, key=lambda each: each[:2])
        self._features.update(features)
        prefix = self._sequences.with_arguments(prefix)
        random = Random(f"{self.made} later")  # a separate source: later stages do not depend on this choice
        if self._sequences.catalogue.timed and random.random() < LATER:
            self._sequences.let_time_pass(prefix, random)
        return prefix

    def _behind(self, prefix: Prefix, name: str) -> list[Draft]:
        """Return calls of a method that can run after the prefix; calls that make their arguments join the prefix.

        One of them may go to another instance of the class, if a test has made one.
        """
        sequences = self._sequences
        if sequences.knowledge.of(name).uncallable:
            return []
        known = self._calls.setdefault(name, {})
        own: list[Draft] = []
        method = sequences.catalogue.method(name)
        if method.of:  # each call gets an object of its own, which only this prefix has
            made = [sequences._suffix(prefix, [method], prefix.scene) for _ in range(_OWN)]
            return [written[0][0] for written in made if written is not None]
        enough = _POOL if method.parameters else 1
        for _ in range(_FRESH if self.made > 1 else _CHOSEN):
            if sum(draft.call.receiver == RECEIVER for draft in known.values()) >= enough:
                break
            written = sequences._suffix(prefix, [method], prefix.scene)
            if written is None:
                break
            draft = written[0][0]
            if prefix.scene.results.keys() & _values(draft.call):
                own = [draft]  # not kept: it uses a result that only this prefix has
            else:
                known.setdefault(draft.call.expression, draft)
        here = [draft for draft in known.values() if draft.call.receiver == RECEIVER]
        chosen = self._random.sample(here, min(_CHOSEN - len(own), len(here)))
        elsewhere = [draft for draft in known.values() if draft.call.receiver != RECEIVER]
        if elsewhere and self._random.random() < _ELSEWHERE:
            chosen.append(self._random.choice(elsewhere))
        return [*own, *chosen]


class _StageSequences(Sequences):
    """Sequences that keep their arguments for later prefixes, and whose prefixes reach many different states."""

    def __init__(self, catalogue: Catalogue, run: RunSequentially, random: Random) -> None:
        super().__init__(catalogue, run, random)
        self._bound: dict[str, str] = {}
        self._arguments: list[Draft] = []

    def stage_prefix(self, length: int, avoid: set[str]) -> Prefix:
        """Return a constructor call, the arguments of earlier stages, and up to ``length`` calls that work (line 5)."""
        for source in avoid & self._constructors.keys():
            if len(self._constructors) > 1:
                del self._constructors[source]
        prefix = Prefix([self._constructor(), *self._arguments], Scene(bound=dict(self._bound)))
        varied = self._random.random() < _VARIED
        length = max(length, 1)
        if self._random.random() < _BARE:
            length = 0
        for _ in range(_ROUNDS):
            missing = length + 1 - sum(draft.call.method != ARGUMENT for draft in prefix.drafts)
            if missing <= 0:
                break
            known = len(prefix.drafts)
            drafts = self._varied(prefix, missing) if varied else self._drafts(prefix, missing, 3)
            drafts = [each for each in drafts if each.call.method not in avoid and each.call.source not in avoid]
            tried = [*prefix.drafts, *drafts]
            prefix.keep(that_worked(tried, self._outcomes(tried, known)))
        return self._confirmed(prefix)

    def _varied(self, prefix: Prefix, count: int) -> list[Draft]:
        """Return calls of different methods, chosen at random; methods that often change the state are more likely."""
        methods = {each.name: self._weight(each, 60) for each in self.catalogue.methods if self._usable_alone(each)}
        found: list[Draft] = []
        while methods and len(found) < count:
            name = self._random.choices(list(methods), list(methods.values()))[0]
            del methods[name]
            draft = self._write(self.catalogue.method(name), prefix, prefix.scene, peers=False)
            if draft is not None:
                found.append(draft)
        return found

    def with_arguments(self, prefix: Prefix) -> Prefix:
        """Add all arguments bound in any stage so far to the prefix, and return it."""
        known = {draft.call.result for draft in prefix.drafts}
        prefix.drafts[1:1] = [draft for draft in self._arguments if draft.call.result not in known]
        prefix.scene.bound = dict(self._bound)
        return prefix

    def keep_arguments(self, prefix: Prefix) -> None:
        """Keep the arguments that the prefix binds for all later stages."""
        known = {draft.call.result for draft in self._arguments}
        self._arguments += [
            draft for draft in prefix.drafts if draft.call.method == ARGUMENT and draft.call.result not in known
        ]
        self._bound.update(prefix.scene.bound)

    def _weight(self, method: Method, changer_weight: int) -> float:
        """Return the weight of a method in a prefix, which grows with the share of its calls that change the state."""
        record = self.knowledge.of(method.name)
        share = (record.changed + 1) / (record.succeeded + 2)
        return (1 + changer_weight * share) * (1 + record.succeeded) / (1 + record.succeeded + 4 * record.blocked)


def _values(call: Call) -> set[str | None]:
    return {call.receiver, *call.args, *(value for _name, value in call.kwargs)}


# -- condiff interface -------------------------------------------------------------------------------------------------
# The calls that two versions of a class have in common.


@dataclass(frozen=True, slots=True)
class CommonInterface:
    """The calls that both versions accept; ``added``, ``removed`` and ``incompatible`` name the other methods."""

    interface: Interface
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    incompatible: tuple[str, ...] = ()

    @property
    def notes(self) -> list[str]:
        """Sentences that say which methods are not compared."""
        unfit = "not compared, because their parameters do not fit both versions:"
        return [
            *methods_of_one_version(self.added, self.removed),
            *([f"{unfit} {', '.join(self.incompatible)}"] if self.incompatible else []),
        ]


def common_interface(old: Interface, new: Interface) -> CommonInterface:
    """Return the methods and constructors that both versions have, with the parameters that both accept.

    A parameter that only one version has is left out; if that version requires it, the method is incompatible.
    """
    before = {each.name: each for each in old.methods}
    after = {each.name: each for each in new.methods}
    methods: list[Method] = []
    incompatible: list[str] = []
    for name, method in after.items():
        if name in before:
            merged = _merged(before[name], method)
            if merged is None:
                incompatible.append(name)
            else:
                methods.append(merged)
    known = {each.name: each for each in old.constructors}
    constructors = [
        merged for each in new.constructors if each.name in known and (merged := _merged(known[each.name], each))
    ]
    if not constructors:
        raise UsageError(f"{new.subject} has no constructor that fits both versions; give factories for both")
    if not methods:
        raise UsageError(f"{new.subject} has no public method that both versions have with the same parameters")
    return CommonInterface(
        replace(new, constructors=tuple(constructors), methods=tuple(methods)),
        tuple(name for name in after if name not in before),
        tuple(name for name in before if name not in after),
        tuple(incompatible),
    )


def _merged(old: Method, new: Method) -> Method | None:
    if old.form != new.form:
        return None
    shared = _shared(old.parameters, new.parameters)
    if shared is None:
        return None
    return replace(new, parameters=shared, imports=tuple(line for line in new.imports if line in old.imports))


def _shared(old: Sequence[Parameter], new: Sequence[Parameter]) -> tuple[Parameter, ...] | None:
    """Return the parameters that both accept, or None if one version requires a parameter that the other lacks."""
    shared: list[Parameter] = []
    taken: set[str] = set()
    for position, parameter in enumerate(new):
        known = next((each for each in old if each.name == parameter.name), None)
        if known is None and position < len(old) and _in_place(old[position]) and _in_place(parameter):
            known = old[position]  # renamed, but passed by its position
        merged = _both(known, parameter) if known is not None else None
        if known is None or merged is None or (merged.kind in _BY_PLACE and old.index(known) != position):
            if parameter.required:
                return None
            continue
        taken.add(known.name)
        shared.append(merged)
    return None if any(each.required and each.name not in taken for each in old) else tuple(shared)


_BY_PLACE = frozenset({"positional-only", "varargs"})


def _in_place(parameter: Parameter) -> bool:
    return parameter.required and parameter.kind in {"positional-only", "positional"}


def _both(old: Parameter, new: Parameter) -> Parameter | None:
    """Return a parameter of a kind that both versions accept; None if there is none."""
    kinds = {old.kind, new.kind}
    kind = new.kind
    if old.name != new.name or kinds == {"positional", "positional-only"}:
        kind = "positional-only"
    elif kinds == {"positional", "keyword"}:
        kind = "keyword"
    elif old.kind != new.kind:
        return None
    default = None if old.required or new.required else new.default
    return replace(new, kind=kind, annotation=new.annotation or old.annotation, default=default)
