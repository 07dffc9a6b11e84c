"""A daemon that serves for ever does not keep the test from ending."""

import queue
import threading


class Server:
    def __init__(self):
        self.requests = queue.Queue()
        self.answers = queue.Queue()

    def serve(self):
        while True:
            self.answers.put(self.requests.get() + 1)

    def use(self):
        threading.Thread(target=self.serve, daemon=True).start()
        self.requests.put(1)
        assert self.answers.get() == 2


setup = Server
threads = [Server.use]
