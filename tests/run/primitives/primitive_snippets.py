"""Small uses of the thread modules, each written once and run on the real and on the virtual ones.

A snippet takes the modules and returns plain data: what calls returned, what they raised, in order.
"""

from __future__ import annotations


def attempt(function, *args, **named):
    """The result of a call, or its exception."""
    try:
        return function(*args, **named)
    except Exception as error:
        return type(error).__name__, str(error)


def kind_of(function, *args, **named):
    """As `attempt`, without the exception's text, which differs between versions."""
    result = attempt(function, *args, **named)
    return result[0] if isinstance(result, tuple) and len(result) == 2 else result


def in_thread(m, function, *args):
    """What a call in another thread gives."""
    box = []
    thread = m.threading.Thread(target=lambda: box.append(attempt(function, *args)))
    thread.start()
    thread.join()
    return box[0]


# -- Lock and RLock ---------------------------------------------------------------------------------------------------


def lock_is_not_reentrant(m):
    lock = m.threading.Lock()
    return lock.acquire(), lock.acquire(False), lock.acquire(True, 0.01), lock.locked(), lock.release(), lock.locked()


def lock_argument_errors(m):
    lock = m.threading.Lock()
    return [
        attempt(lock.release), attempt(lock.acquire, False, 1), kind_of(lock.acquire, True, -2),
        kind_of(lock.acquire, timeout=1e30), kind_of(lock.acquire, timeout="soon"), lock.locked(),
    ]  # fmt: skip


def lock_released_by_another_thread(m):
    lock = m.threading.Lock()
    lock.acquire()
    return in_thread(m, lock.release), lock.locked()


def lock_as_context(m):
    lock = m.threading.Lock()
    with lock as got:
        inside = lock.locked()
    return got, inside, lock.locked()


def lock_context_lets_exceptions_through(m):
    lock = m.threading.Lock()

    def raising():
        with lock:
            raise KeyError("x")

    return attempt(raising), lock.locked()


def lock_old_names(m):
    lock = m.underscore.allocate_lock()
    return lock.acquire_lock(), lock.locked_lock(), lock.release_lock(), isinstance(lock, m.underscore.LockType)


def lock_timeout_in_thread(m):
    lock = m.threading.Lock()
    lock.acquire()
    return in_thread(m, lock.acquire, True, 0.02), in_thread(m, lock.acquire, False)


def rlock_is_reentrant(m):
    lock = m.threading.RLock()
    return lock.acquire(), lock.acquire(), lock.acquire(False), in_thread(m, lock.acquire, False), lock.release()


def rlock_owner(m):
    lock = m.threading.RLock()
    first = attempt(lock.release)
    lock.acquire()
    return first, in_thread(m, lock.release), lock._is_owned(), in_thread(m, lock._is_owned)


def rlock_argument_errors(m):
    lock = m.threading.RLock()
    return attempt(lock.acquire, False, 1), kind_of(lock.acquire, True, -2), kind_of(lock.acquire, timeout=1e30)


def rlock_release_save(m):
    lock = m.threading.RLock()
    lock.acquire()
    lock.acquire()
    state = lock._release_save()
    free = in_thread(m, lambda: (lock.acquire(False), lock.release()))
    lock._acquire_restore(state)
    return free, lock._is_owned(), lock.release(), lock.release(), kind_of(lock.release)


def rlock_as_context(m):
    lock = m.threading.RLock()
    with lock as outer:
        with lock as inner:
            owned = lock._is_owned()
    return outer, inner, owned, lock._is_owned()


# -- Condition --------------------------------------------------------------------------------------------------------


def condition_needs_its_lock(m):
    condition = m.threading.Condition()
    calls = (condition.wait, condition.notify, condition.notify_all)
    return [*map(attempt, calls), kind_of(condition.release)]


def a_time_that_is_no_number_is_refused(m):
    nan = float("nan")
    lock, event = m.threading.Lock(), m.threading.Event()
    event.set()
    return (
        kind_of(lock.acquire, timeout=nan), kind_of(m.threading.RLock().acquire, timeout=nan),
        kind_of(m.time.sleep, nan), kind_of(event.wait, nan), kind_of(m.queue.SimpleQueue().get, timeout=nan),
        kind_of(m.threading.Event().wait, nan),
    )  # fmt: skip


