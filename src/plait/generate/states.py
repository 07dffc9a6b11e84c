"""Tests in states in which calls change something, found by trying calls one after another.

Many faults show only in a state that random prefixes seldom reach: something was undone and can be redone, an entry has
been moved to the second level, two accounts exist. In all other states the method returns without having done anything.
So sequential runs look for short sequences of calls each of which changes the state, with two values for each
parameter. Every method is then tested where it changes something:

- concurrently with another call that changes something, or looks at it, in the same state;
- with two calls in a row in the other thread, each of which looks at the state: a change that is half done shows;
- the other way round: one call that looks at the state, with two changes in a row, of which it must not see only the
  later one;
- concurrently with a call behind which it would be refused (something is closed, or full), and another one after that:
  whoever is not refused came first, and what comes last must show it.

What a call hands out (a token, a ticket, an object) is bound to a variable, and other methods are called with it:
nothing else can be given back, renewed or cancelled. If the subject reads a clock, time passes in some states, so that
entries have expired.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING

from plait.generate.draft import belongs_to, takes
from plait.generate.planned import PlannedTests, in_turn
from plait.generate.sequence import LONG_PASSED
from plait.generate.values.value import is_literal
from plait.model.test import has_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from plait.generate.draft import Draft
    from plait.generate.outcome import CallOutcome
    from plait.generate.sequence import Prefix, Sequences
    from plait.model.test import Test
    from plait.subject.interface.members import Method

_LOOK, _LOOK_WITH_THREADS = 400, 80
"""Limit of sequential runs for one way to build the object; less if calls start threads, which takes long."""
_BASES, _DRAWN = 2, 10
"""Objects of different construction that are examined, and constructor calls among which they are chosen."""
_METHODS = 9
"""Most methods whose calls are tried; a class with more of them is examined with others in each stream of tests."""
_DEPTH = 3
"""Most calls that lead to a state."""
_SITUATIONS = 2
"""States of each length that are used for each method."""
_ALIKE = 6
"""Most tests in which the same methods are called in the same roles."""
_HANDED, _OF_ONE_METHOD = 6, 2
"""Most calls whose results are given to others, and most of one method."""
_REFUSED = 4
"""Calls with such a result that did not return, none having done so, after which they are not tried any more."""

_MOST = 120
"""Most tests that are kept."""
_PLAIN, _NOTHING = frozenset({"str", "int", "float"}), frozenset({"''", "0", "0.0", "-1"})

State = tuple[int, ...]
"""The calls that have led to a state, as numbers."""
Numbers = tuple[tuple[int, ...], ...]
"""The calls of each thread of a test, as numbers."""
Names = tuple[tuple[str, ...], ...]
"""The methods that each thread of a test calls."""


@dataclass(slots=True)
class _Explored:
    """One object, the calls that are tried on it, and what these do in the states that were reached."""

    base: Prefix
    calls: list[Draft]
    own: int  # how many of the calls have no result of another one as an argument: the first ones
    makers: dict[int, int] = field(default_factory=dict)  # of calls that are given a result: the call that returns it
    refused: Counter[int] = field(default_factory=Counter)  # how often such a call did not return
    proven: set[int] = field(default_factory=set)  # those that have returned
    changing: dict[State, list[int]] = field(default_factory=dict)
    effects: dict[tuple[State, int], set[str]] = field(
        default_factory=dict
    )  # methods that lead to one state from there
    reached: dict[tuple[State, int], int] = field(default_factory=dict)  # the state that a call leads to
    silent: dict[State, list[int]] = field(default_factory=dict)  # calls that return there and change nothing
    refusing: dict[State, set[int]] = field(default_factory=dict)  # calls that raise or wait there
    first: dict[int, State] = field(default_factory=dict)  # by state: the calls with which it was reached first

    @property
    def readers(self) -> list[int]:
        """Calls that return, of methods that change nothing in any state but what other methods change, too."""
        changing = {
            self.method(number) for state, numbers in self.changing.items() for number in numbers
            if self.own_effect(state, number)
        }  # fmt: skip
        silent = {number for numbers in self.silent.values() for number in numbers}
        return sorted(number for number in silent if self.method(number) not in changing)

    def method(self, number: int) -> str:
        """Return the name of the method that a call is of."""
        return self.calls[number].call.method

    def effect(self, state: State, number: int, reached: int) -> None:
        """Note which state a call leads to."""
        self.effects.setdefault((state, reached), set()).add(self.method(number))
        self.reached[state, number] = reached

    def own_effect(self, state: State, number: int) -> bool:
        """Return whether no other method does the same there: many only make an empty entry for a key."""
        reached = self.reached[state, number]
        return not reached or len(self.effects[state, reached]) == 1

    def behind(self, state: State, number: int) -> State | None:
        """Return calls that were tried further and lead to where this call leads; None if there are none."""
        exact = (*state, number)
        return exact if exact in self.changing else self.first.get(self.reached[state, number])

    def usable(self, number: int, state: State) -> bool:
        """Return whether the state has what the call is given, and such calls have returned or were not tried much."""
        maker = self.makers.get(number)
        return maker is None or (maker in state and (number in self.proven or self.refused[number] < _REFUSED))

    def written(self, state: State, threads: Numbers) -> tuple[list[Draft], list[list[Draft]]]:
        """Return the calls of a state and of threads behind it; a result that no call is given is not bound."""
        used = {self.makers.get(number) for numbers in (state, *threads) for number in numbers}
        before = [self.calls[number] if number in used else self.calls[number].without_result() for number in state]
        return before, [[self._in_thread(thread, at) for at in range(len(thread))] for thread in threads]

    def _in_thread(self, thread: Sequence[int], at: int) -> Draft:
        kept = thread[at] in {self.makers.get(number) for number in thread[at:]}
        return self.calls[thread[at]] if kept else self.calls[thread[at]].without_result()

    def alike(self, threads: Numbers) -> bool:
        """Return whether two of the calls have an argument in common."""
        given = [set(self.calls[number].call.args) for thread in threads for number in thread]
        return sum(map(len, given)) > len(set().union(*given))


Candidate = tuple[_Explored, State, Numbers]
"""An object, a state of it, and the calls of each thread."""


class StateTests(PlannedTests):
    """Planned tests behind sequences of calls that change the state; none if no call changes it."""

    first, every = 12, 3

    def __init__(
        self, sequences: Sequences, random: Random, *, part: tuple[int, int] = (0, 1), concerned: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Plan every n-th part of the tests, given the number of the part and n; ``random`` is alike for all parts.

        With ``concerned``, each test calls one of these methods.
        """
        super().__init__(sequences, random)
        self._part = part
        self._concerned = frozenset(concerned)

    def _plan(self) -> Iterator[Test]:
        by_kind: dict[str, list[list[Test]]] = {}
        rows = self._rows()
        for kind, names in sorted(rows):
            by_kind.setdefault(kind, []).append([self._test(*each) for each in self._different(rows[kind, names])])
        for kinds in by_kind.values():
            self._random.shuffle(kinds)
        number, parts = self._part
        mine = [kinds[(number + at) % parts :: parts] for at, kinds in enumerate(by_kind.values())]
        return islice(in_turn([in_turn(kinds) for kinds in mine]), _MOST)

    def _rows(self) -> dict[tuple[str, Names], list[Candidate]]:
        """Return the states and the calls of threads by the kind of the test, and by the methods that it calls."""
        rows: dict[tuple[str, Names], list[Candidate]] = {}
        bases = self._bases()
        for each in [self._explored(base, _LOOK * _BASES // max(len(bases), _BASES)) for base in bases]:
            tests = chain(self._pairs(each), self._looks(each), self._changes(each), self._refusals(each))
            for kind, state, threads in tests:
                names = tuple(tuple(each.method(number) for number in thread) for thread in threads)
                if not self._forbidden(names) and self._concerns(names):
                    rows.setdefault((kind, names), []).append((each, state, threads))
        return rows

    def _different(self, found: Sequence[Candidate]) -> list[Candidate]:
        """Return a few candidates whose states take different numbers of calls, with equal and with other arguments.

        First are those whose calls do what no other method does. Otherwise they are in random order: those with the
        fewest calls are not the most telling ones.
        """
        groups: dict[tuple[int, bool], list[Candidate]] = {}
        for explored, state, threads in sorted(found, key=_is_common):
            groups.setdefault((len(state), not explored.alike(threads)), []).append((explored, state, threads))
        turns = zip_longest(*(groups[key] for key in sorted(groups)))
        chosen = list(islice((each for turn in turns for each in turn if each is not None), _ALIKE))
        self._random.shuffle(chosen)
        return sorted(chosen, key=_is_common)

    def _test(self, explored: _Explored, state: State, threads: Numbers) -> Test:
        before, suffixes = explored.written(state, threads)
        behind = replace(explored.base, drafts=[*explored.base.drafts, *before])
        return self._sequences.test(behind, suffixes)

    def _forbidden(self, names: Names) -> bool:
        forbidden = {frozenset(each) for each in self._sequences.catalogue.not_parallel}
        return any(frozenset((one, other)) in forbidden for one in names[0] for other in names[1])

    def _concerns(self, names: Names) -> bool:
        return not self._concerned or not self._concerned.isdisjoint(chain(*names))

    # -- states ----------------------------------------------------------------------------------------------------

    def _bases(self) -> list[Prefix]:
        """Return prefixes that build objects in different ways: by the shortest constructor call, and by others.

        One of them has two of what the constructor counts, if it counts anything.
        """
        made = [self._sequences.prefix(0) for _ in range(_DRAWN)]
        different = list({each.drafts[0].call.source: each for each in made}.values())
        different.sort(key=lambda each: len(each.drafts[0].call.source))
        chosen = [*different[:1], *self._random.sample(different[1:], min(len(different) - 1, _BASES - 1))]
        # With one permit or slot, calls exclude each other: two of them may do what one cannot.
        wide = [each for base in different[:1] for each in self._sequences.other_sizes(base) if _is_wide(each)]
        return [*chosen, *wide[:1]]

    def _explored(self, base: Prefix, most: int) -> _Explored:
        """Try calls in the states that other calls lead to, those behind few calls first, with so many runs.

        Of the states behind equally many calls, those take turns that more of the same and that other calls lead to. A
        state that fewer or other calls have led to is not tried again: many calls only make an empty entry for a key.
        """
        calls = self._calls(base)
        found = _Explored(base, calls, len(calls))
        found.calls += [LONG_PASSED] if self._sequences.catalogue.timed else []
        waiting: list[State] = [()]
        known: set[tuple[int, frozenset[int], bool]] = set()
        runs = 0
        while waiting and runs < most:
            state = waiting.pop(0)
            found.changing[state], found.silent[state], found.refusing[state] = [], [], set()
            drafts = [*base.drafts, *(found.calls[number] for number in state)]
            following: list[State] = []
            for number, draft in enumerate(found.calls):  # which grows meanwhile
                if draft is LONG_PASSED:
                    idle = not state or state[-1] == number or len(state) == _DEPTH or most == _LOOK_WITH_THREADS
                    following += [] if idle else [(*state, number)]
                if draft is LONG_PASSED or not found.usable(number, state):
                    continue
                runs += 1
                outcomes = self._sequences.tried([*drafts, draft])
                returned = len(outcomes) > len(drafts) and outcomes[-1].status == "ok"
                if len(outcomes) > len(drafts):
                    found.first.setdefault(outcomes[len(drafts) - 1].state, state)
                if not returned or outcomes[-1].waited:
                    found.refusing[state].add(number)
                if not returned:
                    found.refused[number] += 1
                    continue
                found.proven.add(number)
                if outcomes[-1].waited:
                    continue
                most = _LOOK_WITH_THREADS if outcomes[-1].threads else most
                if outcomes[-1].changed:
                    self._hand_on(found, number, drafts, outcomes[-1])
                    found.effect(state, number, outcomes[-1].state)
                (found.changing if outcomes[-1].changed else found.silent)[state].append(number)
                if outcomes[-1].changed and len(state) < _DEPTH:
                    makers = frozenset(found.makers.values()).intersection((*state, number))
                    reached = (outcomes[-1].state, makers, LONG_PASSED in drafts)
                    following += [] if outcomes[-1].state and reached in known else [(*state, number)]
                    known.add(reached)
            self._random.shuffle(following)
            following.sort(key=_repeated)
            again = [each for each in following if len(set(map(found.method, each[-2:]))) == 1]
            rest = [each for each in following if each not in again]
            waiting += (each for turn in zip_longest(again, rest) for each in turn if each is not None)
        return found

    def _hand_on(self, found: _Explored, number: int, before: Sequence[Draft], outcome: CallOutcome) -> None:
        """Bind what a call has handed out to a variable, and add calls of the other methods that are given it."""
        makers, kind = set(found.makers.values()), outcome.result
        of_method = [each for each in makers if found.method(each) == found.method(number)]
        if number in makers or len(makers) >= _HANDED or len(of_method) >= _OF_ONE_METHOD or kind is None:
            return
        draft = found.calls[number]
        known = {text for each in (*before, draft) for text in each.arguments}
        if not outcome.hands_out or outcome.made in known or not has_value(draft.call.form):
            return
        name = f"r{len(makers) + 1}"
        given: dict[str, Draft] = {}
        for each in found.calls[: found.own]:
            if (
                each.call.method not in (*given, draft.call.method)
                and (other := self._given(each, name, kind)) is not None
            ):
                given[each.call.method] = other
        if given:
            found.calls[number] = draft.with_result(name)
            for other in given.values():
                found.makers[len(found.calls)] = number
                found.calls.append(other)

    def _given(self, draft: Draft, name: str, kind: str) -> Draft | None:
        """Return the call with a result of this type as the argument that it fits best; None if it fits none."""
        method = self._sequences.catalogue.method(draft.call.method)
        fitting: list[tuple[bool, int]] = []
        parameters = [each for each in method.parameters if each.kind not in ("keyword", "varargs", "varkeywords")]
        for position, parameter in enumerate(parameters[: len(draft.call.args)]):
            pool = self._sequences.catalogue.pool(method, parameter.name)
            if takes(parameter, pool, kind):
                fitting.append((not belongs_to(parameter, kind), position))
        if not fitting:
            return None
        at = min(fitting)[1]
        args = (*draft.call.args[:at], name, *draft.call.args[at + 1 :])
        return replace(draft, call=replace(draft.call, args=args))

    def _calls(self, base: Prefix) -> list[Draft]:
        """Return calls of each method: all with the same values, with other ones, and with other ones but the first.

        The same values mean the same things: what one call stores under a key, another one finds there.
        """
        sequences = self._sequences
        usable = [
            each for each in sequences.catalogue.methods
            if not each.of and not sequences.knowledge.of(each.name).uncallable
        ]  # fmt: skip
        found: dict[str, Draft] = {}
        for method in self._random.sample(usable, min(len(usable), _METHODS)):
            for generous in (False, True):
                draft = sequences.write(method, base, generous=generous)
                if draft is None:
                    break
                for each in self._with_plain(method, draft):
                    found.setdefault(each.call.source, each)
                if all(each.required for each in method.parameters):
                    break
        return list(found.values())

    def _with_plain(self, method: Method, draft: Draft) -> Iterator[Draft]:
        """Yield the call with the first plain value of each parameter, with the second ones, and with both mixed.

        The first two have no text twice: to exchange a thing with itself does nothing. In the others, the first
        argument goes with other values of the rest: a second value for one key, and one value for two keys. In the
        last, no argument is like another one: to exchange a number for the same number shows nothing.
        """
        call = draft.call
        names = [each.name for each in method.parameters if each.kind not in ("keyword", "varargs", "varkeywords")]
        given = [*zip([*names, *[""] * len(call.args)], call.args, strict=False), *call.kwargs]
        columns = [self._plain(method, name, text) or [text] for name, text in given]
        rows: list[list[str]] = [[], []]
        for rank, row in enumerate(rows):
            for column in columns:
                free = [each for each in column if each not in row or not each.startswith(("'", '"'))] or column
                row.append((free[rank:] or free)[0])
        one, two = rows
        rest = [
            next((each for each in column if each != text), text) for text, column in zip(one, columns, strict=True)
        ]
        apart: list[str] = []
        for column in columns:
            apart.append(next((each for each in column if each not in apart), column[0]))
        rows += [one[:1] + rest[1:], two[:1] + one[1:], apart]
        for row in rows:
            kwargs = tuple((name, text) for (name, _old), text in zip(call.kwargs, row[len(call.args) :], strict=True))
            yield replace(draft, call=replace(call, args=tuple(row[: len(call.args)]), kwargs=kwargs))

    def _plain(self, method: Method, name: str, text: str) -> list[str]:
        """Return the literals of the same kind that a parameter may be given, without those that stand for nothing."""
        pool = self._sequences.catalogue.pools.get((method.name, name))
        kinds = {each.kind for each in pool.values if each.text == text} if pool is not None else set()
        return [
            each.text for each in (pool.values if pool is not None else ())
            if each.kind in kinds and each.kind in _PLAIN and is_literal(each.text) and each.text not in _NOTHING
        ]  # fmt: skip

    # -- tests -----------------------------------------------------------------------------------------------------

    def _situations(self, each: _Explored) -> Iterator[tuple[State, int]]:
        """Yield states with a call that changes something there: for each method a few of each length.

        Best is a state in which the call does what no other method does, and has something to do once only, so that a
        second one must find it done. One state of each length is that which the same call has led to most often:
        something may be full there.
        """
        found: dict[tuple[str, int], list[tuple[tuple[bool, bool], int, State, int]]] = {}
        for state, numbers in each.changing.items():
            for number in numbers:
                again = each.changing.get((*state, number))
                once = again is not None and number not in again
                found.setdefault((each.method(number), len(state)), []).append(
                    ((not each.own_effect(state, number), not once), _repeated(state), state, number)
                )
        for rows in found.values():
            self._random.shuffle(rows)
            rows.sort(key=lambda row: row[:2])
            chosen = rows[:_SITUATIONS]
            fullest = max(rows, key=lambda row: row[1])
            chosen += [fullest] if fullest[1] and fullest not in chosen else []
            yield from ((state, number) for _worse, _repeats, state, number in chosen)

    def _pairs(self, each: _Explored) -> Iterator[tuple[str, State, Numbers]]:
        """Yield a call that changes something, with any other call that returns in this state."""
        for state, number in self._situations(each):
            looking = [other for other in each.silent[state] if other in each.readers]
            for other in (*each.changing[state], *looking):
                threads = ((number,), (other,)) if each.method(number) <= each.method(other) else ((other,), (number,))
                yield "pair, of one thing" if each.alike(threads) else "pair", state, threads

    def _looks(self, each: _Explored) -> Iterator[tuple[str, State, Numbers]]:
        """Yield a call that changes something, with two different calls in a row that look at the state."""
        for state, number in self._situations(each):
            looking = [other for other in each.silent[state] if other in each.readers]
            for one in looking:
                for two in looking:
                    if one != two:
                        yield "looks", state, ((number,), (one, two))

    def _changes(self, each: _Explored) -> Iterator[tuple[str, State, Numbers]]:
        """Yield a call that looks at the state, or changes something, with two changes in a row."""
        chains = [
            (state, one, two) for state, numbers in each.changing.items()
            for one in numbers for two in each.changing.get((*state, one), ())
        ]  # fmt: skip
        self._random.shuffle(chains)
        chains.sort(key=lambda row: len(row[0]))
        for state, one, two in islice(chains, _LOOK):
            for other in (*each.silent[state], *each.changing[state]):
                kind = "seen" if other in each.readers else "changes"
                yield kind, state, ((other,), (one, two))

    def _refusals(self, each: _Explored) -> Iterator[tuple[str, State, Numbers]]:
        """Yield a call that changes something, with one behind which it is refused, and any other one after that."""
        for state, numbers in each.changing.items():
            for second in numbers:
                behind = each.behind(state, second)
                refused = each.refusing[behind].intersection(numbers) if behind is not None else ()
                looking = [other for other in each.silent.get(behind or (), ()) if other in each.readers]
                last = [*looking, *each.changing.get(behind or (), ())]
                for first in sorted(refused):
                    yield from (("refused", state, ((first,), (second, other))) for other in last)


def _is_common(candidate: Candidate) -> bool:
    """Return whether a call that begins a thread changes the state as another method does, too."""
    explored, state, threads = candidate
    return any(not explored.own_effect(state, thread[0]) for thread in threads if thread[0] in explored.changing[state])


def _is_wide(base: Prefix) -> bool:
    return "2" in base.drafts[0].arguments


def _repeated(state: State) -> int:
    return len(state) - len(set(state))
