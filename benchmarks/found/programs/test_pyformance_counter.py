"""pyformance: two threads ask for a counter that is new; each gets its own, and what one of them counts is lost."""

from crew import together
from pyformance import MetricsRegistry


def test_every_increment_counts() -> None:
    registry = MetricsRegistry()
    together(*[lambda: registry.counter("requests").inc()] * 2)
    assert registry.counter("requests").get_count() == 2
