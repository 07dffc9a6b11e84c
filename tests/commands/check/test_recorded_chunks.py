"""Chunks that a later run follows: they lead to the same tests as long as every answer is the same."""

import json

import pytest

from plait.commands.check import campaign
from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.generate.outcome import CallOutcome
from plait.model.test import Call, Test
from plait.store.keys import Changed
from plait.store.recording import (
    CALLS,
    Asked,
    RecordedChunk,
    RecordedTest,
    answer_digest,
    chunk_key,
    renewed,
    start_position,
)
from plait.subject.name import Subject

MAKE, PUT = Call("Box", "Box({args})", args=("1",), result="x"), Call("put", "{receiver}.put({args})", args=("'a'",))
RUN = Test(("from box import Box",), (MAKE, PUT), ())
TEST = Test(("from box import Box",), (MAKE,), ((PUT,), (PUT, PUT)))


def made():
    chunk = RecordedChunk(pairs=[{"methods": ["put", "put"], "tried": 1, "covered": 2}])
    chunk.record(RUN, [CallOutcome("ok"), CallOutcome("raised", "KeyError", "\0'a'")])
    chunk.tests.append(RecordedTest(TEST, "key", answer_digest((1, True))))
    return chunk


def test_a_chunk_travels_as_plain_data():
    content = json.loads(json.dumps(made().as_json(lambda part: part.upper())))
    found = RecordedChunk.from_json(content)
    assert found is not None
    assert found[0] == made()
    assert found[1] == {
        part: part.upper() for part in ("build", "call Box", "call put", "use from box import Box")
    }  # fmt: skip
    assert found[0].position_after("a") == made().position_after("a") != made().position_after("b")


def test_a_chunk_is_brought_up_to_date():
    chunk = made()
    before = chunk.as_json(str.upper)
    chunk.tests[0] = RecordedTest(TEST, "another key", chunk.tests[0].feedback)
    assert renewed(before, chunk.tests, str.lower) == chunk.as_json(str.lower)


def test_what_a_change_reaches():
    assert not Changed([])
    assert not Changed([]).reaches(TEST)
    for part in ("build", "call put", "use from box import Box"):
        assert Changed([part])
        assert Changed([part]).reaches(TEST)
        assert Changed([part]).reaches(RUN)
    assert not Changed(["call get", "use from box import Lid"]).reaches(TEST)


@pytest.mark.parametrize("damage", ["calls", "asked", "tests", "parts", "pairs", "imports", "over"])
def test_a_damaged_chunk_is_none(damage):
    content = made().as_json(str.upper)
    del content[damage]
    assert RecordedChunk.from_json(content) is None


def test_every_answer_leads_elsewhere():
    other, feedback = made(), made()
    other.asked[0] = Asked(CALLS, RUN, answer_digest([CallOutcome("ok")]))
    feedback.tests[0] = RecordedTest(TEST, "key", answer_digest((2, True)))
    kept = made()
    kept.tests[0] = RecordedTest(TEST, "another key", answer_digest((1, True)))
    assert len({made().position_after("a"), other.position_after("a"), feedback.position_after("a")}) == 3
    assert kept.position_after("a") == made().position_after("a")  # where it is kept is no answer
    assert start_position(["a", "b"]) != start_position(["b", "a"])
    assert start_position([RUN, RUN]) == start_position([RUN, Test(RUN.imports, (MAKE, PUT), ())])
    assert chunk_key("a", 1) != chunk_key("a", 2)


def test_a_position_may_hold_many_frozen_sets():
    """In the fast mode of CPython's pickler fifty of them are taken for a cycle."""
    many = [[frozenset({number}), frozenset({frozenset({number, -1})})] for number in range(200)]
    assert start_position(many) == start_position([list(each) for each in many])
    assert start_position(many) != start_position(many[1:])
    assert start_position(frozenset({1})) != start_position((1,)) != start_position(("frozenset", 1))


SOURCE = """
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
"""
UNUSED = SOURCE.replace("return sum(", "unused = 0\n            return sum(")
RACY = SOURCE.replace(
    "        with self._lock:\n            self.taken += 1\n            return self.taken",
    "        taken = self.taken\n        self.taken = taken + 1\n        return taken",
)
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
    assert sorted(asked) == [0, 1]  # nothing was recorded
    changed, asked = run(UNUSED)
    assert asked == []
    assert 0 < changed.stats["tests_known"] < first.stats["tests"]
    assert 0 < changed.stats["schedules"] < first.stats["schedules"]
    fresh, _ = run(UNUSED, fresh=True)
    same(changed, fresh)
    back, asked = run(UNUSED.replace("unused = 0", "unused = 1"))
    assert asked == []  # the recording has been brought up to date
    same(back, fresh)


@pytest.mark.slow
@pytest.mark.parametrize("source", [RACY, RAISING, OTHER_LIMIT, OTHER_INTERFACE])
def test_a_change_with_consequences_is_found_as_if_nothing_was_recorded(run, source):
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
