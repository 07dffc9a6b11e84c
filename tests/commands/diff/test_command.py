"""`plait diff` from the outside: exit codes, result files, what it leaves behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab import DEMO
from processes import used, workers_of
from result_schema import undescribed

SUBJECT = "account:Account"


@pytest.fixture
def place(tmp_path):
    """A project in a git repository, its work tree changed but not committed; paths have spaces."""
    project = tmp_path / "my project"
    project.mkdir()
    (tmp_path / "temporary files").mkdir()
    shutil.copy(DEMO / "old" / "account.py", project)
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "before"]):
        git(project, *words)
    shutil.copy(DEMO / "new" / "account.py", project)
    return project


def git(folder, *words):
    identity = ["-c", "user.name=tester", "-c", "user.email=tester@example.org"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def environment(project):
    return {**os.environ, "TMPDIR": str(project.parent / "temporary files")}


def plait(project, *words):
    return subprocess.run(
        [sys.executable, "-m", "plait", "diff", SUBJECT, *words], cwd=project, env=environment(project),
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def left_behind(project):
    """Files that a run has left: beside the reproducer there must be none."""
    changed = [line for line in git(project, "status", "--porcelain").splitlines() if "plait-out" not in line]
    assert changed == [" M account.py"]
    assert git(project, "worktree", "list").count("\n") == 1
    assert git(project, "branch", "--list").count("\n") == 1
    return list((project.parent / "temporary files").iterdir())


@pytest.mark.slow
def test_uncommitted_changes_are_compared_with_the_last_commit(place):
    done = plait(place, "--max-tests", "300", "--json", "result.json")
    assert done.returncode == 1, done.stderr
    assert "can leave balance -" in done.stdout
    assert "x.withdraw(" in done.stdout
    result = json.loads((place / "result.json").read_text(encoding="utf-8"))
    (place / "result.json").unlink()
    assert undescribed(result) == []
    assert (result["command"], result["verdict"], result["subject"]) == ("diff", "difference", SUBJECT)
    assert result["versions"]["old"].startswith("HEAD (")
    assert result["versions"]["new"] == "worktree"
    assert result["stopped_by"] == "finding"
    wanted = "changed_methods changed_pairs tests_generated tests_filtered checks schedules generate_s filter_s check_s"
    assert set(wanted.split()) <= result["stats"].keys()
    assert result["stats"]["changed_pairs"] == 3
    (finding,) = result["findings"]
    assert finding["kind"] == "difference"
    assert finding["methods"] == ["Account.withdraw"]
    assert finding["only_old"] == []
    assert all(int(each["state"]["balance"]) < 0 for each in finding["only_new"])
    assert finding["reachable"] == {"gil": True, "free-threaded": True}
    assert finding["confirmed_on_threads"] is True
    assert finding["preemptions"] == 1
    assert finding["guard"]["lock"] == "Account._lock"
    assert finding["guard"]["unguarded"] == ["account.py:27"]
    assert any(row.get("changed") for row in finding["interleaving"])
    assert {row["file"] for row in finding["interleaving"]} == {"account.py"}
    assert (place / finding["reproducer"]).is_file()
    assert left_behind(place) == []


@pytest.mark.slow
def test_the_reproducer_fails_on_the_new_version_and_passes_on_the_old_one(place):
    assert plait(place, "--max-tests", "300").returncode == 1
    (reproducer,) = (place / "plait-out").glob("test_*.py")

    failing = pytest_says(place, reproducer)
    assert failing.returncode == 1, failing.stdout
    assert "not among what is allowed" in failing.stdout
    shutil.copy(DEMO / "old" / "account.py", place)
    passing = pytest_says(place, reproducer)
    assert passing.returncode == 0, passing.stdout


def pytest_says(place, reproducer):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(reproducer)]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.slow
def test_the_other_direction_is_reported_as_lost_behaviour(place):
    """The reproducer of a mended fault guards the new version, and fails where the fault comes back."""
    faulty = (place / "account.py").read_text(encoding="utf-8")
    git(place, "commit", "-qam", "faulty")
    shutil.copy(DEMO / "old" / "account.py", place)
    done = plait(place, "--max-tests", "40", "--json", "result.json")
    assert done.returncode == 1, done.stderr
    (finding,) = json.loads((place / "result.json").read_text(encoding="utf-8"))["findings"]
    assert finding["only_new"] == []
    assert finding["only_old"]
    assert "Fixed by this change: " in finding["summary"]
    assert pytest_says(place, place / finding["reproducer"]).returncode == 0
    (place / "account.py").write_text(faulty, encoding="utf-8")
    assert pytest_says(place, place / finding["reproducer"]).returncode == 1


@pytest.mark.slow
def test_a_shallow_clone_is_enough(place, tmp_path):
    git(place, "commit", "-qam", "after")
    clone = tmp_path / "shallow clone"
    git(tmp_path, "clone", "-q", "--depth", "1", place.as_uri(), str(clone))
    shutil.copy(DEMO / "old" / "account.py", clone)
    done = plait(clone, "--max-tests", "40", "--json", "-")
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["findings"][0]["only_old"]


@pytest.mark.slow
def test_without_the_filter_every_test_is_checked(place):
    done = plait(place, "--no-filter", "--max-tests", "300", "--json", "-")
    assert done.returncode == 1, done.stderr
    stats = json.loads(done.stdout)["stats"]
    assert stats["tests_filtered"] == 0
    assert stats["checks"] <= stats["tests_generated"]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_result(place):
    texts = []
    for _ in range(2):
        shutil.rmtree(place / ".plait", ignore_errors=True)  # known differences come first, whatever the seed
        done = plait(place, "--max-tests", "30", "--seed", "5", "--json", "-")
        found = json.loads(done.stdout)
        for key in ("elapsed_s", "stats"):
            found.pop(key)
        for finding in found["findings"]:
            finding.pop("reproducer", None)
        texts.append(found)
    assert texts[0] == texts[1]


@pytest.mark.slow
def test_an_interrupt_ends_the_search_and_leaves_nothing(place):
    old = (DEMO / "old" / "account.py").read_text(encoding="utf-8")
    (place / "account.py").write_text(old.replace("        with", "        unused = 0\n        with"), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "plait", "diff", SUBJECT, "--budget", "60s"], cwd=place, env=environment(place),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not any(used(pid) > 0.3 for pid in workers_of(process.pid)):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "No difference found" in out
    assert left_behind(place) == []


def test_a_version_that_does_not_exist_is_named(place):
    done = plait(place, "--old", "v99")
    assert done.returncode == 2
    assert "v99" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_untouched_class_is_answered_at_once(place):
    git(place, "checkout", "-q", "account.py")
    done = plait(place)
    assert done.returncode == 0
    assert "No public method of the class is touched" in done.stdout


def test_a_subject_that_the_old_version_lacks_is_named(place):
    (place / "fresh.py").write_text("class Fresh:\n    def go(self): pass\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "plait", "diff", "fresh:Fresh"], cwd=place, env=environment(place), capture_output=True,
        text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert "HEAD" in done.stderr
    assert Path(place / "plait-out").exists() is False
