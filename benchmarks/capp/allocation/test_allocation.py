import threading

from allocation import ALLOCATION_ERROR, FREEING_ERROR, AllocateAndFree, AllocationVector


def test_allocation():
    """Main and two workers of two blocks each, four blocks: no block is given to both, and all are free in the end."""
    vector = AllocationVector(4)
    results = [[0, 0], [0, 0]]
    threads = [threading.Thread(target=AllocateAndFree(vector, result).run) for result in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        assert result[0] not in (ALLOCATION_ERROR, FREEING_ERROR)
    assert vector.blocks == ["F"] * 4