def condition_keeps_its_lock_when_the_time_is_no_number(m):
    condition = m.threading.Condition()
    with condition:
        return kind_of(condition.wait, "soon"), kind_of(condition.wait, float("nan")), kind_of(condition.notify)


def condition_over_a_lock(m):
    lock = m.threading.Lock()
    condition = m.threading.Condition(lock)
    with condition:
        held = lock.locked()
        timed = condition.wait(0.01)
        again = lock.locked()
    return held, timed, again, lock.locked(), kind_of(condition.notify)


def condition_wakes_in_order(m):
    condition = m.threading.Condition()
    order = []
    ready = [m.threading.Event() for _ in range(3)]

    def wait(number):
        with condition:
            ready[number].set()
            condition.wait()
            order.append(number)

    threads = []
    for number in range(3):
        thread = m.threading.Thread(target=wait, args=(number,))
        thread.start()
        threads.append(thread)
        ready[number].wait()
    for _ in range(3):
        with condition:
            condition.notify()
        m.time.sleep(0.02)
    for thread in threads:
        thread.join()
    return order


def condition_wait_for(m):
    condition = m.threading.Condition()
    state = {"n": 0}

    def bump():
        for _ in range(2):
            m.time.sleep(0.01)
            with condition:
                state["n"] += 1
                condition.notify()

    thread = m.threading.Thread(target=bump)
    with condition:
        timed_out = condition.wait_for(lambda: state["n"] == 9, timeout=0.01)
        thread.start()
        result = condition.wait_for(lambda: state["n"] == 2 and "two")
        at_once = condition.wait_for(lambda: 7, timeout=0)
    thread.join()
    return timed_out, result, at_once


def condition_releases_all_levels(m):
    condition = m.threading.Condition(m.threading.RLock())
    seen = []

    def other():
        with condition:
            seen.append("in")
            condition.notify()

    thread = m.threading.Thread(target=other)
    with condition:
        with condition:
            thread.start()
            got = condition.wait(5)
            owned = condition._is_owned()
        still = condition._is_owned()
    thread.join()
    return got, owned, still, condition._is_owned(), seen


def condition_old_name(m):
    condition = m.threading.Condition()
    with condition:
        return hasattr(condition, "notifyAll")


# -- Semaphore --------------------------------------------------------------------------------------------------------


def semaphore_counts(m):
    semaphore = m.threading.Semaphore(2)
    steps = [semaphore.acquire(), semaphore.acquire(False), semaphore.acquire(False), semaphore.acquire(timeout=0.01)]
    semaphore.release(2)
    return steps, semaphore.acquire(), semaphore.acquire(blocking=False), semaphore.acquire(blocking=False)


def semaphore_errors(m):
    return [
        attempt(m.threading.Semaphore, -1), attempt(m.threading.Semaphore().acquire, False, 1),
        attempt(m.threading.Semaphore().release, 0), attempt(m.threading.Semaphore().release, n=-1),
        attempt(m.threading.BoundedSemaphore, -1), attempt(m.threading.BoundedSemaphore().release),
    ]  # fmt: skip


def semaphore_as_context(m):
    semaphore = m.threading.Semaphore(1)
    with semaphore:
        inside = semaphore.acquire(False)
    return inside, semaphore.acquire(False)


def bounded_semaphore(m):
    semaphore = m.threading.BoundedSemaphore(2)
    semaphore.acquire()
    return semaphore.release(), attempt(semaphore.release), attempt(semaphore.release, 3), semaphore._value


def semaphore_hands_over(m):
    semaphore = m.threading.Semaphore(0)
    thread = m.threading.Thread(target=lambda: (m.time.sleep(0.01), semaphore.release()))
    thread.start()
    got = semaphore.acquire(timeout=5)
    thread.join()
    return got, semaphore.acquire(False)


# -- Event ------------------------------------------------------------------------------------------------------------


def event_flags(m):
    event = m.threading.Event()
    steps = [event.is_set(), event.wait(0), event.wait(0.01), event.set(), event.is_set(), event.wait(), event.wait(0)]
    return steps, event.clear(), event.is_set(), event.wait(-1)


