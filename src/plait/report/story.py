"""The report of a failing test, from the error to the command that shows it again."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from plait.model.counted import counted
from plait.model.finding import AccessStep
from plait.model.outcome import Deadlock, Divergence, Hang, Raised
from plait.report.interleaving import table
from plait.report.layout import SCREEN, Layout, Line, Span, prose
from plait.report.why import race_sentence

if TYPE_CHECKING:
    from plait.judge.handwritten.verdict import Verdict
    from plait.model.outcome import Wait


def story(verdict: Verdict, layout: Layout = Layout()) -> list[Line]:  # noqa: B008 - immutable
    """Return the lines of a report on one verdict."""
    if verdict.passed:
        return prose(verdict.statement(), layout, "good")
    return story_lines(story_data(verdict), layout)


def story_data(verdict: Verdict) -> dict[str, Any]:
    """Return a failure as plain data, from which `story_lines` makes a report of any width."""
    outcome = verdict.outcome
    return {
        "head": outcome.summary() + _effort(verdict), "details": outcome.details(),
        "rows": [step.as_json() for step in verdict.rows], "race": [step.as_json() for step in verdict.race],
        "names": {str(number): name for number, name in verdict.names.items()},
        "ends": {str(number): text for number, text in _ends(verdict).items()}, "facts": _facts(verdict),
        "token": verdict.token,
    }  # fmt: skip


def story_lines(
    told: Mapping[str, Any],
    layout: Layout,
    *,
    test: str = "",
    again: str = 'Replay it: give explore the argument replay="{}"',
) -> list[Line]:
    """Return the lines of a report; ``test`` is its name, ``again`` says what to do with the schedule."""
    lines = prose(f"{test}: {told['head']}" if test else told["head"], layout, "bad")
    for entry in told["details"]:
        lines += [line for part in entry.split("\n") for line in prose(part, layout, indent=2 + _depth(part))]
    names, ends = ({int(number): text for number, text in told[key].items()} for key in ("names", "ends"))
    race, steps = ([AccessStep.from_json(row) for row in told.get(key, ())] for key in ("race", "rows"))
    facts = prose(race_sentence(race, steps), layout, "why") if race else []
    facts += [line for part in told["facts"] for line in prose(part, layout)]
    if told["token"] is not None:
        facts.append([Span(again.format(told["token"]))])  # in one line, to be copied
    if told["rows"]:
        room = SCREEN - len(lines) - len(facts) - 2
        lines += [[], *table(steps, names=names, ends=ends, racing=race, layout=layout, height=room)]
    return [*lines, [], *facts]


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())


def _effort(verdict: Verdict) -> str:
    if isinstance(verdict.outcome, Divergence):
        return ""
    count = verdict.preemptions
    return f" (with {counted(count, 'preemption')})"


def _ends(verdict: Verdict) -> dict[int, str]:
    """Return how the threads ended that did not end well."""
    outcome = verdict.outcome
    ends: dict[int, str] = {}
    waits: tuple[Wait, ...] = ()
    if isinstance(outcome, Raised):
        for failure in outcome.failures:
            message = f"{failure.exception}: {failure.message}" if failure.message else failure.exception
            ends[failure.thread] = f"raises {message}".partition("\n")[0]
        waits = outcome.waits
    elif isinstance(outcome, Hang):
        ends[outcome.thread] = f"loops for ever at line {outcome.loop.line}"
        waits = outcome.waits
    elif isinstance(outcome, Deadlock):
        waits = outcome.waits
    for wait in waits:
        ends[wait.thread] = f"waits at line {wait.at.line} for {wait.what}"
    return ends


def _facts(verdict: Verdict) -> list[str]:
    lines = []
    if verdict.reachable:
        lines.append(_reach(verdict))
    plural = "" if verdict.executions == 1 else "s"
    lines.append(f"Found after {verdict.executions} execution{plural} ({verdict.strategy}, {verdict.elapsed:.2f} s)")
    if verdict.confirmed_on_threads:
        lines[-1] += "; confirmed on OS threads"
    elif verdict.confirmed_on_threads is False:
        lines[-1] += "; NOT confirmed on OS threads"
    if verdict.lost is not None:
        lines.append(f"The schedule no longer fits the code: {verdict.lost}")
    if verdict.left:
        lines.append(f"Not under control: {', '.join(verdict.left)}")
    return lines


def _reach(verdict: Verdict) -> str:
    here = f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}"
    gil = verdict.reachable.get("gil")
    if gil:
        return f"Can happen today: on builds with a GIL ({here}) as well as on free-threaded ones"
    if gil is False:
        return f"Only on free-threaded builds: no schedule that {here} with its GIL allows fails"
    return f"On free-threaded builds; no schedule with the GIL of {here} was found in the budget"
