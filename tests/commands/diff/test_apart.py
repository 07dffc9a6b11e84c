"""Versions that differ already with one thread: what threads add to either of them is compared all the same."""

import pytest

SHOP = """
    import threading

    class Shop:
        def __init__(self):
            self._lock = threading.Lock()
            self._sold = 0

        def sell(self):
            with self._lock:
                number = self._sold
                self._sold = number + 1
            return f"order {number}"
    """
UNLOCKED = SHOP.replace("with self._lock:", "if True:")


@pytest.mark.parametrize(("old", "new", "shown"), [(SHOP, UNLOCKED, "new"), (UNLOCKED, SHOP, "old")])
def test_a_race_is_found_although_every_result_has_changed(compare, old, new, shown):
    new = new.replace('"order {number}"', '"order no. {number}"')
    result = compare(old, new, "Shop", tests=60)
    assert result.verdict == "difference"
    finding = result.findings[0]
    assert finding.kind == "difference"
    assert finding.summary.startswith("Shop: after the change, " if shown == "new" else "Shop: Fixed by this change: ")
    assert "`sell` at the same time" in finding.summary
    assert bool(finding.only_new) == (shown == "new")
    assert bool(finding.only_old) == (shown == "old")
    assert finding.confirmed_on_threads
    assert result.as_json()["sequential"]


@pytest.mark.parametrize("old", [SHOP, UNLOCKED], ids=["sound", "racy"])
def test_what_both_versions_do_alike_is_no_difference(compare, old):
    new = old.replace('"order {number}"', '"order no. {number}"').replace("number + 1", "1 + number")
    result = compare(old, new, "Shop", tests=60)
    assert result.verdict == "sequential-difference"
    assert result.stats["tests_judged_apart"] > 0


def test_a_call_that_only_fails_now_has_not_lost_its_races(compare):
    failing = UNLOCKED.replace('return f"order {number}"', "raise ValueError(number)")
    assert compare(UNLOCKED, failing, "Shop", tests=60).verdict == "sequential-difference"


def test_a_call_that_no_longer_depends_on_others_has_nothing_to_get_wrong(compare):
    alone = UNLOCKED.replace('f"order {number}"', '"order"').replace("number + 1", "1 + number")
    result = compare(UNLOCKED, alone, "Shop", tests=60)
    assert result.verdict == "sequential-difference"
    assert result.stats["tests_judged_apart"] > 0


def test_a_call_that_waits_for_itself_is_a_difference(compare):
    stuck = (
        SHOP.replace("number = self._sold\n", "number = self._count()\n")
        + """
        def _count(self):
            with self._lock:
                return self._sold
    """
    )
    finding = compare(SHOP, stuck, "Shop", tests=60).findings[0]
    assert finding.summary == ("Shop: after the change, `x.sell()` waits for ever for a lock that it holds itself")
    assert finding.methods == ["Shop.sell"]


LATCH = """
    import threading

    class Latch:
        def __init__(self):
            self._changed = threading.Condition()
            self._open = False

        def open(self):
            with self._changed:
                self._open = True
                self._changed.notify_all()

        def wait(self):
            with self._changed:
                while not self._open:
                    self._changed.wait()
    """


def test_a_wake_up_that_is_lost_is_a_difference(compare):
    result = compare(LATCH, LATCH.replace("self._changed.notify_all()", "pass"), "Latch", tests=40)
    assert result.verdict == "difference"
    said = "Latch: after the change `wait` can wait for ever, when `wait` and `open` run at the same time"
    assert result.findings[0].summary == said  # not a sequential difference: one thread alone cannot show it


BOX = """
    import threading

    class Box:
        def __init__(self):
            self._lock = threading.Lock()
            self._items = []
            self._closed = False

        def put(self, item):
            with self._lock:
                if self._closed:
                    return False
                self._items.append(item)
                return True

        def close(self):
            with self._lock:
                self._closed = True

        def size(self):
            with self._lock:
                return len(self._items)
    """


def test_what_only_two_calls_in_a_thread_can_tell_is_a_difference(compare):
    """A closed box gets another item; who only closes it cannot see that, nor who only looks."""
    split = BOX.replace(
        "                self._items.append(item)\n                return True",
        ("            with self._lock:\n                self._items.append(item)\n                return True"),
    )
    assert split != BOX
    result = compare(BOX, split, "Box", tests=300)
    assert result.verdict == "difference"
    assert sorted(map(len, result.findings[0].test.suffixes)) == [1, 2]
