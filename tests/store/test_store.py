"""What is kept between campaigns survives everything but its own damage, which costs work and never a wrong answer."""

import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import store_tasks

from plait.store import database as stores
from plait.store.database import FILE, Store
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec

HERE = str(Path(__file__).parent)
RECORD = {"executions": 3, "exhausted": True, "covered": {"get put": 2}, "text": "å\u2028\x00"}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / ".plait"


def filled(folder, count=50):
    with Store(folder) as store:
        store.remember("m:C", {f"key{number}": {**RECORD, "number": number} for number in range(count)})
        store.cover("m:C", {"get put": 3, "put put": 1})
        store.record_finding("m:C", "race", {"kind": "exception", "summary": "s" * 500})
        assert store.messages == []


def test_units(folder):
    with Store(folder) as store:
        assert store.explored("a") is None
        store.remember("m:C", {"a": RECORD, "b": {"executions": 1}})
        store.remember("m:D", {"c": {}})
        assert store.explored("a") == RECORD
    with Store(folder) as store:
        assert store.explored("a") == RECORD
        assert store.explored("c") == {}
        assert store.units("m:C") == {"a": RECORD, "b": {"executions": 1}}
        store.remember("m:C", {"a": {"executions": 4}})
        assert store.explored("a") == {"executions": 4}


def test_coverage_adds_up(folder):
    with Store(folder) as store:
        store.cover("m:C", {"get put": 3})
        store.cover("m:C", {"get put": 2, "put put": 1})
        store.cover("m:D", {"get put": 9})
        assert store.coverage("m:C") == {"get put": 5, "put put": 1}
        assert store.coverage("m:E") == {}


def test_findings(folder):
    with Store(folder) as store:
        store.record_finding("m:C", "first", {"kind": "exception"})
        store.record_finding("m:C", "second", {"kind": "deadlock"})
        store.record_finding("m:D", "first", {"kind": "hang"})
        begun = store.findings("m:C")[0].first
        time.sleep(0.01)
        store.record_finding("m:C", "first", {"kind": "exception", "occurrences": 2})
        store.settle("m:C", "second", "fixed")
        found = store.findings("m:C")
        assert [(each.cause, each.status, each.content["kind"]) for each in found] == [
            ("first", "open", "exception"),
            ("second", "fixed", "deadlock"),
        ]
        assert found[0].content["occurrences"] == 2
        assert found[0].first == begun < found[0].last
        assert [each.cause for each in store.findings("m:C", status="open")] == ["first"]
        assert len(store.findings()) == 3


def test_it_keeps_itself_out_of_version_control(folder):
    filled(folder)
    assert (folder / ".gitignore").read_text() == "*\n"


def test_too_much_is_forgotten_from_its_oldest_end(folder, monkeypatch):
    monkeypatch.setattr(stores, "MOST_UNITS", 100)
    for part in range(3):
        with Store(folder) as store:
            store.remember("m:C", {f"{part}-{number}": {} for number in range(50)})
    with Store(folder) as store:
        assert store.explored("0-7") is None
        assert store.explored("2-7") == {}


# -- several processes, sudden death --------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from plait.store.database import Store
folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with Store(folder) as store:
    for number in range(count):
        store.remember("m:C", {f"{name}-{number}": {"number": number, "padding": "x" * 2000}})
        store.cover("m:C", {"pair": 1})
        if number % 10 == 0:
            store.record_finding("m:C", f"{name}-{number}", {"kind": "exception"})
        print(number, flush=True)
    print(store.messages, flush=True)
