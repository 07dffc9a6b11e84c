import threading

from deadlock import Shared, first_worker, second_worker


def test_deadlock():
    """Main and two workers: both come to an end; their unguarded counts may be lost, but not all of them."""
    shared = Shared()
    threads = [threading.Thread(target=worker, args=(shared,)) for worker in (first_worker, second_worker)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 2 <= shared.count <= 4
