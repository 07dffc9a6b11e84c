"""Two directions that have nothing to do with each other."""

import threading
import time


class Mailbox:
    """Sends and fetches; either takes the line for a moment."""

    def __init__(self):
        self._lock = threading.Lock()
        self._sent = self._fetched = 0

    def send(self, text: str):
        with self._lock:
            time.sleep(0.0003)  # the line out
            self._sent += 1

    def fetch(self):
        with self._lock:
            time.sleep(0.0003)  # the line in
            self._fetched += 1
            return self._fetched
