"""The tests that are known to show the faults of Pool."""

from crew import raised, together
from pool import AllocatingPool, ImpatientPool, KeyedPool, ObjectPool


def test_pool_120():
    pool = ObjectPool()
    assert not raised(together(pool.add_object, pool.borrow))


def test_pool_146():
    pool = KeyedPool()
    pool.borrow("A")

    def second():
        pool.borrow("B")
        pool.give_back("A")

    together(lambda: pool.borrow("A"), second)


def test_pool_149():
    pool = AllocatingPool()
    pool.borrow()
    together(pool.borrow, pool.invalidate)


def test_pool_162():
    pool = ImpatientPool()
    pool.borrow()
    assert together(lambda: pool.borrow(0.1)) == [False]
    assert together(pool.give_back, pool.borrow) == [None, True]
