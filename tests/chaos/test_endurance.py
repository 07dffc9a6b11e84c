"""kill -9, a full disk and a read-only folder, at random moments of `plait check`.

What was kept stays kept, what is found is told although it cannot be kept, nothing runs on, and the next run is clean.
``PLAIT_LONG=1`` tries 100 and 20 moments, else a few.
"""

import contextlib
import ctypes
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from test_check import SUBJECTS, temporary
from test_kill import made_older
from test_kill_check import causes_of, kept

from processes import children_of, gone, tagged, workers_of

pytestmark = pytest.mark.slow

LONG = os.environ.get("PLAIT_LONG") == "1"
KILLS, FILLINGS = (100, 20) if LONG else (3, 1)
TESTS = 80
ORPHAN_S = 5.0
DISK = 1 << 21


def start(folder, result, tag):
    command = [
        sys.executable, "-m", "plait", "check", "ledger:Ledger", "--path", str(SUBJECTS), "--workers", "2",
        "--max-tests", str(TESTS), "--json", str(result),
    ]  # fmt: skip
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary(result.parent)), "PLAIT_TAG": tag},
    )  # fmt: skip


def finish(process, result):
    """What a campaign says, and the causes that it has found, once it comes to its end."""
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 1, said
    return said, causes_of(json.loads(result.read_text())["findings"])


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The causes that are found, and the seconds that it takes here and now."""
    folder = tmp_path_factory.mktemp("undisturbed")
    begun = time.monotonic()
    _, found = finish(start(folder, folder / "result.json", "undisturbed"), folder / "result.json")
    assert len(found) >= 3
    assert kept(folder) == found
    return found, time.monotonic() - begun


def test_killed_at_random_moments(undisturbed, tmp_path):
    causes, seconds = undisturbed
    dice = random.Random(23)
    known, result, killed, early = set(), tmp_path / "result.json", 0, 0
    for number in range(KILLS):
        if number % 10 == 0:
            folder = tmp_path / f"{number}"  # a fresh store: a warm one ends at once
            folder.mkdir()
            known = set()
        process = start(folder, result, f"{number}")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(dice.uniform(0.05, 1.1) * seconds)
        victims = [process.pid] if dice.random() < 0.6 else workers_of(process.pid)
        victims += list(children_of(process.pid)) if dice.random() < 0.2 else []
        others = tagged(f"{number}")
        for victim in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                killed += 1
        if process.pid in victims:
            early += process.wait() == -signal.SIGKILL
            process.stdout.close()
            assert gone(*others, *tagged(f"{number}"), within=ORPHAN_S)
        else:
            said, found = finish(process, result)
            assert found == causes, (number, said)
        assert tagged(f"{number}") == []
        found = kept(folder)
        assert known <= found, number
        known = found
        if number % 10 == 9 or number == KILLS - 1:
            made_older(temporary(result.parent))
            said, found = finish(start(folder, result, "last"), result)
            assert found == causes, said
            assert kept(folder) == causes
            assert "damaged" not in said
            assert list(temporary(result.parent).iterdir()) == []
    print(f"{killed} processes killed at {KILLS} moments, {early} campaigns ended by it, {seconds:.1f} s each")
    assert killed >= KILLS // 3


@contextlib.contextmanager
def small_disk(folder):
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() or libc.mount(b"plait", os.fsencode(folder), b"tmpfs", 0, f"size={DISK}".encode()):
        pytest.skip("mounting a small disk needs root")
    try:
        yield lambda flags: libc.mount(b"plait", os.fsencode(folder), b"tmpfs", 0x20 | flags, f"size={DISK}".encode())
    finally:
        libc.umount2(os.fsencode(folder), 2)


def fill(file):
    with file.open("wb", buffering=0) as opened, contextlib.suppress(OSError):
        while True:
            opened.write(bytes(512))


def test_a_disk_that_is_full_from_some_moment_on(undisturbed, tmp_path):
    causes, seconds = undisturbed
    dice = random.Random(24)
    result, folder = tmp_path / "result.json", tmp_path / "disk"
    folder.mkdir()
    told = 0
    for number in range(FILLINGS):
        with small_disk(folder):
            process = start(folder, result, f"full {number}")
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(dice.uniform(0.0, 0.9) * seconds)
            before = kept(folder) if dice.random() < 0.5 else set()
            fill(folder / "filler")
            said, found = finish(process, result)
            told += "kept" in said or "cannot be written" in said
            assert found == causes, said
            assert gone(*tagged(f"full {number}"), within=ORPHAN_S)
            (folder / "filler").unlink()
            assert before <= kept(folder)
            said, found = finish(start(folder, result, "after"), result)
            assert found == causes, said
            assert kept(folder) == causes
            assert "damaged" not in said
    print(f"{FILLINGS} full disks, {told} campaigns said so")


def test_a_folder_that_cannot_be_written(undisturbed, tmp_path):
    causes, _ = undisturbed
    result, folder = tmp_path / "result.json", tmp_path / "disk"
    folder.mkdir()
    with small_disk(folder) as remount:
        assert remount(1) == 0
        said, found = finish(start(folder, result, "read-only"), result)
        assert found == causes, said
        assert "nothing is kept" in said
        assert remount(0) == 0
        said, found = finish(start(folder, result, "writable"), result)
        assert found == causes
        assert kept(folder) == causes
