import threading

from pool3 import GenericKeyedObjectPool


def test_pool3():
    """Main and a thread that waits for the key that main holds: main still gets an object of another key."""
    pool = GenericKeyedObjectPool(max_active=1)
    one = pool.borrow_object("one")
    borrowed = []

    def borrow():
        borrowed.append(pool.borrow_object("one"))
        pool.return_object("one", borrowed[0])

    thread = threading.Thread(target=borrow)
    thread.start()
    two = pool.borrow_object("two")
    pool.return_object("two", two)
    pool.return_object("one", one)
    thread.join()
    assert borrowed == [one]
    assert two != one
    assert pool.active == {"one": 0, "two": 0}
