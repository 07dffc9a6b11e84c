"""Whatever a task does to its process, the campaign is told and goes on."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import CancelledError
from pathlib import Path

import pytest
import worker_tasks as tasks

from plait.errors import PlaitBugError, UsageError
from plait.run.native.process import memory_share
from plait.workers import pool
from plait.workers.pool import Worker, WorkerCrashed, WorkerHung, Workers
from plait.workers.protocol import WorkerSpec
from processes import gone, is_running

LONG = 60.0
HERE = str(Path(__file__).parent)


def value(workers, task, *args, timeout=LONG):
    return workers.submit(task, *args, timeout=timeout).result().value


def failure(workers, task, *args, timeout=LONG):
    error = workers.submit(task, *args, timeout=timeout).exception()
    assert error is not None
    assert value(workers, tasks.echo, "next") == "next"
    return error


def test_values_come_back(workers):
    plain = {"a": [1, 2.5, None, True, b"x", {3}, frozenset({4}), (5,)], "path": Path("/x")}
    assert value(workers, tasks.echo, plain) == plain


def test_answers_belong_to_their_tasks(workers):
    futures = [workers.submit(tasks.echo, number, timeout=LONG) for number in range(50)]
    assert [future.result().value for future in futures] == list(range(50))


@pytest.mark.parametrize("code", [0, 1, 3, 255])
def test_exit(workers, code):
    error = failure(workers, tasks.exit_with, code)
    assert isinstance(error, WorkerCrashed)
    assert error.exit_code == code
    assert str(error) == f"the process ended with exit code {code}"


@pytest.mark.parametrize(
    ("task", "args", "number"),
    [
        (tasks.abort, (), signal.SIGABRT),
        (tasks.segfault, (), signal.SIGSEGV),
        (tasks.signal_self, (signal.SIGTERM,), signal.SIGTERM),
        (tasks.signal_self, (signal.SIGKILL,), signal.SIGKILL),
        pytest.param(
            tasks.overflow_the_stack,
            (),
            signal.SIGSEGV,
            marks=pytest.mark.skipif(sys.version_info >= (3, 12), reason="the C stack is guarded"),
        ),
    ],  # fmt: skip
    ids=["abort", "segfault", "SIGTERM", "SIGKILL", "stack"],
)
def test_death_by_signal(workers, task, args, number):
    error = failure(workers, task, *args)
    assert isinstance(error, WorkerCrashed)
    assert error.signal == number
    assert error.reason.startswith(f"killed by {signal.Signals(number).name}")
    assert not error.outside


def test_a_crash_tells_where_and_what(workers):
    error = failure(workers, tasks.note_and_die, {"prefix": ["x = X()"], "suffixes": [["x.clear()"]]})
    assert error.note == {"prefix": ["x = X()"], "suffixes": [["x.clear()"]]}
    assert error.output == "last words\n"
    assert error.where.startswith("worker_tasks.py:")
    assert error.where.endswith("in note_and_die")


def test_closed_descriptors_end_the_worker(workers):
    assert isinstance(failure(workers, tasks.close_descriptors), WorkerCrashed)


def test_memory_is_limited(workers):
    error = failure(workers, tasks.exhaust_memory)
    assert isinstance(error, WorkerCrashed)
    assert error.reason == "out of memory"


def test_size_is_looked_at_between_short_orders(monkeypatch):
    with Workers(WorkerSpec(), count=1) as workers:
        assert value(workers, tasks.echo, 1) == 1
        monkeypatch.setattr(pool, "excess", lambda *_args: "too large")
        workers._slots[0]._worker._looked -= 1
        error = workers.submit(tasks.echo, 2, timeout=LONG).exception()
    assert isinstance(error, WorkerCrashed)
    assert error.reason == "too large"


def test_limits_by_default():
    with Workers(WorkerSpec(), count=1) as workers:
        found = value(workers, tasks.limits)
    assert set(found["core"]) <= {0, 1}  # 1: nor is one given to a program, see `forbid_cores`
    assert found["data"][0] == memory_share(1)
    assert memory_share(2) == memory_share(1) // 2 > 1 << 26


@pytest.mark.parametrize("task", [tasks.loop, tasks.loop_in_c, tasks.loop_deaf, tasks.stop_self])
def test_hang(workers, task):
    pid = value(workers, tasks.pid)
    started = time.monotonic()
    error = workers.submit(task, timeout=0.7).exception()
    assert time.monotonic() - started < LONG
    assert isinstance(error, WorkerHung)
    assert error.seconds == 0.7
    assert error.where.endswith(f"in {task.__name__}") or task is tasks.stop_self
    assert gone(pid)
    assert value(workers, tasks.echo, "next") == "next"


def test_a_task_that_takes_notes_may_take_long(workers):
    assert workers.submit(tasks.note_slowly, 8, 0.2, "nothing", timeout=LONG, stall=0.6).result().value == 8


def test_a_process_that_does_not_get_the_processor_does_not_hang(workers, monkeypatch):
    monkeypatch.setattr(Worker, "_status", lambda _self: ("R", 0.0))
    assert workers.submit(tasks.note_slowly, 1, 1.0, "nothing", timeout=LONG, stall=0.3).result().value == 1
    monkeypatch.setattr(Worker, "_status", lambda _self: ("S", 0.0))
    assert isinstance(
        workers.submit(tasks.note_slowly, 1, 5.0, "nothing", timeout=LONG, stall=0.3).exception(), WorkerHung
    )


def test_a_process_whose_other_threads_compute_does_not_wait(workers, monkeypatch):
    states, status = [], Worker._status

    def noted(worker):
        states.append(status(worker))
        return states[-1]

    monkeypatch.setattr(Worker, "_status", noted)
    assert value(workers, tasks.compute_beside, 0.5) == 1
    assert "R" in {state for state, _used in states}


@pytest.mark.parametrize("last", ["loop", "loop_in_c"])
def test_a_task_without_another_note_hangs(workers, last, monkeypatch):
    pid, status, used = value(workers, os.getpid), Worker._status, []

    def noted(worker):
        state, seconds = status(worker)
        if worker._process.pid == pid:
            used.append(seconds)
        return state, seconds

    monkeypatch.setattr(Worker, "_status", noted)
    error = workers.submit(tasks.note_slowly, 3, 0.1, last, timeout=LONG, stall=0.5).exception()
    assert isinstance(error, WorkerHung)
    assert gone(pid)
    assert value(workers, tasks.echo, "next") == "next"
    assert 0 < max(used) < 3  # of processor time: it was ended, and soon; a busy machine does not make it longer
    assert error.seconds == 0.5
    assert error.note == {"number": 2}
    assert error.where.endswith(f"in {last}")


def test_time_spent_starting_does_not_count():
    with Workers(WorkerSpec(), count=1) as workers:
        assert value(workers, tasks.echo, 1, timeout=1.0) == 1


@pytest.mark.parametrize("how", ["abort", "loop", "exhaust_memory"])
def test_a_lost_task_is_tried_again(how, tmp_path):
    with Workers(WorkerSpec(allow=frozenset({"write"}), memory_limit=1 << 29), count=1) as workers:
        marker = str(tmp_path / "marker")
        timeout = 1.0 if how == "loop" else LONG
        assert workers.attempt(tasks.fail_once, marker, how, timeout=timeout).result().value == "second time"
        (tmp_path / "marker").unlink()
        error = workers.submit(tasks.fail_once, marker, how, timeout=timeout).exception()
    assert isinstance(error, WorkerHung if how == "loop" else WorkerCrashed)


def test_a_task_that_always_crashes_is_reported(workers):
    assert isinstance(workers.attempt(tasks.abort, timeout=LONG).exception(), WorkerCrashed)
    assert value(workers, tasks.echo, 1) == 1


def test_an_idle_worker_may_be_killed(workers):
    os.kill(value(workers, tasks.pid), signal.SIGKILL)
    assert value(workers, tasks.echo, 1) == 1
    os.kill(value(workers, tasks.pid), signal.SIGKILL)
    time.sleep(0.4)
    assert value(workers, tasks.echo, 2) == 2


def test_a_busy_worker_killed_from_outside_costs_no_try(workers):
    pid = value(workers, tasks.pid)
    future = workers.submit(tasks.sleep, 1.5, timeout=LONG)
    time.sleep(0.2)
    os.kill(pid, signal.SIGKILL)
    assert future.result().value != pid


def test_a_queued_task_can_be_cancelled(workers):
    running = workers.submit(tasks.sleep, 1.0, timeout=LONG)
    waiting = workers.submit(tasks.echo, 1, timeout=LONG)
    assert waiting.cancel()
    running.result()
    dropped = [workers.submit(tasks.sleep, 0.5, timeout=LONG) for _ in range(3)]
    workers.drop()
    assert all(future.cancelled() for future in dropped[1:])


# -- the end --------------------------------------------------------------------------------------------------------


@pytest.fixture
def own_temporary(tmp_path, monkeypatch):
    """A temporary folder that nobody else uses."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_close_leaves_nothing(own_temporary):
    workers = Workers(WorkerSpec(), count=2)
    pids = {value(workers, tasks.sleep, 0.1) for _ in range(2)}
    busy = workers.submit(tasks.loop_deaf, timeout=LONG)
    queued = [workers.submit(tasks.loop, timeout=LONG) for _ in range(4)]
    time.sleep(0.3)
    started = time.monotonic()
    workers.close()
    workers.close()
    assert time.monotonic() - started < LONG
    assert gone(*pids)
    for future in (busy, *queued):
        with pytest.raises(CancelledError):
            future.result(timeout=1)
    assert list(own_temporary.iterdir()) == []
    with pytest.raises(RuntimeError):
        workers.submit(tasks.echo, 1, timeout=1)


