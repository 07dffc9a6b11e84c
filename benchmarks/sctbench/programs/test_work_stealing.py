"""SCTBench's Chess family, the four tests of a work-stealing queue, and its SafeStack.

``head`` and ``tail`` of the queue are atomic words: reading and writing them is one access each. The interlocked forms
spin on a try-lock where the others wait. The forms "with state" also keep, as the originals do, a stack of activation
records per thread in one growing list: there the fault is.
"""

import time
from threading import Lock, Thread

STEALERS, ITEMS, ATTEMPTS, FIRST_SIZE, LARGEST = 2, 4, 2, 2, 1 << 20


class Item:
    def __init__(self):
        self.field = 0

    def operation(self):
        self.field = self.field + 1


class WaitingLock:
    def __init__(self):
        self._lock = Lock()

    def acquire(self, _tid):
        self._lock.acquire()

    def release(self, _tid):
        self._lock.release()


class SpinningLock:
    def __init__(self):
        self._word = Lock()

    def acquire(self, _tid):
        while not self._word.acquire(blocking=False):
            time.sleep(0)

    def release(self, _tid):
        self._word.release()


class Silent:
    """No activation records."""

    def push(self, tid, name):
        pass

    def update(self, tid, pc):
        pass

    def pop(self, tid):
        pass


class Records:
    """The stacks of all threads in one list, which the first call of a thread makes as long as that thread needs."""

    def __init__(self, lock=None):
        self._stacks = []
        self._lock = lock

    def push(self, tid, name):
        if self._lock is None:
            self._reach(tid)
        else:
            with self._lock:
                self._reach(tid)
        self._stacks[tid].append([name, 0])

    def _reach(self, tid):
        stacks = self._stacks
        if len(stacks) <= tid:
            more = [[] for _ in range(tid + 1 - len(stacks))]
            stacks[:] = [*stacks[: tid + 1], *more]  # a resize: others may have made it longer meanwhile

    def update(self, tid, pc):
        stack = self._stacks[tid]
        assert stack
        stack[-1][1] = pc

    def pop(self, tid):
        stack = self._stacks[tid]
        assert stack
        stack.pop()


class StealQueue:
    """The owner pushes and pops at the tail, thieves take from the head (Cilk's THE protocol)."""

    def __init__(self, lock, state, slack):
        self.head = self.tail = 0
        self.mask = FIRST_SIZE - 1
        self.elems = [None] * FIRST_SIZE
        self.lock, self.state, self.slack = lock, state, slack

    def steal(self, tid):
        state = self.state
        state.push(tid, "steal")
        self.lock.acquire(tid)
        h = self.head
        state.update(tid, 2)
        self.head = h + 1
        found = None
        if h < self.tail:
            found = self.elems[h & self.mask]
        else:
            self.head = h
        state.update(tid, 5)
        self.lock.release(tid)
        state.pop(tid)
        return found

    def pop(self, tid):
        state = self.state
        state.push(tid, "pop")
        t = self.tail - 1
        state.update(tid, 1)
        self.tail = t
        if self.head <= t:
            found = self.elems[t & self.mask]
        else:
            state.update(tid, 3)
            self.tail = t + 1
            found = self._pop_alone(tid)
        state.pop(tid)
        return found

    def _pop_alone(self, tid):
        self.lock.acquire(tid)
        t = self.tail - 1
        self.tail = t
        found = None
        if self.head <= t:
            found = self.elems[t & self.mask]
        else:
            self.tail = t + 1
        if self.head > t:
            self.head = 0
            self.tail = 0
            found = None
        self.lock.release(tid)
        return found

    def push(self, elem, tid):
        state = self.state
        state.push(tid, "push")
        t = self.tail
        state.update(tid, 1)
        if t < self.head + self.mask + self.slack and t < LARGEST:
            self.elems[t & self.mask] = elem
            state.update(tid, 2)
            self.tail = t + 1
        else:
            self._push_alone(elem, tid)
        state.pop(tid)

    def _push_alone(self, elem, tid):
        self.lock.acquire(tid)
        h = self.head
        count = self.tail - h
        h &= self.mask
        self.head = h
        self.tail = h + count
        if count >= self.mask:
            size = 2 * (self.mask + 1)
            larger = [None] * size
            for i in range(count):
                larger[i] = self.elems[(h + i) & self.mask]
            self.elems = larger
            self.mask = size - 1
            self.head = 0
            self.tail = count
        assert count < self.mask
        t = self.tail
        self.elems[t & self.mask] = elem
        self.tail = t + 1
        self.lock.release(tid)


