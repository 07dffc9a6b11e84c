"""Once: finish, report, keep. Twice: leave at once."""

import signal
import subprocess
import sys
import threading

import pytest

from plait.commands.interrupt import Interrupt

PROGRAM = """
import sys, time
from pathlib import Path
from plait.commands.interrupt import Interrupt
from plait.store.database import Store

with Interrupt() as interrupt, Store(Path(sys.argv[1])) as store:
    store.remember("m:C", {"0": {"number": 0}})
    print("ready", flush=True)
    number = 1
    while not interrupt.requested or sys.argv[2] == "deaf":
        store.remember("m:C", {str(number): {"number": number}})
        number += 1
    print("report", number, flush=True)
sys.exit(130)
"""


def start(folder, kind):
    command = [sys.executable, "-c", PROGRAM, str(folder), kind]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once(tmp_path, number):
    process = start(tmp_path, "listening")
    process.send_signal(number)
    output, errors = process.communicate(timeout=120)
    assert output.startswith("report ")
    assert errors == "plait: finishing; interrupt again to leave at once\n"
    assert process.returncode == 130


def test_twice(tmp_path):
    from plait.store.database import Store

    process = start(tmp_path, "deaf")
    process.send_signal(signal.SIGINT)
    assert "interrupt again" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=120)
    assert output == ""
    assert process.returncode == 130
    with Store(tmp_path) as store:
        assert store.messages == []
        assert store.explored("0") == {"number": 0}
        assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_what_was_there_before_comes_back():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with Interrupt() as interrupt:
        assert not interrupt.requested
        assert signal.getsignal(signal.SIGINT) == interrupt._on_signal
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_other_threads_cannot_listen_and_do_not_fail():
    seen = []

    def body():
        with Interrupt() as interrupt:
            seen.append(interrupt.requested)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert seen == [False]
