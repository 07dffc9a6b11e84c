"""Why a finding happens, what has to be held, and where it can happen: sentences for the terminal and the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plait.model.finding import AccessStep, Finding, Gap, function_shown

CAUSE, AROUND, WHERE = "cause", "around", "where"
"""What a sentence is about: the fault itself, or what else is known of it."""
_MOST = 5  # other methods that are named
_OF_LOCKS = ("acquire", "release", "find busy", "wait", "notify")  # steps that touch no data


def why_sentences(finding: Finding) -> list[tuple[str, str]]:
    """Return all sentences, each with what it is about."""
    alone = _one_after_the_other(finding)
    told = [(alone, AROUND)] if alone else []
    told += [(text, CAUSE) for text in _causes(finding)]
    told += [(text, AROUND) for text in (*_related(finding), *_stand_ins(finding))]
    return [*told, *((text, WHERE) for text in _where(finding))]


STAND_INS = {
    "BreakingDict": "a dictionary that cannot be read to its end",
    "BreakingList": "a list that cannot be read to its end",
    "Database": "a database in memory",
    "Partner": "an object that takes every call",
    "Recorder": "a function that notes its calls",
    "Standin": "an object with the parts that the code uses of it",
    "Thing": "a class without anything",
    "failing": "a function that always raises",
    "fresh": "a function that returns a new object each time",
    "implemented": "it fills in what an abstract class or a Protocol leaves open",
    "sample_file": "it names a file that exists",
}
"""What tests give for arguments that nobody describes, as readers of a finding have to know it."""
_FROM = "from plait.generate.callables import "


def _stand_ins(finding: Finding) -> list[str]:
    """Return what the names in a test mean that are neither the reader's nor Python's."""
    imports = finding.test.imports if finding.test is not None else ()
    names = [name.strip() for line in imports if line.startswith(_FROM) for name in line.removeprefix(_FROM).split(",")]
    known = [f"`{name}` ({STAND_INS[name]})" for name in dict.fromkeys(names) if name in STAND_INS]
    return [f"Given by plait for an argument: {', '.join(known)}."] if known else []


def _one_after_the_other(finding: Finding) -> str:
    if not finding.expected or finding.kind == "deadlock":
        return ""
    shown = finding.expected[:4]
    values = [text.removeprefix("returns ") for text in shown]
    returned = all(text.startswith("returns ") for text in shown)
    said = f"returns {' or '.join(values)}" if returned else " or ".join(shown)
    return f"One after the other, {f'`{finding.odd_call}`' if finding.odd_call else 'the call'} {said}."


def _causes(finding: Finding) -> list[str]:
    if finding.waits_for_itself:
        return ["A Lock cannot be taken twice by one thread: release it before that call, or make it an RLock."]
    if finding.kind == "deadlock" and finding.waiting:
        return []  # who holds what and wants what has been said
    lines = [f"{finding.raised}."] if finding.raised else []
    wait = _early_wait(finding)
    if wait is not None:
        where = f"wait() at line {wait.line} of {Path(wait.file).name}, in `{function_shown(wait.function)}`"
        lines.append(
            f"Not tested again: {where}, lets other threads change what was tested before it. Test it again when "
            "wait() returns: `while`, not `if`."
        )
        return lines
    if finding.race:
        lines.append(race_sentence(finding.race, finding.interleaving))
    gap = finding.gap
    if gap is not None:
        lines.append(protection(gap, finding.race or (), finding.interleaving).sentence)
    guard = finding.guard
    if guard is not None:
        total = guard.guarded + len(guard.unguarded)
        places = ", ".join(_short(place) for place in guard.unguarded[:4])
        held = f"`{guard.field}` is accessed under `{guard.lock}` at {guard.guarded} of {total} places"
        lines.append(f"Guard: {held}; not at {places}.")
    if finding.race and gap is None and guard is None and not any(step.verb in _OF_LOCKS for step in finding.race):
        lines.append(_uncovered(finding.race))
    return lines


def race_sentence(race: Sequence[AccessStep], interleaving: Sequence[AccessStep] = ()) -> str:
    """Return which accesses conflict; places name their file where there are several."""
    several = len({step.file for step in (*race, *interleaving) if step.line and step.is_in_a_file}) > 1
    said = (f"{step.access} at {_line(step, several)} (thread {step.thread})" for step in race)
    return f"Race: {' and '.join(said)}."


def _line(step: AccessStep, several: bool) -> str:
    return f"{Path(step.file).name}:{step.line}" if several else f"line {step.line}"


def _early_wait(finding: Finding) -> AccessStep | None:
    """Return the wait for a notification that the interrupted thread was in, and did not test again after."""
    gap = finding.gap
    if gap is None or not any(step.verb in _OF_LOCKS for step in finding.race or ()):
        return None
    waits = (step for step in finding.interleaving if step.verb == "wait")
    return next((step for step in waits if (step.thread, step.line) == (gap.thread, gap.line)), None)


def _uncovered(race: Sequence[AccessStep]) -> str:
    """Return what has to run under one lock, where no single function was interrupted between two of its lines."""
    places = " and ".join(dict.fromkeys(f"line {step.line} in `{function_shown(step.function)}`" for step in race))
    common = set.intersection(*(set(step.locks) for step in race))
    said = f"each holds {', '.join(sorted(common))} for itself" if common else "no lock covers both accesses"
    return f"Not under one lock: {places}; {said}."


def _related(finding: Finding) -> list[str]:
    """Return which other methods have to do with it."""
    lines = []
    if finding.through:
        lines.append(f"On the way: {', '.join(map(_method, finding.through[:_MOST]))}.")
    if finding.siblings:
        shown = [" with ".join(map(_method, names)) for names in finding.siblings[:_MOST]]
        more = f", and {len(finding.siblings) - _MOST} more" if len(finding.siblings) > _MOST else ""
        lines.append(f"The same shows in tests of {', '.join(shown)}{more}.")
    return lines


def _method(name: str) -> str:
    return f"`{name.rpartition('.')[2]}`"


def _short(place: str) -> str:
    file, _, line = place.rpartition(":")
    return f"{file.rpartition('/')[2]}:{line}"


def _where(finding: Finding) -> list[str]:
    gil = finding.reachable.get("gil")
    confirmed = " Confirmed on OS threads that switch at the same steps."
    if gil is True:
        said = "Can happen today, on builds with the GIL as well as on free-threaded ones."
    elif gil is False:
        said = "Only on free-threaded builds: no switch that the GIL allows leads to it in this test."
        confirmed = " Confirmed on OS threads that are held at these steps, where the GIL would not let them switch."
    elif finding.reachable:
        said = "On free-threaded builds; whether a GIL build can show it was not decided."
    else:
        return []
    if finding.confirmed_on_threads:
        said += confirmed
    return [said, *([finding.seen_in_parallel.sentence()] if finding.seen_in_parallel is not None else [])]


# -- protection --------------------------------------------------------------------------------------------------------
# Which lines have to run under which lock, as far as the locks held in the execution say it.


@dataclass(frozen=True, slots=True)
class Protection:
    """The lines that lack a lock, and its name; empty where no lock of the execution is the obvious one."""

    file: str
    function: str
    first: int
    last: int
    lock: str
    sentence: str


def protection(gap: Gap, race: Sequence[AccessStep], interleaving: Sequence[AccessStep]) -> Protection:
    """Return what lacks a lock: what was interrupted, or the access that did not respect the lock held meanwhile."""
    others = [step for step in race if step.thread != gap.thread]
    theirs = _common(others)
    ends = [_locks_at(gap, line, interleaving) for line in (gap.line, gap.end)]
    inside = _common([step for step in race if step.thread == gap.thread])
    throughout = [] if None in ends else [lock for lock in ends[0] or () if lock in (ends[1] or ())]
    who = f"(thread {gap.thread} is interrupted there)"
    where = _place(gap.file, gap.function, gap.line, gap.end)
    left_out = next((lock for lock in throughout if lock not in theirs), None)
    if left_out is not None and others and not theirs and others[0].is_in_a_file:
        other = others[0]
        there = _place(other.own_file, other.function, other.line, other.line)
        lines = _lines(gap.line, gap.end)
        held = f"`{left_out}`, which is held at {lines} in `{function_shown(gap.function)}`"
        said = f"Not under the lock: {there}, must run under {held} {who}."
        return Protection(other.own_file, other.function, other.line, other.line, left_out, said)
    lock, how = "", "one lock"
    both = [each for each in theirs if each in inside]
    one = next(iter(theirs), "") if len(theirs) == 1 else ""
    if both:
        lock, how = both[0], f"`{both[0]}` as a whole: each access takes it for itself"
    elif one:
        lock, how = one, f"`{one}`, as the other access does"
    else:
        once = [locks for locks in ends if locks]
        if len(once) == 1 and len(once[0]) == 1 and None not in ends:
            lock = once[0][0]
            how = f"`{lock}`, which is held at line {gap.end if ends[1] else gap.line} only"
    said = f"Not atomic: {where}, must run under {how} {who}."
    return Protection(gap.file, gap.function, min(gap.line, gap.end), max(gap.line, gap.end), lock, said)


def _common(steps: Sequence[AccessStep]) -> list[str]:
    """Return the locks that are held at all of these accesses."""
    return [lock for lock in steps[0].locks if all(lock in step.locks for step in steps)] if steps else []


def _locks_at(gap: Gap, line: int, interleaving: Sequence[AccessStep]) -> list[str] | None:
    """Return the locks that the interrupted thread holds at every access of a line; None if it makes none there."""
    here = [
        step for step in interleaving
        if (step.thread, step.own_file, step.line) == (gap.thread, gap.file, line) and step.verb not in _OF_LOCKS
    ]  # fmt: skip
    return _common(here) if here else None


def _place(file: str, function: str, line: int, end: int) -> str:
    return f"{_lines(line, end)} of {Path(file).name}, in `{function_shown(function)}`"


def _lines(line: int, end: int) -> str:
    # The end of a `with` is at its first line, that of a round at the head of its loop.
    return f"line {line}" if line == end else f"lines {min(line, end)} and {max(line, end)}"
