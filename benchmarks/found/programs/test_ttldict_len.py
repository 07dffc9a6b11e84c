"""ttldict: a thread asks how many entries there are while another one clears the dictionary; it gets a KeyError."""

from crew import together
from ttldict import TTLOrderedDict


def test_the_length_of_a_dictionary_that_is_cleared() -> None:
    found = TTLOrderedDict(1000)
    found.update((number, "value") for number in range(20))
    seen: list[int] = []
    together(lambda: seen.append(len(found)), found.clear)
    assert seen[0] in (0, 20)
