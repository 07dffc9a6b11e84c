"""Classes of the standard library: those that promise nothing are found, those that promise something are silent."""

import collections
import functools
from pathlib import Path

import pytest

from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.errors import UsageError
from plait.generate.catalogue import Hints
from plait.judge.oracle.rules import Rules
from plait.subject.name import Subject

CACHED = '''

class Cached:
    """A memoised function that an object holds."""

    def __init__(self):
        self._double = lru_cache(maxsize=2)(lambda number: 2 * number)

    def double(self, number: int):
        return self._double(number)

    def info(self):
        return self._double.cache_info()

    def clear(self):
        self._double.cache_clear()
'''


def run(subject, path, tests, **options):
    parsed = Subject.parse(subject, path=path)
    return check(CheckOptions(parsed, project=path, max_tests=tests, workers=1, streams=1, **options))


@pytest.fixture
def in_python(tmp_path, monkeypatch):
    """Writes a standard module without the parts that C code replaces, as a module of the user's."""
    monkeypatch.chdir(tmp_path)

    def write(name, module, replaced, more=""):
        text = Path(module.__file__).read_text(encoding="utf-8")
        assert replaced in text
        (tmp_path / f"{name}.py").write_text(text.replace(replaced, "raise ImportError") + more, encoding="utf-8")
        return tmp_path

    return write


def test_a_counter_counts_wrong(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("collections:Counter", tmp_path, 30).verdict == "violation"


@pytest.mark.parametrize("name", ["Condition", "Event", "Semaphore", "BoundedSemaphore"])
def test_a_class_of_threading_is_tested_by_its_source(tmp_path, monkeypatch, name):
    """Not the virtual one, each of whose operations is one step: no two of them would ever meet."""
    monkeypatch.chdir(tmp_path)
    result = run(f"threading:{name}", tmp_path, 120 if name == "Condition" else 60)
    assert result.findings == []
    if name == "Condition":  # what waits and notifies raises without the lock: nothing is known about it
        assert result.verdict == "inconclusive"
        assert any("`wait` RuntimeError: cannot wait on un-acquired lock" in note for note in result.notes)
    else:
        assert (result.verdict, result.notes) == ("none", [])
    assert result.stats["method_pairs_covered"] >= 8


@pytest.mark.parametrize("name", ["threading:RLock", "threading:Thread", "threading:local", "_thread:allocate_lock"])
def test_what_plait_puts_its_own_in_place_of_is_not_tested(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=f"^{name} cannot be tested: plait's own stands in for it"):
        run(name, tmp_path, 5)


def test_a_queue_in_c_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("queue:SimpleQueue", tmp_path, 5)
    assert result.verdict == "none"
    assert any("C code" in note for note in result.notes)


def test_an_ordered_dict_in_python(in_python):
    folder = in_python("ordered", collections, "from _collections import OrderedDict")
    assert run("ordered:OrderedDict", folder, 60).verdict == "violation"


def test_a_memoised_function_in_python(in_python):
    """What `cache_info` tells while a call is under way is no promise; the results and the table are."""
    folder = in_python("cached", functools, "from _functools import _lru_cache_wrapper", CACHED)
    result = run("cached:Cached", folder, 60, rules=Rules(nondeterministic=("info",)))
    assert result.findings == []
    assert {tuple(row["methods"]) for row in result.more["pairs"] if row["covered"]} >= {
        ("double", "double"),
        ("clear", "double"),
    }


def test_a_memoised_function_on_threads(tmp_path, monkeypatch):
    """The function takes its time: two calls of a microsecond would hardly ever meet."""
    monkeypatch.chdir(tmp_path)
    factory = "functools.lru_cache(maxsize=2)(lambda number: [sum(number for _ in range(10000))])"
    hints = Hints(imports=("import functools",), factories=(factory,))
    result = run("functools:_lru_cache_wrapper", tmp_path, 60, hints=hints, order="native")
    assert result.findings == []
    assert result.stats["method_pairs_covered"] > 0
