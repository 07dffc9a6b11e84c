"""What each method of a class seems to promise, from findings and from what its source and that of others touches."""

import ast
from types import SimpleNamespace

import pytest

from plait.judge.audit import (
    ATOMIC,
    EXTERNAL,
    IMMUTABLE,
    INTERNAL,
    SILENT,
    UNJUDGED,
    UNKNOWN,
    UNSAFE,
    Audited,
    judge_class,
    judge_functions,
    supported_level,
)
from plait.model.test import Test
from plait.subject.package.claims import DENIED, LOCKED, UNSAID
from plait.subject.package.facts import module_facts, whole_class
from plait.subject.source import Module

SOURCE = """
import threading


class Open:
    def __init__(self):
        self.items = {}
        self.name = "a"

    def put(self, key):
        self.items[key] = 1

    def first(self):
        return self._sorted()[0]

    def _sorted(self):
        return sorted(self.items)

    def label(self):
        return self.name

    def get(self, key):
        return self[key]


class Guarded:
    def __init__(self):
        self._lock = threading.Lock()
        self.items = {}

    def put(self, key):
        with self._lock:
            self.items[key] = 1

    def drop(self, key):
        self.items.pop(key)

    def size(self):
        with self._lock:
            return len(self.items)

    def peek(self):
        return list(self.items)
"""
NAMES = {"Open": ("put", "first", "label", "get", "update"), "Guarded": ("put", "drop", "size", "peek", "update")}


def levels(name, *found, siblings=()):
    facts = module_facts(Module("shop", "shop.py", ast.parse(SOURCE), False, True, SOURCE.encode()))
    findings = [SimpleNamespace(methods=[f"{name}.{each}" for each in pair], siblings=list(siblings)) for pair in found]
    rows = {each: {"called": 3, "returned": 3, "returned_together": 2} for each in NAMES[name]}
    rows["never"] = {"called": 3, "returned": 0, "returned_together": 0}
    result = SimpleNamespace(
        findings=findings, verdict="findings" if findings else "clean", stats={"methods": rows, "tests": 3},
        more={"pairs": []}, stopped_by="budget", notes=[],
    )  # fmt: skip
    audited = Audited(f"shop:{name}", "class", "shop.py", 1)
    judge_class(audited, result, facts.classes[name])
    assert audited.methods.pop("never") == UNKNOWN
    return audited.methods


def test_without_a_finding_a_method_that_only_reads_what_nobody_changes_is_immutable():
    assert levels("Open") == {"put": ATOMIC, "first": ATOMIC, "label": IMMUTABLE, "get": ATOMIC, "update": ATOMIC}
    assert set(levels("Guarded").values()) == {INTERNAL}


def test_beside_a_finding_what_touches_open_state_is_not_called_atomic():
    assert levels("Open", ("put", "put")) == {
        "put": EXTERNAL, "first": EXTERNAL, "label": IMMUTABLE, "get": EXTERNAL, "update": EXTERNAL
    }  # fmt: skip


def test_what_holds_the_lock_stays_internally_synchronised_beside_a_finding():
    assert levels("Guarded", ("drop", "drop")) == {
        "put": INTERNAL, "drop": EXTERNAL, "size": INTERNAL, "peek": EXTERNAL, "update": INTERNAL
    }  # fmt: skip


@pytest.mark.parametrize("siblings", [(["Guarded.size", "Guarded.put"],)])
def test_other_methods_that_show_the_same_are_harmed_too(siblings):
    found = levels("Guarded", ("drop", "drop"), siblings=siblings)
    assert found["size"] == found["put"] == EXTERNAL


HEIRS = """
class Store:
    def __init__(self):
        self.items = {}

    def put(self, key):
        self.items[key] = 1

    def size(self):
        return len(self.items)


class Heir(Store):
    def put(self, key):
        super().put(key)


class Listener:
    def before(self, call):
        pass

    def after(self, call):
        if isinstance(call, str):
            raise ValueError(call.upper())
        return self.before(call)


class Caller:
    def before(self, call):
        return str(remember(call))


class Setter:
    def before(self, call):
        setattr(self, "call", call)


class Unknown(Elsewhere):
    def before(self, call):
        pass
"""


def judged(name, verdict, *, together):
    facts = module_facts(Module("shop", "shop.py", ast.parse(HEIRS), False, True, HEIRS.encode()))
    known = whole_class({"shop": facts}, "shop", name)
    rows = {
        each: {"called": 3, "returned": 3, "returned_together": together}
        for each in known.functions if not each.startswith("_")
    }  # fmt: skip
    result = SimpleNamespace(
        findings=[], verdict=verdict, stats={"methods": rows, "tests": 3}, stopped_by="budget", notes=[],
        more={"pairs": [{"methods": ["a", "b"], "covered": 1}]}, reason="nothing met",
    )  # fmt: skip
    audited = Audited(f"shop:{name}", "class", "shop.py", 1)
    judge_class(audited, result, known)
    return audited


