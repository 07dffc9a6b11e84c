import contextlib
import threading

from pool1 import Factory, GenericObjectPool


class Borrower:
    """Borrows an object, gives it back, and notes whether that failed."""

    def __init__(self, pool):
        self.pool = pool
        self.failed = False

    def run(self):
        try:
            borrowed = self.pool.borrow_object()
            self.pool.return_object(borrowed)
        except Exception:
            self.failed = True


def test_pool1():
    """Main, the evictor and a borrower, with one object lent before: the borrower gets one.

    As in the developers' test, whose delays are left out, an evictor that fails is no error: it creates nothing.
    """
    factory = Factory()
    factory.max_active = 2
    pool = GenericObjectPool(factory)
    pool.set_max_active(2)
    pool.set_min_idle(1)
    pool.borrow_object()
    borrower = Borrower(pool)

    def evict():
        with contextlib.suppress(Exception):
            pool.evict()
        with contextlib.suppress(Exception):
            pool.ensure_min_idle()

    threads = [threading.Thread(target=evict), threading.Thread(target=borrower.run)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not borrower.failed
    pool.close()
