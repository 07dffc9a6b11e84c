"""How a worker's process is started."""

import os
import subprocess
import sys

import pytest

from plait.workers.process import WorkerContext


class Unreadable:
    """Cannot be read by a child."""

    def __reduce__(self):
        return (int, ("not a number",))


def test_a_child_that_fails_while_it_starts_complains_to_its_file(tmp_path, capfd):
    process = WorkerContext(tmp_path / "young").Process(target=print, args=(Unreadable(),))
    process.start()
    process.join(30)
    assert process.exitcode == 1
    assert capfd.readouterr() == ("", "")
    assert "ValueError: invalid literal for int()" in (tmp_path / "young").read_text()


def test_a_pool_gets_one_process():
    """A lost one is not replaced: pool and worker are disposed of together."""
    context = WorkerContext()
    first = context.Process(target=os._exit, args=(7,))
    first.start()
    second = context.Process(target=print)
    with pytest.raises(ChildProcessError, match="not replaced"):
        second.start()
    first.join(30)
    assert [each.exitcode for each in context.processes] == [7]


def test_what_a_killed_child_leaves_is_cleaned_up_without_a_word():
    """The tracker of the main process does it when that ends: its complaints would stand in the user's terminal."""
    script = (
        "import os, multiprocessing, sys\n"
        "from plait.workers.process import WorkerContext\n"
        "process = WorkerContext().Process(target=exec, args=('import multiprocessing, os, signal\\n'\n"
        "    'lock = multiprocessing.RLock()\\nos.kill(os.getpid(), signal.SIGKILL)',))\n"
        "process.start()\n"
        "process.join(30)\n"
        "print(process.exitcode, sys.warnoptions)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "-9 []\n"
    assert done.stderr == ""
