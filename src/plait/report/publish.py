"""Publish a result: to the terminal, to the requested files, and as reproducers."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from plait.errors import guarded, own_error
from plait.model.choices import FORMS
from plait.model.command_results import CheckResult
from plait.model.files import write_whole_file
from plait.model.finding import Finding
from plait.model.foreign import harmless
from plait.model.result import Result, confinement_note
from plait.report.check_text import check_statement, check_text
from plait.report.layout import Layout, Line, Span, as_text, fitted, piped_layout, show, terminal_layout
from plait.report.reproducer import OUT, write_reproducer

_LIMITING = frozenset({
    "--budget", "--max-tests", "--max-schedules", "--threads", "--generate", "--schedule", "--capp", "--path",
    "--curve",
})  # fmt: skip
_T = TypeVar("_T")
_R = TypeVar("_R", bound=Result)


def publish(result: CheckResult, options: argparse.Namespace, project: Path) -> bool:
    """Write all requested forms; return False if one is missing. Reproducers are first: the result names them.

    A form that cannot be written costs no finding: the others are written, and standard error names the missing one.
    """
    failed: list[str] = []
    reproduce(result.findings, result, failed)
    result.notes += failed
    return publish_result(result, options, check_text, check_statement)


def publish_result(
    result: _R, options: argparse.Namespace, said: Callable[[_R, Layout], list[Line]],
    sentences: Callable[[_R], list[str]],
) -> bool:  # fmt: skip
    """Write a result, ``said`` in words, in every form that was asked for; plainly where the words cannot be found."""
    said_of_layers = confinement_note()
    if said_of_layers and said_of_layers not in result.notes:
        result.notes.append(said_of_layers)
    layout = terminal_layout(full=getattr(options, "full", False))
    # The sentences first: the words end with the notes, which say what could not be made before.
    shown = guarded("reporting", lambda: sentences(result), result.notes) or [result.verdict]
    words = guarded("reporting", lambda: said(result, layout), result.notes) or fitted(plainly(result), layout)
    return write_all(result.as_json(), options, words, shown)


def reproduce(findings: Iterable[Finding], result: CheckResult, failed: list[str]) -> None:
    """Write a regression test for each of a check's findings that can have one; ``failed`` says what cannot be."""
    for finding in findings:
        if finding.test is not None and finding.schedule is not None and finding.reproducer is None:
            written = attempt(partial(_reproduced, finding, result), f"a regression test in {OUT}", failed)
            finding.reproducer = None if written is None else str(written)


def _reproduced(finding: Finding, result: CheckResult) -> Path:
    root = Path(result.more["root"]) if "root" in result.more else None
    probes = result.more.get("probes", []) if finding.probed else []
    return write_reproducer(finding, result.subject, OUT, root, probes, result.more.get("rules"))


def plainly(result: Result) -> str:
    """Return the findings and notes line by line, for the case that the report cannot be made."""
    found = [f"[{number}/{len(result.findings)}] {each.summary}" for number, each in enumerate(result.findings, 1)]
    return "\n".join([*found, f"verdict: {result.verdict}", *(f"note: {note}" for note in result.notes)])


def attempt(act: Callable[[], _T], what: str, failed: list[str]) -> _T | None:
    """Return the result of ``act``; on an error return None, and add a sentence about ``what`` to ``failed``."""
    try:
        return act()
    except BrokenPipeError:  # the reader has closed the output; the exit code still says what was found
        close_output()
        return None
    except OSError as error:
        sentence = f"{what} cannot be written ({error.strerror or error})"
    except Exception as error:
        sentence = own_error(f"reporting ({what})", error)
    if sentence not in failed:
        failed.append(sentence)
    return None


