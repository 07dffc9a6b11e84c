"""Stores whole runs of `plait diff`: their results, and the tests that revealed a difference."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, cast

from plait.errors import UsageError
from plait.model.command_results import DiffMore, DiffResult, DiffStats
from plait.model.finding import Finding
from plait.model.test import Test
from plait.report.diff_text import diff_text
from plait.store.keys import token
from plait.store.project import FIXED, KnownFinding, Memory


def known_tests(memory: Memory) -> dict[Test, KnownFinding]:
    """Return the tests that revealed a difference in earlier runs; they are tried first."""
    return {each.finding.test: each for each in memory.known() if each.finding.test is not None}


def earlier_result(
    memory: Memory, options: Mapping[str, Any], name: str, versions: Mapping[str, str]
) -> DiffResult | None:
    """Return the stored result of the same comparison of the same code, if there is one; it is still valid."""
    content = memory.run(options)
    try:
        if content is None:
            return None
        findings = [Finding.from_json(each) for each in content["findings"]]
        if any(each.reproducer is not None and not Path(each.reproducer).is_file() for each in findings):
            return None  # the file was deleted: only a run writes it
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(content["at"]))
        there = "the difference is still there, and " if findings else ""
        note = (
            f"nothing has changed since {when}: {there}{int(content['stats']['tests_generated'])} tests of that run "
            "were not explored again; --fresh explores them"
        )
        result = DiffResult(
            "diff", name, str(content["verdict"]), dict(versions), int(content["seed"]), str(content["model"]),
            findings, stats=cast("DiffStats", dict(content["stats"])), stopped_by=str(content["stopped_by"]),
            notes=[note, *map(str, content["notes"])], more=cast("DiffMore", dict(content["more"])),
            reason=str(content["reason"]),
        )  # fmt: skip
        diff_text(result)
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError, OverflowError, OSError, UsageError):
        return None  # the stored content cannot even be shown
    return result


def keep(
    memory: Memory, options: Mapping[str, Any], result: DiffResult, known: Mapping[Test, KnownFinding],
    revealing: Collection[Test], last: Test | None,
) -> None:  # fmt: skip
    """Store a run, and add to its result what has become of the known differences.

    Known tests are tried first. If the ``last`` test that was tried is one of them, the known tests after it were not
    tried.
    """
    if result.stopped_by == "interrupt":
        return
    own, said = list(result.notes), []
    for test, each in known.items():
        if test in revealing:
            said.append("known from earlier runs: still there")
            if test == last:
                break
            continue
        memory.settle(each.cause, FIXED)
        said.append(f"fixed since an earlier run: {each.finding.summary}")
    for finding in result.findings:
        memory.keep_finding(_cause(finding), finding)
    memory.keep_run(
        options,
        {
            "verdict": result.verdict, "stats": result.stats, "stopped_by": result.stopped_by, "notes": own,
            "seed": result.seed, "model": result.model, "at": time.time(), "more": result.more,
            "reason": result.reason,
            "findings": [finding.as_json() for finding in result.findings],
        },
    )  # fmt: skip
    result.more["remembered"] = said
    result.notes += [*said, *memory.messages]


def _cause(finding: Finding) -> str:
    # The name of new behaviour must stay what it was in older stores.
    vanished = ("vanished",) if not finding.only_new else ()
    return token((finding.kind, finding.exception, tuple(finding.methods), *vanished))
