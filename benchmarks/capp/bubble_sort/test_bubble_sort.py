from bubble_sort import BubbleSort


def test_bubble_sort():
    """Main and three passes: no number is greater than the next one."""
    values = [463, 2435, 89]
    BubbleSort(values).sort()
    for index in range(len(values) - 1):
        assert values[index] <= values[index + 1]
