"""What people and programs read, from a comparison that is written down here."""

import ast
import json
from pathlib import Path

import pytest
from report_samples import asked, comparison

from plait.judge.performance.result import Comparison
from plait.report.html import html
from plait.report.perf import perf_statement, perf_text, publish_perf
from plait.report.perf_script import Origin, script_text
from plait.run.native.pair import Place


@pytest.fixture
def found():
    return comparison()


def test_the_report_says_where_the_time_goes(found):
    assert "contention on `self._lock`: 3 % to 41 % of the threads' time" in perf_text(found)


def test_the_summary_is_one_line_with_the_interval(found):
    summary = found.summary()
    assert "\n" not in summary
    assert "1.45 times slower at 8 threads" in summary  # the geometric mean of 2, 1.5 and 1.01
    assert "only threads that meet see it" in summary


def test_the_result_file_keeps_the_contract(found):
    data = json.loads(json.dumps(found.as_result().as_json()))
    assert data["command"] == "perf"
    assert data["verdict"] == "regression"
    stats = data["stats"]
    wanted = ("tests", "old_wins", "new_wins", "no_winner", "inconclusive", "threads", "suffix_length")
    assert [stats[key] for key in wanted] == [4, 2, 0, 1, 1, 8, 100]
    assert stats["speedup"] == pytest.approx(1 / 1.447, rel=0.01)
    (finding,) = data["findings"]
    assert finding["kind"] == "performance"
    assert finding["methods"] == ["Cache.get", "Cache.load"]
    assert finding["test"]["suffixes"][0] == ["x.load('a')", "x.get('a')"]
    assert finding["reproducer"] == "plait-out/perf_cache_cache.py"
    assert data["tests"][0]["speedup"][1] < 0.5 < data["tests"][0]["speedup"][2]
    assert [each["threads"] for each in data["curve"]] == [1, 8]
    assert data["locks"][0]["new_wait"] == 0.41


@pytest.mark.parametrize(("verdict", "code"), [("regression", 1), ("improvement", 0), ("none", 0), ("inconclusive", 3)])
def test_exit_codes(found, verdict, code):
    found.verdict = verdict
    found.reason = "a reason"
    assert found.exit_code == code
    findings = found.as_result().findings
    assert len(findings) == (verdict in ("regression", "improvement"))
    assert found.summary()[1:] in perf_text(found)


def test_a_comparison_without_a_test_can_be_reported():
    empty = Comparison("cache:Cache", "a", "b", reason="the machine is too busy")
    assert "too busy" in perf_text(empty)
    assert "too busy" in html(empty.as_result().as_json(), perf_statement(empty))
    assert empty.as_result().as_json()["stats"]["speedup"] is None


def test_the_page_is_whole_and_escaped(found):
    shown = html(found.as_result().as_json(), perf_statement(found))
    assert shown.startswith("<!doctype html>")
    assert "regression. 1.45 times slower" in shown
    assert "<odd>" not in shown


def test_files_are_written_and_the_rest_is_printed(found, tmp_path, capsys):
    files = {name: tmp_path / f"r.{name}" for name in ("json", "html", "junit", "sarif")}
    publish_perf(found, asked(**files))
    assert json.loads(files["json"].read_text())["verdict"] == "regression"
    assert all(file.stat().st_size > 300 for file in files.values())
    assert capsys.readouterr().out.startswith("cache:Cache: regression.")
    publish_perf(found, asked(json=Path("-")))
    assert json.loads(capsys.readouterr().out)["command"] == "perf"


def test_the_script_contains_what_it_needs_and_no_plait(found):
    place = Place("/v", ("cache",))
    script = script_text(found, {"old": place, "new": place}, {"old": Origin("/r", "abc", "src"), "new": Origin("/v")})
    compile(script, "script", "exec")
    assert "from plait" not in script
    assert "import plait" not in script
    assert script.count("MEASUREMENT['tests'][") == 3  # not the one that raises
    ast.parse(script, feature_version=(3, 8))


def test_what_a_test_says_cannot_end_the_script_that_holds_it(found):
    place, origin = Place("/v", ("cache",)), Origin("/v")
    found.tests[0].source = 'def prefix():\n    return """x""" + r"\\"\n'
    script = script_text(found, {"old": place, "new": place}, {"old": origin, "new": origin})
    texts = [node.value for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Constant)]
    assert found.tests[0].source in texts
