"""What tests ask about processes."""

import time
from pathlib import Path


def is_running(pid):
    """Whether there is a process of that number that is not just waiting to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid, within=3.0):
    deadline = time.monotonic() + within
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)
