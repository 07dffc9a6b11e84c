"""A lazily made instance, made twice."""

OUTCOME = "wrong-result"


class Settings:
    instance = None
    made = 0

    @classmethod
    def get(cls):
        if cls.instance is None:
            cls.instance = cls()
            cls.made += 1
        return cls.instance


setup = None
threads = [lambda: Settings.get(), lambda: Settings.get()]


def check():
    assert Settings.made == 1
