import threading

from repl_workers import Coordinator, Worker


def test_repl_workers():
    """Main and two workers: the computation ends with the area of the two halves of the interval."""
    coordinator = Coordinator(2, [(0.0, 10.0)])
    threads = [threading.Thread(target=Worker(coordinator, epsilon=20.0).run) for _ in range(2)]
    for thread in threads:
        thread.start()
    area = coordinator.execute()
    for thread in threads:
        thread.join()
    assert area == 293.75
