"""The table of campaigns, in its short form."""

import pytest

from benchmarks.campaign import bench, isolation, memory
from benchmarks.campaign.throughput import Place
from benchmarks.condiff.scenarios import subject

MOST_KB = 150_000  # per 1,000 tests: 3.6 MB for these few; `plait bench campaign` measures what is less


@pytest.mark.slow
def test_memory_does_not_grow_with_the_tests(tmp_path):
    """An hour has some 100,000 tests."""
    chosen = subject("C4")
    place = Place(chosen.module, chosen.class_name, chosen.source("old"), tmp_path / "place")
    grown = memory.grown(place, 300.0, tests=60)  # in half of the time, caches have filled
    assert grown["tests"] == 60
    assert grown["campaign_kb"] > 0 < grown["worker_kb"]
    assert grown["campaign_kb_per_1000_tests"] < MOST_KB
    assert grown["worker_kb_per_1000_tests"] < MOST_KB


def test_the_table_is_shown():
    row = {
        "subject": "as_map", "executions_per_s": {"free": 100, "1 workers": 96, "2 workers": 190, "dask 1": 90},
        "isolation_percent": 4.2, "guard_percent": 1.0, "two_workers": 1.98, "second_run": 31.0,
        "check_after_change": 3.5, "diff_after_change": 4.5, "check_after_change_by_cpu": 3.6,
        "diff_after_change_by_cpu": 4.6, "check_again_by_cpu": 15.2, "diff_again_by_cpu": 130.0,
    }  # fmt: skip
    grown = {
        "tests": 900, "campaign_kb": 60000, "worker_kb": 70000, "campaign_kb_per_1000_tests": 12,
        "worker_kb_per_1000_tests": -3,
    }  # fmt: skip
    summary = {**row, "memory": grown, "store": {"write_us": 9, "read_us": 5}, "load": 1}
    shown = bench.show({"rows": [row], "summary": summary})
    head, first, *rest = shown.splitlines()
    assert head.split()[:3] == ["subject", "exec/s:", "free"]
    assert first.split() == "as_map 100 96 190 90 4.2 % 1.0 % 31.0x 3.5x 4.5x".split()
    assert "two workers 1.98x" in rest[0]
    assert "by cpu time 3.6x and 4.6x; nothing changed, by cpu time: check 15.2x, diff 130.0x" in rest[0]
    assert "worker 70000 kB, -3 kB per 1,000 tests" in rest[1]
    assert len(rest) == 3


def test_isolation_is_measured_in_turns(tmp_path):
    chosen = subject("C1")
    place = Place(chosen.module, chosen.class_name, chosen.source("old"), tmp_path / "place")
    place.make_tests(2)
    figures = isolation.isolation(place, 2) | isolation.starts(place, 1)
    assert figures["isolation_least"] <= figures["isolation_percent"] <= figures["isolation_most"]
    assert figures["isolation_least"] > -100
    assert figures["parent_percent"] > 0
    assert figures["start_ms"] > 0 < figures["start_without_ms"]
    row = {"subject": place.module, "tests": 2, **figures}
    first, line, last = bench.show({"isolation": [row], "load": 1.5, "runs": 2}).splitlines()
    assert first.split()[:2] == ["subject", "isolation"]
    assert line.split()[:2] == [place.module, str(figures["isolation_percent"])]
    assert last.endswith("2 runs in turns, by processor time, at load 1.5")
