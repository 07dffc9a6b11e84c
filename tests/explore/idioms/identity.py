"""Whoever asks which thread it is: a test whose name ends with ``_fails`` must fail, all others must pass."""

import asyncio
import contextvars
import ctypes
import decimal
import io
import logging
import reprlib
import signal
import sqlite3
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

NUMBER = contextvars.ContextVar("NUMBER", default=0)


def run(*functions):
    threads = [threading.Thread(target=function, name=f"worker {i}") for i, function in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_log_record_has_the_name_of_its_thread():
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logging.Formatter("%(threadName)s: %(message)s"))
    log = logging.getLogger("idiom")
    log.addHandler(handler)
    try:
        run(lambda: log.warning("a"), lambda: log.warning("b"))
    finally:
        log.removeHandler(handler)
    assert sorted(out.getvalue().splitlines()) == ["worker 0: a", "worker 1: b"]


def test_a_captured_record_has_the_name_of_its_thread(caplog):
    logging.getLogger("idiom").warning("from the test")
    run(lambda: logging.getLogger("idiom").warning("from a thread"))
    assert [record.threadName for record in caplog.records] == ["MainThread", "worker 0"]


def test_the_test_is_the_main_thread():
    assert threading.current_thread() is threading.main_thread()
    assert (threading.current_thread().name, threading.active_count()) == ("MainThread", 1)
    assert threading.get_ident() == threading.main_thread().ident
    seen = []
    run(lambda: seen.append(threading.current_thread() is threading.main_thread()))
    assert seen == [False]


def test_identifiers_differ():
    found = set()

    def note():
        found.update((threading.get_ident(), threading.get_native_id()))
        time.sleep(1)

    run(note, note)
    assert not found & {threading.get_ident(), threading.get_native_id()}
    assert len(found) >= 2


def test_the_name_of_a_pool_thread():
    with ThreadPoolExecutor(2, thread_name_prefix="pool") as pool:
        assert pool.submit(lambda: threading.current_thread().name).result().startswith("pool_")


def test_asyncio_run_in_two_threads():
    async def wait(number):
        await asyncio.sleep(0.01)
        return number

    got = []
    run(lambda: got.append(asyncio.run(wait(1))), lambda: got.append(asyncio.run(wait(2))))
    assert sorted(got) == [1, 2]


def test_asyncio_waits_for_the_future_of_an_executor():
    async def ask():
        with ThreadPoolExecutor(1) as pool:
            return await asyncio.wrap_future(pool.submit(pow, 2, 3))

    assert asyncio.run(ask()) == 8


class Own(threading.local):
    def __init__(self):
        self.items = []


OWN = Own()


def test_a_subclass_of_local_made_at_import_starts_afresh_in_each_thread():
    seen = []
    for number in range(3):
        run(lambda number=number: (OWN.items.append(number), seen.append(list(OWN.items))))
    assert seen == [[0], [1], [2]]
    assert OWN.items == []


def test_an_update_lost_between_two_loops_fails():
    counts = [0]

    async def count():
        counts[0] = counts[0] + 1

    run(lambda: asyncio.run(count()), lambda: asyncio.run(count()))
    assert counts == [2]


def test_no_loop_runs_in_a_thread_that_a_coroutine_starts():
    seen = []

    def ask():
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            seen.append("none")

    async def main():
        run(ask)

    asyncio.run(main())
    assert seen == ["none"]


def test_a_function_in_a_thread_of_the_loop():
    async def main():
        return await asyncio.to_thread(threading.get_ident)

    assert asyncio.run(main()) != threading.get_ident()


def test_a_thread_starts_with_the_context_that_python_gives_it():
    NUMBER.set(5)
    seen = []
    run(lambda: seen.append(NUMBER.get()))
    assert seen == [5 if getattr(sys.flags, "thread_inherit_context", 0) else 0]


def test_a_context_is_carried_into_a_thread():
    NUMBER.set(7)
    context, seen = contextvars.copy_context(), []
    run(lambda: seen.append(context.run(NUMBER.get)))
    assert seen == [7]


def test_the_context_of_decimal():
    with decimal.localcontext() as context:
        context.prec = 5
        seen = []
        thread = threading.Thread(target=lambda: seen.append(decimal.getcontext().prec))
        thread.start()
        thread.join()
    assert seen == [5 if getattr(sys.flags, "thread_inherit_context", 0) else 28]


def test_a_local_per_thread():
    local = threading.local()
    local.value = "main"
    seen = []

    def use():
        seen.append(hasattr(local, "value"))
        local.value = "thread"

    run(use, use)
    assert (seen, local.value) == ([False, False], "main")


def test_a_connection_belongs_to_its_thread():
    connection = sqlite3.connect(":memory:")
    seen = []

    def use():
        try:
            connection.execute("select 1")
        except sqlite3.ProgrammingError:
            seen.append("refused")

    run(use)
    connection.close()
    assert seen == ["refused"]


def test_c_code_that_asks_the_system():
    own = ctypes.CDLL(None).pthread_self
    own.restype = ctypes.c_ulong
    seen = set()

    def note():
        seen.add(own())
        time.sleep(0.1)

    run(note, note)
    assert len(seen) == 2


def test_c_code_that_is_given_a_thread():
    name = ctypes.CDLL(None).pthread_setname_np
    name.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    numbers = []

    def work():
        numbers.append(threading.get_ident())
        time.sleep(0.01)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
        name(thread.ident, b"idiom")
    for thread in threads:
        thread.join()
    assert set(numbers) == {thread.ident for thread in threads}


def test_recursion_is_told_per_thread():
    class Thing:
        @reprlib.recursive_repr()
        def __repr__(self):
            time.sleep(0.01)
            return "thing"

    thing, got = Thing(), []
    run(lambda: got.append(repr(thing)), lambda: got.append(repr(thing)))
    assert got == ["thing", "thing"]


def test_a_handler_runs_in_the_main_thread():
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(threading.current_thread().name))
    run(lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1))
    signal.signal(signal.SIGUSR1, before)
    assert seen == ["MainThread"]


def test_only_the_main_thread_sets_handlers():
    seen = []

    def use():
        try:
            signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        except ValueError:
            seen.append("refused")

    run(use)
    assert seen == ["refused"]


def test_a_timer_signal():
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append("alarm"))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    run(lambda: time.sleep(0.1))
    signal.signal(signal.SIGALRM, before)
    assert seen == ["alarm"]


async def one():
    return 1


@pytest.fixture
def answer():
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(asyncio.run, one()).result()


@pytest.fixture
def twice(answer):
    return answer * 2


def test_a_loop_runs_in_a_thread_of_a_fixture(twice, answer):
    assert (answer, twice) == (1, 2)
    run(lambda: None)


@pytest.fixture
def target(tmp_path):
    yield tmp_path / "made"
    (tmp_path / "made").unlink()


def test_a_fixture_takes_away_what_a_thread_of_the_test_makes(target):
    run(lambda: target.write_text("made", "utf-8"))
    assert target.exists()


def test_the_order_of_two_records_fails(caplog):
    caplog.set_level(logging.INFO)
    threads = [threading.Thread(target=logging.getLogger("a").info, args=(text,)) for text in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert caplog.messages == ["first", "second"]


def test_the_order_of_two_records_does_not_matter(caplog):
    with caplog.at_level(logging.INFO):
        threads = [threading.Thread(target=logging.getLogger("a").info, args=(text,)) for text in ("first", "second")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(caplog.messages) == ["first", "second"]
