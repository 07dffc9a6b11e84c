import threading

from mina import (
    IoBuffer,
    NextFilter,
    ProtocolCodecFactory,
    ProtocolCodecFilter,
    ProtocolEncoderError,
    Session,
    WriteRequest,
)


class FilterWrite:
    """Writes one message to a session, and notes whether that failed."""

    def __init__(self, codec, next_filter, session, message):
        self.codec = codec
        self.next_filter = next_filter
        self.session = session
        self.request = WriteRequest(message, "somewhere")
        self.result = 0

    def run(self):
        try:
            self.codec.filter_write(self.next_filter, self.session, self.request)
        except ProtocolEncoderError:
            self.result = 1


def test_mina():
    """Main and two threads that write to one session: no call fails, and both messages are passed on."""
    codec, session, next_filter = ProtocolCodecFilter(ProtocolCodecFactory()), Session(), NextFilter()
    first, second = (FilterWrite(codec, next_filter, session, message) for message in ("one", "two"))
    threads = (threading.Thread(target=first.run), threading.Thread(target=second.run))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert first.result == 0
    assert second.result == 0
    assert sorted(each.payload for each in next_filter.written if isinstance(each, IoBuffer)) == [b"one", b"two"]
