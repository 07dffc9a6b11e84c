"""Where a result goes: the terminal, the files that were asked for, and the reproducers."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import (
    Callable,
    Mapping,
    Sequence,
)
from functools import partial
from pathlib import Path
from typing import (
    Any,
    TypeVar,
)

from plait.errors import guarded, own_error
from plait.model.files import write_whole_file
from plait.model.finding import Finding
from plait.model.foreign import harmless
from plait.model.result import Result, confinement_note
from plait.report.finding_text import finding_lines
from plait.report.layout import (
    Layout,
    Line,
    Span,
    as_text,
    fitted,
    indented,
    piped_layout,
    prose,
    show,
    terminal_layout,
)
from plait.report.reproducer import write_reproducer

OUT = "plait-out"
_T = TypeVar("_T")
SHOWN, LISTED = 5, 20  # findings in full, and those with at least a line


def publish(result: Result, options: argparse.Namespace, project: Path) -> bool:
    """Write everything that was asked for; False if something is missing. Reproducers first: the result names them.

    A report that cannot be made costs no finding: the others are made, and standard error says what is missing.
    """
    failed: list[str] = []
    for finding in result.findings:
        if finding.test is not None and finding.schedule is not None and finding.reproducer is None:
            written = attempt(partial(_reproduced, finding, result), f"a regression test in {OUT}", failed)
            finding.reproducer = None if written is None else str(written)
    result.notes += failed
    return publish_result(result, options, check_text, statement)


def publish_result(
    result: Result, options: argparse.Namespace, said: Callable[[Result, Layout], list[Line]],
    sentences: Callable[[Result], list[str]],
) -> bool:  # fmt: skip
    """Write a result, ``said`` in words, in every form that was asked for; plainly where the words cannot be found."""
    said_of_layers = confinement_note()
    if said_of_layers and said_of_layers not in result.notes:
        result.notes.append(said_of_layers)
    layout = terminal_layout(full=getattr(options, "full", False))
    words = guarded("reporting", lambda: said(result, layout), result.notes) or fitted(plainly(result), layout)
    shown = guarded("reporting", lambda: sentences(result), result.notes) or [result.verdict]
    return write_all(result.as_json(), options, words, shown)


def _reproduced(finding: Finding, result: Result) -> Path:
    root = Path(result.more["root"]) if "root" in result.more else None
    probes = result.more.get("probes", []) if finding.probed else []
    return write_reproducer(finding, result.subject, Path(OUT), root, probes, result.more.get("rules"))


def plainly(result: Result) -> str:
    """Return the findings and notes line by line, for the case that the report cannot be made."""
    found = [f"[{number}/{len(result.findings)}] {each.summary}" for number, each in enumerate(result.findings, 1)]
    return "\n".join([*found, f"verdict: {result.verdict}", *(f"note: {note}" for note in result.notes)])


def attempt(act: Callable[[], _T], what: str, failed: list[str]) -> _T | None:
    """Return what ``act`` returns; None, and a sentence, if ``what`` it makes cannot be written or made."""
    try:
        return act()
    except BrokenPipeError:  # whoever read our output has seen enough
        raise
    except OSError as error:
        sentence = f"{what} cannot be written ({error.strerror or error})"
    except Exception as error:
        sentence = own_error(f"reporting ({what})", error)
    if sentence not in failed:
        failed.append(sentence)
    return None


def write_all(data: dict[str, Any], options: argparse.Namespace, said: list[Line], sentences: Sequence[str]) -> bool:
    """Write a result in every form that was asked for; False if one of them could not be written.

    ``said`` is what people read, ``sentences`` say what was done.
    """
    failed: list[str] = []
    for name in ("html", "junit", "sarif", "badge"):
        target = getattr(options, name, None)
        if target is not None:
            attempt(partial(_write_form, name, data, sentences, options, target), f"--{name} {target}", failed)
    target = getattr(options, "json", None)
    shown = target is not None and attempt(partial(write_json, data, target), f"--json {target}", failed)
    if not shown and getattr(options, "compact", False):
        attempt(lambda: print(_compact(data, options), end=""), "the report", failed)
    elif not shown:
        terminal: list[str] = []
        attempt(lambda: show([*said, *_step_lines(data, options)]), "the report", terminal)
        if terminal:  # then at least as plain text
            print(as_text(said))
            failed += terminal
    for sentence in failed:
        print(harmless(f"plait: {sentence}"), file=sys.stderr)
    return not failed


def _write_form(
    name: str, data: dict[str, Any], sentences: Sequence[str], options: argparse.Namespace, target: Path
) -> None:
    write_whole(_form(name, data, sentences, options), target)


def printed(data: dict[str, Any], options: argparse.Namespace, said: Callable[[Layout], list[Line]]) -> str:
    """Return what `write_all` prints where it is read from no terminal, if the result does not go there as data."""
    if getattr(options, "compact", False):
        return _compact(data, options)
    layout = piped_layout(full=getattr(options, "full", False))
    return as_text([*said(layout), *_step_lines(data, options)]) + "\n"


def _compact(data: dict[str, Any], options: argparse.Namespace) -> str:
    from plait.report.compact import compact  # noqa: PLC0415 - as other forms

    return compact(data, replay_command(options))


def _step_lines(data: dict[str, Any], options: argparse.Namespace) -> list[Line]:
    """Return how to go through a finding; the command stands in one line, to be copied."""
    command = _step_command(data, options)
    if command is None:
        return []
    mend = (
        [[Span(f"A mend that is proven: {command.replace(' replay ', ' fix ', 1)}")]]
        if data["command"] == "check"
        else []
    )
    return [[Span(f"Step by step: {command} --step")], *mend]


def _form(name: str, data: dict[str, Any], sentences: Sequence[str], options: argparse.Namespace) -> str:
    """Return the result in one form; what writes it is imported when it is needed, which takes a while."""
    if name == "junit":
        from plait.report.junit import junit  # noqa: PLC0415

        return junit(data)
    if name == "sarif":
        from plait.report.sarif import sarif  # noqa: PLC0415

        return sarif(data)
    if name == "badge":
        from plait.report.compact import badge  # noqa: PLC0415

        return badge(data)
    from plait.report.html import html  # noqa: PLC0415

    return html(data, sentences, replay_command(options))


def _step_command(data: dict[str, Any], options: argparse.Namespace) -> str | None:
    """Return how to go through a finding from here: with the result if it was written, else with a regression test."""
    able = [each for each in data["findings"] if "schedule" in each and "test" in each]
    if data["command"] in ("explore", "fix") or not able or str(getattr(options, "markdown", "")) == "-":
        return None
    command = replay_command(options)
    if command is None and "root" in data and able[0].get("reproducer"):
        command = shlex.join(["plait", "replay", able[0]["reproducer"]])
    return command


def replay_command(options: argparse.Namespace) -> str | None:
    """Return the command that shows the findings again: from the result file, else from the page."""
    written = [getattr(options, name, None) for name in ("json", "html")]
    file = next((str(each) for each in written if each is not None and str(each) != "-"), None)
    if file is None:
        return None
    path = str(getattr(options, "path", "."))
    return shlex.join(["plait", "replay", file, *(["--path", path] if path != "." else [])])


def write_json(data: dict[str, Any], target: Path) -> bool:
    """Write a result file, whole or not at all; True if it went to the terminal."""
    return write_whole(json_text(data), target)


def json_text(data: dict[str, Any]) -> str:
    """Return what stands in a result file."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def write_whole(content: str, target: Path) -> bool:
    """Write a file, whole or not at all; True if it went to the terminal."""
    if str(target) == "-":
        sys.stdout.write(content)
        return True
    data = content.encode("utf-8", "replace")
    if target.exists() and not target.is_file():  # a pipe, or a device: nothing could take its place
        target.write_bytes(data)
    else:
        write_whole_file(target, data)
    return False


