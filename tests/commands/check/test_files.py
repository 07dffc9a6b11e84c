"""Classes that keep their state in files of the current folder: each execution begins without any."""

import json
import subprocess
import sys

from in_process import plait

SOUND = '''
import os
from threading import Lock


class Notebook:
    """May be shared between threads."""

    def __init__(self) -> None:
        self._lock = Lock()

    def write(self, text: str) -> None:
        with self._lock, open("notes.txt", "a") as file:
            file.write(text)

    def length(self) -> int:
        with self._lock:
            return os.path.getsize("notes.txt") if os.path.exists("notes.txt") else 0
'''
TORN = SOUND.replace(
    """        with self._lock, open("notes.txt", "a") as file:
            file.write(text)
""",
    """        length = self.length()
        with self._lock, open("notes.txt", "a") as file:
            file.truncate(length)
            file.write(text)
""",
)


def checked(folder, source):
    (folder / "notebook.py").write_text(source)
    done = plait(folder, "check", "notebook:Notebook", "--max-tests", "20", "--workers", "1", "--json", "r.json")
    return done.returncode, json.loads((folder / "r.json").read_text())


def test_what_a_file_says_does_not_differ_from_run_to_run(tmp_path):
    code, result = checked(tmp_path, SOUND)
    assert (code, result["verdict"], result["findings"]) == (0, "none", [])
    assert not [note for note in result["notes"] if "differ from run to run" in note]


def test_an_update_of_a_file_is_lost_and_its_test_leaves_no_file_behind(tmp_path):
    code, result = checked(tmp_path, TORN)
    assert (code, result["verdict"]) == (1, "violation")
    lost = next(each for each in result["findings"] if "Notebook.write" in each["methods"])
    before = sorted(tmp_path.iterdir())
    for _ in range(2):  # what the first run left would change the second one
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", lost["reproducer"]]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 1, run.stdout
        assert "AssertionError: Notebook: " in run.stdout
    assert sorted(tmp_path.iterdir()) == before
