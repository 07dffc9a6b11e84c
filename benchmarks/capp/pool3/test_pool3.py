import threading

from pool3 import Factory, GenericKeyedObjectPool


def test_pool3():
    """Main and a thread that waits for the key that main holds: main still gets an object of another key."""
    pool = GenericKeyedObjectPool(Factory())
    pool.set_max_active(1)
    one = pool.borrow_object("one")

    def borrow():
        borrowed = pool.borrow_object("one")
        pool.return_object("one", borrowed)

    thread = threading.Thread(target=borrow)
    thread.start()
    pool.borrow_object("two")
    assert pool.get_num_active("one") == 1
    assert pool.get_num_active("two") == 1
    pool.return_object("one", one)
    thread.join()
    assert pool.get_num_active("one") == 0
    assert pool.get_num_active("two") == 1
