"""Tries the findings of a check on real threads that run in parallel, which only free-threaded builds can do.

A worker with rewritten code determines what the test of a finding may do; another worker, with the original code, tries
it. The findings stay, whatever the outcome: a race that needs a rare moment may not be observed, and exists
nevertheless.
"""

from __future__ import annotations

from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any

from plait.commands.check.worker.native import allowed_by, in_parallel
from plait.judge.oracle.causes import cause
from plait.judge.oracle.parallel import SECONDS
from plait.model.finding import Finding, SeenInParallel
from plait.run.native.parallel import build
from plait.workers.failures import WorkerCrashed, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.judge.oracle.rules import Rules
    from plait.store.project import Memory
    from plait.workers.pool import Workers

TASK_S = 30.0  # seconds for one task; tries are limited by processor time, which takes longer on a busy machine


def see_in_parallel(
    findings: Sequence[Finding], name: str, rules: Rules, controlled: Workers, native: Workers, memory: Memory,
    over: Callable[[], bool], *, fresh: bool = False,
) -> list[str]:  # fmt: skip
    """Add to each finding what parallel threads have shown, until ``over`` returns true; return notes.

    Findings that were tried on this build before are skipped, unless ``fresh`` is set.
    """
    late = 0
    for finding in findings:
        if finding.test is None or finding.schedule is None:
            continue
        known = finding.seen_in_parallel
        if known is not None and known.build == build() and not fresh:
            continue
        finding.seen_in_parallel = None  # the value is of another build
        if over():
            late += 1
            continue
        wanted = _asked(controlled.submit(allowed_by, name, rules, finding, timeout=TASK_S), over)
        if wanted is not None and not isinstance(wanted, str):
            wanted = _asked(native.submit(in_parallel, finding.test, wanted, SECONDS, timeout=TASK_S), over)
        if isinstance(wanted, str):
            wanted = SeenInParallel(0, 0, build(), wanted)
        if wanted is None:
            late += over()
            continue
        finding.seen_in_parallel = wanted
        memory.keep_finding(cause(finding), finding)
    count = f"{late} of {len(findings)} findings" if len(findings) > 1 else "the finding"
    return [f"the time was over before {count} could be tried on parallel threads"] if late else []


def _asked(future: Future[Any], over: Callable[[], bool]) -> Any:
    """Return a worker's answer, or the reason why there is none as text; None if time is up."""
    while not wait([future], 0.1).done:
        if over():
            future.cancel()
            return None
    try:
        return future.result().value
    except WorkerCrashed as error:
        return f"the process that tried it ended: {error.reason}"
    except WorkerError as error:
        return str(error)
