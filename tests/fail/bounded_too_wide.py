"""Two may enter, and both believe to be alone."""

import threading

OUTCOME = "wrong-result"


class Stock:
    def __init__(self):
        self.permits = threading.BoundedSemaphore(2)
        self.items = 1
        self.sold = 0

    def sell(self):
        with self.permits:
            if self.items > 0:
                self.items -= 1
                self.sold += 1


setup = Stock
threads = [Stock.sell, Stock.sell]


def check(stock):
    assert stock.items + stock.sold == 1
