"""Measuring processes, with sources written by hand."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from plait.run.native import load
from plait.run.native import locks as native_locks
from plait.run.native.machine import cpus, other_processes
from plait.run.native.pair import Job, Pair, Place, SideError
from plait.run.native.process import NativeError, Process, Stuck, environment

SCRIPT = Path(load.__file__).read_text(encoding="utf-8")
LOCKS = Path(native_locks.__file__).read_text(encoding="utf-8")
COUNTER = """
import threading
import time


class Counter:
    def __init__(self):
        self._lock = threading.Lock()
        self.value = 0
        self.items = []

    def add(self):
        with self._lock:
            self.value += 1

    def nap(self):
        with self._lock:
            time.sleep(0.002)
"""


def source(*bodies, repeat=1, head="from counter import Counter"):
    functions = "".join(
        f"def suffix_{number}(x, repeat):\n    for _ in range(repeat):\n        {body}\n"
        for number, body in enumerate(bodies)
    )
    listed = ", ".join(f"suffix_{number}" for number in range(len(bodies)))
    return f"{head}\nREPEAT = {repeat}\ndef prefix():\n    return (Counter(),)\n{functions}SUFFIXES = [{listed}]\n"


def watched(*suffixes, repeat=3):
    """Suffixes given as lists of statements."""
    text = source(*("; ".join(each) for each in suffixes), repeat=repeat)
    names = []
    for number, statements in enumerate(suffixes):
        names.append([])
        for place, statement in enumerate(statements):
            text += f"def call_{number}_{place}(x):\n    {statement}\n"
            names[-1].append(f"call_{number}_{place}")
    listed = ", ".join(f"[{', '.join(each)}]" for each in names)
    methods = [[statement.partition("(")[0] for statement in each] for each in suffixes]
    return f"{text}CALLS = [{listed}]\nMETHODS = {methods!r}\n"


@pytest.fixture
def place(tmp_path):
    (tmp_path / "counter.py").write_text(COUNTER)
    return Place(str(tmp_path), ("counter",))


@pytest.fixture
def pair(place):
    with Pair({"old": place, "new": place}, SCRIPT) as pair:
        yield pair


def test_times_of_both_scopes_are_measured(pair):
    pair.load("t", source("x.nap()", "x.nap()"))
    found = pair.run("old", Job("t", "", threads=4, repeat=2), 3)
    assert len(found["whole"]) == len(found["suffix"]) == 3
    # Four threads sleep twice each, one after another; a thread is done after the whole at the latest.
    assert all(whole >= 0.016 for whole in found["whole"])
    assert all(0.004 <= suffix <= whole for whole, suffix in zip(found["whole"], found["suffix"]))


def test_threads_beyond_the_suffixes_share_them(pair):
    pair.load("t", source("x.add()"))
    assert len(pair.run("new", Job("t", "", threads=5), 1)["whole"]) == 1


def test_measuring_ends_when_the_time_is_over(pair):
    pair.load("t", source("x.nap()"))
    found = pair.run("old", Job("t", "", threads=1, repeat=5), 100, seconds=0.03)
    assert len(found["whole"]) <= 4
    assert sum(found["whole"]) >= 0.03


def test_versions_take_turns(pair):
    job = Job("t", source("x.add()"), threads=2, repeat=10, repetitions=5, turn=2)
    found = pair.alternate(job, random.Random(0))
    assert {side: len(times["whole"]) for side, times in found.items()} == {"old": 6, "new": 6}
    assert pair.others
    assert all(each >= 0 for each in pair.others)


def test_each_version_is_its_own(tmp_path):
    places = {}
    for side, seconds in (("old", 0.001), ("new", 0.1)):
        folder = tmp_path / side
        folder.mkdir()
        (folder / "counter.py").write_text(COUNTER.replace("0.002", str(seconds)))
        places[side] = Place(str(folder), ("counter",))
    with Pair(places, SCRIPT) as pair:
        assert [Path(told["files"][0]).parent.name for told in pair.interpreters.values()] == ["old", "new"]
        found = pair.alternate(Job("t", source("x.nap()"), 1, 3, 3), random.Random(0))
    # Three naps each: on a busy machine those of a millisecond take long, but not as long as the others take at least.
    assert min(found["old"]["whole"]) < 0.3 <= min(found["new"]["whole"])


def test_an_exception_in_a_suffix_names_itself_and_the_version(pair):
    pair.load("t", source("x.missing()"))
    with pytest.raises(SideError, match="AttributeError: .*missing") as caught:
        pair.run("new", Job("t", "", threads=2), 1)
    assert caught.value.side == "new"


def test_a_deadlock_is_noticed(pair):
    pair.load("t", source("x._lock.acquire()"))
    with pytest.raises(SideError, match="have not ended") as caught:
        pair.ask("old", "measure", name="t", threads=2, repeat=1, repetitions=1, seconds=9, patience=0.2)
    assert isinstance(caught.value.cause, Stuck)


def test_a_process_that_ends_is_noticed(pair):
    pair.load("t", source("__import__('os')._exit(7)"))
    with pytest.raises(SideError, match="exit code 7"):
        pair.run("old", Job("t", "", threads=1), 1)


def test_a_process_that_does_not_answer_is_given_up():
    process = Process([sys.executable, "-c", "import time; time.sleep(60)"])
    began = time.monotonic()
    with pytest.raises(Stuck):
        process.ask("anything", 0.1)
    process.close()
    assert time.monotonic() - began < 50
    assert not Path(process.work).exists()


def test_an_interpreter_that_is_not_there():
    with pytest.raises(NativeError, match="cannot be started"):
        Process(["/nowhere/python"])


def test_a_module_that_cannot_be_imported(tmp_path):
    (tmp_path / "broken.py").write_text("raise ValueError('no luck')")
    with pytest.raises(SideError, match="no luck"):
        Pair(dict.fromkeys(("old", "new"), Place(str(tmp_path), ("broken",))), SCRIPT)


@pytest.mark.parametrize(
    ("statement", "permission"),
    [
        ("open('../outside', 'w')", "write"),
        ("__import__('os').mkdir('../outside')", "write"),
        ("__import__('os').rename('inside', '../outside')", "write"),
        ("__import__('subprocess').run(['true'])", "subprocess"),
        ("__import__('socket').create_connection(('127.0.0.1', 9))", "network"),
    ],
)
def test_what_is_not_allowed_is_stopped(pair, statement, permission):
    pair.load("t", source(statement))
    with pytest.raises(SideError, match=f"PermissionError.*--allow {permission}"):
        pair.run("old", Job("t", "", threads=1), 1)


def test_writing_to_its_own_folder_is_fine(pair):
    pair.load("t", source("open('inside', 'w').close()"))
    assert pair.run("old", Job("t", "", threads=1), 1)["whole"]


def test_what_is_allowed_is_not_stopped(tmp_path):
    (tmp_path / "counter.py").write_text(COUNTER)
    place = Place(str(tmp_path), ("counter",), allowed=("subprocess",))
    with Pair({"old": place, "new": place}, SCRIPT) as pair:
        pair.load("t", source("__import__('subprocess').run(['true'])"))
        assert pair.run("new", Job("t", "", threads=1), 1)["whole"]


def test_output_of_the_code_under_test_does_not_disturb(pair):
    pair.load("t", source("print('x' * 1000); __import__('os').write(1, b'y' * 1000)"))
    assert len(pair.run("old", Job("t", "", threads=2, repeat=5), 2)["whole"]) == 2


def test_secrets_stay_outside(monkeypatch):
    monkeypatch.setenv("SERVICE_TOKEN", "hidden")
    monkeypatch.setenv("DB_PWD", "hidden")
    monkeypatch.setenv("ASKED", "seen")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    told = environment(3, ["env:ASKED"])
    assert "hidden" not in told.values()
    assert told["ASKED"] == "seen"
    assert "PYTHONPATH" not in told
    assert told["PYTHONHASHSEED"] == "3"


# -- trials -------------------------------------------------------------------------------------------------------


def trial(pair, *suffixes, skipped=(), repeat=3):
    name = f"trial {random.random()}"
    pair.load(name, watched(*suffixes, repeat=repeat))
    return pair.ask("old", "trial", name=name, skipped=[list(each) for each in skipped], patience=0.3)["bad"]


def test_a_trial_finds_nothing_wrong_with_calls_that_work(pair):
    assert trial(pair, ["x.add()", "x.nap()"], ["x.add()"]) == []


def test_a_trial_finds_calls_that_raise(pair):
    assert trial(pair, ["x.add()", "x.nothing()"], ["1 / 0"]) == [
        [0, 1, "AttributeError: 'Counter' object has no attribute 'nothing'"],
        [1, 0, "ZeroDivisionError: division by zero"],
    ]


def test_a_trial_finds_calls_that_raise_the_second_time(pair):
    bad = trial(pair, ["x.__delattr__('value')", "x._lock.locked()"])
    assert [each[:2] for each in bad] == [[0, 0]]


def test_a_trial_finds_calls_that_wait_for_ever(pair):
    bad = trial(pair, ["x._lock.acquire()", "x.value"], ["x.value"])
    assert [each for each in bad if each[2] == "does not return"] == [[0, 0, "does not return"]]


def test_a_trial_finds_calls_that_only_fail_together(pair):
    # Alone, what is appended can be popped; together, the other thread clears the list while this one naps.
    bad = trial(pair, ["x.items.append(1)", "x.nap()", "x.items.pop()"], ["x.items.clear()", "x.nap()"], repeat=30)
    assert [0, 2, "IndexError: pop from empty list"] in bad
    assert all(call != [1, 0] for *call, _ in bad)


def test_calls_that_are_left_out_are_not_made(pair):
    assert trial(pair, ["1 / 0", "x.add()"], skipped=[(0, 0)]) == []


# -- locks --------------------------------------------------------------------------------------------------------

STORE = """
import queue
import threading
from threading import Lock