"""


def writer(folder, name, count):
    command = [sys.executable, "-c", WRITER, str(folder), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_processes_at_once(folder):
    processes = [writer(folder, name, 100) for name in "ab"]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert all(output.endswith("99\n[]\n") for output in outputs)
    with Store(folder) as store:
        assert len(store.units("m:C")) == 200
        assert store.coverage("m:C") == {"pair": 200}
        assert len(store.findings()) == 20


def test_kill_9_loses_nothing_that_was_written(folder):
    for number in range(5):
        process = writer(folder, f"run{number}", 10**6)
        for _ in range(random.Random(number).randrange(1, 60)):
            process.stdout.readline()
        process.kill()
        written = [line for line in process.stdout.read().split() if line.isdigit()]
        process.wait()
        process.stdout.close()
        last = int(written[-1]) if written else 0
        with Store(folder) as store:
            assert store.messages == []
            assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            for step in range(last + 1):
                assert store.explored(f"run{number}-{step}")["number"] == step
            assert len([each for each in store.findings() if each.cause.startswith(f"run{number}-")]) >= last // 10


def test_a_stopped_writer_does_not_block_readers(folder):
    filled(folder)
    with Store(folder) as first, Store(folder) as second:
        first._connection.execute("BEGIN IMMEDIATE")
        first._connection.execute("DELETE FROM units")
        assert second.explored("key1")["number"] == 1
        first._connection.execute("ROLLBACK")


def test_a_store_that_stays_busy_is_done_without(folder, monkeypatch):
    monkeypatch.setattr(stores, "BUSY_S", 0.2)
    with Store(folder) as first, Store(folder) as second:
        first._connection.execute("BEGIN IMMEDIATE")
        second.remember("m:C", {"a": RECORD})
        second.remember("m:C", {"b": RECORD})
        assert len(second.messages) == 1
        assert "locked" in second.messages[0]
        first._connection.execute("ROLLBACK")
        second.remember("m:C", {"c": RECORD})
        assert second.explored("c") == RECORD


HOLDER = """
import fcntl, sys, time
from pathlib import Path
from plait.store.database import Store
store = Store(Path(sys.argv[1]))
store._connection.execute("BEGIN IMMEDIATE")
store._connection.execute("DELETE FROM findings")
lock = open(Path(sys.argv[1]) / "lock", "rb")
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def holder(folder):
    """A process that keeps every lock of a store, in the middle of a transaction."""
    filled(folder)
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_locks_of_a_killed_process_are_free(folder, holder):
    holder.kill()
    holder.wait()
    with Store(folder) as store:
        store.remember("m:C", {"new": RECORD})
        assert store.messages == []
        assert store.explored("new") == RECORD
        assert len(store.findings()) == 1


def test_locks_that_are_kept_cost_what_is_kept_and_no_more(folder, holder, monkeypatch):
    monkeypatch.setattr(stores, "BUSY_S", 0.2)
    holder.send_signal(signal.SIGSTOP)
    with Store(folder) as store:
        assert [each for each in store.messages if "another process keeps it locked" in each]
        store.remember("m:C", {"new": RECORD})
        assert store.explored("new") == RECORD  # for this run
    holder.kill()
    holder.wait()
    with Store(folder) as store:
        assert store.messages == []
        assert store.explored("new") is None
        assert store.explored("key1")["number"] == 1


def test_who_keeps_a_lock_is_waited_for_once(folder, monkeypatch):
    monkeypatch.setattr(stores, "BUSY_S", 1.0)
    monkeypatch.setattr(stores, "IMPATIENT_S", 0.0)
    with Store(folder) as first, Store(folder) as second:
        first._connection.execute("BEGIN IMMEDIATE")
        second.remember("m:C", {"a": RECORD})
        assert second._connection.execute("PRAGMA busy_timeout").fetchone() == (0,)
        first._connection.execute("ROLLBACK")
        second.remember("m:C", {"b": RECORD})
        assert second.explored("b") == RECORD


