"""The threaded tests of real packages: which ones start threads, what is explored, and what is made of the accounts."""

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUITE = """
import threading

import pytest


def start():
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


@pytest.fixture
def worker():
    start()
    yield
    start()


def test_plain():
    assert True


def test_one():
    start()


def test_of_a_fixture(worker):
    assert True


def test_fails():
    start()
    assert 1 == 2


def test_waits():
    threading.Event().wait()


@pytest.mark.skip
def test_skipped():
    start()
"""


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.suites.bench")


@pytest.fixture
def suite(bench, tmp_path, monkeypatch):
    """A package whose source is a folder with one file of tests."""
    monkeypatch.setattr(bench, "cache_root", lambda: tmp_path)
    monkeypatch.setattr(bench, "LONGEST", 0.5)
    made = bench.Suite("shop", "1.0", ".", ("test_shop.py",), ())
    (made.folder() / "source").mkdir(parents=True)
    (made.folder() / "needs").mkdir()
    (made.folder() / "complete").touch()
    (made.folder() / "source" / "test_shop.py").write_text(SUITE, "utf-8")
    return made


def test_the_packages_that_are_listed_are_pinned(bench):
    listed = bench.suites()
    assert len({suite.name for suite in listed}) == len(listed)
    for suite in listed:
        assert suite.number[0].isdigit()
        assert suite.tests
        assert all("==" in need for need in suite.needs)


def test_which_tests_start_threads(bench, suite):
    source, needs = bench.fetch(suite)
    told = {each["test"].rpartition("::")[2]: each for each in bench.started(suite, source, needs)}
    assert {name: (each["threads"], each["outcome"]) for name, each in told.items()} == {
        "test_plain": (0, "passed"), "test_one": (1, "passed"), "test_of_a_fixture": (2, "passed"),
        "test_fails": (1, "failed"), "test_waits": (0, "failed"), "test_skipped": (0, "skipped"),
    }  # fmt: skip


def test_those_that_pass_are_explored(bench, suite):
    limits = {"seconds": 10.0, "max_schedules": 3, "seed": 0, "sample": None, "partly": None}
    row = bench.measured(suite, limits)
    assert (row["tests"], row["threaded"], row["asked"], row["controlled"]) == (6, 3, 2, 2)
    assert (row["on_os_threads"], row["not_run"], row["failed"]) == (0, 0, {})
    assert row["schedules"] >= 2
    assert bench.measured(suite, {**limits, "sample": 1})["asked"] == 1


def test_a_test_that_ends_the_process_costs_no_other_one(bench, suite, monkeypatch):
    asked = []

    def pytest_run(_suite, _source, _needs, _seconds, *options):
        given = dict(option.split("=", 1) for option in options if "=" in option)
        left = Path(given["--only-tests"]).read_text("utf-8").splitlines()
        account = Path(given["--plait-result"])
        asked.append(left)
        if "b" in left:
            lines = [{"started": "a"}, {"test": "a", "ran": "explored"}, {"started": "b"}]
            Path(f"{account}.lines").write_text("\n".join(map(json.dumps, lines)), "utf-8")
        else:
            account.write_text(json.dumps({"tests": [{"test": "c", "ran": "explored"}]}), "utf-8")

    monkeypatch.setattr(bench, "_pytest", pytest_run)
    told = bench.explored(suite, suite.folder(), suite.folder(), ["a", "b", "c"], {
        "seconds": 1.0, "max_schedules": 1, "seed": 0, "partly": None,
    })  # fmt: skip
    assert [each["test"] for each in told] == ["a", "c"]
    assert asked == [["a", "b", "c"], ["c"]]


def test_what_was_told_before_an_interruption_is_not_asked_again(bench, suite, tmp_path, monkeypatch):
    asked = []

    def pytest_run(_suite, _source, _needs, _seconds, *options):
        given = dict(option.split("=", 1) for option in options if "=" in option)
        asked.append(Path(given["--only-tests"]).read_text("utf-8").splitlines())
        account = Path(given["--plait-result"])
        if len(asked) == 1:
            Path(f"{account}.lines").write_text('{"started": "a"}\n{"test": "a", "ran": "explored"}\n', "utf-8")
            raise KeyboardInterrupt
        account.write_text(json.dumps({"tests": [{"test": "b", "ran": "explored"}]}), "utf-8")

    monkeypatch.setattr(bench, "_pytest", pytest_run)
    limits = {"seconds": 1.0, "max_schedules": 1, "seed": 0, "partly": tmp_path / "all.json.shop"}
    with pytest.raises(KeyboardInterrupt):
        bench.explored(suite, suite.folder(), suite.folder(), ["a", "b"], limits)
    told = bench.explored(suite, suite.folder(), suite.folder(), ["a", "b"], limits)
    assert [each["test"] for each in told] == ["a", "b"]
    assert asked == [["a", "b"], ["b"]]


def test_what_is_not_controlled_is_counted_with_its_reason(bench, suite, tmp_path, monkeypatch):
    file = tmp_path / "explained.json"
    file.write_text(json.dumps({"shop": {"b": "a race of the package"}}), "utf-8")
    monkeypatch.setattr(bench, "EXPLAINED", file)
    told = [
        {"test": "a", "ran": "explored", "outcome": "passed", "schedules": 7},
        {"test": "b", "ran": "explored", "outcome": "failed", "schedules": 2, "failure": {"summary": "deadlock"}},
        {"test": "c", "ran": "OS threads", "outcome": "failed", "why": "it uses sockets"},
        {"test": "d", "ran": "one thread", "outcome": "passed"},
    ]
    row = bench.judged(suite, list("abcde"), told)
    assert row == {
        "asked": 5, "controlled": 2, "schedules": 9, "on_os_threads": 1, "not_run": 2,
        "why": {"it uses sockets": 1, "one thread": 1}, "failed": {"b": "deadlock", "c": "?"}, "unexplained": ["c"],
        "explained": {"b": "a race of the package"},
    }  # fmt: skip
    with pytest.raises(bench.UsageError, match="there is no suite 'nothing'"):
        bench.run(subject="nothing")
