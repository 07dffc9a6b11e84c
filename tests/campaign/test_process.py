"""How a worker's process is started."""

import os

import pytest

from plait.campaign.process import WorkerContext


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
