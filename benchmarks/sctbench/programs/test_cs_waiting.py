"""SCTBench's CS family, the programs about waiting: deadlocks, conditions, philosophers.

A condition of the C programs is signalled when its lock was given back; Python asks for the lock, so it is taken again.
"""

from threading import Condition, Lock, Thread


def together(*bodies):
    threads = [Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def signal(condition):
    with condition:
        condition.notify()


# -- arithmetic_prog, sync01, sync02: a producer and a consumer of at most one ---------------------------------------


def hand_over(num, produced, consumed, *, takes=True, consume=None):
    m = Lock()
    empty, full = Condition(m), Condition(m)

    def producer():
        nonlocal num
        for _ in range(produced):
            with m:
                while num > 0:
                    empty.wait()
                num = num + 1
            signal(full)

    def consumer():
        nonlocal num
        for j in range(consumed):
            with m:
                while num == 0:
                    full.wait()
                if consume is not None:
                    consume(j)
                if takes:
                    num = num - 1
            signal(empty)
        if consume is not None:
            consume(consumed)

    together(producer, consumer)


def arithmetic_prog(expected):
    total = 0

    def consume(j):
        nonlocal total
        total = total + j

    hand_over(0, 3, 3, consume=consume)
    assert expected(total)


def test_arithmetic_prog():
    arithmetic_prog(lambda total: total != 6)


def test_arithmetic_prog_sound():
    arithmetic_prog(lambda total: total == 6)


def test_sync01():
    hand_over(1, 1, 1, takes=False)


def test_sync01_sound():
    hand_over(1, 1, 1)


def test_sync02():
    hand_over(2, 2, 2)


def test_sync02_sound():
    hand_over(1, 2, 2)


# -- carter01: a lock for the first of a class, taken while the counter's lock is held ---------------------------------


def carter01(*, nested):
    m, lock = Lock(), Lock()
    a = b = 0

    def first():
        nonlocal a
        with m:
            a = a + 1
            alone = a == 1
            if alone and nested:
                lock.acquire()
        if alone and not nested:
            lock.acquire()
        with m:
            a = a - 1
            if a == 0:
                lock.release()

    def second():
        nonlocal b
        with m:
            b = b + 1
            alone = b == 1
            if alone and nested:
                lock.acquire()
        if alone and not nested:
            lock.acquire()
        with m:
            b = b - 1
            if b == 0:
                lock.release()

    def nothing():
        pass

    together(first, second, nothing, nothing)


def test_carter01():
    carter01(nested=True)


def test_carter01_sound():
    carter01(nested=False)


# -- deadlock01 --------------------------------------------------------------------------------------------------------


def deadlock01(one, other, first, second):
    counter = 1

    def up():
        nonlocal counter
        with one, other:
            counter = counter + 1

    def down():
        nonlocal counter
        with first, second:
            counter = counter - 1

    together(up, down)


def test_deadlock01():
    a, b = Lock(), Lock()
    deadlock01(a, b, b, a)


def test_deadlock01_sound():
    a, b = Lock(), Lock()
    deadlock01(a, b, a, b)


# -- din_phil2 to din_phil7: forks under one atomic lock; who eats last finds that all have eaten ----------------------


def philosophers(number, *, counted, begins=1):
    atomic = Lock()
    forks = [Lock() for _ in range(number)]
    phil = 0

    def eat(left):
        nonlocal phil
        right = (left + 1) % number
        atomic.acquire()
        forks[right].acquire()
        forks[left].acquire()
        forks[left].release()
        forks[right].release()
        for _ in range(begins - 1):  # what should have ended the section begins it again
            atomic.acquire()
        atomic.release()
        if counted:
            atomic.acquire()
        phil = phil + 1
        if phil == number:
            raise AssertionError
        if counted:
            atomic.release()

    together(*[lambda left=left: eat(left) for left in range(number)])


def philosophers_sound(number):
    atomic = Lock()
    forks = [Lock() for _ in range(number)]
    phil = 0

    def eat(left):
        nonlocal phil
        right = (left + 1) % number
        with atomic, forks[right], forks[left]:
            pass
        with atomic:
            phil = phil + 1

    together(*[lambda left=left: eat(left) for left in range(number)])
    assert phil == number


def test_din_phil2():
    philosophers(2, counted=False)


def test_din_phil2_sound():
    philosophers_sound(2)


def test_din_phil3():
    philosophers(3, counted=False)


def test_din_phil3_sound():
    philosophers_sound(3)


def test_din_phil4():
    philosophers(4, counted=False)


def test_din_phil4_sound():
    philosophers_sound(4)


def test_din_phil5():
    philosophers(5, counted=True)


def test_din_phil5_sound():
    philosophers_sound(5)


def test_din_phil6():
    philosophers(6, counted=True)


def test_din_phil6_sound():
    philosophers_sound(6)


def test_din_phil7():
    philosophers(7, counted=True, begins=2)


def test_din_phil7_sound():
    philosophers_sound(7)


# -- phase01: a lock that is never given back --------------------------------------------------------------------------


def phase01(*, gives_back):
    x, y = Lock(), Lock()

    def phases():
        x.acquire()
        x.release()
        x.acquire()
        if gives_back:
            x.release()
        with y:
            pass
        with y:
            pass

    together(phases, phases)


def test_phase01():
    phase01(gives_back=False)


def test_phase01_sound():
    phase01(gives_back=True)
