"""The language that pages are made in: one page at a time."""

import threading


class LocaleBorg:
    _shared = {}
    _lock = threading.RLock()

    def __init__(self):
        self.__dict__ = self._shared
        self._shared.setdefault("language", "en")

    def set_locale(self, language: str) -> str:
        with self._lock:
            before = self.language
            self.language = language
            return before

    def page(self, language: str) -> str:
        with self._lock:
            before = self.set_locale(language)
            try:
                return f"<html lang={self.language}>"
            finally:
                self.set_locale(before)