def event_wakes_all(m):
    event = m.threading.Event()
    woken = []
    threads = [m.threading.Thread(target=lambda: woken.append(event.wait(5))) for _ in range(3)]
    for thread in threads:
        thread.start()
    event.set()
    for thread in threads:
        thread.join()
    return woken


# -- Barrier ----------------------------------------------------------------------------------------------------------


def barrier_alone(m):
    barrier = m.threading.Barrier(1)
    return barrier.parties, barrier.n_waiting, barrier.broken, barrier.wait(), barrier.wait(timeout=0)


def barrier_of_two(m):
    barrier = m.threading.Barrier(2)
    numbers = []
    thread = m.threading.Thread(target=lambda: numbers.append(barrier.wait()))
    thread.start()
    numbers.append(barrier.wait())
    thread.join()
    return sorted(numbers), barrier.n_waiting, barrier.broken


def barrier_action(m):
    calls = []
    barrier = m.threading.Barrier(2, action=lambda: calls.append("action"))
    thread = m.threading.Thread(target=barrier.wait)
    thread.start()
    barrier.wait()
    thread.join()
    return calls


def barrier_action_that_fails(m):
    def fail():
        raise KeyError("action")

    barrier = m.threading.Barrier(1, action=fail)
    return attempt(barrier.wait), barrier.broken, kind_of(barrier.wait)


def barrier_times_out(m):
    barrier = m.threading.Barrier(2, timeout=0.01)
    first = kind_of(barrier.wait)
    broken = barrier.broken
    second = kind_of(barrier.wait)
    barrier.reset()
    return first, broken, second, barrier.broken


def barrier_aborted(m):
    barrier = m.threading.Barrier(2)
    results = []
    thread = m.threading.Thread(target=lambda: results.append(kind_of(barrier.wait)))
    thread.start()
    while not barrier.n_waiting:
        m.time.sleep(0.001)
    barrier.abort()
    thread.join()
    return results, barrier.broken, barrier.reset(), barrier.broken


def barrier_reset_with_waiter(m):
    barrier = m.threading.Barrier(2)
    results = []
    thread = m.threading.Thread(target=lambda: results.append(kind_of(barrier.wait)))
    thread.start()
    while not barrier.n_waiting:
        m.time.sleep(0.001)
    barrier.reset()
    thread.join()
    return results, barrier.broken, issubclass(m.threading.BrokenBarrierError, RuntimeError)


# -- Thread and Timer -------------------------------------------------------------------------------------------------


def thread_life(m):
    thread = m.threading.Thread(target=int, name="worker")
    before = (thread.is_alive(), thread.ident, thread.name, thread.daemon, attempt(thread.join))
    thread.start()
    again = attempt(thread.start)
    thread.join()
    return before, again, thread.is_alive(), thread.ident is not None, thread.join(), thread.join(0)


def thread_errors(m):
    class Forgetful(m.threading.Thread):
        def __init__(self):
            pass

    current = m.threading.current_thread()
    return [
        attempt(Forgetful().start), attempt(Forgetful().join)[0], kind_of(m.threading.Thread, group=1),
        attempt(current.join), kind_of(m.threading.Thread, bogus=1),
    ]  # fmt: skip


def thread_daemon(m):
    thread = m.threading.Thread(target=int, daemon=True)
    states = [thread.daemon]
    thread.daemon = False
    states.append(thread.daemon)
    thread.start()
    states.append(attempt(setattr, thread, "daemon", True))
    thread.join()
    box = []
    parent = m.threading.Thread(target=lambda: box.append(m.threading.Thread().daemon), daemon=True)
    parent.start()
    parent.join()
    return states, box


def thread_names(m):
    thread = m.threading.Thread(name=5)
    first = thread.name
    thread.name = "other"
    return first, thread.name, attempt(thread.getName), attempt(thread.setDaemon, True)


def thread_join_timeout(m):
    event = m.threading.Event()
    thread = m.threading.Thread(target=event.wait)
    thread.start()
    first = (thread.join(0.01), thread.is_alive(), thread.join(timeout=0), thread.is_alive())
    event.set()
    thread.join()
    return first, thread.is_alive()


