"""Sockets with time-outs, descriptors in several hands, locks of processes, loops beside threads, all clocks."""

import asyncio
import contextlib
import datetime as dt
import errno
import gc
import importlib
import multiprocessing
import os
import select
import selectors
import socket
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from http.cookies import SimpleCookie
from unittest import mock

import pytest


def in_threads(*works):
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextlib.contextmanager
def pair():
    one, other = socket.socketpair()
    with one, other:
        yield one, other


@contextlib.contextmanager
def pipe():
    reader, writer = os.pipe()
    try:
        yield reader, writer
    finally:
        for number in (reader, writer):
            with contextlib.suppress(OSError):
                os.close(number)


# -- sockets ----------------------------------------------------------------------------------------------------------


def test_a_receiver_gives_up_after_its_time():
    with pair() as (one, _other):
        one.settimeout(30)
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            one.recv(1)
        in_threads(lambda: None)
        assert time.monotonic() - began >= 30


def test_the_default_timeout_counts():
    socket.setdefaulttimeout(20)
    try:
        with pair() as (one, other):
            got = []

            def receive():
                try:
                    got.append(one.recv(1))
                except TimeoutError:
                    got.append(None)

            in_threads(receive, lambda: time.sleep(60))
            assert got == [None]
            other.send(b"x")
    finally:
        socket.setdefaulttimeout(None)


def test_a_timeout_before_the_answer_fails():
    with pair() as (one, other):
        one.settimeout(1)
        flag = []

        def answer():
            if not flag:
                time.sleep(5)
            other.send(b"1")

        def receive():
            flag.append(1)
            assert one.recv(1) == b"1"

        in_threads(answer, receive)


def test_nonblocking_sockets_never_wait():
    with pair() as (one, other):
        one.setblocking(False)
        with pytest.raises(BlockingIOError):
            one.recv(1)
        got = []

        def poll():
            while not got:
                with contextlib.suppress(BlockingIOError):
                    got.append(one.recv(1))
                time.sleep(0.01)

        in_threads(poll, lambda: other.send(b"1"))
        assert got == [b"1"]


def test_a_nonblocking_accept_refuses():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
        in_threads(lambda: None, lambda: None)


def test_a_full_nonblocking_socket_refuses():
    with pair() as (one, other):
        one.setblocking(False)
        sent = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                sent += one.send(b"x" * 65536)
        got = bytearray()

        def drain():
            while len(got) < sent:
                got.extend(other.recv(65536))

        in_threads(drain)
        assert one.send(b"y") == 1


def test_recv_of_a_message_that_comes_in_two_parts():
    with pair() as (one, other):
        got = []

        def read():
            got.append(one.recv(4, socket.MSG_WAITALL))

        def write():
            other.send(b"ab")
            other.send(b"cd")

        in_threads(read, write)
        assert got == [b"abcd"]


def test_a_look_ahead_takes_nothing():
    with pair() as (one, other):
        got = []

        def look():
            got.append(one.recv(1, socket.MSG_PEEK))
            got.append(one.recv(1))

        in_threads(look, lambda: other.send(b"1"))
        assert got == [b"1", b"1"]


def test_makefile_reads_whole_lines():
    with pair() as (one, other):
        lines = []

        def read():
            with one.makefile("r") as file:
                lines.extend(file)

        def write():
            with other.makefile("w") as file:
                file.write("first\n")
                file.write("second\n")
            other.close()

        in_threads(read, write)
        assert lines == ["first\n", "second\n"]


def test_a_duplicate_is_the_same_socket():
    with pair() as (one, other), one.dup() as twin:
        got = []
        in_threads(lambda: got.append(twin.recv(1)), lambda: other.send(b"1"))
        assert got == [b"1"]


def test_a_descriptor_that_is_used_again():
    for _ in range(3):
        with pair() as (one, other):
            got = []
            in_threads(lambda: got.append(one.recv(1)), lambda: other.send(b"1"))  # noqa: B023
            assert got == [b"1"]


