"""``pytest --plait`` on tests that know nothing of it."""

import gc
import json
import sys
import types

import pytest

from plait.pytest_plugin.item import ItemTrial, unraised
from plait.run.endings import DIVERGED, FINISHED_RUN
from plait.run.engine import ENGINE

COUNTER = """
class Counter:
    def __init__(self):
        self.value = 0
    def increment(self):
        self.value += 1
"""
RACY = """
import threading
from counter import Counter

def test_total():
    counter = Counter()
    threads = [threading.Thread(target=counter.increment) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.value == 2
"""


@pytest.fixture
def run(pytester):
    """Runs pytest in a process of its own; returns its result and what plait says of each test."""

    def explore(*arguments, plait=True, **files):
        if files:
            pytester.makepyfile(**files)
        account = pytester.path / "account.json"
        options = ["--plait", "--plait-result", str(account)] if plait else []
        done = pytester.runpytest_subprocess("-p", "no:cacheprovider", *options, *arguments)
        told = json.loads(account.read_text())["tests"] if account.exists() else []
        return done, {each["test"].rpartition("::")[2]: each for each in told}

    return explore


def test_a_race_in_an_unchanged_test_is_found_and_told(run):
    done, told = run(counter=COUNTER, test_counter=RACY)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*read Counter.value*", "*FAILED test_counter.py::test_total*"])
    account = told["test_total"]
    assert (account["ran"], account["outcome"], account["threads"]) == ("explored", "failed", 3)
    assert (account["failure"]["kind"], account["failure"]["preemptions"]) == ("exception", 1)
    assert account["failure"]["confirmed_on_threads"] is True
    again, told = run("--plait-replay", account["failure"]["token"])
    again.assert_outcomes(failed=1)
    assert (told["test_total"]["search"], told["test_total"]["schedules"]) == ("replay", 1)


def test_without_the_option_nothing_happens_and_nothing_is_imported(run):
    done, told = run(plait=False, counter=COUNTER, test_counter=RACY, test_modules="""
        import sys
        def test_modules():
            names = [name for name in sys.modules if name.startswith("plait.")]
            assert names == ["plait.pytest_plugin"]
    """)  # fmt: skip
    done.assert_outcomes(passed=2)
    assert told == {}


KINDS = """
import threading
import unittest
import pytest

made = []
done = []

@pytest.fixture(scope="module")
def shared():
    made.append("module")
    return {"count": 0}

@pytest.fixture
def box(shared):
    made.append("function")
    lock = threading.Lock()
    yield {"lock": lock, "items": []}
    done.append(threading.active_count())

def both(work):
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

@pytest.mark.parametrize("number", [1, 2])
def test_with_fixtures(box, shared, number):
    assert made.count("function") >= 1
    assert box["items"] == []
    assert shared == {"count": 0}
    def work():
        with box["lock"]:
            box["items"].append(number)
            shared["count"] = shared["count"] + 1
    both(work)
    assert box["items"] == [number, number]
    assert shared["count"] == 2

class TestClass:
    state = []
    def setup_method(self):
        self.items = []
    def test_method(self):
        assert self.items == self.state == []
        both(lambda: (self.items.append(1), self.state.append(1)))
        assert len(self.items) == len(self.state) == 2

class Case(unittest.TestCase):
    def setUp(self):
        self.value = 0
    def test_passes(self):
        lock = threading.Lock()
        def work():
            with lock:
                self.value += 1
        both(work)
        self.assertEqual(self.value, 2)
    def test_fails(self):
        def work():
            self.value += 1
        both(work)
        self.assertEqual(self.value, 2)

def test_without_threads():
    assert True

def test_skips():
    pytest.skip("not here")

@pytest.mark.xfail(strict=True)
def test_expected():
    values = [0]
    def work():
        values[0] = values[0] + 1
    both(work)
    assert values == [2]
"""


def test_fixtures_parameters_classes_and_unittest(run):
    done, told = run(test_kinds=KINDS)
    done.assert_outcomes(passed=5, failed=1, skipped=1, xfailed=1)
    explored = {name for name, account in told.items() if account["ran"] == "explored"}
    assert explored == {
        "test_with_fixtures[1]", "test_with_fixtures[2]", "test_method", "test_passes", "test_fails", "test_expected",
    }  # fmt: skip
    assert told["test_without_threads"]["ran"] == "one thread"
    assert told["test_fails"]["failure"]["exception"] == "AssertionError"
    assert all(told[name]["schedules"] > 1 for name in explored)


def test_a_deadlock_is_found(run):
    done, told = run(test_locks="""
        import threading
        def test_locks():
            first, second = threading.Lock(), threading.Lock()
            def one():
                with first, second:
                    pass
            def two():
                with second, first:
                    pass
            threads = [threading.Thread(target=work) for work in (one, two)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    """)  # fmt: skip
    done.assert_outcomes(failed=1)
    assert told["test_locks"]["failure"]["kind"] == "deadlock"


