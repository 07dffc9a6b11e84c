"""cacheout: asking for the statistics of a cache while it is used blocks both threads for ever."""

from cacheout import Cache
from crew import together


def test_statistics_of_a_cache_in_use() -> None:
    cache = Cache(enable_stats=True)
    cache.set("a", 1)
    together(lambda: cache.get("a"), cache.stats.info)
    assert cache.stats.info().hit_count == 1
