"""CAPP's faults: the paper's figures, the tests on real threads, and the two versions in one thread."""

import contextlib
import importlib.util
import os
import subprocess
import sys
import threading
from pathlib import Path
from statistics import geometric_mean
from types import ModuleType

import pytest

CAPP = Path(__file__).resolve().parents[2] / "benchmarks" / "capp"
RUNS = 5
PATIENCE_S = 20


def load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def subject(folder: str, version: str):
    """The module and the test of a fault, importable by their names as long as the block lasts."""
    try:
        module = load(CAPP / folder / version / f"{folder}.py", folder)
        yield module, load(CAPP / folder / f"test_{folder}.py", f"test_{folder}")
    finally:
        for name in (folder, f"test_{folder}"):
            sys.modules.pop(name, None)


with contextlib.ExitStack() as stack:
    stack.callback(sys.modules.pop, "capp_table", None)
    table = load(CAPP / "table.py", "capp_table")
FAULTS = pytest.mark.parametrize("fault", table.FAULTS, ids=lambda fault: fault.name)
VERSIONS = pytest.mark.parametrize("version", ["old", "new"])


def test_there_are_fifteen_faults_each_with_its_files():
    assert len(table.FAULTS) == 15
    folders = {path.name for path in CAPP.iterdir() if (path / "old").is_dir()}
    assert folders == {fault.folder for fault in table.FAULTS}


@pytest.mark.parametrize(("search", "means", "missing"), [
    ("jpf", table.JPF_MEANS, {"Mina"}),
    ("reex", table.REEX_MEANS, {"ReadersWriters", "ReplWorkers", "RAXextended"}),
])  # fmt: skip
def test_the_figures_have_the_paper_s_geometric_means(search, means, missing):
    rows = {fault.name: getattr(fault, search) for fault in table.FAULTS}
    assert {name for name, row in rows.items() if row is None} == missing
    for heuristic, mean in zip(table.HEURISTICS, means, strict=True):
        entries = [row.speedup(heuristic) for row in rows.values() if row is not None]
        # Entries and means are rounded, to one decimal but for entries below 0.1: the mean lies between these bounds.
        halves = [0.005 if entry < 0.1 else 0.05 for entry in entries]
        least = geometric_mean([entry - half for entry, half in zip(entries, halves, strict=True)])
        most = geometric_mean([entry + half for entry, half in zip(entries, halves, strict=True)])
        assert least - 0.05 <= mean <= most + 0.05, heuristic


@FAULTS
def test_the_correct_version_passes_on_real_threads(fault, monkeypatch):
    """Its own test, a few times, with frequent switches and as many threads as in the paper."""
    started = []
    start = threading.Thread.start

    def counting_start(thread):
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", counting_start)
    switch_interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with subject(fault.folder, "old") as (_, test):
            for _ in range(RUNS):
                started.clear()
                assert outcome_in_time(getattr(test, f"test_{fault.folder}")) == "passed"
                assert len(started) == fault.threads
    finally:
        sys.setswitchinterval(switch_interval)


def outcome_in_time(function):
    """Run a test in a thread of its own, which stands for main, so that a hang is seen."""
    failures = []

    def run():
        try:
            function()
        except Exception as error:
            failures.append(error)

    runner = threading.Thread(target=run, daemon=True)
    runner.start()
    runner.join(PATIENCE_S)
    return "hangs" if runner.is_alive() else repr(failures[0]) if failures else "passed"


def test_pytest_runs_the_tests_of_the_correct_versions():
    """The modules are found by name on the path, as a command that chooses the version relies on."""
    path = os.pathsep.join(str(CAPP / fault.folder / "old") for fault in table.FAULTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:plait", "-p", "no:cacheprovider", str(CAPP)]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=60, check=False
    )
    assert "15 passed" in done.stdout, done.stdout + done.stderr


class Inline:
    """A stand-in for a thread that runs to its end when it is started."""

    count = 0

    def __init__(self, target, args=()) -> None:
        self.target, self.args = target, args

    def start(self) -> None:
        type(self).count += 1
        self.target(*self.args)

    def join(self) -> None:
        """Nothing is left to wait for."""


# Threads of the other faults wait for each other, so none of them can run to its end alone.
INDEPENDENT = {
    "Airline", "Allocation", "BubbleSort", "Deadlock", "ReadersWriters", "Groovy", "Lang", "Mina", "Pool1", "Pool2",
}  # fmt: skip


@VERSIONS
@pytest.mark.parametrize(
    "fault", [fault for fault in table.FAULTS if fault.name in INDEPENDENT], ids=lambda fault: fault.name
)
def test_both_versions_pass_when_the_threads_run_one_after_another(fault, version, monkeypatch):
    with subject(fault.folder, version) as (_, test):
        monkeypatch.setattr(threading, "Thread", Inline)
        monkeypatch.setattr(Inline, "count", 0)
        getattr(test, f"test_{fault.folder}")()
    assert Inline.count == fault.threads - 1


