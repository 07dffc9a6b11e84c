"""GoKer's kernels that do not block and end wrongly: values of others, closed channels, counters below zero."""

import threading

from golang import Channel, Panic, WaitGroup, go


def test_cockroach_4407():
    group, stopped = WaitGroup(), [False]
    lock = threading.Lock()

    def gossip():
        group.add()
        assert not stopped[0], "a worker was added when all had stopped"
        group.done()

    def stop():
        group.wait()
        stopped[0] = True

    threads = [go(gossip), go(gossip)]
    stop()
    for thread in threads:
        thread.join()


def test_cockroach_35501():
    validated, group = [], WaitGroup()
    for name in ("a", "b", "c"):
        group.add()
        go(lambda: (validated.append(name), group.done()))
    group.wait()
    assert sorted(validated) == ["a", "b", "c"]


def test_etcd_3077():
    class Node:
        stopped = None

    node, done = Node(), Channel()

    def run():
        node.stopped = Channel()
        node.stopped.receive()
        done.close()

    thread = go(run)
    node.stopped.send(True)
    thread.join()


def test_grpc_1687():
    writes, closed = Channel(1), Channel()
    lock, open_ = threading.Lock(), [True]

    def write():
        if open_[0]:
            writes.send(True)

    def write_status():
        open_[0] = False
        writes.close()

    first = go(write)
    second = go(write_status)
    first.join()
    second.join()
    closed.close()


def test_grpc_2371():
    class Connection:
        wrapper = Channel(1)

    connection, lock = Connection(), threading.Lock()

    def configure():
        with lock:
            connection.wrapper.send(True)

    def close():
        with lock:
            connection.wrapper = None

    threads = [go(configure), go(close)]
    for thread in threads:
        thread.join()


def test_grpc_3090():
    class Wrapper:
        resolver = None

    wrapper, lock = Wrapper(), threading.Lock()

    def resolve_now():
        with lock:
            wrapper.resolver.append("now")

    def build():
        thread = go(resolve_now)
        wrapper.resolver = []
        return thread

    build().join()


def test_istio_8967():
    class Source:
        done = Channel()

    source = Source()
    started = source.done

    def watch():
        while source.done is not None:
            source.done.receive()
            return
        raise Panic("the channel is gone")

    def stop():
        source.done.close()
        source.done = None

    thread = go(watch)
    stop()
    thread.join()


def test_kubernetes_13058():
    done, stop = WaitGroup(), Channel()
    done.add(2)

    def controller():
        for _ in range(3):
            done.done()

    thread = go(controller)
    done.wait()
    stop.close()
    thread.join()


def test_kubernetes_49404():
    called = [False]

    def serve():
        called[0] = True

    thread = go(serve)
    assert called[0]
    thread.join()


def test_kubernetes_81091():
    class Plugin:
        filtered = 0

    plugin, lock = Plugin(), threading.Lock()

    def work():
        plugin.filtered = plugin.filtered + 1

    threads = [go(work), go(work)]
    for thread in threads:
        thread.join()
    assert plugin.filtered == 2


def test_kubernetes_82550():
    class Lazy:
        provider = None
        made = 0

    lazy, lock = Lazy(), threading.Lock()

    def provide():
        if lazy.provider is None:
            lazy.provider = object()
            lazy.made += 1

    threads = [go(provide) for _ in range(3)]
    for thread in threads:
        thread.join()
    assert lazy.made == 1


def test_moby_22941():
    written, lock, threads = [], threading.Lock(), []

    def write(data):
        with lock:
            written.append(data[0])

    for pair in (("a", "A"), ("b", "B")):
        threads.append(go(lambda: write(pair)))
    for thread in threads:
        thread.join()
    assert sorted(written) == ["a", "b"]


def test_moby_27037():
    versions, threads = [], []
    for number in range(17, 20):
        threads.append(go(lambda: versions.append(f"v1.{number}")))
    for thread in threads:
        thread.join()
    assert sorted(versions) == ["v1.17", "v1.18", "v1.19"]


def test_serving_3068():
    work, lock, open_ = Channel(5), threading.Lock(), [True]

    def put():
        for number in range(2):
            work.send(number)

    def wait():
        with lock:
            open_[0] = False
            work.close()

    thread = go(put)
    wait()
    thread.join()


def test_serving_4908():
    over = [False]

    def log():
        assert not over[0], "a line was logged when the test was over"

    def check():
        return go(log)

    thread = check()
    over[0] = True
    thread.join()


def test_serving_5865():
    destinations, stop = Channel(), Channel()

    def run():
        destinations.close()

    def updated():
        destinations.send(True)

    thread = go(run)
    receiver = go(destinations.receive)
    updated()
    thread.join()
    receiver.join()


def test_serving_6171():
    over = [False]

    def run():
        assert not over[0], "an error was logged when the test was over"

    def watcher():
        inner = go(run)
        return inner

    thread = go(watcher)
    over[0] = True
    thread.join()


def test_serving_6472():
    class State:
        pending = 0
        ready = 0

    state, work, lock = State(), Channel(2), threading.Lock()

    def process():
        work.receive()
        with lock:
            state.pending -= 1
            if state.pending == 0:
                state.ready += 1

    threads = [go(process), go(process)]
    for _ in range(2):
        work.send(True)
    with lock:
        state.pending += 2
    for thread in threads:
        thread.join()
    assert state.ready == 1
