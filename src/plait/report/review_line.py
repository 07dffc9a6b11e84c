"""The verdict on one class in one line: what the change did, and what that means for safety and for speed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plait.judge.difference_words import FIXED

if TYPE_CHECKING:
    from collections.abc import Collection

    from plait.judge.performance_result import Comparison
    from plait.judge.review import Brought, ClassReview
    from plait.model.finding import Finding

_DEED = re.compile(r"after the change (?P<who>.+?) can (?P<what>.+?), when .+ run at the same time$")
_LONG = 140
_MOST = 3  # effects in one line


def line(review: ClassReview) -> str:
    """Without the class's name, and without a full stop."""
    brought = [each for each in review.brought() if each.command != "perf"][:_MOST]
    speed = _speed(review.perf)
    if not brought and review.verdict == "inconclusive":
        return f"no conclusion: {review.problem or _reasons(review)}"
    if not brought and speed is None:
        return _nothing(review)
    effects: dict[str, list[str]] = {}
    if speed is not None:
        method, said = speed
        effects.setdefault(cause(review, {method}), []).append(said)
    for each in brought:
        met = {name.rpartition(".")[2] for name in each.finding.methods}
        effects.setdefault(cause(review, met), []).append(deed(each))
    whole = "; ".join(f"{why} {' and '.join(said)}" for why, said in effects.items())
    return whole if brought else f"{whole}; {_behaviour(review)}"


def cause(review: ClassReview, methods: Collection[str] = ()) -> str:
    """What the change did, as far as the source says it: to a lock in one of ``methods``, if there is one."""
    if review.locks:
        met = [each for each in review.locks if not set(each.functions).isdisjoint(methods)]
        return f"{(met or review.locks)[0]} in this change"
    change = review.touched.change
    if change is None:
        return "this new class"
    names = sorted(change.direct_methods) or sorted({way[-1].partition(":")[2] for way in change.reasons.values()})
    if not names:
        return "this change"
    shown = ", ".join(f"`{name}`" for name in names[:2])
    return f"the change to {shown}{f' and {len(names) - 2} more' if len(names) > 2 else ''}"


def deed(brought: Brought) -> str:
    """What a finding lets happen: "lets `put` lose updates"."""
    every = [brought.finding, *brought.also]
    losing = next((each for each in every if _loses_updates(each)), None)
    if losing is not None:
        return f"lets {_writers(losing)} lose updates"
    finding = brought.finding
    if brought.command == "explore":
        return f"makes an existing test fail: {finding.summary}"
    said = _DEED.search(finding.summary)
    if said is not None and said["who"] != "it":  # else it is a combination of results, which is hard to read
        text = f"lets {said['who']} {said['what']}"
        return text if len(text) <= _LONG else re.sub(r" \(before: .*\)$", "", text)
    finding = next((each for each in brought.also if each.test is not None), finding)
    calls = _calls(finding)
    return {
        "exception": f"lets {calls} raise {finding.exception}",
        "deadlock": f"lets {calls} wait for each other for ever",
        "hang": f"lets {calls} go on for ever", "crash": "makes the process crash",
        "difference": f"lets {calls} give results together that they could not give before",
    }.get(finding.kind, f"lets {calls} end as no order of them does")  # fmt: skip


def _loses_updates(finding: Finding) -> bool:
    """Whether a thread overwrites what another one wrote after it had read: see the racing accesses."""
    race = finding.race or []
    if len(race) != 2 or finding.exception is not None or finding.kind in ("deadlock", "hang"):
        return False
    first, second = race
    (deed, thing), (other, same) = (str(row["access"]).split(" ", 1) for row in (first, second))
    if thing != same or not {deed, other} <= {"write", "insert"}:
        return False
    mine = [row["access"] for row in finding.interleaving if row["thread"] == second["thread"]]
    return f"read {thing}" in mine


def _writers(finding: Finding) -> str:
    """The methods of the racing accesses, as far as they are public, else those of the test."""
    functions = [str(row.get("function", "")).rpartition(".")[2] for row in finding.race or ()]
    names = [name for name in dict.fromkeys(functions) if name and not name.startswith("_")]
    return " and ".join(f"`{name}`" for name in names) or _methods(finding)


def _calls(finding: Finding) -> str:
    """The methods that meet; of a single one, its calls."""
    names = _methods(finding)
    return f"two calls of {names}" if len(set(finding.methods)) == 1 else names


def _methods(finding: Finding) -> str:
    names = list(dict.fromkeys(f"`{each.rpartition('.')[2]}`" for each in finding.methods)) or ["the class"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _speed(perf: Comparison | None) -> tuple[str, str] | None:
    """A method, and what became of it: "makes `get` 2.1x faster at 8 threads"."""
    if perf is None or perf.verdict not in ("regression", "improvement") or perf.speedup is None:
        return None
    best = perf.winning()[0]
    ratio = best.series(perf.scope).speedup(perf.confidence).mean
    factor, word = (ratio, "faster") if perf.verdict == "improvement" else (1 / ratio, "slower")
    changed = [name for name in best.methods if name in perf.focus] or best.methods
    return changed[0], f"makes `{changed[0]}` {factor:.1f}x {word} at {perf.threads} threads"


def _behaviour(review: ClassReview) -> str:
    """What is known about behaviour when nothing bad was found."""
    if review.mended:
        return _mended(review)
    if review.diff is not None and review.diff.verdict == "sequential-difference":
        return "results differ already without threads"
    told = [each for each in (review.diff, review.check) if each is not None and each.verdict != "inconclusive"]
    if told:
        return "no new behaviour under threads was found"
    return "behaviour was not compared"


def _mended(review: ClassReview) -> str:
    said = review.mended[0].summary.partition(f"{FIXED} ")[2]
    return f"it rules out that {said or 'threads do what they could do before'}"


def _nothing(review: ClassReview) -> str:
    """A pass is evidence, so it says of what."""
    done = []
    if review.diff is not None and review.diff.verdict != "inconclusive":
        done.append(f"{review.diff.stats['tests_generated']} tests compared")
    if review.check is not None and review.check.verdict != "inconclusive":
        done.append(f"{review.check.stats['tests']} tests of the new version")
    if review.explored:
        done.append(f"{sum(each.stats['tests'] for each in review.explored)} existing tests explored")
    if review.perf is not None and review.perf.verdict == "none":
        done.append(f"as fast as before at {review.perf.threads} threads")
    evidence = f" ({', '.join(done)})" if done else ""
    return f"{_behaviour(review)}{evidence}"


def _reasons(review: ClassReview) -> str:
    if review.untold:
        return "; ".join(review.untold)
    if review.perf is not None and review.perf.verdict == "inconclusive" and review.perf.reason:
        return review.perf.reason
    return review.notes[0] if review.notes else "no test could be run"
