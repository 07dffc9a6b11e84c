"""`plait diff`: finds what only one of two versions of a class can do (ConDiff).

If the same comparison was made before, the answer comes from the store. So modules that only a search needs are
imported when one begins.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from plait.commands.accepting import apply_baseline, baseline_of, is_new
from plait.commands.budget import LONGEST_IMPORT
from plait.commands.diff.options import DiffOptions, diff_options
from plait.commands.diff.runs import earlier_result
from plait.commands.interrupt import Interrupt
from plait.commands.releases import opened
from plait.errors import UNUSABLE, guarded
from plait.judge.oracle.probes import OPEN
from plait.model.command_results import DiffResult, no_comparison
from plait.model.test import Call
from plait.report.diff_text import diff_statement, diff_text
from plait.report.publish import publish_result
from plait.store.baseline import Found
from plait.store.project import memory_name, remembering
from plait.store.receipts import Receipt
from plait.subject.changes.change import Change, methods_of_one_version

if TYPE_CHECKING:
    from plait.commands.diff.apart import ShownViolation
    from plait.commands.diff.checks import Revealed


def run_diff(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    asked = diff_options(options)
    baseline = baseline_of(options)
    receipt: Receipt[DiffResult] = Receipt()
    with Interrupt() as interrupt:
        result = diff(asked, interrupt, receipt=receipt)
    found = [Found(each, result.subject, "diff") for each in result.findings]
    apply_baseline(baseline, options, result, found, [(result.subject, "diff")])
    complete = publish_result(result, options, diff_text, diff_statement)
    if receipt.result is not None and complete:
        kept = receipt.result
        guarded("remembering", lambda: receipt.leave(options, _code(kept), partial(diff_text, kept)), [])
    return _code(result) if complete else _code(result) or UNUSABLE  # the requested output could not be written


def _code(result: DiffResult) -> int:
    if result.stopped_by == "interrupt":
        return 130
    if result.verdict == "difference":
        return 1 if not result.findings or any(map(is_new, result.findings)) else 0
    return 3 if result.verdict == "inconclusive" else 0


def diff(
    options: DiffOptions, interrupt: Interrupt | None = None, keep: Callable[[Revealed | ShownViolation], None] =
    lambda _: None, receipt: Receipt[DiffResult] | None = None,
) -> DiffResult:  # fmt: skip
    """Look for a difference until one is proven or the budget is used up; ``keep`` is called with its minimal test."""
    asked = time.monotonic()
    with ExitStack() as stack:
        old, new = options.versions or (
            stack.enter_context(opened(text, project=options.project, subject=options.subject, allow=options.allow))
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
            from plait.subject.changes.change import analyse  # noqa: PLC0415 - see above

            change = analyse(options.subject, old, new)
            if _touches_nothing(change):
                result = _untouched(options, change)
            else:
                from plait.commands.diff.sides import open_sides  # noqa: PLC0415 - see above

                timed = options.max_tests is None
                sides = stack.enter_context(
                    open_sides(
                        options.subject, old, new, workers=options.workers, allow=options.allow, hook=options.hook,
                        cluster=options.cluster, tests=options.tests,
                        import_s=min(LONGEST_IMPORT, options.budget) if timed else LONGEST_IMPORT,
                    )
                )  # fmt: skip
                from plait.commands.diff.campaign import DiffCampaign  # noqa: PLC0415 - while the processes start

                campaign = DiffCampaign(
                    sides, options, old, new, interrupt=interrupt, started=started, change=change, memory=memory
                )
                result = campaign.run()
                if campaign.minimal is not None:
                    keep(campaign.minimal)
        result.versions = labels
        if receipt is not None:
            again = known or earlier()
            opened_as = ((options.old, old), (options.new, new))
            receipt.note(again, memory, options.store, options.subject, opened_as, options.hook, options.tests)
    result.elapsed_s = time.monotonic() - asked
    return result


def _untouched(options: DiffOptions, change: Change) -> DiffResult:
    """Return the result for versions without anything to compare; no code under test was run."""
    notes = [*change.notes, *methods_of_one_version(sorted(change.added_methods), sorted(change.removed_methods))]
    return DiffResult(
        "diff", str(options.subject), "none", seed=options.seed, model=options.model,
        stats={**no_comparison(), "methods": {}}, notes=notes,
        stopped_by="exhausted",
        more={"changed": [], "added": sorted(change.added_methods), "removed": sorted(change.removed_methods)},
    )  # fmt: skip


# -- scope -------------------------------------------------------------------------------------------------------------
# What a comparison covers: pairs of methods of which one has changed, and calls that show the final state.


def _touches_nothing(change: Change) -> bool:
    """Return whether no method that both versions have can behave differently."""
    return not change.changed_methods and not change.changed_beside


def changed_pairs(change: Change, names: list[str]) -> list[tuple[str, str]]:
    """Return the pairs of methods to compare (CMP).

    If the change affects how objects are made, every method may behave differently, so all pairs count.
    """
    made_anew = not change.changed_methods.isdisjoint(("__init__", "__new__", "__post_init__"))
    pairs = change.changed_pairs(names)
    if made_anew:
        every = ((one, other) for number, one in enumerate(names) for other in names[number:])
        pairs = list(dict.fromkeys((*pairs, *every)))
    return pairs


_CHANGERS = re.compile(
    r"_*(clear|pop|remove|delete|discard|close|stop|reset|flush|shutdown|release|acquire|put|push|add|next|enter|exit|start)"
)


def readers(probes: Sequence[Call]) -> tuple[Call, ...]:
    """Return the probes, with those last whose names suggest that they change the state.

    Probes with an open key are left out: every execution of a comparison is probed, and they would be too many.
    """
    asked = [call for call in probes if call.method not in ("__enter__", "__exit__") and OPEN not in call.expression]
    return tuple(sorted(asked, key=lambda call: bool(_CHANGERS.match(call.method))))
