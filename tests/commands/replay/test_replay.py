"""A failing schedule outlives its process: re-formatted source, other Python versions, code that moved too far."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from interpreters import SOURCE, interpreters
from small_programs import FAIL, explored, load

TESTS = Path(__file__).parents[2]

CLASS = """
class Account:
    def __init__(self):
        self.balance = 10

    def withdraw(self, amount):
        if self.balance >= amount:
            self.balance = self.balance - amount
"""
REFORMATTED = '''
# Another editor, another taste.
class Account:
    """An account."""

    def __init__(self):
        self.balance = (10)  # at the beginning


    def withdraw(
        self,
        amount,
    ):
        """Take something out."""
        if (
            self.balance
            >= amount
        ):
            # enough
            self.balance = (
                self.balance
                - amount
            )
'''
LOCKED = """
import threading

class Account:
    def __init__(self):
        self.balance = 10
        self.lock = threading.Lock()

    def withdraw(self, amount):
        with self.lock:
            if self.balance >= amount:
                self.balance = self.balance - amount
"""
RENAMED = (
    CLASS.replace("def withdraw", "def take_out")
    .replace("self.balance =", "self.money =")
    .replace("self.balance", "self.money")
    + "\n    withdraw = take_out\n    balance = property(lambda self: self.money)\n"
)
LONGER = CLASS.replace("        if", "        if amount < 0:\n            return\n        if", 1)
PROGRAM = """
import json, sys
from account import Account
from plait import explore_threads

token = sys.argv[1] if len(sys.argv) > 1 else None
verdict = explore_threads(
    Account, [lambda account: account.withdraw(8), lambda account: account.withdraw(10)],
    lambda account: account.balance >= 0, replay=token, raise_on_failure=False,
)
print(json.dumps({"kind": verdict.kind, "lost": verdict.lost, "token": verdict.token}))
"""


class Project:
    """A folder with a module under test and a program that explores it."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "program.py").write_text(PROGRAM)

    def run(self, source, *args, python=sys.executable):
        (self.folder / "account.py").write_text(source)
        done = subprocess.run(
            [python, self.folder / "program.py", *args], capture_output=True, text=True, timeout=120,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.mark.parametrize("source", [REFORMATTED, LONGER], ids=["reformatted", "longer"])
def test_a_schedule_replays_after_changes_that_do_not_touch_it(project, source):
    token = project.run(CLASS)["token"]
    again = project.run(source, token)
    assert again["kind"] == "wrong-result"
    assert again["lost"] is None


def test_a_schedule_passes_once_the_fault_is_mended(project):
    token = project.run(CLASS)["token"]
    again = project.run(LOCKED, token)
    assert again["kind"] == "pass"
    assert again["lost"] is None


def test_a_schedule_that_no_longer_fits_says_so(project):
    token = project.run(CLASS)["token"]
    again = project.run(RENAMED, token)
    assert again["lost"].endswith("never came to `self.balance`")


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_every_failure_replays_on_another_version(version, tmp_path):
    python = interpreters().get(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    tokens = {}
    for path in FAIL:
        if not path.stem.startswith(("divergence", "hang")):
            verdict = explored(load(path))
            tokens[str(path)] = [verdict.kind, verdict.token]
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps(tokens))
    done = subprocess.run(
        [python, TESTS / "small_programs.py", file], capture_output=True, text=True,
        timeout=300, env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen == {path: {kind: 1} for path, (kind, _token) in tokens.items()}
    assert len(seen) > 60
