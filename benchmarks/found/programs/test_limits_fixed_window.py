"""limits: the first two hits on a limit at the same time; one of them is forgotten, and a third is let through."""

from crew import together
from limits import RateLimitItemPerHour
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter


def test_the_limit_holds_for_hits_at_the_same_time() -> None:
    limiter, twice = FixedWindowRateLimiter(MemoryStorage()), RateLimitItemPerHour(2)
    passed: list[bool] = []
    together(*[lambda: passed.append(limiter.hit(twice, "user"))] * 2)
    passed.append(limiter.hit(twice, "user"))
    assert sum(passed) <= 2, "a third hit passed a limit of two"
