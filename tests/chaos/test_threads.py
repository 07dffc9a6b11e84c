"""Code that starts threads without end, which the interpreter has no event for: it is ended, or refused more.

The subject stops by itself far beyond the limit, so that a cap that fails does not cost the machine.
"""

import contextlib
import json
import os
import subprocess
import sys
import time

import pytest
from test_check import temporary

from plait.run.native import kernel, process
from processes import descendants_of, gone, tagged

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="nobody counts threads elsewhere")]

BEYOND = 12_000
CROWD = f"""
import ctypes

class Crowd:
    def __init__(self):
        self.n = 0
    def add(self):
        n = self.n
        self.n = n + 1
        return self.n
    def start(self):
        size = ctypes.create_string_buffer(64)
        ctypes.pythonapi.pthread_attr_init(size)
        ctypes.pythonapi.pthread_attr_setstacksize(size, ctypes.c_size_t(16384))
        pause = ctypes.cast(ctypes.pythonapi.pause, ctypes.c_void_p)
        number = ctypes.c_ulong()
        for count in range({BEYOND}):
            if ctypes.pythonapi.pthread_create(ctypes.byref(number), size, pause, None):
                raise MemoryError(f"refused after {{count}}")
        raise RuntimeError("all of them")
"""
TEST = """
import threading
from crowd import Crowd

def test_crowd():
    shared = Crowd()
    threads = [threading.Thread(target=each) for each in (shared.add, shared.start)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
COMMANDS = {
    "check": ["check", "crowd:Crowd", "--workers", "1", "--max-tests", "4", "--allow", "native"],
    "perf": ["perf", "crowd:Crowd", "--old", "dir:old", "--new", "dir:new"],
    "explore": ["explore", "test_crowd.py"],
}


def _threads(pid):
    with contextlib.suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/task"))
    return 0


def test_plait_ends_a_process_before_the_kernel_refuses_it_threads():
    assert kernel.THREADS == 2 * process.THREADS


@pytest.mark.parametrize("command", COMMANDS)
def test_threads_are_limited(command, tmp_path):
    (tmp_path / "crowd.py").write_text(CROWD)
    for version, step in (("old", "n + 1"), ("new", "1 + n")):
        (tmp_path / version).mkdir()
        (tmp_path / version / "crowd.py").write_text(CROWD.replace("n + 1", step))
    (tmp_path / "test_crowd.py").write_text(TEST)
    running = subprocess.Popen(
        [sys.executable, "-m", "plait", *COMMANDS[command], "--budget", "20s", "--json", "result.json"], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary(tmp_path)), "PLAIT_TAG": f"crowd {command}"},
    )  # fmt: skip
    most = 0
    while running.poll() is None:
        most = max([most, *map(_threads, descendants_of(running.pid))])
        time.sleep(0.01)
    said = running.stdout.read()
    running.stdout.close()
    assert gone(*tagged(f"crowd {command}"), within=5.0)
    assert "[plait bug]" not in said
    assert running.returncode in (0, 1, 2, 3), said
    assert most < BEYOND, said
    assert "all of them" not in said
    if command == "check":  # the method beside it is tested all the same
        found = json.loads((tmp_path / "result.json").read_text())["findings"]
        assert any(each["methods"] == ["Crowd.add"] for each in found), said