def test_close_while_starting(own_temporary):
    Workers(WorkerSpec(), count=2).close()
    assert list(own_temporary.iterdir()) == []


PARENT = """
import sys, time
sys.path.insert(0, {here!r})
import worker_tasks as tasks
from plait.workers.protocol import WorkerSpec
from plait.workers.pool import Workers
workers = Workers(WorkerSpec(), count=2)
pids = set()
while len(pids) < 2:
    pids |= {{each.result().value for each in [workers.submit(tasks.sleep, 0.1, timeout=60) for _ in range(2)]}}
for task in (tasks.loop_in_c, tasks.loop_deaf):
    workers.submit(task, timeout=60)
time.sleep(0.3)
print(*pids, flush=True)
{rest}
"""


def parent(rest, **named):
    """A campaign's process without a guard around its main code, and the numbers of its two workers."""
    script = PARENT.format(here=HERE, rest=rest)
    process = subprocess.Popen([sys.executable, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **named)
    process.stdin.write(script)
    process.stdin.close()
    return process, [int(word) for word in process.stdout.readline().split()]


def test_workers_die_with_their_parent():
    process, pids = parent("time.sleep(60)")
    assert len(pids) == 2
    assert all(is_running(pid) for pid in pids)
    process.kill()
    process.wait()
    process.stdout.close()
    assert all(gone(pid) for pid in pids)


def test_workers_end_when_their_parent_forgets_them():
    process, pids = parent("sys.exit(7)")
    assert process.wait(timeout=60) == 7
    process.stdout.close()
    assert all(gone(pid) for pid in pids)


def test_an_interrupt_at_the_terminal_does_not_reach_workers():
    rest = "import signal\nsignal.signal(signal.SIGINT, lambda *_: None)\ntime.sleep(60)"
    process, pids = parent(rest, start_new_session=True)
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(0.3)
    assert all(is_running(pid) for pid in pids)
    process.kill()
    process.wait()
    process.stdout.close()


SCRIPT = """
import sys
sys.path.insert(0, {here!r})
import worker_tasks as tasks
from plait.workers.protocol import WorkerSpec
from plait.workers.pool import Workers
print("main runs")
with Workers(WorkerSpec(), count=1) as workers:
    print(workers.submit(tasks.echo, "answer", timeout=60).result().value)
"""


def test_the_main_module_is_not_run_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(here=HERE))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "main runs\nanswer\n"
    assert done.stderr == ""


