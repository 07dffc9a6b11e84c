"""``--capp`` in `plait check` and `plait diff`: the same verdicts, in another order of schedules."""

import textwrap

import pytest

from plait.cli.main import read_arguments
from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions, check_options
from plait.commands.diff.command import diff
from plait.commands.diff.options import DiffOptions
from plait.errors import UsageError
from plait.subject.name import Subject

SOUND = """
import threading

class Counter:
    def __init__(self):
        self._lock = threading.Lock()
        self._value = 0

    def increment(self) -> int:
        with self._lock:
            self._value = self._value + 1
            return self._value
"""
RACY = """
import threading

class Counter:
    def __init__(self):
        self._lock = threading.Lock()
        self._value = 0

    def increment(self) -> int:
        value = self._value
        self._value = value + 1
        return value + 1
"""


@pytest.fixture
def versions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("old", SOUND), ("new", RACY)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "counter.py").write_text(textwrap.dedent(text))
    return tmp_path


@pytest.mark.parametrize("order", [None, "icb", "pos"])
def test_check_looks_at_the_change_first(versions, order):
    asked = CheckOptions(
        Subject("counter", "Counter"), at=str(versions / "new"), project=versions / "new", max_tests=5, workers=1,
        streams=1, capp="LA", old=str(versions / "old"), order=order,
    )  # fmt: skip
    result = check(asked)
    assert result.verdict == "violation"
    assert result.stats["impacted_points"] > 3


def test_check_without_a_difference_says_so(versions):
    asked = CheckOptions(
        Subject("counter", "Counter"), at=str(versions / "old"), project=versions / "old", max_tests=3, workers=1,
        streams=1, capp="FS", old=str(versions / "old"),
    )  # fmt: skip
    result = check(asked)
    assert (result.verdict, result.stats["impacted_points"]) == ("none", 0)
    assert any("nothing differs from" in note for note in result.notes)


def test_check_refuses_an_order_that_no_heuristic_can_change(versions):
    options = read_arguments("check", ["counter:Counter", "--schedule", "random", "--capp", "LA"], versions)
    with pytest.raises(UsageError, match="has no order that --capp could change"):
        check_options(options)


@pytest.mark.parametrize("heuristic", ["LOA", "none"])
def test_diff_proves_the_same_difference(versions, heuristic):
    result = diff(DiffOptions(
        Subject("counter", "Counter"), str(versions / "old"), str(versions / "new"), project=versions, max_tests=20,
        workers=2, capp=heuristic, explain=False,
    ))  # fmt: skip
    assert result.verdict == "difference"
