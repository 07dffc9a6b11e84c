"""The result of `plait review`: for each class one line with the effect of the change on safety and speed."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.errors import guarded
from plait.judge.review import ClassReview
from plait.model.command_results import ReviewResult
from plait.model.counted import counted
from plait.model.fingerprint import fingerprint_of
from plait.model.foreign import visible
from plait.report.closing import closing_lines
from plait.report.diff_text import difference_lines
from plait.report.explore_text import failing_tests
from plait.report.finding_text import finding_lines, thread_names
from plait.report.interleaving import table
from plait.report.layout import Layout, Line, Span, as_text, fitted, indented, prose, terminal_layout
from plait.report.perf import perf_text
from plait.report.publish import attempt, plainly, reproduce, write_all, write_whole

if TYPE_CHECKING:
    from collections.abc import Collection

    from plait.judge.performance.result import Comparison
    from plait.judge.review import Brought
    from plait.model.finding import Finding


_LONG = 140
_MOST = 3  # effects in one line


def line(review: ClassReview) -> str:
    """Return the verdict on a class, without its name and without a full stop."""
    brought = [each for each in review.brought() if each.command != "perf"][:_MOST]
    speed = _speed(review.perf)
    if not brought and review.verdict == "inconclusive":
        return f"no conclusion: {review.problem or _reasons(review)}"
    if not brought and speed is None:
        return _nothing(review)
    effects: dict[str, list[str]] = {}
    if speed is not None:
        method, said = speed
        effects.setdefault(_cause_line(review, {method}), []).append(said)
    for each in brought:
        met = {name.rpartition(".")[2] for name in each.finding.methods}
        effects.setdefault(_cause_line(review, met), []).append(effect(each))
    whole = "; ".join(f"{why} {' and '.join(said)}" for why, said in effects.items())
    return whole if brought else f"{whole}; {_behaviour(review)}"


def _cause_line(review: ClassReview, methods: Collection[str] = ()) -> str:
    """Return what the change did, as far as the source says it: to a lock in one of ``methods``, if there is one."""
    if review.locks:
        met = [each for each in review.locks if not set(each.functions).isdisjoint(methods)]
        return f"{(met or review.locks)[0]} in this change"
    change = review.touched.change
    if change is None:
        return "this new class"
    names = sorted(change.direct_methods) or sorted({way[-1].partition(":")[2] for way in change.reasons.values()})
    if not names:
        return "this change"
    shown = ", ".join(f"`{name}`" for name in names[:2])
    return f"the change to {shown}{f' and {len(names) - 2} more' if len(names) > 2 else ''}"


def effect(brought: Brought) -> str:
    """Return what a finding lets happen: "lets `put` lose updates"."""
    every = [brought.finding, *brought.also]
    losing = next((each for each in every if _loses_updates(each)), None)
    if losing is not None:
        return f"lets {_writers(losing)} lose updates"
    finding = brought.finding
    if brought.command == "explore":
        return f"makes an existing test fail: {finding.summary}"
    said = finding.effect
    if said is not None and said.who:  # else it is a combination of results, which is hard to read
        text = f"lets {said.who} {said.what}"
        whole = f"{text} ({said.before})" if said.before else text
        return whole if len(whole) <= _LONG else text
    finding = next((each for each in brought.also if each.test is not None), finding)
    calls = _calls(finding)
    return {
        "exception": f"lets {calls} raise {finding.exception}",
        "deadlock": f"lets {calls} wait for each other for ever",
        "hang": f"lets {calls} go on for ever", "crash": "makes the process crash",
        "difference": f"lets {calls} give results together that they could not give before",
    }.get(finding.kind, f"lets {calls} end as no order of them does")  # fmt: skip


def _loses_updates(finding: Finding) -> bool:
    """Return whether a thread overwrites what another one wrote after it had read: see the racing accesses."""
    race = finding.race or []
    if len(race) != 2 or finding.exception is not None or finding.kind in ("deadlock", "hang"):
        return False
    first, second = race
    if first.place != second.place or not {first.verb, second.verb} <= {"write", "insert"}:
        return False
    mine = [(step.verb, step.place) for step in finding.interleaving if step.thread == second.thread]
    return ("read", first.place) in mine


def _writers(finding: Finding) -> str:
    """Return the methods of the racing accesses, as far as they are public, else those of the test."""
    functions = [step.function.rpartition(".")[2] for step in finding.race or ()]
    names = [name for name in dict.fromkeys(functions) if name and not name.startswith("_")]
    return " and ".join(f"`{name}`" for name in names) or _methods(finding)


def _calls(finding: Finding) -> str:
    """Return the methods that meet; of a single one, its calls."""
    names = _methods(finding)
    return f"two calls of {names}" if len(set(finding.methods)) == 1 else names


def _methods(finding: Finding) -> str:
    names = list(dict.fromkeys(f"`{each.rpartition('.')[2]}`" for each in finding.methods)) or ["the class"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _speed(perf: Comparison | None) -> tuple[str, str] | None:
    """Return a method, and what became of it: "makes `get` 2.1x faster at 8 threads"."""
    if perf is None or perf.verdict not in ("regression", "improvement") or perf.speedup is None:
        return None
    best = perf.winning()[0]
    ratio = best.series(perf.scope).speedup(perf.confidence).mean
    factor, word = (ratio, "faster") if perf.verdict == "improvement" else (1 / ratio, "slower")
    changed = [name for name in best.methods if name in perf.focus] or best.methods
    return changed[0], f"makes `{changed[0]}` {factor:.1f}x {word} at {perf.threads} threads"


def _behaviour(review: ClassReview) -> str:
    """Return what is known about behaviour when nothing bad was found."""
    if review.mended:
        return _mended(review)
    if review.diff is not None and review.diff.verdict == "sequential-difference":
        return "results differ already without threads"
    told = [each for each in (review.diff, review.check) if each is not None and each.verdict != "inconclusive"]
    if told:
        return "no new behaviour under threads was found"
    return "behaviour was not compared"


def _mended(review: ClassReview) -> str:
    said = review.mended[0].effect
    return f"it rules out that {said.shortly() if said else 'threads do what they could do before'}"


def _nothing(review: ClassReview) -> str:
    """Return what was done: a pass is evidence, so it says of what."""
    done = []
    if review.diff is not None and review.diff.verdict != "inconclusive":
        done.append(f"{counted(review.diff.stats['tests_generated'], 'test')} compared")
    if review.check is not None and review.check.verdict != "inconclusive":
        done.append(f"{counted(review.check.stats['tests'], 'test')} of the new version")
    if review.explored:
        done.append(f"{counted(sum(each.stats['tests'] for each in review.explored), 'existing test')} explored")
    if review.perf is not None and review.perf.verdict == "none":
        done.append(f"as fast as before at {review.perf.threads} threads")
    evidence = f" ({', '.join(done)})" if done else ""
    return f"{_behaviour(review)}{evidence}"


def _reasons(review: ClassReview) -> str:
    if review.untold:
        return "; ".join(each.replace(": no conclusion: ", ": ", 1) for each in review.untold)
    if review.perf is not None and review.perf.verdict == "inconclusive" and review.perf.reason:
        return review.perf.reason
    return review.notes[0] if review.notes else "no test could be run"


# -- review text -------------------------------------------------------------------------------------------------------
# A review for the terminal: the verdict lines first, then what proves them.


_MARKS = {"finding": "FOUND", "known": "known", "clean": "ok", "inconclusive": "?"}


def review_text(
    result: ReviewResult,
    classes: list[ClassReview],
    layout: Layout = Layout(),  # noqa: B008 - immutable
) -> list[Line]:
    """Return the review as people read it."""
    lines: list[Line] = []
    for review in classes:
        for part in _evidence(review, layout):
            lines += [*fitted(_title(review.name, min(layout.width, layout.prose)), layout), [], *part, []]
    for review in classes:
        said = f"{_MARKS[_state(review)]:6}{review.name}: {line(review)}."
        lines += prose(said, layout, "good" if review.verdict == "clean" else "bad", hang=6)
    lines += [[]] if classes else []
    return [*lines, *closing_lines(result, review_statement(result, classes), layout)]


def _state(review: ClassReview) -> str:
    """Return the verdict on a class, ``known`` where all of its findings are accepted."""
    return "known" if review.known else review.verdict


def _title(name: str, width: int) -> str:
    return f"-- {name} {'-' * max(3, width - len(name) - 4)}"


def _evidence(review: ClassReview, layout: Layout) -> list[list[Line]]:
    """Return the report of every step that found something."""
    parts: list[list[Line]] = []
    for each in review.brought():
        if each.command == "diff" and review.diff is not None:
            parts.append(difference_lines(each.finding, review.diff, layout))
        elif each.command == "perf" and review.perf is not None:
            parts.append(fitted(perf_text(review.perf), layout))
        elif each.command == "explore":
            parts.append(
                [said for result in review.explored for test in failing_tests(result, layout) for said in test]
            )
        else:
            parts.append(finding_lines(each.finding, layout))
        if each.also:
            parts[-1] += [[], *indented(prose("The same cause:", layout))]
            parts[-1] += [said for other in each.also for said in prose(f"- {other.summary}", layout, indent=4)]
    return parts


def review_statement(result: ReviewResult, classes: list[ClassReview]) -> list[str]:
    """Return what was reviewed, what was left out, and what was there before."""
    found = sum(len(review.brought()) for review in classes)
    versions = f"{result.versions['old']} to {result.versions['new']}"
    count = f"{counted(len(classes), 'class', 'classes')} for several threads"
    if not classes:
        lines = [f"No class that is meant for several threads is touched, {versions}."]
    else:
        none = _none(result, classes)
        said = counted(found, "finding") if found else none
        lines = [f"{versions}: {count}, {said} ({result.elapsed_s:.0f} s)."]
    for review in classes:
        lines += [f"there before the change: {each.summary}" for each in review.before[:3]]
        if review.verdict != "inconclusive":
            lines += [f"{review.name}: {note}" for note in review.notes]
    return lines


def _none(result: ReviewResult, classes: list[ClassReview]) -> str:
    """Return what is said where nothing was found: a class that could not be judged is no clean one."""
    if result.verdict == "inconclusive":
        return "no conclusion"
    undecided = sum(each.verdict == "inconclusive" for each in classes)
    return f"nothing found, no conclusion about {undecided} of them" if undecided else "nothing found"


# -- review markdown ---------------------------------------------------------------------------------------------------
# A review as a comment on a pull request: a table of verdicts, then each finding with its interleaving folded up.


_SIGNS = {"finding": "❌", "known": "☑️", "clean": "✅", "inconclusive": "❔"}
_SPECIAL = re.compile(r"([\\*_\[\]<>|#~])")
MARKER = "<!-- plait review -->"
"""The first line, by which a later run finds the comment that it replaces."""


def review_markdown(result: ReviewResult, classes: list[ClassReview]) -> str:
    """Write GitHub-flavoured Markdown; nothing of the code under test becomes markup."""
    found = any(review.brought() and not review.known for review in classes)
    if not found and any(review.known for review in classes):
        none = "plait: nothing new was found"
    else:
        none = f"plait: {_none(result, classes).replace('them', counted(len(classes), 'class', 'classes'))}"
    head = "plait: this change is not safe or not as fast under threads" if found else none
    lines = [MARKER, f"### {head}", ""]
    if classes:
        lines += ["| | class | verdict |", "| --- | --- | --- |"]
        lines += [f"| {_SIGNS[_state(each)]} | `{each.name}` | {_text(line(each))} |" for each in classes]
        lines.append("")
    for review in classes:
        for each in review.brought():
            lines += _finding(review, each)
    said = [*review_statement(result, classes), *(f"note: {note}" for note in result.notes)]
    lines += [_text(part) + "  " for part in said]
    return visible("\n".join(lines) + "\n")


def _finding(review: ClassReview, brought: Brought) -> list[str]:
    finding = brought.finding
    lines = [f"<details><summary><b>{_html(review.name)}</b>: {_html(finding.summary)}</summary>", ""]
    if finding.baseline is not None:
        until = f" (until {finding.baseline.expires})" if finding.baseline.expires else ""
        lines += [f"In the baseline, {finding.baseline.status}{until}: {_text(finding.baseline.reason)}", ""]
    lines += [*_test(finding), ""]
    if finding.interleaving:
        drawn = table(finding.interleaving, names=thread_names(finding), racing=finding.race or ())
        shown = as_text(drawn)
        lines += ["How it happens:", "", *_fenced(shown), ""]
    if finding.guard is not None:
        places = ", ".join(map(_code, finding.guard.unguarded[:4]))
        field, lock = _code(finding.guard.field), _code(finding.guard.lock)
        lines += [f"{field} is guarded by {lock}, but not at {places}.", ""]
    gil = finding.reachable.get("gil")
    if gil is not None:
        lines += ["Can happen today, on builds with the GIL too." if gil else "Only on free-threaded builds.", ""]
    if brought.command == "perf" and finding.detail:
        lines += [_text(finding.detail), ""]
    if brought.also:
        lines += ["The same cause:", "", *(f"- {_text(each.summary)}" for each in brought.also), ""]
    if finding.reproducer is not None:
        what = "To measure again" if brought.command == "perf" else "Regression test"
        lines += [f"{what}: `{finding.reproducer}`", ""]
    return [*lines, "</details>", ""]


def _test(finding: Finding) -> list[str]:
    if finding.test is None:
        return []
    if finding.kind == "performance":  # the threads of a performance test all do the same, many times
        return []
    shown = [call.source for call in finding.test.prefix]
    for thread, suffix in enumerate(finding.test.suffixes, 1):
        shown += [f"# thread {thread}", *(call.source for call in suffix)]
    return _fenced("\n".join(shown), "python")


def _fenced(text: str, language: str = "") -> list[str]:
    """Return a block that its content cannot end."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence + language, text, fence]


