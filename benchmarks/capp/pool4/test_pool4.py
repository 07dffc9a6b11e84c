import threading

from pool4 import Factory, GenericObjectPool


def test_pool4():
    """Main, a borrower and a returner of the only object: the borrower gets it."""
    pool = GenericObjectPool(Factory())
    pool.set_max_active(1)
    only = pool.borrow_object()
    borrowed = []

    def borrow():
        borrowed.append(pool.borrow_object())
        pool.return_object(borrowed[0])

    threads = [threading.Thread(target=borrow), threading.Thread(target=pool.return_object, args=(only,))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert borrowed == [only]
    assert (pool.get_num_active(), pool.get_num_idle()) == (0, 1)
