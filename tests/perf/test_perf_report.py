"""What people and programs read, from a comparison that is written down here."""

import ast
import json

import pytest

from plait.judge.performance import Series
from plait.judge.performance_result import Comparison, Contention, Measured
from plait.judge.performance_scaling import point
from plait.model.test import Call, Test
from plait.report.perf import publish, text
from plait.report.perf_html import page
from plait.report.perf_script import Origin, script_text
from plait.run.native_pair import Place

WOBBLE = (0.0, 0.01, -0.01, 0.005, -0.005, 0.0)


def series(old, new):
    return Series([old * (1 + each) for each in WOBBLE], [new * (1 - each) for each in WOBBLE])


def measured(name, ratio, *methods, winner="none", reason=None):
    calls = tuple(Call(method, "{receiver}." + method + "({args})", "x", ("'a'",)) for method in methods)
    test = Test(("from cache import Cache",), (Call("Cache", "Cache()", result="x"),), (calls, calls))
    found = Measured(name, test, "SUFFIXES = []\n", 10, 100, 20, 0.01, reason=reason, winner=winner)
    if reason is None:
        found.whole, found.suffix = series(0.01, 0.01 * ratio), series(0.008, 0.008 * ratio)
    else:
        found.usable = False
    return found


@pytest.fixture
def found():
    made = Comparison("cache:Cache", "HEAD (0123456789)", "worktree", verdict="regression", nature="contention")
    made.tests = [
        measured("test 1", 2.0, "load", "get", winner="old"),
        measured("test 2", 1.5, "load", winner="old"),
        measured("test 3", 1.01, "get"),
        measured("test 4", 1.0, "put", reason="exception with the old version: KeyError: 'a'", winner="inconclusive"),
    ]
    made.curve = [point(1, series(1e-6, 1.0e-6)), point(8, series(2e-7, 1e-6))]
    made.locks = [Contention("self._lock", 0.03, 0.41, 1.0, 1.0), Contention("self._other", 0.0, 0.0, 0.0, 1.0)]
    interpreter = {"implementation": "CPython", "version": "3.11.7", "gil": True}
    made.machine = {"interpreters": {"old": interpreter, "new": interpreter}}
    made.notes = ["1 of 4 tests is <odd>"]
    made.elapsed_s = 61.0
    made.script = "plait-out/perf_cache_cache.py"
    return made


def test_the_terminal_report(found, golden):
    golden("perf/regression.txt", text(found))


def test_the_report_says_where_the_time_goes(found):
    assert "contention on `self._lock`: 3 % to 41 % of the threads' time" in text(found)


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


@pytest.mark.parametrize(
    ("verdict", "code"), [("regression", 1), ("improvement", 0), ("none", 0), ("inconclusive", 3)]
)
def test_exit_codes(found, verdict, code):
    found.verdict = verdict
    found.reason = "a reason"
    assert found.exit_code == code
    findings = found.as_result().findings
    assert len(findings) == (verdict in ("regression", "improvement"))
    assert found.summary()[1:] in text(found)


def test_a_comparison_without_a_test_can_be_reported():
    empty = Comparison("cache:Cache", "a", "b", reason="the machine is too busy")
    assert "too busy" in text(empty)
    assert "too busy" in page(empty)
    assert empty.as_result().as_json()["stats"]["speedup"] is None


def test_the_page_is_whole_and_escaped(found):
    shown = page(found)
    assert shown.startswith("<!doctype html>")
    assert shown.count("<polyline") == 2
    assert "1 of 4 tests is &lt;odd&gt;" in shown
    assert "<odd>" not in shown
    assert "KeyError: &#x27;a&#x27;" in shown
    assert "http" not in shown


def test_files_are_written_and_the_rest_is_printed(found, tmp_path, capsys):
    publish(found, tmp_path / "r.json", tmp_path / "r.html")
    assert json.loads((tmp_path / "r.json").read_text())["verdict"] == "regression"
    assert (tmp_path / "r.html").read_text() == page(found)
    assert capsys.readouterr().out.startswith("cache:Cache: regression.")
    from pathlib import Path

    publish(found, Path("-"), None)
    assert json.loads(capsys.readouterr().out)["command"] == "perf"


def test_the_script_contains_what_it_needs_and_no_plait(found):
    place = Place("/v", ("cache",))
    script = script_text(found, {"old": place, "new": place}, {"old": Origin("/r", "abc", "src"), "new": Origin("/v")})
    compile(script, "script", "exec")
    assert "from plait" not in script
    assert "import plait" not in script
    assert script.count("MEASUREMENT['tests'][") == 3  # not the one that raises
    ast.parse(script, feature_version=(3, 8))
