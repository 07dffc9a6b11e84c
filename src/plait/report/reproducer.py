"""Write a finding as a pytest file that fails while the fault exists; the file calls `plait.reproduce`."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from pprint import pformat
from typing import Any

from plait import __version__
from plait.judge.difference.outcome import Outcome, View
from plait.judge.difference.words import described
from plait.judge.oracle.causes import cause
from plait.judge.oracle.probes import filled
from plait.model.files import file_text, make_folder, write_whole_file
from plait.model.finding import Finding
from plait.model.test import Call, Test
from plait.subject.changes.change import Side


def reproducer_text(
    finding: Finding, subject: str, path: str | None, probes: list[str], rules: dict[str, Any] | None = None
) -> str:
    """Return the file's content; ``path`` is where the subject is imported from, relative to the file."""
    assert finding.test is not None
    assert finding.schedule is not None
    schedule = finding.schedule.as_json()
    arguments: list[tuple[str, Any]] = [
        ("schedule", schedule["segments"]),
        ("afterwards", [call.expression for call in filled([Call.from_line(line) for line in probes], finding.test)]),
        ("model", schedule["model"]),
        ("timeouts", schedule["timeouts"]),
        *([("rules", rules)] if rules else []),
    ]
    about = [f"Written by plait {__version__}. Fails while the fault is there, passes when it is mended."]
    return _file_text(finding, finding.test, subject, path, "assert_safe", about, arguments)


def _file_text(
    finding: Finding, test: Test, subject: str, path: str | None, function: str, about: Sequence[str],
    arguments: Sequence[tuple[str, Any]],
) -> str:  # fmt: skip
    """Return a file whose one test hands a finding's test, and these arguments, to a function of `plait.reproduce`."""
    everything: list[tuple[str, Any]] = [
        ("imports", list(test.imports)),
        ("prefix", [call.source for call in test.prefix]),
        ("threads", [[call.source for call in suffix] for suffix in test.suffixes]),
        *arguments,
    ]
    needs = ["from pathlib import Path", ""] if path is not None else []
    lines = [
        f'"""{_comment(finding.summary)}', "", *about, '"""', "",
        *needs, f"from plait.reproduce import {function}", "", "",
        f"def test_{name_of(finding)}():", f"    {function}(", f"        {subject!r},",
    ]  # fmt: skip
    if path is not None:
        lines.append(f"        path=Path(__file__).parent / {path!r},")
    for name, value in everything:
        text = pformat(value, width=100, sort_dicts=False).replace("\n", "\n" + " " * (9 + len(name)))
        lines.append(f"        {name}={text},")
    lines.append("    )")
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', "'")


def name_of(finding: Finding) -> str:
    """Return an identifier for the test and its file."""
    names = "_".join(dict.fromkeys(method.rpartition(".")[2].strip("_") for method in finding.methods))
    owner = finding.methods[0].partition(".")[0] if finding.methods else "subject"
    text = re.sub(r"\W+", "_", f"{owner}_{names}_{finding.kind}").lower().strip("_")
    return text[:80]


def write_reproducer(
    finding: Finding, subject: str, folder: Path, root: Path | None, probes: list[str],
    rules: dict[str, Any] | None = None,
) -> Path:  # fmt: skip
    """Write the file into ``folder``; the one of an earlier run that found the same is renewed."""
    path = os.path.relpath(root.resolve(), folder.resolve()) if root is not None else None
    text = reproducer_text(finding, subject, path, probes, rules)
    return write_own(folder, f"test_{name_of(finding)}", text, subject, str(path), cause(finding))


# -- diff reproducer ---------------------------------------------------------------------------------------------------
# Writes a difference as a pytest file that fails on the version which can do more, and passes on the other one.


OUT = Path("plait-out")


def write_diff_reproducer(
    finding: Finding,
    subject: str,
    root: Path | None,
    view: View,
    *,
    allowed: Collection[Outcome],
    version: Side,
    folder: Path = OUT,
) -> str:
    """Write the file; ``allowed`` is all that one ``version`` can do.

    ``root`` is where the subject is imported from. The file of an earlier run that found the same is renewed.
    """
    path = os.path.relpath(root.resolve(), folder.resolve()) if root is not None else None
    text = _text(finding, subject, path, view, allowed, version)
    about = () if finding.only_new else ("vanished",)  # both kinds may be found at once
    return str(write_own(folder, f"test_{name_of(finding)}", text, subject, str(path), cause(finding), *about))


