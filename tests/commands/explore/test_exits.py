"""A test that ends by `SystemExit`: pytest fails it, so does every schedule that does."""

import pytest

from in_process import plait
from plait.commands.explore import command

TEST = """
import sys, threading

class Counter:
    def __init__(self):
        self.n = 0
    def add(self):
        n = self.n
        self.n = n + 1

def test_counter():
    shared = Counter()
    threads = [threading.Thread(target=shared.add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    {end}
"""


@pytest.mark.slow
def test_an_exit_of_the_test_itself_is_a_failure(tmp_path):
    (tmp_path / "test_exit.py").write_text(TEST.replace("{end}", "shared.n == 2 or sys.exit(0)"))
    done = plait(tmp_path, "explore", "test_exit.py", "--max-schedules", "30", "--budget", "60s")
    assert done.returncode == 1
    assert "SystemExit" in done.stdout


@pytest.mark.slow
def test_an_exit_of_one_of_its_threads_is_none(tmp_path):
    end = "last = threading.Thread(target=sys.exit)\n    last.start()\n    last.join()"
    (tmp_path / "test_exit.py").write_text(TEST.replace("{end}", end))
    done = plait(tmp_path, "explore", "test_exit.py", "--max-schedules", "30", "--budget", "60s")
    assert done.returncode == 0


@pytest.mark.slow
def test_a_collection_without_end_ends_with_the_budget(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "_IMPORTING", 0.0)
    (tmp_path / "conftest.py").write_text("while True: pass\n")
    (tmp_path / "test_exit.py").write_text(TEST.replace("{end}", "pass"))
    done = plait(tmp_path, "explore", "test_exit.py", "--budget", "3s")
    assert done.returncode == 2
    assert "pytest has not begun with any test within 3 s" in done.stderr
