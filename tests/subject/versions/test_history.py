"""Merge bases, changed files and first parents, in a repository made here."""

import subprocess

import pytest

from plait.errors import UsageError
from plait.subject.versions.git import History


def git(folder, *words):
    identity = ["-c", "user.name=tester", "-c", "user.email=tester@example.org"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", text)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def place(tmp_path):
    """main: one - three; topic leaves at one: two, and main is merged into it at last."""
    git(tmp_path, "init", "-qb", "main")
    made = {"one": commit(tmp_path, "a.py", "one")}
    git(tmp_path, "checkout", "-qb", "topic")
    made["two"] = commit(tmp_path, "b.py", "two")
    git(tmp_path, "checkout", "-q", "main")
    made["three"] = commit(tmp_path, "c.py", "three")
    git(tmp_path, "checkout", "-q", "topic")
    return tmp_path, made


def test_a_branch_is_reviewed_from_where_it_left_the_main_one(place):
    folder, made = place
    history = History.of(folder)
    assert history.base(None) == (made["one"], "main")
    assert history.base("main") == (made["one"], "main")
    assert history.base("HEAD")[0] == made["two"]


def test_changed_files_are_those_of_the_branch_and_of_the_work_tree(place):
    folder, made = place
    history = History.of(folder)
    (folder / "a.py").write_text("edited", encoding="utf-8")
    (folder / "fresh é.py").write_text("new", encoding="utf-8")
    assert history.changed_files(made["one"]) == ["a.py", "b.py", "fresh é.py"]
    assert history.changed_files(made["one"], made["two"]) == ["b.py"]


def test_a_merge_is_one_step(place):
    folder, made = place
    git(folder, "merge", "-q", "--no-edit", "main")
    history = History.of(folder)
    merge = git(folder, "rev-parse", "HEAD")
    assert history.between(made["one"], merge) == [made["two"], merge]
    assert history.describe(made["two"]).subject == "two"
    assert history.describe(made["two"]).author == "tester"


def test_what_cannot_be_compared_is_said(place, tmp_path_factory):
    folder, made = place
    history = History.of(folder)
    with pytest.raises(UsageError, match="no ancestor"):
        history.between(made["three"], made["two"])
    with pytest.raises(UsageError, match="same commit"):
        history.between(made["two"], made["two"])
    with pytest.raises(UsageError, match="did you mean 'main'"):
        history.base("mian")
    with pytest.raises(UsageError, match="not in a git repository"):
        History.of(tmp_path_factory.mktemp("plain"))
