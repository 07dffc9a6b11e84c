"""cacheout: two threads that configure the same cache of a manager can work on two caches, of which one is lost."""

from cacheout import CacheManager
from crew import together


def test_one_name_is_one_cache() -> None:
    manager = CacheManager()

    def use(key: str) -> None:
        manager.configure("users", maxsize=8)
        manager["users"].set(key, key)

    together(lambda: use("a"), lambda: use("b"))
    assert sorted(manager["users"].keys()) == ["a", "b"]
