"""`plait bench capp`: a short run on three of the faults, and its arithmetic."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    import benchmarks.capp.bench as module

    yield module
    for name in [name for name in sys.modules if name.startswith("benchmarks.capp")]:
        del sys.modules[name]


@pytest.mark.slow
def test_faults_are_found_by_every_heuristic_and_shown_beside_the_paper(bench):
    faults = [fault for fault in bench.FAULTS if fault.name in ("Lang", "Groovy", "Mina")]
    searches = ("icb", "delay", "dpor")
    result = bench.run(runs=2, seconds=30, searches=searches, faults=faults, progress=lambda _line: None)
    assert len(result["rows"]) == 3 * 3 * 15
    assert all(row["found"] for row in result["rows"])
    kinds = {row["subject"]: row["kind"] for row in result["rows"]}
    assert kinds == {"Lang": "exception", "Groovy": "deadlock", "Mina": "exception"}
    rows = [row for row in result["rows"] if (row["subject"], row["search"]) == ("Mina", "delay")]
    mina = {row["heuristic"]: row["cost"] for row in rows}
    assert min(mina.values()) <= 5 < mina["BASIC"]
    text = bench.show({**result})
    assert "geometric mean" in text
    assert "  paper                58     0.6" in text
    assert "random orders, A12" in text
    assert "  paper                    0.5346  0.4911" in text
    assert "all searches, alone and with LOA" in text


@pytest.mark.slow
def test_readers_and_writers_fail_in_both_ways(bench, monkeypatch):
    """A count that is lost leaves the writers waiting, or lets one write while somebody reads."""
    monkeypatch.setattr(bench, "HEURISTICS", ("FA",))
    (fault,) = (fault for fault in bench.FAULTS if fault.name == "ReadersWriters")
    measured = bench._measured(fault, ("delay", "stateful"), [None], seconds=60)
    assert len(measured) == 4
    assert all(each["found"] for each in measured)
    assert {each["kind"] for each in measured} == {"deadlock", "exception"}


def test_effect_sizes(bench):
    from benchmarks.capp.spread import a12

    assert a12([2, 2], [1, 1]) == 1
    assert a12([1], [1]) == 0.5
    assert a12([1, 3], [2, 2]) == 0.5


def test_random_orders_of_all_faults_are_scaled_by_the_median_of_basic(bench):
    """A heuristic that halves a small cost and doubles a large one is no better than BASIC."""
    from benchmarks.capp.spread import add_random, pooled

    rows = [{"subject": subject, "search": "icb", "heuristic": name} for subject in "ab" for name in ("BASIC", "LA")]
    add_random(rows[:2], {("icb", "BASIC"): [10, 10], ("icb", "LA"): [5, 5]})
    add_random(rows[2:], {("icb", "BASIC"): [1000, 1000], ("icb", "LA"): [2000, 2000]})
    assert rows[1]["random"]["a12"] == 1
    assert pooled(rows, ["LA"])["LA"]["a12"] == 0.5
    assert pooled([], ["LA"]) == {}
