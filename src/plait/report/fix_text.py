"""The result of `plait fix` as text, for people and for programs that read text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plait.model.command_results import FixResult
from plait.model.counted import counted
from plait.report.closing import closing_lines
from plait.report.layout import Layout, Line, Span, prose

LISTED = 12  # candidates, or reasons, with a line of their own
_EACH = 3  # candidates that failed for one reason


def fix_text(result: FixResult, layout: Layout = Layout()) -> list[Line]:  # noqa: B008 - immutable
    """Return the diff with its proof; without a diff, why each candidate failed."""
    lines: list[Line] = [*prose(f"To mend: {result.findings[0].summary}", layout, "bad"), []]
    more = result.more
    if result.verdict == "mended":
        lines += [*prose(f"{_capital(more['mend'])}.", layout, "good"), []]
        lines += [[Span(line, _style(line))] for line in more["diff"].splitlines()]
        lines.append([])
        for said in _proof_sentences(more["evidence"]):
            lines += prose(f"- {said}", layout, indent=2, hang=2)
        lines.append([])
    failed = [each for each in more["candidates"] if each["verdict"] in ("rejected", "not proven")]
    if failed and result.verdict != "mended":
        for reason, titles in list(_by_reason(failed).items())[:LISTED]:
            lines += prose(f"{_capital(reason)}:", layout, indent=2)
            lines += [line for title in titles[:_EACH] for line in prose(f"- {title}", layout, indent=4, hang=2)]
            if len(titles) > _EACH:
                lines += prose(f"- and {len(titles) - _EACH} more: --json has them all", layout, indent=4, hang=2)
        lines.append([])
    return [*lines, *closing_lines(result, fix_statement(result), layout)]


def fix_statement(result: FixResult) -> list[str]:
    """Return what was tried and the result."""
    stats, more = result.stats, result.more
    tried = f"{stats['tried']} of {counted(stats['candidates'], 'candidate')} tried ({result.elapsed_s:.1f} s)"
    if result.verdict == "mended":
        files = " and ".join(more.get("files", [more["file"]]))
        written = f"Written to {files}." if more["written"] else "Nothing was written: --write applies it."
        holds = [each for each in more["candidates"] if each["verdict"] == "proven"]
        is_smallest = min(holds, key=lambda each: each["size"])["title"] == more["mend"]
        said = "that holds" if is_smallest else "that mends other findings as well"
        return [f"The smallest change {said}: {more['mend']}; {tried}.", written]
    if not stats["candidates"]:
        return ["No mend: there is no candidate for this finding in the source text."]
    if result.verdict == "none":
        return [f"No mend: none of the candidates holds; {tried}."]
    return [f"No conclusion: {tried}, stopped by: {result.stopped_by}; a longer --budget tries more."]


def _proof_sentences(evidence: Mapping[str, Any]) -> list[str]:
    """Return the proof of a mend, one sentence for each part."""
    explored, compared = evidence["explored"], evidence["compared"]
    checked, own, cost = evidence["checked"], evidence["own_tests"], evidence["cost"]
    executions = counted(explored["schedules"], "execution")
    found = [f"Its test: {explored['claim']} explored ({executions}), none shows it any more."]
    found.append(f"One after another: calls of {counted(compared['tests'], 'test')} give what they gave before.")
    fresh = f"A fresh check: {counted(checked['tests'], 'test')}, {counted(checked['schedules'], 'schedule')}; "
    left = len(checked["as_before"])
    ways = f"{counted(left, 'other finding')}, which the class had before" if left else "nothing found"
    found.append(f"{fresh}{ways}.")
    again, behaviour = evidence["checked_again"], evidence["behaviour"]
    seeds, left = len(again["seeds"]), len(again["as_before"])
    known = "nothing new found" if left else "nothing found"
    more = f", one with {again['threads']} threads" if again["threads"] > 2 else ""
    checks = f"{counted(seeds, 'check')} with other tests{more}"
    done = f"{counted(again['tests'], 'test')}, {counted(again['schedules'], 'schedule')}"
    found.append(f"A second look: {checks}; {done}; {known}.")
    found.append(
        f"Beside the original: {counted(behaviour['tests'], 'test')} around the change; what it does, the original "
        "does too, or whole calls one after another do."
    )
    if own.get("reason"):
        found.append(f"The project's own tests: {own['reason']}.")
    else:
        before = f", {own['failed_before']} failed before as well" if own["failed_before"] else ""
        found.append(f"The project's own tests that name the class: {own['passed']} passed{before}.")
    if cost["ratio"] is None:
        found.append(f"Its cost: not measurable ({cost['reason']}).")
    else:
        found.append(f"Its cost: calls of several threads take {cost['ratio']:.2f} times as long as before.")
    return found


def compact_fix(data: Mapping[str, Any]) -> str:
    """Return a result in few words, one thing on each line; the diff as it is."""
    lines = [f"verdict: {data['verdict']}", f"subject: {data['subject']}", f"finding: {data['findings'][0]['summary']}"]
    if data["verdict"] == "mended":
        lines += [f"mend: {data['mend']}", *(f"file: {each}" for each in data.get("files", [data["file"]]))]
        lines += [f"proof: {said}" for said in _proof_sentences(data["evidence"])]
        lines.append(f"written: {'yes' if data['written'] else 'no'}")
        return "\n".join([*(" ".join(line.split())[:400] for line in lines), "diff:", data["diff"]])
    failed = [each for each in data["candidates"] if each["reason"]]
    lines += [f"candidate: {each['title']}: {each['reason']}" for each in failed[:LISTED]]
    stats = data["stats"]
    lines.append(f"tried: {stats['tried']} of {stats['candidates']}")
    return "\n".join(" ".join(line.split())[:400] for line in lines) + "\n"


def _by_reason(failed: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return what candidates tried, by what they failed at: most fail at the same."""
    found: dict[str, list[str]] = {}
    for each in failed:
        found.setdefault(each["reason"], []).append(each["title"])
    return found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _style(line: str) -> str:
    if line.startswith(("---", "+++", "@@")):
        return "note"
    return "good" if line.startswith("+") else "bad" if line.startswith("-") else ""
