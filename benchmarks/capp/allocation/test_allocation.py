import threading

from allocation import AllocationVector, work


def test_allocation():
    """Main and two workers: no block is given to both, and all are free in the end."""
    vector = AllocationVector(4)
    errors = []

    def worker():
        try:
            work(vector, requests=2)
        except RuntimeError as error:
            errors.append(error)

    threads = [threading.Thread(target=worker) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert vector.blocks == ["F"] * 4