def close_output() -> None:
    """Discard all further output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_all(data: dict[str, Any], options: argparse.Namespace, said: list[Line], sentences: Sequence[str]) -> bool:
    """Write a result in every form that was asked for; False if one of them could not be written.

    ``said`` is what people read, ``sentences`` say what was done.
    """
    failed: list[str] = []
    shown = False  # whether one form went to the terminal: anything beside it would spoil it for its reader
    for name in FORMS:
        target = getattr(options, name, None)
        if target is not None:
            form = partial(_write_form, name, data, sentences, options, target)
            shown = attempt(form, f"--{name} {target}", failed) or shown
    target = getattr(options, "json", None)
    if target is not None:
        shown = attempt(partial(write_json, data, target), f"--json {target}", failed) or shown
    if not shown and getattr(options, "compact", False):
        attempt(lambda: print(_compact(data, options), end=""), "the report", failed)
    elif not shown:
        terminal: list[str] = []
        # Where the result could not be written, there is nothing to go on with.
        attempt(lambda: show([*said, *([] if failed else _step_lines(data, options))]), "the report", terminal)
        if terminal:  # then at least as plain text
            print(as_text(said))
            failed += terminal
    for sentence in failed:
        print(harmless(f"plait: {sentence}"), file=sys.stderr)
    return not failed


def _write_form(
    name: str, data: dict[str, Any], sentences: Sequence[str], options: argparse.Namespace, target: Path
) -> bool:
    return write_whole(_form(name, data, sentences, options), target)


def printed(data: dict[str, Any], options: argparse.Namespace, said: Callable[[Layout], list[Line]]) -> str:
    """Return what `write_all` prints where it is read from no terminal, if the result does not go there as data."""
    if getattr(options, "compact", False):
        return _compact(data, options)
    layout = piped_layout(full=getattr(options, "full", False))
    return as_text([*said(layout), *_step_lines(data, options)]) + "\n"


def _compact(data: dict[str, Any], options: argparse.Namespace) -> str:
    from plait.report.compact import compact  # noqa: PLC0415 - as other forms

    return compact(data, _replay_command(options))


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

    return html(data, sentences, _replay_command(options), _limits(getattr(options, "words", ())))


def _limits(words: Sequence[str]) -> list[str]:
    """Return what the command line says about how much is tried, and how."""
    found: list[str] = []
    for number, word in enumerate(words):
        name, equals, _value = word.partition("=")
        if name in _LIMITING:
            found += [word] if equals else words[number : number + 2]
    return found


def _step_command(data: dict[str, Any], options: argparse.Namespace) -> str | None:
    """Return how to go through a finding from here: with the result if it was written, else with a regression test."""
    able = [each for each in data["findings"] if "schedule" in each and "test" in each]
    if data["command"] in ("explore", "fix") or not able or str(getattr(options, "markdown", "")) == "-":
        return None
    command = _replay_command(options)
    if command is None and "root" in data and able[0].get("reproducer"):
        command = shlex.join(["plait", "replay", able[0]["reproducer"]])
    return command


def _replay_command(options: argparse.Namespace) -> str | None:
    """Return the command that shows the findings again: from the result file, else from the page."""
    written = [getattr(options, name, None) for name in ("json", "html")]
    file = next((str(each) for each in written if each is not None and str(each) != "-"), None)
    if file is None:
        return None
    path = str(getattr(options, "path", "."))
    return shlex.join(["plait", "replay", file, *(["--path", path] if path != "." else [])])


def write_json(data: dict[str, Any], target: Path) -> bool:
    """Write a result file atomically; return True if it went to the terminal."""
    return write_whole(json_text(data), target)


def json_text(data: dict[str, Any]) -> str:
    """Return the text of a result file."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def write_whole(content: str, target: Path) -> bool:
    """Write a file atomically; return True if it went to the terminal."""
    if str(target) == "-":
        sys.stdout.write(content)
        return True
    data = content.encode("utf-8", "replace")
    if target.exists() and not target.is_file():  # a pipe, or a device: nothing could take its place
        target.write_bytes(data)
    else:
        write_whole_file(target, data)
    return False
