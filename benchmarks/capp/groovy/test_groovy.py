import threading

from groovy import ConcurrentReadMap


def test_groovy():
    """Main, a reader and a writer: both come to an end, and the value has arrived."""
    shared = ConcurrentReadMap()
    seen = []
    reader = threading.Thread(target=lambda: seen.append(shared.get("key")))
    writer = threading.Thread(target=shared.put, args=("key", 1))
    reader.start()
    writer.start()
    reader.join()
    writer.join()
    assert seen in ([None], [1])
    assert shared.get("key") == 1
