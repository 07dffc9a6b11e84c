"""A detector that all callers share: it is visible before its profiles are loaded."""


class NoProfiles(Exception):
    """The detector has nothing to compare with."""


class DetectorFactory:
    def __init__(self):
        self.profiles = []

    def load(self):
        for language in ("de", "en", "fr"):
            self.profiles.append(language)

    def best(self, text: str) -> str:
        if not self.profiles:
            raise NoProfiles("no profiles are loaded")
        return self.profiles[len(text) % len(self.profiles)]


_factory = None


def init_factory():
    global _factory
    if _factory is None:
        _factory = DetectorFactory()
        _factory.load()


def detect(text: str) -> str:
    init_factory()
    return _factory.best(text)