def test_sendfile_and_its_reader(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"z" * 100_000)
    with pair() as (one, other):
        got = bytearray()

        def send():
            with path.open("rb") as file:
                one.sendfile(file)
            one.shutdown(socket.SHUT_WR)

        def receive():
            while part := other.recv(65536):
                got.extend(part)

        in_threads(send, receive)
        assert len(got) == 100_000


def test_datagrams():
    with socket.socket(type=socket.SOCK_DGRAM) as one, socket.socket(type=socket.SOCK_DGRAM) as other:
        one.bind(("127.0.0.1", 0))
        got = []
        in_threads(lambda: got.append(one.recvfrom(10)[0]), lambda: other.sendto(b"hello", one.getsockname()))
        assert got == [b"hello"]


def test_whoever_shuts_down_wakes_the_reader():
    with pair() as (one, _other):
        got = []
        in_threads(lambda: got.append(one.recv(1)), lambda: one.shutdown(socket.SHUT_RDWR))
        assert got == [b""]


def test_an_echo_server_over_tcp():
    server = socket.create_server(("127.0.0.1", 0))
    got = []

    def serve():
        connection, _ = server.accept()
        with connection:
            connection.sendall(connection.recv(10).upper())

    def ask():
        with socket.create_connection(server.getsockname(), timeout=10) as client:
            client.sendall(b"hello")
            got.append(client.recv(10))

    with server:
        in_threads(serve, ask)
    assert got == [b"HELLO"]


def test_closing_a_listener_wakes_nobody():
    """Linux leaves the daemon in `accept` for ever; it is not told of a bad descriptor."""
    server = socket.create_server(("127.0.0.1", 0))
    waits = threading.Event()

    def serve():
        waits.set()
        server.accept()

    threading.Thread(target=serve, daemon=True).start()
    waits.wait()
    time.sleep(1)
    server.close()
    in_threads(lambda: None)


def test_a_large_message_is_sent_as_a_whole():
    with pair() as (one, other):
        sent, got = [], bytearray()

        def receive():
            while len(got) < 1_000_000:
                got.extend(other.recv(65536))

        in_threads(lambda: sent.append(one.send(b"x" * 1_000_000)), receive)
        assert sent == [1_000_000]


def test_an_address_that_nobody_listens_to():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(taken.getsockname(), timeout=5)
        in_threads(lambda: None)


# -- selectors --------------------------------------------------------------------------------------------------------


def test_select_of_a_closed_socket_is_an_error():
    with pair() as (one, other):
        one.close()
        with pytest.raises(ValueError, match="file descriptor cannot be a negative integer"):
            select.select([one], [], [], 1)
        number = other.fileno()
        other.close()
        with pytest.raises(OSError, match="Bad file descriptor") as caught:
            select.select([number], [], [], 1)
        assert caught.value.errno == errno.EBADF
        in_threads(lambda: None)


def test_a_socket_that_is_closed_while_somebody_selects():
    with pair() as (one, _other):
        seen, waits = [], threading.Event()

        def watch():
            waits.set()
            seen.append(select.select([one], [], [], 30))

        def close():
            waits.wait()
            time.sleep(1)
            one.close()

        in_threads(watch, close)
        assert seen == [([], [], [])]


def test_poll_tells_of_a_closed_descriptor():
    with pipe() as (reader, writer):
        poll = select.poll()
        poll.register(reader, select.POLLIN)
        os.close(reader)
        assert poll.poll(1000) == [(reader, select.POLLNVAL)]
        in_threads(lambda: None)
        del writer


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="Linux has it")
def test_level_and_edge():
    with pipe() as (reader, writer), select.epoll() as level, select.epoll() as edge:
        level.register(reader, select.EPOLLIN)
        edge.register(reader, select.EPOLLIN | select.EPOLLET)
        seen = []

        def watch():
            seen.append(len(level.poll(10)))
            seen.append(len(edge.poll(10)))
            seen.append(len(level.poll(10)))
            seen.append(len(edge.poll(10)))

        in_threads(watch, lambda: os.write(writer, b"1"))
        assert seen == [1, 1, 1, 0]


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="Linux has it")
def test_one_shot_wakes_one_of_two():
    with pipe() as (reader, writer), select.epoll() as poll:
        poll.register(reader, select.EPOLLIN | select.EPOLLONESHOT)
        seen = []
        in_threads(
            lambda: seen.append(len(poll.poll(10))), lambda: seen.append(len(poll.poll(10))),
            lambda: os.write(writer, b"1"),
        )  # fmt: skip
        assert sorted(seen) == [0, 1]


