"""A detector that all callers share: it is published with its profiles."""

import threading


class NoProfiles(Exception):
    """The detector has nothing to compare with."""


class DetectorFactory:
    def __init__(self):
        self.profiles = ["de", "en", "fr"]

    def best(self, text: str) -> str:
        if not self.profiles:
            raise NoProfiles("no profiles are loaded")
        return self.profiles[len(text) % len(self.profiles)]


_factory = None
_lock = threading.Lock()


def init_factory():
    global _factory
    with _lock:
        if _factory is None:
            _factory = DetectorFactory()


def detect(text: str) -> str:
    init_factory()
    return _factory.best(text)
