"""kill -9 of plait: no process that it has started goes on, whatever command it was and whatever its code does.

The code under test blocks all signals and takes back what would end it with its parent, then computes for ever.
``PLAIT_LONG=1`` kills each command at 25 moments more, else at one.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from test_check import temporary

from processes import descendants_of, gone, tagged, used

pytestmark = [
    pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes look for their parent")
]  # fmt: skip

MOMENTS = 25 if os.environ.get("PLAIT_LONG") == "1" else 1
ORPHAN_S = 5.0
BUSY_S = 1.5  # of processor time: a process that has used more is in the code under test

STUBBORN = """
import contextlib, ctypes, fcntl, signal, threading

def stay():
    with contextlib.suppress(BaseException):
        ctypes.pythonapi.prctl(1, 0, 0, 0, 0)
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETFL, 0)
    with contextlib.suppress(BaseException):
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    exec(compile("while True: pass", "loop", "exec"))

class Stubborn:
    def __init__(self):
        self.n = 0
    def add(self):
        self.n += 1
        return self.n
    def stay(self):
        stay()
"""
TEST = """
import threading
from stubborn import Stubborn

def test_{name}():
    shared = Stubborn()
    threads = [threading.Thread(target=each) for each in (shared.add, shared.stay)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
COMMANDS = {
    "check": ["check", "stubborn:Stubborn", "--workers", "2", "--budget", "100s"],
    "diff": ["diff", "stubborn:Stubborn", "--old", "dir:old", "--new", "dir:new", "--budget", "100s"],
    "perf": ["perf", "stubborn:Stubborn", "--old", "dir:old", "--new", "dir:new", "--budget", "100s"],
    "explore": ["explore", "test_stubborn.py::test_one", "--budget", "100s"],
    "explore in parallel": ["explore", "test_stubborn.py", "--workers", "2", "--budget", "100s"],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stubborn")
    (folder / "stubborn.py").write_text(STUBBORN)
    for version, step in (("old", "self.n += 1"), ("new", "self.n = self.n + 1; stay()")):
        (folder / version).mkdir()
        (folder / version / "stubborn.py").write_text(STUBBORN.replace("self.n += 1", step))
    (folder / "test_stubborn.py").write_text(TEST.format(name="one") + TEST.format(name="two"))
    return folder


def start(command, folder, tag):
    return subprocess.Popen(
        [sys.executable, "-m", "plait", *COMMANDS[command]], cwd=folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary(folder)), "PLAIT_TAG": tag},
    )  # fmt: skip


def ends_all(process, tag):
    """Kill the parent; whether everything that it had started ends too."""
    others = {*descendants_of(process.pid), *tagged(tag)} - {process.pid}
    process.kill()
    process.wait()
    try:
        return gone(*others, *tagged(tag), within=ORPHAN_S) and not tagged(tag)
    finally:
        for pid in tagged(tag):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_outlives_the_command(command, project):
    process = start(command, project, f"busy {command}")
    begun = time.monotonic()
    while not any(used(pid) > BUSY_S for pid in descendants_of(process.pid)):
        assert process.poll() is None
        time.sleep(0.03)
    seconds = time.monotonic() - begun
    assert ends_all(process, f"busy {command}")
    dice = random.Random(command)
    for number in range(MOMENTS):
        process = start(command, project, f"{number} {command}")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(dice.uniform(0.02, 1.2) * seconds)
        assert ends_all(process, f"{number} {command}"), number


def test_what_code_under_test_was_allowed_to_start_ends_too(tmp_path):
    (tmp_path / "starter.py").write_text(
        "import subprocess\n\nclass Starter:\n    def start(self):\n"
        "        return subprocess.Popen(['sleep', '600']).pid > 0\n    def wait(self):\n"
        "        exec(compile('while True: pass', 'loop', 'exec'))\n"
    )
    command = ["check", "starter:Starter", "--allow", "subprocess", "--budget", "100s", "--workers", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "plait", *command], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, env={**os.environ, "TMPDIR": str(temporary(tmp_path)), "PLAIT_TAG": "starter"},
    )  # fmt: skip
    while not [pid for pid in tagged("starter") if _name(pid) == "sleep"]:
        assert process.poll() is None
        time.sleep(0.03)
    assert ends_all(process, "starter")


def _name(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/comm") as file:
        return file.read().strip()
    return ""
