"""Chunks that a later run follows: they lead to the same tests as long as every answer is the same."""

import json

import pytest

from plait.commands.check import campaign
from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.generate.outcome import CallOutcome
from plait.model.test import Call, Test
from plait.store.keys import Changed
from plait.store.plans import Plan, Planned, answer_of, first_trail, plan_key, renewed
from plait.subject.name import Subject

MAKE, PUT = Call("Box", "Box({args})", args=("1",), result="x"), Call("put", "{receiver}.put({args})", args=("'a'",))
RUN = Test(("from box import Box",), (MAKE, PUT), ())
TEST = Test(("from box import Box",), (MAKE,), ((PUT,), (PUT, PUT)))


def made():
    plan = Plan(pairs=[{"methods": ["put", "put"], "tried": 1, "covered": 2}])
    plan.heard(RUN, [CallOutcome("ok"), CallOutcome("raised", "KeyError", "\0'a'")])
    plan.tests.append(Planned(TEST, "key", answer_of((1, True))))
    return plan


def test_a_plan_travels_as_plain_data():
    content = json.loads(json.dumps(made().as_json(lambda part: part.upper())))
    found = Plan.from_json(content)
    assert found is not None
    assert found[0] == made()
    assert found[1] == {
        part: part.upper() for part in ("build", "call Box", "call put", "use from box import Box")
    }  # fmt: skip
    assert found[0].trail("a") == made().trail("a") != made().trail("b")


def test_a_plan_is_brought_up_to_date():
    plan = made()
    before = plan.as_json(str.upper)
    plan.tests[0] = Planned(TEST, "another key", plan.tests[0].told)
    assert renewed(before, plan.tests, str.lower) == plan.as_json(str.lower)


def test_what_a_change_reaches():
    assert not Changed([])
    assert not Changed([]).reaches(TEST)
    for part in ("build", "call put", "use from box import Box"):
        assert Changed([part])
        assert Changed([part]).reaches(TEST)
        assert Changed([part]).reaches(RUN)
    assert not Changed(["call get", "use from box import Lid"]).reaches(TEST)


@pytest.mark.parametrize("damage", ["calls", "runs", "tests", "parts", "pairs", "imports", "over"])
def test_a_damaged_plan_is_none(damage):
    content = made().as_json(str.upper)
    del content[damage]
    assert Plan.from_json(content) is None


def test_every_answer_leads_elsewhere():
    other, told = made(), made()
    other.runs[0] = (RUN, answer_of([CallOutcome("ok")]))
    told.tests[0] = Planned(TEST, "key", answer_of((2, True)))
    kept = made()
    kept.tests[0] = Planned(TEST, "another key", answer_of((1, True)))
    assert len({made().trail("a"), other.trail("a"), told.trail("a")}) == 3
    assert kept.trail("a") == made().trail("a")  # where it is kept is no answer
    assert first_trail(["a", "b"]) != first_trail(["b", "a"])
    assert first_trail([RUN, RUN]) == first_trail([RUN, Test(RUN.imports, (MAKE, PUT), ())])
    assert plan_key("a", 1) != plan_key("a", 2)


SOURCE = '''
import threading


class Box:
    LIMIT = 3

    def __init__(self):
        self._lock = threading.Lock()
        self._things = []
        self.taken = 0

    def put(self, thing: int):
        with self._lock:
            if len(self._things) < self.LIMIT:
                self._things.append(thing)

    def count(self):
        with self._lock:
            return len(self._things)

    def take(self):
        with self._lock:
            self.taken += 1
            return self.taken

    def total(self):
        return self._sum()

    def _sum(self):
        with self._lock:
            return sum(self._things)
'''
UNUSED = SOURCE.replace("return sum(", "unused = 0\n            return sum(")
RACY = SOURCE.replace("        with self._lock:\n            self.taken += 1\n            return self.taken",
                      "        taken = self.taken\n        self.taken = taken + 1\n        return taken")
RAISING = SOURCE.replace("return sum(self._things)", "raise ValueError(len(self._things))")
OTHER_LIMIT = SOURCE.replace("LIMIT = 3", "LIMIT = 1")
OTHER_INTERFACE = SOURCE.replace("def count(self)", "def count(self, least: int = 0)")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked_again = []
    ask_again = campaign.Campaign._ask_again

    def counted(self, number, *chunks):
        asked_again.append(number)
        return ask_again(self, number, *chunks)

    monkeypatch.setattr(campaign.Campaign, "_ask_again", counted)

    def check_it(source, **options):
        asked_again.clear()
        (tmp_path / "box.py").write_text(source, encoding="utf-8")
        asked = {"max_tests": 60, "workers": 1, "streams": 2, "store": tmp_path / ".plait", **options}
        result = check(CheckOptions(Subject.parse("box:Box", path=tmp_path), project=tmp_path, **asked))
        return result, list(asked_again)

    return check_it


def same(one, other):
    """Verdict, causes and coverage."""
    assert one.verdict == other.verdict
    assert [each.summary for each in one.findings] == [each.summary for each in other.findings]
    assert one.more["pairs"] == other.more["pairs"]
    assert [one.stats[name] for name in ("tests", "tests_exhausted")] == [
        other.stats[name] for name in ("tests", "tests_exhausted")
    ]


@pytest.mark.slow
def test_a_change_without_consequences_is_followed(run):
    first, asked = run(SOURCE)
    assert sorted(asked) == [0, 1]  # there was no plan
    changed, asked = run(UNUSED)
    assert asked == []
    assert 0 < changed.stats["tests_known"] < first.stats["tests"]
    assert 0 < changed.stats["schedules"] < first.stats["schedules"]
    fresh, _ = run(UNUSED, fresh=True)
    same(changed, fresh)
    back, asked = run(UNUSED.replace("unused = 0", "unused = 1"))
    assert asked == []  # the plan has been brought up to date
    same(back, fresh)


@pytest.mark.slow
@pytest.mark.parametrize("source", [RACY, RAISING, OTHER_LIMIT, OTHER_INTERFACE])
def test_a_change_with_consequences_is_found_as_if_there_were_no_plan(run, source):
    run(SOURCE)
    changed, asked = run(source)
    assert asked or source == RACY
    fresh, _ = run(source, fresh=True, store=None)
    same(changed, fresh)
    assert bool(changed.findings) == (source == RACY)


@pytest.mark.slow
def test_what_is_explained_is_not_explained_again(run):
    first, _ = run(RACY)
    changed, asked = run(RACY.replace("return sum(", "unused = 0\n            return sum("))
    assert asked == []
    fresh, _ = run(RACY.replace("return sum(", "unused = 0\n            return sum("), fresh=True, store=None)
    same(changed, fresh)
    assert changed.findings[0].interleaving == fresh.findings[0].interleaving
    assert changed.stats["schedules"] < first.stats["schedules"] / 2
