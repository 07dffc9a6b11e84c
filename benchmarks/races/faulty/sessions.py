"""A default session that is made when the first client is asked for."""


class Session:
    def __init__(self, region: str = "north"):
        self.region = region
        self.clients = []

    def client(self, service: str) -> str:
        self.clients.append(service)
        return f"{service}@{self.region}"


DEFAULT_SESSION = None


def setup_default_session(region: str = "north") -> None:
    global DEFAULT_SESSION
    DEFAULT_SESSION = Session(region)


def _default_session() -> Session:
    if DEFAULT_SESSION is None:
        setup_default_session()
    return DEFAULT_SESSION


def client(service: str) -> str:
    return _default_session().client(service)


def clients() -> int:
    return 0 if DEFAULT_SESSION is None else len(DEFAULT_SESSION.clients)
