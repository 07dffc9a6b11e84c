"""Tables that are computed once, by whoever needs them first."""

from __future__ import annotations

import threading


class LazyTables:
    """Each table has a flag that is set when the table is complete."""

    def __init__(self, size: int = 2) -> None:
        self._lock = threading.Lock()
        self._size = max(1, size)
        self._squares: list[int] | None = None
        self._cubes: dict[int, int] | None = None
        self._computed = 0

    def square(self, number: int) -> int:
        """From the table of squares; IndexError beyond it."""
        table = self._squares
        if table is None:
            with self._lock:
                table = self._squares
                if table is None:
                    self._computed += 1
                    table = []
                    table.extend(each * each for each in range(self._size))
                    self._squares = table
        return table[number]

    def cube(self, number: int) -> int:
        """From the table of cubes; KeyError beyond it."""
        if self._cubes is None:
            with self._lock:
                if self._cubes is None:
                    self._computed += 1
                    cubes: dict[int, int] = {}
                    cubes.update((each, each**3) for each in range(self._size))
                    self._cubes = cubes
        return self._cubes[number]

    def computed(self) -> int:
        """How many tables were computed, each counted once."""
        with self._lock:
            return self._computed
