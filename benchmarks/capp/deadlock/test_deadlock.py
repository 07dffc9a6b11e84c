import threading

from deadlock import Deadlock, Process1, Process2


def test_deadlock():
    """Main and two processes: both come to an end; their unguarded counts may be lost, but not all of them."""
    Deadlock.lock1 = threading.Lock()
    Deadlock.lock2 = threading.Lock()
    Deadlock.state = 0
    first, second = threading.Thread(target=Process1().run), threading.Thread(target=Process2().run)
    first.start()
    second.start()
    first.join()
    second.join()
    assert 2 <= Deadlock.state <= 4
