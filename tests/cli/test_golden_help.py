"""What `plait --help`, `plait COMMAND --help` and `plait doctor` say, compared with golden files."""

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from plait import __version__
from plait.cli import main
from plait.commands import doctor
from plait.run import engine

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(ROOT)  # where all commands are available


def said(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main.main(list(words)))
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_the_overview(capsys, golden):
    text = said(capsys, "--help")
    assert len(text.splitlines()) <= 24
    golden("help/plait.txt", text)


@pytest.mark.parametrize("name", ["--help", *main.COMMANDS])
def test_help_leads_to_no_file_that_only_the_repository_has(name, capsys):
    """An installed package has neither documents nor benchmarks."""
    text = said(capsys, name) if name == "--help" else said(capsys, name, "--help")
    assert re.findall(r"\b(?:docs|benchmarks|tools|action)/\S*|\S+\.md\b", text) == []


@pytest.mark.parametrize("name", main.COMMANDS)
def test_the_help_of_a_command(name, capsys, golden):
    text = said(capsys, name, "--help")
    assert all(len(line) <= 80 for line in text.splitlines())
    golden(f"help/{name}.txt", text)


@pytest.fixture
def somewhere(monkeypatch):
    """An installation that is the same everywhere."""
    monkeypatch.setattr(platform, "python_version", lambda: "3.11.7")
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(engine, "__file__", "engine.py")
    monkeypatch.setattr(doctor.sysconfig, "get_config_var", lambda _: 0)
    layers = {"in_force": {"limits": "files", "landlock": "ABI 7", "seccomp": ""}, "missing": {}}
    monkeypatch.setattr(doctor, "_confined", lambda: layers)
    monkeypatch.setattr(doctor, "_cache", lambda: "rewritten code is kept in ~/.cache/plait")


def printed(capsys):
    code = doctor.run_doctor(None)
    text = capsys.readouterr().out.replace(__version__, "N")
    return code, re.sub(r"in [\d.]+ ms", "in N ms", text)


def test_doctor_where_everything_is_there(somewhere, monkeypatch, capsys, golden):
    monkeypatch.setattr(doctor, "_version", lambda _: "1.2.3")
    monkeypatch.setattr(shutil, "which", lambda _: "git")
    code, text = printed(capsys)
    assert code == 0
    golden("doctor/everything.txt", text)


def test_doctor_says_that_the_engine_is_compiled(somewhere, monkeypatch, capsys):
    monkeypatch.setattr(engine, "__file__", "engine.cpython-311-x86_64-linux-gnu.so")
    assert "ok      engine: compiled\n" in printed(capsys)[1]


def test_doctor_where_all_that_can_be_missing_is(somewhere, monkeypatch, capsys, golden):
    def broken():
        raise PermissionError(13, "Permission denied")

    layers = {"in_force": {"limits": ""}, "missing": {"namespaces": "not permitted", "landlock": "no such thing"}}
    monkeypatch.setattr(doctor, "_confined", lambda: layers)
    monkeypatch.setattr(doctor, "_version", lambda _: None)
    monkeypatch.setattr(doctor, "_cache", broken)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    find = doctor.importlib.util.find_spec
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: None if "pip" in name else find(name))
    code, text = printed(capsys)
    assert code == 2
    golden("doctor/nothing.txt", text)


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
def test_golden_files_are_all_used():
    """A file that no test writes any more would stay for ever."""
    tracked = subprocess.run(["git", "ls-files", "tests/golden"], cwd=ROOT, capture_output=True, text=True, check=True)
    folders = {Path(name).parts[2] for name in tracked.stdout.splitlines()}
    tests = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("*.py"))
    assert [name for name in sorted(folders) if f"{name}/" not in tests] == []
