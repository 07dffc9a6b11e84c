"""Where a review goes: the terminal and the files that were asked for, with places as git names them."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from plait.errors import guarded
from plait.judge.review import ClassReview
from plait.model.result import Result
from plait.report.publish import OUT, attempt, plainly, write_all, write_whole
from plait.report.reproducer import write_reproducer
from plait.report.review_line import line
from plait.report.review_markdown import review_markdown
from plait.report.review_text import review_text, statement


def publish_review(result: Result, classes: list[ClassReview], options: argparse.Namespace) -> None:
    """Write everything; reproducers first, because the result names them."""
    for review in classes:
        _reproduce(review)
    result.findings = [each.finding for review in classes for each in review.brought()]
    written = guarded("reporting", lambda: review_json(result, classes), result.notes)
    data = result.as_json() if written is None else written
    said = guarded("reporting", lambda: review_text(result, classes), result.notes) or plainly(result)
    if options.markdown is not None:
        comment = guarded("reporting", lambda: review_markdown(result, classes), result.notes) or said
        if str(options.markdown) == "-":
            said = comment
        else:
            attempt(lambda: write_whole(comment, options.markdown), f"--markdown {options.markdown}", result.notes)
    sentences = guarded("reporting", lambda: statement(result, classes), result.notes) or [result.verdict]
    write_all({**data, "notes": result.notes}, options, said, sentences)


def _reproduce(review: ClassReview) -> None:
    for each in review.brought():
        finding, check = each.finding, review.check
        if each.command == "check" and check is not None and finding.test and finding.schedule:
            root = Path(check.more["root"]) if "root" in check.more else None
            probes = check.more.get("probes", []) if "afterwards" in finding.detail else []
            write = partial(
                write_reproducer, finding, review.name, Path(OUT), root, probes, check.more.get("rules")
            )
            written = attempt(write, f"a regression test in {OUT}", review.notes)
            finding.reproducer = None if written is None else str(written)


def review_json(result: Result, classes: list[ClassReview]) -> dict[str, Any]:
    """The result file. Findings are those that the change has brought; each names its class and its command."""
    result.findings = [each.finding for review in classes for each in review.brought()]
    data = result.as_json()
    top = Path(result.more["repository"])
    brought = [(review, each) for review in classes for each in review.brought()]
    data["sources"] = {}
    for found, (review, each) in zip(data["findings"], brought, strict=True):
        found |= {"subject": review.name, "command": each.command, "also": [other.summary for other in each.also]}
        name = review.touched.subject.qualname
        if not found["summary"].startswith(f"{name}:"):  # of one class among others
            found["summary"] = f"{name}: {found['summary']}"
        if not found["interleaving"] and (place := review.changed_place()) is not None:
            found["location"] = place
        step = getattr(review, each.command) if each.command in ("diff", "check") else None
        if step is not None:
            found.update({key: step.more[key] for key in ("outcomes", "outcomes_complete") if key in step.more})
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


def _named(text: str, top: Path, prefix: str) -> str:
    """A file as git names it; those of the old version, which carry its name, stay as they are."""
    file = Path(text)
    if file.is_absolute():
        return file.relative_to(top).as_posix() if file.is_relative_to(top) else text
    return text if ":" in text or text.startswith("<") else (Path(prefix) / file).as_posix()
