"""Tasks that take a lock."""

import threading
from concurrent.futures import ThreadPoolExecutor

OPTIONS = {"max_executions": 500}


class Crawler:
    def __init__(self):
        self.lock = threading.Lock()
        self.pages = 0

    def fetch(self):
        with self.lock:
            self.pages += 1

    def run(self):
        with ThreadPoolExecutor(2) as pool:
            for _ in range(2):
                pool.submit(self.fetch)


setup = Crawler
threads = [Crawler.run]


def check(crawler):
    assert crawler.pages == 2
