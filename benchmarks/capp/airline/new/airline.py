"""Airline: tickets are sold by one thread each, until one of them notices that the plane is full.

The seller counts first and then looks at the capacity, and no lock is taken: the agency starts further sellers before
an earlier one has stopped the sales.
"""

import threading


class Airline:
    """A flight for which more tickets are issued than there are seats."""

    def __init__(self, issued: int = 5, cushion: int = 2) -> None:
        self.issued = issued
        self.capacity = issued - cushion
        self.seats_sold = 0
        self.stop_sales = False

    def sell_seat(self) -> None:
        """What one seller does."""
        sold = self.seats_sold
        self.seats_sold = sold + 1
        if self.seats_sold > self.capacity:
            self.stop_sales = True

    def sell_all(self) -> int:
        """Start a seller per ticket while seats are sold; how many seats were sold when the sales were closed."""
        sellers = []
        for _ in range(self.issued):
            if self.stop_sales:
                sold = self.seats_sold
                self.seats_sold = sold - 1
                break
            seller = threading.Thread(target=self.sell_seat)
            sellers.append(seller)
            seller.start()
        sold_at_closing = self.seats_sold
        for seller in sellers:
            seller.join()
        return sold_at_closing
