"""A branch with five accepted findings is green; a sixth turns it red, and so does one whose day has passed.

No speed is measured: that takes long, and its findings are accepted like all others.
"""

import json
import subprocess
from pathlib import Path

import pytest

from in_process import plait
from plait.commands.review.steps import Steps

SOUND = '''"""Counters for several threads."""

import threading
{classes}
'''
CLASS = '''

class {name}:
    """May be shared between threads."""

    def __init__(self):
        self._lock = threading.Lock()
        self.value = 0

    def add(self):
        {body}
'''
HELD = "with self._lock:\n            self.value = self.value + 1"
RACY = "self.value = self.value + 1"


def module(racy, total=6):
    names = [f"Counter{number}" for number in range(1, total + 1)]
    made = [CLASS.format(name=name, body=RACY if place < racy else HELD) for place, name in enumerate(names)]
    return SOUND.format(classes="".join(made).rstrip("\n"))


def git(folder, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("counters")
    git(folder, "init", "-q", "-b", "main")
    (folder / "counters.py").write_text(module(0), encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "sound")
    return folder


def review(folder, *words):
    steps = ("--max-tests", 4, "--workers", 1, "--json", "review.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Steps, "_perf", lambda *_step: None)
        done = plait(folder, "review", "--base", "main", *steps, *words)
    return done, json.loads((folder / "review.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_five_known_a_sixth_and_one_that_has_expired(project):
    (project / "counters.py").write_text(module(5), encoding="utf-8")
    done, data = review(project, "--update-baseline", "there before plait", "--expires", "2999-01-01")
    assert done.returncode == 0, done.stdout + done.stderr
    accepted = {each["subject"] for each in data["findings"]}
    assert accepted == {f"counters:Counter{number}" for number in range(1, 6)}
    done, data = review(project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (data["baseline"]["new"], data["verdict"]) == (0, "findings")
    (project / "counters.py").write_text(module(6), encoding="utf-8")
    done, data = review(project)
    assert done.returncode == 1
    assert {each["subject"] for each in data["findings"] if "baseline" not in each} == {"counters:Counter6"}
    (project / "counters.py").write_text(module(5), encoding="utf-8")
    baseline = Path(project, "plait-baseline.toml")
    entries = baseline.read_text(encoding="utf-8")
    baseline.write_text(entries.replace("2999-01-01", "2020-01-01", 1), encoding="utf-8")
    done, data = review(project)
    assert done.returncode == 1
    assert sorted(each["baseline"]["status"] for each in data["findings"]) == ["expired", *["known"] * 4]
    assert "which has passed" in done.stdout
    assert "there before plait" in done.stdout
