"""`plait replay`: what a file says happens again, at once, step by step, and in the debugger."""

import contextlib
import io
import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from plait.cli import main
from plait.model.finding import Finding
from plait.model.result import Result
from plait.model.schedule import Schedule, Segment
from plait.model.test import Test
from plait.report.html import html
from plait.report.reproducer import write_reproducer

CACHE = """
import threading


class Cache:
    def __init__(self):
        self._lock = threading.Lock()
        self._items = {}

    def put(self, key: str, value: int) -> None:
        with self._lock:
            self._items[key] = value

    def get(self, key: str) -> int | None:
        if key in self._items:
            return self._items[key]
        return None

    def drop(self, key: str) -> None:
        with self._lock:
            self._items.pop(key, None)
"""
MENDED = CACHE.replace("        if key in self._items:\n            return self._items[key]\n        return None",
                       "        with self._lock:\n            return self._items.get(key)")  # fmt: skip


TEST = Test.from_lines(["from cache import Cache"], ["x = Cache()", "x.put('a', 0)"], [["x.get('a')"], ["x.drop('a')"]])
HERE = ("cache", "Cache.get", "read", "self._items[key]", 0)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A folder with a class and a finding on it: as a result file, a page and a reproducer."""
    folder = tmp_path_factory.mktemp("found")
    (folder / "cache.py").write_text(CACHE, encoding="utf-8")
    finding = Finding(
        "exception", "Cache: with `get` and `drop` at the same time, `x.get('a')` can raise KeyError",
        ["Cache.drop", "Cache.get"], TEST, "KeyError", 1, Schedule((Segment(1, HERE), Segment(2), Segment(1))),
    )  # fmt: skip
    data = Result("check", "cache:Cache", "violation", {"at": "worktree"}, findings=[finding]).as_json()
    (folder / "r.json").write_text(json.dumps(data), encoding="utf-8")
    (folder / "r.html").write_text(html(data), encoding="utf-8")
    write_reproducer(finding, "cache:Cache", folder, folder, [])
    return folder


def _plait(folder, *arguments, keys=""):
    return subprocess.run(
        [sys.executable, "-m", "plait", *arguments], cwd=folder, capture_output=True, text=True, timeout=300, input=keys
    )


@pytest.mark.parametrize("kind", ["json", "html", "py"])
def test_every_file_that_plait_writes_replays(found, kind, monkeypatch, capsys, golden):
    monkeypatch.chdir(found)
    file = "test_cache_drop_get_exception.py" if kind == "py" else f"r.{kind}"
    assert main.main(["replay", file]) == 1
    said = capsys.readouterr().out
    golden(f"replay/{kind}.txt", said.replace(str(found), "FOLDER"))
    assert "can raise KeyError" in said.splitlines()[0]
    assert "x.get('a'): raises KeyError" in said
    assert "Replayed 10 of 10 times with the same steps" in said
    assert all(len(line) <= 100 for line in said.splitlines() if "│" in line)


def test_steps_go_forward_and_back(found, monkeypatch, capsys, golden):
    monkeypatch.chdir(found)
    monkeypatch.setattr(sys, "stdin", io.StringIO("nn\x1b[Cp?Gnq"))
    assert main.main(["replay", "r.json", "--step"]) == 1
    said = capsys.readouterr().out
    heads = [line.partition(":")[0] for line in said.splitlines() if line.startswith("step ")]
    assert heads == [f"step {number} of 8" for number in (1, 2, 3, 4, 3, 8, 8)]
    golden("replay/step.txt", said)


def test_locks_and_values_show_at_each_step(found, monkeypatch, capsys):
    monkeypatch.chdir(found)
    monkeypatch.setattr(sys, "stdin", io.StringIO("n" * 30))
    main.main(["replay", "r.json", "--step"])
    views = capsys.readouterr().out.split("\nstep ")
    inside = next(view for view in views if "holds Cache._lock" in view)
    assert "> 2 x.drop('a')  holds Cache._lock" in inside
    assert "Cache._items['a'] = 0" in inside
    assert "Cache._items['a'] = (not there)" in views[-1]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_keys_need_no_enter_on_a_terminal(found):
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "plait", "replay", "r.json", "--step"], cwd=found, stdin=theirs, stdout=theirs,
        env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    steps = {b"": b"step 1 of ", b"n": b"step 2 of ", b"\x1b[C": b"step 3 of ", b"q": b"Replayed 10"}
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # how the end of a terminal shows
        for key, wanted in steps.items():
            os.write(ours, key)
            while wanted not in seen:
                assert select.select([ours], [], [], 60)[0], seen  # it waits for a key, and we for its answer
                seen += os.read(ours, 4096)
    assert process.wait(60) == 1
    os.close(ours)
    assert b"keys: n or" in seen


def test_a_finding_is_chosen_by_its_number(found, monkeypatch, capsys):
    monkeypatch.chdir(found)
    assert main.main(["replay", "r.json", "--finding", "2"]) == 2
    assert "r.json has no finding 2: it holds 1" in capsys.readouterr().err


def test_findings_have_the_numbers_of_the_report(found, monkeypatch, capsys, tmp_path):
    """Also those after one that cannot be replayed."""
    monkeypatch.chdir(found)
    data = json.loads((found / "r.json").read_text(encoding="utf-8"))
    crash = {"kind": "crash", "summary": "Cache: the process dies", "methods": [], "interleaving": []}
    file = tmp_path / "two.json"
    file.write_text(json.dumps({**data, "findings": [crash, *data["findings"]]}), encoding="utf-8")
    assert main.main(["replay", str(file), "--finding", "1"]) == 2
    assert "two.json has no schedule to replay; those that have one: 2" in capsys.readouterr().err
    assert main.main(["replay", str(file), "--finding", "2"]) == 1
    assert "can raise KeyError" in capsys.readouterr().out


def test_mended_code_shows_nothing(found, tmp_path, monkeypatch, capsys):
    (tmp_path / "cache.py").write_text(MENDED, encoding="utf-8")
    (tmp_path / "r.json").write_bytes((found / "r.json").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert main.main(["replay", "r.json", "--finding", "1"]) == 0
    said = capsys.readouterr().out
    assert "shows no exception any more" in said or "moved too far" in said


@pytest.mark.slow
def test_the_debugger_stops_at_both_conflicting_accesses_with_the_others_held(found):
    keys = "where\np self._items\nthread 1\np key\nthread\np self.put('b', 1)\nthreads\nc\np self._items\nc\n"
    done = _plait(found, "replay", "r.json", "--pdb", keys=keys)
    assert done.returncode == 1, done.stderr
    first, _, second = done.stdout.partition("conflicting access 2 of 2")
    assert "conflicting access 1 of 2: thread 2 is about to write Cache._items['a']" in first
    assert "thread 1: held before cache.py:16 `self._items[key]`" in first
    assert "thread 2: cache.py:21 in Cache.drop, stopped here" in first
    assert "-> self._items.pop(key, None)" in first
    assert "-> return self._items[key]" in first  # the held thread's own line
    assert "(plait pdb) {'a': 0}" in first
    assert "fibers.py" not in first
    assert "this would wait for a thread, and all threads are held" in first  # the stopped thread has the lock
    assert ": thread 1 is about to read Cache._items['a']" in second
    assert "thread 2: finished" in second
    assert "(plait pdb) {}" in second
    assert "raises KeyError" in second


@pytest.mark.slow
def test_the_debugger_steps_on_and_can_be_left(found):
    done = _plait(found, "replay", "r.json", "--pdb", keys="n\np key\nq\n")
    assert done.returncode == 1, done.stderr
    assert "(plait pdb) 'a'" in done.stdout
    assert "The execution is over" not in done.stdout
    guarded = _plait(found, "replay", "r.json", "--pdb", keys=f"p open({str(found / 'harm')!r}, 'w')\nq\n")
    assert "code under test may not do that without --allow write" in guarded.stdout
    assert not (found / "harm").exists()


@pytest.mark.slow
def test_a_difference_replays_on_the_commit_that_shows_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    Path("cache.py").write_text(CACHE, encoding="utf-8")
    for command in (["init", "-q"], ["add", "cache.py"], ["commit", "-qm", "racy"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    Path("cache.py").write_text(MENDED, encoding="utf-8")
    subprocess.run([*git, "commit", "-qam", "mended"], check=True, capture_output=True)
    arguments = ["--max-tests", "60", "--workers", "1", "--json", "r.json"]
    assert main.main(["diff", "cache:Cache", "--old", "HEAD~1", "--new", "HEAD", *arguments]) == 1
    capsys.readouterr()
    assert main.main(["replay", "r.json"]) == 1  # the old version is the one that can
    assert "Replayed 10 of 10 times" in capsys.readouterr().out
