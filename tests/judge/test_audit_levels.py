"""What each method of a class seems to promise, from findings and from what its source and that of others touches."""

import ast
from types import SimpleNamespace

import pytest

from plait.judge.audit import ATOMIC, EXTERNAL, IMMUTABLE, INTERNAL, UNKNOWN, Audited, judge_class
from plait.subject.package.facts import module_facts
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
    rows = {each: {"called": 3, "returned": 3} for each in NAMES[name]}
    rows["never"] = {"called": 3, "returned": 0}
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
