"""What the set-up keeps in a local is not there in other threads."""

import threading

OUTCOME = "exception"


class Session:
    def __init__(self):
        self.local = threading.local()
        self.local.user = "nobody"

    def use(self):
        assert self.local.user


setup = Session
threads = [Session.use]
