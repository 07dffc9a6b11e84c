"""The JSON Schema that the package holds describes every result file, field by field."""

import json
import runpy
from pathlib import Path

import jsonschema
import pytest
from report_samples import bisected, checked, harmful, spoken
from review_samples import whole

from plait.report.review import review_json
from result_schema import PUBLISHED, refused, undescribed

DOCS = Path(__file__).parents[2] / "docs"
SAMPLES = {name: result.as_json() for name, (result, _text, _sentences) in spoken().items()}
SAMPLES["review"] = review_json(*whole())
SAMPLES |= {f"bisect/{verdict}": bisected(verdict).as_json() for verdict in ("found", "ambiguous", "none")}


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)


@pytest.mark.parametrize("name", SAMPLES)
def test_results_are_described_completely(name):
    assert undescribed(SAMPLES[name]) == []


def test_what_code_under_test_says_does_no_harm():
    assert refused(json.loads(json.dumps(harmful().as_json()))) == []


def test_what_is_wrong_is_refused():
    right = json.loads(json.dumps(checked().as_json()))
    for place, value in (
        (("verdict",), "regression"), (("verdict",), "clean"), (("schema",), 2), (("command",), "chek"),
        (("findings", 0, "kind"), "race"), (("findings", 0, "fingerprint"), "12"), (("findings", 0, "methods"), None),
        (("stats", "tests"), "many"), (("findings", 0, "interleaving", 0, "line"), "12"), (("stopped_by",), ""),
        (("stats", "methods"), {"get": {"called": 1}}), (("findings", 0, "schedule", "segments", 0, "thread"), "1"),
    ):  # fmt: skip
        wrong = json.loads(json.dumps(right))
        *way, last = place
        inner = wrong
        for step in way:
            inner = inner[step]
        inner[last] = value
        assert refused(wrong), place
    for name in ("findings", "stats", "verdict", "notes"):
        assert refused({key: value for key, value in right.items() if key != name}), name


def test_later_releases_may_add_fields():
    later = json.loads(json.dumps(checked().as_json()))
    later["new"] = later["findings"][0]["new"] = 1
    assert refused(later) == []
    assert undescribed(later) != []


@pytest.mark.parametrize("name", ["finding", "step", "check", "diff", "perf", "explore", "review", "bisect", "result"])
def test_every_field_is_explained(name):
    said = PUBLISHED["$defs"][name]["properties"]
    by_command = {"verdict", "stats"} if name == "result" else {"command"}  # said once, where it says something
    silent = [field for field, part in said.items() if not {"description", "$ref"} & part.keys()]
    assert set(silent) <= by_command


def test_the_reference_is_made_from_the_schema():
    module = runpy.run_path(str(DOCS / "make_schema.py"))
    assert module["page"](PUBLISHED) == (DOCS / "schema.md").read_text("utf-8"), "run make_schema.py"
