"""A finding keeps its fingerprint while the code around it is edited, and another finding has another one."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.fingerprints.edits import EDITS
from plait.commands.check.worker.finding import FindingContext, finding_of
from plait.judge.oracle import explain
from plait.judge.oracle.examine import examine
from plait.model.finding import AccessStep, Finding, Gap
from plait.model.fingerprint import SCHEME, fingerprint_of, identity

SHOP = (Path(__file__).parents[3] / "benchmarks" / "fingerprints" / "shop.py").read_text(encoding="utf-8")
TESTS = {
    "a lost update": ("Counter", ["x = Counter()"], ["x.add()"], ["x.add()"]),
    "check, then act": ("Cache", ["x = Cache()", "x.put('a', 1)"], ["x.take('a')"], ["x.take('a')"]),
    "two orders of locks": ("Bank", ["x = Bank()"], ["x.forth(1)"], ["x.back(1)"]),
}


@pytest.fixture
def fingerprint(judged, monkeypatch):
    """Finds what a test shows in a source text, and returns the finding with its fingerprint."""
    monkeypatch.setattr(explain, "GIL_SYSTEMATIC", 10)
    monkeypatch.setattr(explain, "GIL_SAMPLED", 1)

    def found(source, subject, prefix, *suffixes, probes=("x.value",)):
        examination = judged.prepared(source, prefix, *suffixes, probes=probes if subject == "Counter" else ())
        examined = examine(examination, systematic=400, sampled=0)
        assert examined.violation is not None
        context = FindingContext(subject, examination.probes, [])
        finding = finding_of(examination.bed.test, examined.violation, examined.schedule, context, smallest=True)
        return finding, fingerprint_of(finding, f"shop:{subject}")

    return found


def source_of(name):
    """The class alone: what else the module holds takes time to load."""
    (body,) = re.findall(rf"^class {name}:.*?(?=^class |\Z)", SHOP, re.MULTILINE | re.DOTALL)
    return f"import threading\n\n\n{body.rstrip()}\n"


@pytest.mark.parametrize("name", TESTS)
def test_edits_elsewhere_change_nothing(fingerprint, name):
    source = source_of(TESTS[name][0])
    wanted, before = fingerprint(source, *TESTS[name])
    other = {}
    for edit, change in EDITS.items():
        edited = change(source)
        compile(edited, edit, "exec")
        finding, after = fingerprint(edited, *TESTS[name])
        if after != before:
            other[edit] = identity(finding, "")
    assert not other, identity(wanted, "")


def test_there_are_twenty_edits_that_edit():
    assert len(EDITS) >= 20
    assert all(change(SHOP) != SHOP for change in EDITS.values())


def test_what_was_renamed_was_renamed():
    assert "before_now = " in EDITS["locals_renamed"](SHOP)
    assert "key_given in self._items" in EDITS["parameters_renamed"](SHOP)


def access(function, what, thread=1):
    verb, _, place = what.partition(" ")
    return AccessStep(thread, "shop.py", 3, function, "", verb, place)


RACE = [access("Shop.add", "read Shop.total"), access("Shop.add", "write Shop.total", 2)]
GAP = Gap(1, "shop.py", "Shop.add", 3, 4)


def made(kind="wrong-result", **more):
    return Finding(kind, "said", ["Shop.add"], **{"race": RACE, "gap": GAP, **more})


def name_of(finding, subject="shop:Shop"):
    return fingerprint_of(finding, subject)


LOCKS = [access("Shop.add", "acquire Shop._a"), access("Shop.drop", "acquire Shop._b", 2)]
OTHERS = {
    "class": name_of(made(), "shop:Other"),
    "kind": name_of(made("exception", exception="KeyError")),
    "exception": name_of(made("exception", exception="ValueError")),
    "attribute": name_of(made(race=[access("Shop.add", f"{verb} Shop.count") for verb in ("read", "write")])),
    "function": name_of(made(race=[access("Shop.drop", "read Shop.total"), RACE[1]])),
    "interrupted": name_of(made(gap=replace(GAP, function="Shop.move"))),
    "methods": name_of(made(race=None, gap=None)),
    "other methods": name_of(Finding("wrong-result", "said", ["Shop.drop"])),
    "locks": name_of(made("deadlock", interleaving=LOCKS)),
    "other locks": name_of(made("deadlock", interleaving=[LOCKS[0], access("Shop.drop", "acquire Shop._c", 2)])),
    "lost wake-up": name_of(made("hang")),
    "only the new version": name_of(made("difference", only_old=[], only_new=[{}])),
    "only the old version": name_of(made("difference", only_old=[{}], only_new=[])),
    "test": name_of(made(node="tests/test_shop.py::test_it")),
    "other test": name_of(made(node="tests/test_shop.py::test_that")),
}


def test_other_defects_have_other_fingerprints():
    assert len({name_of(made()), *OTHERS.values()}) == len(OTHERS) + 1


def test_what_is_only_said_or_counted_does_not_matter():
    moved = [replace(step, line=99, code="other", value="5", file="/elsewhere/shop.py") for step in RACE]
    same = [
        made(race=moved, gap=replace(GAP, line=98, end=99)),
        made(race=list(reversed(RACE))),
        made(race=[access("Shop.add", "write Shop.total"), access("Shop.add", "write Shop.total", 2)]),
        made(group=4, occurrences=9, preemptions=2, detail="...", siblings=[["Shop.more"]], reproducer="a.py"),
    ]
    assert {name_of(each) for each in same} == {name_of(made())}
    keys = [made(race=[access("Shop.add", f"write Shop._d[{key}]")] * 2) for key in ("'a'", "'b'")]
    assert len({name_of(each) for each in keys}) == 1


def test_functions_that_only_some_pythons_have_do_not_matter():
    inner = [replace(step, function="Shop.add.<locals>.<listcomp>") for step in RACE]
    assert name_of(made(race=inner, gap=replace(GAP, function="Shop.add.<locals>.<listcomp>"))) == name_of(made())


def test_locks_that_were_given_back_do_not_matter():
    before = [access("Shop.look", "acquire Shop._c"), access("Shop.look", "release Shop._c")]
    assert name_of(made("deadlock", interleaving=[*before, *LOCKS])) == OTHERS["locks"]


def test_arguments_of_a_test_do_not_matter():
    one, other = (made(node=f"tests/test_shop.py::test_it[{number}]") for number in (1, 2))
    assert name_of(one) == name_of(other) == OTHERS["test"]


def test_it_is_the_same_in_every_release():
    """Baselines hold it: whoever changes this needs another `SCHEME`."""
    assert SCHEME == 1
    assert name_of(made()) == "ba1f48ff987db280"
