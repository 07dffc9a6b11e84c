"""What the process of the tests tells is not believed: it may be code under test that tells it."""

import json
import os

import pytest

from plait.commands.explore.account import read_account_lines, read_accounts
from plait.errors import UsageError

TOLD = {"test": "t.py::test", "ran": "explored", "outcome": "passed", "schedules": 3, "search": "dpor", "new": [1]}
FAILURE = {
    "kind": "deadlock", "summary": "s", "details": [], "exception": None, "preemptions": 0, "token": None,
    "schedule": None, "interleaving": [], "reachable": {}, "confirmed_on_threads": None, "text": "t", "names": {},
}  # fmt: skip


def written(folder, content):
    file = folder / "account.json"
    file.write_text(content)
    return file


def test_an_account_is_read(tmp_path):
    file = written(tmp_path, json.dumps({"tests": [{**TOLD, "failure": FAILURE}]}))
    assert read_accounts(file) == ([{**TOLD, "failure": FAILURE, "why": "it does not say"}], None)
    (tmp_path / "lines").write_text('{"started": "a"}\n' + json.dumps(TOLD) + "\n{half")
    assert read_account_lines(tmp_path / "lines") == ([{**TOLD, "why": "it does not say"}], ["a"])


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "{}", '{"tests": 1}', '{"tests": [1]}', '{"tests": [{"test": "a"}]}', "[" * 100_000,
        json.dumps({"tests": [{**TOLD, "schedules": "many"}]}), json.dumps({"tests": [{**TOLD, "bugs": "x"}]}),
        json.dumps({"tests": [{**TOLD, "failure": {"kind": "deadlock"}}]}),
        json.dumps({"tests": [{**TOLD, "failure": {**FAILURE, "interleaving": [{"line": 1}]}}]}),
    ],
)  # fmt: skip
def test_what_is_no_account_is_told_in_one_line(content, tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_accounts(written(tmp_path, content))


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink(__file__, path)])
def test_only_files_are_read(make, tmp_path):
    make(tmp_path / "account.json")
    with pytest.raises(UsageError, match="cannot be read"):
        read_accounts(tmp_path / "account.json")
