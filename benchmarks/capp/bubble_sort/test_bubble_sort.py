import threading

from bubble_sort import BubbleSort


def test_bubble_sort():
    """Main and three passes; these four values are in order after one exchange at each place, left to right."""
    array = BubbleSort([4, 1, 2, 3])
    threads = [threading.Thread(target=array.sort_pass) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert array.values == [1, 2, 3, 4]
