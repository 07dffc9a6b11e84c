"""GoKer's kernels that block on channels, contexts, conditions and wait groups: nobody receives, sends or closes."""

import threading

from golang import Channel, Context, WaitGroup, after, go, select


def test_cockroach_2448():
    events, callbacks, stop = Channel(), Channel(), Channel()
    runs = 2

    def state():
        for _ in range(runs):
            case, callback, _ok = select(("receive", stop), ("receive", callbacks), default=True)
            if case == 0:
                return
            if case == 1:
                callback()
                continue
            select(("send", events, True), ("receive", stop))

    def process():
        for _ in range(runs):
            if select(("receive", events), ("receive", stop))[0] == 1:
                return
            select(("send", callbacks, lambda: None), ("receive", stop))

    go(process)
    worker = go(state)
    worker.join()
    stop.close()


def test_cockroach_10790():
    channels, context = [Channel(), Channel()], Context()

    def begin():
        for channel in channels:
            if select(("receive", channel), ("receive", context.done))[0] == 1:
                go(lambda: [each.receive() for each in channels])

    def send():
        for channel in channels:
            if select(("send", channel, True), ("receive", context.done))[0] == 1:
                return

    go(send)
    go(begin)
    go(context.cancel)


def test_cockroach_13197():
    context = Context()
    go(context.done.receive)


def test_cockroach_13755():
    rows = Context(Context())

    def wait():
        rows.done.receive()

    go(wait)


def test_cockroach_18101():
    context, ready = Context(), Channel(1)

    def scatter():
        for number in range(3):
            ready.send(number)
        ready.close()

    def restore():
        go(scatter)
        for _ in ready:
            context.done.receive()
            return

    go(restore)
    go(context.cancel)


def test_cockroach_24808():
    channel, stop = Channel(1), Channel()
    channel.send(True)
    channel.send(True)

    def worker():
        while select(("receive", stop), ("receive", channel))[0] == 1:
            pass

    go(worker)
    stop.close()


def test_cockroach_25456():
    quiesce = Channel()
    go(lambda: [quiesce.receive() for _ in range(2)])


def test_cockroach_35073():
    rows = Channel(1)
    rows.send(True)

    def push():
        rows.send(True)

    go(push)


def test_cockroach_35931():
    left = Channel(1)
    left.send(True)

    def cancel():
        left.send(False)

    go(cancel)


def test_cockroach_1055():
    lock, drain, stopper, stop, draining = threading.Lock(), WaitGroup(), Channel(), WaitGroup(), [False]

    def start_task():
        with lock:
            if draining[0]:
                return
            drain.add()

    def worker():
        start_task()
        stopper.receive()
        stop.done()

    def quiesce():
        with lock:
            draining[0] = True
        drain.wait()

    stop.add()
    go(worker)
    quiesce()
    stopper.close()
    stop.wait()


def test_cockroach_1462():
    events, stop, workers = Channel(), Channel(), WaitGroup()

    def produce():
        for _ in range(2):
            if select(("receive", stop), default=True)[0] == 0:
                break
            events.send(0)
        workers.done()

    def consume():
        while select(("receive", events), ("receive", stop))[0] == 0:
            pass
        workers.done()

    workers.add(2)
    go(produce)
    go(consume)
    stop.close()
    workers.wait()


def test_etcd_6857():
    status, stop, done = Channel(), Channel(), Channel()

    def run():
        while True:
            case, answer, _ok = select(("receive", status), ("receive", stop))
            if case == 1:
                done.close()
                return
            answer.send(0)

    def ask():
        answer = Channel()
        status.send(answer)
        answer.receive()

    def end():
        if select(("send", stop, True), ("receive", done))[0] == 0:
            done.receive()

    go(run)
    go(ask)
    go(end)


def test_etcd_6873():
    lock, updates, done = threading.Lock(), Channel(1), Channel()

    def coalesce():
        for _ in updates:
            with lock:
                pass
        done.close()

    def stop():
        with lock:
            updates.close()
            done.receive()

    go(coalesce)
    select(("send", updates, True), default=True)
    go(stop)


def test_etcd_7443():
    lock, notify, closed, pinned = threading.Lock(), Channel(1), [False], [0]
    notify.send([1, 2])

    def up(address):
        with lock:
            if closed[0] or pinned[0]:
                return
            pinned[0] = address
            notify.send([address])

    def down(address):
        with lock:
            if pinned[0] == address and not closed[0]:
                pinned[0] = 0
                notify.send([1, 2])

    def watch():
        addresses = notify.receive()
        for address in addresses:
            up(address)
        for address in addresses:
            down(address)

    watcher = go(watch)
    watcher.join()
    with lock:
        closed[0] = True


