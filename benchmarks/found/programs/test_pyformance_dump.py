"""pyformance: metrics are dumped, as reporters do, while a thread counts for the first time: RuntimeError."""

from crew import together
from pyformance import MetricsRegistry


def test_metrics_are_dumped_while_others_count() -> None:
    registry = MetricsRegistry()
    registry.counter("requests").inc()
    together(registry.dump_metrics, lambda: registry.counter("errors").inc())
