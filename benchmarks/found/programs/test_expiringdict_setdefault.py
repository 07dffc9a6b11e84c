"""expiringdict: two threads ask for a default at the same time; each gets its own, and one of them is lost."""

from crew import together
from expiringdict import ExpiringDict


def test_both_get_the_same_default() -> None:
    found: ExpiringDict = ExpiringDict(max_len=10, max_age_seconds=1000)
    given: list[list[int]] = []
    together(*[lambda: given.append(found.setdefault("key", []))] * 2)
    assert given[0] is given[1]
