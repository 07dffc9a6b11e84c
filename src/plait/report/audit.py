"""The result of `plait audit` as text: a table of all public classes and functions, the evidence, and suspicions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from plait.errors import guarded
from plait.judge.audit import SILENT, UNJUDGED, UNSAFE, Audited
from plait.model.command_results import AuditResult
from plait.model.counted import counted
from plait.model.finding import Finding
from plait.model.fingerprint import fingerprint_of
from plait.model.foreign import visible
from plait.report.closing import closing_lines
from plait.report.layout import Layout, Line, Span, as_text, fitted, prose, terminal_layout, wrapped
from plait.report.publish import attempt, plainly, reproduce, write_all, write_whole
from plait.subject.package.claims import CLAIMED, DENIED, LOCKED, PROMISED, UNSAID

_MARK = 13  # columns of a verdict
_LISTED = 3  # findings of one class
_NAMED = 40  # names in one row
_ALIKE = 3  # names with the same reason that share a row
_SUSPECTS = 10
_STATES = 12
_STYLES = {UNSAFE: "bad", SILENT: "good", UNJUDGED: "why"}
_SIGNS = {UNSAFE: "❌", SILENT: "✅", UNJUDGED: "❔"}


def publish_audit(result: AuditResult, audited: Sequence[Audited], options: argparse.Namespace) -> bool:
    """Write everything that was asked for; reproducers first, because the result names them."""
    for each in audited:
        if each.check is not None:
            reproduce(each.findings, each.check, result.notes)
    written = guarded("reporting", lambda: _audit_json(result, audited), result.notes)
    layout = terminal_layout()
    said = guarded("reporting", lambda: audit_text(result, audited, layout), result.notes)
    said = said or fitted(plainly(result), layout)
    if options.markdown is not None:
        comment = guarded("reporting", lambda: audit_markdown(result, audited), result.notes) or as_text(said)
        if str(options.markdown) == "-":
            said = [[Span(each)] for each in comment.splitlines()]
        else:
            attempt(lambda: write_whole(comment, options.markdown), f"--markdown {options.markdown}", result.notes)
    data = result.as_json() if written is None else written
    return write_all({**data, "notes": result.notes}, options, said, _statement_of_audit(result))


def _audit_json(result: AuditResult, audited: Sequence[Audited]) -> dict[str, Any]:
    """Return the result file: each finding names the class or module that was checked."""
    owners = {id(finding): each for each in audited for finding in each.findings}
    data = result.as_json()
    data["sources"] = {}
    for written, finding in zip(data["findings"], result.findings, strict=True):
        owner = owners[id(finding)]
        if owner.check is not None:
            named = fingerprint_of(finding, owner.check.subject)
            written |= {"subject": owner.check.subject, "command": "check", "fingerprint": named}
            written |= {key: owner.check.more[key] for key in ("probes", "rules") if key in owner.check.more}
            data["sources"] |= owner.check.more.get("sources", {})
    return data


def _statement_of_audit(result: AuditResult) -> list[str]:
    """Return what was audited, and how it ended."""
    stats = result.stats
    every = stats["classes"] + stats["functions"]
    said = (
        f"{result.subject}: {counted(stats['classes'], 'public class', 'public classes')} and "
        f"{counted(stats['functions'], 'public function')}: {stats['unsafe']} unsafe, "
        f"{stats['no_violation']} without a violation, {stats['not_judged']} not judged ({result.elapsed_s:.0f} s)."
    )
    claims = result.more.get("free_threading", {})
    level = claims.get("classifier")
    stated = f"declares free threading `{level}`" if level else "does not declare a free-threading classifier"
    lines = [said]
    if stats["unsafe"]:
        lines.append(_promises(result))
    if every and result.verdict == "inconclusive":
        lines.append("No conclusion: fewer than half could be judged. The reasons above say what to give.")
    if every:
        lines.append(f"The package {stated}; this evidence supports `{claims.get('supported')}`.")
        lines.append(f"The GIL on a free-threaded build {claims.get('gil')}.")
    return lines


def _promises(result: AuditResult) -> str:
    """Return how many of those that are unsafe were meant to be safe."""
    rows = [each for each in result.more["subjects"] if each["verdict"] == "unsafe" and each["kind"] == "class"]
    broken = [each for each in rows if each["claim"] in CLAIMED]
    if not rows:
        own = [each for each in result.more["subjects"] if each["verdict"] == "unsafe" and not each["through_argument"]]
        given = "What is unsafe are functions that change what they are given: their callers must not share that."
        return "What is unsafe are functions: their callers have no object to lock." if own else given
    if not broken:
        return "No unsafe class has a lock or says that it is thread-safe: its users need a lock of their own."
    names = ", ".join(f"`{each['name']}`" for each in broken[:_LISTED])
    more = f" and {len(broken) - _LISTED} more" if len(broken) > _LISTED else ""
    said = "has locks of its own or is said" if len(broken) == 1 else "have locks of their own or are said"
    return f"Of the unsafe classes {len(broken)} of {len(rows)} {said} to be thread-safe: {names}{more}."


def audit_text(result: AuditResult, audited: Sequence[Audited], layout: Layout) -> list[Line]:
    """Return the table, the evidence, and the sums."""
    lines: list[Line] = []
    for same in _alike(audited):
        lines += _row(same[0], layout) if len(same) < _ALIKE else _rows(same, layout)
    lines += _state(result, layout)
    lines += _suspected(audited, layout)
    return [*lines, [], *closing_lines(result, _statement_of_audit(result), layout)]


def _alike(audited: Sequence[Audited]) -> list[list[Audited]]:
    """Return the rows of the table: what was not tried, for the same reason, is one of them if there is much of it."""
    groups: dict[tuple[str, ...], list[Audited]] = {}
    for each in audited:
        key = (each.verdict, each.contract, each.reason) if each.reason else (each.kind, each.name)
        groups.setdefault(key, []).append(each)
    return [part for same in groups.values() for part in ([same] if len(same) >= _ALIKE else [[one] for one in same])]


def _rows(same: Sequence[Audited], layout: Layout) -> list[Line]:
    """Return one row for names of which the same is to be said."""
    first = same[0]
    names = ", ".join(each.name for each in same[:_NAMED])
    names += f" and {len(same) - _NAMED} more (--json has them all)" if len(same) > _NAMED else ""
    said = wrapped(f"{len(same)} names: {_in_one_line(first)[:-1]}: {names}.", layout.prose - _MARK, 0, 0)
    lines: list[Line] = [[Span(f"{first.verdict:{_MARK}}", _STYLES[first.verdict]), Span(said[0])]]
    return [*lines, *([Span(" " * _MARK + part)] for part in said[1:])]


def _row(audited: Audited, layout: Layout) -> list[Line]:
    said = wrapped(f"{audited.name}: {_in_one_line(audited)}", layout.prose - _MARK, 0, 0)
    lines: list[Line] = [[Span(f"{audited.verdict:{_MARK}}", _STYLES[audited.verdict]), Span(said[0])]]
    lines += [[Span(" " * _MARK + part)] for part in said[1:]]
    first = _places(audited)
    for finding in first[:_LISTED]:
        lines += prose(f"- {finding.summary}", layout, indent=_MARK)
        if finding.reproducer is not None:
            lines.append([Span(f"{' ' * _MARK}  {finding.reproducer}", "note")])
    if len(first) > _LISTED:
        places = counted(len(first) - _LISTED, "place")
        lines += prose(f"- and {places} more to mend: --json has them all", layout, indent=_MARK)
    return lines


def _places(audited: Audited) -> list[Finding]:
    """Return one finding for each place that has to be mended: the others reach it in another way."""
    found: dict[str, Finding] = {}
    for each in audited.findings:
        found.setdefault(each.mend or each.summary, each)
    return list(found.values())


_CLAIMS = {
    PROMISED: "it is said to be thread-safe", LOCKED: "it has locks of its own",
    DENIED: "as it says itself", UNSAID: "nothing says that threads may share it",
}  # fmt: skip


def _in_one_line(audited: Audited) -> str:
    """Return the evidence behind a verdict, or why there is none."""
    if audited.verdict == UNJUDGED:
        return f"{audited.reason}."
    if audited.reason:
        return f"{audited.contract}; {audited.reason}."
    proof = audited.evidence
    calls = counted(proof["pairs"], "pair of calls", "pairs of calls")
    known = audited.check is not None and audited.check.stats.get("tests_known")
    # Tests whose code has not changed are not explored again: the count of this run alone would understate the proof.
    done = counted(proof["schedules"], f"{'new ' if known else ''}schedule") if proof["schedules"] or not known else ""
    done += (" and those of an earlier run" if done else "the schedules of an earlier run") if known else ""
    met = f"{proof['pairs_covered']} of {calls} ran concurrently, in {done}"
    if audited.verdict == UNSAFE:
        pairs = ", ".join(f"{one} with {other}" for one, other in audited.unsafe[:_LISTED])
        more = f" and {counted(len(audited.unsafe) - _LISTED, 'pair')} more" if len(audited.unsafe) > _LISTED else ""
        claim = f", {_CLAIMS[audited.claim]}" if audited.kind == "class" else ""
        claim = ", for an argument that threads share" if audited.through_argument else claim
        found, places = len(audited.findings), len(_places(audited))
        told = f"{audited.contract}{claim}; {counted(found, 'finding')}"
        told += f" in {counted(places, 'place')}" if found > 1 else ""
        return f"{told}; unsafe together: {pairs or 'see below'}{more}; {met}."
    return f"{audited.contract}; {met}{', every schedule of every test' if proof['complete'] else ''}."


def _state(result: AuditResult, layout: Layout) -> list[Line]:
    rows = result.more["module_state"]
    if not rows:
        return []
    lines: list[Line] = [[], [Span("Changed after import, shared by all threads:", "title")]]
    for row in rows[:_STATES]:
        lock = "always under a lock" if row["locked"] else "not always under a lock"
        by = ", ".join(row["by"][:3])
        lines += prose(f"{row['module']}.{row['name']} (line {row['line']}), by {by}: {lock}", layout, indent=2)
    if len(rows) > _STATES:
        lines += prose(f"... and {len(rows) - _STATES} more: --json has them all", layout, indent=2)
    return lines


def _suspected(audited: Sequence[Audited], layout: Layout) -> list[Line]:
    """Return what the source makes one suspect where nothing was proven: a hint where to look, and no finding."""
    places = {(each.file, suspect.line, suspect.what): suspect.score for each in audited for suspect in each.suspects}
    every = sorted(places, key=lambda place: (-places[place], place))
    if not every:
        return []
    lines: list[Line] = [[], [Span("Suspected by the source alone, not confirmed by any test:", "title")]]
    for file, line, what in every[:_SUSPECTS]:
        lines += prose(f"{file}:{line}: {what}", layout, indent=2)
    if len(every) > _SUSPECTS:
        lines += prose(f"... and {len(every) - _SUSPECTS} more: --json has them all", layout, indent=2)
    return lines


def audit_markdown(result: AuditResult, audited: Sequence[Audited]) -> str:
    """Return the audit for a job summary or a page on GitHub."""
    lines = [f"### plait audit: {result.subject}", "", *(f"{each}  " for each in _statement_of_audit(result)), ""]
    lines += ["| | subject | contract | evidence |", "| --- | --- | --- | --- |"]
    for each in audited:
        said = _in_one_line(each).replace("|", "\\|")
        lines.append(f"| {_SIGNS[each.verdict]} {each.verdict} | `{each.name}` | {each.contract} | {said} |")
    rows = result.more["module_state"]
    if rows:
        lines += ["", "Changed after import, shared by all threads:", ""]
        lines += [
            f"- `{row['module']}.{row['name']}` by {', '.join(f'`{by}`' for by in row['by'][:3])}" for row in rows
        ]
    return visible("\n".join(lines) + "\n")
