"""What was answered is answered again without a look into the store, as long as everything is as it was."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from plait.store import receipt
from plait.store.database import FILE, FOLDER
from plait.store.receipts import _files, _names_of
from plait.subject.name import Subject
from plait.subject.versions.version import Version

WORDS = ["diff", "a:A", "--json", "result.json"]
OLD = "import json\nclass A:\n    def __init__(self):\n        self.n = 0\n\n    def add(self):\n        self.n += 1\n"
NEW = OLD.replace("self.n += 1", "self.n = self.n + 1")


@pytest.fixture
def left(tmp_path, monkeypatch):
    """A receipt that depends on a file, on one that is not there, and on a folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    Path("a.py").write_text("a = 1\n")
    Path("tests").mkdir()
    Path("tests/test_a.py").write_text("import a\n")
    Path(".plait").mkdir()
    Path(receipt.STORE).write_bytes(b"store")
    receipt.leave(WORDS, 1, ["a.py", "json.py", "tests"], "said ü\n", '{"written": 1}\n')


def test_it_looks_at_the_store_that_commands_use():
    """It says so itself, because importing the store takes longer than an answer may."""
    assert f"{FOLDER}/{FILE}" == receipt.STORE
    assert receipt.FOLDER.startswith(f"{FOLDER}/")


def test_it_is_given_out_again(left, capsys):
    assert receipt.answer(WORDS) == 1
    assert capsys.readouterr().out == "said ü\n"
    assert Path("result.json").read_text() == '{"written": 1}\n'
    assert sorted(os.listdir()) == [".plait", "a.py", "result.json", "tests"]


