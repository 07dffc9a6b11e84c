"""Objects that other threads can find before they are complete: unsafe publication, as callers see it."""

import pytest

from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.subject.interface.discovery import discover
from plait.subject.interface.publishing import completed_late
from plait.subject.name import Subject

HEAD = """
from threading import Event, Lock

class Service:
    def __init__(self):
        self.retries = 0

    def open(self):
        self.retries = 3

class Job:
    def __init__(self):
        self.done = Event()
        self.value = None

class Found:
    def __init__(self):
        self._lock = Lock()
        self._all = {}
        self._one = None

    def get(self, name: str):
"""
STORED_FIRST = """
        found = self._all.get(name)
        if found is None:
            with self._lock:
                found = self._all.get(name)
                if found is None:
                    found = self._all[name] = Service()
                    found.retries = 3
        return found
"""
OPENED_LATER = """
        if self._one is None:
            with self._lock:
                if self._one is None:
                    self._one = Service()
                    self._one.open()
        return self._one
"""
FILLED_LATER = """
        found = self._all.get(name)
        if found is None:
            with self._lock:
                found = self._all.get(name)
                if found is None:
                    found = self._all[name] = []
                    found.append(1)
        return found
"""
STORED_LAST = """
        found = self._all.get(name)
        if found is None:
            with self._lock:
                found = self._all.get(name)
                if found is None:
                    found = Service()
                    found.retries = 3
                    self._all[name] = found
        return found
"""
UNDER_THE_LOCK = """
        with self._lock:
            found = self._all.get(name)
            if found is None:
                found = self._all[name] = Service()
                found.retries = 3
            return found
"""
WAITED_FOR = """
        with self._lock:
            found = self._all.get(name)
            if found is not None:
                return found
            made = self._all[name] = Job()
        made.value = 3
        made.done.set()
        return made
"""


@pytest.mark.parametrize(
    ("body", "called"), [(STORED_FIRST, "seen2.retries"), (OPENED_LATER, "seen2.retries"), (FILLED_LATER, "len(seen2)")]
)
def test_a_caller_gets_an_object_that_is_not_complete(tmp_path, body, called):
    found = _checked(tmp_path, body)
    assert [finding.kind for finding in found.findings] == ["wrong-result"]
    assert called in found.findings[0].summary


@pytest.mark.parametrize("body", [STORED_LAST, UNDER_THE_LOCK, WAITED_FOR])
def test_an_object_that_no_caller_gets_too_early_is_no_finding(tmp_path, body):
    assert _checked(tmp_path, body).findings == []


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        (STORED_FIRST, ("retries",)), (OPENED_LATER, ("retries",)), (FILLED_LATER, ("len",)), (STORED_LAST, None),
        (UNDER_THE_LOCK, ("retries",)), (WAITED_FOR, None),
    ],
)  # fmt: skip
def test_what_is_changed_behind_the_line_that_stores_it(tmp_path, monkeypatch, body, parts):
    name = f"late_{abs(hash(body))}"
    (tmp_path / f"{name}.py").write_text(HEAD + body)
    monkeypatch.syspath_prepend(str(tmp_path))
    owner = __import__(name).Found
    told = completed_late(owner, discover(owner, name=f"{name}:Found").methods)
    assert told == ({} if parts is None else {"get": parts})


def _checked(folder, body):
    (folder / "late.py").write_text(HEAD + body)
    return check(CheckOptions(Subject("late", "Found"), project=folder, max_tests=12, workers=1))
