"""How far it is from the command line to the first schedule: no more than a person can keep in mind."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "life-of-a-check.md"
CHECK, DIFF = PAGE.read_text(encoding="utf-8").split("## The same for `plait diff`")
MOST_FILES = 12
SUBJECT = """
import threading

class Account:
    def __init__(self):
        self._lock = threading.Lock()
        self.total = 0

    def deposit(self):
        with self._lock:
            self.total += 1
"""
FOLLOWED = '''
import json, os, sys, traceback
from plait.cli.main import main
from plait.commands.check.worker import tasks
from plait.commands.diff import worker
from plait.run.engine import Engine
from plait.workers import state
from plait.workers.pool import Workers

def stack():
    frames = [frame for frame in traceback.extract_stack() if "/src/plait/" in frame.filename]
    return [[frame.filename.rpartition("/src/plait/")[2], frame.name] for frame in frames]

def followed(send):
    """Send everything to a worker but the tests: those are run here, where their frames can be seen."""

    def run(self, task, *arguments, **limits):
        if task not in (tasks.advance, worker.outcomes):
            return send(self, task, *arguments, **limits)
        here = stack()

        def execute(engine, *arguments, **more):
            inside = stack()[len(here):]
            if not any(file in JUDGES for file, _name in inside):
                return real_execute(engine, *arguments, **more)  # of a call alone, while the test is written
            print(json.dumps([here, send.__name__, inside]), flush=True)
            os._exit(0)

        Engine.execute = execute
        state.use(self.spec)
        task(*arguments)

    return run

JUDGES = ("judge/oracle/examine.py", "judge/difference/behaviour.py")
real_execute = Engine.execute
Workers.submit, Workers.attempt = followed(Workers.submit), followed(Workers.attempt)
main(sys.argv[1:])
'''


@pytest.mark.parametrize(
    ("arguments", "page", "most_functions"),
    [(["check", "account:Account"], CHECK, 12), (["diff", "account:Account", "--old", "dir:old"], DIFF, 15)],
    ids=["check", "diff"],
)
def test_the_walk_to_the_first_schedule_is_short(arguments, page, most_functions, tmp_path):
    (tmp_path / "account.py").write_text(SUBJECT.replace("+= 1", "+= 2"))
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "account.py").write_text(SUBJECT.replace("        with self._lock:\n    ", ""))
    command = [sys.executable, "-c", FOLLOWED, *arguments, "--max-tests", "50", "--fresh"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    parent, send, worker = json.loads(done.stdout.splitlines()[-1])
    # Between the two stand the pool, which sends the task, and the process that receives it.
    walk = [*parent, ["workers/pool.py", send], ["workers/boot.py", "run_task"], *worker]
    files = list(dict.fromkeys(file for file, _name in walk))
    assert walk[0] == ["cli/main.py", "main"]
    assert walk[-1] == ["explore/runner.py", "execute"]
    assert len(walk) <= most_functions, walk
    assert len(files) <= MOST_FILES, files
    named = re.findall(r"^\| \d+ \| `([\w/.]+)` \|", page, re.MULTILINE)
    assert files == named, "docs/life-of-a-check.md tells another way"


def test_every_file_that_the_page_names_is_there():
    missing = [
        name
        for name in re.findall(r"`([a-z_]+(?:/[a-z_]+)+\.py|[a-z_]+(?:/[a-z_]+)*/)`", PAGE.read_text(encoding="utf-8"))
        if not (ROOT / "src" / "plait" / name).exists() and not (ROOT / name).exists()
    ]
    assert missing == []
