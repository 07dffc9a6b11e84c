"""Which methods are blamed for lost workers, and which of the findings are shown."""

from types import SimpleNamespace

from plait.commands.check.causes import culprits_of, without_bystanders
from plait.commands.check.lost import LostWorkers
from plait.model.finding import Finding
from plait.model.test import Test
from plait.workers.failures import WorkerHung


def lost(kind, *methods):
    return Finding(kind, f"{kind} of {methods}", list(methods))


def test_methods_that_were_only_there_are_not_blamed():
    alone, both = lost("hang", "C.act"), lost("hang", "C.act", "C.bump")
    assert without_bystanders([both, alone]) == [alone]


def test_another_kind_or_another_method_is_another_finding():
    findings = [lost("hang", "C.act"), lost("crash", "C.act", "C.bump"), lost("hang", "C.bump", "C.get")]
    assert without_bystanders(findings) == findings


def test_what_was_seen_in_a_test_is_never_left_out():
    seen = Finding("hang", "seen", ["C.act", "C.bump"], test=Test((), (), ()))
    assert without_bystanders([lost("hang", "C.act"), seen]) == [lost("hang", "C.act"), seen]


NOTE = {"prefix": ["x = C()", "x.put(1)"], "suffixes": [["x.act()", "x.bump()"], ["x.bump()"]]}
METHODS = {"act", "bump", "put"}


def test_all_methods_of_the_threads_are_blamed_if_nothing_else_is_known():
    assert culprits_of(NOTE, set(), "", METHODS) == {"act", "bump"}
    assert culprits_of({"prefix": ["x = C()", "x.put(1)"]}, set(), "", METHODS) == {"put"}
    assert culprits_of({"prefix": ["x = C()"]}, set(), "", METHODS) == set()


def test_what_is_known_to_have_done_it_is_blamed_alone():
    assert culprits_of(NOTE, {"bump"}, "c.py:1 in act", METHODS) == {"bump"}
    assert culprits_of(NOTE, set(), "c.py:1 in act", METHODS) == {"act"}
    assert culprits_of(NOTE, set(), "c.py:1 in helper", METHODS, likely={"put", "other"}) == {"put"}
    assert culprits_of(NOTE, set(), "", METHODS, likely={"other"}) == {"act", "bump"}


def test_a_forged_note_without_calls_blames_nobody():
    """Code under test can write its worker's note; a single thread is to blame only if the note has a call."""
    found = []
    totals = SimpleNamespace(
        budget=SimpleNamespace(by_steps=True), notes=SimpleNamespace(general=[]), take=found.append, lost=[]
    )
    workers = LostWorkers("shop:Stock", "Stock", totals)
    workers.left_out(0)
    for waits in (False, True):
        error = WorkerHung(3.0, waits=waits, note={"prefix": [], "suffixes": [], "methods": ["add"]})
        workers.survive(error, 0, b"", 1)
    assert [each.kind for each in found] == ["hang", "hang"]
    assert totals.notes.general == []
