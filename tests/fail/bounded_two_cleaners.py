"""Two threads clean up after the same one."""

import threading

OUTCOME = "exception"


class Connection:
    def __init__(self):
        self.permit = threading.BoundedSemaphore(1)
        self.permit.acquire()
        self.open = True

    def close(self):
        if self.open:
            self.permit.release()
            self.open = False


setup = Connection
threads = [Connection.close, Connection.close]