# -- isolation ------------------------------------------------------------------------------------------------------


def test_secrets_stay_outside_and_hashes_are_fixed(monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "hidden-value")
    monkeypatch.setenv("DATABASE_URL", "postgres://me:hidden-value@host/db")
    for name in ("DB_PWD", "SSHPASS", "JWT", "KEYBOARD", "PLAIT_TOKEN"):
        monkeypatch.setenv(name, "hidden-value")
    monkeypatch.setenv("PLAIT_PAPER", "kept-value")
    monkeypatch.setenv("ASKED", "asked-value")
    with Workers(WorkerSpec(allow=frozenset({"env:ASKED", "env:ABSENT"})), count=1) as workers:
        number, randomised, environment = value(workers, tasks.hashes)
    assert b"hidden-value" not in environment
    assert b"PLAIT_PAPER=kept-value" in environment
    assert b"ASKED=asked-value" in environment
    assert os.environ["GITHUB_TOKEN"] == "hidden-value"
    assert os.environ.get("PYTHONHASHSEED") is None or os.environ["PYTHONHASHSEED"] != "0"
    seeded = subprocess.run(
        [sys.executable, "-c", "print(hash('plait'))"], env={**os.environ, "PYTHONHASHSEED": "0"}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert number == int(seeded.stdout)
    assert not randomised


def test_surroundings_are_put_back(workers):
    before = value(workers, tasks.surroundings)
    assert before["files"] == []
    answer = workers.submit(tasks.disturb_everything, timeout=LONG).result()
    assert value(workers, tasks.surroundings) == before
    assert set(answer.changed) == {
        "timer", "signal mask", "handler of SIGALRM", "handler of SIGTERM", "working folder", "umask",
        "environment: NEW, PATH", "sys.stdout", "sys.excepthook", "recursion limit", "trace function", "import path",
    }  # fmt: skip


def test_a_task_may_remove_its_folder(workers):
    value(workers, tasks.remove_own_folder)
    assert value(workers, tasks.surroundings)["files"] == []


def test_flooding_keeps_the_end(workers):
    started = time.monotonic()
    answer = workers.submit(tasks.flood, 30, timeout=LONG).result()
    assert answer.output.endswith("y\nthe end\n")
    assert len(answer.output) < 10_000
    assert "bytes left out" in answer.output
    assert time.monotonic() - started < LONG
    assert workers.submit(tasks.echo, 1, timeout=LONG).result().output == ""


def test_output_can_be_closed(workers):
    value(workers, tasks.close_stdout)
    assert workers.submit(tasks.flood, 0, timeout=LONG).result().output == "the end\n"


def test_a_worker_with_threads_left_behind_is_replaced(workers):
    pid = value(workers, tasks.leave_thread)
    assert value(workers, tasks.pid) != pid
    assert gone(pid)


def test_code_under_test_does_not_travel_back(workers):
    error = workers.submit(tasks.subject_instance, timeout=LONG).exception()
    assert isinstance(error, PlaitBugError)
    assert "json.tool.Colour" in str(error)
    assert "not plain data" in str(error)
    assert isinstance(workers.submit(tasks.unpicklable, timeout=LONG).exception(), PlaitBugError)
    assert value(workers, tasks.echo, 1) == 1


def test_a_task_that_raises_is_a_bug(workers):
    error = workers.submit(tasks.raise_value_error, timeout=LONG).exception()
    assert isinstance(error, PlaitBugError)
    assert "ValueError" in str(error)
    assert "of the task" in str(error)


def test_a_worker_knows_nothing_of_its_parents_main_module(workers):
    assert "pytest" not in value(workers, tasks.modules)


def test_children_of_workers():
    with Workers(WorkerSpec(allow=frozenset({"subprocess"})), count=1) as workers:
        pid = value(workers, tasks.fork_and_return)
        assert value(workers, tasks.pid) == pid
        child = value(workers, tasks.leave_process)
        assert is_running(child)
    assert gone(child)


# -- subjects that cannot be used -----------------------------------------------------------------------------------

UNUSABLE = {
    "absent": (None, "there is no module 'absent'; say with --path where absent is imported from"),
    "needy": (
        "import not_there",
        "needy cannot be imported: it needs 'not_there', which is not installed ({root}/needy.py:1)",
    ),
    "broken": ("x = (\n", "broken cannot be read by Python {python}: {root}/broken.py:1: '(' was never closed"),
    "raising": ("\n1/0\n", "raising cannot be imported: ZeroDivisionError: division by zero ({root}/raising.py:2)"),
    "quitting": ("import sys\nsys.exit('no')", "quitting cannot be imported: SystemExit: no ({root}/quitting.py:2)"),
    "wordy": ("raise ValueError('a\\nb\\n' * 2)", "wordy cannot be imported: ValueError: a b a b ({root}/wordy.py:1)"),
    "nameless": ("class Thing: pass", "nameless has no 'Thingy'; did you mean Thing?"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_unusable_subjects_are_told_in_one_line(name, tmp_path):
    source, expected = UNUSABLE[name]
    if source is not None:
        (tmp_path / f"{name}.py").write_text(source)
    spec = WorkerSpec(module=name, qualname="Thingy", roots=(tmp_path,))
    python = ".".join(map(str, sys.version_info[:2]))
    with Workers(spec, count=1) as workers:
        for _ in range(2):
            error = workers.submit(tasks.name_of_subject, timeout=LONG).exception()
            assert isinstance(error, UsageError)
            assert str(error) == expected.format(root=tmp_path, python=python)


@pytest.mark.parametrize(("rewritten", "lock"), [(True, "_thread.Lock"), (False, "_thread.lock")])
@pytest.mark.parametrize("by_file", [True, False])
def test_code_is_rewritten_or_as_it_is(tmp_path, by_file, rewritten, lock):
    (tmp_path / "locked.py").write_text("import threading\n\nclass A:\n    lock = threading.Lock()\n")
    file = tmp_path / "locked.py" if by_file else None
    spec = WorkerSpec(module="locked", qualname="A", file=file, roots=(tmp_path,), rewritten=rewritten)
    with Workers(spec, count=1) as workers:
        assert value(workers, tasks.lock_of_subject) == lock


def test_an_import_that_kills(tmp_path):
    (tmp_path / "deadly.py").write_text("import os\nos._exit(4)\n")
    with Workers(WorkerSpec(module="deadly", roots=(tmp_path,)), count=1) as workers:
        error = workers.attempt(tasks.name_of_subject, timeout=LONG).exception()
    assert isinstance(error, WorkerCrashed)
    assert str(error) == "the process ended with exit code 4 while the subject was imported"


def test_an_import_that_hangs(tmp_path):
    (tmp_path / "endless.py").write_text("while True: pass\n")
    with Workers(WorkerSpec(module="endless", roots=(tmp_path,), load_timeout=2.0), count=1) as workers:
        error = workers.submit(tasks.name_of_subject, timeout=LONG).exception()
    assert isinstance(error, WorkerHung)
    assert error.where == "endless.py:1 in <module>"
