"""Result files may come from anybody: whatever is in them, the answer is a result or one clear line."""

import json
from pathlib import Path
from random import Random

import pytest

from plait.errors import UsageError
from plait.model.finding import AccessStep, Finding
from plait.model.reading import read_result
from plait.model.result import Result
from plait.model.schedule import Schedule, Segment
from plait.model.test import Test

PLACE = ("account", "Account.withdraw", "write", "self.balance", 0)


def result_file(folder):
    test = Test.from_lines(["from account import Account"], ["x = Account()"], [["x.withdraw(1)"], ["x.deposit(2)"]])
    schedule = Schedule((Segment(1, PLACE, 2), Segment(2), Segment(1)))
    step = AccessStep(1, "account.py", 3, "Account.withdraw", "self.balance", "read", "Account.balance")
    finding = Finding("wrong-result", "lost", ["Account.withdraw"], test, schedule=schedule, interleaving=[step])
    result = Result("check", "account:Account", "violation", {"at": "worktree"}, findings=[finding])
    file = folder / "result.json"
    file.write_text(json.dumps(result.as_json()))
    return file


def test_a_result_comes_back(tmp_path):
    read = read_result(result_file(tmp_path))
    assert (read.command, read.subject, read.versions) == ("check", "account:Account", {"at": "worktree"})
    (finding,) = read.findings
    assert finding.test.as_lines() == {"prefix": ["x = Account()"], "suffixes": [["x.withdraw(1)"], ["x.deposit(2)"]]}
    assert finding.schedule.segments[0] == Segment(1, PLACE, 2)


def mutants(text, random):
    """Bit flips, truncations, wrong types, huge numbers, deep nesting."""
    data = json.loads(text)
    paths = [path for path, _ in leaves(data)]
    strange = [None, 0, -1, 10**400, 1.5, [], {}, "", "x" * 5000, [[[[]]]], True, {"a": {"b": []}}]
    for _ in range(400):
        copy = json.loads(text)
        replace(copy, random.choice(paths), random.choice(strange))
        yield json.dumps(copy)
    for _ in range(300):
        raw = bytearray(text.encode())
        raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
        yield bytes(raw)
    for _ in range(298):
        yield text[: random.randrange(len(text))]
    yield "[" * 100_000
    yield '{"schema": 1, "findings": ' + '{"a":' * 5000 + "1" + "}" * 5000 + "}"


def leaves(value, path=()):
    yield path, value
    if isinstance(value, dict):
        for key, held in value.items():
            yield from leaves(held, (*path, key))
    elif isinstance(value, list):
        for index, held in enumerate(value):
            yield from leaves(held, (*path, index))


def replace(data, path, value):
    for key in path[:-1]:
        data = data[key]
    if path:
        data[path[-1]] = value


def test_a_thousand_mutated_files_give_a_result_or_one_clear_line(tmp_path):
    file = result_file(tmp_path)
    refused = 0
    for mutant in mutants(file.read_text(), Random(7)):
        target = tmp_path / "mutant.json"
        target.write_bytes(mutant if isinstance(mutant, bytes) else mutant.encode())
        try:
            read_result(target)
        except UsageError as error:
            refused += 1
            assert "\n" not in str(error)
            assert str(target) in str(error) or "schedule" in str(error)
    assert refused > 500  # most mutations break something that is read


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"schema": 2}', "null"])
def test_other_files_are_refused(tmp_path, text):
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(UsageError):
        read_result(file)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_result(tmp_path / "nothing.json")


def test_a_class_given_for_a_file_says_what_to_do_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"plait check shop\.stock:Stock --json result\.json"):
        read_result(Path("shop.stock:Stock"))


def test_what_a_file_lacks_is_named(tmp_path):
    file = tmp_path / "other.json"
    file.write_text('{"schema": 1}', encoding="utf-8")
    with pytest.raises(UsageError, match=r"is no result file of plait: it has no 'findings'$"):
        read_result(file)


def test_imports_that_are_no_text_are_refused(tmp_path):
    file = result_file(tmp_path)
    data = json.loads(file.read_text())
    data["findings"][0]["test"]["source"]["imports"] = [5]
    file.write_text(json.dumps(data))
    with pytest.raises(UsageError, match="an import is no text"):
        read_result(file)
