"""Describes differences in plain words, and classifies them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from plait.judge.difference.behaviour import Difference, Explored, readings
from plait.judge.difference.outcome import Attribute, Outcome, atoms
from plait.judge.oracle.specification import CallResult
from plait.judge.words import plain, shown_result, telling_attributes
from plait.model.finding import Effect
from plait.model.test import Test
from plait.run.engine import FINISHED_RUN
from plait.subject.changes.change import Side

FIXED = "Fixed by this change:"  # behaviour that only the old version has
_MANY = 4


def difference_summary(side: Side, effect: Effect, test: Test) -> str:
    """Return one sentence that says what only one version can do."""
    names = list(dict.fromkeys(f"`{call.method}`" for call in test.calls))
    together = " and ".join(names) if len(names) > 1 else f"two calls of {names[0]}"
    head = "after the change" if side == "new" else FIXED
    return f"{head} {effect}, when {together} run at the same time"


def difference_effect(
    side: Side, kind: Kind, outcome: Outcome, others: Collection[Outcome], test: Test, probes: Sequence[str]
) -> Effect:
    """Return what only one version can do; ``others`` are the outcomes of the other version."""
    calls, telling = test.calls, telling_in((outcome, *others))
    doers = " and ".join(dict.fromkeys(f"`{call.method}`" for call in calls))
    if kind[0] == "deadlock":
        waiting = [f"`{calls[n].method}`" for n, result in enumerate(outcome.results) if result[0] == "unfinished"]
        return Effect(" and ".join(dict.fromkeys(waiting)), "wait for ever")
    if kind[0] == "hang":
        return Effect("the calls", "go on for ever")
    position = odd_call(outcome, others)
    if position is not None:
        result = outcome.results[position]
        said, before = _odd(result, list(dict.fromkeys(other.results[position] for other in others)), telling)
        return Effect(f"`{calls[position].method}`", _infinitive(said), _otherwise(side, before))
    if kind[0] == "answers":
        number = next(
            (n for n, answer in enumerate(outcome.answers) if all(_at(each.answers, n) != answer for each in others)), 0
        )
        answer, before = _odd(outcome.answers[number], [_at(each.answers, number) for each in others], telling)
        return Effect(doers, f"leave a state in which `{probes[number]}` {answer}", _otherwise(side, before))
    if kind[0] == "state":
        return _left(side, outcome, others, doers, telling)
    if kind[0] == "passing":
        return _seen(side, outcome, others, test)
    if kind[0] == "objects":
        before = [_one(other) for other in others if other.results == outcome.results]
        return Effect(doers, f"return {_one(outcome)}", _otherwise(side, before))
    given = [shown_result(each, telling) for each in outcome.results]
    alike = len(given) > 1 and len({*given}) == len({call.method for call in calls}) == 1
    if alike and given[0].startswith(("returns ", "raises ")):
        count = "both" if len(given) == 2 else "all"
        return Effect(f"{count} calls of `{calls[0].method}`", _infinitive(given[0]))
    said = " and ".join(f"`{call.method}` {each}" for call, each in zip(calls, given, strict=True))
    return Effect("", f"it can happen together that {said}")


def _one(outcome: Outcome) -> str:
    return "different objects" if len(set(outcome.objects) - {None}) > 1 else "one object"


def _at(results: Sequence[CallResult], number: int) -> CallResult:
    return results[number] if number < len(results) else ("unfinished",)


def _left(
    side: Side, outcome: Outcome, others: Collection[Outcome], doers: str, telling: Collection[Attribute]
) -> Effect:
    """Return what is new about the final state: one attribute if there is one, otherwise a combination."""
    mine = _attributes(outcome)
    known: dict[str, list[Any]] = {}
    for other in others:
        for path, value in _attributes(other).items():
            known.setdefault(path, []).append(value)
    odd = [path for path, value in mine.items() if value not in known.get(path, [])]
    if odd:
        path = min(odd, key=lambda each: (each.count("."), isinstance(mine[each], tuple), len(each), each))
        before = [plain(value, telling) for value in known.get(path, ())]
        return Effect(doers, f"leave {path} {plain(mine[path], telling)}", _otherwise(side, before))
    changing = [path for path in mine if len(set(known.get(path, []))) > 1]
    parts = " with ".join(f"{path} {plain(mine[path], telling)}" for path in changing[:3])
    return Effect(doers, f"leave {parts}" if parts else "leave a state that was impossible")


def _attributes(outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, value in enumerate(outcome.state or ()):
        for path, held in atoms(value):
            found.setdefault(path if number == 0 else f"{path} of argument {number}", held)
    return found


def _seen(side: Side, outcome: Outcome, others: Collection[Outcome], test: Test) -> Effect:
    known = {reading for other in others for reading in readings(other)}
    position, path, value = next(reading for reading in readings(outcome) if reading not in known)
    before = [plain(each[2]) for each in known if each[:2] == (position, path)]
    method = test.calls[position].method
    return Effect(path, f"be {plain(value)} when `{method}` has returned", _otherwise(side, before))


def _otherwise(side: Side, texts: Collection[str]) -> str:
    """Return the usual values, if the text is short enough."""
    known = sorted(dict.fromkeys(texts))
    if not known or len(known) > _MANY or sum(map(len, known)) > 120:
        return ""
    return f"{'before' if side == 'new' else 'now'}: {' or '.join(known)}"


def _odd(result: CallResult, others: Sequence[CallResult], telling: Collection[Attribute]) -> tuple[str, list[str]]:
    """Return a result and the others as text; if an attribute of the object alone is odd, only that one."""
    texts = [shown_result(each) for each in others]
    said = shown_result(result)
    if said in texts and result[0] == "returned":
        mine = dict(atoms(result[1]))
        theirs = [dict(atoms(each[1])) for each in others if each[0] == "returned"]
        odd = [path for path, value in mine.items() if all(each.get(path) != value for each in theirs)]
        if odd and odd != ["content"]:
            path = min(odd, key=lambda each: (len(each), each))
            before = [plain(each[path], telling) for each in theirs if path in each]
            return f"{said} with {path} {plain(mine[path], telling)}", before
    return shown_result(result, telling), [shown_result(each, telling) for each in others]


def _infinitive(said: str) -> str:
    for verb, plural in (("raises", "raise"), ("returns", "return")):
        if said.startswith(verb):
            return plural + said.removeprefix(verb)
    return said


def telling_in(outcomes: Iterable[Outcome]) -> frozenset[Attribute]:
    """Return the attributes that tell outcomes apart where their objects have the same text."""
    places: dict[Any, dict[Any, None]] = {}
    for outcome in outcomes:
        for what, results in (("call", outcome.results), ("answer", outcome.answers)):
            for number, result in enumerate(results):
                if result[0] == "returned":
                    places.setdefault((what, number), {})[result[1]] = None
        for path, value in _attributes(outcome).items():
            places.setdefault(path, {})[value] = None
    return frozenset().union(*map(telling_attributes, places.values()))


def described(
    outcome: Outcome, test: Test, probes: Sequence[str] = (), telling: Collection[Attribute] = ()
) -> dict[str, Any]:
    """Return an outcome for the result file: each call's result, the final state, the answers of further calls."""
    found: dict[str, Any] = {"calls": {}, "status": outcome.status}
    for number, (call, result) in enumerate(zip(test.calls, outcome.results, strict=True)):
        found["calls"][f"{number + 1}: {call.expression}"] = shown_result(result, telling)
        if outcome.exits and outcome.exits[number]:
            found.setdefault("at_exit", {})[f"{number + 1}: {call.expression}"] = {
                path: plain(value, telling) for path, value in atoms(outcome.exits[number][0]) if not _is_lock(value)
            }
    if outcome.state is not None:
        state = _attributes(outcome).items()
        found["state"] = {path: plain(value, telling) for path, value in state if not _is_lock(value)}
    if outcome.objects:
        found["objects"] = _one(outcome)
    if outcome.answers:
        answers = zip(probes, outcome.answers, strict=False)
        found["afterwards"] = {text: shown_result(answer, telling) for text, answer in answers}
    return found


