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


@pytest.mark.parametrize("strategy", ["random", "covcon", "naive"])
def test_one_run(strategy):
    folder = ROOT / "benchmarks" / "covcon"
    done = subprocess.run(
        [
            sys.executable,
            str(folder / "measure.py"),
            str(folder / "faulty"),
            "as_map",
            "AsMap",
            strategy,
            "controlled",
            "0",
            "20",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
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
