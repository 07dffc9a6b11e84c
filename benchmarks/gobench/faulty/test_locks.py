"""GoKer's kernels that block on locks: taken twice, taken in two orders, read again behind a writer that waits."""

import threading

from golang import Channel, Once, RWMutex, WaitGroup, go


def test_cockroach_584():
    lock = threading.Lock()

    def bootstrap():
        lock.acquire()  # a closed gossip leaves the loop here

    def run():
        bootstrap()
        bootstrap()

    go(run)


def test_cockroach_6181():
    lock = RWMutex()

    def shown():
        lock.rlock()
        lock.runlock()

    def lookup():
        lock.rlock()
        shown()
        lock.runlock()
        lock.lock()
        lock.unlock()

    group = WaitGroup()
    for _ in range(3):
        group.add()
        go(lambda: (lookup(), group.done()))
    group.wait()


def test_cockroach_7504():
    state, names = threading.Lock(), threading.Lock()

    def acquire_by_name():
        with names, state:
            pass

    def release():
        with state, names:
            pass

    go(acquire_by_name)
    go(release)


def test_cockroach_9935():
    lock = threading.Lock()

    def output():
        lock.acquire()
        lock.acquire()  # to leave on an error
        lock.release()

    go(output)


def test_cockroach_10214():
    coalesced, raft = threading.Lock(), threading.Lock()

    def send_heartbeats():
        with coalesced:
            for _ in range(2):
                with raft:
                    pass

    def tick():
        with raft, coalesced:
            pass

    go(send_heartbeats)
    go(tick)


def test_cockroach_16167():
    config = RWMutex()

    def execute():
        config.rlock()
        config.rlock()
        config.runlock()
        config.runlock()

    def update():
        config.lock()
        config.unlock()

    go(update)
    execute()


def test_cockroach_3710():
    store, queue = RWMutex(), threading.Lock()

    def scan():
        store.rlock()
        for _ in range(2):
            with queue:
                store.rlock()
                store.runlock()
        store.runlock()

    def process():
        store.lock()
        store.unlock()

    go(scan)
    go(process)


def test_etcd_5509():
    lock, open_ = RWMutex(), [True]

    def acquire():
        while True:
            lock.rlock()
            if not open_[0]:
                return
            lock.runlock()

    def close():
        lock.lock()
        open_[0] = False
        lock.unlock()
        lock.lock()
        lock.unlock()

    reader = go(acquire)
    close()
    reader.join()
    lock.lock()


def test_etcd_6708():
    lock = RWMutex()

    def leader():
        lock.rlock()
        lock.runlock()

    def sync():
        lock.lock()
        leader()
        lock.unlock()

    go(sync)


def test_etcd_10492():
    lock = threading.Lock()

    def checkpoint():
        with lock:
            pass

    def renew():
        with lock:
            checkpoint()

    go(renew)


def test_grpc_795():
    lock, drained = threading.Lock(), [False]

    def stop():
        lock.acquire()
        if drained[0]:
            lock.acquire()
            return
        drained[0] = True

    def serve():
        with lock:
            pass

    go(serve)
    for _ in range(3):
        stop()


def test_grpc_3017():
    lock, aborted, cached = threading.Lock(), [False], [True]

    def expired():
        lock.acquire()
        if aborted[0]:
            return
        cached[0] = False
        lock.release()

    def new():
        with lock:
            if cached[0]:
                aborted[0] = True

    timer = go(expired)
    new()
    timer.join()
    new()


def test_hugo_3251():
    table, urls = RWMutex(), {}

    def lock(url):
        table.lock()
        urls.setdefault(url, threading.Lock())
        urls[url].acquire()
        table.unlock()

    def unlock(url):
        table.rlock()
        urls[url].release()
        table.runlock()

    def get():
        lock("url")
        unlock("url")

    group = WaitGroup()
    for _ in range(3):
        group.add()
        go(lambda: (get(), group.done()))
    group.wait()


def test_hugo_5379():
    content, plain, lock = Once(), Once(), threading.Lock()

    def init_plain():
        plain.do(lambda: (lock.acquire(), lock.release()))

    def init_content():
        def work():
            with lock:
                init_plain()  # a short code asks for the number of words

        def both():
            thread = go(work)
            thread.join()

        content.do(both)

    go(init_content)


def test_kubernetes_13135():
    cacher, watch, replaced = threading.Lock(), threading.Lock(), threading.Event()

    def start_caching():
        cacher.acquire()
        with watch:
            replaced.set()
            cacher.release()
        cacher.acquire()  # once more before the stop is seen
        with watch:
            cacher.release()

    def add():
        with watch, cacher:
            pass

    go(start_caching)
    replaced.wait()
    go(add)


def test_kubernetes_30872():
    informer, fifo, stop = threading.Lock(), threading.Lock(), Channel()

    def pop():
        with fifo, informer:
            pass

    def synced():
        with informer, fifo:
            pass

    go(pop)
    go(synced)
    stop.close()


def test_kubernetes_58107():
    lock, condition, ready = RWMutex(), threading.Condition(), [0]

    def worker():
        lock.rlock()
        with condition:
            while not ready[0]:
                condition.wait()
            ready[0] -= 1
        lock.runlock()

    def sync():
        lock.lock()
        lock.unlock()
        with condition:
            ready[0] += 2
            condition.notify_all()

    go(worker)
    go(worker)
    go(sync)


def test_kubernetes_62464():
    state = RWMutex()

    def reconcile():
        state.rlock()
        state.rlock()
        state.runlock()
        state.runlock()

    def remove():
        state.rlock()
        state.runlock()
        state.lock()
        state.unlock()

    go(reconcile)
    go(remove)


def test_moby_4951():
    devices, info = threading.Lock(), threading.Lock()

    def delete():
        devices.acquire()
        info.acquire()
        devices.release()  # while the device is removed
        devices.acquire()
        info.release()
        devices.release()

    go(delete)
    go(delete)


def test_moby_7559():
    lock = threading.Lock()

    def run():
        for _ in range(2):
            lock.acquire()
            continue  # nobody can be reached

    go(run)


def test_moby_17176():
    lock = threading.Lock()

    def clean():
        lock.acquire()
        return None

    clean()

    def use():
        with lock:
            pass

    go(use)


def test_moby_36114():
    lock = threading.Lock()

    def remove():
        with lock:
            pass

    def add():
        with lock:
            remove()

    go(add)


def test_syncthing_4829():
    mapping = RWMutex()

    def notify():
        mapping.rlock()
        mapping.runlock()

    def clear():
        mapping.lock()
        notify()
        mapping.unlock()

    go(clear)