def _text(
    finding: Finding, subject: str, path: str | None, view: View, allowed: Collection[Outcome], version: Side,
) -> str:  # fmt: skip
    assert finding.test is not None
    assert finding.schedule is not None
    about = [
        f"Written by plait {__version__}. `allowed` is all that the {version} version can do, whatever the",
        "interleaving: the test passes on it, and fails on code that can do anything else.",
    ]
    arguments = [
        ("allowed", {outcome_digest(each): in_words(each, finding.test, view) for each in allowed}),
        ("schedule", finding.schedule.as_json()), ("view", view.as_json()),
    ]  # fmt: skip
    return _file_text(finding, finding.test, subject, path, "assert_outcomes", about, arguments)


def outcome_digest(outcome: Outcome) -> str:
    """Return a short name for an outcome, the same in every process."""
    parts = tuple(outcome) if outcome.objects else tuple(outcome)[:-1]
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def in_words(outcome: Outcome, test: Test, view: View) -> str:
    """Return an outcome as one line."""
    said = described(outcome, test, [call.expression for call in view.probes])
    parts = [f"{call.partition(': ')[2]} {what}" for call, what in said["calls"].items()]
    parts += [f"{path} {value}" for path, value in said.get("state", {}).items()]
    parts += [f"{text} {what}" for text, what in said.get("afterwards", {}).items()]
    parts += [said["objects"]] if "objects" in said else []
    if said["status"] != "finished":
        parts.append(said["status"])
    line = "; ".join(parts)
    return line if len(line) <= 300 else line[:297] + "..."


# -- own file ----------------------------------------------------------------------------------------------------------
# Files that plait writes beside a result, under names that are made from what was found.
#
# A later run renews such a file, but only if it is about the same finding and was not edited: the last line says
# what the file is about, and has a hash of its content when it was written. Every other file keeps its name, and ours
# gets a number.


_MARK = "# plait may overwrite this file, unless somebody has edited it ({about}, {content})\n"


def write_own(folder: Path, name: str, text: str, *about: str) -> Path:
    """Write ``text`` into ``folder`` as ``name``.py, or ``name``_2.py and so on; ``about`` says what it is about."""
    make_folder(folder)
    if folder.name == OUT.name:
        _keep_apart(folder)
    topic = _short("\0".join(about))
    marked = _marked(text.encode("utf-8", "backslashreplace").decode("utf-8"), topic)
    number = 1
    while True:
        target = folder / f"{name}{'' if number == 1 else f'_{number}'}.py"
        try:
            with target.open("x", encoding="utf-8") as file:  # never what somebody else has just written
                file.write(marked)
        except FileExistsError:
            if _is_ours(target, topic):
                write_whole_file(target, marked.encode())
                return target
            number += 1
        else:
            return target


_IGNORED = "# Written by plait: what it writes here is no part of the project.\n*\n"
_CONFTEST = '''"""Written by plait: the tests in this folder run when they are named, not with those of the project."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def pytest_configure(config):
    """Leave the name of this module, and the way to it, to the project's own conftest.py."""
    every = [module for _name, module in config.pluginmanager.list_name_plugin()]
    others = [each for each in every if getattr(each, "__name__", "") == "conftest" and each.__file__ != __file__]
    if others and "conftest" in sys.modules:
        sys.modules["conftest"] = others[-1]
    sys.path[:] = [each for each in sys.path if each != str(HERE)]


def pytest_ignore_collect(collection_path, config):
    """Leave a file out unless the command line names it, or this folder."""
    named = [Path(config.invocation_params.dir, each.partition("::")[0]).resolve() for each in config.args]
    return None if any(each.is_relative_to(HERE) for each in named) else True
'''


def _keep_apart(folder: Path) -> None:
    """Let git ignore the folder, and pytest unless it is named; files of the user in it stay."""
    for name, text in ((".gitignore", _IGNORED), ("conftest.py", _CONFTEST)):
        with contextlib.suppress(FileExistsError), (folder / name).open("x", encoding="utf-8") as file:
            file.write(text)


def _marked(text: str, topic: str) -> str:
    return f"{text}\n{_MARK.format(about=topic, content=_short(text))}"


def _is_ours(file: Path, topic: str) -> bool:
    """Return whether a file is about this, and as it was written."""
    try:
        text = file_text(file)
    except (OSError, UnicodeDecodeError):
        return False
    body = text[: max(0, text.rfind("\n#"))]
    return text == _marked(body, topic)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