def thread_arguments(m):
    seen = []

    def target(*args, **named):
        seen.append((args, sorted(named.items())))

    for named in ({}, {"args": (1,)}, {"args": [1, 2], "kwargs": {"a": 3}}):
        thread = m.threading.Thread(target=target, **named)
        thread.start()
        thread.join()
    return seen


def thread_run_overridden(m):
    class Worker(m.threading.Thread):
        def run(self):
            self.result = (m.threading.current_thread() is self, self.is_alive(), self.ident == m.threading.get_ident())

    worker = Worker()
    worker.start()
    worker.join()
    return worker.result, isinstance(worker, m.threading.Thread)


def thread_ends_with_system_exit(m):
    def leave():
        raise SystemExit(3)

    thread = m.threading.Thread(target=leave)
    thread.start()
    thread.join()
    return thread.is_alive()


def thread_excepthook(m):
    seen = []
    saved = m.threading.excepthook
    m.threading.excepthook = lambda args: seen.append((args.exc_type.__name__, str(args.exc_value), args.thread.name))

    def fail():
        raise KeyError("k")

    try:
        thread = m.threading.Thread(target=fail, name="failing")
        thread.start()
        thread.join()
    finally:
        m.threading.excepthook = saved
    return seen


def thread_enumerated(m):
    event = m.threading.Event()
    count = m.threading.active_count()
    thread = m.threading.Thread(target=event.wait, name="listed")
    thread.start()
    during = (m.threading.active_count() - count, thread in m.threading.enumerate())
    event.set()
    thread.join()
    return during, thread in m.threading.enumerate(), m.threading.active_count() - count


def thread_started_by_number(m):
    seen = []
    done = m.threading.Event()

    def target(*args, **named):
        seen.append((args, named))
        done.set()

    number = m.underscore.start_new_thread(target, (1,), {"a": 2})
    done.wait()
    return (
        isinstance(number, int),
        seen,
        kind_of(m.underscore.start_new_thread, 5, ()),
        kind_of(m.underscore.start_new_thread, target, 5),
    )


def timer_fires(m):
    seen = []
    timer = m.threading.Timer(0.01, lambda *args, **named: seen.append((args, named)), [1], {"a": 2})
    timer.start()
    timer.join()
    return seen, timer.finished.is_set(), isinstance(timer, m.threading.Thread)


def timer_cancelled(m):
    seen = []
    timer = m.threading.Timer(5, lambda: seen.append(1))
    timer.start()
    timer.cancel()
    timer.join()
    return seen, timer.is_alive()


# -- local ------------------------------------------------------------------------------------------------------------


def local_attributes(m):
    local = m.threading.local()
    local.x = 1
    inner = in_thread(m, lambda: (hasattr(local, "x"), vars(local), setattr(local, "x", 2), local.x))
    return inner, local.x, vars(local), attempt(lambda: local.missing)[0]


def local_with_arguments(m):
    class Counted(m.threading.local):
        kind = "counted"

        def __init__(self, start, *, step=1):
            self.value = start
            self.step = step

    local = Counted(5, step=2)
    local.value = 9
    return in_thread(m, lambda: (local.value, local.step, local.kind)), local.value


def local_errors(m):
    local = m.threading.local()
    return [
        kind_of(m.threading.local, 1), kind_of(setattr, local, "__dict__", {}), kind_of(delattr, local, "missing"),
        kind_of(delattr, local, "__dict__"),
    ]  # fmt: skip


def local_with_slots_and_properties(m):
    class Local(m.threading.local):
        @property
        def double(self):
            return self.x * 2

    local = Local()
    local.x = 2
    return local.double, in_thread(m, lambda: local.double)[0]


# -- queues -----------------------------------------------------------------------------------------------------------


def queue_kinds(m):
    results = []
    for kind in (m.queue.Queue, m.queue.LifoQueue, m.queue.PriorityQueue, m.queue.SimpleQueue):
        items = kind()
        for item in (2, 3, 1):
            items.put(item)
        results.append([items.qsize(), items.empty(), *(items.get() for _ in range(3)), kind_of(items.get_nowait)])
    return results


