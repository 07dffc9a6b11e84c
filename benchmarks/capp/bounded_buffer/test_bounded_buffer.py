import threading

from bounded_buffer import BufferImpl, Consumer, Producer


def test_bounded_buffer():
    """Main, four producers and four consumers of two items each, one slot: all come to an end."""
    buffer = BufferImpl(1)
    producers = [threading.Thread(target=Producer(buffer, 2).run) for _ in range(4)]
    consumers = [threading.Thread(target=Consumer(buffer, 2).run) for _ in range(4)]
    for thread in (*producers, *consumers):
        thread.start()
    for thread in (*producers, *consumers):
        thread.join()
    assert buffer.count == 0
