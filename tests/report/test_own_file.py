"""Files that plait may renew are its own ones; those of others keep their names."""

import os
import re
import subprocess
import sys
import threading
from dataclasses import replace

from report_samples import checked, compared

from plait.judge.oracle.causes import cause
from plait.report.reproducer import write_own, write_reproducer


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def test_the_same_thing_keeps_its_file(tmp_path):
    for text in ("a = 1\n", "a = 2\n", "a = 2\n"):
        assert write_own(tmp_path, "x", text, "one", "thing") == tmp_path / "x.py"
        assert (tmp_path / "x.py").read_text(encoding="utf-8").startswith(text)
    assert names(tmp_path) == ["x.py"]


def test_another_thing_gets_a_number_and_keeps_it(tmp_path):
    for _ in range(2):
        assert write_own(tmp_path, "x", "a = 1\n", "one").name == "x.py"
        assert write_own(tmp_path, "x", "a = 1\n", "two").name == "x_2.py"
        assert write_own(tmp_path, "x", "a = 1\n", "three").name == "x_3.py"
    assert names(tmp_path) == ["x.py", "x_2.py", "x_3.py"]


def test_what_others_wrote_or_edited_is_left_alone(tmp_path):
    foreign = {"x.py": b"mine = 1\n", "x_2.py": b"\xff\xfe", "x_4.py": b""}
    for name, content in foreign.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "x_3.py").mkdir()
    first = write_own(tmp_path, "x", "a = 1\n", "one")
    assert first.name == "x_5.py"
    edited = first.read_text(encoding="utf-8").replace("a = 1", "a = 1  # kept since we know why")
    first.write_text(edited, encoding="utf-8")
    assert write_own(tmp_path, "x", "a = 2\n", "one").name == "x_6.py"
    assert first.read_text(encoding="utf-8") == edited
    assert {name: (tmp_path / name).read_bytes() for name in foreign} == foreign


def test_text_that_no_encoding_has_can_be_renewed(tmp_path):
    for _ in range(2):
        assert write_own(tmp_path, "x", '"""\ud800"""\n', "one").name == "x.py"
    assert "ud800" in (tmp_path / "x.py").read_text(encoding="utf-8")


def test_of_several_writers_each_gets_a_file(tmp_path):
    made = []

    def write(topic):
        made.append(write_own(tmp_path, "x", f"a = {topic}\n", topic))

    threads = [threading.Thread(target=write, args=(str(number),)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == len(names(tmp_path)) == 6


def test_a_finding_is_the_same_when_lines_move_and_when_the_old_version_is_another_commit():
    (finding,) = compared().findings
    before = cause(finding)
    finding.race = [replace(step, line=step.line + 7) for step in finding.race]
    assert cause(finding) == before
    named = [
        [replace(step, file=f"{label}:{step.file}", version=label) for step in finding.race]
        for label in ("HEAD (0123456789)", "HEAD (abcdef0123)")
    ]
    said = set()
    for finding.race in named:
        said.add(cause(finding))
    assert len(said) == 1
    finding.race = [replace(step, code="pass") for step in finding.race]
    assert cause(finding) not in said


def test_a_second_run_renews_the_regression_test(tmp_path):
    (finding,) = checked().findings

    def written(subject="account:Account"):
        return write_reproducer(finding, subject, tmp_path / "out", tmp_path, [])

    first = written()
    finding.summary = "the same, in other words"
    assert written() == first
    assert "in other words" in first.read_text(encoding="utf-8")
    assert written("bank.account:Account") != first
    finding.race = None
    assert written() not in (first, written("bank.account:Account"))


def collected(folder, *arguments):
    """The tests that plain pytest, without plug-ins of plait, finds there."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:plait", "--collect-only", "-q", "--no-header", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # pytest's own files are not looked at here
    )  # fmt: skip
    return sorted(re.findall(r"^([\w./-]+::\w+)", done.stdout, re.MULTILINE))


def test_the_folder_disturbs_neither_pytest_nor_git(tmp_path):
    out = tmp_path / "plait-out"
    write_own(out, "test_x", "def test_x():\n    pass\n", "one")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "conftest.py").write_text("VALUE = 1\n", encoding="utf-8")
    (tmp_path / "tests" / "test_y.py").write_text("from conftest import VALUE\ndef test_y(): pass\n", encoding="utf-8")
    own, by_name = ["tests/test_y.py::test_y"], ["plait-out/test_x.py::test_x"]
    assert collected(tmp_path) == collected(tmp_path, ".") == own
    assert collected(tmp_path, "plait-out/test_x.py") == collected(tmp_path, "plait-out") == by_name
    assert collected(tmp_path, "plait-out/test_x.py::test_x", "tests") == [*by_name, *own]
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    seen = subprocess.run([*git, "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True).stdout
    assert seen.split() == ["??", "tests/conftest.py", "??", "tests/test_y.py"]


def test_what_somebody_has_put_into_the_folder_stays(tmp_path):
    out = tmp_path / "plait-out"
    out.mkdir()
    (out / ".gitignore").write_text("!keep\n", encoding="utf-8")
    write_own(out, "test_x", "a = 1\n", "one")
    assert (out / ".gitignore").read_text(encoding="utf-8") == "!keep\n"
