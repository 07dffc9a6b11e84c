"""In what order a review takes its steps."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

from plait.commands.budget import Budget
from plait.commands.review.command import ReviewOptions
from plait.commands.review.steps import Shares, Steps
from plait.judge.review import ClassReview
from plait.model.finding import Finding
from plait.model.result import Result
from plait.report import review
from plait.report.review import publish_review
from plait.store.database import Store
from plait.store.project import FIXED, memory_name
from plait.subject.changes.change import Change
from plait.subject.changes.survey import TouchedClass
from plait.subject.name import Subject


def touched(name):
    methods = frozenset({"put"})
    change = Change(
        f"shop:{name}", (), (), (), (), (f"shop:{name}.put",), methods, methods, methods, frozenset(), frozenset()
    )
    return ClassReview(TouchedClass(Subject("shop", name), "uses threading.Lock", change))


class Watched(Steps):
    """Only says which steps it would take."""

    def __init__(self, options):
        super().__init__(options, None, "0" * 40, "worktree", Shares(Budget(None)), None, lambda _: None)
        self.taken = []

    def _take(self, made, step):
        self.taken.append((made.touched.subject.qualname, step))


@pytest.fixture
def taken(tmp_path):
    def steps(**options):
        asked = ReviewOptions(**{"store": tmp_path, "tests": None, **options})
        watched = Watched(asked)
        watched.take([touched("Cart"), touched("Stock")])
        return watched.taken

    return steps


USUAL = [
    ("Cart", "diff"), ("Cart", "check"), ("Stock", "diff"), ("Stock", "check"), ("Cart", "perf"), ("Stock", "perf"),
]  # fmt: skip


def test_behaviour_comes_before_speed(taken):
    assert taken() == USUAL
    assert taken(store=None) == USUAL


def test_an_error_of_our_own_costs_one_step(tmp_path, monkeypatch):
    """The first class's check has found something; whatever fails then, it stands, and so does the exit code."""
    finding = Finding("exception", "Cart: raises KeyError", ["Cart.put"])

    def check(_steps, made, _seconds):
        if made.name == "shop:Stock":
            raise IndexError("on purpose")
        made.check = Result("check", made.name, "violation", findings=[finding], stats={"tests": 3})

    for name in ("_diff", "_perf"):
        monkeypatch.setattr(Steps, name, lambda _steps, _made, _seconds: None)
    monkeypatch.setattr(Steps, "_check", check)
    classes = [touched("Cart"), touched("Stock")]
    asked = ReviewOptions(store=tmp_path, tests=None)
    Steps(asked, None, "0" * 40, "worktree", Shares(Budget(None)), None, lambda _: None).take(classes)
    assert [each.verdict for each in classes] == ["finding", "inconclusive"]
    assert classes[1].notes[0].startswith("[plait bug] check of shop:Stock: IndexError: on purpose")
    result = Result("review", "shop", "findings", {"old": "o", "new": "n"}, more={"repository": str(tmp_path)})
    monkeypatch.setattr(review, "review_text", lambda *_: 1 / 0)
    monkeypatch.setattr(review, "review_json", lambda *_: 1 / 0)
    publish_review(result, classes, Namespace(markdown=None, json=tmp_path / "result.json"))
    told = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert [each["summary"] for each in told["findings"]] == [finding.summary]
    assert any(note.startswith("[plait bug] reporting: ZeroDivisionError") for note in told["notes"])


def test_what_earlier_runs_found_comes_first(taken, tmp_path):
    with Store(tmp_path) as store:
        store.record_finding(memory_name("check", "shop:Stock", Path()), "why", {"summary": "x"})
        store.record_finding(memory_name("diff", "shop:Cart since main, worktree", Path()), "why", {"summary": "x"})
    assert taken()[0] == ("Stock", "check")
    assert sorted(taken()) == sorted(USUAL)
    assert taken(base="main")[:2] == [("Cart", "diff"), ("Stock", "check")]
    assert taken(project=Path("elsewhere")) == taken(new="HEAD") == USUAL


def test_what_was_mended_does_not(taken, tmp_path):
    with Store(tmp_path) as store:
        name = memory_name("check", "shop:Stock", Path())
        store.record_finding(name, "why", {"summary": "x"})
        store.settle(name, "why", FIXED)
    assert taken() == USUAL


def test_a_store_is_not_made_by_looking_for_one(taken, tmp_path):
    taken(store=tmp_path / "none")
    assert not (tmp_path / "none").exists()
