"""SCTBench's CS family, the programs whose assertions are about values: tests that start threads, faulty and sound.

The facts are those of the C programs: shared variables, locks, threads, iterations. A global of a program is a variable
of its test that the threads share. ``atomic`` is the one lock that stands for the programs' atomic sections.
"""

from threading import Event, Lock, Thread


def started(*bodies):
    threads = [Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    return threads


def together(*bodies):
    for thread in started(*bodies):
        thread.join()


# -- account: the check has a minus where a plus belongs; main joins nobody -----------------------------------------


def account(expected):
    m = Lock()
    x, y, z = 1, 2, 4
    balance = x
    deposit_done = withdraw_done = False

    def deposit():
        nonlocal balance, deposit_done
        with m:
            balance = balance + y
            deposit_done = True

    def withdraw():
        nonlocal balance, withdraw_done
        with m:
            balance = balance - z
            withdraw_done = True

    def check_result():
        with m:
            if deposit_done and withdraw_done:
                assert balance == expected(x, y, z)

    started(check_result, deposit, withdraw)


def test_account():
    account(lambda x, y, z: (x - y) - z)


def test_account_sound():
    account(lambda x, y, z: (x + y) - z)


# -- bluetooth_driver: the flag is looked at before the count goes up ------------------------------------------------


class Device:
    def __init__(self):
        self.pending_io = 1
        self.stopping_flag = False
        self.stopping_event = False
        self.stopped = False


def bluetooth(increment, *, always):
    atomic = Lock()
    e = Device()

    def decrement():
        with atomic:
            e.pending_io = e.pending_io - 1
            pending = e.pending_io
        if pending == 0:
            e.stopping_event = True

    def add():
        status = increment(e, atomic, decrement)
        if status == 0:
            assert not e.stopped
        if always or status == 0:
            decrement()

    def stop():
        e.stopping_flag = True
        decrement()
        if e.stopping_event:
            e.stopped = True

    threads = started(stop)
    add()
    threads[0].join()


def test_bluetooth_driver():
    def increment(e, atomic, _decrement):
        if e.stopping_flag:
            return -1
        with atomic:
            e.pending_io = e.pending_io + 1
        return 0

    bluetooth(increment, always=True)


def test_bluetooth_driver_sound():
    def increment(e, atomic, decrement):
        with atomic:
            e.pending_io = e.pending_io + 1
        if e.stopping_flag:
            decrement()
            return -1
        return 0

    bluetooth(increment, always=False)


# -- circular_buffer: whoever receives counts rounds, not elements ---------------------------------------------------

N = 7


def circular_buffer(*, by_rounds):
    m = Lock()
    buffer = [0] * 10
    buffer_size = 10
    first = following = 0
    send, receive = True, False

    def remove():
        nonlocal first
        assert first >= 0
        if following > 0 and first < buffer_size:
            first = first + 1
            return buffer[first - 1]
        return -1

    def insert(value):
        nonlocal following
        if following < buffer_size and buffer_size > 0:
            buffer[following] = value
            following = (following + 1) % buffer_size
            assert following < buffer_size
            return value
        return -1

    def sender():
        nonlocal send, receive
        sent = 0
        for i in range(N):
            with m:
                if send:
                    insert(i if by_rounds else sent)
                    sent += 1
                    send = False
                    receive = True

    def receiver():
        nonlocal send, receive
        received = 0
        for i in range(N):
            with m:
                if receive:
                    assert remove() == (i if by_rounds else received)
                    received += 1
                    receive = False
                    send = True

    together(sender, receiver)


def test_circular_buffer():
    circular_buffer(by_rounds=True)


def test_circular_buffer_sound():
    circular_buffer(by_rounds=False)


# -- fsbench: 27 threads, arrays of 26 ---------------------------------------------------------------------------------

BLOCKS, INODES = 26, 32


def fsbench(threads):
    locki = [Lock() for _ in range(BLOCKS)]
    lockb = [Lock() for _ in range(BLOCKS)]
    busy = [0] * BLOCKS
    inode = [0] * INODES

    def routine(tid):
        i = tid % INODES
        assert 0 <= i < BLOCKS
        with locki[i]:
            if inode[i] == 0:
                b = (i * 2) % BLOCKS
                for _ in range(BLOCKS // 2):
                    with lockb[b]:
                        if not busy[b]:
                            busy[b] = 1
                            inode[i] = b + 1
                            break
                    b = (b + 1) % BLOCKS

    together(*[lambda tid=tid: routine(tid) for tid in range(threads)])


def test_fsbench():
    fsbench(27)


def test_fsbench_sound():
    fsbench(26)


# -- lazy01 ------------------------------------------------------------------------------------------------------------


def lazy01(expected):
    mutex = Lock()
    data = 0

    def one():
        nonlocal data
        with mutex:
            data = data + 1

    def two():
        nonlocal data
        with mutex:
            data = data + 2

    def look():
        with mutex:
            assert expected(data)

    together(one, two, look)


def test_lazy01():
    lazy01(lambda data: data < 3)


def test_lazy01_sound():
    lazy01(lambda data: data <= 3)


# -- queue: as circular_buffer, with a queue of 20 ---------------------------------------------------------------------

SIZE = 20


class Queue:
    def __init__(self):
        self.element = [0] * SIZE
        self.head = self.tail = self.amount = 0

    def empty(self):
        return self.head == self.tail

    def enqueue(self, x):
        self.element[self.tail] = x
        self.amount = self.amount + 1
        self.tail = 1 if self.tail == SIZE else self.tail + 1

    def dequeue(self):
        x = self.element[self.head]
        self.amount = self.amount - 1
        self.head = 1 if self.head == SIZE else self.head + 1
        return x


def queue(*, by_rounds):
    m = Lock()
    stored = [0] * SIZE
    enqueue_flag, dequeue_flag = True, False
    shared = Queue()
    assert shared.empty()

    def producer():
        nonlocal enqueue_flag, dequeue_flag
        with m:
            value = 0
            shared.enqueue(value)
            stored[0] = value
            assert not shared.empty()
        for i in range(SIZE - 1):
            with m:
                if enqueue_flag:
                    value += 1
                    shared.enqueue(value)
                    stored[i + 1 if by_rounds else value] = value
                    enqueue_flag = False
                    dequeue_flag = True

    def consumer():
        nonlocal enqueue_flag, dequeue_flag
        taken = 0
        for i in range(SIZE):
            with m:
                if dequeue_flag:
                    assert shared.dequeue() == stored[i if by_rounds else taken]
                    taken += 1
                    dequeue_flag = False
                    enqueue_flag = True

    together(producer, consumer)


def test_queue():
    queue(by_rounds=True)


def test_queue_sound():
    queue(by_rounds=False)


# -- reorder: two assignments without a lock, looked at in between -----------------------------------------------------


def reorder(setters, checkers):
    a = b = 0

    def setter():
        nonlocal a, b
        a = 1
        b = -1

    def checker():
        assert (a == 0 and b == 0) or (a == 1 and b == -1)

    together(*[setter] * setters, *[checker] * checkers)


def reorder_sound(setters, checkers):
    lock = Lock()
    a = b = 0

    def setter():
        nonlocal a, b
        with lock:
            a = 1
            b = -1

    def checker():
        with lock:
            assert (a == 0 and b == 0) or (a == 1 and b == -1)

    together(*[setter] * setters, *[checker] * checkers)


def test_reorder_3():
    reorder(2, 1)


def test_reorder_3_sound():
    reorder_sound(2, 1)


def test_reorder_4():
    reorder(3, 1)


def test_reorder_4_sound():
    reorder_sound(3, 1)


def test_reorder_5():
    reorder(4, 1)


def test_reorder_5_sound():
    reorder_sound(4, 1)


def test_reorder_10():
    reorder(9, 1)


def test_reorder_10_sound():
    reorder_sound(9, 1)


def test_reorder_20():
    reorder(10, 10)


def test_reorder_20_sound():
    reorder_sound(10, 10)


def test_reorder_50():
    reorder(49, 1)


def test_reorder_50_sound():
    reorder_sound(49, 1)


def test_reorder_100():
    reorder(99, 1)


def test_reorder_100_sound():
    reorder_sound(99, 1)


# -- stack: the flag says that something was pushed once, not that something is there ----------------------------------


def stack(*, look):
    m = Lock()
    top = 0
    arr = [0] * 10
    flag = False

    def push(x):
        nonlocal top
        if top == 10:
            return -1
        arr[top] = x
        top = top + 1
        return 0

    def pop():
        nonlocal top
        if top == 0:
            return -2
        top = top - 1
        return arr[top]

    def pusher():
        nonlocal flag
        for i in range(10):
            with m:
                assert push(i) != -1
                flag = True

    def popper():
        for _ in range(10):
            with m:
                if flag and (not look or top > 0):
                    assert pop() != -2

    together(pusher, popper)


def test_stack():
    stack(look=False)


def test_stack_sound():
    stack(look=True)


# -- token_ring: three copies that only one order makes equal; main joins nobody ---------------------------------------


def token_ring(*, in_turn):
    atomic = Lock()
    first, second, third = Event(), Event(), Event()
    x1, x2, x3 = 1, 2, 1
    flag1 = flag2 = flag3 = False

    def t1():
        nonlocal x1, flag1
        with atomic:
            x1 = (x3 + 1) % 4
            flag1 = True
        if in_turn:
            first.set()

    def t2():
        nonlocal x2, flag2
        if in_turn:
            first.wait()
        with atomic:
            x2 = x1
            flag2 = True
        if in_turn:
            second.set()

    def t3():
        nonlocal x3, flag3
        if in_turn:
            second.wait()
        with atomic:
            x3 = x2
            flag3 = True
        if in_turn:
            third.set()

    def t4():
        with atomic:
            if flag1 and flag2 and flag3:
                assert x1 == x2 == x3

    started(t1, t2, t3, t4)


def test_token_ring():
    token_ring(in_turn=False)


def test_token_ring_sound():
    token_ring(in_turn=True)


# -- twostage: two values that belong together, each under a lock of its own -------------------------------------------


def twostage(writers, readers):
    lock1, lock2 = Lock(), Lock()
    data1 = data2 = 0

    def write():
        nonlocal data1, data2
        with lock1:
            data1 = 1
        with lock2:
            data2 = data1 + 1

    def read():
        with lock1:
            if data1 == 0:
                return
            t1 = data1
        with lock2:
            t2 = data2
        assert t2 == t1 + 1

    together(*[write] * writers, *[read] * readers)


def twostage_sound(writers, readers):
    lock1, lock2 = Lock(), Lock()
    data1 = data2 = 0

    def write():
        nonlocal data1, data2
        with lock1:
            data1 = 1
            with lock2:
                data2 = data1 + 1

    def read():
        with lock1:
            if data1 == 0:
                return
            t1 = data1
            with lock2:
                t2 = data2
        assert t2 == t1 + 1

    together(*[write] * writers, *[read] * readers)


def test_twostage():
    twostage(1, 1)


def test_twostage_sound():
    twostage_sound(1, 1)


def test_twostage_20():
    twostage(19, 1)


def test_twostage_20_sound():
    twostage_sound(19, 1)


def test_twostage_50():
    twostage(49, 1)


def test_twostage_50_sound():
    twostage_sound(49, 1)


def test_twostage_100():
    twostage(99, 1)


def test_twostage_100_sound():
    twostage_sound(99, 1)


# -- wronglock: one value, two locks -----------------------------------------------------------------------------------


def wronglock(data_lock, this_lock, others):
    value = 0

    def careful():
        nonlocal value
        with data_lock:
            x = value
            value = value + 1
            assert value == x + 1

    def careless():
        nonlocal value
        with this_lock:
            value = value + 1

    together(careful, *[careless] * others)


def test_wronglock_3():
    wronglock(Lock(), Lock(), 3)


def test_wronglock_3_sound():
    lock = Lock()
    wronglock(lock, lock, 3)


def test_wronglock():
    wronglock(Lock(), Lock(), 7)


def test_wronglock_sound():
    lock = Lock()
    wronglock(lock, lock, 7)
