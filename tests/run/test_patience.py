"""Code that has no end gets one; code that has one is left alone."""

import signal
import threading
import time

import pytest

from plait.run.endings import EndlessError, patience


def spin():
    while True:
        pass


def test_what_does_not_end_is_ended():
    with pytest.raises(EndlessError), patience(0.02):
        spin()


def test_code_that_catches_everything_is_interrupted_again():
    caught = []

    def stubborn():
        while len(caught) < 3:
            try:
                spin()
            except BaseException as error:
                caught.append(error)
        spin()

    with pytest.raises(EndlessError), patience(0.02):
        stubborn()
    assert len(caught) == 3


def test_what_ends_in_time_goes_on_undisturbed():
    before = signal.getsignal(signal.SIGVTALRM)
    with patience(0.02):
        time.sleep(0.1)  # waiting is no work
    deadline = time.process_time() + 0.1
    while time.process_time() < deadline:
        pass
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_other_threads_cannot_be_interrupted():
    done = []

    def work():
        with patience(0.01):
            deadline = time.process_time() + 0.05
            while time.process_time() < deadline:
                pass
        done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
