"""Threads that die or are left behind; a test whose name ends with ``_fails`` must fail under plait."""

import _thread
import threading
import time
import warnings

import pytest

UNHANDLED = pytest.PytestUnhandledThreadExceptionWarning


def die():
    raise ValueError("on purpose")


def run(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def warn_and_die(category):
    warnings.warn("something else", category, stacklevel=1)
    run(die)


def test_a_thread_dies_fails():
    run(die)


def test_a_thread_dies_unjoined_fails():
    threading.Thread(target=die).start()


def test_a_low_level_thread_dies_fails():
    _thread.start_new_thread(die, ())
    time.sleep(1)


def test_a_waiter_misses_the_notification_fails():
    condition = threading.Condition()

    def wait():
        with condition:
            assert condition.wait(1)

    def notify():
        with condition:
            condition.notify()

    threads = [threading.Thread(target=function) for function in (notify, wait)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_sys_exit_ends_a_thread_only():
    def leave():
        raise SystemExit

    run(leave)


def test_warns_by_name():
    with pytest.warns(UNHANDLED, match="on purpose"):
        run(die)


def test_warns_of_its_base_class_fails():
    with pytest.warns(UserWarning, match="else|purpose"):
        warn_and_die(UserWarning)


def test_warns_of_another_category_fails():
    with pytest.warns(DeprecationWarning, match="else"):
        warn_and_die(DeprecationWarning)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_mark_ignores_it():
    run(die)


@pytest.mark.filterwarnings("error")
def test_a_mark_makes_it_an_error_fails():
    run(die)


def test_filters_inside_of_the_test_fails():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(die)


def test_a_hook_of_the_test(monkeypatch):
    seen = []
    monkeypatch.setattr(threading, "excepthook", seen.append)
    run(die)
    assert [args.exc_type for args in seen] == [ValueError]


@pytest.fixture
def deaf():
    before, threading.excepthook = threading.excepthook, lambda _args: None
    yield
    threading.excepthook = before


def test_a_hook_of_a_fixture(deaf):
    run(die)


def test_a_hook_that_passes_it_on_fails(monkeypatch):
    before = threading.excepthook
    monkeypatch.setattr(threading, "excepthook", lambda args: before(args))
    run(die)


@pytest.mark.plait(thread_exceptions="allow")
def test_a_marker_allows_it():
    run(die)


def test_a_thread_waits_for_ever_fails():
    threading.Thread(target=threading.Event().wait).start()


def test_a_daemon_waits_for_ever():
    threading.Thread(target=threading.Event().wait, daemon=True).start()


@pytest.mark.plait(leftover_threads="allow")
def test_a_marker_allows_a_thread_that_waits():
    threading.Thread(target=threading.Event().wait).start()


def test_threads_deadlock_unjoined_fails():
    first, second = threading.Lock(), threading.Lock()

    def one():
        with first, second:
            pass

    def two():
        with second, first:
            pass

    threading.Thread(target=one).start()
    threading.Thread(target=two).start()
