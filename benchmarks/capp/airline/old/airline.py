"""Airline: tickets are sold by one thread each, until one of them notices that the plane is full.

A seller looks at the capacity and counts under the lock.

As in the copy of the program that the paper's tools used: a tenth more tickets are issued than there are seats, at
least one; a seller looks before it counts; the agency looks at the flag before it starts a seller, and joins all.
"""

import threading


class Airline:
    """A flight for which more tickets are issued than there are seats."""

    def __init__(self, tickets: int) -> None:
        self.monitor = threading.Lock()
        self.tickets = tickets
        self.maximum_capacity = tickets - max(1, tickets // 10)
        self.seats_sold = 0
        self.stop_sales = False

    def make_bookings(self) -> None:
        """Start a seller per ticket while seats are sold, and wait for all of them."""
        sellers = []
        for _ in range(self.tickets):
            if not self.stop_sales:
                seller = threading.Thread(target=self.run)
                sellers.append(seller)
                seller.start()
        for seller in sellers:
            seller.join()

    def run(self) -> None:
        """What one seller does."""
        with self.monitor:
            if self.seats_sold >= self.maximum_capacity:
                self.stop_sales = True
            else:
                sold = self.seats_sold
                self.seats_sold = sold + 1
