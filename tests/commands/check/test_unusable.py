"""What cannot be checked: one line that says why, exit code 2, nothing written."""

from pathlib import Path

import pytest

from in_process import plait

HERE = Path(__file__).parent


def check(folder, subject, path=HERE, *options):
    return plait(folder, "check", subject, "--path", path, "--max-tests", "5", "--workers", "1", *options)


SOURCES = {
    "broken": ("def f(:\n", "cannot be read by Python"),
    "raising": ("raise RuntimeError('no')\n", "cannot be imported: RuntimeError: no"),
    "needing": ("import nothing_of_this_name\n", "it needs 'nothing_of_this_name'"),
    "dying": ("import os\nos._exit(3)\n", "cannot be imported"),
    "abstract": (
        "import abc\nclass C(abc.ABC):\n    @abc.abstractmethod\n    def f(self): ...\n",
        "is abstract (it leaves f open); give a concrete subclass",
    ),
    "empty": ("class C: pass\n", "has no public methods"),
    "unbuildable": (
        "class C:\n    def __init__(self, part): raise ValueError('no')\n    def f(self): return 1\n",
        "cannot be built from its signature (ValueError: no); give an expression that builds one: factories = [...]",
    ),
    "unknown": (
        "class P:\n    def __init__(self, above: 'P'): pass\n"
        "class C:\n    def __init__(self, part: P): pass\n    def f(self): return 1\n",
        "(no value is known for `part: unknown.P`); give an expression that builds one: values = { part = [",
    ),
    "guarded": (
        "if __name__ == '__main__':\n    class C:\n        def f(self): return 1\n",
        "guarded has no 'C' when it is imported: it stands under `if __name__ == '__main__':` (line 1); move it out",
    ),
    "local": (
        "def make():\n    class C:\n        def f(self): return 1\n    return C\n",
        "local has no 'C': it is local to `make` (line 1); move it to the top of the module",
    ),
    "blank": ("", "blank has no 'C': the file is empty"),
    "asynchronous": (
        "class C:\n    async def f(self): ...\n    async def g(self): ...\n",
        "asynchronous:C has only asynchronous methods (f, g)",
    ),
}


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_one_line_and_exit_code_2(name, tmp_path):
    source, said = SOURCES[name]
    project = tmp_path / "project"
    project.mkdir()
    (project / f"{name}.py").write_text(source)
    work = tmp_path / "work"
    work.mkdir()
    done = check(work, f"{name}:C", project)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert list(work.iterdir()) == []


def test_settings_for_a_misspelt_subject(tmp_path):
    (tmp_path / "shop.py").write_text("class Stock:\n    def take(self): return 1\n")
    (tmp_path / "plait.toml").write_text('[subject."shop:Stok"]\nexclude = []\n')
    done = check(tmp_path, "shop:Stock", tmp_path)
    assert done.returncode == 2
    assert 'subject."shop:Stok"]: there is no shop:Stok; did you mean shop:Stock?' in done.stderr
    (tmp_path / "shop.py").write_text("class Stok:\n    pass\nclass Stock:\n    def take(self): return 1\n")
    assert check(tmp_path, "shop:Stock", tmp_path).returncode != 2


def test_a_file_that_is_no_text_in_utf_8(tmp_path):
    (tmp_path / "latin.py").write_bytes(b'class C:\n    """caf\xe9"""\n    def f(self): return 1\n')
    done = check(tmp_path, "latin.py:C", tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "latin.py:2" in done.stderr
    assert "utf-8" in done.stderr.lower()  # Python's own words, which have changed


def test_a_file_that_is_no_python(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "needs.py").write_text("")
    done = check(tmp_path, "notes.txt:C", tmp_path)
    assert (done.returncode, done.stderr) == (2, "plait: notes.txt:C: notes.txt is not a Python source file (.py)\n")


def test_a_misspelled_class(tmp_path):
    done = check(tmp_path, "subjects:Conter")
    assert done.returncode == 2
    assert "did you mean Counter" in done.stderr
