"""`plait diff --schedule`: the search that was asked for explores the tests, and finds the same."""

import pytest

from plait.commands.diff.command import diff
from plait.commands.diff.options import DiffOptions
from plait.commands.diff.search import DiffSearch
from plait.subject.name import Subject

OLD = """
import threading

class Totals:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = self.m = 0

    def add(self):
        with self.lock:
            self.n += 1
            self.m += 1

    def get(self):
        with self.lock:
            return self.n, self.m
"""
NEW = OLD.replace("            self.m += 1", "        with self.lock:\n            self.m += 1")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search")
    for name, text in (("old", OLD), ("new", NEW)):
        (folder / name).mkdir()
        (folder / name / "totals.py").write_text(text)
    return {
        order: diff(
            DiffOptions(
                Subject("totals", "Totals"), f"dir:{folder / 'old'}", f"dir:{folder / 'new'}", project=folder / "new",
                max_tests=12, schedule=order, explain=False, reproduce=False, workers=1,
            )
        )
        for order in ("dpor", "dfs")
    }  # fmt: skip


def test_both_searches_prove_the_difference(results):
    assert {result.verdict for result in results.values()} == {"difference"}


def test_the_search_without_reduction_runs_more_schedules(results):
    assert results["dfs"].stats["schedules"] > results["dpor"].stats["schedules"]


def test_tests_that_can_wait_come_soon_where_there_are_no_others():
    """A branch that one call after the other never takes leaves no trace: half the budget would be lost."""
    search = DiffSearch(*[None] * 9, budget=1000.0)  # type: ignore[arg-type]
    search._started -= 300.0
    assert search._has_share()
    search._promised = True
    assert not search._has_share()
    search._started -= 300.0
    assert search._has_share()
