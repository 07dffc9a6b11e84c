"""What plait cannot see yet, as tests that would pass if it could. docs/limits.md says what each one means to users."""

import json
import subprocess
import sys
import textwrap

import pytest

from in_process import plait

EXPLORE = """
import json, sys
from functools import partial
from pathlib import Path
from plait.explore.dpor import Dpor
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World

world = World(PLACES)
module = world.load("subject", roots=[Path(sys.argv[1])])
world.snapshot()
strategy, shown, made = Dpor(), set(), []

def prepare():
    made[:] = [module.make()]
    return [partial(body, made[0]) for body in module.THREADS]

def finish():
    errors = [type(thread.error).__name__ for thread in ENGINE.threads if thread.error is not None]
    shown.add(json.dumps(errors or module.look(made[0])))

for _ in range(20_000):
    prefix = strategy.next_prefix()
    if prefix is None:
        break
    ENGINE.execute(prepare, prefix, strategy, free=strategy.free, finish=finish)
    strategy.executed(ENGINE)
print(json.dumps([json.loads(each) for each in sorted(shown)]))
"""


def outcomes(folder, source, **others):
    """What the threads of a module can show, over all schedules; other modules lie beside it."""
    for name, text in {"subject": source, **others}.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text))
    done = subprocess.run(
        [sys.executable, "-c", EXPLORE, str(folder)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_harness_shows_a_lost_update(tmp_path):
    """Not a limit: what the other tests here look like when plait sees everything."""
    source = """
    class Counter:
        value = 0

        def add(self):
            self.value += 1

    make, look, THREADS = Counter, lambda counter: counter.value, [Counter.add] * 2
    """
    assert outcomes(tmp_path, source) == [1, 2]


@pytest.mark.skip(reason="objects are kept alive until the execution ends, so that no number is used twice")
def test_a_weak_reference_may_die_between_test_and_use(tmp_path):
    source = """
    import weakref

    class Value:
        size = 1

    class Cache:
        def __init__(self):
            self.value = Value()
            self.weak = weakref.ref(self.value)

        def use(self):
            value = self.weak()
            if value is not None and value.size:
                del value
                self.used = self.weak() is not None

        def drop(self):
            self.value = None

    make, look, THREADS = Cache, lambda cache: getattr(cache, "used", None), [Cache.use, Cache.drop]
    """
    assert False in outcomes(tmp_path, source)


@pytest.mark.skip(reason="a loop over a generator has no point of its own: only `next` has")
def test_two_threads_may_loop_over_one_generator(tmp_path):
    source = """
    class Jobs:
        def __init__(self):
            self.jobs = (number for number in (1, 2))

        def work(self):
            for job in self.jobs:
                self.done = job

    make, look, THREADS = Jobs, lambda jobs: jobs.done, [Jobs.work] * 2
    """
    assert any("ValueError" in each for each in outcomes(tmp_path, source) if isinstance(each, list))


@pytest.mark.skip(reason="more than 5,000 objects in module state are not put back")
def test_a_large_module_state_is_put_back(tmp_path):
    source = """
    TABLE = [[0] for _ in range(6000)]

    class State:
        def count(self):
            TABLE[-1][0] += 1

    make, look, THREADS = State, lambda state: TABLE[-1][0], [State.count] * 2
    """
    assert outcomes(tmp_path, source) == [1, 2]


@pytest.mark.skip(reason="the content of objects written in C, other than the built-in containers, is no shared state")
def test_two_threads_may_share_a_buffer_written_in_c(tmp_path):
    source = """
    import io

    class Log:
        def __init__(self):
            self.text = io.StringIO()

        def header(self):
            if self.text.tell() == 0:
                self.text.write("header ")

    make, look, THREADS = Log, lambda log: log.text.getvalue(), [Log.header] * 2
    """
    assert outcomes(tmp_path, source) == ["header ", "header header "]


@pytest.mark.skip(reason="a code object has no text that could be rewritten; the text given to eval and exec is")
def test_a_code_object_may_be_run_by_exec(tmp_path):
    source = """
    CODE = compile("counter.value += 1", "made", "exec")

    class Counter:
        value = 0

        def add(self):
            exec(CODE, {"counter": self})

    make, look, THREADS = Counter, lambda counter: counter.value, [Counter.add] * 2
    """
    assert outcomes(tmp_path, source) == [1, 2]


@pytest.mark.skip(reason="extension modules read the attributes of what they are given without a point")
def test_an_attribute_may_be_read_by_an_extension(tmp_path):
    source = """
    import pickle

    class Counter:
        def __init__(self):
            self.value = 0

        def add(self):
            self.value = pickle.loads(pickle.dumps(self)).value + 1

    make, look, THREADS = Counter, lambda counter: counter.value, [Counter.add] * 2
    """
    assert outcomes(tmp_path, source) == [1, 2]


@pytest.mark.skip(reason="files, sockets and data bases are no shared state: no points, and nothing is put back")
def test_two_threads_may_share_a_file(tmp_path):
    source = """
    import pathlib

    FILE = pathlib.Path(__file__).with_name("count.txt")

    class Counter:
        def __init__(self):
            FILE.write_text("0")

        def add(self):
            FILE.write_text(str(int(FILE.read_text()) + 1))

    make, look, THREADS = Counter, lambda counter: int(FILE.read_text()), [Counter.add] * 2
    """
    assert outcomes(tmp_path, source) == [1, 2]


@pytest.mark.skip(reason="a slice of a memory view is one step")
def test_a_slice_may_be_stored_byte_by_byte(tmp_path):
    source = """
    class Buffer:
        def __init__(self):
            self.data = bytearray(b"aa")

        def write(self):
            memoryview(self.data)[0:2] = b"bb"

        def read(self):
            self.seen = [self.data[1], self.data[0]]

    make, look, THREADS = Buffer, lambda buffer: buffer.seen, [Buffer.write, Buffer.read]
    """
    assert [97, 98] in outcomes(tmp_path, source)


@pytest.mark.skip(reason="in `plait check` and `diff` a thread that waits for a pipe or a socket stops all others")
def test_threads_may_race_behind_a_pipe(tmp_path):
    source = """
    import os

    class Counter:
        def __init__(self):
            self.value = 0
            self.read, self.write = os.pipe()

        def wait_and_add(self):
            os.read(self.read, 1)
            self.value = self.value + 1

        def tell_and_add(self):
            os.write(self.write, b"x")
            self.value = self.value + 1

    make, look, THREADS = Counter, lambda counter: counter.value, [Counter.wait_and_add, Counter.tell_and_add]
    """
    assert outcomes(tmp_path, source) == [1, 2]


@pytest.mark.skip(reason="the GIL's switches are those of specialised code; a function's first calls have more")
def test_a_function_may_be_torn_in_its_first_calls(tmp_path):
    source = """
    from plait.run.engine import ENGINE

    ENGINE.gil = True

    class Counter:
        def __init__(self):
            self.value = 0

        def step(self):
            value = self.value
            len(())
            self.value = value + 1

    make, look, THREADS = Counter, lambda counter: counter.value, [Counter.step, Counter.step]
    """
    assert outcomes(tmp_path, source) == [1, 2]


OBSERVED = """
import threading


class Subject:
    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._observers = []
        self._value = 0

    def attach(self, observer) -> None:
        with self._lock:
            self._observers.append(observer)

    def set(self, value: int) -> None:
        with self._lock:
            self._value = value
            observers = list(self._observers)
        for observer in observers:
            observer(value)

    def get(self) -> int:
        with self._lock:
            return self._value
"""


@pytest.mark.skip(reason="the observers that plait passes call back in their own thread, and have no lock")
def test_an_observer_may_need_a_lock_of_its_own(tmp_path):
    told = "        for observer in observers:\n            observer(value)\n"
    inside = "".join(f"    {line}\n" for line in told.splitlines())
    for version, source in (("old", OBSERVED), ("new", OBSERVED.replace(told, inside))):
        (tmp_path / version).mkdir()
        (tmp_path / version / "watched.py").write_text(source)
    sides = ["--old", f"dir:{tmp_path / 'old'}", "--new", f"dir:{tmp_path / 'new'}"]
    done = plait(tmp_path, "diff", "watched:Subject", *sides, "--max-tests", "100", "--quiet")
    assert done.returncode == 1  # one that takes its lock when it is told, and holds it while it calls `get`
