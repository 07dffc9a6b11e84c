"""What threaded tests do every day; a test whose name ends with ``_fails`` must fail, all others must pass."""

import contextlib
import functools
import os
import queue
import socket
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait

import pytest


def run(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Account:
    def __init__(self):
        self.lock = threading.Lock()
        self.balance = 0

    def deposit(self):
        self.balance = self.balance + 1

    def deposit_safely(self):
        with self.lock:
            self.balance = self.balance + 1


def test_deposits_under_a_lock():
    account = Account()
    run(account.deposit_safely, account.deposit_safely)
    assert account.balance == 2


def test_deposits_without_a_lock_fails():
    account = Account()
    run(account.deposit, account.deposit)
    assert account.balance == 2


def test_locks_in_two_orders_fails():
    first, second = threading.Lock(), threading.Lock()

    def one():
        with first, second:
            pass

    def two():
        with second, first:
            pass

    run(one, two)


def test_check_then_act_fails():
    made = []

    class Single:
        instance = None

        @classmethod
        def get(cls):
            if cls.instance is None:
                made.append(1)
                cls.instance = cls()
            return cls.instance

    run(Single.get, Single.get)
    assert len(made) == 1


def test_double_checked_locking():
    made, lock, box = [], threading.Lock(), {}

    def get():
        if "it" not in box:
            with lock:
                if "it" not in box:
                    made.append(1)
                    box["it"] = object()
        return box["it"]

    run(get, get)
    assert len(made) == 1


def test_a_queue_with_a_sentinel():
    items, got = queue.Queue(), []

    def consume():
        while (item := items.get()) is not None:
            got.append(item)

    def produce():
        for item in (1, 2, None):
            items.put(item)

    run(consume, produce)
    assert got == [1, 2]


def test_a_sentinel_for_one_of_two_consumers_fails():
    items = queue.Queue()

    def consume():
        while items.get() is not None:
            pass

    run(consume, consume, lambda: items.put(None))


def test_a_bounded_queue_and_join():
    items, got = queue.Queue(maxsize=1), []

    def consume():
        while True:
            got.append(items.get())
            items.task_done()

    threading.Thread(target=consume, daemon=True).start()
    for item in range(3):
        items.put(item)
    items.join()
    assert got == [0, 1, 2]


def test_a_forgotten_task_done_fails():
    items = queue.Queue()
    threading.Thread(target=items.get, daemon=True).start()
    items.put(1)
    items.join()


def test_a_simple_queue():
    items = queue.SimpleQueue()
    run(lambda: items.put(1), lambda: items.put(2))
    assert sorted((items.get(), items.get())) == [1, 2]


def test_a_queue_that_is_looked_at_first_fails():
    items, got = queue.Queue(), []
    items.put(1)

    def take():
        if not items.empty():
            got.append(items.get(timeout=1))

    run(take, take)
    assert got == [1]


def test_a_pool_adds_up():
    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(lambda number: number * 2, range(4))) == 12


def test_futures_as_they_are_completed():
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(pow, 2, number) for number in range(3)]
        assert sorted(future.result() for future in as_completed(futures)) == [1, 2, 4]
        assert wait(futures).not_done == set()


def test_an_exception_stays_in_its_future():
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(int, "x")
    with pytest.raises(ValueError, match="invalid literal"):
        future.result()


def test_a_task_waits_for_its_own_pool_fails():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: pool.submit(int).result()).result() == 0


def test_a_pool_that_is_never_shut_down():
    assert ThreadPoolExecutor(1).submit(int).result() == 0


@pytest.mark.plait(schedules=500)
def test_a_shared_result_of_a_pool_fails():
    total = Account()
    with ThreadPoolExecutor(2) as pool:
        for _ in range(2):
            pool.submit(total.deposit)
    assert total.balance == 2


def test_a_future_by_hand():
    future = Future()
    run(lambda: future.set_result(1), lambda: future.result(timeout=5))
    assert future.done()


def test_an_event_before_and_after():
    event, seen = threading.Event(), []
    run(lambda: (event.wait(), seen.append(1)), event.set)
    assert seen == [1]


def test_an_event_that_is_cleared_too_early_fails():
    event = threading.Event()
    run(event.wait, lambda: (event.set(), event.clear()))


def test_a_condition_with_a_predicate():
    condition, items = threading.Condition(), []

    def take():
        with condition:
            condition.wait_for(lambda: items)
            items.pop()

    def give():
        with condition:
            items.append(1)
            condition.notify()

    run(take, give)
    assert items == []


def test_one_notify_for_two_waiters_fails():
    condition, up = threading.Condition(), []

    def await_it():
        with condition:
            while not up:
                condition.wait()

    def raise_it():
        with condition:
            up.append(1)
            condition.notify()

    run(await_it, await_it, raise_it)


def test_a_wait_outside_of_a_loop_fails():
    condition, items, got = threading.Condition(), [], []

    def take():
        with condition:
            if not items:
                condition.wait()
            got.append(items.pop())

    def give():
        with condition:
            items.append(1)
            condition.notify_all()

    run(take, take, lambda: (give(), give()))


def test_a_barrier():
    barrier, seen = threading.Barrier(2), []

    def meet():
        seen.append("before")
        barrier.wait()
        seen.append("after")

    run(meet, meet)
    assert seen == ["before", "before", "after", "after"]


def test_a_barrier_for_too_many_fails():
    barrier = threading.Barrier(3)
    run(barrier.wait, barrier.wait)


def test_a_semaphore_admits_two():
    semaphore, inside, most = threading.Semaphore(2), [], []

    def enter():
        with semaphore:
            inside.append(1)
            most.append(len(inside))
            inside.pop()

    run(enter, enter, enter)
    assert max(most) <= 2