def test_what_cannot_be_controlled_runs_plainly_and_says_why(run):
    done, told = run(test_outside="""
        import subprocess
        import sys
        import threading
        def test_process_in_a_thread():
            found = []
            def work():
                code = subprocess.Popen([sys.executable, "-c", "print(1)"], stdout=subprocess.PIPE)
                found.append(code.communicate()[0].strip())
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            assert found == [b"1"]
        async def test_asynchronous():
            pass
    """)  # fmt: skip
    assert done.ret in (0, 1)  # pytest itself cannot run asynchronous tests
    assert told["test_process_in_a_thread"]["outcome"] == "passed"
    done.stdout.fnmatch_lines(["*plait*"])


def test_options_come_from_the_file_and_the_marker(run, pytester):
    pytester.makeini("[pytest]\nplait_schedules = 3\nplait_schedule = dfs\n")
    mark = "import pytest\n@pytest.mark.plait(schedules=5, schedule='icb')\n"
    marked = RACY.replace("def test_total", f"{mark}def test_total")
    done, told = run(counter=COUNTER.replace("self.value += 1", "pass"), test_marked=marked.replace("== 2", "== 0"),
                     test_plain=RACY.replace("== 2", "== 0").replace("test_total", "test_plain"))  # fmt: skip
    done.assert_outcomes(passed=2)
    assert (told["test_plain"]["search"], told["test_plain"]["schedules"]) == ("dfs", 3)
    assert (told["test_total"]["search"], told["test_total"]["schedules"]) == ("icb", 5)


def test_a_word_that_means_nothing_is_refused(run):
    done, _told = run("--plait-capp", "XYZ", counter=COUNTER, test_counter=RACY)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*'XYZ' is not known*"])


@pytest.mark.slow
def test_it_works_beside_xdist_and_timeout(run):
    pytest.importorskip("xdist")
    pytest.importorskip("pytest_timeout")
    done, told = run("-n", "2", "--timeout", "60", counter=COUNTER, test_counter=RACY, test_kinds=KINDS)
    done.assert_outcomes(passed=5, failed=2, skipped=1, xfailed=1)
    assert told["test_total"]["ran"] == "explored"


def test_it_works_beside_coverage(run, pytester):
    """Lines that only controlled threads execute are counted."""
    pytest.importorskip("coverage")
    pytester.makepyfile(counter=COUNTER, test_counter=RACY)
    measured = pytester.run(
        sys.executable, "-m", "coverage", "run", "--include=counter.py", "-m", "pytest", "-q", "--plait",
        "-p", "no:cacheprovider",
    )  # fmt: skip
    assert "1 failed" in measured.stdout.str()
    shown = pytester.run(sys.executable, "-m", "coverage", "report", "-m")
    shown.stdout.fnmatch_lines(["counter.py*100%*"])


PARTS = """
import threading
import unittest

def both(work):
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

class Case(unittest.TestCase):
    def test_passes(self):
        for number in range(2):
            with self.subTest(number=number):
                items = []
                both(lambda: items.append(number))
                self.assertEqual(items, [number, number])
    def test_fails(self):
        for number in range(2):
            with self.subTest(number=number):
                values = [0]
                def work():
                    values[0] = values[0] + number
                both(work)
                self.assertEqual(values[0], 2 * number)
"""


def test_a_part_that_fails_fails_the_test_and_all_parts_together_are_one_account(run):
    done, told = run(test_parts=PARTS)
    assert done.parseoutcomes()["failed"] == 1
    assert {name: (each["ran"], each["outcome"]) for name, each in told.items()} == {
        "test_passes": ("explored", "passed"), "test_fails": ("explored", "failed"),
    }  # fmt: skip
    assert told["test_passes"]["schedules"] > 2


LONG = """
import threading

class Box:
    count = 0

def test_long():
    box = Box()
    def work():
        for _ in range(60_000):
            box.count = box.count + 1
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
"""


def test_a_test_that_is_too_long_for_control_runs_plainly(run):
    done, told = run(test_long=LONG)
    done.assert_outcomes(passed=1)
    (account,) = told.values()
    assert account["ran"] == "OS threads"
    assert account["why"].startswith("it is too long")


STAGES = """
import threading

class Box:
    count = 0

def test_long():
    box = Box()
    def put():
        for _ in range(8_000):
            box.count = box.count + 1
    def get():
        for _ in range(60_000):
            box.count = box.count + 1
    def work():
        put()
        get()
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_what_does_not_end_is_no_different_failure_at_another_limit(run):
    done, told = run(test_long=STAGES)
    done.assert_outcomes(passed=1)
    (account,) = told.values()
    assert (account["ran"], account["why"].partition(":")[0]) == ("OS threads", "it is too long")


PARSES = """
import ast
import gc
import threading

