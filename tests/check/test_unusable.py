"""What cannot be checked: one line that says why, exit code 2, nothing written."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def check(folder, subject, path=HERE, *options):
    return subprocess.run(
        [sys.executable, "-m", "plait", "check", subject, "--path", str(path), "--max-tests", "5",
         "--workers", "1", *options],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


SOURCES = {
    "broken": ("def f(:\n", "cannot be read by Python"),
    "raising": ("raise RuntimeError('no')\n", "cannot be imported: RuntimeError: no"),
    "needing": ("import nothing_of_this_name\n", "it needs 'nothing_of_this_name'"),
    "dying": ("import os\nos._exit(3)\n", "cannot be imported"),
    "abstract": (
        "import abc\nclass C(abc.ABC):\n    @abc.abstractmethod\n    def f(self): ...\n",
        "is abstract (it leaves f open); give a concrete subclass",
    ),
    "empty": ("class C: pass\n", "has no public methods"),
    "unbuildable": (
        "class C:\n    def __init__(self, part): part.give()\n    def f(self): return 1\n",
        "cannot be built from its signature",
    ),
}


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_one_line_and_exit_code_2(name, tmp_path):
    source, said = SOURCES[name]
    project = tmp_path / "project"
    project.mkdir()
    (project / f"{name}.py").write_text(source)
    work = tmp_path / "work"
    work.mkdir()
    done = check(work, f"{name}:C", project)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert list(work.iterdir()) == []


def test_a_misspelled_class(tmp_path):
    done = check(tmp_path, "subjects:Conter")
    assert done.returncode == 2
    assert "did you mean Counter" in done.stderr
