"""Which findings of lost workers are shown."""

from plait.campaign.check_causes import without_bystanders
from plait.model.finding import Finding
from plait.model.test import Test


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
