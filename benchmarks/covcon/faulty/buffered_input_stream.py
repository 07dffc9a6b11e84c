"""A buffering wrapper round a byte source whose ``close`` forgets the lock that every other method takes."""

from __future__ import annotations

from threading import RLock


class StreamClosedError(Exception):
    """The stream was used after ``close``: a legal outcome."""


class ByteSource:
    """Bytes in memory that are handed out once."""

    def __init__(self, data: bytes = b"interleave") -> None:
        self.data = data
        self.position = 0
        self.closed = False

    def read(self, length: int) -> bytes:
        chunk = self.data[self.position : self.position + length]
        self.position += len(chunk)
        return chunk

    def available(self) -> int:
        return len(self.data) - self.position

    def close(self) -> None:
        self.closed = True


class BufferedInputStream:
    """Reads its source in blocks of ``size`` bytes; ``mark`` and ``reset`` go back within the marked limit."""

    _lock = RLock()  # one for all streams: two may share a source

    def __init__(self, source: ByteSource, size: int = 4) -> None:
        if size <= 0:
            raise ValueError("size must be positive")
        self.in_: ByteSource | None = source
        self.buf: bytes | None = b""
        self.size = size
        self.count = 0
        self.pos = 0
        self.markpos = -1
        self.marklimit = 0

    def _ensure_open(self) -> None:
        if self.in_ is None:
            raise StreamClosedError

    def _fill(self) -> None:
        """Replace the used-up buffer by the marked bytes that must be kept and one more block of the source."""
        if self.markpos >= 0 and self.pos - self.markpos < self.marklimit:
            kept = self.buf[self.markpos : self.pos]
            self.markpos = 0
        else:
            kept = b""
            self.markpos = -1
        chunk = self.in_.read(self.size)
        self.buf = kept + chunk
        self.pos = len(kept)
        self.count = len(self.buf)

    def _next(self) -> int:
        if self.pos >= self.count:
            self._fill()
            if self.pos >= self.count:
                return -1
        value = self.buf[self.pos]
        self.pos = self.pos + 1
        return value

    def read(self) -> int:
        """The next byte, or -1 at the end."""
        with self._lock:
            self._ensure_open()
            return self._next()

    def read_block(self, length: int) -> bytes:
        """Up to ``length`` bytes."""
        with self._lock:
            self._ensure_open()
            block = bytearray()
            while len(block) < length:
                value = self._next()
                if value < 0:
                    break
                block.append(value)
            return bytes(block)

    def read_into(self, target: bytearray) -> int:
        """Overwrite ``target`` from its start; the number of bytes read."""
        with self._lock:
            self._ensure_open()
            done = 0
            while done < len(target):
                value = self._next()
                if value < 0:
                    break
                target[done] = value
                done += 1
            return done

    def skip(self, amount: int) -> int:
        with self._lock:
            self._ensure_open()
            skipped = 0
            while skipped < amount and self._next() >= 0:
                skipped += 1
            return skipped

    def available(self) -> int:
        with self._lock:
            self._ensure_open()
            return self.count - self.pos + self.in_.available()

    def mark(self, limit: int) -> None:
        with self._lock:
            self._ensure_open()
            self.marklimit = limit
            self.markpos = self.pos

    def reset(self) -> None:
        with self._lock:
            self._ensure_open()
            if self.markpos < 0:
                raise StreamClosedError("no mark, or it is too far back")
            self.pos = self.markpos

    def mark_supported(self) -> bool:
        with self._lock:
            return True

    def close(self) -> None:
        if self.in_ is None:
            return
        self.in_.close()
        self.in_ = None
        self.buf = None

    def __repr__(self) -> str:
        with self._lock:
            state = "closed" if self.in_ is None else f"pos={self.pos}, count={self.count}, markpos={self.markpos}"
            return f"BufferedInputStream({state})"
