"""The tests that are known to show the faults of DBCP."""

from crew import raised, together
from dbcp import ConnectionPool, InstanceRegistry, PoolingConnection


def test_dbcp_270():
    pool = ConnectionPool()
    together(pool.close, pool.evict)


def test_dbcp_65():
    connection = PoolingConnection()
    connection.prepare("a")
    together(lambda: connection.prepare("a"), connection.evict)


def test_dbcp_369():
    registry = InstanceRegistry()
    registry.register("a")
    registry.register("b")
    assert not raised(together(lambda: registry.register("c"), lambda: registry.remove(1)))