def test_etcd_7492():
    lock, added, stopped, tick = threading.Lock(), Channel(1), Channel(), Channel(1)

    def run():
        tokens = 0
        while True:
            case, answer, _ok = select(("receive", added), ("receive", tick), ("receive", stopped))
            if case == 0:
                tokens += 1
                select(("send", tick, True), default=True)
            elif case == 1:
                for _ in range(tokens):
                    with lock:
                        pass
                tokens = 0
            else:
                answer.send(True)
                return

    def assign():
        with lock:
            added.send(True)

    go(run)
    users = [go(assign) for _ in range(3)]
    for user in users:
        user.join()
    answer = Channel()
    stopped.send(answer)
    answer.receive()


def test_etcd_7902():
    lock, turn = threading.Lock(), [Channel()]

    def client(leader):
        mine = turn[0]
        with lock:
            if leader:
                turn[0].close()
            else:
                mine.receive()

    go(client, True)
    go(client, False)


def test_grpc_660():
    stop = Channel()

    def loop():
        for _ in range(2):
            done = Channel()
            go(done.send, True)
            if select(("receive", stop), ("receive", done))[0] == 0:
                return

    go(loop)
    go(lambda: select(("send", stop, True), default=True))


def test_grpc_862():
    context, connection = Context(), Context()

    def reset():
        for _ in range(1000):
            if select(("receive", connection.done), default=True)[0] == 0:
                return
            connection.done.receive()

    go(reset)
    go(context.cancel)


def test_grpc_1275():
    received, done = Channel(), Channel()

    def read():
        received.receive()
        done.close()

    go(read)
    select(("receive", done), ("receive", after(1)))


def test_grpc_1353():
    lock, addresses = threading.Lock(), Channel()

    def update():
        for _ in range(2):
            with lock:
                addresses.send(True)
        addresses.close()

    def watch():
        for _ in addresses:
            with lock:
                pass

    go(update)
    go(watch)


def test_grpc_1424():
    addresses, done = Channel(), Channel()

    def watch():
        for _ in addresses:
            pass

    go(watch)
    addresses.close()
    done.receive()


def test_grpc_1460():
    lock, awaken, streams = threading.Lock(), Channel(), []

    def keepalive():
        lock.acquire()
        if not streams:
            awaken.receive()
        lock.release()

    def new_stream():
        with lock:
            streams.append(1)
            select(("send", awaken, True), default=True)

    go(keepalive)
    go(new_stream)


def test_istio_16224():
    events, done, stop, lock = Channel(), Channel(), Channel(), threading.Lock()

    def handler():
        with lock:
            done.send(True)

    def run():
        if select(("receive", stop), ("receive", events))[0] == 1:
            handler()

    go(run)
    events.send(0)
    with lock:
        pass
    done.receive()
    stop.close()


def test_istio_17860():
    lock, status, context = threading.Lock(), Channel(), Context()

    def restart():
        with lock:
            pass
        go(status.send, 1)

    def run():
        select(("receive", status), ("receive", context.done))

    go(run)
    restart()
    restart()
    context.cancel()


def test_istio_18454():
    reset, stop = Channel(1), Channel()

    def loop():
        for _ in range(2):
            if select(("receive", reset), ("receive", stop))[0] == 1:
                return

    def change():
        for _ in range(4):
            reset.send(True)

    go(loop)
    go(change)
    stop.close()


def test_kubernetes_1321():
    lock, result, stopped = threading.Lock(), Channel(), Channel()

    def distribute():
        with lock:
            result.send(True)

    def stop():
        with lock:
            pass

    go(distribute)
    go(stop)


def test_kubernetes_5316():
    results = Channel()
    go(results.send, True)
    select(("receive", results), default=True)


def test_kubernetes_6632():
    lock, reset, close, gone = threading.Lock(), Channel(), Channel(), [False]

    def monitor():
        close.receive()
        with lock:
            gone[0] = True

    def write():
        with lock:
            if not gone[0]:
                reset.send(True)

    go(close.send, True)
    go(monitor)
    go(write)


