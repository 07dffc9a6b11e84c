import threading

from bubble_sort import BubbleSort


def test_bubble_sort():
    """Main and three passes; these three values are in order after one exchange at the left and one at the right."""
    array = BubbleSort([3, 1, 2])
    threads = [threading.Thread(target=array.sort_pass) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert array.values == [1, 2, 3]
