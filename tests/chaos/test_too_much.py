"""Memory that no limit of the kernel counts, and a disk that is filled: by what `perf` and `explore` run, too.

The subjects stop by themselves far beyond the limits, so that a cap that fails does not cost the machine.
"""

import os
import sys
import tempfile
from pathlib import Path

import chaos_tasks
import pytest

from in_process import plait
from plait.commands.explore import command
from plait.run.native import process
from plait.run.rewrite import cache, keeper
from plait.workers import pool
from plait.workers.protocol import WorkerSpec

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="nobody looks elsewhere")]

SOURCE = """
import mmap, os, tempfile

class Taker:
    def __init__(self):
        self.n = 0
    def add(self):
        n = self.n
        self.n = n + 1
        return self.n
    def hoard(self):
        kept = []
        for _ in range(48):
            kept.append(mmap.mmap(-1, 1 << 26))
            kept[-1].write(bytes(1 << 26))
    def fill(self):
        for number in range(12):
            name = os.path.join(tempfile.gettempdir(), str(number))
            with open(name, "wb") as file:
                for _ in range(100):
                    file.write(bytes(1 << 20))
"""
TEST = """
import threading
from taker import Taker

def test_taker():
    shared = Taker()
    threads = [threading.Thread(target=each) for each in (shared.add, shared.{act})]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "taker.py").write_text(SOURCE)
    for version, step in (("old", "n + 1"), ("new", "1 + n")):
        (tmp_path / version).mkdir()
        (tmp_path / version / "taker.py").write_text(SOURCE.replace("n + 1", step))
    for module in (command, process):
        monkeypatch.setattr(module, "memory_share", lambda _count: 1 << 28)
    return tmp_path


def test_memory_of_a_test_is_limited(project):
    (project / "test_taker.py").write_text(TEST.format(act="hoard"))
    done = plait(project, "explore", "test_taker.py", "--budget", "30s")
    assert done.returncode == 3
    assert "out of memory: it had " in done.stdout


def test_what_a_test_writes_is_limited(project, monkeypatch):
    monkeypatch.setattr(command, "DISK", 1 << 28)
    (project / "test_taker.py").write_text(TEST.format(act="fill"))
    done = plait(project, "explore", "test_taker.py", "--budget", "30s")
    assert done.returncode == 3
    assert "it has written more than " in done.stdout


def test_what_a_worker_writes_is_limited_without_a_mount_namespace(monkeypatch):
    """Where no such namespace is to be had, what it writes is on a disk of the machine."""
    monkeypatch.setattr(pool, "DISK", 1 << 24)
    with pool.Workers(WorkerSpec(kernel=False), count=1) as workers:
        error = workers.submit(chaos_tasks.fill_the_disk, 5, 1 << 22, timeout=60).exception()
    assert "it has written more than 16 MB" in str(error)


HOARD = """
import mmap, sys
kept = []
for line in sys.stdin:
    for _ in range(48):
        kept.append(mmap.mmap(-1, 1 << 26))
        kept[-1].write(bytes(1 << 26))
    print("{}", flush=True)
"""


def test_memory_of_a_measurement_is_limited(project):
    helper = process.Process([sys.executable], script=HOARD)
    try:
        with pytest.raises(process.NativeError, match="out of memory: it had"):
            helper.ask("hoard", 60.0)
    finally:
        helper.close()


def test_a_measuring_process_writes_to_memory_only(project, tmp_path, monkeypatch):
    """So the disk of the machine is not filled; where there are no namespaces, each file is limited."""
    (tmp_path / "temporary").mkdir()  # of its own: other programs measure, too
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    done = plait(project, "perf", "taker:Taker", "--old", "dir:old", "--new", "dir:new", "--budget", "10s")
    assert "cannot be measured" not in done.stderr
    assert os.listdir(tmp_path / "temporary") == []


def test_the_keeper_keeps_so_much_and_no_more(tmp_path, monkeypatch):
    """Else code under test could fill the disk with modules."""
    monkeypatch.setattr(cache._CacheWriter, "ask", None)
    monkeypatch.setattr(keeper, "MOST_BYTES", 2000)
    folder = tmp_path / "cache"
    keeper.start_keeper(folder)
    ask = cache._CacheWriter.ask
    asked = [cache.Request(f"x = {number}\n" + "#" * 80, "m", "m.py") for number in range(50)]
    kept = sum(ask(folder, each) for each in asked)
    for pipe in (ask.__self__._requests, ask.__self__._answers):
        os.close(pipe)
    assert 10 < kept < 20
    assert len(os.listdir(folder)) == kept


def test_the_keeper_has_so_much_memory_and_no_more(tmp_path, monkeypatch):
    """The tree of a source may take 700 times as many bytes as the source."""
    monkeypatch.setattr(cache._CacheWriter, "ask", None)
    used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    monkeypatch.setattr(keeper, "MEMORY", used + (1 << 27))
    keeper.start_keeper(tmp_path)
    ask = cache._CacheWriter.ask
    assert ask(tmp_path, cache.Request("x = 1", "m", "m.py"))
    assert not ask(tmp_path, cache.Request(f"x = [{'a,' * 300_000}]", "m", "m.py"))
    for pipe in (ask.__self__._requests, ask.__self__._answers):
        os.close(pipe)
    assert len(os.listdir(tmp_path)) == 1


def test_the_keeper_leaves_room_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(cache._CacheWriter, "ask", None)
    monkeypatch.setattr(keeper, "ROOM", 1 << 60)
    keeper.start_keeper(tmp_path)
    ask = cache._CacheWriter.ask
    assert not ask(tmp_path, cache.Request("x = 1", "m", "m.py"))
    for pipe in (ask.__self__._requests, ask.__self__._answers):
        os.close(pipe)
    assert os.listdir(tmp_path) == []
