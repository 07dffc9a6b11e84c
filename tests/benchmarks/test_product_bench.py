"""The table of the product's speed, on one small subject: both rates come from the same schedules."""

from pathlib import Path

import pytest

from benchmarks.covcon.table import ROWS
from benchmarks.product import bench, cost
from plait.errors import UsageError


def test_one_row_is_measured_by_the_work_itself():
    row = next(each for each in ROWS if each.module == "int_range")
    found = bench._inside(bench.ROOT / "src", row, 25, 0, "rate")
    assert found["tests"] == 25
    assert found["schedules"] >= 50
    assert found["findings"] == []
    assert found["cpu_s"] > 0 < found["engine_rate"]
    parts = bench._inside(bench.ROOT / "src", row, 25, 0, "parts")["parts"]
    assert {"generation", "engine", "rewriting", "chunks"} <= parts.keys()


def test_what_cannot_be_measured_is_said_in_one_line(tmp_path):
    with pytest.raises(UsageError, match="there is check, first, C1"):
        bench.run(subject="nothing", runs=1)
    with pytest.raises(UsageError, match="no src/plait"):
        bench.run(beside=Path(tmp_path), runs=1)


def test_instructions_are_read_and_compared_with_what_was_done_for_them():
    assert cost.counted("==7== Cachegrind\n==7== I   refs:      9,063,039,688\n") == 9_063_039_688
    with pytest.raises(RuntimeError, match="counted nothing"):
        cost.counted("valgrind: no such program")
    work = {"tests": 25, "schedules": 200, "findings": ["a race"]}
    here, beside = cost.Cost(400_000_000, work), cost.Cost(600_000_000, {**work, "findings": []})
    assert cost.line("day", here, None).split() == ["day", "400", "M", "2000", "k", "25", "tests,", "200", "schedules"]
    assert "1.50x" in cost.line("day", here, beside)
    assert "OTHER WORK" in cost.line("day", here, beside)
    assert "the same work" in cost.line("day", here, cost.Cost(600_000_000, dict(work)))