def test_a_selector_with_several_files():
    with pair() as (one, other), pipe() as (reader, writer), selectors.DefaultSelector() as selector:
        selector.register(one, selectors.EVENT_READ, "socket")
        selector.register(reader, selectors.EVENT_READ, "pipe")
        seen = set()

        def watch():
            while len(seen) < 2:
                for key, _ in selector.select():
                    seen.add(key.data)
                    selector.unregister(key.fileobj)

        in_threads(watch, lambda: other.send(b"1"), lambda: os.write(writer, b"1"))
        assert seen == {"socket", "pipe"}


def test_a_wakeup_by_a_pipe_that_nobody_drains_fails():
    with pipe() as (reader, writer):
        os.set_blocking(reader, False)
        jobs, done = [], []

        def loop():
            while len(done) < 2:
                if not select.select([reader], [], [], 5)[0]:
                    break
                os.read(reader, 100)  # before the second job is there, and after its wake-up
                if jobs:
                    done.append(jobs.pop())

        def submit():
            for number in range(2):
                jobs.append(number)
                os.write(writer, b"1")

        in_threads(loop, submit)
        assert sorted(done) == [0, 1]


# -- files ------------------------------------------------------------------------------------------------------------


def test_a_pipe_as_files():
    reader, writer = os.pipe()
    got = []

    def read():
        with open(reader) as file:
            got.extend(file)

    def write():
        with open(writer, "w") as file:
            file.write("one\ntwo\n")

    in_threads(read, write)
    assert got == ["one\n", "two\n"]


def test_a_pipe_whose_reader_has_gone():
    with pipe() as (reader, writer):
        os.close(reader)
        with pytest.raises(BrokenPipeError):
            os.write(writer, b"1")
        in_threads(lambda: None)


@pytest.mark.skipif(not hasattr(os, "eventfd"), reason="Linux has it, from 3.10 on")
def test_an_event_of_the_system():
    number = os.eventfd(0)
    try:
        got = []
        in_threads(lambda: got.append(os.eventfd_read(number)), lambda: os.eventfd_write(number, 3))
        assert got == [3]
    finally:
        os.close(number)


# -- locks of processes -----------------------------------------------------------------------------------------------


def test_a_lock_of_processes_keeps_threads_apart():
    lock, total = multiprocessing.Lock(), [0]

    def add():
        with lock:
            before = total[0]
            total[0] = before + 1

    in_threads(add, add)
    assert total == [2]


def test_a_reentrant_lock_of_processes_keeps_threads_apart():
    lock, total = multiprocessing.RLock(), [0]

    def add():
        with lock, lock:
            before = total[0]
            total[0] = before + 1

    in_threads(add, add)
    assert total == [2]


def test_only_the_owner_releases_a_reentrant_lock_of_processes():
    lock, errors = multiprocessing.RLock(), []
    lock.acquire()

    def release():
        try:
            lock.release()
        except AssertionError as error:
            errors.append(str(error))

    in_threads(release)
    lock.release()
    assert errors == ["attempt to release recursive lock not owned by thread"]


def test_locks_of_processes_in_two_orders_fails():
    one, other = multiprocessing.Lock(), multiprocessing.Lock()

    def take(first, second):
        with first, second:
            pass

    in_threads(lambda: take(one, other), lambda: take(other, one))


def test_a_semaphore_of_processes_gives_up():
    semaphore, got = multiprocessing.Semaphore(1), []

    def hold():
        with semaphore:
            time.sleep(60)

    def attempt():
        time.sleep(1)
        got.append((semaphore.acquire(timeout=5), semaphore.acquire(block=False)))

    in_threads(hold, attempt)
    assert got == [(False, False)]


