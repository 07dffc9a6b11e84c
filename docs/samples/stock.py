from decimal import Decimal
from threading import Lock


class Stock:
    """May be shared between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.value = Decimal(0)

    def deliver(self, price: int) -> None:
        value = self.value
        with self._lock:
            self.value = value + price

    def sell(self, price: int) -> None:
        with self._lock:
            self.value = self.value - price
