"""How far it is from the command line to the first schedule: no more than a person can keep in mind."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "life-of-a-check.md"
MOST_FUNCTIONS = 12
MOST_FILES = 12
SUBJECT = '''
import threading

class Account:
    def __init__(self):
        self._lock = threading.Lock()
        self.total = 0

    def deposit(self):
        with self._lock:
            self.total += 1
'''
FOLLOWED = '''
import json, os, sys, traceback
from plait.cli.main import main
from plait.commands.check.worker import tasks
from plait.run.engine import Engine
from plait.workers import state
from plait.workers.pool import Workers

def stack():
    frames = [frame for frame in traceback.extract_stack() if "/src/plait/" in frame.filename]
    return [[frame.filename.rpartition("/src/plait/")[2], frame.name] for frame in frames]

def submit(self, task, *arguments, **limits):
    """Send everything to a worker but the chunk of tests: that one is run here, where its frames can be seen."""
    if task is not tasks.advance:
        return real_submit(self, task, *arguments, **limits)
    here = stack()

    def execute(engine, *arguments, **more):
        inside = stack()[len(here):]
        if not any(file == "judge/oracle/examine.py" for file, _name in inside):
            return real_execute(engine, *arguments, **more)  # of a call alone, while the test is written
        print(json.dumps([here, inside]), flush=True)
        os._exit(0)

    Engine.execute = execute
    state.use(self.spec)
    task(*arguments)

real_submit, real_execute = Workers.submit, Engine.execute
Workers.submit = submit
main(["check", "account:Account", "--max-tests", "5", "--fresh"])
'''


def test_the_walk_to_the_first_schedule_is_short(tmp_path):
    (tmp_path / "account.py").write_text(SUBJECT)
    done = subprocess.run([sys.executable, "-c", FOLLOWED], cwd=tmp_path, capture_output=True, text=True, check=False)
    parent, worker = json.loads(done.stdout.splitlines()[-1])
    # Between the two stand the pool, which sends the task, and the process that receives it.
    walk = [*parent, ["workers/pool.py", "submit"], ["workers/boot.py", "run_task"], *worker]
    files = list(dict.fromkeys(file for file, _name in walk))
    assert walk[0] == ["cli/main.py", "main"]
    assert walk[-1] == ["explore/runner.py", "execute"]
    assert len(walk) <= MOST_FUNCTIONS, walk
    assert len(files) <= MOST_FILES, files
    named = re.findall(r"^\| \d+ \| `([\w/.]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert files == named, "docs/life-of-a-check.md tells another way"


def test_every_file_that_the_page_names_is_there():
    missing = [
        name
        for name in re.findall(r"`([a-z_]+(?:/[a-z_]+)+\.py|[a-z_]+(?:/[a-z_]+)*/)`", PAGE.read_text(encoding="utf-8"))
        if not (ROOT / "src" / "plait" / name).exists() and not (ROOT / name).exists()
    ]
    assert missing == []
