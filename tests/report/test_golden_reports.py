"""What people and programs get from every command, compared with golden files (`pytest --update-golden`)."""

import json
from pathlib import Path

import pytest
from report_samples import SCHEDULE, bisected, checked, compared, shape, spoken, without_version

from plait.judge.difference.outcome import Outcome, View
from plait.report.bisect_text import bisect_text
from plait.report.diff_text import diff_statement
from plait.report.junit import junit
from plait.report.layout import as_text
from plait.report.reproducer import reproducer_text, write_diff_reproducer
from plait.report.sarif import sarif

SPOKEN = spoken()


@pytest.mark.parametrize("name", SPOKEN)
def test_the_terminal_report(name, golden):
    text = as_text(SPOKEN[name][1])
    assert all(len(line) <= 100 for line in text.splitlines())
    golden(f"{name}.txt", text)


@pytest.mark.parametrize("name", SPOKEN)
def test_the_shape_of_the_result_file(name, golden):
    golden(f"{name}.shape.json", json.dumps(shape(json.loads(json.dumps(SPOKEN[name][0].as_json()))), indent=1))


@pytest.mark.parametrize("name", SPOKEN)
def test_junit(name, golden):
    golden(f"{name}.junit.xml", without_version(junit(SPOKEN[name][0].as_json())))


@pytest.mark.parametrize("name", SPOKEN)
def test_sarif(name, golden):
    golden(f"{name}.sarif", without_version(sarif(SPOKEN[name][0].as_json())))


@pytest.mark.parametrize("verdict", ["found", "ambiguous", "none", "inconclusive"])
def test_bisect(verdict, golden):
    result = bisected(verdict)
    golden(f"bisect/{verdict}.txt", bisect_text(result))
    golden(f"bisect/{verdict}.shape.json", json.dumps(shape(json.loads(json.dumps(result.as_json()))), indent=1))


def test_the_reproducer_of_a_check(golden):
    (finding,) = checked().findings
    text = reproducer_text(finding, "account:Account", "..", ["x.balance"], {"invariant": "x.balance >= 0"})
    compile(text, "reproducer", "exec")
    golden("check/reproducer.py.txt", without_version(text))
    assert str(SCHEDULE.segments[0].until[3]) in text


def test_the_reproducer_of_a_difference(golden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (finding,) = compared().findings
    done = ("returned", None)
    allowed = [Outcome("finished", (done, done), state=(("object", "Account", (("balance", 0),)),))]
    view = View(frozenset({"withdraw"}))
    file = Path(write_diff_reproducer(finding, "account:Account", tmp_path, view, allowed=allowed, version="old"))
    text = file.read_text(encoding="utf-8")
    compile(text, "reproducer", "exec")
    golden("diff/reproducer.py.txt", without_version(text))


@pytest.mark.parametrize(("made", "left"), [(11, True), (6, False)])
def test_what_became_of_every_test_of_a_comparison_is_said(made, left):
    result = compared()
    result.stats = {**result.stats, "tests_generated": made, "tests_filtered": 5, "checks": 1, "tests_unchecked": 0}
    said = " ".join(diff_statement(result))
    assert f"{made} tests made, 5 of them skipped" in said
    assert ("; the rest was left when it was found" in said) == left