def queue_full(m):
    items = m.queue.Queue(1)
    items.put(1)
    return [
        items.full(), kind_of(items.put_nowait, 2), kind_of(items.put, 2, timeout=0.01), kind_of(items.put, 2, False),
        attempt(items.put, 2, timeout=-1), attempt(items.get, timeout=-1),
    ]  # fmt: skip


def queue_tasks(m):
    items = m.queue.Queue()
    items.put(1)
    items.get()
    first = items.task_done()
    return first, attempt(items.task_done), items.join(), items.unfinished_tasks


def queue_join_waits(m):
    items = m.queue.Queue()
    items.put(1)
    log = []

    def work():
        items.get()
        log.append("work")
        items.task_done()

    thread = m.threading.Thread(target=work)
    thread.start()
    items.join()
    log.append("joined")
    thread.join()
    return log


def queue_blocks(m):
    items = m.queue.Queue(1)
    seen = []

    def consume():
        for _ in range(3):
            seen.append(items.get())

    thread = m.threading.Thread(target=consume)
    thread.start()
    for item in range(3):
        items.put(item)
    thread.join()
    return seen


def simple_queue_errors(m):
    items = m.queue.SimpleQueue()
    return kind_of(items.get, timeout=0.01), kind_of(items.get, False), kind_of(items.get, timeout=-1), items.qsize()


# -- pools ------------------------------------------------------------------------------------------------------------


def pool_results(m):
    with m.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda a, b: a + b, [1, 2], [3, 4]))
        future = pool.submit(int, "x")
        error = attempt(future.result)[0]
    return results, error, future.done(), kind_of(pool.submit, int), kind_of(m.futures.ThreadPoolExecutor, 0)


def pool_waits(m):
    event = m.threading.Event()
    with m.futures.ThreadPoolExecutor(2) as pool:
        slow, quick = pool.submit(event.wait), pool.submit(int)
        done, missing = m.futures.wait([slow, quick], return_when=m.futures.FIRST_COMPLETED)
        timed_out = kind_of(slow.result, timeout=0.01)
        event.set()
    return done == {quick}, missing == {slow}, timed_out, slow.result()


def pool_callbacks(m):
    seen = []
    with m.futures.ThreadPoolExecutor(1, thread_name_prefix="pool") as pool:
        future = pool.submit(lambda: m.threading.current_thread().name)
        future.add_done_callback(lambda done: seen.append(done.result()))
    return seen


def pool_cancel(m):
    event = m.threading.Event()
    with m.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(event.wait)
        second = pool.submit(int)
        cancelled = second.cancel()
        event.set()
    return cancelled, second.cancelled(), kind_of(second.result)


def pool_as_completed(m):
    with m.futures.ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(int, "1"), pool.submit(int, "2")]
        return sorted(future.result() for future in m.futures.as_completed(futures))


# -- time -------------------------------------------------------------------------------------------------------------


def sleeping(m):
    begun = m.time.monotonic()
    wall = m.time.time()
    result = m.time.sleep(0.02)
    return [
        result, m.time.monotonic() - begun >= 0.019, m.time.time() - wall >= 0.015, attempt(m.time.sleep, -1),
        kind_of(m.time.sleep, "x"), m.time.sleep(0),
    ]  # fmt: skip


def clocks(m):
    readings = [
        m.time.time(), m.time.monotonic(), m.time.perf_counter(), m.time.process_time(), m.time.time_ns(),
        m.time.monotonic_ns(), m.time.perf_counter_ns(), m.time.thread_time(),
    ]  # fmt: skip
    return [type(reading).__name__ for reading in readings]


def calendar(m):
    first = m.time.gmtime(0)
    return m.time.localtime().tm_year >= 2023, m.time.strftime("%Y", first), first.tm_mday, len(m.time.ctime())


def scheduler(m):
    log = []
    events = m.sched.scheduler(m.time.monotonic, m.time.sleep)
    events.enter(0.02, 1, log.append, ("late",))
    events.enter(0.01, 1, log.append, ("early",))
    events.run()
    return log


def _is_snippet(value):
    code = getattr(value, "__code__", None)
    return code is not None and code.co_argcount == 1 and code.co_varnames[0] == "m"


SNIPPETS = {name: function for name, function in list(globals().items()) if _is_snippet(function)}
