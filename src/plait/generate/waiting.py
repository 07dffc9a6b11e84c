"""Tests that make calls wait.

The faults of a class whose methods wait show only if a call waits (because something is empty, full, held or closed)
while another thread wakes it. Many also need a third call, which takes what the waiter was woken for, or waits too.
Random tests seldom have all of that.

So sequential runs search for states in which a single call waits: after the constructor, and after one call that is
repeated a few times. Then they search for calls that end the waiting. Tests combine both: one call waits and one wakes
it; the waker, or another call, then takes away what was provided; two calls wait and one wakes; two wait for different
things, of which one is provided; and calls that can only end each other's waiting.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from plait.generate.planned import in_turn
from plait.generate.seen import Seen
from plait.generate.sequence import Prefix
from plait.generate.values.names import role
from plait.generate.values.value import is_literal
from plait.model.test import has_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from plait.generate.draft import Draft
    from plait.generate.outcome import CallOutcome
    from plait.generate.sequence import Sequences
    from plait.generate.values.value import Value
    from plait.model.test import Test
    from plait.subject.interface.members import Method

_GLANCE = 60
"""Limit of sequential runs that look for waiting calls, while none has waited and no code contains a wait."""
_LOOK = 400
"""Limit of such runs for a class of which a call has waited, or whose code contains a wait."""
_CONSTRUCTORS = 6
"""Objects of different construction that are examined."""
_AGAIN = 3
"""Most repetitions of a call to reach a state: sizes are small in tests, so this fills a buffer."""
_PER_METHOD = 3
"""States kept for each method that waits."""
_WAKERS = 4
"""Calls kept that wake one waiter."""
_TAKERS = 2
"""Calls kept that take away what a call has provided that wakes: each for another of so many wakers."""
_CROWDED = 2
"""States kept in which one call wakes two waiters."""
_CROWDED_LOOK = 150
"""Limit of sequential runs that look for such states."""
_ENDS = 2
_KEYS = ("'a'", "'b'", "'c'", "'d'", "0", "1", "2", "3")
"""Arguments for a second waiter, so that it waits for another key than the first one."""
_SHARE = 0.6
"""How often the next test is one of these, while planned ones are left."""
_SHARE_LATER = 0.2
_TRIES = 8
_ANY = 0.5
"""How often a random test contains a call of any method."""


class _Way(NamedTuple):
    """How a call that may wake is written: with which arguments, and whether with all optional ones."""

    same: bool = False  # as before
    handed: bool = False  # what earlier calls have returned, and may have to be given back
    generous: bool = False


_WAYS = (_Way(same=True), _Way(), _Way(), _Way(generous=True), _Way(generous=True))


@dataclass(slots=True)
class _Situation:
    """A state, a call that waits in it (``waiter``), and calls after which it does not wait (``wakers``).

    ``given`` are the arguments of the calls that have reached the state. ``others`` are further calls that wait in it.
    ``ends`` are calls that return only after the waiter in the same thread, as a release after an acquire. ``takers``
    are calls of other methods, each behind one of the wakers, after which the waiter waits again.
    """

    prefix: Prefix
    waiter: Draft
    given: dict[str, Value] = field(default_factory=dict)
    wakers: list[Draft] = field(default_factory=list)
    others: list[Draft] = field(default_factory=list)
    ends: list[Draft] = field(default_factory=list)
    takers: list[tuple[Draft, Draft]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _TwoKeys:
    """A state in which two calls wait for different keys, and for each of them a call that wakes it alone.

    A class that wakes one waiter but should wake all fails only here: the one that it wakes may wait for another key.
    """

    prefix: Prefix
    waiters: tuple[Draft, Draft]
    wakers: tuple[Draft, Draft]


class WaitingTests:
    """A source of tests made from the situations of a subject; it has no tests if no call waits."""

    def __init__(self, sequences: Sequences, random: Random) -> None:
        self._sequences = sequences
        self._random = random
        self._situations: list[_Situation] | None = None
        self._together: list[_Situation] = []  # calls whose code contains a wait, though none of them waits alone
        self._two_keys: list[_TwoKeys] = []
        self._planned: list[Test] = []
        self._seen = Seen()
        self._runs = 0

    def next_test(self) -> Test | None:
        """Return a test in which calls wait, or None if another source should make the next test."""
        if self._situations is None:
            self._planned = [test for plan in self._plans() for test in plan if self._seen.is_new(test)]
            self._random.shuffle(self._planned)
        some = self._situations or self._planned
        if not some or self._random.random() >= (_SHARE if self._planned else _SHARE_LATER):
            return None
        return self._planned.pop() if self._planned else self._any(lambda _test: True)

    def take(self, count: int, wanted: Callable[[Test], bool]) -> list[Test]:
        """Return up to ``count`` new tests for which ``wanted`` is true: planned ones first, then random ones.

        The planned tests of different sets of methods take turns, each set beginning with its simplest test. Otherwise
        methods with many states would crowd out the others.
        """
        if self._situations is None:
            plans = [list(plan) for plan in self._plans()]
            self._random.shuffle(plans)
            by_methods: dict[tuple[str, ...], list[list[Test]]] = {}
            for plan in filter(None, plans):
                by_methods.setdefault(tuple(sorted(call.method for call in plan[0].calls)), []).append(plan)
            turns = in_turn([in_turn(rows) for rows in by_methods.values()])
            self._planned = [test for test in turns if wanted(test) and self._seen.is_new(test)][::-1]
        found = [self._planned.pop() for _ in range(min(count, len(self._planned)))]
        while len(found) < count and (test := self._any(wanted)) is not None:
            found.append(test)
        return found

    def _plans(self) -> Iterator[Iterator[Test]]:
        self._situations = self._find()
        for pair in self._two_keys:
            yield self._tests(pair.prefix, _patterns_of_two(pair))
        for situation in (*self._situations, *self._together):
            yield from self._plan(situation)

    def _any(self, wanted: Callable[[Test], bool]) -> Test | None:
        """Return a new random test for which ``wanted`` is true; None if a few tries give none."""
        for _ in range(_TRIES if self._situations else 0):
            test = self._by_chance(self._random.choice(self._situations or []))
            if test is not None and wanted(test) and self._seen.is_new(test):
                return test
        return None

    # -- states in which calls wait -----------------------------------------------------------------------------

    def _find(self) -> list[_Situation]:
        found: list[_Situation] = []
        waits = any(method.waits for method in self._methods())
        for state in self._states():
            if self._runs >= (_LOOK if found or waits else _GLANCE):
                break
            prefix = Prefix(list(state.drafts), state.scene.copy())  # gets the arguments of all calls tried after it
            given = state.scene.given
            here = [situation for method in self._methods() for situation in self._try(prefix, method, given)]
            for situation in here:
                situation.others = [each.waiter for each in here if each is not situation]
            kept = [each for each in here if _count(found, each) < _PER_METHOD]
            found += kept
        for situation in found:
            self._find_wakers(situation)
            self._find_takers(situation)
        if found:
            found += self._find_crowded({each.waiter.call.method for each in found})
        made = (self._find_two_keys(situation) for situation in found)
        self._two_keys = [pair for pair in made if pair is not None]
        self._find_together({each.waiter.call.method for each in found})
        return found

    def _find_crowded(self, waiting: set[str]) -> list[_Situation]:
        """Return states in which calls wait and one other call wakes two of them.

        Such a state often needs calls of two methods: things are stored, and then the object is closed, paused or held.
        A class that wakes one waiter but must wake all fails there.
        """
        methods = [each for each in self._methods() if each.name not in waiting]
        pairs = [(one, two) for one in methods for two in methods if one is not two]
        self._random.shuffle(pairs)
        found: list[_Situation] = []
        end = self._runs + _CROWDED_LOOK
        for one, two in pairs:
            if self._runs >= end or len(found) >= _CROWDED:
                break
            prefix = self._sequences.prefix(0)
            for method in (one, one, two):
                draft = self._sequences.write(method, prefix)
                prefix.drafts += [] if draft is None else [draft]
            if not all(each.status == "ok" for each in self._outcomes(prefix.drafts)):
                continue
            for method in [each for each in self._methods() if each.name in waiting]:
                for situation in self._try(prefix, method, dict(prefix.scene.given)):
                    self._find_wakers(situation)
                    twice = [situation.waiter, situation.waiter]
                    wakers = [each for each in situation.wakers if not self._any_waits(prefix, each, *twice)]
                    if wakers:
                        found.append(replace(situation, wakers=wakers))
                        self._find_takers(found[-1])
        return found

    def _any_waits(self, prefix: Prefix, *drafts: Draft) -> bool:
        """Return whether one of the calls waits or raises after the prefix."""
        outcomes = self._outcomes([*prefix.drafts, *drafts])
        last = outcomes[len(prefix.drafts) :]
        return len(last) < len(drafts) or any(each.waited or each.status != "ok" for each in last)

    def _find_together(self, known: set[str]) -> None:
        """Find calls whose code contains a wait, but that waited in no state: they may wait for a concurrent call."""
        prefix = self._sequences.prefix(0)
        methods = [method for method in self._methods() if method.waits and method.name not in known]
        written = [self._sequences.write(method, prefix) for method in methods]
        drafts = [draft for draft in written if draft is not None]
        self._together = [
            _Situation(
                prefix, draft, others=[other for other in drafts if other is not draft], ends=self._ends(prefix, draft)
            )
            for draft in drafts
        ]  # fmt: skip

    def _ends(self, prefix: Prefix, draft: Draft) -> list[Draft]:
        """Return calls that raise on a fresh object, and return exactly once after ``draft`` in the same thread.

        These are like the release of a lock, which only the thread that has acquired it can do.
        """
        found: list[Draft] = []
        for method in self._methods():
            end = None if method.waits or len(found) >= _ENDS else self._sequences.write(method, prefix)
            if end is None:
                continue
            tries = ([end], [draft, end], [draft, end, end])
            outcomes = [self._last([*prefix.drafts, *drafts]) for drafts in tries]
            if [each and each.status for each in outcomes] == ["raised", "ok", "raised"]:
                found.append(end)
        return found

    def _methods(self) -> list[Method]:
        knowledge = self._sequences.knowledge
        return [each for each in self._sequences.catalogue.methods if not knowledge.of(each.name).uncallable]

    def _states(self) -> Iterator[Prefix]:
        """Yield fresh objects first, then objects on which one call was made once, twice and three times."""
        sequences = self._sequences
        fresh: dict[str, Prefix] = {}
        for _ in range(2 * _CONSTRUCTORS):
            prefix = sequences.prefix(0)
            fresh.setdefault(prefix.drafts[0].call.source, prefix)
        for other in [each for prefix in list(fresh.values()) for each in sequences.other_sizes(prefix)]:
            fresh.setdefault(other.drafts[0].call.source, other)
        prefixes = list(fresh.values())
        self._random.shuffle(prefixes)
        del prefixes[_CONSTRUCTORS:]
        yield from prefixes
        behind = [(prefix, method) for prefix in prefixes for method in self._methods()]
        self._random.shuffle(behind)
        for prefix, method in behind:
            grown = Prefix(list(prefix.drafts), prefix.scene.copy())
            draft = sequences.write(method, grown)
            for _ in range(_AGAIN if draft is not None else 0):
                assert draft is not None
                outcome = self._last([*grown.drafts, draft])
                if outcome is None or outcome.status != "ok" or not outcome.changed:
                    break
                grown = _grown(grown, draft, outcome)
                yield grown

    def _try(self, prefix: Prefix, method: Method, given: dict[str, Value]) -> list[_Situation]:
        """Return a situation in which a call of the method waits after the prefix, or an empty list.

        A call with the arguments of earlier calls is tried first: to take the same thing a second time often waits. Of
        each call there are also variants without a time-out; one that waits for ever is preferred.
        """
        prefix.scene.given.update(given)
        same = self._sequences.write(method, prefix, same=True) if given else None
        written = [same, self._sequences.write(method, prefix)]
        found: list[_Situation] = []
        for draft in dict.fromkeys(each.call for each in written if each is not None):
            one = next(each for each in written if each is not None and each.call == draft)
            for each in [one, *_for_ever(one, method)]:
                outcome = self._last([*prefix.drafts, each])
                if outcome is not None and outcome.waited and not outcome.misuse:
                    found.append(_Situation(prefix, each, given))
                    if outcome.status == "blocked":
                        return found[-1:]
        return found[-1:]

    def _find_wakers(self, situation: _Situation) -> None:
        """Find calls after which the waiter does not wait."""
        prefix, methods = situation.prefix, self._methods()
        self._random.shuffle(methods)
        ways = (*([_Way(handed=True)] if prefix.scene.results else []), *_WAYS)
        tries = [(each, way) for each in methods for way in (ways if each.parameters else _WAYS[1:2])]
        for method, way in tries:  # a release may need the same arguments as the acquire before it
            if way.same:
                prefix.scene.given.update(situation.given)
            draft = self._sequences.write(method, prefix, same=way.same, handed=way.handed, generous=way.generous)
            known = [each.call for each in situation.wakers]
            if draft is None or len(known) >= _WAKERS or draft.call in known:
                continue
            outcomes = self._outcomes([*prefix.drafts, draft, situation.waiter])
            if len(outcomes) == len(prefix.drafts) + 2 and not outcomes[-1].waited and outcomes[-2].status == "ok":
                situation.wakers.append(draft)

    def _find_takers(self, situation: _Situation) -> None:
        """Find, for some wakers, a call of another method that takes away what the waiter was woken for."""
        prefix, own = situation.prefix, situation.waiter.call.method
        for waker in situation.wakers[:_TAKERS]:
            for method in [each for each in self._methods() if each.name not in (own, waker.call.method)]:
                taker = self._sequences.write(method, prefix, same=True)
                if taker is not None and self._waits(prefix, waker, taker, situation.waiter):
                    situation.takers.append((waker, taker))
                    break

    def _find_two_keys(self, situation: _Situation) -> _TwoKeys | None:
        """Return a state in which a second call like the waiter waits for another key; None if there is none."""
        one = situation.waiter
        for old in dict.fromkeys(each for each in one.arguments if is_literal(each)):
            used = {text for draft in (*situation.prefix.drafts, one) for text in draft.arguments}
            alike = [key for key in _KEYS if key not in used and (key[0] == "'") == (old[:1] in "'\"")]
            for new in alike if old not in ("None", "True", "False") else ():
                pair = self._two_of(situation, old, new)
                if pair is not None:
                    return pair
        return None

    def _two_of(self, situation: _Situation, old: str, new: str) -> _TwoKeys | None:
        """Return the state in which calls for an old and for a new key wait, if each has a call that wakes it alone."""
        one, two = situation.waiter, _renamed(situation.waiter, old, new)
        prefix = Prefix(_both(situation.prefix.drafts, old, new), situation.prefix.scene.copy())
        if not (self._waits(prefix, one) and self._waits(prefix, two)):
            return None
        for waker in situation.wakers:
            other = _renamed(waker, old, new)
            if other != waker and self._wakes_only(prefix, waker, one, two) and self._wakes_only(
                prefix, other, two, one
            ):  # fmt: skip
                return _TwoKeys(prefix, (one, two), (waker, other))
        return None

    def _waits(self, prefix: Prefix, *drafts: Draft) -> bool:
        """Return whether the last of the calls waits after the prefix, and the others return."""
        outcomes = self._outcomes([*prefix.drafts, *drafts])
        whole = len(outcomes) == len(prefix.drafts) + len(drafts)
        return whole and outcomes[-1].waited and all(each.status == "ok" for each in outcomes[:-1])

    def _wakes_only(self, prefix: Prefix, waker: Draft, woken: Draft, other: Draft) -> bool:
        """Return whether after the call ``waker``, ``woken`` does not wait and ``other`` still does."""
        last = self._last([*prefix.drafts, waker, woken])
        return last is not None and not last.waited and self._waits(prefix, waker, other)

    def _outcomes(self, drafts: Sequence[Draft]) -> list[CallOutcome]:
        self._runs += 1
        return self._sequences.tried(drafts)

    def _last(self, drafts: Sequence[Draft]) -> CallOutcome | None:
        """Return the outcome of the last call; None if it was not reached."""
        outcomes = self._outcomes(drafts)
        return outcomes[-1] if len(outcomes) == len(drafts) else None

    # -- tests of them ------------------------------------------------------------------------------------------

    def _plan(self, situation: _Situation) -> Iterator[Iterator[Test]]:
        """Yield rows of tests, each with the simplest test first: for each waker, and for calls that wake each other.

        Two calls of the same method have either the same arguments, so that they wait for the same thing, or different
        ones. The latter show whose item was lost, and whether a call is woken by what another one waits for.
        """
        one, others = situation.waiter, situation.others[:_WAKERS]
        again = self._otherwise(situation)
        for waker in situation.wakers:
            yield self._tests(situation.prefix, [
                [[one], [waker]], [[one], [one], [waker]], [[one], [waker, one]], [[one], [again], [waker]],
                [[one], [waker, again]], [[one], [again], [waker, waker]], [[one], [waker], [again, waker]],
                [[one, waker], [waker, again]],
                *([[one], [two], [waker]] for two in others), *([[one], [two], [waker, one]] for two in others),
            ])  # fmt: skip
        for waker, taker in situation.takers:
            yield self._tests(situation.prefix, [[[one], [waker, taker]], [[one], [waker], [taker]]])
        yield self._tests(situation.prefix, [
            [[one], [one]], [[one], [one], [one]], [[one], [again]], [[one], [one], [again]],
        ])  # fmt: skip
        for end in situation.ends:
            yield self._tests(situation.prefix, [
                [[one, end], [one, end]], [[one, end], [again, end]], [[one, end], [one, end], [one, end]],
                *([[one, end], [two]] for two in others), *([[one, end], [one, end], [two]] for two in others),
            ])  # fmt: skip
        for two in others:
            yield self._tests(situation.prefix, [
                [[one], [two]], [[one], [two, again]], [[one], [again], [two, two]], [[one], [two], [again, two]],
                [[one, two], [again], [two, one]],
            ])  # fmt: skip

    def _otherwise(self, situation: _Situation) -> Draft:
        """Return the waiter with other arguments, if it has any."""
        one = situation.waiter
        method = self._sequences.catalogue.method(one.call.method)
        written = self._sequences.write(method, situation.prefix, apart=True) if one.call.args else None
        return one if written is None else written

    def _by_chance(self, situation: _Situation) -> Test | None:
        """Return a random test: the waiter in one thread, and one or two threads with one or two calls each."""
        calls = [situation.waiter, *situation.wakers, *situation.others]
        if self._random.random() < _ANY:
            more = self._sequences.write(self._random.choice(self._methods()), situation.prefix)
            calls += [] if more is None else [more]
        threads = [self._random.choices(calls, k=self._random.randint(1, 2)) for _ in range(self._random.randint(1, 2))]
        return next(self._tests(situation.prefix, [[[situation.waiter], *threads]]), None)

    def _tests(self, prefix: Prefix, patterns: Sequence[Sequence[Sequence[Draft]]]) -> Iterator[Test]:
        forbidden = {frozenset(each) for each in self._sequences.catalogue.not_parallel}
        for pattern in patterns:
            names = [{draft.call.method for draft in suffix} for suffix in pattern]
            together = {
                frozenset((first, second))
                for number, one in enumerate(names) for other in names[number + 1 :]
                for first in one for second in other
            }  # fmt: skip
            if not together & forbidden:
                yield self._sequences.test(_needed(prefix, pattern), pattern)


def _needed(prefix: Prefix, pattern: Sequence[Sequence[Draft]]) -> Prefix:
    """Return the prefix without variables for results that no call of the prefix or the threads is given."""
    used = {text for each in (*prefix.drafts, *chain(*pattern)) for text in (each.call.receiver, *each.arguments)}
    return replace(
        prefix, drafts=[each if each.call.result in used else each.without_result() for each in prefix.drafts]
    )


def _grown(prefix: Prefix, draft: Draft, outcome: CallOutcome) -> Prefix:
    """Return the prefix with one more call; what the call hands out is bound to a variable."""
    scene = prefix.scene.copy()
    if outcome.hands_out and outcome.result is not None and has_value(draft.call.form):
        name = prefix.free_name()
        scene.results[name] = outcome.result
        draft = draft.with_result(name)
    return Prefix([*prefix.drafts, draft], scene)


def _patterns_of_two(pair: _TwoKeys) -> list[list[list[Draft]]]:
    """Return the patterns of tests in which both calls wait and one or both wakers run."""
    (one, two), (wakes_one, wakes_two) = pair.waiters, pair.wakers
    return [
        [[one], [two], [wakes_two]], [[one], [two], [wakes_one]], [[one], [two], [wakes_one, wakes_two]],
        [[one], [two, wakes_one], [wakes_two]],
    ]  # fmt: skip


def _renamed(draft: Draft, old: str, new: str) -> Draft:
    """Return the call with one argument value replaced by another wherever it occurs."""
    call = draft.call
    args = tuple(new if text == old else text for text in call.args)
    kwargs = tuple((name, new if text == old else text) for name, text in call.kwargs)
    return replace(draft, call=replace(call, args=args, kwargs=kwargs))


def _both(drafts: Sequence[Draft], old: str, new: str) -> list[Draft]:
    """Return the calls, with a copy for the new value after each that uses the old one, except the constructor call."""
    found = list(drafts[:1])
    for draft in drafts[1:]:
        again = _renamed(draft, old, new)
        found += [draft] if again == draft or draft.call.result is not None else [draft, again]
    return found


def _count(found: Sequence[_Situation], situation: _Situation) -> int:
    return sum(each.waiter.call.method == situation.waiter.call.method for each in found)


def _for_ever(draft: Draft, method: Method) -> Iterator[Draft]:
    """Yield variants of the call that wait for ever, if it has a parameter for a time-out or for whether to block."""
    call = draft.call
    names = [parameter.name for parameter in method.parameters if parameter.kind != "keyword"]
    for position, name in enumerate(names[: len(call.args)]):
        for text in _meant(name):
            args = (*call.args[:position], text, *call.args[position + 1 :])
            yield replace(draft, call=replace(call, args=args))
    for position, (name, _text) in enumerate(call.kwargs):
        for text in _meant(name):
            kwargs = (*call.kwargs[:position], (name, text), *call.kwargs[position + 1 :])
            yield replace(draft, call=replace(call, kwargs=kwargs))
    if call.kwargs:
        yield replace(draft, call=replace(call, kwargs=()))
    known = {*names[: len(call.args)], *(name for name, _text in call.kwargs)}
    for each in method.parameters:
        named = each.name not in known and each.kind in ("positional", "keyword")
        for text in _meant(each.name) if named else ():
            if text != each.default:
                yield replace(draft, call=replace(call, kwargs=(*call.kwargs, (each.name, text))))


def _meant(name: str) -> tuple[str, ...]:
    if name.startswith("block"):
        return ("True",)
    return ("None",) if role(name) == "wait" else ()
