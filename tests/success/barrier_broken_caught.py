"""Both learn that the barrier is broken, whoever comes first."""

import threading


class Meeting:
    def __init__(self):
        self.barrier = threading.Barrier(2)

    def attend(self):
        try:
            self.barrier.wait()
        except threading.BrokenBarrierError:
            pass

    def cancel(self):
        self.barrier.abort()


setup = Meeting
threads = [Meeting.attend, Meeting.cancel]


def check(meeting):
    assert meeting.barrier.broken
