"""Who leaves an object must have entered it: `__exit__` follows an `__enter__`, as a `with` statement sees to.

Leaving what nobody has entered breaks the rules of `with`, and what comes of that says nothing about threads: a count
of users is wrong from then on. A thread may leave what was entered before the threads started.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.model.test import Call, Test

ENTER, EXIT = "__enter__", "__exit__"


def unentered(calls: Iterable[Call], inside: Counter[str]) -> list[int]:
    """Return the positions of calls that leave an object which was not entered; count in ``inside`` who is in it."""
    found = []
    for number, call in enumerate(calls):
        if call.method == EXIT and inside[call.receiver] <= 0:
            found.append(number)
        else:
            inside[call.receiver] += (call.method == ENTER) - (call.method == EXIT)
    return found


def is_paired(test: Test) -> bool:
    """Return whether each call that leaves an object can belong to one that has entered it."""
    inside: Counter[str] = Counter()
    if unentered(test.prefix, inside):
        return False
    lacking = Counter(suffix[at].receiver for suffix in test.suffixes for at in unentered(suffix, Counter()))
    return all(inside[receiver] >= count for receiver, count in lacking.items())
