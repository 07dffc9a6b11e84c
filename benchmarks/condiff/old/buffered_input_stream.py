"""C2: a buffer round an input stream (JDK 1.1, JDK-4728096).

Reading, skipping, marking hold the stream's lock and begin with a test whether the stream is open. In the faulty
version `close` takes no lock: two threads that close, or one that closes while another one refills the buffer, meet
None. `read_all` is the tenth method: the paper counts ten, the original of that time has nine.
"""

import functools
import threading


def synchronized(method):
    """Hold the object's lock for the whole method."""

    @functools.wraps(method)
    def locked(self, *args, **kwargs):
        with self._lock:
            return method(self, *args, **kwargs)

    return locked


class StreamClosedError(Exception):
    """The stream was used after it was closed: legal, and told apart from the fault by its type."""


class ByteStream:
    """The wrapped stream: bytes in memory, which closing does not take away."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = data
        self.position = 0
        self.closed = False

    def read_block(self, length: int) -> bytes:
        """At most that many bytes; none at the end."""
        start = self.position
        block = self.data[start : start + max(length, 0)]
        self.position = start + len(block)
        return block

    def skip(self, count: int) -> int:
        """Pass over bytes; how many there were."""
        return len(self.read_block(count))

    def available(self) -> int:
        """How many bytes are left."""
        return len(self.data) - self.position

    def close(self) -> None:
        """Note that nobody needs the stream any more."""
        self.closed = True


class BufferedInputStream:
    """Reads ahead from another stream, and can go back to a mark."""

    def __init__(self, stream: ByteStream, size: int = 8) -> None:
        if size <= 0:
            raise ValueError("the buffer needs a positive size")
        self._lock = threading.RLock()
        self.in_: ByteStream | None = stream
        self.buf: bytearray | None = bytearray(size)
        self.count = 0
        self.pos = 0
        self.markpos = -1
        self.marklimit = 0

    def _ensure_open(self) -> None:
        if self.in_ is None:
            raise StreamClosedError("stream closed")

    def _fill(self) -> None:
        """Refill the buffer, keeping what lies behind the mark as long as the limit allows."""
        if self.markpos < 0:
            self.pos = 0
        elif self.pos >= len(self.buf):
            self._make_room()
        self.count = self.pos
        block = self.in_.read_block(len(self.buf) - self.pos)
        start = self.pos
        for offset in range(len(block)):
            self.buf[start + offset] = block[offset]
        self.count = start + len(block)

    def _make_room(self) -> None:
        """Move the marked part to the front, forget the mark, or grow: the first of these that helps."""
        if self.markpos > 0:
            kept = self.pos - self.markpos
            self.buf[:kept] = self.buf[self.markpos : self.pos]
            self.pos = kept
            self.markpos = 0
        elif len(self.buf) >= self.marklimit:
            self.markpos = -1
            self.pos = 0
        else:
            grown = bytearray(min(self.pos * 2, self.marklimit))
            grown[: self.pos] = self.buf[: self.pos]
            self.buf = grown

    @synchronized
    def read(self) -> int:
        """The next byte, or -1 at the end."""
        self._ensure_open()
        if self.pos >= self.count:
            self._fill()
            if self.pos >= self.count:
                return -1
        position = self.pos
        self.pos = position + 1
        return self.buf[position]

    @synchronized
    def read_block(self, target: bytearray, offset: int, length: int) -> int:
        """Copy up to `length` bytes into the target; how many, or -1 at the end."""
        self._ensure_open()
        if offset < 0 or length < 0 or offset + length > len(target):
            raise IndexError("the block lies outside the target")
        copied = 0
        while copied < length:
            byte = self.read()
            if byte < 0:
                break
            target[offset + copied] = byte
            copied = copied + 1
        return -1 if copied == 0 and length > 0 else copied

    def read_into(self, target: bytearray) -> int:
        """Fill the target as far as the stream goes; how many bytes, or -1 at the end."""
        return self.read_block(target, 0, len(target))

    def read_all(self) -> bytes:
        """Everything up to the end."""
        collected = bytearray()
        block = bytearray(4)
        size = self.read_into(block)
        while size > 0:
            collected.extend(block[:size])
            size = self.read_into(block)
        return bytes(collected)

    @synchronized
    def skip(self, count: int) -> int:
        """Pass over up to that many bytes; how many it were."""
        self._ensure_open()
        if count <= 0:
            return 0
        ready = self.count - self.pos
        if ready <= 0 and self.markpos < 0:
            return self.in_.skip(count)
        if ready <= 0:
            self._fill()
            ready = self.count - self.pos
        skipped = min(ready, count)
        self.pos = self.pos + skipped
        return skipped

    @synchronized
    def available(self) -> int:
        """How many bytes can be read: those in the buffer and those still in the stream."""
        self._ensure_open()
        return self.count - self.pos + self.in_.available()

    @synchronized
    def mark(self, readlimit: int) -> None:
        """Remember this position for `reset`, at least for that many bytes."""
        self._ensure_open()
        self.marklimit = readlimit
        self.markpos = self.pos

    @synchronized
    def reset(self) -> None:
        """Go back to the mark."""
        self._ensure_open()
        if self.markpos < 0:
            raise ValueError("no mark to go back to")
        self.pos = self.markpos

    def mark_supported(self) -> bool:
        """Whether `mark` and `reset` work: always."""
        return True

    @synchronized
    def close(self) -> None:
        """Close the wrapped stream and give up the buffer; a second time does nothing."""
        if self.in_ is None:
            return
        self.in_.close()
        self.in_ = None
        self.buf = None
