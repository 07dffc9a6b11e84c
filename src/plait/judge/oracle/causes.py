"""Which findings are one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

from plait.model.finding import AccessStep, Finding, function_shown


def cause(finding: Finding) -> str:
    """Return findings with the same racing places, or the same methods, have one cause; the same text in every process.

    Where places are in helpers that several methods share, it is the function interrupted between them that counts.
    """
    if finding.race:
        half_way = () if finding.gap is None else (function_shown(finding.gap.function),)
        return repr((finding.kind, finding.exception, sorted({_place(step) for step in finding.race}), *half_way))
    return repr((finding.kind, finding.exception, finding.methods))


def _place(step: AccessStep) -> tuple[str, str, str]:
    """Return where an access is, without the version's name in it, which each commit changes."""
    return Path(step.own_file).name, function_shown(step.function), step.code


# -- groups ------------------------------------------------------------------------------------------------------------
# Which findings are mended in one place, and which of them a user meets first.
#
# A class without a lock may show dozens of findings that a few lines of code are to blame for. Findings are one group
# if the same code lacks protection: the function that was interrupted half-way, else the functions that raced.


_STAND_INS = re.compile(r"\b(Recorder|Partner|Standin|implemented|Thing|fresh|lambda)\b")


def code_to_mend(finding: Finding) -> str:
    """Return the code that lacks protection, as a name that is the same for all findings it is to blame for."""
    if finding.kind == "deadlock" and finding.waiting:
        names = ", ".join(sorted(set(map(_short, finding.methods))))
        return f"{'waits and notifications in' if _is_wake_up(finding) else 'locks taken by'} {names}"
    if finding.gap is not None:
        return f"{_file(finding.gap.file)}: {function_shown(finding.gap.function)}"
    if finding.race:
        places = sorted({f"{_file(step.file)}: {function_shown(step.function)}" for step in finding.race})
        return " and ".join(places)
    return " and ".join(sorted(set(map(_short, finding.methods)))) or finding.summary


def _is_wake_up(finding: Finding) -> bool:
    """Return whether some thread is left waiting for a notification, and none for a lock that another holds."""
    told = {step.thread: step.verb for step in finding.interleaving}  # the last step of each thread
    return "wait" in told.values() and "find busy" not in told.values()


def effort_to_reach(finding: Finding) -> tuple[int, int]:
    """Return how far a finding is from what users do: unusual methods first, then arguments that only a test gives."""
    calls = [] if finding.test is None else [*finding.test.prefix, *finding.test.calls]
    unusual = sum(_short(name).startswith("_") for name in finding.methods)
    return unusual, sum(len(_STAND_INS.findall(call.source)) for call in calls)


def grouped(findings: Iterable[Finding], weight: Callable[[Finding], Any]) -> list[Finding]:
    """Return the findings group by group, the gravest first in each and the gravest group first; `group` is set."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(code_to_mend(finding), []).append(finding)
    for members in groups.values():
        members.sort(key=weight)
    ordered = sorted(groups.items(), key=lambda item: weight(item[1][0]))
    for number, (code, members) in enumerate(ordered, 1):
        for finding in members:
            finding.group, finding.mend = number, code
    return [finding for _code, members in ordered for finding in members]


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _file(name: str) -> str:
    return Path(name).name


# -- siblings ----------------------------------------------------------------------------------------------------------
# Methods that share a fault: those that the shown ones call, and those that show the same race.


def names_of(methods: Iterable[str]) -> frozenset[str]:
    """Return methods without their class."""
    return frozenset(name.rpartition(".")[2] for name in methods)


def inside(finding: Finding, public: Collection[str]) -> list[str]:
    """Public methods whose code runs in the finding although its test does not call them: the shown ones wrap them."""
    ran = {step.function.rpartition(".")[2] for step in finding.interleaving if "." in step.function}
    return _of_class(finding, (ran & set(public)) - names_of(finding.methods))


def other_methods(finding: Finding, seen: Iterable[frozenset[str]]) -> list[list[str]]:
    """Return the methods, and pairs of them, that showed the finding's race by themselves, but for its own."""
    kept = [names_of(finding.methods)]
    for names in sorted(seen, key=lambda each: (len(each), sorted(each))):
        if len(names) <= 2 and not any(names >= known for known in kept):
            kept.append(names)
    return [_of_class(finding, names) for names in kept[1:]]


def _of_class(finding: Finding, names: Iterable[str]) -> list[str]:
    owner = finding.methods[0].rpartition(".")[0] if finding.methods else ""
    return sorted(f"{owner}.{name}" for name in names)
