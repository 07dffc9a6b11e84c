"""The ports of SpeedGun's changes: both versions have one interface and, one call after another, one behaviour."""

import importlib.util
import inspect
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.speedgun.bench import show, sweep
from benchmarks.speedgun.catalogue import EFFECTS, PORTS, same
from plait.judge.performance.result import Comparison, Measured
from plait.judge.performance.verdict import Series
from plait.model.test import Test
from plait.subject.changes.change import analyse
from plait.subject.name import Subject
from plait.subject.versions.version import resolve

PAIRS = (*PORTS, *EFFECTS)


def loaded(pair):
    module, _, name = pair.subject.partition(":")
    for folder in pair.folders:
        spec = importlib.util.spec_from_file_location(module, folder / f"{module}.py")
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        yield getattr(made, name)


def public(cls):
    return {
        name: str(inspect.signature(value))
        for name, value in vars(cls).items()
        if not name.startswith("_") and inspect.isfunction(value)
    }


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_both_versions_have_the_same_interface(pair):
    old, new = loaded(pair)
    assert public(old) == public(new)
    assert public(old)


CALLS = {
    "ExpandoLite": [
        ("register_method", "a", len), ("register_property", "b", 7), ("get_methods",), ("get_properties",),
        ("get_property", "b"), ("find_method", "a"), ("find_method", "method3"), ("is_modified",), ("initialize",),
        ("change", lambda: None), ("get_methods",), ("is_modified",),
    ],
    "GenericObjectPool": [
        ("borrow_object",), ("get_num_active",), ("return_object", "thing"), ("get_num_idle",), ("add_object",),
        ("get_num_idle",), ("set_test_on_borrow", True), ("get_test_on_borrow",), ("evict",), ("clear",),
        ("get_num_idle",), ("invalidate_object", "thing"), ("get_num_active",),
    ],
    "StaticBucketMap": [
        ("put", "a", 1), ("put", "b", 2), ("size",), ("get", "a"), ("contains_key", "c"), ("remove", "a"), ("size",),
        ("is_empty",),
    ],
    "DateTime": [("hour_of_day",), ("minute_of_day",), ("day_of_week",), ("year_month_day",), ("text",)],
}  # fmt: skip


@pytest.mark.parametrize("pair", PORTS, ids=lambda pair: pair.name)
def test_both_versions_do_the_same_alone(pair):
    seen = []
    for cls in loaded(pair):
        if cls.__name__ == "GenericObjectPool":
            made = cls(cls.__init__.__globals__["Factory"]())
        else:
            made = cls(1_700_000_000_123) if cls.__name__ == "DateTime" else cls()
        found = []
        for name, *arguments in CALLS[cls.__name__]:
            result = getattr(made, name)(*arguments) if hasattr(made, name) else None
            result = sorted(result) if isinstance(result, list) else result
            found.append("thing" if type(result) is object else result)
        seen.append(found)
    assert seen[0] == seen[1]


def test_the_calendar_is_right():
    (old, _) = loaded(next(pair for pair in PORTS if pair.subject.endswith("DateTime")))
    assert old(1_700_000_000_123).text() == "2023-11-14"
    assert old(0).day_of_week() == 4


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_what_changed_is_found(pair, tmp_path):
    old, new = pair.folders
    subject = Subject.parse(pair.subject, path=new)
    with (
        resolve(f"dir:{old}", project=new, cache=tmp_path, subject=subject) as before,
        resolve(f"dir:{new}", project=new, cache=tmp_path, subject=subject) as after,
    ):
        assert not analyse(subject, before, after).is_empty


def test_there_are_as_many_as_in_the_paper():
    assert len(PORTS) == 17
    assert [pair.expected for pair in PORTS].count("none") == 4
    assert len(same(30)) == 30
    assert all(pair.old == pair.new for pair in same(30))
    assert len({pair.old for pair in same(30)}) > 20


def test_the_threshold_sweep():
    def compared(ratio):
        found = Comparison("a:A", "old", "new")
        wobble = (0.0, 0.004, -0.004, 0.002)
        series = Series([1 + each for each in wobble], [ratio * (1 - each) for each in wobble])
        found.tests = [Measured("t", Test((), (), ()), "", 1, 1, 1, 1.0, whole=series, winner="none")]
        return found

    slower, equal = PORTS[3], PORTS[7]
    kept = [(slower, compared(1.3)), (slower, compared(1.06)), (equal, compared(1.0)), (equal, compared(1.04))]
    by_delta = {each["delta"]: (each["precision"], each["recall"]) for each in sweep(kept)}
    assert by_delta[0.03] == (pytest.approx(2 / 3), 1.0)
    assert by_delta[0.05] == (1.0, 1.0)
    assert by_delta[0.1] == (1.0, 0.5)
    assert by_delta[0.3] == (None, 0.0)


def test_the_table_can_be_shown():
    row = {
        "subject": "a change", "kind": "port", "expected": "regression", "verdict": "none", "speedup_8": 0.98,
        "paper_8": 0.5, "speedup_64": None, "paper_64": None,
    }  # fmt: skip
    counts = {"pairs": 1, "right": 0, "wrong": 1, "inconclusive": 0}
    thresholds = [{"delta": 0.05, "precision": None, "recall": 0.0}]
    none = {**counts, "pairs": 0}
    summary = {"port": counts, "effect": none, "same": none, "thresholds": thresholds}
    shown = show({"rows": [row], "summary": summary})
    assert "a change" in shown
    assert "0 of 1 right, 1 wrong" in shown
