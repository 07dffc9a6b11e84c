"""What findings of every kind leave behind fails by name once the code that it is about has gone; it never passes."""

import re
import runpy

import pytest

from in_process import plait

SOURCE = '''
"""Shared between threads."""
import threading


class Counter:
    def __init__(self):
        self.value = 0

    def add(self, by):
        value = self.value
        self.value = value + by


class Listeners:
    def __init__(self):
        self.all = {}

    def add(self, name):
        self.all[name] = 1

    def fire(self):
        return [name for name in self.all]


class Bank:
    def __init__(self):
        self._one = threading.Lock()
        self._two = threading.Lock()
        self.moved = 0

    def add(self, amount):
        with self._one, self._two:
            self.moved += amount

    def take(self, amount):
        with self._two, self._one:
            self.moved -= amount


class Room:
    def __init__(self):
        self.inside = 0

    def add(self):
        before = self.inside
        self.inside = before + 1
        before = self.inside
        self.inside = before - 1
        while self.inside:
            pass


class Registry:
    known = {}

    def size(self):
        return len(self.known)

    @classmethod
    def add(cls, name):
        if name not in cls.known:
            cls.known[name] = object()
        return cls.known[name]


_seen = {}


def add(page):
    _seen[page] = _seen.get(page, 0) + 1
    return _seen[page]
'''
SOUND = SOURCE.replace(
    "        value = self.value\n        self.value = value + by",
    "        with _lock:\n            self.value = self.value + by",
).replace("_seen = {}", "_seen = {}\n_lock = threading.Lock()")
KINDS = {
    "wrong-result": ("check", "Counter"), "exception": ("check", "Listeners"), "deadlock": ("check", "Bank"),
    "hang": ("check", "Room"), "class method": ("check", "Registry"), "module function": ("check", "add"),
    "difference": ("diff", "Counter"),
}  # fmt: skip


@pytest.fixture(scope="module", params=KINDS)
def left(request, tmp_path_factory):
    """The folder, the class or function, and the reproducer of a finding of this kind."""
    command, name = KINDS[request.param]
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop.py").write_text(SOURCE, encoding="utf-8")
    words = ["--max-tests", 3 if name == "Room" else 30, "--workers", 1, "--quiet"]
    if command == "diff":
        (folder / "old").mkdir()
        (folder / "old" / "shop.py").write_text(SOUND, encoding="utf-8")
        words += ["--old", "dir:old"]
    done = plait(folder, command, f"shop:{name}", *words)
    assert done.returncode == 1, done.stdout + done.stderr
    suffix = {"deadlock": "deadlock", "hang": "hang", "difference": "difference"}.get(request.param, "*")
    found = sorted(each for each in (folder / "plait-out").glob(f"test_*_{suffix}.py") if "add" in each.name)
    assert found, list((folder / "plait-out").iterdir())
    return folder, name, found[0]


def said(folder, reproducer, source):
    """What the reproducer says about a source; empty if it passes."""
    if source is None:
        (folder / "shop.py").unlink(missing_ok=True)
    else:
        (folder / "shop.py").write_text(source, encoding="utf-8")
    (test,) = (value for key, value in runpy.run_path(str(reproducer)).items() if key.startswith("test_"))
    try:
        test()
    except AssertionError as error:
        return str(error)
    return ""


def test_a_reproducer_names_what_has_gone(left):
    folder, name, reproducer = left
    is_function = name == "add"
    own = SOURCE if is_function else SOURCE.partition(f"class {name}")[2].partition("\n\n\n")[0]
    renamed, asked = own.replace("def add(", "def put("), re.sub(r"def add\((self|cls)?,? ?", _with_more, own)
    if is_function:  # the classes before it have methods of that name
        head, _, tail = SOURCE.rpartition("def add(")
        own, renamed, asked = SOURCE, f"{head}def put({tail}", f"{head}def add(why, how, {tail}"
    assert "add" in said(folder, reproducer, SOURCE.replace(own, renamed)).splitlines()[0]
    text = said(folder, reproducer, SOURCE.replace(own, asked))
    assert "cannot be called as" in text.splitlines()[0], text
    if not is_function:
        assert f"'{name}'" in said(folder, reproducer, SOURCE.replace(f"class {name}", "class Other"))


@pytest.mark.parametrize(
    "left", ["wrong-result", "exception", "deadlock", "module function", "difference"], indirect=True
)
def test_code_that_was_deleted_does_not_pass(left):
    """Calls that do nothing are right in every order: such a test would go on passing for ever."""
    folder, name, reproducer = left
    start = SOURCE.rindex("def add(") if name == "add" else SOURCE.index("def add(", SOURCE.index(f"class {name}"))
    head, body = SOURCE[:start], SOURCE[start:]
    emptied = re.sub(r"(def \w+\(.*\):\n)(?:    +.*\n)+", r"\g<1>        return None\n", body)
    text = said(folder, reproducer, head + emptied)
    wanted = "not among what is allowed" if "difference" in reproducer.name else "touch nothing any more that threads"
    assert wanted in text, text
    if name == "Counter":
        assert said(folder, reproducer, SOUND) == "", "a class that was mended passes"


def _with_more(found):
    return f"def add({found[1]}, why, how, ".replace("None, ", "")


@pytest.mark.parametrize("left", ["exception"], indirect=True)  # the way is the same for all kinds
def test_a_module_that_has_gone_is_named(left):
    folder, name, reproducer = left
    assert "fire" in said(folder, reproducer, SOURCE), "it fails while the fault is there"
    assert "No module named 'shop'" in said(folder, reproducer, None)
    assert "shop has no 'Listeners'" in said(folder, reproducer, "")


READER = """
class Reader:
    def __init__(self, path):
        self.path = path
        self.reads = 0

    def add(self):
        reads = self.reads
        with open(self.path) as file:
            self.text = file.read()
        self.reads = reads + 1
"""


NEEDS_A_FILE = """
from plait.reproduce import assert_safe


def test_reader():
    assert_safe(
        "shop:Reader", path=".", schedule=[], prefix=["x = Reader(sample_file())"], threads=[["x.add()"], ["x.add()"]],
        imports=["from shop import Reader", "from plait.generate.callables import sample_file"],
    )
"""


def test_a_test_that_needs_a_file_leaves_none_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test_reader.py").write_text(NEEDS_A_FILE, encoding="utf-8")
    assert "`x.reads`" in said(tmp_path, tmp_path / "test_reader.py", READER)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["shop.py", "test_reader.py"]
