"""The language that pages are made in, kept once for all: two pages in two languages get in each other's way."""


class LocaleBorg:
    _shared = {}

    def __init__(self):
        self.__dict__ = self._shared
        self._shared.setdefault("language", "en")

    def set_locale(self, language: str) -> str:
        before = self.language
        self.language = language
        return before

    def page(self, language: str) -> str:
        before = self.set_locale(language)
        try:
            return f"<html lang={self.language}>"
        finally:
            self.set_locale(before)
