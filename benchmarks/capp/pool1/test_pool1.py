import threading

from pool1 import ExhaustedError, Factory, GenericObjectPool, TooManyInstancesError


def test_pool1():
    """Main, the evictor and a borrower, with one object lent before: never are there more objects than allowed."""
    pool = GenericObjectPool(Factory(most=2), max_active=2, min_idle=1)
    pool.borrow_object()
    errors = []

    def evict():
        try:
            pool.ensure_min_idle()
        except TooManyInstancesError as error:
            errors.append(error)

    def borrow():
        try:
            pool.borrow_object()
        except ExhaustedError:
            pass  # legal while the evictor is creating
        except TooManyInstancesError as error:
            errors.append(error)

    threads = [threading.Thread(target=evict), threading.Thread(target=borrow)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert pool.factory.made == 2
