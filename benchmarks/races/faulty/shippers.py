"""A handler that ships records from a thread of its own, which the first record starts."""

import threading


class ShippingHandler:
    def __init__(self):
        self._records = []
        self._started = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        pass

    def emit(self, record: str) -> None:
        if not self._started:
            self._thread.start()
            self._started = True
        self._records.append(record)

    def count(self) -> int:
        return len(self._records)