def test_a_timer_fires_and_another_is_cancelled():
    seen = []
    first, second = threading.Timer(0.01, seen.append, [1]), threading.Timer(60, seen.append, [2])
    first.start()
    second.start()
    first.join()
    second.cancel()
    second.join()
    assert seen == [1]


def test_sleeping_instead_of_waiting_fails():
    seen = []
    thread = threading.Thread(target=lambda: (time.sleep(0.2), seen.append(1)))
    thread.start()
    time.sleep(0.1)
    found = list(seen)
    thread.join()
    assert found == [1]


def test_a_join_with_a_time_out():
    release = threading.Event()
    thread = threading.Thread(target=release.wait)
    thread.start()
    thread.join(timeout=0.1)
    assert thread.is_alive()
    release.set()
    thread.join()


def test_a_background_thread_polls_until_it_is_stopped():
    stop, rounds = threading.Event(), []

    def poll():
        while not stop.wait(0.01):
            rounds.append(1)

    thread = threading.Thread(target=poll)
    thread.start()
    stop.set()
    thread.join()
    assert not thread.is_alive()


def test_a_cache_is_filled_once_per_key_and_thread():
    calls = []

    @functools.lru_cache
    def double(number):
        calls.append(number)
        return number * 2

    run(lambda: double(2), lambda: double(2))
    assert double(2) == 4
    assert len(calls) in (1, 2)


def test_a_dict_that_grows_while_it_is_walked_fails():
    table = {1: 1, 2: 2}

    def walk():
        for key in table:
            str(key)

    run(walk, lambda: table.update({3: 3}))


def test_a_pool_of_weak_references():
    class Thing:
        pass

    things = weakref.WeakValueDictionary()
    kept = Thing()
    run(lambda: things.__setitem__("a", kept), lambda: things.get("a"))
    assert things["a"] is kept


def test_a_finalizer_runs_when_the_thread_is_done():
    class Thing:
        pass

    seen = []

    def use():
        thing = Thing()
        weakref.finalize(thing, seen.append, 1)

    run(use)
    assert seen in ([], [1])


def test_a_pair_of_sockets():
    ours, theirs = socket.socketpair()
    got = []
    run(lambda: got.append(theirs.recv(1)), lambda: ours.sendall(b"x"))
    ours.close()
    theirs.close()
    assert got == [b"x"]


def test_a_server_in_a_thread():
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        connection, _address = server.accept()
        with connection:
            connection.sendall(connection.recv(8).upper())

    thread = threading.Thread(target=serve)
    thread.start()
    with socket.create_connection(server.getsockname()) as client:
        client.sendall(b"hello")
        assert client.recv(8) == b"HELLO"
    thread.join()
    server.close()


def test_a_file_object_over_a_pipe():
    read, write = os.pipe()
    got = []

    def consume():
        with os.fdopen(read) as lines:
            got.extend(lines)

    def produce():
        with os.fdopen(write, "w") as out:
            out.write("one\ntwo\n")

    run(consume, produce)
    assert got == ["one\n", "two\n"]


def test_two_processes_in_two_threads():
    said = []

    def ask():
        command = [sys.executable, "-S", "-c", "print(1)"]
        said.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())

    run(ask, ask)
    assert said == ["1", "1"]


def test_output_of_threads(capsys):
    run(lambda: print("a"), lambda: print("b"))
    assert sorted(capsys.readouterr().out.split()) == ["a", "b"]


def test_a_thread_writes_a_temporary_file(tmp_path):
    run(lambda: (tmp_path / "a").write_text("a"), lambda: (tmp_path / "b").write_text("b"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_subclass_of_thread():
    class Worker(threading.Thread):
        def __init__(self):
            super().__init__(daemon=True)
            self.result = None

        def run(self):
            self.result = 42

    worker = Worker()
    worker.start()
    worker.join()
    assert worker.result == 42


def test_an_iterator_that_two_threads_share_fails():
    def numbers():
        yield from range(4)

    shared, got = numbers(), []

    def take():
        for number in shared:
            got.append(number)
            if number == 1:
                shared.gi_frame.f_lineno  # noqa: B018 - a look at the generator that the other one may be in

    run(take, take)
    assert sorted(got) == [0, 1, 2, 3]
    assert got == sorted(got)


def test_spinning_until_a_flag_is_set():
    account = Account()

    def spin():
        while not account.balance:
            pass

    run(spin, account.deposit_safely)
    assert account.balance == 1


def test_an_expected_exception_in_a_thread():
    seen = []

    def fail():
        with contextlib.suppress(ZeroDivisionError):
            seen.append(1)
            raise ZeroDivisionError

    run(fail)
    assert seen == [1]


def test_a_table_by_the_address_of_objects():
    table, lock = {}, threading.Lock()

    def work():
        mine = [object() for _ in range(3)]
        for each in mine:
            with lock:
                table[id(each)] = each
        for each in mine:
            assert table[id(each)] is each

    run(work, work)
    assert len(table) == 6


COUNTED = {}


def count(name):
    COUNTED[name] = COUNTED.get(name, 0) + 1


def test_two_jobs_of_an_executor_count_in_a_table_of_the_module_fails():
    """Most steps are the executor's own; the two that matter must be met in few schedules."""
    COUNTED.clear()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(count, ["a", "a"]))
    assert COUNTED == {"a": 2}


def test_jobs_of_an_executor_count_fails():
    class Tally:
        value = 0

        def more(self):
            value = self.value
            self.value = value + 1

    tally = Tally()
    with ThreadPoolExecutor(2) as pool:
        for each in as_completed([pool.submit(tally.more) for _ in range(2)]):
            each.result()
    assert tally.value == 2
