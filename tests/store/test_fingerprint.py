"""A test is explored again exactly when something it can reach has changed."""

from pathlib import Path

import pytest

from plait.model.test import Call, Test
from plait.store.keys import Fingerprints, environment_digest, unit_key
from plait.subject.name import Subject
from plait.subject.versions.version import Version

SOURCE = '''
"""A cache."""
import threading
from helpers import squeeze

LIMIT = 10


class Base:
    def size(self):
        return len(self._data)


class Cache(Base):
    step = 1

    def __init__(self):
        self._lock = threading.Lock()
        self._data = {}

    def put(self, key, value):
        with self._lock:
            self._data[squeeze(key)] = value
            self._trim()

    def get(self, key):
        """Look up."""
        return self._data.get(key)

    def drop(self, key):
        del self._data[key]

    def _trim(self):
        while len(self._data) > LIMIT:
            self._data.popitem()

    def unused(self):
        return self.step
'''
HELPERS = "def squeeze(key):\n    return key.strip()\n\n\ndef other():\n    return 1\n"


def a_test(*methods, imports=("from cache import Cache",)):
    prefix = (Call("Cache", "Cache({args})", result="x"),)
    return Test(imports, prefix, tuple((Call(method, f"{{receiver}}.{method}({{args}})"),) for method in methods))


@pytest.fixture
def codes(tmp_path):
    """Hashes of what tests reach after the source was edited, for comparing."""

    def codes(*edits, test=None):
        source, helpers = SOURCE, HELPERS
        for old, new in edits:
            assert old in source + helpers
            source, helpers = source.replace(old, new), helpers.replace(old, new)
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        (folder / "cache.py").write_text(source)
        (folder / "helpers.py").write_text(helpers)
        version = Version("x", folder, "folder", tree=folder, project=folder, origin=folder)
        prints = Fingerprints(Subject("cache", "Cache"), version)
        if test is not None:
            return prints.code(test)
        return {method: prints.code(a_test(method)) for method in ("put", "get", "drop", "size", "unused")}

    return codes


ALL = {"put", "get", "drop", "size", "unused"}


@pytest.mark.parametrize(
    ("edits", "changed"),
    [
        ([("return self._data.get(key)", "return self._data[key]")], {"get"}),
        ([("del self._data[key]", "self._data.pop(key)")], {"drop"}),
        ([("self._data.popitem()", "self._data.clear()")], {"put"}),
        ([("LIMIT = 10", "LIMIT = 11")], {"put"}),
        ([("key.strip()", "key.lower()")], {"put"}),
        ([("def other():\n    return 1", "def other():\n    return 2")], set()),
        ([("step = 1", "step = 2")], {"unused"}),
        ([("len(self._data)\n\n", "len(self._data) + 0\n\n")], {"size"}),
        ([("self._data = {}", "self._data = dict()")], ALL),
        ([("class Cache(Base):", "class Cache(dict, Base):")], ALL),
        ([("    step = 1\n", "    step = 1\n\n    def size(self):\n        return 0\n")], {"size"}),
        ([("    step = 1\n", "    step = 1\n\n    def fresh(self):\n        return 0\n")], set()),
        ([('"""Look up."""', '"""Find."""'), ("import threading\n", "import threading  # locks\n\n")], set()),
        ([("with self._lock:", "with  self._lock :")], set()),
    ],
    ids=[
        "get", "drop", "private helper", "constant", "other module", "unrelated helper", "class attribute", "inherited",
        "constructor", "bases", "override", "new method", "comments", "format",
    ],
)  # fmt: skip
def test_only_what_reaches_the_change(codes, edits, changed):
    before, after = codes(), codes(*edits)
    assert {method for method in before if before[method] != after[method]} == changed


def test_a_test_reaches_all_its_calls(codes):
    both = codes(test=a_test("get", "drop"))
    single = codes()
    assert both == {**single["get"], **single["drop"]}
    assert "cache:Cache.get" in both
    assert "cache:Cache.put" not in both


def test_classes_of_arguments_count(codes):
    test = a_test("get", imports=("from cache import Cache", "from helpers import other"))
    edit = ("def other():\n    return 1", "def other():\n    return 2")
    assert codes(test=test) != codes(edit, test=test)


def test_keys_tell_everything_apart():
    test, options, code = a_test("get"), {"seed": 0, "model": "both"}, {"cache:Cache.get": "1"}
    key = unit_key(test, options, code)
    assert unit_key(a_test("get"), {"model": "both", "seed": 0}, dict(code)) == key
    others = {
        unit_key(a_test("put"), options, code),
        unit_key(test, {**options, "seed": 1}, code),
        unit_key(test, options, {"cache:Cache.get": "2"}),
        unit_key(test, options, {}),
    }
    assert len(others | {key}) == 5


def test_the_rest_is_this_python_and_this_plait():
    assert len(environment_digest()) == 64
    assert environment_digest() == environment_digest()


def test_it_imports_nothing(codes, monkeypatch):
    monkeypatch.setattr("builtins.__import__", _refuse(__import__))
    assert codes()["get"]


def _refuse(real):
    def importing(name, *rest):
        assert name not in ("cache", "helpers")
        return real(name, *rest)

    return importing


def test_files_are_only_read(codes, tmp_path):
    codes()
    assert sorted(path.name for path in (tmp_path / "0").iterdir()) == ["cache.py", "helpers.py"]
    assert not Path("cache.py").exists()


def test_reading_a_large_package_gives_signs_of_life(tmp_path):
    """A worker that says nothing for three seconds counts as lost."""
    (tmp_path / "cache.py").write_text(
        "from part0 import NUMBER\n\nclass Cache:\n    def get(self):\n        return NUMBER\n"
    )
    for number in range(20):
        (tmp_path / f"part{number}.py").write_text(f"from part{number + 1} import NUMBER\n")
    (tmp_path / "part20.py").write_text("NUMBER = 1\n")
    signs = []
    version = Version("x", tmp_path, "folder", tree=tmp_path, project=tmp_path, origin=tmp_path)
    Fingerprints(Subject("cache", "Cache"), version, lambda: signs.append(1)).code(a_test("get"))
    assert len(signs) >= 22
