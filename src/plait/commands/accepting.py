"""Applies the baseline to the findings of a run, and so to its exit code."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from plait.errors import UsageError
from plait.model.finding import Finding
from plait.model.result import Result
from plait.store.baseline import DEFAULT, Baseline, Found, expiry


def baseline_of(options: argparse.Namespace) -> Baseline | None:
    """Return the baseline from the options, else that of the project; raise `UsageError` if it cannot be used.

    Call this before the search: an error in the file must not cost a whole run.
    """
    given: Path | None = options.baseline
    if options.update_baseline is not None and not options.update_baseline.strip():
        raise UsageError("--update-baseline needs a reason: say why the findings are accepted")
    if options.expires is not None:
        if options.update_baseline is None:
            raise UsageError("--expires says how long --update-baseline REASON accepts what is found; give both")
        expiry(options.expires)
    file = Path(DEFAULT) if given is None else given
    if not file.exists():
        if given is not None and options.update_baseline is None:
            raise UsageError(f"there is no baseline {file}; --update-baseline REASON writes one")
        return Baseline(file) if options.update_baseline is not None else None
    return Baseline.read(file)


def apply_baseline(
    baseline: Baseline | None, options: argparse.Namespace, result: Result, found: Sequence[Found],
    looked_at: Iterable[tuple[str, str]], seen: Collection[str] = (),
) -> None:  # fmt: skip
    """Mark known findings, update the baseline file if that was requested, and add notes on both to the result."""
    if baseline is None:
        return
    done = [] if result.stopped_by == "interrupt" else list(looked_at)
    marked = baseline.mark(found, looked_at=done, seen=seen)
    if options.update_baseline is not None:
        until = None if options.expires is None else expiry(options.expires)
        gone = [each["fingerprint"] for each in marked["gone"]]
        accepted = baseline.update(found, gone, options.update_baseline, until)
        marked = baseline.mark(found)
        said = f"{baseline.file}: {len(accepted)} accepted, {len(gone)} removed, {len(baseline.entries)} in all"
        result.notes.append(said)
    result.baseline = marked
    result.notes += baseline.notes(marked)


def is_new(finding: Finding) -> bool:
    """Return whether a finding fails the run: the baseline does not have it, or the entry has expired."""
    return finding.baseline is None or not finding.baseline.is_known
