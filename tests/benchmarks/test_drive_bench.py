"""The table of driven classes: its list, its columns, and what counts as driven."""

import importlib
import json
import sys
from pathlib import Path

import pytest

from plait.errors import UsageError
from plait.model.result import Result

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def bench():
    sys.path.insert(0, str(ROOT))
    yield importlib.import_module("benchmarks.drive.bench")
    sys.path.remove(str(ROOT))


def result(methods, pairs):
    rows = [{"methods": list(names), "tried": 1, "covered": covered} for names, covered in pairs.items()]
    counts = {
        name: {"called": 3, "returned": returned, "returned_together": returned, "error": error}
        for name, (returned, error) in methods.items()
    }
    return Result("check", "a:B", "none", stats={"tests": 9, "methods": counts}, more={"pairs": rows})


def test_fifty_packages_none_of_which_is_in_the_corpus(bench):
    listed = bench.packages("all")
    cases = json.loads((ROOT / "benchmarks/corpus/cases.json").read_text())["cases"]
    corpus = {row["package"].lower() for row in cases}
    assert len({each.name.lower() for each in listed}) == 50
    assert not corpus & {each.name.lower() for each in listed}
    assert len(bench.packages("sample")) == bench.SAMPLE
    with pytest.raises(UsageError, match="choose sample"):
        bench.packages("none")


def test_driven_means_every_method_and_four_of_five_pairs(bench):
    met = dict.fromkeys([("a", "a"), ("a", "b"), ("b", "b")], 1)
    assert bench._row(result({"a": (2, ""), "b": (1, "")}, met))["driven"]
    row = bench._row(result({"a": (2, ""), "b": (0, "ValueError: no")}, met))
    assert (row["driven"], row["reason"]) == (False, "1 of 2 methods never returned: b (ValueError: no)")
    row = bench._row(result({"a": (2, ""), "b": (1, "")}, {**met, ("a", "b"): 0}))
    assert (row["driven"], row["reason"]) == (False, "2 of 3 pairs of methods were under way together")


def test_what_subclasses_must_write_does_not_count(bench):
    methods = {"a": (2, ""), "b": (0, "NotImplementedError: write it")}
    row = bench._row(result(methods, {("a", "a"): 1, ("a", "b"): 0, ("b", "b"): 0}))
    assert (row["driven"], row["methods"], row["pairs"]) == (True, 1, 1)


def test_a_method_that_can_only_raise_is_named_and_does_not_count(bench):
    made_wrongly = "TypeError: B.__init__() missing 2 required positional arguments: 'size' and 'age'"
    methods = {"a": (2, ""), "copy": (0, made_wrongly)}
    row = bench._row(result(methods, {("a", "a"): 1, ("a", "copy"): 0, ("copy", "copy"): 0}))
    assert (row["driven"], row["methods"], row["pairs"], row["broken"]) == (True, 1, 1, ["copy"])
    assert bench.line_of({"subject": "a:B", "constructible": True, **row}).endswith(
        "driven (without what can only raise: copy)"
    )


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("copy", "TypeError: B.copy() missing 1 required positional argument: 'deep'"),  # given too little by plait
        ("copy", "TypeError: C.__init__() missing 1 required positional argument: 'size'"),  # another class's
        ("copy", "ValueError: B.__init__() missing 1 required"),
    ],
)
def test_what_other_arguments_might_change_counts(bench, name, error):
    assert not bench.is_broken(name, {"returned": 0, "error": error}, "a:B")
