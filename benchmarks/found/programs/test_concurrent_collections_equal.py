"""concurrent-collections: two collections that are compared in both directions block both threads for ever."""

from concurrent_collections import ConcurrentDictionary
from crew import together


def test_dictionaries_are_compared_in_both_directions() -> None:
    left, right = ConcurrentDictionary({1: 1}), ConcurrentDictionary({1: 1})
    together(lambda: left == right, lambda: right == left, lambda: right.assign_atomic(2, 2))
