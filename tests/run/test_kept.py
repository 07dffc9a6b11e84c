"""What plait keeps of the system for itself: a test that exchanges it does not reach plait's own work."""

import _thread
import os
import threading
from contextlib import contextmanager

import pytest

from plait.run.c_classes import exchanged
from plait.run.kept import Bell, kernel_text, numbers_in


def forbidden(*_args, **_named):
    raise AssertionError("code under test was called")


@contextmanager
def all_forbidden():
    with (
        exchanged(_thread.LockType, "acquire", forbidden), exchanged(_thread.LockType, "release", forbidden),
        exchanged(os, "listdir", forbidden), exchanged(os, "open", forbidden), exchanged(os, "read", forbidden),
    ):  # fmt: skip
        yield


def test_a_bell_needs_nothing_that_is_exchanged():
    with all_forbidden():
        bell = Bell()
        heard = [bell.wait(0.001)]
        bell.ring()
        bell.ring()
        heard += [bell.rung, bell.wait(0.001), bell.wait(10.0)]
    assert heard == [False, True, True, True]


def test_a_bell_wakes_who_waits():
    bell, heard = Bell(), []
    waiting = threading.Thread(target=lambda: heard.append(bell.wait(60.0)))
    waiting.start()
    bell.ring()
    waiting.join()
    assert heard == [True]


def test_files_are_read_by_what_was_kept(tmp_path):
    (tmp_path / "file").write_bytes(b"ab\xff\n" * 100_000)
    (tmp_path / "folder").mkdir()
    for number in (3, 11):
        (tmp_path / "folder" / str(number)).touch()
    with all_forbidden():
        content = kernel_text(str(tmp_path / "file"))
        numbers = numbers_in(str(tmp_path / "folder"))
    assert content == "ab\ufffd\n" * 100_000
    assert sorted(numbers) == [3, 11]
    assert numbers_in(str(tmp_path / "none")) == []
    with pytest.raises(OSError, match="none"):
        kernel_text(str(tmp_path / "none"))
