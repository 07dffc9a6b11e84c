"""limits: two hits at the same time on a limit of one; both are refused, so that nobody passes."""

from crew import together
from limits import RateLimitItemPerHour
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter


def test_one_of_two_hits_passes() -> None:
    limiter, once = FixedWindowRateLimiter(MemoryStorage()), RateLimitItemPerHour(1)
    passed: list[bool] = []
    together(*[lambda: passed.append(limiter.hit(once, "user"))] * 2)
    assert any(passed), "both hits were refused"
