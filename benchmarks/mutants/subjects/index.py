"""A text index: words and documents, two tables with a lock each."""

from __future__ import annotations

import threading


class Index:
    """Which words a document has, and which documents a word."""

    def __init__(self) -> None:
        self._documents_lock = threading.Lock()
        self._words_lock = threading.Lock()
        self._documents: dict[int, str] = {}
        self._words: dict[str, set[int]] = {}

    def add(self, document: int, word: str) -> None:
        """A document with one word; replaces an earlier one."""
        with self._documents_lock:
            before = self._documents.get(document)
            self._documents[document] = word
            with self._words_lock:
                if before is not None:
                    self._words[before].discard(document)
                self._words.setdefault(word, set()).add(document)

    def remove(self, document: int) -> str:
        """Remove a document; KeyError if there is none. Returns its word."""
        with self._documents_lock:
            word = self._documents.pop(document)
            with self._words_lock:
                self._words[word].discard(document)
            return word

    def find(self, word: str) -> list[int]:
        """The documents with a word."""
        with self._words_lock:
            return sorted(self._words.get(word, ()))

    def check(self) -> bool:
        """Whether both tables agree."""
        with self._documents_lock:
            with self._words_lock:
                return all(document in self._words[word] for document, word in self._documents.items())