def _code(text: Any) -> str:
    """Return a name as code; a back-tick in it does not end it."""
    return f"`{' '.join(str(text).replace('`', chr(39)).split())}`"


def _text(text: str) -> str:
    """Escape what is special in Markdown; code in back-ticks stays code."""
    parts = re.split(r"(`[^`\n]*`)", " ".join(text.split()))
    return "".join(part.replace("|", "\\|") if part.startswith("`") else _SPECIAL.sub(r"\\\1", part) for part in parts)


def _html(text: str) -> str:
    """Escape what is special in HTML; code in back-ticks becomes a code element."""
    safe = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", safe)


# -- review publish ----------------------------------------------------------------------------------------------------
# Where a review goes: the terminal and the files that were asked for, with places as git names them.


def publish_review(result: ReviewResult, classes: list[ClassReview], options: argparse.Namespace) -> None:
    """Write everything; reproducers first, because the result names them."""
    for review in classes:
        if review.check is not None:
            violations = [each.finding for each in review.brought() if each.command == "check"]
            reproduce(violations, review.check, review.notes)
    result.findings = [each.finding for review in classes for each in review.brought()]
    written = guarded("reporting", lambda: review_json(result, classes), result.notes)
    data = result.as_json() if written is None else written
    layout = terminal_layout(full=getattr(options, "full", False))
    said = guarded("reporting", lambda: review_text(result, classes, layout), result.notes)
    said = said or fitted(plainly(result), layout)
    if options.markdown is not None:
        comment = guarded("reporting", lambda: review_markdown(result, classes), result.notes) or as_text(said)
        if str(options.markdown) == "-":
            said = [[Span(each)] for each in comment.splitlines()]
        else:
            attempt(lambda: write_whole(comment, options.markdown), f"--markdown {options.markdown}", result.notes)
    sentences = guarded("reporting", lambda: review_statement(result, classes), result.notes) or [result.verdict]
    write_all({**data, "notes": result.notes}, options, said, sentences)


