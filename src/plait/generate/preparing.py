"""Preparations: calls after which a method returns that has only raised so far.

Random sequences seldom find that `advance` needs a result of `add_task`, or that `publish` must come after `connect`.
Here each other method is called before the one that raises. Methods that use the same attributes, or that the error
names, come first. The arguments and the result of such a call are tried as arguments of the method. If the error
changes, the call has had an effect, and the search continues after it. What was found for one method is where the
search for others begins: `login` needs `register`, and `store` needs what `login` has returned. A method that refuses
its arguments is called with others (`plait.generate.seeking`). All runs are sequential, and their number is limited.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from plait.generate.draft import ARGUMENT, Draft
from plait.generate.outcome import PLAIN_RESULTS
from plait.generate.revealed import IMPORT, revealed
from plait.generate.seeking import LIMIT, sought
from plait.generate.sequence import Prefix
from plait.generate.values.value import RECEIVER, Value, is_literal, kind_of
from plait.generate.values.wider import wider
from plait.model.test import Call, has_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from plait.generate.outcome import CallOutcome
    from plait.generate.sequence import Sequences
    from plait.model.test import Test
    from plait.subject.interface.members import Method

_OF_METHOD = 150
"""Limit of runs for one method."""
_OF_CLASS = 900
"""Limit of runs for all methods of a class."""
_ARGUMENTS_OF_CLASS = 900
"""Limit of runs that try arguments, for all methods of a class."""
_FEWER = 30
"""Limit of runs that try arguments behind one promising call."""
_KNOWN = 4
"""Preparations of other methods from which the search for a method goes on."""
_DRAWN, _BASES, _SEARCHED = 12, 5, 2
"""Objects that are built; those of them on which a method is tried directly, and after other calls."""
_PROMISING = 3
"""Calls that changed the error, after which the search continues."""
_DEPTH = 2
"""Most calls of other methods before the method."""
_PARAMETERS = 3
"""Required parameters of a method for which arguments and results of earlier calls are tried."""
_FOUND = 6
"""Arguments and results that are tried for one parameter."""
_OTHERWISE = 8
"""Other texts that are stored instead of one that an error mentions."""
_TELLING = 3
"""Shortest source of an argument that is searched for in error messages."""
_MOST_ENDED = 3
"""Stopping methods that are tried before a method that does not end."""
_MOST_OTHERS = 3
"""Other arguments that are tried for a method that does not end."""
_STOPS = frozenset({
    "stop", "close", "shutdown", "cancel", "exit", "quit", "kill", "terminate", "abort", "end", "finish", "disconnect",
    "disable", "dispose", "unsubscribe", "interrupt",
})  # fmt: skip
"""Words in the names of methods after which a loop of another method ends."""
_ADDRESSES = re.compile(r"0x[0-9a-f]+")
_VARIABLES = re.compile(r"\b[axr]\d*\b(?!')")
_MISUSE = ("TypeError", "AttributeError")
_OF_RESULT = {
    "list": ("{}[0]",), "tuple": ("{}[0]", "{}[-1]"), "dict": ("next(iter({}))",), "set": ("next(iter({}))",),
    "dict_keys": ("next(iter({}))",), "dict_items": ("next(iter({}))[0]",),
}  # fmt: skip
"""Expressions for parts of a result that may be useful as arguments, by its type."""


class Preparing:
    """Searches for preparations, with the sequences and the knowledge of one subject."""

    def __init__(self, sequences: Sequences) -> None:
        self._sequences = sequences
        self._left = _OF_CLASS
        self._of_method = 0
        self._left_for_arguments = _ARGUMENTS_OF_CLASS
        self._bases: list[Prefix] = []
        self._known: dict[str, list[Draft]] = {}
        self._proven: list[Prefix] = []  # behind which a method has returned that did not without

    def of(self, method: Method) -> Test | None:
        """Return a sequential test that ends with a call of the method that returns; None if none was found."""
        drafts = None if method.of else self._found(method)
        return None if drafts is None else self._kept(method, drafts)

    def further(self, method: Method, known: Collection[str]) -> Test | None:
        """Return the same, found behind the preparations of other methods, those with the names that are ``known``.

        The method was asked for already, before these preparations had been found.
        """
        if method.of or self._sequences.knowledge.of(method.name).endless:
            return None
        ranked = [each for each in self._others(method, "") if each.name in known]
        for other in ranked[:_KNOWN]:
            self._of_method = min(_OF_METHOD // 2, self._left)
            prefix = self._after(self._known[other.name])
            if prefix is not None:
                found = self._with_sought_arguments(prefix, method, _FEWER) or self._behind(prefix, method, 1)
                if found is not None:
                    return self._kept(method, found)
        return None

    def _kept(self, method: Method, drafts: list[Draft]) -> Test:
        shortest = self._shortest(drafts)
        self._known[method.name] = shortest
        self._prove(shortest[:-1])
        for pool, value in drafts[-1].drawn:
            if value.kind != "own" and value not in pool.values and not _needs_variables(value.text):
                pool.values = (value, *pool.values)  # calls that prepare others draw from there
        return self._sequences.test(Prefix(shortest), ())

    def _prove(self, drafts: list[Draft]) -> None:
        """Keep calls behind which a method has returned: other methods may need the same, and are tried there first."""
        sources = [each.call.source for each in drafts]
        if len(drafts) > 1 and sources not in [[each.call.source for each in kept.drafts] for kept in self._proven]:
            prefix = self._after(drafts)
            if prefix is not None:
                self._proven.append(prefix)

    def _after(self, drafts: list[Draft]) -> Prefix | None:
        """Return a prefix of the calls of a preparation, with the result of the last one bound to a variable."""
        last = drafts[-1].call
        prefix = Prefix(list(drafts))
        if last.result is None and has_value(last.form):
            prefix.drafts[-1] = drafts[-1].with_result(prefix.free_name())
        outcomes = self._sequences.tried(prefix.drafts)
        if len(outcomes) < len(prefix.drafts) or any(each.status != "ok" for each in outcomes):
            return None
        for draft, outcome in zip(prefix.drafts[1:], outcomes[1:], strict=True):
            if draft.call.result is not None and outcome.result not in (None, "NoneType"):
                prefix.scene.results[draft.call.result] = str(outcome.result)
        return prefix

    def _found(self, method: Method) -> list[Draft] | None:
        self._bases = self._bases or self._objects()
        self._of_method = min(_OF_METHOD, self._left)
        if self._sequences.knowledge.of(method.name).endless:
            return self._with_other_arguments(self._bases[0], method) or self._ended(self._bases[0], method)
        misused = True
        for base in self._bases:
            found, errors = self._attempts(base, method)
            if found is not None:
                return found
            misused = misused and any(each.startswith(_MISUSE) for each in errors)
        for known in self._proven[-_KNOWN:]:
            found, _errors = self._attempts(known, method)
            if found is not None:
                return found
        for base in self._bases[:_SEARCHED]:
            found = self._with_sought_arguments(base, method)
            if found is not None:
                return found
        if misused:
            found = self._with_other_before(self._bases[0], 0, method)
            if found is not None:
                return found
        for base in self._bases[:_SEARCHED]:
            self._of_method = min(_OF_METHOD // _SEARCHED, self._left)
            found = self._behind(base, method, _DEPTH)
            if found is not None:
                return found
        return None

    def _with_sought_arguments(self, base: Prefix, method: Method, limit: int = LIMIT) -> list[Draft] | None:
        """Return a call that returns with arguments that were searched for; None if none was found.

        The arguments and results of the calls before it are among those that are tried.
        """
        calls = Prefix(list(base.drafts), base.scene.copy())
        draft = self._sequences.write(method, calls, same=True) if method.parameters else None
        if draft is None:
            return None

        def attempt(each: Draft) -> CallOutcome | None:
            return self._outcome([*calls.drafts, each], len(calls.drafts))

        texts = [*_left_behind(base)[:_FOUND], *self._revealed(base)[:_FOUND]]
        left = [Value(text, base.scene.results.get(text, kind_of(text))) for text in texts]
        for first in _with_keywords(method, draft):
            found = sought(first, attempt, limit=limit, left=left)
            if found is not None:
                return self._learned(method, [*calls.drafts, found])
        return None

    def _with_other_before(self, prefix: Prefix, at: int, method: Method) -> list[Draft] | None:
        """Return a call that returns after an earlier one, number ``at``, got other arguments; None if none was found.

        An object, or what is registered with it, may be made of parts that only this method uses.
        """
        calls = Prefix(list(prefix.drafts), prefix.scene.copy())
        last = self._sequences.write(method, calls, same=True)
        before = calls.drafts[at]
        if last is None or not before.drawn:
            return None

        def attempt(each: Draft) -> CallOutcome | None:
            return self._outcome([*calls.drafts[:at], each, *calls.drafts[at + 1 :], last], at)

        found = sought(before, attempt, limit=_FEWER)
        if found is None:
            return None
        return self._learned(method, [*calls.drafts[:at], found, *calls.drafts[at + 1 :], last])

    def _outcome(self, drafts: list[Draft], at: int) -> CallOutcome | None:
        """Return how the last call went, or the first one from number ``at`` on that did not return.

        The result is None if no more calls may be made, or a call before these failed.
        """
        self._left_for_arguments -= 1
        outcomes = self._sequences.tried(drafts) if self._left_for_arguments >= 0 else []
        failed = next((each for each in outcomes[at:-1] if each.status != "ok"), None)
        if failed is not None:
            return replace(failed, line=-1)  # a call that got as far as the last one is better
        return outcomes[-1] if len(outcomes) == len(drafts) else None

    def _learned(self, method: Method, drafts: list[Draft]) -> list[Draft]:
        """Record that the last of these calls returned, and return the calls."""
        self._sequences.knowledge.learn(method.name, self._sequences.tried(drafts)[-1])
        self._sequences.returned(drafts[0], method.name)
        return drafts

    def _revealed(self, prefix: Prefix) -> list[str]:
        """Return expressions for what the last result and the state have after a prefix: keys, names, parts."""
        last = prefix.drafts[-1].call.result or ""
        kind = prefix.scene.results.get(last)
        asked = [f"reveal_parts({last}, {last!r})"] if kind and kind not in {*PLAIN_RESULTS, *_OF_RESULT} else []
        found: list[str] = []
        for text in (*asked, f"reveal({RECEIVER})"):
            outcome = self._run(prefix, Draft(Call(ARGUMENT, text), (IMPORT,)))
            found += [] if outcome is None or outcome.status != "raised" else revealed(outcome.message)
        return found

    def _objects(self) -> list[Prefix]:
        """Return prefixes that build an object in different ways; one per class comes first."""
        made = [self._sequences.prefix(0) for _ in range(_DRAWN)]
        different = {each.drafts[0].call.source: each for each in made}
        classes = {source.partition("(")[0]: each for source, each in reversed(different.items())}
        first = [each for each in different.values() if each in classes.values()]
        return [*first, *(each for each in different.values() if each not in first)][:_BASES]

    def _shortest(self, drafts: list[Draft]) -> list[Draft]:
        """Return the calls without those that the last one does not need in order to return."""
        for draft in drafts[-2:0:-1]:
            fewer = [each for each in drafts if each is not draft]
            outcomes = self._sequences.tried(fewer)
            if len(outcomes) == len(fewer) and all(each.status == "ok" for each in outcomes):
                drafts = fewer
        return drafts

    def _behind(self, base: Prefix, method: Method, depth: int) -> list[Draft] | None:
        """Return calls that start with a prefix and end with a call of the method that returns; None if none is found.

        Up to ``depth`` calls of other methods are put between the two.
        """
        found, before = self._attempts(base, method)
        if found is not None:
            return found
        promising: list[Prefix] = []
        seen = set(before)
        for other in self._others(method, " ".join(before)):
            if self._of_method <= 0:
                break
            prefix = self._with(base, other)
            if prefix is None and other.name in self._known:
                prefix = self._after(self._known[other.name])
            if prefix is None:
                continue
            found, errors = self._attempts(prefix, method)
            for again in self._otherwise(prefix, errors) if found is None else ():
                found = found or self._attempts(again, method)[0]
            if found is not None:
                return found
            if not set(errors) <= seen:
                promising.append(prefix)
                seen.update(errors)
        for prefix in promising[:_PROMISING]:
            found = self._with_sought_arguments(prefix, method, _FEWER)
            found = found or self._with_other_before(prefix, len(prefix.drafts) - 1, method)
            if found is None and depth > 1:
                found = self._behind(prefix, method, depth - 1)
            if found is not None:
                return found
        return None

    def _with_other_arguments(self, base: Prefix, method: Method) -> list[Draft] | None:
        """Return a call that ends, of a method that did not with the arguments it had first; None if none is found.

        Only a few are tried: each may cost as much as hundreds of other runs.
        """
        tried: set[str] = set()
        for number in range(_MOST_OTHERS if method.parameters else 0):
            prefix = Prefix(list(base.drafts), base.scene.copy())
            draft = self._sequences.write(method, prefix, apart=number > 0)
            if draft is None or draft.call.source in tried:
                continue
            tried.add(draft.call.source)
            outcome = self._run(prefix, draft)
            if outcome is not None and outcome.status == "ok":
                self._sequences.knowledge.learn(method.name, outcome)
                self._sequences.returned(prefix.drafts[0], method.name)
                return [*prefix.drafts, draft]
        return None

    def _ended(self, base: Prefix, method: Method) -> list[Draft] | None:
        """Return calls that end with the method's, which ends after a call such as ``stop`` or ``close``; None if none.

        Only a few calls are tried: each may cost as much as hundreds of other runs.
        """
        methods = self._sequences.catalogue.methods
        stopping = [each for each in methods if _STOPS.intersection(each.name.lower().split("_"))]
        for other in sorted(stopping, key=lambda each: len(each.parameters))[:_MOST_ENDED]:
            prefix = self._with(base, other) if not other.of and other is not method else None
            found = self._attempts(prefix, method)[0] if prefix is not None else None
            if found is not None:
                return found
        return None

    def _with(self, base: Prefix, other: Method) -> Prefix | None:
        """Return the prefix with one more call, its result bound to a variable; None if the call does not return."""
        prefix = Prefix(list(base.drafts), base.scene.copy())
        name = prefix.free_name() if has_value(other.form) else None
        for apart in (False, True):
            draft = self._sequences.write(other, prefix, result=name, apart=apart)
            outcome = None if draft is None else self._run(prefix, draft)
            if draft is not None and outcome is not None and outcome.status == "ok":
                break
            if not other.parameters:
                return None
        else:
            draft = self._as_before(other, name)
            outcome = None if draft is None else self._run(prefix, draft)
            if draft is None or outcome is None or outcome.status != "ok":
                return None
        prefix.drafts.append(draft)
        if name is not None and outcome.result not in (None, "NoneType"):
            prefix.scene.results[name] = str(outcome.result)
        return prefix

    def _as_before(self, method: Method, result: str | None) -> Draft | None:
        """Return the first call of a method that returned, with its values in the place of variables."""
        known = self._sequences.worked.get(method.name)
        if known is None:
            return None
        for number, (_pool, value) in enumerate(known.drawn):
            known = known.with_value(number, value)
        return replace(known, call=replace(known.call, receiver=RECEIVER, result=result))

    def _otherwise(self, prefix: Prefix, errors: Sequence[str]) -> Iterator[Prefix]:
        """Yield variants of the prefix whose last call has another text, if an error mentions the one it has."""
        last = prefix.drafts[-1]
        for at, text in reversed(list(enumerate(last.call.args))):  # values before keys, which mostly come first
            kind = kind_of(text)
            if len(text) < _TELLING or text not in " ".join(errors) or kind not in ("str", "bytes"):
                continue
            for value in wider({kind})[:_OTHERWISE]:
                args = (*last.call.args[:at], value.text, *last.call.args[at + 1 :])
                again = Draft(replace(last.call, args=args), last.imports)
                outcome = self._run(Prefix(prefix.drafts[:-1]), again)
                if outcome is not None and outcome.status == "ok":
                    yield Prefix([*prefix.drafts[:-1], again], prefix.scene.copy())

    def _attempts(self, prefix: Prefix, method: Method) -> tuple[list[Draft] | None, list[str]]:
        """Try calls of the method after the prefix; return the calls up to one that returned, else None and errors."""
        errors: list[str] = []
        tried: set[str] = set()
        for draft, calls in self._calls(prefix, method):
            if draft.call.source in tried:
                continue
            tried.add(draft.call.source)
            outcome = self._run(calls, draft)
            if outcome is None:
                break
            if outcome.status == "ok" and len(set(draft.call.args)) < len(draft.call.args):
                continue  # equal arguments, as in exchanging a thing with itself, prove little
            if outcome.status == "ok":
                self._sequences.knowledge.learn(method.name, outcome)
                self._sequences.returned(calls.drafts[0], method.name)
                return [*calls.drafts, draft], []
            if outcome.status != "raised":
                break
            errors.append(f"{outcome.exception}: {_ADDRESSES.sub('', outcome.message)}")
        return None, errors

    def _calls(self, prefix: Prefix, method: Method) -> Iterator[tuple[Draft, Prefix]]:
        """Yield calls of the method, each with its prefix, to which the calls that make its arguments were added."""
        calls = Prefix(list(prefix.drafts), prefix.scene.copy())
        draft = self._sequences.write(method, calls, same=True)
        if draft is None:
            return
        yield draft, calls
        required = [at for at, each in enumerate(method.parameters) if each.required or each.kind == "varargs"]
        left = _left_behind(prefix)[:_FOUND]
        if required and len(prefix.drafts) > 1:  # what the calls have put into the state
            left += [each for each in self._revealed(prefix)[:_FOUND] if each not in left]
        for at in required[:_PARAMETERS]:
            if at < len(draft.call.args):
                for text in left:
                    args = (*draft.call.args[:at], text, *draft.call.args[at + 1 :])
                    yield replace(draft, call=replace(draft.call, args=args), drawn=(), shown=()), calls
        if (alike := _given_the_same(prefix.drafts[-1], method, draft)) is not None:
            yield alike, calls
        if method.parameters:
            again = Prefix(list(prefix.drafts), prefix.scene.copy())
            other = self._sequences.write(method, again, apart=True)
            if other is not None:
                yield other, again

    def _others(self, method: Method, error: str) -> list[Method]:
        """Return the methods that may bring about the state that a method needs, the most likely first."""
        sequences = self._sequences
        uses = sequences.catalogue.uses
        mine = frozenset(uses.get(method.name, ()))
        words = set(re.findall(r"[a-z]+", error.lower()))

        def rank(other: Method) -> tuple[int, int, int, int, int]:
            record = sequences.knowledge.of(other.name)
            never = record.succeeded == 0  # it may need a state itself
            named = other.name.strip("_").lower() in words or bool(words & set(other.name.lower().split("_")))
            shared = len(mine.intersection(uses.get(other.name, ())))
            return never, -named, -record.changes_state, -min(shared, 3), len(other.parameters)

        usable = [
            each for each in sequences.catalogue.methods
            if each.name != method.name and not each.of and self._may_return(each)
        ]  # fmt: skip
        return sorted(usable, key=rank)

    def _may_return(self, method: Method) -> bool:
        record = self._sequences.knowledge.of(method.name)
        return not record.endless and not record.blocks

    def _run(self, prefix: Prefix, draft: Draft) -> CallOutcome | None:
        """Return the outcome of a call after a prefix; None if it was not reached or the limit of runs is used up."""
        if self._of_method <= 0:
            return None
        self._of_method -= 1
        self._left -= 1
        drafts = [*prefix.drafts, draft]
        outcomes = self._sequences.tried(drafts)
        return outcomes[-1] if len(outcomes) == len(drafts) else None


def _needs_variables(text: str) -> bool:
    """Return whether an argument stands for something that only the calls before it have made."""
    return not is_literal(text) and bool(_VARIABLES.search(text))


def _with_keywords(method: Method, draft: Draft) -> Iterator[Draft]:
    """Yield the call, and if the method takes any keywords, the call with one."""
    yield draft
    if any(each.kind == "varkeywords" for each in method.parameters):
        yield replace(draft, call=replace(draft.call, kwargs=(*draft.call.kwargs, ("a", "1"))))


def _given_the_same(before: Draft, method: Method, draft: Draft) -> Draft | None:
    """Return the call with exactly the arguments of the one before it; None if that lacks a parameter, or has only one.

    What was made of several things is mostly found again by all of them.
    """
    told = len(before.names) == len(before.shown)  # not if an argument was put in by hand
    known = dict(zip(before.names, before.shown, strict=True)) if told else {}
    given = [each for each in method.parameters if each.name in known]
    if len(given) < 2 or any(each.required and each not in given for each in method.parameters):
        return None
    args = [known[each.name] for each in given if each.kind != "keyword"]
    named = [(each.name, known[each.name]) for each in given if each.kind == "keyword"]
    leading = [each.name for each in method.parameters if each.kind != "keyword"][: len(args)]
    if leading != [each.name for each in given if each.kind != "keyword"]:
        return None
    return replace(draft, call=replace(draft.call, args=tuple(args), kwargs=tuple(named)), drawn=(), shown=())


def _left_behind(prefix: Prefix) -> list[str]:
    """Return the results (with parts of them) and the arguments of the calls of a prefix, the latest first."""
    found: list[str] = []
    for draft in reversed(prefix.drafts[1:]):
        call = draft.call
        if call.method == ARGUMENT:
            continue
        if call.result in prefix.scene.results:
            found.append(call.result)
            parts = _OF_RESULT.get(prefix.scene.results[call.result], ())
            found += [each.format(call.result) for each in parts]
        found += [*call.args, *(value for _, value in call.kwargs)]
    return [each for each in dict.fromkeys(found) if each != RECEIVER]
