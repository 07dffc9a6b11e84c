"""One finding for the terminal: what happens, the test, the interleaving, why, and how to see it again."""

from __future__ import annotations

from pathlib import Path

from plait.model.finding import Finding
from plait.report.interleaving import WIDTH, as_text, table

_MOST = 5  # other methods that are named


def finding_text(finding: Finding, number: int = 1, total: int = 1) -> str:
    """Plain text, at most 100 columns wide where the code allows it."""
    head = f"[{number}/{total}] " if total > 1 else ""
    lines = [f"{head}{finding.summary}", ""]
    if finding.test is not None:
        lines += ["  First, one after the other:"]
        lines += [f"      {call.source}" for call in finding.test.prefix]
        for thread, suffix in enumerate(finding.test.suffixes, 1):
            lines.append(f"  Then thread {thread}:")
            lines += [f"      {call.source}" for call in suffix]
        lines.append("")
    if finding.interleaving:
        switches = "switch" if finding.preemptions == 1 else "switches"
        lines.append(f"  What happens, with {finding.preemptions} forced {switches}:")
        drawn = as_text(table(finding.interleaving, names=_names(finding), width=WIDTH - 2))
        lines += [f"  {line}" for line in drawn.splitlines()]
        lines.append("")
    lines += [f"  {line}" for line in finding.waiting]
    if finding.expected and finding.kind != "deadlock":
        lines.append(f"  One after the other, the call {' or '.join(finding.expected[:4])}.")
    lines += [f"  {line}" for line in _why(finding)]
    lines += [f"  {line}" for line in _where(finding)]
    if finding.reproducer is not None:
        lines.append(f"  Regression test: {finding.reproducer}")
    return "\n".join(lines)


def _names(finding: Finding) -> dict[int, str]:
    """Return what each thread does, as its column's title."""
    suffixes = finding.test.suffixes if finding.test is not None else ()
    return {thread: "; ".join(call.source for call in suffix) for thread, suffix in enumerate(suffixes, 1)}


def _why(finding: Finding) -> list[str]:
    lines = []
    if finding.race:
        first, second = finding.race
        lines.append(
            f"Race: {first['access']} at line {first['line']} (thread {first['thread']}) and "
            f"{second['access']} at line {second['line']} (thread {second['thread']})."
        )
    gap = finding.gap
    if gap is not None and gap["line"] != gap["end"]:
        between = f"between lines {gap['line']} and {gap['end']} of {Path(gap['file']).name}, in `{gap['function']}`"
        lines.append(f"Gap: {between} (thread {gap['thread']}), another thread gets in.")
    guard = finding.guard
    if guard is not None:
        total = guard["guarded"] + len(guard["unguarded"])
        places = ", ".join(f"{_short(place)}" for place in guard["unguarded"][:4])
        held = f"`{guard['field']}` is accessed under `{guard['lock']}` at {guard['guarded']} of {total} places"
        lines.append(f"Guard: {held}; not at {places}.")
    return [*lines, *_related(finding)]


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
    if gil is True:
        said = "Can happen today, on builds with the GIL as well as on free-threaded ones."
    elif gil is False:
        said = "Only on free-threaded builds: no switch that the GIL allows leads to it."
    elif finding.reachable:
        said = "On free-threaded builds; whether a GIL build can show it was not decided."
    else:
        return []
    if finding.confirmed_on_threads:
        said += " Confirmed on OS threads."
    return [said, *([finding.seen_in_parallel.sentence()] if finding.seen_in_parallel is not None else [])]