def test_kubernetes_10182():
    lock, status = threading.Lock(), Channel()

    def sync():
        for _ in range(2):
            status.receive()
            with lock:
                pass

    def set_status():
        with lock:
            status.send(True)

    go(sync)
    go(set_status)
    go(set_status)


def test_kubernetes_11298():
    lock, abort = threading.Lock(), Channel()
    condition = threading.Condition(lock)
    stopped = [False]

    def serve():
        with lock:
            condition.wait()

    def signal():
        with lock:
            stopped[0] = True
            condition.notify()
        abort.close()

    go(serve)
    go(signal)
    abort.receive()


def test_kubernetes_25331():
    context, errors = Context(), Channel()
    results = Channel()

    def run():
        if select(("receive", errors), ("receive", context.done))[0] == 0:
            context.cancel()
            results.send(True)

    def stop():
        select(("send", errors, True), ("receive", context.done))
        context.cancel()

    go(run)
    go(stop)


def test_kubernetes_26980():
    lock, stop, pending = threading.Lock(), Channel(), [1]
    condition = threading.Condition(lock)

    def pop():
        with lock:
            while not pending:
                condition.wait()
            stop.receive()

    go(pop)
    with lock:
        pass
    stop.close()


def test_kubernetes_38669():
    incoming, results = Channel(), Channel()

    def process():
        results.send(1)
        for _ in incoming:
            pass

    go(process)
    incoming.close()


def test_kubernetes_70277():
    stop, ticks = Channel(), Channel()

    def poll():
        select(("send", ticks, True), ("receive", stop))
        stop.receive()

    def wait_for():
        ticks.receive()
        return  # done is left open

    go(poll)
    wait_for()


def test_moby_4395():
    channel = Channel()
    go(channel.send, "error")


def test_moby_21233():
    progress, done = Channel(), Channel()

    def consume():
        for _ in progress:
            return  # a failed check
        done.close()

    def produce():
        for _ in range(2):
            progress.send(True)
        progress.close()

    go(consume)
    go(produce)


def test_moby_25384():
    group = WaitGroup()
    group.add(2)
    for _ in range(2):
        go(group.done)
        group.wait()


def test_moby_27782():
    events, closed = Channel(), Channel()
    condition, exists = threading.Condition(), [True]

    def read():
        if select(("send", events, True), ("receive", closed))[0] == 0:
            return
        with condition:
            exists[0] = False

    def follow():
        closed.close()
        with condition:
            while exists[0]:
                condition.wait()

    go(read)
    go(follow)


def test_moby_28462():
    lock, stop = threading.Lock(), Channel()

    def monitor():
        for _ in range(3):
            if select(("receive", stop), default=True)[0] == 0:
                return
            with lock:
                pass
        stop.receive()

    def changed():
        with lock:
            stop.send(True)

    go(monitor)
    go(changed)


def test_moby_29733():
    condition, active = threading.Condition(), [False]

    def wait():
        with condition:
            while not active[0]:
                condition.wait()

    def handle():
        active[0] = True

    go(wait)
    go(handle)


def test_moby_30408():
    condition, manifest, failed = threading.Condition(), [None], [False]

    def wait():
        with condition:
            while manifest[0] is None:
                condition.wait()

    def activate():
        with condition:
            failed[0] = True
            condition.notify_all()

    go(wait)
    go(activate)


def test_moby_33293():
    errors = Channel()
    go(errors.send, "error")


def test_moby_33781():
    stop = Channel()

    def monitor():
        results = Channel()
        go(results.send, True)
        select(("receive", stop), ("receive", results))

    go(monitor)
    stop.close()


def test_serving_2137():
    pending, active = Channel(2), Channel(1)
    locks = [threading.Lock(), threading.Lock()]
    accepted = [Channel(1), Channel(1)]
    for lock in locks:
        lock.acquire()

    def request(number):
        if select(("send", pending, True), default=True)[0] == 0:
            active.send(True)
            with locks[number]:
                pass
            active.receive()
            pending.receive()
        accepted[number].send(True)

    for number in range(2):
        go(request, number)
    for number in range(2):
        locks[number].release()
        accepted[number].receive()


def test_syncthing_5795():
    inbox, closed, stopped = Channel(), Channel(), Channel()

    def close():
        closed.close()
        stopped.receive()

    def dispatch():
        if select(("receive", inbox), ("receive", closed))[0] == 0:
            close()
        stopped.close()

    go(dispatch)
    inbox.send(True)
    stopped.receive()
