"""The study of adaptive generation: its judge, its measurements, and the figures computed from them."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPROACHES = ("mrt", "s-atg", "d-atg", "sd-atg", "sd-atg-all")


@pytest.fixture(scope="module", autouse=True)
def _importable():
    sys.path.insert(0, str(ROOT))
    yield
    sys.path.remove(str(ROOT))


def part(name):
    return importlib.import_module(f"benchmarks.atg.{name}")


def measured(*arguments, module="runs"):
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.atg.{module}", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("setting", ["native", "controlled"])
def test_every_approach_ends_with_a_statement_and_its_counts(setting):
    rows = measured("C8", setting, "saturation", "1", "3")
    assert [row["approach"] for row in rows] == list(APPROACHES)
    for row in rows:
        assert row["trouble"] is None
        assert "in a row" in row["ended"]
        assert 0 < row["iroots"] <= row["discovered"]
        assert row["active_tests"] <= row["profiles"] <= row["executions"]
        assert (row["active_tests"] == row["profiles"]) == (row["approach"] in ("mrt", "s-atg"))


def test_a_run_can_be_repeated():
    first, second = (measured("C6", "native", "saturation", "1", "2", "sd-atg")[0] for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


@pytest.mark.parametrize("mutant", ["C41", "C22", "C91"])
def test_mutants_are_found(mutant):
    """One whose threads get in each other's way, one that unlocks what it did not lock, one that never unlocks."""
    rows = measured(mutant, "controlled", "judged", "1", "6")
    assert all(row["trouble"] for row in rows)
    assert not any(row["ended"] for row in rows)


def test_a_sound_structure_stays_silent():
    assert not any(row["trouble"] for row in measured("C4", "controlled", "judged", "1", "2"))


@pytest.mark.slow
def test_active_testing_exposes_what_exhaustive_exploration_shows_to_be_feasible():
    """At least 95 % of it, with at most three attempts each, over random tests of all nine structures."""
    rows = [measured(each.number, module="feasible")[0] for each in part("study").STRUCTURES]
    total = {name: sum(row[name] for row in rows) for name in rows[0]}
    assert total["infeasible"] == 0
    assert total["exposed"] / total["possible"] >= 0.95
    assert total["attempts"] / total["aimed"] <= 3


class Structure:
    """What `explained` is told about."""

    def __init__(self, *left):
        self.left = list(left)


@pytest.mark.parametrize(
    ("threads", "left", "right"),
    [
        ([[("enqueue", (1,), None, 0, 3)], [("dequeue", (), None, 1, 2)]], [1], True),  # the dequeue came first
        ([[("enqueue", (1,), None, 0, 1)], [("dequeue", (), None, 2, 3)]], [1], False),  # too late to see nothing
        ([[("enqueue", (1,), None, 0, 3)], [("enqueue", (2,), None, 1, 2)]], [2, 1], True),
        ([[("enqueue", (1,), None, 0, 3)], [("enqueue", (2,), None, 1, 2)]], [1], False),  # one was lost
        ([[("enqueue", (1,), None, 0, 3), ("dequeue", (), 2, 4, 5)], [("enqueue", (2,), None, 1, 2)]], [1], True),
    ],
)
def test_an_order_must_explain_results_and_what_is_left(threads, left, right):
    judgement, specifications = part("judgement"), part("specifications")
    made = [[judgement._Made(*call) for call in thread] for thread in threads]
    assert judgement._explained(made, specifications.QueueModel(Structure()), left) is right


def a_row(approach, iroots, tests, *, subject="C1 x", kind="saturation", **more):
    counts = {"iroots": iroots, "profiles": 10.0, "active_tests": tests, "seconds": 1.0, "executions": 1}
    counts |= {"discovered": 9, "orchestrated": tests}
    spread = {f"{name}_sd": 0.0 for name in counts}
    head = {"subject": subject, "part": kind, "setting": "native", "approach": approach, "threshold": 6, "runs": 2}
    return {**head, **counts, **spread, **more}