@VERSIONS
def test_bounded_buffer_is_first_in_first_out(version):
    with subject("bounded_buffer", version) as (module, _):
        buffer = module.BufferImpl(2)
        received = []
        for item in range(5):
            buffer.put(item)
            buffer.put(-item)
            received += [buffer.get(), buffer.get()]
        assert received == [0, 0, 1, -1, 2, -2, 3, -3, 4, -4]
        assert (buffer.count, buffer.buf) == (0, [None, None])


@VERSIONS
def test_groovy_s_map_grows_and_forgets_cleared_references(version):
    with subject("groovy", version) as (module, _):
        shared = module.ConcurrentReadMap()
        for number in range(40):
            shared.put(f"key {number}", number)
        shared.put("key 7", 70)
        assert [shared.get(f"key {number}") for number in (0, 7, 39)] == [0, 70, 39]
        assert (shared.get("none"), shared.size, len(shared.table)) == (None, 40, 64)
        entries = [entry for head in shared.table for entry in links(head)]
        assert len(entries) == 40
        shared.queue.extend(entry.key for entry in entries if entry.get_key() in ("key 1", "key 10", "key 20"))
        shared.put("key 0", 1)
        assert (shared.get("key 0"), shared.get("key 10"), shared.size) == (1, None, 37)


def links(entry):
    while entry is not None:
        yield entry
        entry = entry.next


@VERSIONS
def test_repl_workers_split_intervals_until_they_are_small_enough(version):
    with subject("repl_workers", version) as (module, _):
        coordinator = module.Coordinator(1, [(0.0, 10.0)])
        worker = module.Worker(coordinator, epsilon=0.05)
        while coordinator.work:
            for interval in coordinator.take(2):
                worker.process(interval)
        assert coordinator.total == pytest.approx(1000 / 3 - 50, abs=0.5)
        assert coordinator.blocked_takers == 0
        coordinator.done = True
        assert coordinator.take(1) == []


@VERSIONS
def test_rax_events_wrap_and_agents_go_on_when_signalled_before(version):
    with subject("rax_extended", version) as (module, _):
        event = module.Event(wrap=3)
        counts = []
        for _ in range(4):
            event.signal_event()
            counts.append(event.count)
        assert counts == [1, 2, 0, 1]
        craft = module.Craft()
        craft.plan.signal_event()
        module.planner(craft, rounds=1)
        module.diagnosis(craft)
        assert (craft.plans_made, craft.exec_.count, craft.repairs) == (1, 1, 1)


@VERSIONS
def test_keyed_pool_lends_again_what_came_back(version):
    with subject("pool3", version) as (module, _):
        factory = module.Factory()
        pool = module.GenericKeyedObjectPool(factory)
        pool.set_max_active(1)
        pool.when_exhausted_action = module.FAIL
        one, two = pool.borrow_object("one"), pool.borrow_object("two")
        with pytest.raises(module.ExhaustedError):
            pool.borrow_object("one")
        pool.return_object("one", one)
        assert pool.borrow_object("one") == one
        assert (one, two, factory.active_count, pool.total_active, pool.total_idle) == (0, 1, 2, 2, 0)
        assert (pool.total_internal_processing, pool.allocation_queue) == (0, [])


@VERSIONS
def test_latch_pool_lends_again_what_came_back(version):
    with subject("pool4", version) as (module, _):
        factory = module.Factory()
        pool = module.GenericObjectPool(factory)
        pool.set_max_active(2)
        pool.when_exhausted_action = module.FAIL
        first, second = pool.borrow_object(), pool.borrow_object()
        with pytest.raises(module.ExhaustedError):
            pool.borrow_object()
        pool.return_object(second)
        assert pool.borrow_object() == second
        assert (first, second, pool.get_num_idle(), pool.get_num_active()) == (0, 1, 0, 2)
        assert (factory.active_count, pool.num_internal_processing, pool.allocation_queue) == (2, 0, [])
        pool.when_exhausted_action = module.GROW
        assert pool.borrow_object() == 2


@VERSIONS
@pytest.mark.parametrize("folder", ["pool1", "pool2"])
def test_pool_keeps_its_minimum_and_its_limit(folder, version):
    with subject(folder, version) as (module, _):
        factory = module.Factory()
        factory.max_active = 2
        pool = module.GenericObjectPool(factory)
        pool.set_max_active(2)
        pool.set_min_idle(1)
        pool.when_exhausted_action = module.FAIL
        pool.evict()
        pool.ensure_min_idle()
        assert (pool.get_num_idle(), factory.active_count) == (1, 1)
        first = pool.borrow_object()
        pool.ensure_min_idle()
        second = pool.borrow_object()
        pool.ensure_min_idle()
        assert (first, second, pool.get_num_idle(), factory.active_count) == (0, 1, 0, 2)
        with pytest.raises(module.ExhaustedError):
            pool.borrow_object()
        pool.return_object(first)
        assert pool.borrow_object() == first
        pool.return_object(first)
        pool.return_object(second)
        pool.close()
        assert factory.active_count == 0
        with pytest.raises(RuntimeError, match="closed"):
            pool.borrow_object()


def test_versions_differ():
    for fault in table.FAULTS:
        old, new = ((CAPP / fault.folder / version / f"{fault.folder}.py").read_text() for version in ("old", "new"))
        assert old != new, fault.name
