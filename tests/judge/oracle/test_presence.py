"""A reproducer fails with a sentence when the code it is about has gone; it never passes vacuously."""

import pytest

from plait.judge.oracle.presence import missing_name
from plait.reproduce import assert_safe

SOURCE = """
import threading

class Guarded:
    def __init__(self):
        self._lock = threading.Lock()
        self.value = 0

    def increment(self, by=1):
        value = self.value
        self.value = value + by
"""
MENDED = SOURCE.replace(
    "        value = self.value\n        self.value = value + by",
    "        with self._lock:\n            self.value = self.value + by",
)


def reproduce(folder):
    assert_safe(
        "counter:Guarded", path=folder, imports=["from counter import Guarded"], prefix=["x = Guarded()"],
        threads=[["x.increment(by=1)"], ["x.increment(by=1)"]], schedule=[], afterwards=["x.value"],
    )  # fmt: skip


@pytest.mark.parametrize(("source", "sentence"), [
    (SOURCE, "Guarded: two concurrent calls of `increment` can lose an update"),
    (SOURCE.replace("def increment", "def add"), "Guarded has no method increment. The test of counter:Guarded shows"),
    (SOURCE.replace("class Guarded", "class Locked"), "counter has no 'Guarded'"),
    (SOURCE.replace("by", "amount"), "Guarded.increment cannot be called as x.increment(by=1): got an unexpected"),
    (SOURCE.replace("self.value", "self._value"), "Guarded has no attribute value"),
    (SOURCE.replace("__init__(self)", "__init__(self, size)"), "missing 1 required positional argument: 'size'"),
    ("", "counter has no 'Guarded'"),
    (None, "No module named 'counter'"),
])  # fmt: skip
def test_an_edit_is_named(tmp_path, source, sentence):
    if source is not None:
        (tmp_path / "counter.py").write_text(source, encoding="utf-8")
    with pytest.raises(AssertionError) as caught:
        reproduce(tmp_path)
    assert sentence in str(caught.value)


def test_a_mended_class_passes(tmp_path):
    (tmp_path / "counter.py").write_text(MENDED, encoding="utf-8")
    reproduce(tmp_path)


class Lazy:
    def __getattr__(self, name):
        raise SystemError("ran")


class Plain:
    @staticmethod
    def sums(one, two):
        return one + two

    @classmethod
    def make(cls, size):
        return cls()

    @property
    def total(self):
        raise SystemError("ran")

    def many(self, *args, **named):
        pass


@pytest.mark.parametrize(("line", "said"), [
    ("x.sums(1, 2)", ""), ("x.sums(1)", "Plain.sums cannot be called as x.sums(1): missing a required argument: 'two'"),
    ("x.make(1)", ""), ("x.make()", "Plain.make cannot be called as x.make(): missing a required argument: 'size'"),
    ("x.total", ""), ("x.many(1, a=2)", ""), ("x.sums(*pair)", ""), ("y.anything()", ""), ("z.unknown()", ""),
    ("x.total += 1", ""), ("with x.gone(): pass", "Plain has no method gone"),
    ("f(x.gone)", "Plain has no attribute gone"),
])  # fmt: skip
def test_names_are_looked_up_without_running_anything(line, said):
    assert missing_name([line], {"x": Plain(), "y": Lazy()}) == said


def test_a_test_that_breaks_off_says_why(tmp_path, monkeypatch):
    """An interpreter that ends with an error is no finding: its exit code is not that of one."""
    (tmp_path / "counter.py").write_text(SOURCE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nif 'plait.reproduce' in sys.orig_argv:\n    import json\n    json.load = lambda _: 1 / 0\n"
    )
    with pytest.raises(RuntimeError, match="could not be run: (?s:.*)ZeroDivisionError"):
        reproduce(tmp_path)