def test_it_is_for_one_width(left, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    assert receipt.answer(WORDS) is None
    monkeypatch.delenv("COLUMNS")
    assert receipt.answer(WORDS) == 1


@pytest.mark.parametrize(
    "happens",
    [
        lambda: Path("a.py").write_text("a = 2\n"), lambda: Path("a.py").unlink(),
        lambda: Path("json.py").write_text(""), lambda: Path("tests/test_b.py").write_text(""),
        lambda: Path("tests/test_a.py").write_text("import b\n"), lambda: Path("tests/test_a.py").unlink(),
        lambda: Path(receipt.STORE).write_bytes(b"more than that"), lambda: Path(receipt.STORE).unlink(),
        lambda: Path(f"{receipt.STORE}-wal").write_bytes(b"somebody is writing"),
        lambda: sys.path.append("site") or Path("site/a-2.0.dist-info").mkdir(parents=True),
    ],
)  # fmt: skip
def test_it_counts_for_nothing_when_something_has_changed(left, happens, capsys, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    happens()
    assert receipt.answer(WORDS) is None
    assert capsys.readouterr().out == ""
    assert not Path("result.json").exists()


def test_other_words_and_other_folders_have_other_receipts(left, tmp_path, monkeypatch):
    assert receipt.answer([*WORDS, "--seed", "1"]) is None
    os.rename(tmp_path, tmp_path.with_name("moved"))
    monkeypatch.chdir(tmp_path.with_name("moved"))
    assert receipt.answer(WORDS) is None


def test_plait_itself_is_part_of_it(left, tmp_path, monkeypatch):
    (tmp_path / "plait").mkdir()
    monkeypatch.setattr(receipt, "__file__", str(tmp_path / "plait" / "receipt.py"))
    assert receipt.answer(WORDS) is None


def test_it_goes_to_no_terminal(left, monkeypatch):
    monkeypatch.setattr(os, "isatty", lambda descriptor: True)
    assert receipt.answer(WORDS) is None


@pytest.mark.parametrize(
    ("words", "target", "others"),
    [
        (["diff"], None, ("diff",)), (["diff", "--json", "a", "b"], "a", ("diff", "b")), (["--json=a"], "a", ()),
        (["--json", "a", "--json=b"], "b", ()),
        (["--json", "-"], None, ("--json=-",)), (["--json"], None, ("--json",)),
    ],
)  # fmt: skip
def test_where_to_write_is_in_the_words(words, target, others):
    assert receipt._parted(words) == (target, others)


def test_another_file_for_the_result_makes_no_difference(left, capsys):
    receipt.leave(WORDS, 1, [], f"plait replay '{receipt.TARGET}' --step\n", "{}\n")
    assert receipt.answer(["diff", "a:A", "--json=an other.json"]) == 1
    assert capsys.readouterr().out == "plait replay 'an other.json' --step\n"
    assert Path("an other.json").read_text() == "{}\n"
    assert receipt.answer(["diff", "a:A"]) is None
    assert receipt.answer(["diff", "a:A", "--json", "-"]) is None
    assert receipt.answer(["diff", "a:A", "--json", "tests"]) is None, "a folder"
    assert sorted(os.listdir()) == [".plait", "a.py", "an other.json", "tests"]


def test_a_damaged_one_is_none(left, capsys):
    (file,) = Path(receipt.FOLDER).iterdir()
    sound = file.read_bytes()
    dice = Random(5)
    for _ in range(200):
        raw = bytearray(sound)
        raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
        file.write_bytes(bytes(raw if dice.random() < 0.7 else raw[: dice.randrange(len(raw))]))
        assert receipt.answer(WORDS) is None
    file.write_text(f"{receipt._digest('nonsense')}\nnonsense")
    assert receipt.answer(WORDS) is None
    assert capsys.readouterr().out == ""


def test_old_ones_go_when_the_store_has_changed(left):
    receipt.leave(["check", "a:A"], 0, ["a.py"], "said\n")
    assert len(list(Path(receipt.FOLDER).iterdir())) == 2
    Path(receipt.STORE).write_bytes(b"more than that")
    receipt.leave(["check", "b:B"], 0, ["a.py"], "said\n")
    assert len(list(Path(receipt.FOLDER).iterdir())) == 1


def _plait(folder, *words):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "plait", *words], cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return done.stdout, "plait.cli.main" not in done.stderr


def test_a_comparison_is_not_looked_up_twice(tmp_path):
    for side, text in (("old", OLD), ("new", NEW)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.py").write_text(text)
    words = ("diff", "a:A", "--old", "dir:old", "--new", "dir:new", "--max-tests", "4", "--json", "r.json")
    _, quick = _plait(tmp_path, *words)
    assert not quick
    (receipt_file,) = (tmp_path / receipt.FOLDER).iterdir()
    said, quick = _plait(tmp_path, *words)
    assert quick
    written = _written(tmp_path)
    receipt_file.unlink()
    looked_up, quick = _plait(tmp_path, *words)
    assert not quick
    assert _without_times(looked_up) == _without_times(said)
    assert _written(tmp_path) == written
    (tmp_path / "new" / "threading.py").write_text("")  # nothing imports it
    assert _plait(tmp_path, *words)[1]
    (tmp_path / "new" / "json.py").write_text("")  # now it is a part of the new version
    said, quick = _plait(tmp_path, *words)
    assert not quick
    assert "nothing has changed" not in said


def _without_times(text):
    return re.sub(r"\d+\.\d s", "? s", text)


def _written(folder):
    """What a result file says, but for the time and for what held around code that a looked-up answer does not run."""
    return {**json.loads((folder / "r.json").read_text()), "elapsed_s": None, "confinement": None}


@pytest.mark.parametrize(
    ("kind", "root", "file", "certain"),
    [
        ("folder", "", None, True), ("worktree", "src", None, True), ("worktree", "deep/down", None, False),
        ("release", "", None, True), ("worktree", "deep", "deep/a.py", True), ("folder", "deep", "deep/a.py", False),
    ],
)  # fmt: skip
def test_none_is_left_where_files_may_come_between(kind, root, file, certain):
    subject = Subject("a", "A", file=None if file is None else Path("p", file))
    version = Version("v", Path("p", root), kind, project=Path("p"))
    before = ["p/a/__init__.py", "p/a.py"] if root == "src" else []
    assert _files(version, subject, ("p/x.py",)) == (["p/x.py", *before] if certain else None)
    assert _files(version, subject, None) is None


def test_what_a_revision_is_called_is_part_of_it(tmp_path, monkeypatch):
    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True)

    git("init", "-q", "-b", "trunk")
    git("commit", "-q", "--allow-empty", "-m", "1")
    monkeypatch.chdir(tmp_path)
    version = Version("HEAD (0123456789)", tmp_path / "scratch", "revision", origin=tmp_path)

    def asked(name):
        found = _names_of(name, version)
        return None if found is None else [receipt.receipt_state(path) for path in found]

    names = ("HEAD", "HEAD~1", "trunk^", "v1")
    first = {name: asked(name) for name in names}
    assert {name: asked(name) for name in names} == first
    git("tag", "v1")
    assert [name for name in names if asked(name) != first[name]] == ["v1"]
    git("commit", "-q", "--allow-empty", "-m", "2")
    second = {name: asked(name) for name in names}
    assert [name for name in names if second[name] != first[name]] == list(names)
    git("pack-refs", "--all")
    git("checkout", "-q", "--detach")
    assert all(asked(name) != second[name] for name in names)
    assert asked("HEAD@{1}") is asked(":/1") is asked("--all") is None
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".git").write_text("gitdir: elsewhere")
    assert _names_of("HEAD", Version("HEAD", tmp_path, "revision", origin=tmp_path / "linked")) is None
