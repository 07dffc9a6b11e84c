"""A locked, growable text; every method holds the lock from beginning to end."""

from __future__ import annotations

from threading import RLock


class StringBuffer:
    """Text in ``value`` (one character per slot) of which the first ``count`` slots are used."""

    _lock = RLock()  # one for all buffers: a buffer can be an argument of another, or of itself

    def __init__(self, text: str = "abc") -> None:
        self.value: list[str] = list(text)
        self.count = len(text)

    def _check(self, start: int, end: int) -> None:
        """Negative indices would be legal for a list."""
        if start < 0 or start > end or end > self.count:
            raise IndexError(f"start {start}, end {end}, length {self.count}")

    def _splice(self, start: int, end: int, text: str) -> None:
        """Put ``text`` in the place of the characters from ``start`` to ``end``."""
        self._check(start, end)
        used = self.value[: self.count]
        used[start:end] = text
        spare = max(0, len(self.value) - len(used))
        self.value = used + [""] * spare
        self.count = len(used)

    def _text(self, start: int, end: int) -> str:
        self._check(start, end)
        return "".join(self.value[start:end])

    def length(self) -> int:
        with self._lock:
            return self.count

    def capacity(self) -> int:
        with self._lock:
            return len(self.value)

    def ensure_capacity(self, minimum: int) -> None:
        with self._lock:
            if minimum > 256:
                raise ValueError("capacity above 256")
            if minimum > len(self.value):
                self.value = self.value + [""] * (minimum - len(self.value))

    def trim_to_size(self) -> None:
        with self._lock:
            self.value = self.value[: self.count]

    def set_length(self, length: int) -> None:
        with self._lock:
            if length < 0:
                raise IndexError(length)
            if length <= self.count:
                self._splice(length, self.count, "")
            else:
                self.ensure_capacity(length)
                self._splice(self.count, self.count, "\0" * (length - self.count))

    def char_at(self, index: int) -> str:
        with self._lock:
            return self._text(index, index + 1)

    def code_point_at(self, index: int) -> int:
        with self._lock:
            return ord(self._text(index, index + 1))

    def code_point_before(self, index: int) -> int:
        with self._lock:
            return ord(self._text(index - 1, index))

    def code_point_count(self, begin: int, end: int) -> int:
        with self._lock:
            return len(self._text(begin, end))

    def offset_by_code_points(self, index: int, offset: int) -> int:
        with self._lock:
            self._check(min(index, index + offset), max(index, index + offset))
            return index + offset

    def get_chars(self, begin: int, end: int) -> list[str]:
        with self._lock:
            return list(self._text(begin, end))

    def set_char_at(self, index: int, char: str) -> None:
        with self._lock:
            self._splice(index, index + 1, char[:1])

    def append(self, text: str | None) -> None:
        with self._lock:
            self._splice(self.count, self.count, str(text))

    def append_object(self, value: object) -> None:
        with self._lock:
            self.append("object" if isinstance(value, StringBuffer) else str(value))

    def append_buffer(self, buffer: StringBuffer | None) -> None:
        with self._lock:
            self.append(None if buffer is None else buffer.to_string())

    def append_sequence(self, sequence: StringBuffer | None) -> None:
        with self._lock:
            self.append_buffer(sequence)

    def append_range(self, sequence: StringBuffer, start: int, end: int) -> None:
        with self._lock:
            self.append(sequence.substring_range(start, end))

    def append_chars(self, chars: list[str]) -> None:
        with self._lock:
            self.append("".join(chars))

    def append_chars_range(self, chars: list[str], offset: int, length: int) -> None:
        with self._lock:
            self.append("".join(chars[max(0, offset) : max(0, offset) + max(0, length)]))

    def append_bool(self, flag: bool) -> None:
        with self._lock:
            self.append("true" if flag else "false")

    def append_char(self, char: str) -> None:
        with self._lock:
            self.append(char[:1])

    def append_int(self, number: int) -> None:
        with self._lock:
            self.append(str(number))

    def append_long(self, number: int) -> None:
        with self._lock:
            self.append(str(number))

    def append_float(self, number: float) -> None:
        with self._lock:
            self.append(str(number))

    def append_double(self, number: float) -> None:
        with self._lock:
            self.append(str(number))

    def append_code_point(self, code_point: int) -> None:
        with self._lock:
            self.append(chr(code_point))

    def delete(self, start: int, end: int) -> None:
        with self._lock:
            self._splice(start, min(end, self.count), "")

    def delete_char_at(self, index: int) -> None:
        with self._lock:
            self._splice(index, index + 1, "")

    def replace(self, start: int, end: int, text: str) -> None:
        with self._lock:
            self._splice(start, min(end, self.count), text)

    def substring(self, start: int) -> str:
        with self._lock:
            return self._text(start, self.count)

    def substring_range(self, start: int, end: int) -> str:
        with self._lock:
            return self._text(start, end)

    def sub_sequence(self, start: int, end: int) -> str:
        with self._lock:
            return self._text(start, end)

    def insert(self, offset: int, text: str | None) -> None:
        with self._lock:
            self._splice(offset, offset, str(text))

    def insert_object(self, offset: int, value: object) -> None:
        with self._lock:
            self.insert(offset, "object" if isinstance(value, StringBuffer) else str(value))

    def insert_sequence(self, offset: int, sequence: StringBuffer | None) -> None:
        """Insert all of ``sequence``, which may be this buffer."""
        with self._lock:
            if sequence is None:
                self.insert(offset, None)
                return
            length = sequence.length()
            self.insert_range(offset, sequence, 0, length)

    def insert_range(self, offset: int, sequence: StringBuffer, start: int, end: int) -> None:
        with self._lock:
            self.insert(offset, sequence.substring_range(start, end))

    def insert_chars(self, offset: int, chars: list[str]) -> None:
        with self._lock:
            self.insert(offset, "".join(chars))

    def insert_chars_range(self, index: int, chars: list[str], offset: int, length: int) -> None:
        with self._lock:
            self.insert(index, "".join(chars[max(0, offset) : max(0, offset) + max(0, length)]))

    def insert_bool(self, offset: int, flag: bool) -> None:
        with self._lock:
            self.insert(offset, "true" if flag else "false")

    def insert_char(self, offset: int, char: str) -> None:
        with self._lock:
            self.insert(offset, char[:1])

    def insert_int(self, offset: int, number: int) -> None:
        with self._lock:
            self.insert(offset, str(number))

    def insert_long(self, offset: int, number: int) -> None:
        with self._lock:
            self.insert(offset, str(number))

    def insert_float(self, offset: int, number: float) -> None:
        with self._lock:
            self.insert(offset, str(number))

    def insert_double(self, offset: int, number: float) -> None:
        with self._lock:
            self.insert(offset, str(number))

    def index_of(self, text: str) -> int:
        with self._lock:
            return self._text(0, self.count).find(text)

    def index_of_from(self, text: str, start: int) -> int:
        with self._lock:
            return self._text(0, self.count).find(text, max(0, start))

    def last_index_of(self, text: str) -> int:
        with self._lock:
            return self._text(0, self.count).rfind(text)

    def last_index_of_from(self, text: str, start: int) -> int:
        with self._lock:
            return -1 if start < 0 else self._text(0, self.count).rfind(text, 0, start + len(text))

    def reverse(self) -> None:
        with self._lock:
            text = self._text(0, self.count)
            self._splice(0, self.count, text[::-1])

    def to_string(self) -> str:
        with self._lock:
            return self._text(0, self.count)

    def __repr__(self) -> str:
        with self._lock:
            return f"StringBuffer({self._text(0, self.count)!r})"