def _is_lock(value: Any) -> bool:
    return type(value) is tuple and value[:1] == ("primitive",)


# -- kinds of differences ----------------------------------------------------------------------------------------------


Kind = tuple[str, ...]
_ORDER = ("deadlock", "hang", "raised", "returned", "objects", "state", "answers", "combination", "passing")


def difference_kind(outcome: Outcome, others: Collection[Outcome]) -> Kind:
    """Return what is new about an outcome: ``deadlock``, ``raised`` with the exception, ``returned``, ``state``...

    ``combination`` means that every result by itself is known, but not all of them together. ``objects`` means that the
    results are known, but come from different objects instead of one, or the reverse.
    """
    if outcome.status != FINISHED_RUN:
        return (outcome.status,)
    position = odd_call(outcome, others)
    if position is not None:
        result = outcome.results[position]
        return ("raised", result[1]) if result[0] == "raised" else ("returned",)
    if all(other.results != outcome.results for other in others):
        return ("combination",)
    if all((other.results, other.objects) != (outcome.results, outcome.objects) for other in others):
        return ("objects",)
    if all(other.answers != outcome.answers for other in others):
        return ("answers",)
    if all(other.state != outcome.state for other in others):
        return ("state",)
    return ("passing",) if outcome.exits else ("combination",)


def odd_call(outcome: Outcome, others: Collection[Outcome]) -> int | None:
    """Return the first call whose result occurs in no other outcome at this position, exceptions before values."""
    odd = [
        position
        for position, result in enumerate(outcome.results)
        if all(other.results[position] != result for other in others)
    ]
    return min(odd, key=lambda position: (outcome.results[position][0] != "raised", position), default=None)


def rank(kind: Kind) -> tuple[int, Kind]:
    """Return a sort key: the gravest kinds come first."""
    return (_ORDER.index(kind[0]) if kind[0] in _ORDER else len(_ORDER), kind)


def showing(difference: Difference, old: Explored, new: Explored) -> tuple[Side, Outcome, Kind]:
    """Return the outcome to report: of the new version if possible, of the gravest kind, with fewest preemptions."""
    if difference.only_new:
        return ("new", *_gravest(difference.only_new, old, new))
    return ("old", *_gravest(difference.only_old, new, old))


def _gravest(outcomes: Sequence[Outcome], others: Explored, mine: Explored) -> tuple[Outcome, Kind]:
    kinds = [(difference_kind(each, others.outcomes), each) for each in outcomes]
    kind, outcome = min(kinds, key=lambda pair: (rank(pair[0]), mine.outcomes[pair[1]].preemptions))
    return outcome, kind
