"""Which tests a strategy has made already."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.model.test import Test


class Seen:
    """Keeps eight bytes of each: a long campaign makes many tests, and this travels with every chunk of them."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()

    def is_new(self, test: Test) -> bool:
        """Return whether it comes for the first time; the next time it will not."""
        digest = int.from_bytes(hashlib.blake2b(repr(test).encode("utf-8", "surrogatepass"), digest_size=8).digest())
        if digest in self._hashes:
            return False
        self._hashes.add(digest)
        return True