def _operate(item):
    if item is not None:
        item.operation()


def steal_test(lock, state, slack, *, alternating=True):
    state.push(0, "test")
    items = [Item() for _ in range(ITEMS)]
    queue = StealQueue(lock, state, slack)

    def stealer(tid):
        state.push(tid, "stealer")
        for _ in range(ATTEMPTS):
            state.update(tid, 0)
            _operate(queue.steal(tid))
        state.pop(tid)

    threads = [Thread(target=stealer, args=(tid,)) for tid in range(1, STEALERS + 1)]
    for thread in threads:
        thread.start()
    if alternating:
        for i in range(ITEMS // 2):
            queue.push(items[2 * i], 0)
            queue.push(items[2 * i + 1], 0)
            _operate(queue.pop(0))
        left = ITEMS // 2
    else:
        for item in items:
            queue.push(item, 0)
        left = ITEMS
    for _ in range(left):
        _operate(queue.pop(0))
    state.update(0, 5)
    for thread in threads:
        thread.join()
    for item in items:
        assert item.field == 1


def test_work_steal_queue():
    steal_test(WaitingLock(), Silent(), 1)


def test_work_steal_queue_sound():
    steal_test(WaitingLock(), Silent(), 0)


def test_interlocked_work_steal_queue():
    steal_test(SpinningLock(), Silent(), 1)


def test_interlocked_work_steal_queue_sound():
    steal_test(SpinningLock(), Silent(), 0)


def test_interlocked_work_steal_queue_with_state():
    steal_test(SpinningLock(), Records(), 0)


def test_interlocked_work_steal_queue_with_state_sound():
    steal_test(SpinningLock(), Records(Lock()), 0)


def test_state_work_steal_queue():
    steal_test(SpinningLock(), Records(), 0, alternating=False)


def test_state_work_steal_queue_sound():
    steal_test(SpinningLock(), Records(Lock()), 0, alternating=False)


# -- SafeStack: a free list of three cells, by three threads; seven preemptions are needed -----------------------------


class Word:
    """An atomic number: each operation is one section of a lock of its own."""

    def __init__(self, value):
        self._value = value
        self._lock = Lock()

    def load(self):
        with self._lock:
            return self._value

    def exchange(self, value):
        with self._lock:
            old, self._value = self._value, value
            return old

    def swap_if(self, expected, value):
        with self._lock:
            if self._value == expected:
                self._value = value
                return True, expected
            return False, self._value

    def add(self, number):
        with self._lock:
            self._value += number


class SafeStack:
    def __init__(self, size):
        self.following = [Word(i + 1) for i in range(size - 1)] + [Word(-1)]
        self.value = [0] * size
        self.count, self.head = Word(size), Word(0)

    def pop(self):
        while self.count.load() > 1:
            head = self.head.load()
            following = self.following[head].exchange(-1)
            if following >= 0:
                if self.head.swap_if(head, following)[0]:
                    self.count.add(-1)
                    return head
                self.following[head].exchange(following)
            else:
                time.sleep(0)
        return -1

    def push(self, index):
        head = self.head.load()
        done = False
        while not done:
            self.following[index].exchange(head)
            done, head = self.head.swap_if(head, index)
        self.count.add(1)


class LockedStack(SafeStack):
    def __init__(self, size):
        super().__init__(size)
        self._whole = Lock()

    def pop(self):
        with self._whole:
            return super().pop()

    def push(self, index):
        with self._whole:
            super().push(index)


def safe_stack(stack):
    def user(number):
        for _ in range(2):
            cell = stack.pop()
            while cell < 0:
                time.sleep(0)
                cell = stack.pop()
            stack.value[cell] = number
            assert stack.value[cell] == number
            stack.push(cell)

    threads = [Thread(target=user, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_safestack():
    safe_stack(SafeStack(3))


def test_safestack_sound():
    safe_stack(LockedStack(3))
