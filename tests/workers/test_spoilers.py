"""Whom to blame where plait's own code fails in a process with code under test."""

import builtins
import sys

import pytest

from in_process import plait
from plait.errors import BUG, SpoiltError, own_error
from plait.workers.spoilers import Spoilers

COUNTER = """
class Counter:
    def __init__(self):
        self.n = 0
    def add(self):
        n = self.n
        self.n = n + 1
        return self.n
"""
BROKEN = {  # the end of a module, the exit code, what is said
    "an import that raises": (
        "import builtins\ndef raises(*_, **__): raise ZeroDivisionError\nbuiltins.__import__ = raises\n", 2,
        "it has replaced builtins.__import__",
    ),
    "no files any more": (
        "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))\n", 2, "it has lowered RLIMIT_NOFILE",
    ),
}  # fmt: skip
TAKEN_AWAY = {
    "a finder that raises": (
        "import sys\nclass Finder:\n    def find_spec(self, name, path=None, target=None):\n"
        "        if name.startswith('plait.'): raise ZeroDivisionError(name)\nsys.meta_path.insert(0, Finder())\n", 2,
        "(thing.py:12)",
    ),
    "no classes any more": (
        "import builtins\nbuiltins.__build_class__ = None\n", 3, "it has replaced builtins.__build_class__",
    ),
    "modules blocked": ("import sys\nsys.modules['ast'] = None\n", 2, "the module ast"),
}  # fmt: skip
"""Ends of a module that take away what plait imports: the server of the workers may have imported it before."""


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_code_that_breaks_what_plait_needs_is_blamed_for_it(name, tmp_path):
    end, code, said = BROKEN[name]
    (tmp_path / "thing.py").write_text(COUNTER + end)
    done = plait(tmp_path, "check", "thing:Counter", "--max-tests", "2", "--workers", "1", "--quiet")
    told = done.stdout + done.stderr
    assert done.returncode == code, told
    assert "code under test has broken what plait's own code needs: " in " ".join(told.split())
    assert said in " ".join(told.split())
    assert BUG not in told
    assert "Traceback" not in told


@pytest.mark.slow
@pytest.mark.parametrize("name", TAKEN_AWAY)
def test_what_plait_imports_is_taken_away(name, tmp_path):
    """The race is found by a process that has imported it, and the other one says who is to blame."""
    end, code, said = TAKEN_AWAY[name]
    (tmp_path / "thing.py").write_text(COUNTER + end)
    done = plait(tmp_path, "check", "thing:Counter", "--max-tests", "2", "--workers", "1", "--quiet")
    told = " ".join((done.stdout + done.stderr).split())
    assert done.returncode in (1, code), told
    assert ("two calls of `add` at the same time" if done.returncode == 1 else said) in told
    assert BUG not in told
    assert "Traceback" not in told


def test_a_module_of_the_project_that_plait_would_import(tmp_path):
    """It stands before the one that plait means, in a worker; what it raises is its own affair."""
    (tmp_path / "thing.py").write_text(COUNTER)
    (tmp_path / "greenlet.py").write_text("open('/nowhere/file', 'w')\n")
    done = plait(tmp_path, "check", "thing:Counter", "--max-tests", "2", "--workers", "1", "--quiet")
    assert done.returncode == 3
    assert "(greenlet.py:1)" in " ".join((done.stdout + done.stderr).split())
    assert BUG not in done.stdout + done.stderr


def raised(act):
    try:
        act()
    except Exception as error:
        return error
    raise AssertionError


def test_an_error_without_a_spoiler_is_plaits_own(monkeypatch):
    spoilers = Spoilers()
    error = raised(iter([]).__next__)
    assert spoilers.of(error) == ""
    assert own_error("trying", error).startswith(BUG)
    monkeypatch.setattr(builtins, "sorted", None)
    assert spoilers.of(error) == "it has replaced builtins.sorted"


def test_a_module_that_is_gone(monkeypatch):
    spoilers = Spoilers()
    monkeypatch.delitem(sys.modules, "json")
    assert spoilers.of(ValueError()) == "it has removed the module json"


def test_a_note_blames_whoever_it_was():
    note = own_error("trying", SpoiltError("x (y.py:1)"), kept="the rest goes on")
    assert note == "trying: code under test has broken what plait's own code needs: x (y.py:1); the rest goes on"
