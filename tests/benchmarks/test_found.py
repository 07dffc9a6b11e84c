"""The defects found in current releases: each has its test, its page, and fails on real threads, as can be seen."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.found.bench")


@pytest.fixture
def defects(bench):
    return bench.DEFECTS


def test_every_defect_has_a_test_and_every_test_a_defect(bench, defects):
    assert len(defects) >= 10
    assert {defect.test for defect in defects} == set(bench.PROGRAMS.glob("test_*.py"))
    assert len({defect.name for defect in defects}) == len(defects)
    for defect in defects:
        text = defect.test.read_text("utf-8")
        assert text.startswith(f'"""{defect.package}: ')
        assert len(re.findall(r"^def test_", text, re.MULTILINE)) == 1
        assert "together(" in text


def test_the_page_tells_of_every_defect(defects):
    page = (ROOT / "docs" / "found.md").read_text("utf-8")
    table = re.findall(r"^\| `(\w+)` \| ([\w.-]+) ([\d.]+) \|", page, re.MULTILINE)
    assert table == [(defect.name, defect.package, defect.number) for defect in defects]
    sections = re.findall(r"^### ([\w.-]+) ([\d.]+): ", page, re.MULTILINE)
    assert sections == [(defect.package, defect.number) for defect in defects]


@pytest.mark.parametrize("way", [True, False])
def test_real_threads_are_asked_until_a_test_fails(bench, tmp_path, way):
    test = tmp_path / "test_it.py"
    test.write_text(
        "from package import number\n\n\ndef test_third():\n    assert number() != 3, 'it is three'\n", "utf-8"
    )
    (tmp_path / "fetched").mkdir()
    (tmp_path / "fetched" / "package.py").write_text(
        f"from itertools import count\n\nnumber = count(1 if {way} else 4).__next__\n", "utf-8"
    )
    told = bench.on_threads(test, [tmp_path / "fetched"], 20.0 if way else 0.05)
    assert told["fails"] is way
    if way:
        assert told == {"test": "test_third", "fails": True, "tries": 3, "said": "AssertionError: it is three"}


def test_a_test_that_cannot_be_run_is_no_defect(bench, tmp_path):
    test = tmp_path / "test_it.py"
    test.write_text("import there_is_no_such_package\n", "utf-8")
    told = bench.on_threads(test, [tmp_path], 1.0)
    assert not told["fails"]
    assert "there_is_no_such_package" in told["said"]


def test_threads_begin_one_by_one_and_all_at_once(bench, tmp_path):
    test = tmp_path / "test_it.py"
    test.write_text(
        "import crew\n\nseen = []\n\n\ndef test_it():\n    seen.append(crew.AT_ONCE)\n"
        "    done = []\n    crew.together(*[lambda: done.append(1)] * 3)\n    assert len(done) == 3\n"
        "    assert seen != [False, True], 'both'\n",
        "utf-8",
    )
    (tmp_path / "crew.py").write_text((bench.PROGRAMS / "crew.py").read_text("utf-8"), "utf-8")
    assert bench.on_threads(test, [], 20.0)["said"] == "AssertionError: both"


def test_threads_that_wait_for_each_other_fail_a_test(bench):
    program = (
        "import threading, crew\ncrew.SECONDS = 0.2\n"
        "a, b = threading.Barrier(2), threading.Lock()\n"
        "try:\n    crew.together(a.wait)\nexcept AssertionError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=bench.PROGRAMS, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "the threads wait for each other\n"


def test_other_findings_of_the_class_do_not_count(bench, defects):
    defect = next(each for each in defects if each.name == "pyformance_counter")
    other = {"methods": ["MetricsRegistry.dump_metrics", "MetricsRegistry.counter"], "summary": "another"}
    own = {"methods": ["MetricsRegistry.counter"], "summary": "two counters"}
    told = bench.by_name(defect, {"findings": [other, own], "verdict": "violation"})
    assert told == {"found": True, "verdict": "violation", "others": 1, "said": "two counters"}
    assert not bench.by_name(defect, {"findings": [other], "verdict": "violation"})["found"]
    assert bench.by_name(defect, {"trouble": "exit code 3"})["verdict"] == "inconclusive"


def test_words_that_mean_nothing_are_told(bench):
    with pytest.raises(bench.UsageError, match="there is no way 'audit' here; there are threads, explore, check"):
        bench.run(ask="audit")
    with pytest.raises(bench.UsageError, match="there is no defect 'nothing' here"):
        bench.run(subject="nothing")


def test_what_was_measured_is_kept(bench, tmp_path, monkeypatch):
    asked = []

    def said(defect, way, _limits):
        asked.append((defect.name, way))
        return {"fails": True, "tries": 3, "said": ""}

    monkeypatch.setattr(bench, "said", said)
    settings = {
        "subject": "limits_refused",
        "ask": "threads",
        "resume": tmp_path / "kept",
        "progress": lambda _line: None,
    }
    first = bench.run(**settings)
    assert bench.run(**settings) == first
    assert asked == [("limits_refused", "threads")]
    assert json.loads((tmp_path / "kept").read_text())["name"] == "limits_refused threads"
