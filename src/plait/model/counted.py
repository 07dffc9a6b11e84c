"""Numbers of things in sentences: "1 test", "2 tests", "3 classes"."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """Return the number and its noun; ``many`` is the plural of a noun that does not just take an s.

    Of "3 of 1 pair" the second number decides: write ``f"{some} of {counted(all, 'pair')}"``.
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
