import threading

from bounded_buffer import BoundedBuffer


def test_bounded_buffer():
    """Main, four producers and four consumers of two items each, one slot: every item arrives."""
    buffer = BoundedBuffer(1)
    received = []

    def produce(first):
        for item in (first, first + 1):
            buffer.put(item)

    def consume():
        for _ in range(2):
            received.append(buffer.get())

    threads = []
    for number in range(4):
        threads.append(threading.Thread(target=produce, args=(10 * number,)))
        threads.append(threading.Thread(target=consume))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(received) == [0, 1, 10, 11, 20, 21, 30, 31]
