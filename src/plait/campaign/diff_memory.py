"""What `plait diff` remembers between runs: comparisons that proved nothing, and tests that revealed a difference."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from plait.campaign.fingerprint import token
from plait.campaign.memory import FIXED, KnownFinding, Memory
from plait.model.finding import Finding
from plait.model.result import Result
from plait.model.test import Test


def known_tests(memory: Memory) -> dict[Test, KnownFinding]:
    """The tests that revealed a difference in earlier runs: they are tried first."""
    return {each.finding.test: each for each in memory.known() if each.finding.test is not None}


def earlier_result(memory: Memory, options: Mapping[str, Any], name: str) -> Result | None:
    """What the same comparison of the same code gave, if it proved no difference."""
    content = memory.run(options)
    try:
        if content is None or content["verdict"] not in ("none", "sequential-difference"):
            return None
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(content["at"]))
        note = (
            f"nothing has changed since {when}: {int(content['stats']['tests_generated'])} tests of that run were not "
            "explored again; --fresh explores them"
        )
        return Result(
            "diff", name, content["verdict"], seed=int(content["seed"]), model=str(content["model"]),
            stats=dict(content["stats"]), stopped_by=str(content["stopped_by"]),
            notes=[note, *map(str, content["notes"])], more=dict(content["more"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None


def keep(
    memory: Memory, options: Mapping[str, Any], result: Result, known: Mapping[Test, KnownFinding],
    revealing: Test | None,
) -> None:  # fmt: skip
    """Remember a run, and say in its result what has become of what was known."""
    if result.stopped_by == "interrupt":
        return
    own, said = list(result.notes), []
    for test, each in known.items():
        if test == revealing:
            said.append("known from earlier runs: still there")
            break
        memory.settle(each.cause, FIXED)
        said.append(f"fixed since an earlier run: {each.finding.summary}")
    for finding in result.findings:
        memory.keep_finding(_cause(finding), finding)
    memory.keep_run(
        options,
        {
            "verdict": result.verdict, "stats": result.stats, "stopped_by": result.stopped_by, "notes": own,
            "seed": result.seed, "model": result.model, "at": time.time(),
            "more": {name: value for name, value in result.more.items() if name != "sources"},
        },
    )  # fmt: skip
    result.more["remembered"] = said
    result.notes += [*said, *memory.messages]


def _cause(finding: Finding) -> str:
    return token((finding.kind, finding.exception, tuple(finding.methods)))
