"""A lock that covers less than before, so that an update is lost: `plait diff` and `plait bisect` say so first."""

import sys
from pathlib import Path

import pytest

from plait.commands.bisect.command import BisectOptions, bisect
from plait.subject.name import Subject

sys.path.insert(0, str(Path(__file__).parents[2]))

from sample_shop import commit, git

STOCK = '''
import threading


class Stock:
    """Items and what was sold of them."""

    def __init__(self):
        self._lock = threading.Lock()
        self._items = 5
        self._sold = 0
        self._names = []

    def sell(self, count: int) -> int:
        with self._lock:
            left = self._items - count
            self._items = left
            return left

    def note(self, name: str) -> int:
        names = self._names
        names.append(name)
        return len(names)

    def sold(self) -> int:
        sold = self._sold
        self._sold = sold + 1
        return sold

    def items(self) -> int:
        with self._lock:
            return self._items
'''
NARROW = STOCK.replace(
    "            self._items = left\n            return left\n",
    "        with self._lock:\n            self._items = left\n            return left\n",
)
# Another method is mended by the same change: what vanished with that is not what anybody asks for.
MENDED = (
    "        with self._lock:\n            sold = self._sold\n"
    "            self._sold = sold + 1\n            return sold\n"
)
NARROW_AND_MENDED = NARROW.replace(
    "        sold = self._sold\n        self._sold = sold + 1\n        return sold\n", MENDED
)


@pytest.mark.parametrize("seed", range(10))
def test_a_lost_update_is_reported_first_with_any_seed(compare, seed):
    assert len({STOCK, NARROW, NARROW_AND_MENDED}) == 3
    for new in (NARROW, NARROW_AND_MENDED):
        result = compare(STOCK, new, "Stock", tests=60, seed=seed, reproduce=False)
        first = result.findings[0]
        assert result.verdict == "difference"
        assert "Stock.sell" in first.methods
        assert "Stock.sold" not in first.methods
        assert first.only_new
        assert "Fixed by this change" not in first.summary


def test_bisect_names_the_commit_by_the_lost_update(tmp_path, monkeypatch):
    """The good end can do something that the bad end cannot, too: another commit has mended that."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-qb", "main")
    texts = {
        "Start": STOCK,
        "Words": STOCK.replace("what was sold of them", "what was sold of them, by day"),
        "Count under the lock": STOCK.replace(
            "        sold = self._sold\n        self._sold = sold + 1\n        return sold\n", MENDED
        ),
        "Hold the lock for less": NARROW_AND_MENDED,
        "Names": NARROW_AND_MENDED.replace("Items and what", "All items, and what"),
    }
    made = {name: commit(folder, name, stock=text, __init__="") for name, text in texts.items()}
    for seed in range(3):
        options = BisectOptions(
            Subject("stock", "Stock"), made["Start"], "HEAD", project=folder / "src" / "shop", seed=seed, max_tests=60
        )
        result = bisect(options)
        assert (result.verdict, result.more["kind"]) == ("found", "behaviour")
        assert result.more["commit"]["name"] == made["Hold the lock for less"]
        assert "Stock.sell" in result.findings[0].methods