def test_what_a_base_changes_in_a_method_that_an_heir_overrides_is_no_constant():
    assert judged("Heir", "none", together=2).methods == {"put": ATOMIC, "size": ATOMIC}


def test_a_class_without_state_whose_calls_returned_beside_each_other_has_nothing_to_meet_at():
    found = judged("Listener", "inconclusive", together=2)
    assert (found.verdict, found.contract, found.reason) == (SILENT, IMMUTABLE, "")


@pytest.mark.parametrize(
    ("name", "together"), [("Listener", 0), ("Unknown", 2), ("Store", 2), ("Caller", 2), ("Setter", 2)]
)
def test_state_calls_that_never_met_and_bases_nobody_has_read_leave_it_open(name, together):
    found = judged(name, "inconclusive", together=together)
    assert (found.verdict, found.reason) == (UNJUDGED, "nothing met")


def test_a_function_has_its_own_counts():
    rows = {name: {"called": 2, "returned": 2, "returned_together": 1} for name in ("a", "b")}
    pairs = [
        {"methods": ["a", "a"], "covered": 1},
        {"methods": ["a", "b"], "covered": 0},
        {"methods": ["b", "b"], "covered": 1},
    ]
    result = SimpleNamespace(
        findings=[], stats={"methods": rows, "tests": 3}, more={"pairs": pairs}, stopped_by="budget", notes=[]
    )
    one, other = (Audited(f"m:{name}", "function", "m.py", 1) for name in "ab")
    judge_functions([one, other], result)
    assert (one.evidence["pairs"], one.evidence["pairs_covered"], list(one.evidence["methods"])) == (2, 1, ["a"])
    assert one.verdict == other.verdict == SILENT


@pytest.mark.parametrize(
    ("prefix", "threads", "suspects", "through"),
    [
        (["x = m", "a1 = Reader()"], [["x.read(a1)"], ["x.read(a1)"]], [], True),
        (["x = m", "a1 = Reader()", "a2 = Line(a1)"], [["x.read(a1)"], ["x.read(a2)"]], [], True),
        (["x = m", "a1 = Reader()", "a2 = Reader()"], [["x.read(a1)"], ["x.read(a2)"]], [], False),
        (["x = m"], [["x.read(1)"], ["x.read(1)"]], [], False),
        (["x = m", "a1 = Reader()"], [["x.read(a1)"], ["x.read(a1)"]], ["a place"], False),
    ],
)
def test_a_function_that_harms_what_it_is_given(prefix, threads, suspects, through):
    test = Test.from_lines(["import m"], prefix, threads)
    finding = SimpleNamespace(methods=["m.read", "m.read"], siblings=[], test=test)
    rows = {"read": {"called": 2, "returned": 2, "returned_together": 1}}
    result = SimpleNamespace(
        findings=[finding], stats={"methods": rows, "tests": 3}, more={"pairs": []}, stopped_by="budget", notes=[]
    )
    audited = Audited("m:read", "function", "m.py", 1, suspects=suspects)
    judge_functions([audited], result)
    assert (audited.verdict, audited.through_argument) == (UNSAFE, through)
    assert supported_level([made(SILENT)] * 9 + [audited]) == ("3 - Stable" if through else "1 - Unstable")


def made(verdict, claim=UNSAID, kind="class"):
    return Audited("m:A", kind, "m.py", 1, verdict, claim=claim)


@pytest.mark.parametrize(
    ("audited", "level"),
    [
        ([made(SILENT)] * 9 + [made(UNJUDGED)], "3 - Stable"),
        ([made(SILENT)] * 8 + [made(UNJUDGED)] * 2, "2 - Beta"),
        ([made(SILENT)] * 9 + [made(UNSAFE, DENIED)], "3 - Stable"),
        ([made(SILENT)] * 9 + [made(UNSAFE)], "2 - Beta"),
        ([made(SILENT)] * 9 + [made(UNSAFE, LOCKED)], "1 - Unstable"),
        ([made(SILENT)] * 9 + [made(UNSAFE, kind="function")], "1 - Unstable"),
        ([made(UNJUDGED)], "1 - Unstable"),
    ],
)
def test_the_level_that_the_evidence_supports(audited, level):
    assert supported_level(audited) == level
