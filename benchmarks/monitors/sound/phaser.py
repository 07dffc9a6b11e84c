"""A barrier whose number of parties changes, after java.util.concurrent.Phaser."""

import threading


class Phaser:
    """Counts phases: one ends when all registered parties have arrived."""

    def __init__(self, parties: int = 0) -> None:
        if parties < 0:
            raise ValueError("parties must not be negative")
        self._parties = parties
        self._unarrived = parties
        self._phase = 0
        self._condition = threading.Condition()

    def register(self) -> int:
        """Add a party; return the phase that it is part of."""
        with self._condition:
            self._parties += 1
            self._unarrived += 1
            return self._phase

    def arrive(self) -> int:
        """Arrive without waiting; return the phase that was current."""
        with self._condition:
            return self._arrive()

    def arrive_and_deregister(self) -> int:
        """Arrive for the last time."""
        with self._condition:
            if self._unarrived == 0:
                raise RuntimeError("nobody is registered")
            self._parties -= 1
            return self._arrive()

    def arrive_and_wait(self) -> int:
        """Arrive and wait for the others; return the phase that follows."""
        with self._condition:
            phase = self._arrive()
            while self._phase == phase:
                self._condition.wait()
            return phase + 1

    def wait_for_phase(self, phase: int = 0) -> int:
        """Wait until a phase is over; return the current one."""
        with self._condition:
            while self._phase <= phase:
                self._condition.wait()
            return self._phase

    def _arrive(self) -> int:
        if self._unarrived == 0:
            raise RuntimeError("nobody is registered")
        phase = self._phase
        self._unarrived -= 1
        if self._unarrived == 0:
            self._phase += 1
            self._unarrived = self._parties
            self._condition.notify_all()
        return phase
