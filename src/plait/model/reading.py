"""Read findings back from result files, HTML reports (which contain one) and reproducers.

These files are untrusted: they are plain data, checked field by field, and nothing is run.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plait.errors import UsageError
from plait.model.files import parse_source
from plait.model.finding import AccessStep, Guard
from plait.model.result import SCHEMA
from plait.model.schedule import Schedule
from plait.model.test import Test

MOST_BYTES = 64 * 1024 * 1024
_SUBJECT = re.compile(r"[\w./-]+:[A-Za-z_]\w*")
_PAGE = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Replayable:
    """One finding of a result file, with everything that is needed to run it again."""

    number: int  # among all findings of the file, as reports number them
    kind: str  # empty if the file does not say
    summary: str
    test: Test
    schedule: Schedule
    rows: tuple[AccessStep, ...]
    subject: str | None = None  # of a review's finding, which says itself whose it is
    old: bool = False  # whether it is the old version that shows it
    exception: str | None = None
    guard: Guard | None = None  # the lock that most accesses of what is raced for hold
    probes: tuple[str, ...] | None = None  # of a file about several classes: those of the finding's own class
    rules: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ResultFile:
    """The parts of a file that `plait replay` uses."""

    command: str
    subject: str
    versions: dict[str, str]
    findings: tuple[Replayable, ...]
    total: int  # of findings, those that cannot be replayed included
    probes: tuple[str, ...]
    rules: dict[str, Any]
    model: str = "both"
    root: Path | None = None  # where the subject was imported from

    def about(self, finding: Replayable) -> ResultFile:
        """Return the file as if it had this finding's class alone."""
        probes = self.probes if finding.probes is None else finding.probes
        return replace(self, probes=probes, rules=self.rules if finding.rules is None else finding.rules)


def read_result(file: Path) -> ResultFile:
    """Return the file's content; `UsageError` in one line if it is not a result file."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise UsageError(f"{file} is too large to be a result file")
        data = _data(file)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}{_near(file)}") from None
    except (ValueError, RecursionError, KeyError, TypeError, IndexError, SyntaxError) as error:
        advice = "give what `--json FILE` or `--html FILE` wrote, or a regression test of plait-out"
        why = "" if isinstance(error, json.JSONDecodeError | SyntaxError) else f" ({_short(error)})"
        raise UsageError(f"{file} is no result file{why}; {advice}") from None
    try:
        return _result(file, data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, SyntaxError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else f"{type(error).__name__}: {_short(error)}"
        raise UsageError(f"{file} is no result file of plait: {why}") from None


def _data(file: Path) -> Any:
    with file.open(encoding="utf-8") as opened:  # a pipe is allowed here: who names it waits for it
        text = opened.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ValueError("it is too large")
    if file.suffix == ".py":
        return _result_of_reproducer(file, text)
    if text.lstrip()[:9].lower() == "<!doctype":
        found = _PAGE.search(text)
        if found is None:
            raise ValueError("the page holds no result")
        text = found[1]
    return json.loads(text)


def _near(file: Path) -> str:
    names = [each.name for each in file.absolute().parent.glob("*") if each.suffix in (".json", ".html", ".py")]
    near = difflib.get_close_matches(file.name, names, 1)
    if file.exists():
        return ""
    if _SUBJECT.fullmatch(str(file)):
        return f"; a class is checked first: `plait check {file} --json result.json`, then give result.json"
    return f"; did you mean {file.with_name(near[0])}?" if near else ""


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:160]


def _result(file: Path, data: Any) -> ResultFile:
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise UsageError(f"{file} is no result file that this plait reads (it reads schema {SCHEMA})")
    findings = tuple(
        _finding(number, item) for number, item in enumerate(data["findings"], 1)
        if isinstance(item, dict) and "schedule" in item and "test" in item
    )  # fmt: skip
    versions = {str(name): _text(label) for name, label in data["versions"].items()}
    probes, rules = _probes(data), _rules(data)
    total = len(data["findings"])
    root = Path(_text(data["root"])) if "root" in data else None
    model = _text(data.get("model", "both"))
    return ResultFile(
        _text(data["command"]), _text(data["subject"]), versions, findings, total, probes, rules, model, root
    )


def _probes(data: dict[str, Any]) -> tuple[str, ...]:
    return tuple(_text(probe) for probe in data.get("probes", ()))


def _rules(data: dict[str, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in dict(data.get("rules") or {}).items()}


def _finding(number: int, item: dict[str, Any]) -> Replayable:
    rows = tuple(AccessStep.from_json(row) for row in item.get("interleaving", ()) if isinstance(row, dict))
    test = Test.from_json(item["test"]["source"])
    if not all(isinstance(part, str) for call in (*test.prefix, *test.calls) for part in (call.form, *call.args)):
        raise TypeError("a call is not made of text")
    if not all(isinstance(line, str) for line in test.imports):
        raise TypeError("an import is no text")
    subject = _text(item["subject"]) if "subject" in item else None
    schedule = Schedule.from_json(item["schedule"])
    old = bool(item.get("only_old")) and not item.get("only_new")
    exception = _text(item["exception"]) if item.get("exception") is not None else None
    guard = item.get("guard")
    guard = Guard.from_json(guard) if isinstance(guard, dict) and {"field", "lock"} <= guard.keys() else None
    return Replayable(
        number, _text(item["kind"]), _text(item["summary"]), test, schedule, rows, subject, old, exception, guard,
        _probes(item) if "probes" in item else None, _rules(item) if "rules" in item else None,
    )  # fmt: skip


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value


# -- reading reproducer ------------------------------------------------------------------------------------------------
# Reads a reproducer file without running it: its one call has literal arguments.


_ASSERTIONS = {"assert_safe": "check", "assert_outcomes": "diff"}


def _result_of_reproducer(file: Path, text: str) -> dict[str, Any]:
    """Return the content that a result file with this one finding would have; `ValueError` if there is no such call."""
    tree = parse_source(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ASSERTIONS:
            return _result_of_call(file, ast.get_docstring(tree) or "", _ASSERTIONS[node.func.id], node)
    raise ValueError("no call of assert_safe or assert_outcomes")


def _result_of_call(file: Path, said: str, command: str, call: ast.Call) -> dict[str, Any]:
    given = {word.arg: word.value for word in call.keywords if word.arg is not None}
    path = given.pop("path", None)
    values = {name: ast.literal_eval(value) for name, value in given.items()}
    test = Test.from_lines(values["imports"], values["prefix"], values["threads"])
    schedule = values["schedule"]
    if isinstance(schedule, list):
        model, timeouts = values.get("model", "free-threaded"), values.get("timeouts", "idle")
        schedule = {"format": 1, "model": model, "timeouts": timeouts, "segments": schedule}
    return {
        "schema": SCHEMA, "command": command, "subject": ast.literal_eval(call.args[0]),
        "versions": {"at": "worktree" if path is None else f"dir:{_folder(file, path)}"},
        "probes": values.get("afterwards", ()), "rules": values.get("rules", {}),
        "findings": [{
            "kind": "", "summary": said.partition("\n")[0], "schedule": schedule,
            "test": {**test.as_lines(), "source": test.as_json()},
        }],
    }  # fmt: skip


def _folder(file: Path, path: ast.expr) -> Path:
    """``Path(__file__).parent / 'folder'``, as the file that holds it would have it."""
    if not isinstance(path, ast.BinOp) or not isinstance(path.right, ast.Constant):
        raise ValueError("path is not given as Path(__file__).parent / '...'")  # noqa: TRY004 - of the file's content
    return (file.resolve().parent / str(path.right.value)).resolve()
