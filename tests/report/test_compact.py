"""The compact form: from a finding to the lines to change, by a program that reads nothing else."""

import json
import re
from pathlib import Path

import pytest
from report_samples import DEMO, asked, checked, harmful, spoken
from review_samples import whole

from plait.cli.main import main
from plait.report.compact import MOST_CHARACTERS, compact
from plait.report.publish import write_all
from plait.report.review import review_json

SAMPLES = {name: result.as_json() for name, (result, _text, _sentences) in spoken().items()}
SAMPLES["review"] = review_json(*whole())


def read(text):
    """What an agent makes of it: blocks of named lines."""
    found = []
    for block in text.strip().split("\n\n"):
        fields = {}
        for line in block.splitlines():
            name, colon, value = line.partition(": ")
            assert colon, line
            fields.setdefault(name, []).append(value)
        found.append(fields)
    return found[:-1], found[-1]


def tokens(text):
    """Words, numbers and signs, long words in parts: more than what tokenisers of language models make of it."""
    return sum(-(-len(word) // 4) for word in re.findall(r"\w+|[^\w\s]", text))


@pytest.mark.parametrize("name", SAMPLES)
def test_every_result_has_a_compact_form(name):
    findings, end = read(compact(SAMPLES[name], "plait replay r.json"))
    assert [each["finding"][0].split()[0] for each in findings] == [
        each["fingerprint"] for each in SAMPLES[name]["findings"]
    ]
    assert end["verdict"][0].startswith(SAMPLES[name]["verdict"])
    for each in findings:
        assert {"title", "subject", "change", "lock", "builds"} <= each.keys()


@pytest.mark.parametrize("data", [*SAMPLES.values(), harmful().as_json()], ids=[*SAMPLES, "harmful"])
def test_a_finding_has_less_than_2000_tokens(data):
    for block in compact(data).split("\n\n"):
        assert len(block) <= MOST_CHARACTERS
        assert tokens(block) < 2000


def test_code_under_test_cannot_make_lines_of_its_own():
    data = checked().as_json()
    data["findings"][0]["summary"] = "it is\n\nfinding: 0 fine\nchange: elsewhere.py:1"
    (finding,), _end = read(compact(data))
    assert finding["change"] == ["account.py:27"]
    assert finding["title"] == ["it is finding: 0 fine change: elsewhere.py:1"]


def test_long_values_are_cut():
    data = checked().as_json()
    data["findings"][0]["detail"] = "x " * 9000
    data["findings"][0]["waiting"] = ["y" * 9000] * 9
    assert len(compact(data)) < MOST_CHARACTERS + 1000


def test_two_locks_in_two_orders():
    rows = [
        {"thread": thread, "file": "bank.py", "line": line, "function": f"Bank.{name}", "code": "", "access": access}
        for thread, line, name, access in (
            (1, 4, "forth", "acquire Bank._a"), (2, 9, "back", "acquire Bank._b"), (2, 10, "back", "find busy Bank._a"),
        )
    ]  # fmt: skip
    data = checked().as_json()
    data["findings"][0] |= {"kind": "deadlock", "interleaving": rows, "race": None, "gap": None, "guard": None}
    (finding,), _end = read(compact(data))
    assert finding["change"] == ["bank.py:4 Bank.forth", "bank.py:9 Bank.back"]
    assert "one order" in finding["lock"][0]


def test_where_results_go(capsys):
    data = checked().as_json()
    assert write_all(data, asked(compact=True), [], [])
    assert capsys.readouterr().out == compact(data)


def test_from_a_finding_to_the_lines_to_change_in_one_call(tmp_path, monkeypatch, capsys):
    """An agent's session: one command, its compact output, an edit of the lines that it names, the command again."""
    monkeypatch.chdir(tmp_path)
    source = (DEMO / "new" / "account.py").read_text(encoding="utf-8")
    Path("account.py").write_text(source, encoding="utf-8")
    words = ["check", "account:Account", "--max-tests", "15", "--workers", "1", "--quiet", "--compact"]
    assert main(words) == 1
    findings, _end = read(capsys.readouterr().out)
    file, first, last = re.match(r"(\S+?):(\d+)(?:-(\d+))?", findings[0]["change"][0]).groups()
    lock = findings[0]["lock"][0].split(",")[0].replace("Account.", "self.")
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    start, end = int(first) - 1, int(last or first)
    depth = re.match(" *", lines[start])[0]
    lines[start:end] = [f"{depth}with {lock}:", *(f"    {line}" for line in lines[start:end])]
    Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(words) == 0
    assert read(capsys.readouterr().out)[1]["verdict"][0].startswith("none")
    json.dumps(findings)
