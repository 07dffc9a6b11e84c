"""Airline: tickets are sold by one thread each, until one of them notices that the plane is full.

The seller looks at the capacity before it counts. Whatever the threads share is used under one lock.
"""

import threading


class Airline:
    """A flight for which more tickets are issued than there are seats."""

    def __init__(self, issued: int = 5, cushion: int = 2) -> None:
        self.issued = issued
        self.capacity = issued - cushion
        self.seats_sold = 0
        self.stop_sales = False
        self.lock = threading.Lock()

    def sell_seat(self) -> None:
        """What one seller does."""
        with self.lock:
            sold = self.seats_sold
            if sold < self.capacity:
                self.seats_sold = sold + 1
            else:
                self.stop_sales = True

    def sell_all(self) -> int:
        """Start a seller per ticket while seats are sold; how many seats were sold when the sales were closed."""
        sellers = []
        for _ in range(self.issued):
            with self.lock:
                if self.stop_sales:
                    break
            seller = threading.Thread(target=self.sell_seat)
            sellers.append(seller)
            seller.start()
        with self.lock:
            sold_at_closing = self.seats_sold
        for seller in sellers:
            seller.join()
        return sold_at_closing