def review_json(result: ReviewResult, classes: list[ClassReview]) -> dict[str, Any]:
    """Return the result file. Findings are those that the change has brought; each names its class and its command."""
    result.findings = [each.finding for review in classes for each in review.brought()]
    data = result.as_json()
    top = Path(result.more["repository"])
    brought = [(review, each) for review in classes for each in review.brought()]
    data["sources"] = {}
    for found, (review, each) in zip(data["findings"], brought, strict=True):
        found |= {"subject": review.name, "command": each.command, "also": [other.summary for other in each.also]}
        found["fingerprint"] = fingerprint_of(each.finding, review.name)
        name = review.touched.subject.qualname
        if not found["summary"].startswith(f"{name}:"):  # of one class among others
            found["summary"] = f"{name}: {found['summary']}"
        if not found["interleaving"] and (place := review.changed_place()) is not None:
            found["location"] = place
        step = getattr(review, each.command) if each.command in ("diff", "check") else None
        if step is not None:
            keys = ("outcomes", "outcomes_complete", "probes", "rules")
            found.update({key: step.more[key] for key in keys if key in step.more})
            data["sources"] |= {_named(file, top, review.prefix): text for file, text in step.more["sources"].items()}
        _from_the_top(found, top, review.prefix)
    data["classes"] = [review.as_json(line(review)) for review in classes]
    return data


def _from_the_top(found: dict[str, Any], top: Path, prefix: str) -> None:
    for key in ("interleaving", "race"):
        if found.get(key):
            found[key] = [{**row, "file": _named(str(row["file"]), top, prefix)} for row in found[key]]
    if "location" in found:
        found["location"] = {**found["location"], "file": _named(found["location"]["file"], top, prefix)}
    if any("version" in row for row in found.get("interleaving", ())):  # of the old version: all names stay
        return
    if found.get("gap"):  # looked up among the steps by file and line: both need the same name
        found["gap"] = {**found["gap"], "file": _named(found["gap"]["file"], top, prefix)}
    if found.get("guard"):
        places = (place.rpartition(":") for place in found["guard"]["unguarded"])
        unguarded = [f"{_named(file, top, prefix)}:{number}" for file, _colon, number in places]
        found["guard"] = {**found["guard"], "unguarded": unguarded}


def _named(text: str, top: Path, prefix: str) -> str:
    """Return a file as git names it; those of the old version, which carry its name, stay as they are."""
    file = Path(text)
    if file.is_absolute():
        return file.relative_to(top).as_posix() if file.is_relative_to(top) else text
    return text if ":" in text or text.startswith("<") else (Path(prefix) / file).as_posix()
