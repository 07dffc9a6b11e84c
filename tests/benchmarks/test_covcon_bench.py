"""CovCon's benchmark: one run measures what it claims, and the table's figures are computed right."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def bench():
    sys.path.insert(0, str(ROOT))
    yield importlib.import_module("benchmarks.covcon.bench")
    sys.path.remove(str(ROOT))


def run(module, name, strategy, setting, seconds):
    folder = ROOT / "benchmarks" / "covcon"
    command = [sys.executable, str(folder / "measure.py"), str(folder / "faulty")]
    arguments = [module, name, strategy, setting, "0", seconds]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("strategy", ["random", "published", "covcon", "naive"])
def test_one_run(strategy):
    measured = run("as_map", "AsMap", strategy, "controlled", "20")
    assert measured["found"] is not None
    assert measured["executions"] >= measured["tests"] >= 1
    assert measured["coverage"][-1][1] <= measured["tests"]
    assert sum(measured["breakdown"].values()) <= measured["seconds"] + 0.01


def test_relative_costs(bench):
    def row(strategy, tests, found):
        return {
            "module": "m",
            "setting": "native",
            "strategy": strategy,
            "tests": tests,
            "executions": tests,
            "seconds": tests,
            "found": found,
            "runs": 2,
            "ported_pairs": 50,
        }

    summary = bench._summary([row("random", 40, 2), row("covcon", 10, 2)])["native"]
    assert summary["fewer_tests_than_random"] == 1
    assert summary["tests_relative_to_random"] == 0.25
    half = bench._summary([row("random", 40, 2), row("covcon", 10, 1)])["native"]
    assert half["tests_relative_to_random"] == 0.5
    both = bench._summary([row("random", 40, 2), row("published", 20, 2), row("covcon", 10, 2)])["native"]
    assert both["tests_relative_to_published"] == 0.5
    assert both["published_tests_relative_to_random"] == 0.5
    assert both["published_fewer_tests_than_random"] == 1


def test_pairs_that_could_disturb_each_other_come_first():
    """Of the 1,326 pairs of methods of the buffer, the 51 with the one that is not atomic can fail."""
    measured = run("string_buffer", "StringBuffer", "covcon", "single", "60")
    assert measured["found"] == "IndexError"
    assert measured["pairs"] == 1326
    assert measured["tests"] < 150


@pytest.mark.slow
def test_the_whole_command(bench):
    (row,) = [row for row in bench.ROWS if row.module == "as_map"]
    measured = bench.command.measured(row, runs=1, seconds=60, reproductions=2, tests=12)
    assert measured["trouble"] is None
    assert (measured["found"], measured["silent_when_sound"], measured["droppable"]) == (1, True, 0)
    assert measured["reproducers"] > 0
    assert set(measured["fail_on_faulty"]) == set(measured["pass_on_sound"]) == {2}
    assert measured["preemptions_median"] <= 2
    assert "silent" in bench.command.line(measured)
    assert measured["tests"] >= 1
    assert measured["tests_at_random"] >= 1
    assert bench._summary([measured])["check"]["always_pass_on_sound"] == measured["reproducers"]


def test_tests_of_the_command_are_counted_per_violation(bench):
    def result(verdict, **stats):
        return {"verdict": verdict, "stats": stats}

    found = result("violation", tests_to_first=6, tests=100, method_pairs=50)
    missed = result("none", tests_to_first=None, tests=80, method_pairs=50)
    assert bench.command.cost([found, found]) == 6
    assert bench.command.cost([found, missed]) == 6 + 20  # four streams had twenty each
    assert bench.command.cost([missed, missed]) == 80
    assert bench.command.pairs(found) == 50
