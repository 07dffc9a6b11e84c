"""Numbers that stand for addresses, so that sets of threads and futures have the same order in every execution."""

from __future__ import annotations

from typing import Any

_numbers = _pools = _names = 0


def reset_numbers() -> None:
    """Restart all counts, before an execution: every execution gives the same numbers."""
    global _numbers, _pools, _names
    _numbers = _pools = _names = 0


def next_pool() -> int:
    """Return the next number for the names of a thread pool's threads."""
    global _pools
    _pools += 1
    return _pools - 1


def next_name() -> int:
    """Return the next number for the name of a thread that was given no name."""
    global _names
    _names += 1
    return _names


def number(obj: Any) -> int:
    """Return the number of an object, assigned at the first call; it serves as hash and in place of ``id``."""
    global _numbers
    space: dict[str, Any] = obj.__dict__
    found = space.get("_plait_number")
    if found is None:
        _numbers += 1
        found = space["_plait_number"] = _numbers
    return int(found)
