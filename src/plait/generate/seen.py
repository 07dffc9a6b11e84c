"""A compact set of the tests that a strategy has made."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.model.test import Test


class Seen:
    """A set of tests that keeps eight bytes of each.

    A long campaign makes many tests, and the set is sent to a worker with every chunk of work.
    """

    def __init__(self) -> None:
        self._hashes: set[int] = set()

    def is_new(self, test: Test) -> bool:
        """Add the test; return whether it was not in the set before."""
        digest = int.from_bytes(hashlib.blake2b(repr(test).encode("utf-8", "surrogatepass"), digest_size=8).digest())
        if digest in self._hashes:
            return False
        self._hashes.add(digest)
        return True