class Counter:
    def __init__(self, more: "Lock | None" = None):
        self._lock = threading.RLock()
        self._locks = [Lock() for _ in range(4)]
        self._queue = queue.Queue()
        self._unused = threading.Lock()
        self._ready = threading.Condition()

    def hold(self):
        with self._lock:
            __import__("time").sleep(0.001)

    def many(self):
        for lock in self._locks:
            with lock:
                pass

    def queued(self):
        self._queue.put(1)
        self._queue.get()

    def told(self):
        with self._ready:
            self._ready.notify_all()
"""


@pytest.fixture
def watching(tmp_path):
    (tmp_path / "counter.py").write_text(STORE)
    place = Place(str(tmp_path), ("counter",))
    with Pair({"old": place, "new": place}, SCRIPT, profile=LOCKS) as pair:
        yield pair


def locks(pair, statement, threads=4, repeat=5):
    pair.load(statement, source(statement))
    answer = pair.ask("old", "profile", name=statement, threads=threads, repeat=repeat, patience=10)
    assert answer["thread_ns"] > 0
    return {each["lock"]: each for each in answer["locks"]}, answer["thread_ns"]


def test_a_contended_lock_is_found_with_its_name(watching):
    found, total = locks(watching, "x.hold()")
    assert set(found) == {"self._lock"}
    assert found["self._lock"]["acquired"] == 20
    assert found["self._lock"]["contended"] > 0
    # Three of four threads wait at any time, up to the end.
    assert 0.4 < found["self._lock"]["wait_ns"] / total < 0.9


def test_locks_made_by_one_line_count_together(watching):
    found, _ = locks(watching, "x.many()", threads=1, repeat=3)
    assert found["self._locks"]["acquired"] == 12


def test_locks_inside_the_standard_library_belong_to_their_user(watching):
    found, _ = locks(watching, "x.queued()", threads=1)
    assert set(found) == {"self._queue"}
    found, _ = locks(watching, "x.told()", threads=1)
    assert set(found) == {"self._ready"}


# -- the machine --------------------------------------------------------------------------------------------------


def test_some_cpus_are_chosen():
    chosen = cpus(8)
    if hasattr(os, "sched_getaffinity"):
        assert chosen
        assert set(chosen) <= os.sched_getaffinity(0)
        assert len(cpus(1)) == min(2, len(os.sched_getaffinity(0)))


def test_busy_processes_are_noticed():
    if not Path("/proc/loadavg").exists():
        pytest.skip("the system does not tell who is ready to run")
    count = 3 * os.cpu_count()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        time.sleep(0.3)
        seen = []
        for _ in range(20):
            seen.append(other_processes())
            time.sleep(0.01)
        assert sum(seen) / len(seen) > 1.5
    finally:
        for each in busy:
            each.kill()
            each.wait()


# -- other interpreters -------------------------------------------------------------------------------------------


def interpreters():
    return sorted(
        str(path)
        for path in (Path.home() / ".pyenv" / "versions").glob("3.*/bin/python")
        if int(path.parts[-3].split(".")[1]) >= 8
    )


@pytest.mark.parametrize("python", interpreters() or [sys.executable], ids=lambda path: Path(path).parts[-3])
def test_any_interpreter_can_be_measured(tmp_path, python):
    (tmp_path / "counter.py").write_text(COUNTER)
    place = Place(str(tmp_path), ("counter",), python=python)
    with Pair({"old": place, "new": place}, SCRIPT, profile=LOCKS) as pair:
        job = Job("t", source("x.add()"), 2, 5, 2)
        assert pair.alternate(job, random.Random(0))["new"]["whole"]
        assert pair.ask("old", "profile", name="t", threads=2, repeat=5, patience=10)["locks"]
        assert pair.interpreters["old"]["gil"] in (True, False)
