"""A project's own files have names of the standard library: nothing outside of a worker imports them."""

import os
import subprocess
import sys

import pytest

SHADOWED = ("json", "socket", "sqlite3", "subprocess", "tempfile", "traceback", "rapidfuzz", "tomllib", "pickle")
COUNTER = """
class Counter:
    def __init__(self):
        self.n = 0
    def add(self):
        n = self.n
        self.n = n + 1
        return n
"""


@pytest.mark.parametrize("module", [False, True])
def test_a_module_named_as_one_of_the_standard_library_runs_nowhere(module, tmp_path):
    project, marks = tmp_path / "project", tmp_path / "marks"
    project.mkdir()
    marks.mkdir()
    (project / "thing.py").write_text(COUNTER)
    for name in SHADOWED:
        source = f"open({str(marks / name)!r}, 'w').close()\nraise ImportError('shadowed')\n"
        (project / f"{name}.py").write_text(source)
    # With -m the interpreter itself looks into the current folder before plait's first line: only for what it needs.
    command = [sys.executable, "-m", "plait"] if module else [os.path.join(os.path.dirname(sys.executable), "plait")]
    done = subprocess.run(
        [*command, "check", "thing:Counter", "--max-tests", "5", "--budget", "20s", "--workers", "1"],
        cwd=project, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert os.listdir(marks) == []
