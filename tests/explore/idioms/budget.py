"""Threads that wait for what plait does not control, or for ever; a name that ends with ``_fails`` must fail."""

import asyncio
import os
import threading
import time
from threading import current_thread


def run(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Flag:
    up = False


def test_a_pipe_that_nobody_writes_to_fails():
    read, _write = os.pipe()
    run(lambda: os.read(read, 1))


def test_a_pipe_between_two_threads():
    read, write = os.pipe()
    got = []
    run(lambda: got.append(os.read(read, 1)), lambda: os.write(write, b"x"))
    assert got == [b"x"]


def test_a_name_imported_from_threading_beside_a_pipe():
    read, write = os.pipe()
    got = []
    run(lambda: os.read(read, 1), lambda: os.write(write, b"x"), lambda: got.append(current_thread()))
    assert got
    assert got[0] is not current_thread()


def test_a_thread_left_reading_fails():
    read, _write = os.pipe()
    threading.Thread(target=os.read, args=(read, 1)).start()


def test_spinning_on_a_flag_that_nobody_sets_fails():
    flag = Flag()

    def spin():
        while not flag.up:
            pass

    run(spin)


def test_polling_a_flag_that_nobody_sets_fails():
    flag = Flag()

    def poll():
        while not flag.up:
            time.sleep(0.01)

    run(poll)


def test_a_coroutine_for_the_loop_of_another_thread():
    async def three():
        return 3

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    assert asyncio.run_coroutine_threadsafe(three(), loop).result() == 3
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
