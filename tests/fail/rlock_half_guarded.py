"""One method takes the lock, the other does not."""

import threading

OUTCOME = "wrong-result"


class Stock:
    def __init__(self):
        self.lock = threading.RLock()
        self.items = 1

    def take(self):
        with self.lock:
            if self.items:
                self.items -= 1

    def scrap(self):
        if self.items:
            self.items -= 1


setup = Stock
threads = [Stock.take, Stock.scrap]


def check(stock):
    assert stock.items == 0
