"""Groups findings: which ones have the same cause, and which are fixed at the same place in the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

from plait.judge.oracle.protection import protection
from plait.model.finding import AccessStep, Finding, function_shown


def cause(finding: Finding) -> str:
    """Return a key that is equal for findings with the same racing places or, without a race, the same methods.

    The key is the same text in every process. The function that is interrupted half-way is part of it: racing places
    may be in helpers that several methods share.
    """
    if finding.race:
        half_way = () if finding.gap is None else (function_shown(finding.gap.function),)
        return repr((finding.kind, finding.exception, sorted({_place(step) for step in finding.race}), *half_way))
    return repr((finding.kind, finding.exception, finding.methods))


def _place(step: AccessStep) -> tuple[str, str, str]:
    """Return where an access is, without the name of the version in the path: that changes with every commit."""
    return Path(step.own_file).name, function_shown(step.function), step.code


# -- groups ------------------------------------------------------------------------------------------------------------
# Which findings are fixed at the same place, and which of them a user sees first.
#
# A class without a lock may show dozens of findings that a few lines of code are to blame for. Findings form a group if
# the same code lacks protection: the function that was interrupted half-way or the one that does not take the lock held
# there, otherwise the functions that raced. Deadlocks form a group if the same locks are taken in several orders.


_STAND_INS = re.compile(r"\b(Recorder|Listener|Partner|Standin|implemented|Thing|fresh|lambda)\b")


def code_to_mend(finding: Finding) -> str:
    """Return a name for the code that lacks protection, equal for all findings that this code causes."""
    if finding.kind in ("deadlock", "difference") and finding.waiting:
        names = ", ".join(sorted(set(map(_short, finding.methods))))
        if _is_wake_up(finding):
            return f"waits and notifications in {names}"
        locks = _cycle(finding)
        return f"the order in which {' and '.join(locks)} are taken" if locks else f"locks taken by {names}"
    if finding.gap is not None:
        lacking = protection(finding.gap, finding.race or (), finding.interleaving, finding.raised_at)
        return f"{_file(lacking.file)}: {function_shown(lacking.function)}"
    if finding.race:
        places = sorted({f"{_file(step.file)}: {function_shown(step.function)}" for step in finding.race})
        return " and ".join(places)
    return " and ".join(sorted(set(map(_short, finding.methods)))) or finding.summary


def _is_wake_up(finding: Finding) -> bool:
    """Return whether a thread of a deadlock waits for a notification, and none for a lock that another thread holds."""
    told = {step.thread: step.verb for step in finding.interleaving}  # of the last step of each thread
    return "wait" in told.values() and "find busy" not in told.values()


def _cycle(finding: Finding) -> list[str]:
    """Return the names of the locks that stuck threads hold and want from each other; empty if one name has several.

    Locks of one name belong to several objects: which of these are taken in two orders depends on the methods.
    """
    last = {step.thread: step for step in finding.interleaving}
    stuck = [step for step in last.values() if step.verb == "find busy"]
    wanted = [step.place for step in stuck]
    held = {lock for step in stuck for lock in step.locks}
    return sorted(wanted) if len(set(wanted)) == len(wanted) > 1 and held.issuperset(wanted) else []


def effort_to_reach(finding: Finding) -> tuple[int, int]:
    """Return a sort key: findings with usual methods first, then those whose arguments occur in users' code, too."""
    calls = [] if finding.test is None else [*finding.test.prefix, *finding.test.calls]
    unusual = sum(_short(name).startswith("_") for name in finding.methods)
    return unusual, sum(len(_STAND_INS.findall(call.source)) for call in calls)


def grouped(findings: Iterable[Finding], weight: Callable[[Finding], Any]) -> list[Finding]:
    """Return the findings by group, the gravest group and the gravest member first. Sets ``group`` and ``mend``."""
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
# Other methods with the same fault: those that the shown methods call, and those that show the same race.


def names_of(methods: Iterable[str]) -> frozenset[str]:
    """Return method names without their class."""
    return frozenset(name.rpartition(".")[2] for name in methods)


def inside(finding: Finding, public: Collection[str]) -> list[str]:
    """Return public methods whose code runs in a finding because the methods that its test calls use them."""
    ran = {step.function.rpartition(".")[2] for step in finding.interleaving if "." in step.function}
    return _of_class(finding, (ran & set(public)) - names_of(finding.methods))


def other_methods(finding: Finding, seen: Iterable[frozenset[str]]) -> list[list[str]]:
    """Return further methods, and pairs of methods, that showed the race of a finding without its own methods."""
    kept = [names_of(finding.methods)]
    for names in sorted(seen, key=lambda each: (len(each), sorted(each))):
        if len(names) <= 2 and not any(names >= known for known in kept):
            kept.append(names)
    return [_of_class(finding, names) for names in kept[1:]]


def _of_class(finding: Finding, names: Iterable[str]) -> list[str]:
    owner = finding.methods[0].rpartition(".")[0] if finding.methods else ""
    return sorted(f"{owner}.{name}" for name in names)
