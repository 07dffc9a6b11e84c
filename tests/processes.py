"""What tests ask about processes. Whoever waits for one waits long: on a busy machine a moment takes its time."""

import contextlib
import os
import time
from pathlib import Path


def is_running(pid):
    """Whether there is a process of that number that is not just waiting to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(*pids, within=60.0):
    """Whether these processes have ended, now or soon."""
    deadline = time.monotonic() + within
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(is_running, pids))


def children_of(pid):
    """The processes that a process has started, and their command lines."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == pid:
                    found[int(entry.name)] = (entry / "cmdline").read_bytes()
            except (OSError, IndexError):
                continue
    return found


def descendants_of(pid):
    """The processes below a process."""
    found, waiting = [], [pid]
    while waiting:
        below = list(children_of(waiting.pop()))
        found += below
        waiting += below
    return found


def tagged(tag):
    """The processes of a campaign, whoever their parents are now, by a variable of their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if f"PLAIT_TAG={tag}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


def workers_of(pid):
    """The worker processes of a campaign: children of the server that forks them."""
    servers = [child for child, command in children_of(pid).items() if b"forkserver" in command]
    return [worker for server in servers for worker in children_of(server)]


def used(pid):
    """The seconds of processor time of a process and of its children that have ended."""
    try:
        numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
    except OSError:
        return 0.0
    return sum(map(int, numbers)) / os.sysconf("SC_CLK_TCK")


def used_by_all(pid):
    """The processor time of a campaign."""
    return sum(map(used, [pid, *children_of(pid), *workers_of(pid)]))