@pytest.mark.parametrize("most", [0, 4096, 20_000, 60_000])
def test_a_file_that_may_not_grow_is_not_taken_for_damaged(folder, most):
    """A quota, which the database reports as an error of input and output."""
    filled(folder)
    script = (
        "import resource, sys\nfrom pathlib import Path\nfrom plait.store.database import Store\n"
        "folder, most = Path(sys.argv[1]), int(sys.argv[2])\nresource.setrlimit(resource.RLIMIT_FSIZE, (most, most))\n"
        "with Store(folder) as store:\n    for number in range(300):\n"
        "        store.remember('m:C', {f'more{number}': {'number': number, 'text': 'x' * 500}})\n"
        "    print(store.messages)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(folder), str(most)], capture_output=True, text=True)
    assert "kept" in done.stdout, done.stderr
    assert "damaged" not in done.stdout
    with Store(folder) as store:
        assert store.messages == []
        assert len(store.findings()) == 1
        assert store.explored("key1")["number"] == 1
    assert not list(folder.glob("damaged*"))


# -- damage ---------------------------------------------------------------------------------------------------------


def garbage(file):
    file.write_bytes(random.Random(0).randbytes(5000))


def text(file):
    file.write_text("<html>no store</html>\n" * 100)


def truncated(file):
    file.write_bytes(file.read_bytes()[:5000])


def foreign(file):
    file.unlink()
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE urls (x)")
    connection.close()


def newer(file):
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def trigger(file):
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON units BEGIN DELETE FROM findings; END")
    connection.close()


def view(file):
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE units")
        connection.execute("CREATE VIEW units AS SELECT 'a' AS key, 'm:C' AS subject, '{}' AS content, '' AS checksum")
    connection.close()


def pages(file):
    data = bytearray(file.read_bytes())
    data[4096 : len(data) - 100] = bytes(len(data) - 4196)
    file.write_bytes(data)


@pytest.mark.parametrize("damage", [garbage, text, truncated, foreign, newer, trigger, view, pages])
def test_a_damaged_store_is_set_aside_and_begun_anew(folder, damage):
    filled(folder)
    damage(folder / FILE)
    before = (folder / FILE).read_bytes()
    with Store(folder) as store:
        assert store.explored("key1") is None
        assert store.findings() == []
        store.remember("m:C", {"a": RECORD})
        assert store.explored("a") == RECORD
        assert len(store.messages) == 1
        assert "was damaged" in store.messages[0]
        assert "\n" not in store.messages[0]
    aside = list(folder.glob("damaged-*.sqlite"))
    assert len(aside) == 1
    assert aside[0].name in store.messages[0]
    assert aside[0].read_bytes() == before
    with Store(folder) as store:
        assert store.explored("a") == RECORD
        assert store.messages == []


def test_an_empty_file_is_a_new_store(folder):
    folder.mkdir()
    (folder / FILE).touch()
    filled(folder)


def test_damage_seen_by_two_at_once_is_repaired_once(folder):
    filled(folder)
    with Store(folder) as first, Store(folder) as second:
        pages(folder / FILE)
        for name, store in (("a", first), ("b", second), ("c", first), ("d", second)):
            store.units("m:C")  # the one that has the pages in memory notices nothing until the file is another
            store.remember("m:C", {name: RECORD})
        assert {"c", "d"} <= set(first.units("m:C")) == set(second.units("m:C"))
    assert len(list(folder.glob("damaged-*.sqlite"))) == 1


def mutated(data, dice):
    """One of the ways in which a file goes bad."""
    data = bytearray(data)
    match dice.randrange(4):
        case 0:
            for _ in range(dice.choice([1, 1, 1, 8, 100])):
                data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        case 1:
            del data[dice.randrange(len(data)) :]
        case 2:
            start = dice.randrange(len(data))
            data[start : start + dice.randrange(1, 3000)] = dice.randbytes(dice.randrange(0, 3000))
        case 3:
            start = dice.randrange(len(data))
            size = dice.randrange(1, 5000)
            data[start : start + size] = bytes(len(data[start : start + size]))
    return bytes(data)


@pytest.mark.slow
def test_mutated_stores_never_lie(tmp_path):
    """Of 300 damaged files none raises, and none gives an answer that was not stored."""
    filled(tmp_path / "origin", 30)
    with sqlite3.connect(tmp_path / "origin" / FILE) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    origin = (tmp_path / "origin" / FILE).read_bytes()
    dice = random.Random(5)
    survived = 0
    for number in range(300):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / FILE).write_bytes(mutated(origin, dice))
        with Store(folder) as store:
            answers = [store.explored(f"key{key}") for key in range(30)]
            assert all(answer in (None, {**RECORD, "number": key}) for key, answer in enumerate(answers))
            assert set(store.units("m:C")) <= {f"key{key}" for key in range(30)}
            assert all(each.content["kind"] == "exception" for each in store.findings())
            assert all(isinstance(count, int) for count in store.coverage("m:C").values())
            store.remember("m:C", {"after": RECORD})
            assert store.explored("after") == RECORD, store.messages
            assert all("\n" not in message for message in store.messages)
            survived += sum(answer is not None for answer in answers)
    assert survived > 300


