"""The sample repository: the race and the slowdown are reported where they came in, and nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sample_shop import QUICK, commit, git, make_shop

from plait.campaign.bisect import BisectOptions, bisect
from plait.campaign.review import ReviewOptions, review
from plait.report.bisect_text import bisect_text
from plait.report.review_line import line
from plait.report.review_publish import review_json
from plait.report.sarif import sarif
from plait.run.native_machine import HEAVY, others
from plait.subject.name import Subject

pytestmark = pytest.mark.slow
SMALL = {"budget": None, "max_tests": 40, "perf_threads": 4, "perf_tests": 1, "measuring": QUICK}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    return folder, make_shop(folder)


@pytest.fixture(scope="module")
def reviewed(shop, tmp_path_factory):
    """The reviews of both later commits, each against the one before it."""
    folder, made = shop
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("out"))
        return {
            name: review(ReviewOptions(folder, base, made[name], tests=folder / "tests", curve=(1,), **SMALL))
            for name, base in (("race", made["start"]), ("wide", made["race"]))
        }


def unhurried(is_measured, load=None):
    """Go on only if others leave enough of the machine for measurements, even of large effects."""
    load = load or max(others() or 0.0 for _ in range(20))
    if not is_measured and load > HEAVY:
        pytest.skip(f"the machine is too busy: {load:.1f} others per CPU")


@pytest.fixture(scope="module")
def slower(reviewed):
    """The review of the wider lock."""
    result, classes = reviewed["wide"]
    perf = classes[0].perf
    unhurried(perf.verdict != "inconclusive", perf.machine.get("others_per_cpu"))
    return result, classes


def test_the_race_is_reported_on_its_commit_and_nothing_else(reviewed, shop):
    result, classes = reviewed["race"]
    assert result.verdict == "findings"
    (stock,) = classes
    assert stock.name == "shop.stock:Stock"
    (brought,) = stock.brought()
    assert (brought.command, brought.finding.methods) == ("diff", ["Stock.put"])
    assert stock.before == []
    (explored,) = stock.explored
    assert explored.verdict == "failure"
    assert any("test_stock.py::test_two_deliveries" in each.summary for each in brought.also)
    assert "the lock removed from `put` in this change" in line(stock)
    assert line(stock).endswith("lets `put` lose updates")


def test_the_slowdown_is_reported_on_its_commit_and_nothing_else(slower):
    result, classes = slower
    assert result.verdict == "findings"
    (prices,) = classes
    assert prices.name == "shop.prices:Prices"
    (brought,) = prices.brought()
    assert prices.explored == []
    assert (brought.command, brought.finding.kind) == ("perf", "performance")
    assert "the lock widened in `price` in this change makes `price` " in line(prices)
    assert "slower at 4 threads; no new behaviour under threads was found" in line(prices)
    assert prices.perf.speedup < 0.5


def test_the_result_file_keeps_the_contract(reviewed, shop):
    folder, made = shop
    data = json.loads(json.dumps(review_json(*reviewed["race"])))
    assert (data["command"], data["verdict"], data["schema"]) == ("review", "findings", 1)
    assert data["versions"] == {"old": made["start"][:10], "new": made["race"][:10]}
    assert data["stats"]["classes"] == 1
    assert set(data["stats"]["results"]["shop.stock:Stock"]) == {"diff", "check", "perf", "explore"}
    (each,) = data["classes"]
    assert (each["diff"]["verdict"], each["check"]["verdict"]) == ("difference", "violation")
    assert each["locks"] == [{"deed": "removed", "functions": ["put"]}]
    (finding,) = data["findings"]
    assert finding["subject"] == "shop.stock:Stock"
    assert {row["file"] for row in finding["interleaving"]} == {"src/shop/stock.py"}


def test_locations_are_seen_from_the_top_of_the_repository(reviewed, slower):
    for made, file in ((reviewed["race"], "src/shop/stock.py"), (slower, "src/shop/prices.py")):
        (found,) = json.loads(sarif(review_json(*made)))["runs"][0]["results"]
        place = found["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == file
        assert place["region"]["startLine"] > 1


def test_bisect_names_the_commit_that_brought_the_race(shop, tmp_path, monkeypatch):
    folder, made = shop
    done = subprocess.run(
        [sys.executable, "-m", "plait", "bisect", "shop.stock:Stock", "--path", str(folder), "--good", "main",
         "--bad", "topic", "--max-tests", "60", "--json", "r.json"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=500,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (data["verdict"], data["kind"]) == ("found", "behaviour")
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
    result = bisect(BisectOptions(Subject("shop.prices", "Prices"), made["start"], "HEAD", folder, **asked))
    unhurried(result.verdict == "ambiguous" and result.stats["commits_skipped"] == 1)
    assert result.verdict == "ambiguous"
    assert result.more["kind"] == "speed"
    assert [each["name"] for each in result.more["suspects"]] == [broken, wide]
    assert result.stats["commits_skipped"] == 1
    shown = bisect_text(result)
    assert "One of these 2 commits" in shown
    assert "no_such_module_anywhere" in shown


def test_the_command_line(shop, tmp_path):
    folder, _ = shop

    def plait(*words):
        return subprocess.run(
            [sys.executable, "-m", "plait", "review", *words], cwd=folder, capture_output=True, text=True, check=False,
            timeout=500,
        )  # fmt: skip

    assert plait("--base", "topic").returncode == 0
    nothing = plait("--base", "HEAD", "--markdown", "-")
    assert nothing.returncode == 0
    assert "plait: nothing found" in nothing.stdout
    unknown = plait("--base", "nonsense")
    assert unknown.returncode == 2
    assert unknown.stderr.count("\n") == 1
    file = Path(folder / "src" / "shop" / "stock.py")
    before = file.read_text(encoding="utf-8")
    try:
        file.write_text(before.replace("return self._items", "return 1 + self._items"), encoding="utf-8")
        late = plait("--base", "HEAD", "--budget", "4s")
        assert late.returncode == 3, late.stdout
        assert "no conclusion" in late.stdout
    finally:
        file.write_text(before, encoding="utf-8")
    assert git(folder, "status", "--porcelain") == ""
