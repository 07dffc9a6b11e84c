"""GoBench's kernels: what Go has works like Go's; each kernel is there in two versions; mended ones end on threads."""

import ast
import importlib
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIMITS = {"seconds": 5.0, "max_tests": None, "seed": 0}


@pytest.fixture
def catalogue(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.gobench.catalogue")


@pytest.fixture
def golang(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.gobench.golang")


def test_every_kernel_has_a_port_or_a_reason(catalogue):
    ported = catalogue.kernels()
    assert len(ported) + len(catalogue.NOT_PORTABLE) == catalogue.BLOCKING + catalogue.OTHERS
    assert not set(ported) & set(catalogue.NOT_PORTABLE)
    assert sum(file != "test_data" for file in ported.values()) == catalogue.BLOCKING


def test_both_versions_have_the_same_tests_and_differ_in_each(catalogue):
    for file in catalogue.KINDS:
        faulty, mended = (
            {node.name: ast.dump(node) for node in ast.parse((folder / f"{file}.py").read_text()).body
             if isinstance(node, ast.FunctionDef)}
            for folder in (catalogue.FAULTY, catalogue.MENDED)
        )  # fmt: skip
        assert list(faulty) == list(mended)
        assert [name for name in faulty if faulty[name] == mended[name]] == []


def test_a_channel_hands_over_keeps_and_closes(golang):
    channel = golang.Channel()
    got = []
    thread = golang.go(lambda: got.append(channel.receive()))
    channel.send("a")
    thread.join()
    assert got == ["a"]
    assert golang.select(("send", channel, "b"), default=True)[0] == -1
    kept = golang.Channel(2)
    kept.send(1)
    kept.send(2)
    assert golang.select(("send", kept, 3), default=True)[0] == -1
    kept.close()
    assert list(kept) == [1, 2]
    assert kept.receive() is None
    with pytest.raises(golang.Panic, match="send on closed channel"):
        kept.send(4)
    with pytest.raises(golang.Panic, match="close of closed channel"):
        kept.close()


def test_a_select_takes_what_is_ready_and_leaves_nothing_behind(golang):
    first, second = golang.Channel(), golang.Channel(1)
    second.send("x")
    assert golang.select(("receive", first), ("receive", None), ("receive", second)) == (2, "x", True)
    thread = golang.go(lambda: golang.select(("receive", first), ("receive", second)))
    first.send("y")
    thread.join()
    assert (first.receivers, second.receivers, first.senders) == ([], [], [])


def test_a_blocked_send_ends_with_the_panic_of_a_close(golang):
    channel, seen = golang.Channel(), []

    def send():
        with pytest.raises(golang.Panic):
            channel.send(1)
        seen.append(True)

    thread = golang.go(send)
    while not channel.senders:
        pass
    channel.close()
    thread.join()
    assert seen == [True]


def test_wait_groups_contexts_once_and_locks(golang):
    group = golang.WaitGroup()
    with pytest.raises(golang.Panic, match="negative"):
        group.done()
    parent = golang.Context()
    child = golang.Context(parent)
    parent.cancel()
    parent.cancel()
    assert child.done.receive() is None
    once, calls = golang.Once(), []
    once.do(lambda: calls.append(1))
    once.do(lambda: calls.append(2))
    assert calls == [1]
    lock = golang.RWMutex()
    lock.rlock()
    lock.rlock()
    lock.runlock()
    lock.runlock()
    lock.lock()
    lock.unlock()


@pytest.mark.parametrize("file", ["test_locks", "test_channels", "test_data"])
def test_mended_kernels_end_on_threads(catalogue, monkeypatch, file):
    monkeypatch.syspath_prepend(str(catalogue.HERE))
    monkeypatch.syspath_prepend(str(catalogue.MENDED))
    module = importlib.import_module(file)
    try:
        for name, test in list(vars(module).items()):
            if name.startswith("test_"):
                test()
                for thread in threading.enumerate():
                    if thread is not threading.current_thread() and not thread.daemon:
                        thread.join(20)
                        assert not thread.is_alive(), name
    finally:
        monkeypatch.delitem(importlib.sys.modules, file, raising=False)
        monkeypatch.delitem(importlib.sys.modules, "golang", raising=False)


@pytest.mark.parametrize(("name", "kind"), [("etcd_6857", "deadlock"), ("kubernetes_82550", "exception")])
def test_a_kernel_is_found(catalogue, name, kind):
    bench = importlib.import_module("benchmarks.gobench.bench")
    said = bench.said(name, catalogue.kernels()[name], "faulty", "default", LIMITS)
    assert (said["verdict"], said["kind"]) == ("failure", kind)
