import threading

from lang import IntRange


def test_lang():
    """Main and two threads that ask one range for its hash: both get the value that a thread alone gets."""
    shared = IntRange(3, 3)
    hashes = []
    threads = [threading.Thread(target=lambda: hashes.append(shared.hash_code())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hashes == [862584, 862584]
    assert shared.hash_code() == 862584
