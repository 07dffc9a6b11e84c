"""`plait explain`: a known finding again, without running anything."""

import json
from pathlib import Path

import pytest

from plait.cli.main import main
from plait.model.finding import AccessStep, Finding
from plait.model.fingerprint import fingerprint_of
from plait.store.database import Store

ROW = {"thread": 1, "file": "", "line": 3, "function": "Stock.put", "code": "self.n", "access": "read Stock.n"}
OTHER = {**ROW, "thread": 2, "access": "write Stock.n", "value": "1"}


def finding(summary="Stock: two calls of `put` can lose one", function="Stock.put"):
    here = str(Path.cwd() / "stock.py")
    rows = [AccessStep.from_json({**row, "file": here, "function": function}) for row in (ROW, OTHER)]
    return Finding("wrong-result", summary, ["Stock.put"], interleaving=rows, race=rows, reachable={"gil": True})


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A store with two findings, one of them fixed; their fingerprints."""
    monkeypatch.chdir(tmp_path)
    Path("stock.py").write_text("class Stock:\n    def put(self):\n        self.n = self.n + 1\n", encoding="utf-8")
    names = []
    with Store(Path(".plait")) as store:
        for status, function in (("open", "Stock.put"), ("fixed", "Stock.take")):
            made = finding(function=function)
            content = {**made.as_json(), "subject": "stock:Stock"}
            store.record_finding("check stock:Stock", function, content, status=status)
            names.append(fingerprint_of(made, "stock:Stock"))
        store.record_finding("check old:Old", "old", finding().as_json())  # of a plait that kept no subject
    return names


def test_a_finding_is_shown_from_the_store(kept, capsys):
    assert main(["explain", kept[0]]) == 0
    said = capsys.readouterr().out
    assert "Stock: two calls of `put` can lose one" in said
    assert "self.n = self.n + 1" in said
    assert f"{kept[0]} in stock:Stock: open, last looked at " in said
    assert str(Path.cwd()) not in said


def test_the_beginning_of_a_fingerprint_is_enough(kept, capsys):
    assert main(["explain", kept[1][:6].upper()]) == 0
    assert f"{kept[1]} in stock:Stock: fixed" in capsys.readouterr().out


def test_for_programs(kept, capsys):
    assert main(["explain", kept[0], "--compact"]) == 0
    assert capsys.readouterr().out.startswith(f"finding: {kept[0]} wrong-result\ntitle: Stock: two calls")
    assert main(["explain", kept[0], "--json", "-"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["fingerprint"], data["subject"], data["race"][0]["file"]) == (kept[0], "stock:Stock", "stock.py")


def test_without_a_fingerprint_all_are_listed(kept, capsys):
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[:2] for line in lines) == sorted([[kept[0], "open"], [kept[1], "fixed"]])


@pytest.mark.parametrize("text", ["0000000000000000", "xyz", "", "ab"])
def test_what_is_not_known_is_one_line(kept, capsys, text):
    assert main(["explain", text]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "knows no finding" in said


def test_without_a_store_nothing_is_made(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "0123456789abcdef"]) == 2
    assert main(["explain"]) == 0
    assert "holds no findings" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_what_a_check_finds_can_be_explained(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("stock.py").write_text(
        "class Stock:\n    n = 0\n    def put(self):\n        self.n = self.n + 1\n", encoding="utf-8"
    )
    assert main(["check", "stock:Stock", "--max-tests", "6", "--workers", "1", "--quiet", "--json", "r.json"]) == 1
    capsys.readouterr()
    Path("stock.py").unlink()  # nothing is run, nothing is read
    for each in json.loads(Path("r.json").read_text(encoding="utf-8"))["findings"]:
        assert main(["explain", each["fingerprint"]]) == 0
        assert each["summary"].split()[0] in capsys.readouterr().out


def test_what_two_commands_have_stored_is_listed_once(kept, capsys):
    """An audit and a check keep the same finding under keys of their own."""
    with Store(Path(".plait")) as store:
        content = {**finding().as_json(), "subject": "stock:Stock"}
        store.record_finding("check stock:Stock with other settings", "Stock.put", content)
    assert main(["explain"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(kept)
    assert main(["explain", kept[0]]) == 0
    assert capsys.readouterr().out.count("in stock:Stock: ") == 1


def test_one_fault_is_listed_once_whatever_its_tests_said(kept, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    with Store(Path(".plait")) as store:
        content = {
            **finding("Stock: `put` can lose what another call of `put` has stored").as_json(),
            "subject": "stock:Stock",
        }
        store.record_finding("check stock:Stock", "once more", content, status="open")
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:16] for line in lines].count(kept[0]) == 1
    assert all(line.startswith((*kept, " " * 28)) for line in lines)  # the summary is a column
    assert len(lines) > len(kept)