class Left:
    def __init__(self):
        self.itself = self

    def __del__(self):
        ast.parse("x = [1, (2, 3)]")
        Left()

def test_fails():
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    gc.set_threshold(100)
    Left()
    assert False, "as it should"
"""


def test_finalizers_do_not_parse_while_a_report_does(run):
    more = "".join(f"VALUES_{number} = [1, (2, {number}, [3, 4])]\n" for number in range(300))
    done, _told = run(test_left=PARSES + more)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*as it should*"])
    assert "recursion depth mismatch" not in done.stdout.str()


@types.coroutine
def pause():
    yield


async def suspended(itself):
    try:
        await pause()
    finally:
        raise ValueError("closed by the collector")


def leave_a_coroutine():
    itself = []
    coroutine = suspended(itself)
    itself.append(coroutine)
    coroutine.send(None)


@pytest.mark.parametrize(("status", "heard"), [(DIVERGED, 0), (FINISHED_RUN, 1)])
def test_what_a_replay_that_diverged_has_left_is_cleared_away_in_silence(monkeypatch, status, heard):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    monkeypatch.setattr(ENGINE, "status", status)
    trial = object.__new__(ItemTrial)
    trial.left_standing = False
    with unraised(trial):
        leave_a_coroutine()
    gc.collect()
    assert len(told) == heard
    told.clear()


POLLING = """
import threading

class Flag:
    def __init__(self):
        self.up = False
        self.rounds = 0

def test_polling():
    flag = Flag()
    def work():
        while not flag.up:
            flag.rounds = flag.rounds + 1
    thread = threading.Thread(target=work)
    thread.start()
    flag.up = True
    thread.join()
"""


def test_a_schedule_that_is_unfair_to_others_is_no_failure(run):
    done, told = run(test_polling=POLLING)
    done.assert_outcomes(passed=1)
    assert told["test_polling"]["ran"] == "explored"
    assert told["test_polling"]["cut"] > 0
    assert told["test_polling"]["exhausted"] is False
    done.stdout.fnmatch_lines(["cut, because one thread kept all others from running: * schedule*"])


CACHE = """
import signal, threading
idle = []

class Worker:
    def __init__(self):
        self.lock = threading.Lock()
        self.lock.acquire()
        threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        while self.lock.acquire(timeout=60):
            self.job()
            idle.append(self)

def perform(job):
    worker = idle.pop() if idle else Worker()
    worker.job = job
    worker.lock.release()

def test_with_signals():
    signal.alarm(0)
    test_without()

def test_without():
    done = threading.Event()
    perform(done.set)
    assert done.wait(30)
"""


def test_threads_that_a_test_leaves_in_a_module_are_not_found_there_by_the_next_one(run):
    done, told = run("--plait-leftover-threads", "allow", test_cache=CACHE)
    done.assert_outcomes(passed=2)
    assert (told["test_with_signals"]["ran"], told["test_without"]["ran"]) == ("OS threads", "explored")


DYING = """
import gc, threading, weakref

class Node:
    value = 0

    def work(self):
        self.value = 1

def worked():
    node = Node()
    thread = threading.Thread(target=node.work)
    thread.start()
    thread.join()
    return weakref.ref(node)

def test_dies():
    node = worked()
    gc.collect()
    assert node() is None

def test_race():
    numbers = [0]
    def add():
        number = numbers[0]
        numbers[0] = number + 1
    threads = [threading.Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert numbers == [2]
"""


def test_who_waits_for_objects_to_die_needs_os_threads(run):
    done, told = run(test_dying=DYING)
    done.assert_outcomes(passed=1, failed=1)
    assert (told["test_dies"]["ran"], told["test_dies"]["outcome"]) == ("OS threads", "passed")
    assert (told["test_race"]["ran"], told["test_race"]["outcome"]) == ("explored", "failed")


MANY_STEPS = """
import threading

def test_long():
    numbers = []
    thread = threading.Thread(target=lambda: [numbers.append(number) for number in range(30_000)])
    thread.start()
    thread.join()
    assert len(numbers) == 30_000
"""


def test_a_test_of_many_steps_is_explored(run):
    done, told = run("--plait-schedules", "2", test_long=MANY_STEPS)
    done.assert_outcomes(passed=1)
    assert (told["test_long"]["ran"], told["test_long"]["schedules"]) == ("explored", 2)


FULL = """
import queue, threading
import pytest

@pytest.mark.parametrize("expected", [queue.Full])
def test_full(expected):
    items = queue.Queue(maxsize=1)
    errors = []
    def put():
        try:
            items.put_nowait(1)
        except Exception as error:
            errors.append(error)
    threads = [threading.Thread(target=put) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [type(error) for error in errors] == [expected]
"""


def test_exceptions_of_standard_modules_stay_what_they_are(run):
    done, told = run(test_full=FULL)
    done.assert_outcomes(passed=1)
    assert [each["ran"] for each in told.values()] == ["explored"]
