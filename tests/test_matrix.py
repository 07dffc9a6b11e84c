"""`make matrix`: finding interpreters, counting, the table, and what is said of what cannot be had."""

import importlib.util
import re
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def matrix():
    spec = importlib.util.spec_from_file_location("matrix_tool", ROOT / "tools" / "matrix.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["matrix_tool"] = module
    spec.loader.exec_module(module)
    return module


def here():
    free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    return "{}.{}".format(*sys.version_info) + free


def test_an_interpreter_in_the_folder_is_found(matrix, tmp_path, monkeypatch):
    name = here()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert matrix.find(name, tmp_path) is None
    place = tmp_path / name / "bin" / f"python{name}"
    place.parent.mkdir(parents=True)
    place.symlink_to(sys.executable)
    assert matrix.find(name, tmp_path) == matrix.Interpreter(name, str(place))


def test_an_executable_that_is_something_else_is_not_taken(matrix, tmp_path, monkeypatch):
    other = "3.14t" if here() != "3.14t" else "3.15t"
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    (tmp_path / f"python{other}").symlink_to(sys.executable)
    assert matrix.find(other, tmp_path) is None


def test_what_cannot_be_had_is_named_and_skipped(matrix, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(matrix, "find", lambda name, folder: None)
    assert matrix.main(["--found", "--folder", str(tmp_path), "--only", "3.14", "--only", "3.15t"]) == 2
    shown = capsys.readouterr().out
    assert "3.14: skipped: not installed" in shown
    assert shown.splitlines()[-1].split() == ["3.15t", *"-" * 7, "skipped:", "not", "installed"]
    with pytest.raises(matrix.SkipError, match="no package or source"):
        matrix.set_up("3.15t", tmp_path)
    monkeypatch.setattr(matrix.os, "geteuid", lambda: 1000)
    with pytest.raises(matrix.SkipError, match="root on a Debian system"):
        matrix.set_up("3.14", tmp_path)


def test_nothing_is_started_when_time_is_over(matrix, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(matrix, "find", lambda name, folder: pytest.fail("started"))
    assert matrix.main(["--only", "3.11", "--folder", str(tmp_path), "--seconds", "-1"]) == 2
    assert "no time left" in capsys.readouterr().out


def test_reports_are_counted(matrix, tmp_path):
    file = tmp_path / "report.xml"
    file.write_text('<testsuites><testsuite tests="10" failures="1" errors="2" skipped="3"/></testsuites>')
    row = matrix.Row("3.11")
    matrix.count(file, row)
    assert (row.passed, row.failed, row.skipped, row.ran) == (4, 3, 3, True)
    assert "3.11    -        -         -       4       3       3        0" in matrix.table([row])


def test_the_clone_has_the_changes_of_the_work_tree(matrix, tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "ROOT", tmp_path / "tree")
    (tmp_path / "tree").mkdir()
    for words in (["init", "-q"], ["config", "user.email", "a@b"], ["config", "user.name", "a"]):
        matrix._checked("git", *words, folder=tmp_path / "tree")
    for name in ("kept", "changed", "gone"):
        (tmp_path / "tree" / name).write_text("old")
    matrix._checked("git", "add", "-A", folder=tmp_path / "tree")
    matrix._checked("git", "commit", "-qm", "a", folder=tmp_path / "tree")
    (tmp_path / "tree" / "changed").write_text("new")
    (tmp_path / "tree" / "gone").unlink()
    (tmp_path / "tree" / "added").write_text("new")
    commit = matrix.clone(tmp_path / "clone")
    assert re.fullmatch(r"[0-9a-f]{7,}-dirty", commit)
    files = {file.name: file.read_text() for file in (tmp_path / "clone").iterdir() if file.is_file()}
    assert files == {"kept": "old", "changed": "new", "added": "new"}


def test_a_work_tree_without_changes_is_named_by_its_commit(matrix, tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "ROOT", tmp_path / "tree")
    (tmp_path / "tree").mkdir()
    for words in (["init", "-q"], ["config", "user.email", "a@b"], ["config", "user.name", "a"]):
        matrix._checked("git", *words, folder=tmp_path / "tree")
    matrix._checked("git", "commit", "--allow-empty", "-qm", "a", folder=tmp_path / "tree")
    assert re.fullmatch(r"[0-9a-f]{7,}", matrix.clone(tmp_path / "clone"))


def test_what_a_run_says_is_written_as_it_comes(matrix, tmp_path):
    log = tmp_path / "log"
    program = f"import sys; print('early', flush=True); sys.exit('seen' if 'early' in open({str(log)!r}).read() else 1)"
    done = matrix.Interpreter(here(), sys.executable).run(sys.executable, "-c", program, log=log)
    assert done.returncode == 1
    assert log.read_text() == "early\nseen\n"


def test_a_failed_command_is_told_by_its_last_line(matrix):
    with pytest.raises(matrix.SkipError, match=r"-c failed: second$"):
        matrix._checked(sys.executable, "-c", "import sys; sys.exit('first\\nsecond\\n')")
    with pytest.raises(matrix.SkipError, match=r"-c failed: no message$"):
        matrix._checked(sys.executable, "-c", "raise SystemExit(2)")


def test_a_run_without_a_report_is_noted_in_one_line(matrix, tmp_path, monkeypatch):
    """The table has one line for each interpreter."""
    monkeypatch.setattr(matrix, "clone", lambda source: source.mkdir(parents=True) or "abc")
    monkeypatch.setattr(matrix, "install", lambda *_, **__: [])
    monkeypatch.setattr(matrix, "probe", lambda *_: None)

    class Broken(matrix.Interpreter):
        def run(self, *words, folder=None, timeout=None, log=None):
            log.write_text("in conftest:\n    import nothing\nE   ModuleNotFoundError: nothing\n\n", encoding="utf-8")
            return matrix.subprocess.CompletedProcess(words, 4)

    row = matrix.Row("3.12")
    matrix.test(Broken("3.12", "python3.12"), tmp_path, row, smoke=True, given=())
    assert (row.commit, row.failed, row.ran) == ("abc", 1, False)
    assert row.notes == ["pytest ended with 4: E   ModuleNotFoundError: nothing"]


def test_everything_the_tests_need_is_asked_for(matrix):
    assert {each.partition(">")[0] for each in matrix.requirements("dev")} > {"rapidfuzz", "pytest", "scipy"}
    assert not any("plait" in each for each in matrix.requirements("dev"))


def test_a_greenlet_is_compiled_for_3_13t_with_the_declarations_it_lacks(matrix, tmp_path, monkeypatch):
    ran = []

    class Compiler(matrix.Interpreter):
        def run(self, *words, folder=None, timeout=None, log=None):
            ran.append(words)
            return matrix.subprocess.CompletedProcess(words, 0, '{"greenlet": "3.2.2"}', "")

    matrix._build_greenlet(Compiler("3.13t", "python3.13t"), "python", tmp_path)
    header = tmp_path / "critical_sections.h"
    assert "_PyCriticalSection_SuspendAll" in header.read_text(encoding="utf-8")
    words = ran[-1]
    flags = next(word for word in words if word.startswith("CXXFLAGS="))
    assert f"-include {header}" in flags
    assert "-O" in flags  # without optimisation it switches seven times slower
    assert "--no-binary=greenlet" in words
    assert words[-1] == matrix.GREENLET


def test_a_greenlet_that_is_there_is_not_compiled_again(matrix, tmp_path, monkeypatch):
    version = matrix.GREENLET.partition("==")[2]
    monkeypatch.setattr(matrix, "probe", lambda interpreter, python: {"greenlet": version})
    monkeypatch.setattr(matrix.Interpreter, "run", lambda *words, **options: pytest.fail("compiled"))
    matrix._build_greenlet(matrix.Interpreter("3.13t", "python3.13t"), "python", tmp_path)
    assert list(tmp_path.iterdir()) == []
