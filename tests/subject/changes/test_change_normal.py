"""Normal forms: what is the same code, and what is not."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from plait.subject.changes.normal import normal
from plait.subject.source import function_hashes

SAME = [
    ("def f(a): return a", "def f(a):\n    '''doc'''\n    return (a)  # comment"),
    ("def f(a): x = a; return x", "def f(a): y = a; return y"),
    ("def f(a): return [x for x in a if x]", "def f(a): return [item for item in a if item]"),
    ("def f(a): return [x for x in a]", "def f(a): return [a for a in a]"),
    ("def f(): return lambda x: x + 1", "def f(): return lambda y: y + 1"),
    ("def f(a):\n try: g()\n except E as e: h(e)", "def f(a):\n try: g()\n except E as error: h(error)"),
    ("def f(a):\n with a as b: b()", "def f(a):\n with a as c: c()"),
    ("def f(a):\n import os.path as p\n return p", "def f(a):\n import os.path as q\n return q"),
    ("def f(a):\n if (n := a()): return n", "def f(a):\n if (m := a()): return m"),
    ("def f(a):\n x: int = 1\n return x", "def f(a):\n x = 1\n return x"),
    ("def f(a):\n x: int\n x = 1\n return x", "def f(a):\n x = 1\n return x"),
    ("def f(a: int, *, b: str = 'x') -> None: g(a, b)", "def f(a, *, b='x'): g(a, b)"),
    ("def f():\n x = 0\n def g():\n  nonlocal x\n  x += 1", "def f():\n n = 0\n def g():\n  nonlocal n\n  n += 1"),
    ("def f(a):\n match a:\n  case [x, *y]: return x, y", "def f(a):\n match a:\n  case [p, *q]: return p, q"),
    ("def f(a):\n match a:\n  case {1: v, **r}: g(v, r)", "def f(a):\n match a:\n  case {1: w, **s}: g(w, s)"),
    ("def f(x=y):\n y = 1\n return y", "def f(x=y):\n z = 1\n return z"),
    ("def f():\n pass\n return u'x'", "def f():\n return 'x'"),
    ("def f():\n class C:\n  x = 1\n y = 2\n return C, y", "def f():\n class C:\n  x = 1\n z = 2\n return C, z"),
]  # fmt: skip

DIFFERENT = [
    ("def f(a): return a", "def f(b): return b"),
    ("def f(a): x = a; return x", "def f(a): x = a; return a"),
    ("def f(a): x = a; y = 1; return x", "def f(a): x = a; y = 1; return y"),
    ("def f(): return x", "def f(): return y"),
    ("def f():\n global x\n x = 1", "def f():\n global y\n y = 1"),
    ("def f():\n x = 1\n def g(): return x\n return g", "def f():\n x = 1\n def g(): return y\n return g"),
    ("def f(): return 1", "def f(): return True"),
    ("def f(): return 1", "def f(): return 1.0"),
    ("def f(a, b=1): pass", "def f(a, *, b=1): pass"),
    ("def f(*, a, b=1): pass", "def f(*, a=1, b): pass"),
    ("@d\ndef f(): pass", "def f(): pass"),
    ("async def f(): pass", "def f(): pass"),
    ("def f(a): x = a; return locals()", "def f(a): y = a; return locals()"),
    ("def f(a):\n a.x = 1", "def f(a):\n a.y = 1"),
    ("def f(a): g(k=a)", "def f(a): g(l=a)"),
    ("def f(a):\n for x in a: x()\n else: y()", "def f(a):\n for x in a: x()\n y()"),
    ("def f():\n import os\n return os", "def f():\n import sys\n return sys"),
    ("def f():\n class C:\n  x = 1\n return C", "def f():\n class C:\n  y = 1\n return C"),
    ("def f():\n x = 1\n class C:\n  def g(self): return x", "def f():\n y = 1\n class C:\n  def g(self): return x"),
]  # fmt: skip


def form(text):
    return normal(ast.parse(dedent(text)).body[0])


@pytest.mark.parametrize(("one", "other"), SAME)
def test_same(one, other):
    assert form(one) == form(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different(one, other):
    assert form(one) != form(other)


def test_local_names_can_be_kept():
    one, other = (ast.parse(f"def f():\n {name} = 1\n return {name}").body[0] for name in "xy")
    assert normal(one) == normal(other)
    assert normal(one, rename_locals=False) != normal(other, rename_locals=False)


MODULE = """
LIMIT = 1

def f(a):
    def inner():
        return a
    return inner

class C:
    STEP = 1

    def get(self):
        return self.STEP
"""


def hashes(tmp_path, text):
    (tmp_path / "pkg").mkdir(exist_ok=True)
    (tmp_path / "pkg" / "m.py").write_text(text)
    return function_hashes(tmp_path, ["pkg.m", "pkg.missing"])


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("LIMIT = 1", "LIMIT = 2", {"<module>"}),
        ("STEP = 1", "STEP = 2", {"C"}),
        ("class C:", "class C(Exception):", {"C"}),
        ("return self.STEP", "return self.STEP + 1", {"C.get"}),
        ("        return a", "        return a + 1", {"f", "f.<locals>.inner"}),
        ("return inner", "return inner  # comment", set()),
        ("    return inner", "    '''doc'''\n\n    return (inner)", set()),
    ],
)
def test_function_hashes_tell_what_changed(tmp_path, before, after, changed):
    assert before in MODULE
    old, new = hashes(tmp_path, MODULE), hashes(tmp_path, MODULE.replace(before, after))
    assert set(old) == {f"pkg.m:{name}" for name in ("<module>", "f", "f.<locals>.inner", "C", "C.get")}
    assert {name.partition(":")[2] for name in old if old[name] != new[name]} == changed
    assert all(len(value) == 64 for value in old.values())


def test_hashes_are_the_same_on_every_python(tmp_path):
    found = [shutil.which(f"python3.{minor}") for minor in (12, 13)]
    found += [str(path) for minor in (12, 13) for path in Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python")]
    other = next((python for python in found if python and _works(python)), None)
    if other is None:
        pytest.skip("no second Python here")
    here = hashes(tmp_path, MODULE)
    program = """
import json, pathlib, sys
from plait.subject.source import function_hashes
print(json.dumps(function_hashes(pathlib.Path(sys.argv[1]), ["pkg.m"])))
"""
    src = Path(__file__).parents[3] / "src"
    answer = subprocess.run(
        [other, "-c", program, str(tmp_path)], env={"PYTHONPATH": str(src)}, capture_output=True, text=True, check=True
    )
    assert json.loads(answer.stdout) == here


def _works(python):
    answer = subprocess.run([python, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True)
    return answer.returncode == 0 and answer.stdout.strip() != str(sys.version_info[:2])