def check_text(result: Result, layout: Layout = Layout()) -> list[Line]:  # noqa: B008 - immutable
    """Return the result as people read it."""
    lines: list[Line] = []
    if result.findings and result.more.get("mentions_threads") is False:
        owner = result.subject.rpartition(":")[2] or result.subject
        said = f"{owner} does not claim to be thread-safe: there is no lock and no word of threads in its module"
        lines += [*prose(f"{said}, nor in the package's documents.", layout), []]
    total = len(result.findings)
    groups = [[number] for number in range(1, total + 1)] if layout.full else _groups(result.findings)
    in_full, listed = (total, total) if layout.full else (SHOWN, LISTED)
    for numbers in groups[:in_full]:
        lines += finding_lines(result.findings[numbers[0] - 1], layout, numbers[0], total)
        if len(numbers) > 1:
            mend, more = result.findings[numbers[0] - 1].mend, len(numbers) - 1
            others = f"{_numbered(numbers[1:])} {'reaches it another way' if more == 1 else 'reach it in other ways'}"
            them = "it" if more == 1 else "them"
            lines += prose(f"To mend: {mend}. {others.capitalize()} (--full shows {them}).", layout, indent=2)
        lines.append([])
    for numbers in groups[in_full:listed]:
        others = f" (and {len(numbers) - 1} more to reach it)" if len(numbers) > 1 else ""
        summary = f"[{numbers[0]}/{total}] {result.findings[numbers[0] - 1].summary}{others}"
        lines += prose(summary, layout, "bad", hang=4)
    if len(groups) > listed:
        lines += prose(f"... and {sum(map(len, groups[listed:]))} more", layout)
    if len(groups) > in_full:
        lines += prose(f"--full shows all of them as the first {in_full}.", layout)
    head, *rest = statement(result)
    lines += [*([[]] if len(groups) > in_full else []), *prose(head, layout, "good" if _is_good(result) else "bad")]
    lines += [line for said in rest for line in prose(said, layout)]
    pairs = result.more.get("pairs", [])
    drawn = [
        curve(result.more.get("coverage_over_time", []), len(pairs), min(WIDTH, layout.width - 40)),
        *matrix(pairs),
    ]
    lines += indented([[Span(line)] for line in drawn if line])
    notes = [note for note in result.notes if note != result.more.get("reason")]
    return [*lines, *(line for note in notes for line in prose(f"note: {note}", layout, "note"))]


