"""Which findings of a check real threads show that run in parallel: on free-threaded builds only.

A worker with the rewritten code says what the test of a finding may do, another one with the code as it is tries it.
Nothing of it changes what was found: a race that needs a rare moment may not be seen and is there all the same.
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

TASK_S = 30.0  # seconds for one task; tries are bounded by processor time, which a busy machine stretches


def see_in_parallel(
    findings: Sequence[Finding], name: str, rules: Rules, controlled: Workers, native: Workers, memory: Memory,
    over: Callable[[], bool], *, fresh: bool = False,
) -> list[str]:  # fmt: skip
    """Say in each finding what parallel threads have shown, until time is ``over``; returns notes.

    What is known of this build is not tried again, unless everything is to be done ``fresh``.
    """
    late = 0
    for finding in findings:
        if finding.test is None or finding.schedule is None:
            continue
        known = finding.seen_in_parallel
        if known is not None and known.build == build() and not fresh:
            continue
        finding.seen_in_parallel = None  # of another build
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
    """Return the answer of a worker, or why there is none; None if time is over."""
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
