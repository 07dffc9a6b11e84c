"""Mina: a protocol filter that encodes messages into a session's queue and drains the queue (DIRMINA-803).

The drain loop polls until it gets nothing.

Around the fault, as in the original: the encoder comes from a factory and its output, which holds the queue, from the
session's attributes, where the first writer puts it; buffers are passed on without encoding; the message itself is
passed on behind what was made of it; whatever fails is raised as an encoder's error.
"""

from collections import deque
from typing import Any

ENCODER_OUT = "encoderOut"


class ProtocolEncoderError(Exception):
    """A message could not be encoded or passed on."""


class IoBuffer:
    """A message as bytes."""

    def __init__(self, payload: bytes) -> None:
        self.payload = payload

    def has_remaining(self) -> bool:
        """Whether there is anything left to write."""
        return len(self.payload) > 0


class WriteRequest:
    """A message on its way to a destination."""

    def __init__(self, message: Any, destination: str) -> None:
        if message is None:
            raise ValueError("there is no message to write")
        self.message = message
        self.destination = destination


class EncoderQueue:
    """A queue whose single calls are safe in many threads."""

    def __init__(self) -> None:
        self.messages: deque[IoBuffer] = deque()

    def is_empty(self) -> bool:
        """Whether there is no message."""
        return len(self.messages) == 0

    def offer(self, message: IoBuffer) -> None:
        """Append a message."""
        self.messages.append(message)

    def poll(self) -> IoBuffer | None:
        """The first message, or None."""
        try:
            return self.messages.popleft()
        except IndexError:
            return None


class Session:
    """What the threads of one connection share."""

    def __init__(self) -> None:
        self.attributes: dict[str, Any] = {}

    def get_attribute(self, key: str) -> Any:
        """What was set, or None."""
        return self.attributes.get(key)

    def set_attribute(self, key: str, value: Any) -> None:
        """Replace what was set."""
        self.attributes[key] = value


class NextFilter:
    """Keeps what was written."""

    def __init__(self) -> None:
        self.written: list[Any] = []

    def filter_write(self, session: Session, request: WriteRequest) -> None:
        """Take a message."""
        self.written.append(request.message)


class ProtocolEncoderOutput:
    """Where an encoder leaves what it made."""

    def __init__(self, session: Session, next_filter: NextFilter, request: WriteRequest) -> None:
        self.session = session
        self.next_filter = next_filter
        self.request = request
        self.message_queue = EncoderQueue()
        self.buffers_only = True

    def get_message_queue(self) -> EncoderQueue:
        """What was written and not yet passed on."""
        return self.message_queue

    def write(self, encoded: IoBuffer) -> None:
        """Leave a message."""
        if not isinstance(encoded, IoBuffer):
            self.buffers_only = False
        elif not encoded.has_remaining():
            raise ValueError("the buffer is empty")
        self.message_queue.offer(encoded)

    def flush_without_future(self) -> None:
        """Pass on what was left."""
        queue = self.get_message_queue()
        while True:
            encoded = queue.poll()
            if encoded is None:
                break
            if not isinstance(encoded, IoBuffer) or encoded.has_remaining():
                encoded_request = WriteRequest(encoded, self.request.destination)
                self.next_filter.filter_write(self.session, encoded_request)


class ProtocolEncoder:
    """Makes bytes of text."""

    def encode(self, session: Session, message: str, output: ProtocolEncoderOutput) -> None:
        """Encode a message."""
        output.write(IoBuffer(message.encode()))


class ProtocolCodecFactory:
    """Hands out the one encoder."""

    def __init__(self) -> None:
        self.encoder = ProtocolEncoder()

    def get_encoder(self, session: Session) -> ProtocolEncoder:
        """The encoder of a session."""
        return self.encoder


class ProtocolCodecFilter:
    """Encodes what is written to a session."""

    def __init__(self, factory: ProtocolCodecFactory) -> None:
        self.factory = factory

    def filter_write(self, next_filter: NextFilter, session: Session, request: WriteRequest) -> None:
        """Encode a message, and pass on whatever the session's queue holds."""
        message = request.message
        if isinstance(message, IoBuffer):
            next_filter.filter_write(session, request)
            return
        encoder = self.factory.get_encoder(session)
        output = self.get_encoder_out(session, next_filter, request)
        try:
            encoder.encode(session, message, output)
            output.flush_without_future()
            next_filter.filter_write(session, request)
        except Exception as error:
            raise ProtocolEncoderError(str(error)) from error

    def get_encoder_out(
        self, session: Session, next_filter: NextFilter, request: WriteRequest
    ) -> ProtocolEncoderOutput:
        """The session's output; a new one if there is none."""
        output = session.get_attribute(ENCODER_OUT)
        if output is None:
            output = ProtocolEncoderOutput(session, next_filter, request)
            session.set_attribute(ENCODER_OUT, output)
        return output
