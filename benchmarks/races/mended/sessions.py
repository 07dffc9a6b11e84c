"""A default session that is made under a lock when the first client is asked for."""

import threading


class Session:
    def __init__(self, region: str = "north"):
        self.region = region
        self.clients = []

    def client(self, service: str) -> str:
        self.clients.append(service)
        return f"{service}@{self.region}"


DEFAULT_SESSION = None
_lock = threading.RLock()


def setup_default_session(region: str = "north") -> None:
    global DEFAULT_SESSION
    with _lock:
        DEFAULT_SESSION = Session(region)


def client(service: str) -> str:
    with _lock:
        if DEFAULT_SESSION is None:
            setup_default_session()
        return DEFAULT_SESSION.client(service)


def clients() -> int:
    with _lock:
        return 0 if DEFAULT_SESSION is None else len(DEFAULT_SESSION.clients)
