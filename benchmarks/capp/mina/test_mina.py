import threading

from mina import NextFilter, ProtocolCodecFilter, Session


def test_mina():
    """Main and two threads that write to one session: no call fails, and both messages are passed on."""
    codec, session, next_filter = ProtocolCodecFilter(), Session(), NextFilter()
    errors = []

    def write(message):
        try:
            codec.filter_write(next_filter, session, message)
        except AttributeError as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(message,)) for message in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(next_filter.written) == [b"one", b"two"]
