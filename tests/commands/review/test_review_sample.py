"""The sample repository: the race and the slowdown are reported where they came in, and nothing else.

Times are given (`recorded_times`): the wider lock costs what it costs on an idle machine.
"""

import json
import re
from pathlib import Path

import pytest

from in_process import plait
from plait.commands.bisect.command import BisectOptions, bisect
from plait.report.bisect_text import bisect_text
from plait.subject.name import Subject
from recorded_times import CALL_S, recorded
from result_schema import undescribed
from sample_shop import QUICK, WIDE, commit, git, make_shop

pytestmark = pytest.mark.slow
SMALL = {"budget": None, "max_tests": 40, "perf_threads": 4, "perf_tests": 1, "measuring": QUICK}


def wide_lock(_side, calls, threads, place):
    """A version of `Prices` that asks under its lock asks once at a time."""
    text = (Path(place.root) / "shop" / "prices.py").read_text(encoding="utf-8")
    return CALL_S * calls * (threads if text.strip() == WIDE.strip() else 1)


@pytest.fixture(scope="module", autouse=True)
def _given_times():
    with recorded(wide_lock):
        yield


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    return folder, make_shop(folder)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Where the commands of `reviewed` run."""
    return tmp_path_factory.mktemp("out")


@pytest.fixture(scope="module")
def reviewed(shop, out):
    """What the command says of both later commits, each against the one before it: its result and its text."""
    folder, made = shop
    found = {}
    for name, base in (("race", "start"), ("wide", "race")):
        done = plait(
            out, "review", "--path", folder, "--base", made[base], "--new", made[name], "--max-tests", 40,
            "--json", f"{name}.json", "--sarif", f"{name}.sarif",
        )  # fmt: skip
        assert done.returncode in (0, 1, 3), done.stderr
        found[name] = (json.loads((out / f"{name}.json").read_text(encoding="utf-8")), done)
    return found


def test_the_race_is_reported_on_its_commit_and_nothing_else(reviewed, shop):
    data, done = reviewed["race"]
    assert (done.returncode, data["verdict"]) == (1, "findings")
    (stock,) = data["classes"]
    assert stock["subject"] == "shop.stock:Stock"
    (finding,) = data["findings"]
    assert (finding["command"], finding["methods"]) == ("diff", ["Stock.put"])
    assert stock["before"] == []
    assert "the lock removed from `put` in this change" in stock["line"]
    assert stock["line"].endswith("lets `put` lose updates")
    assert f"FOUND shop.stock:Stock: {stock['line']}.\n" in done.stdout
    assert "shop.prices" not in done.stdout


def test_an_existing_test_that_the_race_breaks_is_named(reviewed):
    data, _ = reviewed["race"]
    (stock,), (finding,) = data["classes"], data["findings"]
    (explored,) = stock["explore"]
    assert explored["verdict"] == "failure"
    assert any("test_stock.py::test_two_deliveries" in each for each in finding["also"])


def test_the_slowdown_is_reported_on_its_commit_and_nothing_else(reviewed):
    data, done = reviewed["wide"]
    assert (done.returncode, data["verdict"]) == (1, "findings")
    (prices,) = data["classes"]
    assert prices["subject"] == "shop.prices:Prices"
    (finding,) = data["findings"]
    assert (finding["command"], finding["kind"]) == ("perf", "performance")
    assert prices["explore"] == []
    assert "the lock widened in `price` in this change makes `price` " in prices["line"]
    assert "slower at 8 threads; no new behaviour under threads was found" in prices["line"]
    assert prices["perf"]["stats"]["speedup"] < 0.5
    assert f"FOUND shop.prices:Prices: {prices['line']}.\n" in done.stdout
    assert "shop.stock" not in done.stdout


def test_the_result_file_keeps_the_contract(reviewed, shop):
    folder, made = shop
    data, _ = reviewed["race"]
    assert (data["command"], data["verdict"], undescribed(data)) == ("review", "findings", [])
    assert data["versions"] == {"old": made["start"][:10], "new": made["race"][:10]}
    assert data["stats"]["classes"] == 1
    assert set(data["stats"]["results"]["shop.stock:Stock"]) == {"diff", "check", "perf", "explore"}
    (each,) = data["classes"]
    assert (each["diff"]["verdict"], each["check"]["verdict"]) == ("difference", "violation")
    assert each["locks"] == [{"deed": "removed", "functions": ["put"]}]
    (finding,) = data["findings"]
    assert finding["subject"] == "shop.stock:Stock"
    assert {row["file"] for row in finding["interleaving"]} == {"src/shop/stock.py"}


def test_locations_are_seen_from_the_top_of_the_repository(reviewed, out):
    for name, file in (("race", "src/shop/stock.py"), ("wide", "src/shop/prices.py")):
        (found,) = json.loads((out / f"{name}.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
        place = found["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == file
        assert place["region"]["startLine"] > 1


def test_a_second_review_begins_with_what_is_known_and_writes_no_second_file(reviewed, shop, out):
    folder, made = shop
    before = sorted((out / "plait-out").iterdir())
    done = plait(  # with other options: the same ones are answered from the record of the first
        out, "review", "--path", folder, "--base", made["start"], "--new", made["race"], "--max-tests", 41
    )  # fmt: skip
    assert done.returncode == 1
    assert "shop.stock:Stock: known from earlier runs: " in done.stdout
    assert "shop.stock:Stock: known from earlier runs: still there" in done.stdout
    assert re.search(r"shop\.stock:Stock: known from earlier runs: \d still there", done.stdout)
    assert sorted((out / "plait-out").iterdir()) == before


def test_bisect_names_the_commit_that_brought_the_race(shop, tmp_path):
    folder, made = shop
    done = plait(
        tmp_path, "bisect", "shop.stock:Stock", "--path", folder, "--good", "main", "--bad", "topic", "--max-tests", 60,
        "--json", "r.json",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (data["verdict"], data["kind"], undescribed(data)) == ("found", "behaviour", [])
    assert (data["commit"]["name"], data["commit"]["subject"]) == (made["race"], "Put without waiting")
    assert data["commit"]["date"].startswith("20")
    assert "Put without waiting" in done.stdout


def test_bisect_names_the_commit_that_brought_the_slowdown_past_one_that_does_not_import(tmp_path, monkeypatch):
    folder = tmp_path / "shop"
    folder.mkdir()
    made = make_shop(folder)
    monkeypatch.chdir(tmp_path)
    git(folder, "checkout", "-q", "--detach", made["race"])
    broken = commit(folder, "Broken", prices="import no_such_module_anywhere\n")
    text = git(folder, "show", f"{made['wide']}:src/shop/prices.py")
    wide = commit(folder, "Wide, and works again", prices=text)
    commit(folder, "Nothing", label="class Label: pass\n")
    asked = {**SMALL, "budget": 240.0}
    result = bisect(BisectOptions(Subject("shop.prices", "Prices"), made["start"], "HEAD", project=folder, **asked))
    assert result.verdict == "ambiguous"
    assert result.more["kind"] == "speed"
    assert [each["name"] for each in result.more["suspects"]] == [broken, wide]
    assert result.stats["commits_skipped"] == 1
    shown = bisect_text(result)
    assert "One of these 2 commits" in shown
    assert "no_such_module_anywhere" in shown


def test_the_command_line(shop, tmp_path):
    folder, _ = shop

    assert plait(folder, "review", "--base", "topic").returncode == 0
    nothing = plait(folder, "review", "--base", "HEAD", "--markdown", "-")
    assert nothing.returncode == 0
    assert "plait: nothing found" in nothing.stdout
    unknown = plait(folder, "review", "--base", "nonsense")
    assert unknown.returncode == 2
    assert unknown.stderr.count("\n") == 1
    file = Path(folder / "src" / "shop" / "stock.py")
    before = file.read_text(encoding="utf-8")
    try:
        file.write_text(before.replace("return self._items", "return 1 + self._items"), encoding="utf-8")
        late = plait(folder, "review", "--base", "HEAD", "--budget", "4s")
        assert late.returncode == 3, late.stdout
        assert "no conclusion" in late.stdout
    finally:
        file.write_text(before, encoding="utf-8")
    assert git(folder, "status", "--porcelain") == ""
