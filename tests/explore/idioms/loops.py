"""Event loops in threads, sockets, pipes and selectors: whoever waits there is woken by other threads of the test."""

import asyncio
import inspect
import os
import select
import selectors
import socket
import socketserver
import threading
import time
import types
from logging import getLogger
from logging.handlers import QueueHandler, QueueListener
from queue import Queue


def in_threads(*works):
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Portal:
    """A loop that runs in a thread of its own."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


def test_a_loop_in_a_thread():
    async def add(one, two):
        await asyncio.sleep(10)
        return one + two

    portal = Portal()
    assert portal.call(add(1, 2)) == 3
    portal.close()


def test_calls_that_meet_in_a_loop_fails():
    total = [0]

    async def add():
        before = total[0]
        await asyncio.sleep(0)
        total[0] = before + 1

    portal = Portal()
    in_threads(lambda: portal.call(add()), lambda: portal.call(add()))
    portal.close()
    assert total == [2]


def test_calls_of_a_loop_that_hold_a_lock():
    total = [0]
    lock = asyncio.Lock()

    async def add():
        async with lock:
            before = total[0]
            await asyncio.sleep(0)
            total[0] = before + 1

    portal = Portal()
    in_threads(lambda: portal.call(add()), lambda: portal.call(add()))
    portal.close()
    assert total == [2]


def test_functions_of_a_loop_in_threads():
    async def main():
        return await asyncio.gather(asyncio.to_thread(sum, [1, 2]), asyncio.to_thread(time.sleep, 5))

    found = []
    in_threads(lambda: found.append(asyncio.run(main())), lambda: None)
    assert found == [[3, None]]


def test_a_loop_that_waits_with_a_limit():
    async def main():
        event = asyncio.Event()
        try:
            await asyncio.wait_for(event.wait(), 30)
        except TimeoutError:
            return "late"

    found = []
    in_threads(lambda: found.append(asyncio.run(main())), lambda: time.sleep(1))
    assert found == ["late"]


@types.coroutine
def pause():
    yield


def test_generators_that_are_coroutines():
    async def main():
        await pause()
        return "done"

    found = []
    in_threads(lambda: found.append(asyncio.run(main())), lambda: None)
    assert found == ["done"]


def as_generator(function):
    """Make a generator function of a coroutine function, as aiologic does for `__await__`."""
    code = function.__code__
    kind = (code.co_flags & ~inspect.CO_COROUTINE) | inspect.CO_GENERATOR
    return types.FunctionType(code.replace(co_flags=kind), function.__globals__, function.__name__)


class Pause:
    @as_generator
    async def __await__(self):
        await pause()
        return "done"


def test_coroutines_that_are_generators():
    async def main():
        return await Pause()

    found = []
    in_threads(lambda: found.append(asyncio.run(main())), lambda: None)
    assert found == ["done"]


def test_a_pipe():
    reader, writer = os.pipe()
    got = []
    in_threads(lambda: got.append(os.read(reader, 5)), lambda: os.write(writer, b"hello"))
    os.close(reader)
    os.close(writer)
    assert got == [b"hello"]


def test_more_than_fits_into_a_socket():
    one, other = socket.socketpair()
    got = []

    def read():
        with other.makefile("rb") as file:
            got.append(file.readline())

    in_threads(read, lambda: one.sendall(b"x" * 300_000 + b"\n"))
    one.close()
    other.close()
    assert len(got[0]) == 300_001


def test_a_socket_that_waits_with_a_limit():
    one, other = socket.socketpair()
    one.settimeout(30)
    told = []

    def read():
        try:
            one.recv(1)
        except TimeoutError as error:
            told.append(str(error))

    in_threads(read, lambda: None)
    one.close()
    other.close()
    assert told == ["timed out"]


def test_a_server():
    class Loud(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.sendall(self.request.recv(10).upper())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Loud) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        with socket.create_connection(server.server_address) as client:
            client.sendall(b"abc")
            assert client.recv(10) == b"ABC"
        server.shutdown()
        thread.join()


def test_selectors():
    one, other = socket.socketpair()
    selector = selectors.DefaultSelector()
    selector.register(one, selectors.EVENT_READ)
    seen = []

    def wait():
        while not selector.select(60):
            pass
        seen.append(one.recv(1))

    in_threads(wait, lambda: other.send(b"1"))
    selector.close()
    one.close()
    other.close()
    assert seen == [b"1"]


def test_select_and_poll():
    one, other = socket.socketpair()
    seen = []

    def wait():
        readers, _, _ = select.select([one], [], [])
        poll = select.poll()
        poll.register(one, select.POLLIN)
        seen.append((readers == [one], bool(poll.poll()), one.recv(1)))

    in_threads(wait, lambda: other.send(b"1"))
    one.close()
    other.close()
    assert seen == [(True, True, b"1")]


def test_who_reads_first_fails():
    one, other = socket.socketpair()
    other.sendall(b"12")
    got = {}

    def read(name):
        got[name] = one.recv(1)

    in_threads(lambda: read("first"), lambda: read("second"))
    one.close()
    other.close()
    assert got == {"first": b"1", "second": b"2"}


def test_an_answer_that_nobody_sends_fails():
    one, other = socket.socketpair()
    thread = threading.Thread(target=lambda: one.recv(1))
    thread.start()
    thread.join()
    other.close()


def test_records_that_another_thread_writes():
    queue, seen = Queue(), []

    class Keep(QueueHandler):
        def emit(self, record):
            seen.append(record.getMessage())

    listener = QueueListener(queue, Keep(queue))
    logger = getLogger("loops")
    handler = QueueHandler(queue)
    logger.addHandler(handler)
    listener.start()
    in_threads(lambda: logger.warning("one"), lambda: logger.warning("two"))
    listener.stop()
    logger.removeHandler(handler)
    assert sorted(seen) == ["one", "two"]
