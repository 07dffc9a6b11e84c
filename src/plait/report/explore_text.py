"""The result of ``plait explore`` as people read it."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.model.result import Result

_REPLAY = re.compile(r'replay it with replay="([^"]+)"')  # what the story of a test says to a program


def explore_text(result: Result) -> str:
    """The failing interleavings, then what was done and how far it reaches."""
    lines: list[str] = []
    for story in stories(result):
        lines += [story, ""]
    notes = [f"note: {note}" for note in result.notes if note != result.more.get("reason")]
    return "\n".join([*lines, *explore_statement(result), *notes])


def stories(result: Result) -> list[str]:
    """The failing interleavings, each with its test and the command that runs it again."""
    found = []
    for test, story in zip(result.more.get("failed", ()), result.more.get("stories", ()), strict=True):
        command = f"replay it: pytest {shlex.quote(test)} --plait --plait-replay"
        text = _REPLAY.sub(lambda token, command=command: f"{command} {token[1]}", story)  # type: ignore[misc]
        found.append(f"{test}: {text}")
    return found


def explore_statement(result: Result) -> list[str]:
    """Return what was done and how far it reaches: a pass is evidence, so it says of what."""
    stats = result.stats
    tests = f"{stats['tests']} test{'s' if stats['tests'] != 1 else ''}"
    if result.verdict == "failure":
        said = f"{result.subject} fails: {len(result.findings)} of {tests} under some schedule."
    elif result.verdict == "inconclusive":
        said = f"{result.subject}: no conclusion, because {result.more['reason']}."
    else:
        runs = "runs on OS threads" if stats["search"] == "OS threads" else "schedules"
        said = f"{result.subject}: no failure in {stats['schedules']} {runs} of {tests}."
    covered = "no schedule is left" if stats["exhausted"] else "not all schedules were tried"
    bound = stats["preemption_bound"]
    within = "" if bound is None else f" within {bound} preemptions"
    done = (
        f"Search {stats['search']}: {stats['schedules']} schedules, {stats['transitions']} steps, "
        f"{stats['impacted_points']} places that the change can influence "
        f"({result.versions['old']} -> {result.versions['new']}); {covered}{within} ({result.elapsed_s:.1f} s)."
    )
    return [said, done]