def test_averages_are_compared_with_mrt():
    rows = [a_row("mrt", 10, 10), a_row("sd-atg", 12, 2), a_row("mrt", 30, 30, subject="C2 y")]
    rows += [a_row("sd-atg", 32, 6, subject="C2 y")]
    summary = part("bench")._summary(rows, 2)["native"]
    assert summary["averages"]["sd-atg"]["iroots"] == 22
    assert summary["averages"]["sd-atg"]["to_mrt"]["iroots"] == 0.1
    assert summary["averages"]["sd-atg"]["to_mrt"]["active_tests"] == -0.8
    assert summary["per_iroot"]["mrt"]["profiles_and_tests"] == 1.5


def test_a_mutant_counts_as_found_if_every_run_finds_it():
    rows = [a_row("mrt", 1, 1, kind="first-bug", found=2, shows=["deadlock"])]
    rows += [a_row("d-atg", 1, 1, kind="first-bug", found=1, shows=["deadlock"])]
    rows += [a_row("mrt", 1, 1, kind="sound", found=0, shows=[])]
    summary = part("bench")._summary(rows, 2)["native"]
    assert summary["always_found"] == {"mrt": 1, "s-atg": 0, "d-atg": 0, "sd-atg": 0, "sd-atg-all": 0}
    assert summary["false_alarms"] == 0


def test_tables_and_figures_show_ours_beside_the_papers():
    rows = [
        a_row("mrt", 20.0, 18.0, subject="C2 OptimisticList", paper={"iroots": 28.9}),
        a_row("sd-atg", 22.0, 5.0, subject="C2 OptimisticList", paper={"iroots": 30.2}),
        a_row("sd-atg-all", 23.0, 5.0, subject="C2 OptimisticList"),
        a_row("mrt", 10.0, 9.0, subject="C2 OptimisticList", kind="sweep", threshold=6, paper={"iroots": 19.4}),
    ]
    rows[-1]["threshold"] = 1
    bench = part("bench")
    text = bench.show({"rows": rows, "summary": {"runs": 2, **bench._summary(rows, 2)}})
    assert "20.0 ±0.0 [28.9] iroots" in text
    assert "sd-atg compared with mrt: iroots +10.0% [+5.8%]" in text
    assert "N=1  mrt           10.00 ################# " in text
    assert "Figure 5: time by threshold N" in text
    assert "N=6  sd-atg-all    23.00" in text  # which the paper has no figure for
    assert "sd-atg-all compared with mrt: iroots +15.0%, profiles" in text


def test_the_papers_figures_add_up_to_its_averages():
    table = part("study")
    for column, printed in (("iroots", 16.7), ("profiles", 13.7), ("seconds", 114.0)):
        values = [getattr(each.paper["mrt"], column) for each in table.STRUCTURES]
        assert sum(values) / len(values) == pytest.approx(printed, abs=0.06)
    for approach, printed in (("mrt", 41.2), ("s-atg", 36.3), ("d-atg", 48.8), ("sd-atg", 54.0)):
        values = [each.paper[approach].seconds for each in table.MUTANTS]
        assert sum(values) / len(values) == pytest.approx(printed, abs=0.06)
    assert all(each.file.is_file() for each in (*table.STRUCTURES, *table.MUTANTS))


def test_strategies_are_compared_where_both_found_something():
    def row(name, approach, found, first):
        head = {"subject": name, "part": "corpus", "setting": "controlled", "approach": approach}
        return {**head, "found": found, "any": first is not None, "executions_to_first": first}

    rows = [row("a", "covcon", True, 10), row("a", "sd-atg", False, 4), row("b", "covcon", True, 30)]
    rows += [row("b", "sd-atg", True, 60), row("c", "covcon", True, 1), row("c", "sd-atg", False, None)]
    bench = part("bench")
    summary = bench._summary(rows, 1)
    assert summary["corpus"]["covcon"] == {
        "cases": 3, "found": 3, "any": 3, "both": 2, "median_executions_to_first": 20,
    }  # fmt: skip
    assert summary["corpus"]["sd-atg"]["found"] == 1
    text = bench.show({"rows": rows, "summary": summary})
    assert "something else found  first finding after 4 executions" in text
    assert "real releases: sd-atg found 1 of 3" in text


def test_the_real_releases_are_cases_of_the_corpus():
    assert len(part("corpus").chosen()) == 12
