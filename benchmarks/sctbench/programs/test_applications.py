"""SCTBench's programs that come from applications: what their threads share and lock, without what they compute.

CB: StringBuffer of JDK 1.4, aget's log, pbzip2's queue. Inspect: ctrace, qsort_mt. RADBench: NSPR's lazily made lock
and its reader-writer lock. Splash2: fft and lu, whose main thread does not wait for the others.
"""

import time
from threading import Barrier, Condition, Lock, Semaphore, Thread


def started(*bodies):
    threads = [Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    return threads


def together(*bodies):
    for thread in started(*bodies):
        thread.join()


# -- CB/stringbuffer-jdk1.4: append(other) asks for the length and for the characters in two steps --------------------


class StringBuffer:
    def __init__(self, text="", *, whole=False):
        self._lock = Lock()
        self._value, self._count = text, len(text)
        self._whole = whole

    def length(self):
        with self._lock:
            return self._count

    def get_chars(self, begin, end):
        with self._lock:
            assert begin >= 0
            assert 0 <= end <= self._count
            assert begin <= end
            return self._value[begin:end]

    def append(self, text):
        with self._lock:
            self._value = self._value + text
            self._count = len(self._value)

    def append_buffer(self, other):
        with self._lock:
            if self._whole:
                with other._lock:
                    self._value = self._value + other._value[: other._count]
            else:
                length = other.length()
                self._value = self._value + other.get_chars(0, length)
            self._count = len(self._value)

    def erase(self, start, end):
        with self._lock:
            assert start >= 0
            end = min(end, self._count)
            assert start <= end
            self._value = self._value[:start] + self._value[end:]
            self._count = self._count - (end - start)


def string_buffer(*, whole):
    buffer = StringBuffer("abc")

    def change():
        buffer.erase(0, 3)
        buffer.append("abc")

    started(change)
    StringBuffer(whole=whole).append_buffer(buffer)


def test_stringbuffer():
    string_buffer(whole=False)


def test_stringbuffer_sound():
    string_buffer(whole=True)


# -- CB/aget-bug2: the log of an interrupted download adds up per thread and in total ---------------------------------

LENGTH, CHUNK = 35_146, 8_192


class Part:
    def __init__(self, begin, end):
        self.begin = self.offset = begin
        self.end = end


def aget(*, whole):
    written, lock = 0, Lock()
    parts = [Part(0, LENGTH // 2), Part(LENGTH // 2, LENGTH)]

    def store(part, size):
        nonlocal written
        if whole:
            with lock:
                part.offset = part.offset + size
                written = written + size
            return
        part.offset = part.offset + size
        with lock:
            written = written + size

    def get(part):
        while part.offset < part.end:
            store(part, min(CHUNK, part.end - part.offset))

    def save_log():
        if written == LENGTH:
            return
        if whole:
            with lock:
                saved, total = [part.offset - part.begin for part in parts], written
        else:
            saved = [part.offset - part.begin for part in parts]
            total = written
        assert sum(saved) == total

    together(save_log, *[lambda part=part: get(part) for part in parts])


def test_aget():
    aget(whole=False)


def test_aget_sound():
    aget(whole=True)


# -- CB/pbzip2-0.9.4: main throws the queue away when the writer has ended; nobody waits for the consumers ------------
# The original's writer also asks for the number of blocks first, and may end with nothing written.

BLOCKS, CONSUMERS = 2, 2


class Fifo:
    def __init__(self, size):
        self.mut = Lock()
        self.not_full, self.not_empty = Condition(self.mut), Condition(self.mut)
        self.blocks, self.size = [], size


def pbzip2(*, waits):
    fifo = Fifo(CONSUMERS)
    out_lock, mem_lock = Lock(), Lock()
    output = [None] * BLOCKS
    blocks, all_done = 0, False
    written = []

    def producer():
        nonlocal blocks, all_done
        for number in range(BLOCKS):
            with out_lock:
                blocks = blocks + 1
            with fifo.mut:
                while len(fifo.blocks) == fifo.size:
                    fifo.not_full.wait()
                fifo.blocks.append(number)
            with fifo.not_empty:
                fifo.not_empty.notify()
        all_done = True

    def consumer():
        while True:
            with fifo.mut:
                while not fifo.blocks:
                    if all_done:
                        return
                    fifo.not_empty.wait(1)
                number = fifo.blocks.pop(0)
            with fifo.not_full:
                fifo.not_full.notify()
            with mem_lock:
                packed = f"block {number}"
            with out_lock:
                output[number] = packed

    def writer():
        current = 0
        while (not all_done or current < blocks) if waits else (current < blocks or not all_done):
            if current >= BLOCKS or output[current] is None:
                time.sleep(0.05)
                continue
            written.append(output[current])
            with mem_lock:
                output[current] = None
            current += 1

    consumers = started(*[consumer] * CONSUMERS)
    [output_thread] = started(writer)
    producer()
    output_thread.join()
    if waits:
        for thread in consumers:
            thread.join()
    fifo.mut = None
    fifo.not_full = fifo.not_empty = None
    assert written == ["block 0", "block 1"]


def test_pbzip2():
    pbzip2(waits=False)


def test_pbzip2_sound():
    pbzip2(waits=True)


# -- Inspect/ctrace-test: each thread that ends the trace library frees what it has ------------------------------------


class Entry:
    def __init__(self):
        self.freed = False


class Trace:
    def __init__(self):
        self.on = True
        self.hash_lock, self.hash_sem = Lock(), Semaphore(1)
        self.reads = self.messages = 0
        self.entries = [Entry()]

    def trace(self):
        if not self.on:
            return
        self._read_enter()
        for entry in self.entries:
            assert not entry.freed
            self.messages = self.messages + 1
        self._read_exit()

    def _read_enter(self):
        with self.hash_lock:
            if not self.reads:
                self.hash_sem.acquire()
            self.reads = self.reads + 1

    def _read_exit(self):
        with self.hash_lock:
            self.reads = self.reads - 1
            if not self.reads:
                self.hash_sem.release()

    def end(self):
        self.on = False
        for entry in self.entries:
            assert not entry.freed
            entry.freed = True


def ctrace(*, each):
    library = Trace()

    def first():
        if each:
            library.end()

    def second():
        pass

    threads = started(first, second)
    library.trace()
    library.trace()
    for thread in threads:
        thread.join()
    library.trace()
    library.end()


def test_ctrace():
    ctrace(each=True)


def test_ctrace_sound():
    ctrace(each=False)


# -- Inspect/qsort_mt: a thread is told that it has work before it is told which ---------------------------------------

ELEMENTS, FORK, POOL = 32, 4, 2
IDLE, WORK, TERM = "idle", "work", "term"
NUMBERS = tuple((number * 21 + 7) * 13 % 37 % ELEMENTS for number in range(ELEMENTS))


class Sorter:
    def __init__(self):
        self.state, self.low, self.number = IDLE, 0, 0
        self.lock = Lock()
        self.changed = Condition(self.lock)


class ParallelSort:
    def __init__(self, numbers, *, late):
        self.a = list(numbers)
        self.pool = [Sorter() for _ in range(POOL)]
        self.idle = POOL
        self.alloc = Lock()
        self.late = late  # the state is set before the thread's lock is taken

    def run(self):
        threads = started(*[lambda each=each: self._thread(each) for each in self.pool])
        first = self.pool[0]
        with first.lock:
            first.low, first.number, first.state = 0, len(self.a), WORK
            self.idle = self.idle - 1
            first.changed.notify()
        for thread in threads:
            thread.join()

    def _allocate(self):
        with self.alloc:
            for each in self.pool:
                if each.state == IDLE:
                    self.idle = self.idle - 1
                    if self.late:
                        each.state = WORK
                        each.lock.acquire()
                    else:
                        each.lock.acquire()
                        each.state = WORK
                    return each
        return None

    def _thread(self, own):
        while True:
            with own.lock:
                while own.state == IDLE:
                    own.changed.wait()
            if own.state == TERM:
                return
            assert own.state == WORK
            self._sort(own.low, own.number)
            with self.alloc:
                own.state = IDLE
                self.idle = self.idle + 1
                if self.idle == POOL:
                    for other in self.pool:
                        if other is not own:
                            with other.lock:
                                other.state = TERM
                                other.changed.notify()
                    return

    def _sort(self, low, number):
        a = self.a
        while number >= 7:
            part = a[low : low + number]
            pivot = sorted((part[0], part[number // 2], part[-1]))[1]
            less = [each for each in part if each < pivot]
            more = [each for each in part if each > pivot]
            equal = number - len(less) - len(more)
            a[low : low + number] = [*less, *[pivot] * equal, *more]
            helper = self._allocate() if len(less) > FORK and len(more) > FORK else None
            if helper is not None:
                helper.low, helper.number = low, len(less)
                helper.changed.notify()
                helper.lock.release()
            elif less:
                self._sort(low, len(less))
            low, number = low + len(less) + equal, len(more)
        a[low : low + number] = sorted(a[low : low + number])


def parallel_sort(*, late):
    job = ParallelSort(NUMBERS, late=late)
    job.run()
    assert job.a == sorted(NUMBERS)


def test_qsort_mt():
    parallel_sort(late=True)


def test_qsort_mt_sound():
    parallel_sort(late=False)


# -- RADBench bug4 (NSPR): the lock that guards the local time is made by whoever comes first --------------------------


def local_time(*, early):
    guard = Lock() if early else None
    broken_down = 0
    alive, monitor = 2, Condition()

    def explode():
        nonlocal guard, broken_down
        if guard is None:
            guard = Lock()
        guard.acquire()
        broken_down = 1_234_567_890
        result = broken_down
        guard.release()
        return result

    def thread():
        nonlocal alive
        assert explode() == 1_234_567_890
        with monitor:
            alive = alive - 1
            monitor.notify()

    started(thread, thread)
    with monitor:
        while alive:
            monitor.wait()


def test_nspr_localtime():
    local_time(early=False)


def test_nspr_localtime_sound():
    local_time(early=True)


# -- RADBench bug6 (NSPR): a reader takes its lock again while a writer waits -----------------------------------------


class ReaderWriterLock:
    def __init__(self):
        self._lock = Lock()
        self._readers, self._writers = Condition(self._lock), Condition(self._lock)
        self._count = self._waiting_readers = self._waiting_writers = 0

    def read(self):
        with self._lock:
            while self._count < 0 or self._waiting_writers > 0:
                self._waiting_readers += 1
                self._readers.wait()
                self._waiting_readers -= 1
            self._count += 1

    def write(self):
        with self._lock:
            while self._count != 0:
                self._waiting_writers += 1
                self._writers.wait()
                self._waiting_writers -= 1
            self._count -= 1

    def unlock(self):
        with self._lock:
            self._count += 1 if self._count < 0 else -1
            if self._count == 0 and self._waiting_writers > 0:
                self._writers.notify()
            elif self._count == 0 and self._waiting_readers > 0:
                self._readers.notify_all()


def nspr_rwlock(times):
    lock = ReaderWriterLock()

    def reader():
        for _ in range(times):
            lock.read()
        for _ in range(times):
            lock.unlock()

    def writer():
        lock.write()
        lock.unlock()

    together(reader, writer)


def test_nspr_rwlock():
    nspr_rwlock(2)


def test_nspr_rwlock_sound():
    nspr_rwlock(1)


# -- Splash2: workers with barriers; the macro that waits for them at the end is empty --------------------------------

WORKERS = 2


def splash(solve, *, waits):
    """The first worker is the main thread; ``solve`` is given the worker's number and the barrier."""
    id_lock, barrier = Lock(), Barrier(WORKERS)
    following = 0
    ended = [False] * WORKERS

    def slave():
        nonlocal following
        with id_lock:
            number = following
            following = following + 1
        barrier.wait()
        solve(number, barrier)
        ended[number] = True

    threads = started(*[slave] * (WORKERS - 1))
    slave()
    if waits:
        for thread in threads:
            thread.join()
    assert all(ended)


def multiplied(a, b):
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


def lower_upper(blocks):
    """LU of a matrix of 2 x 2 blocks (1 x 1 each here); owners by block, a barrier behind each stage."""

    def solve(number, barrier):
        for k in range(2):
            if (k + k) % WORKERS == number:
                blocks[k][k] = blocks[k][k] or 1.0
            barrier.wait()
            for i in range(k + 1, 2):
                if (i + k) % WORKERS == number:
                    blocks[i][k] = blocks[i][k] / blocks[k][k]
            barrier.wait()
            for i in range(k + 1, 2):
                for j in range(k + 1, 2):
                    if (i + j) % WORKERS == number:
                        blocks[i][j] = blocks[i][j] - blocks[i][k] * blocks[k][j]
            barrier.wait()

    return solve


def test_splash_lu():
    splash(lower_upper([[4.0, 3.0], [6.0, 3.0]]), waits=False)


def test_splash_lu_sound():
    blocks = [[4.0, 3.0], [6.0, 3.0]]
    splash(lower_upper(blocks), waits=True)
    assert blocks == [[4.0, 3.0], [1.5, -1.5]]


def fourier(rows):
    """Four steps over rows that the workers share out: transform, transpose, transform, transpose."""
    sums = [[1, 1], [1, -1]]

    def solve(number, barrier):
        for _ in range(2):
            [mine] = multiplied([rows[number]], sums)
            rows[number] = mine
            barrier.wait()
            column = [row[number] for row in rows]
            barrier.wait()
            rows[number] = column
            barrier.wait()

    return solve


def test_splash_fft():
    splash(fourier([[1, 2], [3, 4]]), waits=False)


def test_splash_fft_sound():
    rows = [[1, 2], [3, 4]]
    splash(fourier(rows), waits=True)
    assert rows == multiplied(multiplied([[1, 1], [1, -1]], [[1, 2], [3, 4]]), [[1, 1], [1, -1]])
