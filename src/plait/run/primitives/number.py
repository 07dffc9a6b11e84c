"""Numbers in place of addresses: sets of threads and futures have the same order in every execution."""

from __future__ import annotations

import itertools
from typing import Any

_numbers = itertools.count(1)
_pools = itertools.count()


def reset_numbers() -> None:
    """Count from the start again: every execution gives the same numbers."""
    global _numbers, _pools
    _numbers = itertools.count(1)
    _pools = itertools.count()


def next_pool() -> int:
    """The number in the names of a thread pool's threads."""
    return next(_pools)


def number(obj: Any) -> int:
    """The number of an object, given when it is first asked for; serves as hash and in place of ``id``."""
    space: dict[str, Any] = obj.__dict__
    found = space.get("_plait_number")
    if found is None:
        found = space["_plait_number"] = next(_numbers)
    return int(found)
