"""A failing test, told from what went wrong to how to see it again."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING

from plait.model.outcome import Deadlock, Divergence, Hang, Raised
from plait.report.interleaving import Line, Span, table

if TYPE_CHECKING:
    from plait.judge.handwritten.verdict import Verdict
    from plait.model.outcome import Wait


def story(verdict: Verdict) -> list[Line]:
    """Return the lines of a report on one verdict."""
    outcome = verdict.outcome
    if verdict.passed:
        return [[Span(verdict.statement(), "good")]]
    lines: list[Line] = [[Span(outcome.summary() + _effort(verdict), "bad")]]
    for entry in outcome.details():
        lines.extend([Span(f"  {part}")] for part in entry.split("\n"))
    if verdict.rows:
        lines += [[], *table(verdict.rows, names=verdict.names, ends=_ends(verdict))]
    lines += [[], *([Span(part)] for part in _facts(verdict))]
    return lines


def _effort(verdict: Verdict) -> str:
    if isinstance(verdict.outcome, Divergence):
        return ""
    count = verdict.preemptions
    return f" (with {count} preemption{'' if count == 1 else 's'})"


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
    lines.append(f"found after {verdict.executions} execution{plural} ({verdict.strategy}, {verdict.elapsed:.2f} s)")
    if verdict.confirmed_on_threads:
        lines[-1] += "; confirmed on OS threads"
    elif verdict.confirmed_on_threads is False:
        lines[-1] += "; NOT confirmed on OS threads"
    if verdict.lost is not None:
        lines.append(f"the schedule no longer fits the code: {verdict.lost}")
    if verdict.left:
        lines.append(f"not under control: {', '.join(verdict.left)}")
    if verdict.token is not None:
        lines.append(f'replay it with replay="{verdict.token}"')
    return lines


def _reach(verdict: Verdict) -> str:
    here = f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}"
    gil = verdict.reachable.get("gil")
    if gil:
        return f"can happen today: on builds with a GIL ({here}) as well as on free-threaded ones"
    if gil is False:
        return f"only on free-threaded builds: no schedule that {here} with its GIL allows fails"
    return f"on free-threaded builds; no schedule with the GIL of {here} was found in the budget"