def test_a_condition_of_processes():
    condition, ready, got = multiprocessing.Condition(), [], []

    def wait():
        with condition:
            while not ready:
                condition.wait()
            got.append(ready[0])

    def tell():
        with condition:
            ready.append(7)
            condition.notify()

    in_threads(wait, tell)
    assert got == [7]


def test_an_event_of_processes_that_is_set_too_early_fails():
    event, value, got = multiprocessing.Event(), [], []

    def tell():
        event.set()
        value.append(1)

    def wait():
        event.wait()
        got.append(len(value))

    in_threads(tell, wait)
    assert got == [1]


# -- modules by name --------------------------------------------------------------------------------------------------


def test_an_executor_from_importorskip_fails():
    total = [0]

    def add(_number):
        before = total[0]
        total[0] = before + 1

    with pytest.importorskip("concurrent.futures").ThreadPoolExecutor(2) as pool:
        list(pool.map(add, range(6)))
    assert total == [6]


def test_threads_from_import_module_fails():
    total = [0]

    def add():
        before = total[0]
        total[0] = before + 1

    threads = [importlib.import_module("threading").Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total == [2]


# -- what is not under control ----------------------------------------------------------------------------------------


def test_real_threads_that_run_the_code_under_test():
    total, lock = [0], threading.Lock()

    def add():
        for _ in range(20):
            with lock:
                total[0] += 1

    threads = [sys.modules["threading"].Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    in_threads(add)
    for thread in threads:
        thread.join()
    assert total == [60]


def test_a_real_lock():
    total, lock = [0], sys.modules["_thread"].allocate_lock()

    def add():
        with lock:
            total[0] += 1

    in_threads(add, add)
    assert total == [2]


def test_a_real_lock_beside_loops():
    total, lock = [0], sys.modules["_thread"].allocate_lock()

    def add():
        asyncio.run(asyncio.sleep(0))
        with lock:
            total[0] += 1

    in_threads(add, add)
    assert total == [2]


def test_what_comes_behind_is_under_control_fails():
    total = [0]

    def add():
        before = total[0]
        total[0] = before + 1

    in_threads(add, add)
    assert total == [2]


# -- loops ------------------------------------------------------------------------------------------------------------


def test_a_loop_with_work_in_threads():
    async def main():
        return await asyncio.gather(*(asyncio.to_thread(pow, 2, number) for number in range(3)))

    assert asyncio.run(main()) == [1, 2, 4]


def test_updates_from_to_thread_fails():
    total = [0]

    def add():
        for _ in range(20):
            before = total[0]
            total[0] = before + 1

    async def main():
        await asyncio.gather(asyncio.to_thread(add), asyncio.to_thread(add))

    asyncio.run(main())
    assert total == [40]


def test_an_executor_of_its_own():
    async def main():
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(2) as pool:
            return await asyncio.gather(*(loop.run_in_executor(pool, abs, -number) for number in range(3)))

    assert asyncio.run(main()) == [0, 1, 2]


def test_the_clock_of_a_loop():
    async def main():
        loop = asyncio.get_running_loop()
        began, wall = loop.time(), time.time()
        await asyncio.sleep(3600)
        return loop.time() - began, time.time() - wall

    def work():
        elapsed, wall = asyncio.run(main())
        assert elapsed >= 3600
        assert abs(elapsed - wall) < 1

    in_threads(work)


def test_a_wait_with_a_limit_in_a_loop():
    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 30)

    in_threads(lambda: asyncio.run(main()))


def test_calls_from_other_threads_come_in_order():
    seen, loop = [], asyncio.new_event_loop()

    def call():
        for number in range(3):
            loop.call_soon_threadsafe(seen.append, number)
        loop.call_soon_threadsafe(loop.stop)

    in_threads(loop.run_forever, call)
    loop.close()
    assert seen == [0, 1, 2]


def test_two_loops_hand_over():
    first, second = asyncio.new_event_loop(), asyncio.new_event_loop()
    got = []

    async def far():
        await asyncio.sleep(1)
        return 5

    async def near():
        got.append(await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(far(), second)))
        second.call_soon_threadsafe(second.stop)

    in_threads(second.run_forever, lambda: first.run_until_complete(near()))
    first.close()
    second.close()
    assert got == [5]


