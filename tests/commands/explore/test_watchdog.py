"""Whatever a test waits for, it comes to an end, with a verdict."""

import json
import textwrap
from pathlib import Path

import pytest

from plait.cli.main import main
from plait.run.native.stillness import waits

PROGRAM = Path(__file__).parents[2] / "explore" / "idioms" / "budget.py"


def account(pytester, chosen, seconds):
    """What is told of some tests of the program, each of which has so many seconds."""
    pytester.makepyfile(test_budget=PROGRAM.read_text())
    file = pytester.path / "account.json"
    options = ("--plait-seconds", seconds, "--plait-schedules", "5", "--plait-result", str(file))
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--plait", "-k", chosen, *options, timeout=300)
    return done, {each["test"].rpartition("::")[2]: each for each in json.loads(file.read_text())["tests"]}


def test_what_ends_passes(pytester):
    _done, told = account(pytester, "not _fails", "60")
    assert [each["outcome"] for each in told.values()] == ["passed"] * 3


def test_what_never_ends_fails(pytester):
    done, told = account(pytester, "_fails", "4")
    assert [each["outcome"] for each in told.values()] == ["failed"] * 4
    assert told["test_polling_a_flag_that_nobody_sets_fails"]["ran"] == "explored"
    assert told["test_a_pipe_that_nobody_writes_to_fails"]["ran"] == "explored"
    assert told["test_a_pipe_that_nobody_writes_to_fails"]["failure"]["kind"] == "deadlock"
    done.stdout.fnmatch_lines(["*something on a socket or pipe*"])


ORDER = """
    import faulthandler
    import plait.scenario

    def noted(name, call):
        def calling(*args, **options):
            with open("order.txt", "a") as file:
                print(name, file=file)
            return call(*args, **options)
        return calling

    faulthandler.cancel_dump_traceback_later = noted("disarmed", faulthandler.cancel_dump_traceback_later)
    plait.scenario.story = noted("reported", plait.scenario.story)
"""


def test_a_failure_is_reported_out_of_reach_of_the_last_resort(pytester):
    pytester.makeconftest(textwrap.dedent(ORDER))
    pytester.makepyfile("import threading\ndef test_fails():\n    threading.Thread(target=lambda: 1 / 0).start()\n")
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "--plait", timeout=120).assert_outcomes(failed=1)
    order = (pytester.path / "order.txt").read_text().split()
    assert order.index("disarmed") < order.index("reported")


BLOCKED = """
    import ctypes, itertools, threading

    def test_waits():
        libc = ctypes.CDLL(None)
        mutex = ctypes.create_string_buffer(64)
        libc.pthread_mutex_lock(mutex)
        thread = threading.Thread(target=libc.pthread_mutex_lock, args=(mutex,))
        thread.start()
        thread.join()

    def test_computes():
        thread = threading.Thread(target=sum, args=(itertools.count(),))
        thread.start()
        thread.join()
"""


@pytest.mark.parametrize(("test", "code", "said"), [
    ("waits", 1, "hangs: it has not ended within its budget"), ("computes", 3, "computes on and on"),
])  # fmt: skip
def test_c_code_that_cannot_be_interrupted_is_killed(tmp_path, monkeypatch, capsys, test, code, said):
    (tmp_path / "test_blocked.py").write_text(textwrap.dedent(BLOCKED))
    monkeypatch.chdir(tmp_path)
    assert main(["explore", f"test_blocked.py::test_{test}", "--budget", "6s"]) == code
    assert said in capsys.readouterr().out


def test_this_process_does_not_wait():
    assert waits() is False


SLOW = """
    import subprocess, sys
    import pytest

    @pytest.fixture
    def made(tmp_path):
        yield tmp_path / "made"
        (tmp_path / "made").unlink()

    def test_slow(made):
        subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"])
        made.write_text("at last")
"""


def test_who_waits_for_another_process_does_not_hang(pytester):
    pytester.makepyfile(textwrap.dedent(SLOW))
    file = pytester.path / "account.json"
    options = ("--plait-seconds", "2", "--plait-schedules", "2", "--plait-result", str(file))
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "--plait", *options, timeout=120)
    (told,) = json.loads(file.read_text())["tests"]
    assert told["outcome"] == "skipped"
    assert "it has not ended on OS threads" in told["why"]
