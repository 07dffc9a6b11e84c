"""States in which a method returns that has only ever failed.

Chance seldom connects before it commits, or registers what it then resolves. For each method that has failed every time
so far, the calls that are known to work are tried before it, one and then two at a time, with what they return as an
argument. What is found serves every later test of the method. The number of runs is bounded, not their time: a seed
gives the same tests on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from random import Random

    from plait.generate.sequence import Prefix, Sequences
    from plait.subject.interface.members import Method

_RUNS = 40
"""Sequential runs for one method."""
_EARNED = 8
"""Runs that each test earns: a class whose calls are slow gets its tests first, and the search bit by bit."""
_AFTER = 3
"""Failures before a method gets such a search."""
_TRIES = 3
"""Ways to write the call behind each state."""
_STARTERS = 20
"""Calls that are tried before it, those that change the receiver first."""
_USE = 0.8
"""How often a test of such a method starts from the state that was found."""


class Reaching:
    """Looks once for a state in which a method returns, and keeps it."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._looked: dict[str, int] = {}  # how many states were known when a method was looked at
        self._left = 0
        self._found: dict[str, Prefix] = {}

    def state(self, sequences: Sequences, names: Iterable[str]) -> Prefix | None:
        """Return a state in which one of the methods is known to return; None where that needs none, or none is known.

        The call that did return is among the state's ``ready`` ones.
        """
        self._left += _EARNED
        for name in sorted(names):
            record = sequences.knowledge.of(name)
            stuck = not record.succeeded and not record.endless and record.raised + record.misused >= _AFTER
            if stuck and self._left >= _RUNS and self._looked.get(name, -1) < len(self._found):
                self._looked[name] = len(self._found)
                self._look(sequences, sequences.catalogue.method(name))
            if name in self._found and self._random.random() < _USE:
                return self._found[name].copy()
        return None

    def _look(self, sequences: Sequences, method: Method) -> None:
        runs = _RUNS
        for prefix in self._states(sequences, method):
            for _ in range(_TRIES if method.parameters else 1):
                if runs <= 0:
                    return
                runs -= 1
                self._left -= 1
                draft = sequences.write(method, prefix, feeding=True)
                if draft is not None and sequences.returns(prefix, draft):
                    prefix.ready[method.name] = draft
                    self._found[method.name] = prefix
                    return

    def _states(self, sequences: Sequences, method: Method) -> Iterator[Prefix]:
        """Yield fresh objects, then those behind one call that works, then behind two that change the receiver."""
        known = sequences.knowledge
        yield sequences.prefix(0)
        yield sequences.prefix(0)
        others = [
            each for each in sequences.catalogue.methods
            if each.name != method.name and known.of(each.name).succeeded and not known.of(each.name).blocks
        ]  # fmt: skip
        self._random.shuffle(others)
        others.sort(key=lambda each: not known.of(each.name).changes_state)
        for reached in list(self._found.values()):
            yield from _gone_on(sequences, reached)
        for first in others[:_STARTERS]:
            yield from self._behind(sequences, [first])
        changing = [each for each in others[:_STARTERS] if known.of(each.name).changes_state]
        for first in changing:
            for second in changing:
                if first is not second:
                    yield from self._behind(sequences, [first, second])

    def _behind(self, sequences: Sequences, methods: list[Method]) -> Iterator[Prefix]:
        """Yield a fresh object on which these calls have returned, their results in variables."""
        prefix = sequences.prefix(0)
        if all(sequences.extend(prefix, method) for method in methods):
            yield prefix


def _gone_on(sequences: Sequences, reached: Prefix) -> Iterator[Prefix]:
    """Yield a state that was found for another method, and the one behind a call of that method."""
    yield reached.copy()
    prefix = reached.copy()
    if all(sequences.extend(prefix, sequences.catalogue.method(name)) for name in reached.ready):
        yield prefix
