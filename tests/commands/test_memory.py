"""What `plait check` and `plait diff` remember between runs."""

import json

import pytest

from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.commands.diff import sides
from plait.commands.diff.command import diff
from plait.commands.diff.options import DiffOptions
from plait.store.database import Store
from plait.subject.name import Subject

SOURCE = """
import threading


class Stock:
    def __init__(self):
        self._lock = threading.Lock()
        self._things = {}
        self.sold = 0

    def put(self, key: str):
        with self._lock:
            self._things[key] = True

    def has(self, key: str):
        with self._lock:
            return key in self._things

    def sell(self):
        sold = self.sold
        self.sold = sold + 1
        return self.sold
"""
RACY = "        sold = self.sold\n        self.sold = sold + 1\n        return self.sold"
FIXED = SOURCE.replace(RACY, "        return 1")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def check_it(source, **options):
        (tmp_path / "stock.py").write_text(source, encoding="utf-8")
        asked = {"max_tests": 24, "workers": 1, "streams": 2, "store": tmp_path / ".plait", **options}
        return check(CheckOptions(Subject.parse("stock:Stock", path=tmp_path), project=tmp_path, **asked))

    return check_it


def told(result):
    return " ".join(result.notes)


def plain(result):
    return [{**finding.as_json(), "occurrences": 0} for finding in result.findings]


@pytest.mark.slow
def test_the_life_of_a_finding(run, tmp_path):
    first = run(SOURCE)
    assert [finding.methods for finding in first.findings] == [["Stock.sell"]]
    again = run(SOURCE)
    assert "nothing has changed" in told(again)
    assert "1 still there" in told(again)
    assert plain(again) == plain(first)
    assert again.stats["tests_known"] == again.stats["tests"] == first.stats["tests"]
    shifted = run(SOURCE.replace("    def has", "    # soon\n    def has"))
    assert "1 still there" in told(shifted)
    assert shifted.findings[0].interleaving[0].line == first.findings[0].interleaving[0].line + 1
    assert shifted.stats["tests_known"] > 0
    fixed = run(FIXED)
    assert "fixed since an earlier run: Stock" in told(fixed)
    assert fixed.findings == []
    assert "fixed" not in told(run(FIXED))
    with Store(tmp_path / ".plait") as store:
        assert [each.status for each in store.findings()] == ["fixed"]


@pytest.mark.slow
def test_only_what_touches_a_change_is_explored_again(run):
    first = run(FIXED)
    changed = run(FIXED.replace("        return 1", "        unused = 0\n        return 1"))
    assert 0 < changed.stats["tests_known"] < changed.stats["tests"]
    assert 0 < changed.stats["schedules"] < first.stats["schedules"]
    assert "whose code has not changed since an earlier run" in told(changed)
    fresh = run(FIXED.replace("        return 1", "        unused = 0\n        return 1"), fresh=True)
    assert fresh.stats["tests_known"] == 0
    assert fresh.stats["schedules"] > changed.stats["schedules"]
    assert fresh.verdict == changed.verdict == "none"


@pytest.mark.slow
@pytest.mark.parametrize("limit", [{"max_tests": 20}, {"max_tests": None, "max_schedules": 120}])
def test_findings_do_not_depend_on_the_number_of_workers(run, limit):
    one, two = (run(SOURCE, store=None, streams=4, workers=workers, **limit) for workers in (1, 2))
    assert plain(one) == plain(two)
    assert one.findings
    figures = ("tests", "schedules", "method_pairs_covered", "tests_exhausted")
    assert [one.stats[name] for name in figures] == [two.stats[name] for name in figures]
    assert json.dumps(one.more["pairs"]) == json.dumps(two.more["pairs"])


@pytest.fixture
def compare(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def compare_them(old, new, **options):
        for name, source in (("old", old), ("new", new)):
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / "stock.py").write_text(source, encoding="utf-8")
        folders = [str(tmp_path / name) for name in ("old", "new")]
        asked = {"max_tests": 40, "store": tmp_path / ".plait", "reproduce": False, **options}
        return diff(DiffOptions(Subject("stock", "Stock"), *folders, project=tmp_path, **asked))

    return compare_them


SOUND = SOURCE.replace(RACY, "        with self._lock:\n            self.sold += 1\n            return self.sold")


@pytest.mark.slow
def test_a_comparison_is_remembered_too(compare, monkeypatch):
    sound = SOUND
    first = compare(sound, SOURCE)
    assert first.verdict == "difference"
    with monkeypatch.context() as without_workers:
        without_workers.setattr(sides, "open_sides", None)
        again = compare(sound, SOURCE)
    assert "nothing has changed" in told(again)
    assert "the difference is still there" in told(again)
    assert [each.as_json() for each in again.findings] == [each.as_json() for each in first.findings]
    del first.more["remembered"]
    assert (again.verdict, again.stats, again.more) == (first.verdict, first.stats, json.loads(json.dumps(first.more)))
    shifted = compare(sound, SOURCE.replace("    def has", "    # soon\n    def has"))
    assert "known from earlier runs: still there" in shifted.notes
    assert shifted.stats["tests_generated"] == 0
    calm = compare(sound, sound.replace("self.sold += 1", "self.sold = self.sold + 1"))
    assert "fixed since an earlier run" in told(calm)
    assert calm.verdict == "none"
    known = compare(sound, sound.replace("self.sold += 1", "self.sold = self.sold + 1"))
    assert "nothing has changed" in told(known)
    assert (known.verdict, known.stats) == (calm.verdict, calm.stats)


@pytest.mark.slow
def test_only_what_touches_a_change_is_compared_again(compare):
    """Every method has changed; then one of them changes again."""
    other = SOUND.replace("with self._lock:", "with self._lock:  # held\n            unused = 0")
    first = compare(SOUND, other)
    changed = other.replace("return key in self._things", "return bool(key in self._things)")
    again = compare(SOUND, changed)
    assert 0 < again.stats["tests_known"] < again.stats["tests_generated"] == first.stats["tests_generated"]
    assert "whose code has not changed since an earlier run" in told(again)
    fresh = compare(SOUND, changed, fresh=True)
    assert fresh.stats["tests_known"] == 0
    assert again.verdict == fresh.verdict == "none"
    for name in ("tests_generated", "tests_filtered", "inconclusive"):
        assert again.stats[name] == fresh.stats[name]
    assert again.stats["checks"] <= fresh.stats["checks"]


@pytest.mark.slow
def test_what_is_known_does_not_hide_a_difference(compare):
    other = SOUND.replace("with self._lock:", "with self._lock:  # held\n            unused = 0")
    compare(SOUND, other)
    racy = other.replace(
        "            unused = 0\n            self.sold += 1\n            return self.sold",
        f"            unused = 0\n{RACY}",
    )
    assert racy != other
    assert compare(SOUND, racy).verdict == "difference"
