"""Applies a declared contract to the findings of a check: broken promises stay findings, the rest becomes a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.subject.contract import Contract

if TYPE_CHECKING:
    from plait.model.command_results import CheckResult
    from plait.model.finding import Finding

_NAMED, _LISTED = 3, 6


def hold_to(result: CheckResult, contract: Contract) -> None:
    """Keep the findings that break a promise, name the others in a note, and record the contract in the result."""
    if not contract:
        return
    kept = [each for each in result.findings if _breaks(each, contract)]
    unpromised = [each for each in result.findings if each not in kept]
    result.more["contract"] = {
        "levels": dict(contract.levels), "source": contract.source, "broken": len(kept),
        "unpromised": [{"methods": each.methods, "summary": each.summary} for each in unpromised],
    }  # fmt: skip
    result.findings = kept
    for each in kept:
        said = ", ".join(f"`{name}` {contract.level(name)}" for name in dict.fromkeys(_promised(each, contract)))
        result.notes.append(f"broken promise ({contract.source}): {said}")
    if unpromised:
        names = "; ".join(" with ".join(f"`{name}`" for name in each.methods) for each in unpromised[:_NAMED])
        more = f" and {len(unpromised) - _NAMED} more" if len(unpromised) > _NAMED else ""
        result.notes.append(f"not promised by the contract, so no finding: {names}{more}; --json has them")
    if unpromised and not kept:
        result.verdict = "none"
    if note := _untested(contract, list(result.stats.get("methods", ()))):
        result.notes.append(note)


def _breaks(finding: Finding, contract: Contract) -> bool:
    """Return whether all methods of a finding, in one of the ways to show it, are promised to be safe together."""
    return any(contract.covers(each) for each in (finding.methods, *finding.siblings))


def _promised(finding: Finding, contract: Contract) -> list[str]:
    ways = (finding.methods, *finding.siblings)
    return next(each for each in ways if contract.covers(each))


def _untested(contract: Contract, methods: list[str]) -> str:
    """Return a note on the methods that were not run concurrently because the contract does not allow it, or ''."""
    left_out = [each for each in methods if not contract.covers([each])]
    names = ", ".join(f"`{each}`" for each in left_out[:_LISTED]) + (" ..." if len(left_out) > _LISTED else "")
    return f"the contract does not let them run beside other calls, so not tested there: {names}" if left_out else ""
