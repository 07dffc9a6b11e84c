"""Reads a reproducer file without running it: its one call has literal arguments."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from plait.model.result import SCHEMA
from plait.model.test import Test

_ASSERTIONS = {"assert_safe": "check", "assert_outcomes": "diff"}


def result_of_reproducer(file: Path, text: str) -> dict[str, Any]:
    """The content that a result file with this one finding would have; `ValueError` if there is no such call."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ASSERTIONS:
            return _result(file, ast.get_docstring(tree) or "", _ASSERTIONS[node.func.id], node)
    raise ValueError("no call of assert_safe or assert_outcomes")


def _result(file: Path, said: str, command: str, call: ast.Call) -> dict[str, Any]:
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
