"""The result of ``plait explore`` as text."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from plait.model.counted import counted
from plait.report.closing import closing_lines
from plait.report.layout import Layout, Line, fitted
from plait.report.story import story_lines

if TYPE_CHECKING:
    from plait.model.command_results import ExploreResult


def explore_text(result: ExploreResult, layout: Layout = Layout()) -> list[Line]:  # noqa: B008 - immutable
    """Return the failing interleavings, then what was tested and what it covers."""
    lines: list[Line] = []
    for story in failing_tests(result, layout):
        lines += [*story, []]
    return [*lines, *closing_lines(result, explore_statement(result), layout)]


def failing_tests(result: ExploreResult, layout: Layout) -> list[list[Line]]:
    """Return the failing interleavings, each with its test and the command that runs it again."""
    found = []
    for test, told in zip(result.more.get("failed", ()), result.stories, strict=True):
        if "head" in told:
            again = f"Replay it: pytest {shlex.quote(test)} --plait --plait-replay "
            found.append(story_lines(told, layout, test=test, again=again + "{}"))
        else:
            found.append(fitted(f"{test}: {told['text']}", layout))
    return found


def explore_statement(result: ExploreResult) -> list[str]:
    """Return what was tested and what it covers: a pass is evidence, so the statement says for what."""
    stats = result.stats
    tests = counted(stats["tests"], "test")
    if result.verdict == "failure":
        said = f"{result.subject} fails: {len(result.findings)} of {tests} under some schedule."
    elif result.verdict == "inconclusive":
        said = f"{result.subject}: no conclusion, because {result.reason}."
    else:
        run = ("run on OS threads", "runs on OS threads") if stats["search"] == "OS threads" else ("schedule",)
        said = f"{result.subject}: no failure in {counted(stats['schedules'], *run)} of {tests}."
    covered = "no schedule is left" if stats["exhausted"] else "not all schedules were tried"
    bound = stats["preemption_bound"]
    within = "" if bound is None else f" within {counted(bound, 'preemption')}"
    done = (
        f"Search {stats['search']}: {counted(stats['schedules'], 'schedule')}, "
        f"{counted(stats['transitions'], 'step')}, "
        f"{counted(stats['impacted_points'], 'place')} that the change can influence "
        f"({result.versions['old']} -> {result.versions['new']}); {covered}{within} ({result.elapsed_s:.1f} s)."
    )
    return [said, done]
