"""Tasks of a pool that share a counter."""

from concurrent.futures import ThreadPoolExecutor

OUTCOME = "wrong-result"
OPTIONS = {"max_executions": 5000}


class Crawler:
    def __init__(self):
        self.pages = 0

    def fetch(self):
        self.pages += 1

    def run(self):
        with ThreadPoolExecutor(2) as pool:
            pool.submit(self.fetch)
            pool.submit(self.fetch)


setup = Crawler
threads = [Crawler.run]


def check(crawler):
    assert crawler.pages == 2
