"""`make wheels` without compiling anything: what is built is tried, and given out only if it says what it is."""

import ast
import importlib.util
import stat
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Stands for an interpreter: it "builds" a wheel, makes environments of itself, and its plait says SAID.
FAKE = """#!/bin/sh
case "$*" in
  "-m pip wheel"*) [ -z "$FAIL" ] || { echo "error: no compiler"; exit 1; }
    while [ "$1" != --wheel-dir ]; do shift; done
    mkdir -p "$2"; echo "$HATCH_BUILD_HOOKS_ENABLE" > "$2/plait-1-$KIND.whl" ;;
  "-m venv"*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
  "-m pip install"*) [ "$CC$CXX" = falsefalse ] ;;
  "-m plait doctor") echo "$SAID" ;;
  *) exit 9 ;;
esac
"""


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """The tool, with a clone that is nothing and every interpreter the fake one."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    spec = importlib.util.spec_from_file_location("wheels_tool", ROOT / "tools" / "wheels.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec.loader.exec_module(module)
    python = tmp_path / "python"
    python.write_text(FAKE)
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "clone", lambda target: target.mkdir(parents=True, exist_ok=True))
    there = SimpleNamespace(python=str(python), system=None)
    monkeypatch.setattr(module, "find", lambda name, _folder: None if name == "3.15" else there)
    monkeypatch.setattr(module.sys, "executable", str(python))
    monkeypatch.setenv("KIND", "any")
    return module


def test_a_wheel_that_says_what_it_is_is_given_out(wheels, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SAID", "ok engine: pure Python, engine: compiled")
    assert wheels.main(["--only", "3.12,3.15"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("3.15: skipped")
    assert [line.partition(":")[0] for line in shown[1:]] == ["pure", "3.12"]
    assert (tmp_path / "dist" / "plait-1-any.whl").read_text() == "1\n"  # the last one was built with the hook


@pytest.mark.parametrize(
    ("variable", "value", "why"), [("SAID", "engine: pure Python", "does not say"), ("FAIL", "1", "no compiler")]
)
def test_one_that_does_not_is_not(wheels, tmp_path, monkeypatch, capsys, variable, value, why):
    monkeypatch.setenv(variable, value)
    assert wheels.main(["--only", "3.12"]) == 1
    assert why in capsys.readouterr().out
    kept = list((tmp_path / "dist").iterdir())
    assert all(file.read_text() == "\n" for file in kept)  # at most the pure one
    assert len(kept) == (variable == "SAID")


def test_heirs_of_compiled_classes_are_compiled():
    """Interpreted classes cannot inherit from compiled ones: such a wheel would fail when it is imported."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]["include"]
    assert len(listed) == len(set(listed))
    classes = {
        node.name: (str(file.relative_to(ROOT)), {base.id for base in node.bases if isinstance(base, ast.Name)})
        for file in (ROOT / "src").rglob("*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    compiled = {name for name, (file, _) in classes.items() if file in listed}
    assert {"Engine", "Dpor", "LazyJudge"} <= compiled
    assert [name for name, (file, bases) in classes.items() if file not in listed and bases & compiled] == []
