"""`plait diff`: what can only one of two versions of a class do? (ConDiff).

A comparison that was made before is answered from the store; so all that a search needs is imported when one begins.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from plait.campaign.diff_memory import earlier_result
from plait.campaign.diff_options import DiffOptions, from_namespace
from plait.campaign.interrupt import Interrupt
from plait.campaign.memory import memory_name, remembering
from plait.campaign.receipts import Receipt
from plait.campaign.releases import opened
from plait.errors import UNUSABLE, guarded
from plait.model.result import Result
from plait.report.diff_text import diff_text, statement
from plait.report.publish import publish_result

if TYPE_CHECKING:
    from plait.campaign.diff_apart import Shown
    from plait.campaign.diff_check import Revealed
    from plait.subject.change import Change


def run(options: argparse.Namespace) -> int:
    """The command; returns the exit code."""
    asked = from_namespace(options)
    receipt = Receipt()
    with Interrupt() as interrupt:
        result = diff(asked, interrupt, receipt=receipt)
    complete = publish_result(result, options, diff_text, statement)
    if receipt.result is not None and complete:
        kept = receipt.result
        guarded("remembering", lambda: receipt.leave(options, _code(kept), diff_text(kept), statement(kept)), [])
    return _code(result) if complete else _code(result) or UNUSABLE  # what was asked for is not there


def _code(result: Result) -> int:
    if result.stopped_by == "interrupt":
        return 130
    if result.verdict == "difference":
        return 1
    return 3 if result.verdict == "inconclusive" else 0


def diff(
    options: DiffOptions, interrupt: Interrupt | None = None, keep: Callable[[Revealed | Shown], None] = lambda _: None,
    receipt: Receipt | None = None,
) -> Result:  # fmt: skip
    """Look for a difference until one is proven or the budget is used up; ``keep`` gets the minimal test of it."""
    asked = time.monotonic()
    with ExitStack() as stack:
        old, new = (
            stack.enter_context(
                opened(text, project=options.project, subject=options.subject, allow=options.allow)
            )
            for text in (options.old, options.new)
        )
        started = time.monotonic()
        compared = f"{options.subject} {options.called or f'{options.old} {options.new}'}"
        memory = stack.enter_context(
            remembering(
                options.store, memory_name("diff", compared, options.project), options.subject, (old, new),
                options.hook, options.tests, fresh=options.fresh,
            )
        )  # fmt: skip
        labels = {"old": old.label, "new": new.label}
        earlier = partial(earlier_result, memory, options.as_key(), str(options.subject), labels)
        known = result = earlier()
        if result is None:
            from plait.campaign.diff_scope import touches_nothing  # noqa: PLC0415 - see above
            from plait.subject.change_analysis import analyse  # noqa: PLC0415

            change = analyse(options.subject, old, new)
            if touches_nothing(change):
                result = _untouched(options, change)
            else:
                from plait.campaign.diff_sides import open_sides  # noqa: PLC0415 - see above

                sides = stack.enter_context(
                    open_sides(
                        options.subject, old, new, workers=options.workers, allow=options.allow, hook=options.hook,
                        cluster=options.cluster, tests=options.tests,
                    )
                )  # fmt: skip
                from plait.campaign.diff_campaign import diff_on  # noqa: PLC0415 - while the processes start

                result = diff_on(sides, options, old, new, interrupt, started, change, keep, memory)
        result.versions = labels
        if receipt is not None:
            again = known or earlier()
            opened_as = ((options.old, old), (options.new, new))
            receipt.note(again, memory, options.store, options.subject, opened_as, options.hook, options.tests)
    result.elapsed_s = time.monotonic() - asked
    return result


def _untouched(options: DiffOptions, change: Change) -> Result:
    """The result where there is nothing to compare; no code under test was run."""
    counts = "changed_methods changed_pairs tests_generated tests_filtered checks schedules inconclusive"
    stats = dict.fromkeys(counts.split(), 0)
    found = {"only the new version has": change.added_methods, "only the old version has": change.removed_methods}
    notes = [*change.notes, *(f"{said} {', '.join(sorted(names))}" for said, names in found.items() if names)]
    return Result(
        "diff", str(options.subject), "none", seed=options.seed, model=options.model,
        stats={**stats, "generate_s": 0.0, "filter_s": 0.0, "check_s": 0.0}, stopped_by="exhausted", notes=notes,
        more={"changed": [], "added": sorted(change.added_methods), "removed": sorted(change.removed_methods)},
    )  # fmt: skip