def tamper(folder, content, checksum=None):
    """Put a row into the store that no store of ours would write."""
    with sqlite3.connect(folder / FILE) as connection:
        checksum = checksum or stores.hashlib.sha256(f"evil\0{content}".encode()).hexdigest()
        connection.execute("INSERT OR REPLACE INTO units VALUES ('evil', 'm:C', ?, ?, 0)", (content, checksum))
    connection.close()


@pytest.mark.parametrize(
    ("content", "checksum"),
    [
        ('{"executions": 1}', "0" * 64),
        ("[" * 100_000, None),
        ('{"a":' * 100_000, None),
        ('{"n": ' + "9" * 100_000 + "}", None),
        ("[1, 2]", None),
        ("null", None),
        ("cposix\nsystem\n(S'true'\ntR.", None),
        (b"\x80\x05\x95", None),
        (7, None),
        ("", None),
    ],
    ids=["checksum", "deep list", "deep object", "huge number", "list", "null", "pickle", "blob", "integer", "empty"],
)
def test_hostile_rows_count_as_absent(folder, content, checksum):
    filled(folder)
    tamper(folder, content, checksum)
    with Store(folder) as store:
        assert store.explored("evil") is None
        assert "evil" not in store.units("m:C")
        assert len(store.units("m:C")) == 50
        assert store.messages == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    check_nothing_kept(tmp_path / ".plait")


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / ".plait").write_text("a file")
    check_nothing_kept(tmp_path / ".plait")


def check_nothing_kept(folder):
    with Store(folder) as store:
        store.remember("m:C", {"a": RECORD})
        assert store.explored("a") == RECORD
        assert len(store.messages) == 1
        assert "nothing is kept" in store.messages[0]


def test_a_missing_signal_is_no_reason_to_wait(folder):
    """A process stopped in the middle of its work holds no lock between transactions."""
    process = writer(folder, "stopped", 10**6)
    process.stdout.readline()
    process.send_signal(signal.SIGSTOP)
    try:
        started = time.monotonic()
        with Store(folder) as store:
            assert store.explored("stopped-0")["number"] == 0
        assert time.monotonic() - started < stores.BUSY_S  # how long one waits for a lock
    finally:
        process.kill()
        process.communicate()


# -- readers in workers ---------------------------------------------------------------------------------------------


def test_workers_read_and_cannot_write(folder):
    filled(folder)
    with Store(folder), Workers(WorkerSpec(), count=1) as workers:
        answer = workers.submit(store_tasks.look_up, str(folder), "key3", timeout=20).result()
        assert answer.value == {**RECORD, "number": 3}
        assert answer.stopped == ()
        answer = workers.submit(store_tasks.write, str(folder), timeout=20).result()
        assert answer.value == ["nothing"]
        missing = workers.submit(store_tasks.look_up, str(folder / "none"), "key3", timeout=20).result()
        assert missing.value is None
        assert missing.stopped == ()


def test_reading_needs_no_sound_file(folder):
    filled(folder)
    garbage(folder / FILE)
    for suffix in ("-wal", "-shm"):
        Path(f"{folder / FILE}{suffix}").unlink(missing_ok=True)
    with Store(folder, read_only=True) as store:
        assert store.explored("key1") is None
    assert list(folder.glob("damaged-*")) == []


def test_a_removed_store_is_begun_anew(folder):
    filled(folder)
    with Store(folder) as store:
        for file in folder.iterdir():
            file.unlink()
        store.remember("m:C", {"a": RECORD})
        assert store.explored("key1") is None
    with Store(folder) as store:
        assert store.explored("a") == RECORD


@pytest.mark.parametrize("name", ["lock", "store.sqlite"])
def test_a_link_in_its_place_is_not_followed(tmp_path, name):
    for content in ("", "precious"):
        precious = tmp_path / f"precious{len(content)}"
        precious.write_text(content)
        folder = tmp_path / f"store{len(content)}"
        folder.mkdir()
        (folder / name).symlink_to(precious)
        with Store(folder) as store:
            store.remember("s", {"key": {"a": 1}})
        assert precious.read_text() == content
