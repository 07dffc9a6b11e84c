"""Mina: a protocol filter that encodes messages into a session's queue and drains the queue (DIRMINA-803).

The drain loop asks whether the queue is empty and then polls it, without a look at what it got: another thread can
poll the last message in between.
"""

from collections import deque


class EncodedMessage:
    """A message as bytes on their way to the next filter."""

    def __init__(self, payload: bytes) -> None:
        self.payload = payload


class EncoderQueue:
    """A queue whose single calls are safe in many threads."""

    def __init__(self) -> None:
        self.messages: deque[EncodedMessage] = deque()

    def is_empty(self) -> bool:
        """Whether there is no message."""
        return len(self.messages) == 0

    def offer(self, message: EncodedMessage) -> None:
        """Append a message."""
        self.messages.append(message)

    def poll(self) -> EncodedMessage | None:
        """The first message, or None."""
        try:
            return self.messages.popleft()
        except IndexError:
            return None


class Session:
    """What the threads of one connection share."""

    def __init__(self) -> None:
        self.encoder_queue = EncoderQueue()


class NextFilter:
    """Keeps what was written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def filter_write(self, session: Session, message: EncodedMessage) -> None:
        """Take an encoded message."""
        self.written.append(message.payload)


class ProtocolCodecFilter:
    """Encodes what is written to a session."""

    def filter_write(self, next_filter: NextFilter, session: Session, message: str) -> None:
        """Encode a message, and pass on whatever the session's queue holds."""
        session.encoder_queue.offer(EncodedMessage(message.encode()))
        queue = session.encoder_queue
        while not queue.is_empty():
            encoded = queue.poll()
            next_filter.filter_write(session, encoded)
