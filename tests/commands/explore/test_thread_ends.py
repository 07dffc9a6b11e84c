"""A thread that dies or is left behind fails its test, unless the test, its project or a setting expects it."""

import json
from pathlib import Path

import pytest

from plait.cli.main import main

PROGRAM = Path(__file__).parents[2] / "explore" / "idioms" / "thread_ends.py"


def accounts(pytester, *options):
    """Run the program under ``pytest --plait``; returns the outcome of each of its tests."""
    pytester.makepyfile(test_thread_ends=PROGRAM.read_text())
    file = pytester.path / "account.json"
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "--plait", "--plait-result", str(file), *options)
    told = json.loads(file.read_text())["tests"]
    return {each["test"].rpartition("::")[2]: each for each in told}


def test_each_end_counts_as_pytest_would_count_it(pytester):
    told = accounts(pytester)
    assert len(told) == 19
    wrong = {name: each["outcome"] for name, each in told.items()
             if (each["outcome"] == "failed") != name.endswith("_fails")}  # fmt: skip
    assert wrong == {}
    assert {each["ran"] for each in told.values()} == {"explored"}


def test_settings_allow_both_ends(pytester):
    options = ("--plait-thread-exceptions", "allow", "--plait-leftover-threads", "allow")
    told = accounts(pytester, *options)
    assert {each["outcome"] for each in told.values()} == {"passed"}


@pytest.mark.parametrize(("test", "code"), [("a_thread_dies_fails", 1), ("warns_by_name", 0)])
def test_the_command_counts_them_too(tmp_path, monkeypatch, capsys, test, code):
    (tmp_path / "test_ends.py").write_text(PROGRAM.read_text())
    monkeypatch.chdir(tmp_path)
    assert main(["explore", f"test_ends.py::test_{test}", "--max-schedules", "5"]) == code
    assert ("raised ValueError: on purpose" in capsys.readouterr().out) == bool(code)


BUFFER = """
import threading

def test_buffer():  # circular_buffer of SCTBench
    lock, items, ready = threading.Lock(), [], [True, False]

    def send():
        for number in range(3):
            with lock:
                if ready[0]:
                    items.append(number)
                    ready[:] = [False, True]

    def receive():
        for number in range(3):
            with lock:
                if ready[1]:
                    assert items.pop() == number
                    ready[:] = [True, False]

    threads = [threading.Thread(target=function) for function in (send, receive)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


@pytest.mark.parametrize("search", ["pos", "random"])
def test_sampling_finds_a_thread_that_dies_in_most_orders(pytester, search):
    pytester.makepyfile(test_buffer=BUFFER)
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--plait", "--plait-schedule", search)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*raised AssertionError*", "Found after ? execution*"])
