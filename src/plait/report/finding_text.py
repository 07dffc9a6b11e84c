"""One finding for the terminal: what happens, the test, the interleaving, why, and how to see it again.

The findings of `plait check` and `plait diff` are told here; what they have in common is said in the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plait.model.finding import AccessStep, Finding
from plait.report.interleaving import table
from plait.report.layout import SCREEN, Layout, Line, Span, indented, prose

_MOST = 5  # other methods that are named
_SHORT_MESSAGE = 60  # characters of what an exception says
INDENT = 2
_OF_LOCKS = ("acquire", "release", "find busy", "wait", "notify")  # steps that touch no data


def finding_lines(finding: Finding, layout: Layout, number: int = 1, total: int = 1) -> list[Line]:
    """Return one finding of `plait check`, on one screen unless everything is wanted."""
    head = f"[{number}/{total}] " if total > 1 else ""
    before = [*prose(f"{head}{title_of(finding)}", layout, "bad", hang=4), [], *test_lines(finding, layout)]
    after = [*waiting_lines(finding, layout), *why_lines(finding, layout)]
    if finding.reproducer is not None:
        after += prose(f"Regression test: {finding.reproducer}", layout, indent=INDENT)
    return told(finding, layout, before, f"What happens, with {preemptions_of(finding)}:", after)


def title_of(finding: Finding) -> str:
    """Return the summary, with what an exception says if that is short."""
    named = f"can raise {finding.exception}"
    message, _, _where = finding.raised.removeprefix(f"{finding.exception}: ").partition(", raised at ")
    is_said = finding.raised.startswith(f"{finding.exception}: ") and 0 < len(message) <= _SHORT_MESSAGE
    return f"{finding.summary}: {message}" if is_said and finding.summary.endswith(named) else finding.summary


def told(finding: Finding, layout: Layout, before: Sequence[Line], title: str, after: Sequence[Line]) -> list[Line]:
    """Return a finding with its interleaving in the middle, which gets the lines that the rest leaves."""
    if not finding.interleaving:
        return [*before, *after]
    lines = [*before, [Span(" " * INDENT), Span(title, "title")]]
    room = SCREEN - len(lines) - len(after) - 1
    drawn = table(
        finding.interleaving, names=thread_names(finding), racing=finding.race or (), layout=layout.within(INDENT),
        height=room,
    )  # fmt: skip
    return [*lines, *indented(drawn, INDENT), [], *after]


def preemptions_of(finding: Finding) -> str:
    """Return how often a thread is interrupted that could go on."""
    return f"{finding.preemptions} preemption{'' if finding.preemptions == 1 else 's'}"


def test_lines(finding: Finding, layout: Layout) -> list[Line]:
    """Return the calls of the test, and an empty line."""
    if finding.test is None:
        return []
    lines: list[Line] = []
    for call in finding.test.prefix:
        lines += prose(call.source, layout, indent=INDENT + 2, hang=4)
    for thread, suffix in enumerate(finding.test.suffixes, 1):
        calls = "; ".join(call.source for call in suffix)
        lines += prose(f"thread {thread}: {calls}", layout, indent=INDENT + 2, hang=4)
    return [*lines, []]


def thread_names(finding: Finding) -> dict[int, str]:
    """Return what each thread does, as its title in the interleaving."""
    suffixes = finding.test.suffixes if finding.test is not None else ()
    return {thread: "; ".join(call.source for call in suffix) for thread, suffix in enumerate(suffixes, 1)}


def waiting_lines(finding: Finding, layout: Layout) -> list[Line]:
    """Return who waits for whom."""
    lines: list[Line] = []
    for text in finding.waiting:
        deeper = len(text) - len(text.lstrip())
        lines += prose(text.lstrip(), layout, "why", indent=INDENT + deeper)
    return lines


def why_lines(finding: Finding, layout: Layout) -> list[Line]:
    """Return what is known about the cause, and where it can happen."""
    lines: list[Line] = []
    if finding.expected and finding.kind != "deadlock":
        said = f"One after the other, the call {' or '.join(finding.expected[:4])}."
        lines += prose(said, layout, indent=INDENT)
    for text in _causes(finding):
        lines += prose(text, layout, "why", indent=INDENT)
    for text in (*_related(finding), *_where(finding)):
        lines += prose(text, layout, indent=INDENT)
    return lines


def _causes(finding: Finding) -> list[str]:
    if finding.kind == "deadlock" and finding.waiting:
        return []  # who holds what and wants what has been said
    lines = [f"{finding.raised}."] if finding.raised else []
    wait = _early_wait(finding)
    if wait is not None:
        where = f"wait() at line {wait.line} of {Path(wait.file).name}, in `{wait.function}`"
        lines.append(
            f"Not tested again: {where}, lets other threads change what was tested before it. Test it again when "
            "wait() returns: `while`, not `if`."
        )
        return lines
    if finding.race:
        several = len({step.file for step in (*finding.race, *finding.interleaving) if step.line}) > 1
        said = (f"{step.access} at {_line(step, several)} (thread {step.thread})" for step in finding.race)
        lines.append(f"Race: {' and '.join(said)}.")
    gap = finding.gap
    if gap is not None:
        # The end of a `with` is at its first line, that of a round at the head of its loop.
        which = (
            f"line {gap.line}"
            if gap.line == gap.end
            else f"lines {min(gap.line, gap.end)} and {max(gap.line, gap.end)}"
        )
        where = f"{which} of {Path(gap.file).name}, in `{gap.function}`"
        lock = _lock_of_others(finding, gap.thread)
        lines.append(f"Not atomic: {where}, must run under {lock} (thread {gap.thread} is interrupted there).")
    guard = finding.guard
    if guard is not None:
        total = guard.guarded + len(guard.unguarded)
        places = ", ".join(_short(place) for place in guard.unguarded[:4])
        held = f"`{guard.field}` is accessed under `{guard.lock}` at {guard.guarded} of {total} places"
        lines.append(f"Guard: {held}; not at {places}.")
    if finding.race and gap is None and guard is None and not any(step.verb in _OF_LOCKS for step in finding.race):
        lines.append(_uncovered(finding.race))
    return lines


def _line(step: AccessStep, several: bool) -> str:
    return f"{Path(step.file).name}:{step.line}" if several else f"line {step.line}"


def _lock_of_others(finding: Finding, interrupted: int) -> str:
    """Return the lock that has to be held: the one under which the other thread's access was made, if it is one."""
    others = {step.locks for step in finding.race or () if step.thread != interrupted}
    held = others.pop() if len(others) == 1 else ()
    mine = {lock for step in finding.race or () if step.thread == interrupted for lock in step.locks}
    if len(held) != 1 or held[0] in mine:
        return "one lock"
    return f"`{held[0]}`, as the other access does"


def _early_wait(finding: Finding) -> AccessStep | None:
    """Return the wait for a notification that the interrupted thread was in, and did not test again after."""
    gap = finding.gap
    if gap is None or not any(step.verb in _OF_LOCKS for step in finding.race or ()):
        return None
    waits = (step for step in finding.interleaving if step.verb == "wait")
    return next((step for step in waits if (step.thread, step.line) == (gap.thread, gap.line)), None)


def _uncovered(race: Sequence[AccessStep]) -> str:
    """Return what has to run under one lock, where no single function was interrupted between two of its lines."""
    places = " and ".join(dict.fromkeys(f"line {step.line} in `{step.function}`" for step in race))
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
        said = "Only on free-threaded builds: no switch that the GIL allows leads to it."
        confirmed = " Confirmed on OS threads that are held at these steps, where the GIL would not let them switch."
    elif finding.reachable:
        said = "On free-threaded builds; whether a GIL build can show it was not decided."
    else:
        return []
    if finding.confirmed_on_threads:
        said += confirmed
    return [said, *([finding.seen_in_parallel.sentence()] if finding.seen_in_parallel is not None else [])]
