"""Explain a finding: its cause, the lock to hold, and the builds that show it, as sentences for terminal and page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from plait.judge.oracle.protection import OF_LOCKS, protection
from plait.model.finding import AccessStep, Finding, function_shown

CAUSE, AROUND, WHERE = "cause", "around", "where"
"""The topic of a sentence: the fault itself, or further facts."""
_MOST = 5  # other methods that are named


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
    "Listener": "a function that calls the object back",
    "Partner": "an object that takes every call",
    "Recorder": "a function that notes its calls",
    "Standin": "an object with the parts that the code uses of it",
    "Thing": "a class without anything",
    "Told": "a function that notes whether its result is used",
    "counting": "a generator of a few numbers",
    "failing": "a function that always raises",
    "fresh": "a function that returns a new object each time",
    "implemented": "it fills in what an abstract class or a Protocol leaves open",
    "sample_file": "it names a file that exists",
    "wsgi_environ": "what a WSGI server gives to an application",
}
"""Explanations of the stand-ins that tests use for arguments without a description."""
_NAME = re.compile(r"[^\W\d]\w*")
_FROM = "from plait.generate.callables import "


def _stand_ins(finding: Finding) -> list[str]:
    """Return an explanation of the names in a test that come from plait."""
    if finding.test is None:
        return []
    imports = [line.removeprefix(_FROM) for line in finding.test.imports if line.startswith(_FROM)]
    names = dict.fromkeys(name.strip() for line in imports for name in line.split(","))
    # A smaller test may no longer call what it imports.
    called = {name for call in (*finding.test.prefix, *finding.test.calls) for name in _NAME.findall(call.source)}
    known = [f"`{name}` ({STAND_INS[name]})" for name in names if name in STAND_INS and name in called]
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
        return []  # the report has said already which thread waits for which lock
    lines = [f"{finding.raised}."] if finding.raised else []
    gap = finding.gap
    lacking = None if gap is None else protection(gap, finding.race or (), finding.interleaving, finding.raised_at)
    if lacking is not None and lacking.waits:
        return [*lines, lacking.sentence]
    if finding.race:
        lines.append(race_sentence(finding.race, finding.interleaving))
    if lacking is not None:
        lines.append(lacking.sentence)
    guard = finding.guard
    if guard is not None:
        total = guard.guarded + len(guard.unguarded)
        places = ", ".join(_short(place) for place in guard.unguarded[:4])
        held = f"`{guard.field}` is accessed under `{guard.lock}` at {guard.guarded} of {total} places"
        lines.append(f"Guard: {held}; not at {places}.")
    if finding.race and gap is None and guard is None and not any(step.verb in OF_LOCKS for step in finding.race):
        lines.append(_uncovered(finding.race))
    return lines


def race_sentence(race: Sequence[AccessStep], interleaving: Sequence[AccessStep] = ()) -> str:
    """Return the sentence about the conflicting accesses; it names files if there are several."""
    several = len({step.file for step in (*race, *interleaving) if step.line and step.is_in_a_file}) > 1
    said = (f"{step.access} at {_line(step, several)} (thread {step.thread})" for step in race)
    return f"Race: {' and '.join(said)}."


def _line(step: AccessStep, several: bool) -> str:
    if not step.is_in_a_file and step.code:  # its line numbers are those of no file
        return f"`{step.code}`"
    return f"{Path(step.file).name}:{step.line}" if several else f"line {step.line}"


def _uncovered(race: Sequence[AccessStep]) -> str:
    """Return what has to run under one lock, where no single function was interrupted between two of its lines."""
    places = " and ".join(dict.fromkeys(f"{_line(step, several=False)} in {_function(step)}" for step in race))
    common = set.intersection(*(set(step.locks) for step in race))
    said = f"each holds {', '.join(sorted(common))} for itself" if common else "no lock covers both accesses"
    return f"Not under one lock: {places}; {said}."


def _function(step: AccessStep) -> str:
    """Return the function of a step: the maker of a generated method, such as a dataclass's, tells a reader nothing."""
    if step.is_in_a_file:
        return f"`{function_shown(step.function)}`"
    return f"the generated `{step.function.rpartition('<locals>.')[2]}`"


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