def _is_good(result: Result) -> bool:
    return result.verdict in ("none", "pass", "clean", "improvement")


def _groups(findings: Sequence[Finding]) -> list[list[int]]:
    """Return the numbers of the findings, from 1, those that are mended in one place together."""
    found: dict[object, list[int]] = {}
    for number, finding in enumerate(findings, 1):
        found.setdefault(finding.group or f"finding {number}", []).append(number)
    return list(found.values())


def _numbered(numbers: Sequence[int]) -> str:
    return f"finding {numbers[0]}" if len(numbers) == 1 else f"findings {numbers[0]} to {numbers[-1]}"


_ENDED = {
    "budget": "limit reached", "finding": "search ended after the last new finding", "exhausted": "all tests tried",
    "interrupt": "interrupted",
}  # fmt: skip


def statement(result: Result) -> list[str]:
    """Return what was done and how far it reaches: a pass is evidence, so it says of what."""
    stats = result.stats
    found = len(result.findings)
    places = len(_groups(result.findings))
    mended = f", to be mended in {places} place{'s' if places > 1 else ''}," if places < found else ""
    counted = f"{found} thread-safety violation{'s' if found != 1 else ''}{mended}"
    said = counted if found else "No thread-safety violation found" if stats["tests"] else "No test could be run"
    if result.verdict == "inconclusive" and stats["tests"]:
        said = "No conclusion: what ran is no evidence"
    reason = [f"Why: {result.more['reason']}."] if result.verdict == "inconclusive" and "reason" in result.more else []
    done = f"{stats['tests']} tests, {stats['schedules']} schedules; {stats.get('tests_exhausted', 0)} tests explored "
    count, covered = stats["method_pairs"], stats["method_pairs_covered"]
    which = "the one pair" if count == covered == 1 else f"{covered} of {count} pairs"
    pairs = f"{which} of methods ran concurrently."
    return [
        f"{said} in {result.subject} ({result.elapsed_s:.1f} s; {_ENDED.get(result.stopped_by, result.stopped_by)}).",
        *reason,
        f"{done}completely; {pairs}",
    ]


# -- check text --------------------------------------------------------------------------------------------------------
# Which pairs of methods ran concurrently, and how that grew, as a small picture for the terminal.


MOST_METHODS = 16  # a larger matrix fits no terminal
WIDTH = 40
_BARS = "▁▂▃▄▅▆▇█"
COVERED, TRIED, OPEN = "●", "○", "·"


def curve(coverage: Sequence[Sequence[float]], pairs: int, wide: int = WIDTH) -> str:
    """Return one line: covered pairs over time, from nothing to all of them."""
    if not coverage or pairs < 2:
        return ""
    end = max(coverage[-1][0], 1e-9)
    marks = []
    for column in range(wide):
        until = end * (column + 1) / wide
        covered = max((count for when, count in coverage if when <= until), default=0)
        marks.append(_BARS[min(len(_BARS) - 1, int(covered * len(_BARS) / pairs))])
    return f"pairs covered over {end:.0f} s: {''.join(marks)} {coverage[-1][1]:.0f} of {pairs}"


def matrix(pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lower triangle of the method pairs: covered, tried or neither.

    Nothing for a class with many methods.
    """
    names = sorted({name for row in pairs for name in row["methods"]})
    if not 1 < len(names) <= MOST_METHODS:
        return []
    marks = {frozenset(row["methods"]): COVERED if row["covered"] else TRIED if row["tried"] else OPEN for row in pairs}
    wide = max(map(len, names))
    lines = [
        f"{name:>{wide}} {' '.join(marks.get(frozenset((name, other)), ' ') for other in names[: number + 1])}"
        for number, name in enumerate(names)
    ]
    return [*lines, f"{COVERED} ran concurrently   {TRIED} tried   {OPEN} not tried"]
