"""A project that came from anybody: what lies in it, or in its `.git`, is data to plait.

No program that the repository's own settings name is run, nothing is written through its links, and what is no ordinary
file is neither read nor waited for.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from in_process import plait
from plait.errors import UsageError
from plait.store import receipt
from plait.subject.versions import git as git_versions
from plait.subject.versions.git import History, Repository, git
from plait.subject.versions.scratch import remove_tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")

COUNTER = """
class Counter:
    def __init__(self):
        self.n = 0
    def add(self):
        n = self.n
        self.n = n + {step}
        return self.n
"""
CHECK = ["check", "thing:Counter", "--max-tests", "3", "--workers", "1", "--quiet"]

# -- git ---------------------------------------------------------------------------------------------------------------

PROGRAMS = (
    "core.fsmonitor", "filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "filter.other.smudge",
    "diff.evil.command", "diff.evil.textconv", "diff.external", "core.pager", "core.editor", "core.sshCommand",
    "core.gitProxy", "core.askPass", "core.alternateRefsCommand", "gpg.program", "gpg.ssh.program",
    "credential.helper", "alias.diff", "alias.rev-parse", "remote.origin.uploadpack", "merge.evil.driver",
)  # fmt: skip
HOOKS = ("post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc", "post-command")
OTHERS = {
    "log.showSignature": "true", "filter.evil.required": "true", "gc.auto": "1", "protocol.allow": "always",
    "protocol.ext.allow": "always", "remote.origin.promisor": "true", "remote.origin.partialclonefilter": "blob:none",
    "extensions.partialClone": "origin",
}  # fmt: skip


def _program(folder, name):
    """A program that leaves its name, and gives what it is given, so that git goes on."""
    file = folder / name.replace("/", "-")
    file.write_text(f'#!/bin/sh\ntouch "{folder}/ran {name}"\ncat\n')
    file.chmod(0o755)
    return str(file)


def _commit(project, step, *options):
    (project / "thing.py").write_text(COUNTER.format(step=step))
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["add", "."], [*identity, "commit", "-qm", f"step {step}"]):
        subprocess.run(["git", *options, *words], cwd=project, check=True)


@pytest.fixture
def hostile(tmp_path):
    """A repository with two commits and a change, whose settings name programs; and where these leave their names."""
    project, marks = tmp_path / "project", tmp_path / "marks"
    for folder in (project, marks, tmp_path / "hooks"):
        folder.mkdir()
    subprocess.run(["git", "init", "-qb", "main"], cwd=project, check=True)
    (project / ".gitattributes").write_text("*.py filter=evil diff=evil\n*.md filter=other\n")
    (project / "a.md").write_text("text")
    _commit(project, 1)
    _commit(project, 2)
    (project / "thing.py").write_text(COUNTER.format(step=3))
    for name in PROGRAMS:
        mark = "!" if name.startswith("alias.") else ""
        subprocess.run(["git", "config", name, mark + _program(marks, name)], cwd=project, check=True)
    for name, value in (*OTHERS.items(), ("remote.origin.url", f"ext::{_program(marks, 'ext')}")):
        subprocess.run(["git", "config", name, value], cwd=project, check=True)
    for place in (project / ".git" / "hooks", tmp_path / "hooks"):
        place.mkdir(exist_ok=True)
        for name in HOOKS:
            os.symlink(_program(marks, f"{place.parent.name} {name}"), place / name)
    subprocess.run(["git", "config", "core.hooksPath", str(tmp_path / "hooks")], cwd=project, check=True)
    return project, marks


def _ran(marks):
    return sorted(file.name for file in marks.iterdir() if file.name.startswith("ran "))


def test_the_programs_would_run(hostile):
    """Else the tests below would prove nothing."""
    project, marks = hostile
    for words in (["diff", "HEAD"], ["checkout-index", "--force", "a.md"], ["log", "-1"]):
        subprocess.run(["git", *words], cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    assert {"ran core.fsmonitor", "ran filter.evil.process"} <= set(_ran(marks))


def test_no_program_of_a_repository_is_run(hostile, tmp_path):
    project, marks = hostile
    history = History.of(project)
    base, _name = history.base(None)
    assert history.changed_files(base) == ["thing.py"]
    assert history.changed_files(history.commit("HEAD~1"), base) == ["thing.py"]
    assert history.describe(base).subject == "step 2"
    assert history.between(history.commit("HEAD~1"), base) == [base]
    tree = tmp_path / "scratch" / "tree"
    tree.mkdir(parents=True)
    history.repository.extract(base, tree)
    assert (tree / "thing.py").read_text() == COUNTER.format(step=2)
    assert history.repository.commit("f" * 40) is None  # which the promised remote may have
    assert "unknown revision" in history.repository.explain_unknown("nonsense")
    assert _ran(marks) == []


def test_a_missing_file_is_not_had_from_a_program(hostile, tmp_path):
    """A partial clone asks its remote for what it lacks; the remote may be a program."""
    project, marks = hostile
    blob = git(project, "rev-parse", "HEAD~1:thing.py").stdout.strip()
    (project / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    tree = tmp_path / "scratch" / "tree"
    tree.mkdir(parents=True)
    repository = Repository.find(project)
    with pytest.raises(UsageError, match="git cannot check out"):
        repository.extract(repository.commit("HEAD~1"), tree)
    assert _ran(marks) == []


def test_commands_run_no_program_of_a_repository(hostile, monkeypatch):
    project, marks = hostile
    monkeypatch.chdir(project)
    limits = ["--max-tests", "2", "--workers", "1", "--budget", "20s"]
    assert plait(".", "diff", "thing:Counter", *limits, "--quiet").returncode in (0, 1, 3)
    assert plait(".", "review", "--base", "HEAD", *limits).returncode in (0, 1, 3)
    assert _ran(marks) == []


@pytest.mark.parametrize("place", ["config", "HEAD", "info/attributes", "included"])
def test_git_is_not_waited_for_for_ever(place, tmp_path, monkeypatch):
    """Where git would read a pipe that nobody writes to."""
    project = tmp_path / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-qb", "main"], cwd=project, check=True)
    _commit(project, 1)
    if place == "included":
        subprocess.run(["git", "config", "include.path", str(project / ".git" / place)], cwd=project, check=True)
    file = project / ".git" / place
    file.parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    monkeypatch.chdir(project)
    monkeypatch.setattr(git_versions, "PATIENCE_S", 2.0)
    done = plait(".", "diff", "thing:Counter", "--max-tests", "1", "--workers", "1", "--budget", "20s")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "is a file of the repository, or one that its settings name, a pipe?" in done.stderr


# -- links, pipes and devices ------------------------------------------------------------------------------------------

LINKS = {
    "the store": {".plait": "../precious"},
    "receipts": {".plait/receipts": "../../precious"},
    "what git is to ignore": {".plait/.gitignore": "../../precious/made"},
    "the lock": {".plait/lock": "../../precious/made"},
    "the database": {".plait/store.sqlite": "../../precious/file"},
    "its log": {".plait/store.sqlite-wal": "../../precious/file", ".plait/store.sqlite-shm": "../../precious/made"},
    "its journal": {".plait/store.sqlite-journal": "../../precious/made"},
    "regression tests": {"plait-out": "../precious"},
    "what is beside them": {"plait-out/conftest.py": "../../precious/a", "plait-out/.gitignore": "../../precious/b"},
    "a test itself": {"plait-out/test_counter_add_wrong_result.py": "../../precious/made"},
}
ODD = ("pyproject.toml", "plait.toml", "plait-baseline.toml", "README.md", "tests/test_thing.py", "conftest.py")


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "thing.py").write_text(COUNTER.format(step=1))
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("what", LINKS)
def test_nothing_is_written_through_a_link(what, project):
    precious = project.parent / "precious"
    precious.mkdir()
    (precious / "file").write_text("one\ntwo\nthree\nfour\nfive\n")
    for name, place in LINKS[what].items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).symlink_to(place)
    for _ in range(2):
        assert plait(".", *CHECK, "--json", "result.json").returncode == 1
        receipt.leave(["check", "x"], 0, [], "said")
    assert plait(".", *CHECK, "--update-baseline", "known").returncode in (0, 1)
    assert [entry.name for entry in precious.iterdir()] == ["file"]
    assert (precious / "file").read_text() == "one\ntwo\nthree\nfour\nfive\n"


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_what_is_no_ordinary_file_is_not_read(kind, project):
    (project / "tests").mkdir()
    for name in ODD:
        if kind == "pipe":
            os.mkfifo(project / name)
        else:
            (project / name).symlink_to("/dev/zero")
    done = plait(".", *CHECK)
    assert done.returncode == 2
    assert done.stderr == "plait: the baseline plait-baseline.toml cannot be read: it is no ordinary file\n"
    (project / "plait-baseline.toml").unlink()
    assert plait(".", *CHECK).returncode == 1
    assert plait(".", "audit", "thing.py", "--max-tests", "2", "--budget", "20s", "--workers", "1").returncode == 1


def test_a_result_goes_to_what_is_no_file_as_it_is(project):
    """A pipe or a device is written to; nothing takes its place."""
    os.mkfifo(project / "pipe")
    reader = subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, cwd=project)
    assert plait(".", *CHECK, "--json", "pipe").returncode == 1
    assert b'"schema": 1' in reader.communicate(timeout=60)[0]
    assert (project / "pipe").is_fifo()


def test_a_receipt_of_somebody_else_commands_nothing(project):
    words = ["check", "thing:Counter"]
    plait(".", *CHECK)  # which makes the store
    for said in ("\x1b[2J", "a\n::error::x", "\u202e", "##[error]"):
        receipt.leave(words, 0, [], said)
        assert receipt.answer(words) is None
    receipt.leave(words, 0, [], "plain\n")
    assert receipt.answer(words) == 0
    assert Path(".plait/receipts").is_dir()


NESTED = "x = " + "+".join(["1"] * 100_000)  # more than the parser can hold


def test_files_and_folders_that_cannot_be_read_as_others(project):
    """Folders in folders in folders, names that are no text or commands, sources that no parser can hold."""
    for folder in (project, project / "tests"):
        folder.mkdir(exist_ok=True)
        (folder / "nested.py").write_text(NESTED)
        for name in (b"\xff.py", b"a\n::error::b.py", b"test_\xff.py"):
            with open(os.fsencode(folder) + b"/" + name, "wb") as file:  # noqa: PTH123 - a path is a text
                file.write(b"from thing import Counter\nCounter()\n")
        deep = folder
        for _ in range(12):
            deep = deep / "/".join("d" * 100)
            deep.mkdir(parents=True)
    assert plait(".", *CHECK).returncode == 1
    done = plait(".", "audit", "thing.py", "--max-tests", "2", "--budget", "20s", "--workers", "1")
    assert done.returncode == 1
    assert "plait bug" not in done.stdout + done.stderr
    assert not any(line.startswith("::") for line in done.stdout.splitlines())
    remove_tree(project)
