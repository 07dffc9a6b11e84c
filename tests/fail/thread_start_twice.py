"""A thread can be started once."""

import threading

OUTCOME = "exception"


class Service:
    def __init__(self):
        self.thread = threading.Thread(target=int)
        self.running = False

    def start(self):
        if not self.running:
            self.thread.start()
            self.running = True


setup = Service
threads = [Service.start, Service.start]