def test_a_stop_that_does_not_wake_the_loop_fails():
    loop = asyncio.new_event_loop()
    in_threads(loop.run_forever, loop.stop)
    loop.close()


# -- clocks -----------------------------------------------------------------------------------------------------------


def test_a_subclass_of_datetime_sees_the_same_clock():
    class Moment(dt.datetime):
        pass

    def work():
        began = Moment.now()
        time.sleep(3600)
        now = Moment.now(dt.timezone.utc)  # noqa: UP017
        assert type(now) is Moment
        assert 3600 <= now.timestamp() - began.timestamp() < 3601
        assert type(Moment.today()) is Moment

    in_threads(work)


def test_all_clocks_move_together():
    def work():
        before = time.time_ns(), time.monotonic_ns(), dt.datetime.now().timestamp(), dt.date.today()
        time.sleep(86_400)
        after = time.time_ns(), time.monotonic_ns(), dt.datetime.now().timestamp(), dt.date.today()
        assert after[0] - before[0] >= 86_400 * 10**9
        assert after[1] - before[1] >= 86_400 * 10**9
        assert after[2] - before[2] >= 86_400 - 1e-3
        assert after[3] > before[3]

    in_threads(work)


def test_an_entry_that_expires_by_the_date():
    cache = {}

    def put():
        cache["a"] = dt.datetime.now() + dt.timedelta(seconds=10)

    put()
    gone = []

    def purge():
        time.sleep(30)
        if cache["a"] < dt.datetime.now():
            gone.append(cache.pop("a"))

    in_threads(purge, lambda: time.sleep(1))
    assert len(gone) == 1


def test_a_frozen_clock_of_the_test(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 42.0)
    seen = []
    in_threads(lambda: seen.append(time.time()), lambda: time.sleep(5))
    assert seen == [42.0]


def test_a_replaced_datetime(monkeypatch):
    class Fixed(dt.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2020, 1, 1, tzinfo=tz)

    monkeypatch.setattr(dt, "datetime", Fixed)
    seen = []
    in_threads(lambda: seen.append(dt.datetime.now().year), lambda: None)
    assert seen == [2020]


def test_struct_times_and_strings():
    def work():
        assert time.gmtime()[:3] == dt.datetime.now(dt.timezone.utc).timetuple()[:3]  # noqa: UP017
        assert time.strftime("%Y") == str(dt.date.today().year)
        assert time.ctime()[-4:] == str(time.localtime().tm_year)

    in_threads(work, work)


def test_the_interpreter_switches_as_often_as_ever():
    before = sys.getswitchinterval()
    in_threads(lambda: None, lambda: None)
    assert sys.getswitchinterval() == before


class TestWithTheShortestInterval:
    @classmethod
    def setup_class(cls):
        cls.before = sys.getswitchinterval()
        sys.setswitchinterval(1e-12)  # is kept, and reported, as 0, which cannot be set

    @classmethod
    def teardown_class(cls):
        sys.setswitchinterval(cls.before)

    def test_what_needs_os_threads(self):
        things = [set()]
        in_threads(lambda: things[0].add(1), lambda: None)
        dies = weakref.ref(things.pop())
        gc.collect()
        assert dies() is None


def test_a_replaced_clock_is_everybodys(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 86_400.0)
    cookie = SimpleCookie()
    cookie["a"] = "b"
    cookie["a"]["expires"] = 10  # read by the standard library
    in_threads(lambda: cookie.output())
    assert "02-Jan-1970" in cookie.output() or "02 Jan 1970" in cookie.output()


def test_mock_replaces_the_clock_of_the_code_under_test():
    seen = []
    with mock.patch("time.time", return_value=5.0), mock.patch("time.sleep") as sleep:
        in_threads(lambda: seen.append(time.time()), lambda: time.sleep(7))
    sleep.assert_called_once_with(7)
    assert seen == [5.0]
    assert time.time() > 1e9


def test_mock_replaces_threads():
    with mock.patch("threading.Thread") as made:
        threading.Thread(target=print).start()
    made.return_value.start.assert_called_once_with()
    in_threads(lambda: None)
