"""One symbol per text, whoever asks first."""

from __future__ import annotations


class Symbol:
    """Symbols are compared by identity."""

    def __init__(self, text: str) -> None:
        self.text = text


class Interner:
    """Without a lock: `setdefault` decides."""

    def __init__(self) -> None:
        self._symbols: dict[str, Symbol] = {}
        self._origins: dict[str, str] = {}

    def symbol(self, text: str) -> Symbol:
        """The symbol of a text, always the same one."""
        return self._symbols.setdefault(text, Symbol(text))

    def origin(self, text: str, file: str) -> str:
        """The file that has used a text first."""
        found = self._origins.setdefault(text, file)
        return found

    def is_known(self, text: str) -> bool:
        """Whether there is a symbol."""
        return text in self._symbols
