"""A class that starts two threads of its own, and they race."""

import threading

OUTCOME = "wrong-result"


class Downloader:
    def __init__(self):
        self.done = 0

    def fetch(self):
        self.done += 1

    def run(self):
        workers = [threading.Thread(target=self.fetch) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


setup = Downloader
threads = [Downloader.run]


def check(downloader):
    assert downloader.done == 2
