"""The table of the product's speed, on one small subject: both rates come from the same schedules."""

from pathlib import Path

import pytest

from benchmarks.covcon.table import ROWS
from benchmarks.product import bench
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
