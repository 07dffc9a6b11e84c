"""What processes with code under test answer is checked: it may be a lie, but it has the form that is expected."""

import pytest

from in_process import plait
from plait.commands.perf.answers import checked_author, checked_load
from plait.run.native.load import describe

OPENED = {"files": ["x.py"], "version": "3.11", "implementation": "CPython", "gil": True, "layers": {}}
TIMES = {"whole": [5, 6], "suffix": [2.5, 3]}
PROFILE = {"locks": [{"lock": "a", "acquired": 1, "contended": 0, "wait_ns": 0}], "thread_ns": 7}
TRUE = [
    (checked_load, "open", OPENED),
    (checked_load, "load", {}),
    (checked_load, "measure", TIMES),
    (checked_load, "trial", {"bad": []}),
    (checked_load, "trial", {"prefix": 0, "reason": "no"}),
    (checked_load, "profile", PROFILE),
    (checked_author, "open", {"methods": ["add"]}),
    (checked_author, "focus", {}),
    (checked_author, "next", {"test": None}),
]
LIES = [
    (checked_load, "open", OPENED | {"files": []}),
    (checked_load, "open", OPENED | {"files": [5]}),
    (checked_load, "open", OPENED | {"version": {"a": 1}}),
    (checked_load, "open", {"files": ["x.py"]}),
    (checked_load, "measure", {}),
    (checked_load, "measure", {"whole": [], "suffix": []}),
    (checked_load, "measure", {"whole": [5], "suffix": []}),
    (checked_load, "measure", {"whole": [0, 5], "suffix": [1.0, 1.0]}),
    (checked_load, "measure", {"whole": [-5, 5], "suffix": [1.0, 1.0]}),
    (checked_load, "measure", {"whole": [10**400], "suffix": [1.0]}),
    (checked_load, "measure", {"whole": [5], "suffix": [float("nan")]}),
    (checked_load, "measure", {"whole": ["x"], "suffix": [1.0]}),
    (checked_load, "trial", {}),
    (checked_load, "trial", {"prefix": 0}),
    (checked_load, "trial", {"bad": ["x"]}),
    (checked_load, "trial", {"bad": [[0, 0]]}),
    (checked_load, "profile", PROFILE | {"thread_ns": 0}),
    (checked_load, "profile", PROFILE | {"locks": [{"lock": 5}]}),
    (checked_author, "open", {"methods": [5]}),
    (checked_author, "open", {}),
    (checked_author, "next", {}),
]


@pytest.mark.parametrize(("check", "do", "answer"), TRUE)
def test_an_answer_of_the_expected_form_is_taken(check, do, answer):
    assert check(do, answer) == answer


@pytest.mark.parametrize(("check", "do", "answer"), LIES)
def test_an_answer_of_another_form_is_none(check, do, answer):
    with pytest.raises(ValueError, match=r"\w"):
        check(do, answer)


class Meta(type):
    @property
    def __name__(cls):
        raise ZeroDivisionError


class Dumb(Exception, metaclass=Meta):
    def __str__(self):
        raise SystemExit


def test_an_error_that_cannot_say_what_it_is_is_described():
    assert describe(Dumb()) == "Dumb: <its text raised SystemExit>"
    assert describe(ValueError("x\ny")) == "ValueError: x"


COUNTER = """
import os, json
class Counter:
    def __init__(self):
        self.n = 0
    def add(self):
        self.n += {step}
"""
WRONG = {  # what the module of both versions begins with, and what is said of it
    "no times": ("{forge}.update(whole=[]) if 'whole' in tree else None", 3, "its times are none"),
    "no methods": ("{forge}.pop('methods', None)", 2, "what is no answer: _Methods were expected"),
    "another test": ("{forge}.update(test={'a': 5}) if tree.get('test') else None", 2, "KeyError in a test"),
    "errors that are no text": ("{forge}.update(error=[5])", 2, "the process sent what is no answer"),
    "calls that there are not": (
        "{forge}.update(bad=[[99, 0, 'x']]) if 'bad' in tree else None", 3, "the process sent what is no answer",
    ),
}  # fmt: skip
FORGER = """
real = json.dumps
def dumps(tree, **options):
    {act}
    return real(tree, **options)
json.dumps = dumps
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_a_process_that_lies_is_told_in_one_line(name, tmp_path):
    act, code, said = WRONG[name]
    for version, step in (("old", 1), ("new", 2)):
        (tmp_path / version).mkdir()
        forger = FORGER.replace("{act}", act.replace("{forge}", "tree"))
        (tmp_path / version / "thing.py").write_text(COUNTER.replace("{step}", str(step)) + forger)
    words = ["--old", "dir:old", "--new", "dir:new", "--budget", "8s", "--max-tests", "1", "--threads", "2"]
    done = plait(tmp_path, "perf", "thing:Counter", *words)
    assert done.returncode == code
    assert said in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("what", ["while True: pass\n", "class E(Exception):\n    __str__ = lambda _: 5\nraise E\n"])
def test_an_import_ends_with_the_budget(what, tmp_path):
    for version in ("old", "new"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "thing.py").write_text(COUNTER.replace("{step}", "1") + what)
    done = plait(tmp_path, "perf", "thing:Counter", "--old", "dir:old", "--new", "dir:new", "--budget", "0.1s")
    assert done.returncode == 2
    assert "thing:Counter cannot be imported: " in done.stderr
    assert done.stderr.count("\n") == 1
