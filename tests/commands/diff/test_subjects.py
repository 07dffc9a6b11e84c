"""The paper's six subjects: faults are found, refactorings are not reported."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))

from benchmarks.condiff import bench
from benchmarks.condiff.scenarios import SUBJECTS, refactorings

REFACTORINGS = list(refactorings(SUBJECTS[0].source("old")))


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda each: each.number)
@pytest.mark.parametrize("kind", REFACTORINGS)
def test_a_refactoring_that_changes_nothing_gives_no_difference(compare, subject, kind):
    old = subject.source("old")
    result = compare(old, refactorings(old)[kind], subject.class_name, tests=60)
    assert result.verdict == "none"
    assert result.stats["inconclusive"] == 0


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda each: each.number)
@pytest.mark.parametrize("version", ["old", "new"])
def test_a_version_does_not_differ_from_itself(compare, subject, version):
    source = subject.source(version)
    assert compare(source, source, subject.class_name).verdict == "none"


@pytest.mark.slow
@pytest.mark.parametrize(("number", "scenario"), [("C3", "B"), ("C6", "BR100")])
def test_the_table_has_what_it_promises(number, scenario):
    result = bench.run(runs=1, seconds=60.0, scenarios=[(number, scenario)])
    (row,) = result["rows"]
    assert {"subject", "scenario", "sr", "ct", "bc", "drt_s", "baseline_bc", "baseline_drt_s"} <= row.keys()
    assert row["sr"] == row["baseline_sr"] == 100
    assert row["bc"] <= row["baseline_bc"]
    assert row["kept_by_filter"] == row["baseline_found"] == 1
    assert number in bench.show(result)


@pytest.mark.slow
@pytest.mark.parametrize("number", ["C1", "C2", "C4", "C5"])
def test_the_fault_is_found_among_methods_that_were_all_edited(number):
    result = bench.run(runs=1, seconds=60.0, scenarios=[(number, "BR100")], baseline=False)
    assert result["rows"][0]["sr"] == 100


def test_there_are_figures_of_the_paper_for_all_scenarios():
    assert len(bench.PAPER) == 24
    assert {number for number, _scenario in bench.PAPER} == {subject.number for subject in SUBJECTS}
    mean = sum(figures.fewer_bc for figures in bench.PAPER.values()) / 24
    assert mean == pytest.approx(bench.PAPER_MEAN_FEWER_BC, abs=0.3)
