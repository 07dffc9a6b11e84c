"""Importing rewritten modules."""

import importlib
import importlib.resources
import inspect
import os
import pkgutil
import runpy
import subprocess
import sys
import traceback

import pytest

from plait.run.hooks.noop import HOOKS
from plait.run.importing.importer import Importer


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A package on ``sys.path``, forgotten afterwards."""
    package = tmp_path / "parcel"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("from .first import value\nfrom . import inner\n__all__ = ['value']\n")
    (package / "first.py").write_text("from .inner.second import Box\ndef value():\n    return Box().x\n")
    (package / "inner" / "__init__.py").write_text("")
    (package / "inner" / "second.py").write_text(
        "import parcel.first as first\n"
        "class Box:\n    x = 5\n    def twice(self):\n        return self.x * len(first.__name__)\n"
    )
    (package / "data.txt").write_text("some data")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def importer():
    made = Importer(lambda name, _origin: name.partition(".")[0] == "parcel", HOOKS, {})
    made.install()
    yield made
    made.uninstall()


def test_packages_and_relative_imports(folder, importer):
    package = importlib.import_module("parcel")
    assert package.value() == 5
    assert package.inner.second.Box().twice() == 60
    assert {site.module for site in importer.sites.values()} == {"parcel.first", "parcel.inner.second"}
    assert all(number == site.number for number, site in importer.sites.items())
    assert "_p_r" in vars(package.first)
    assert importer.uncontrolled == []


def test_a_module_looks_like_any_other(folder, importer):
    package = importlib.import_module("parcel")
    first = sys.modules["parcel.first"]
    assert first.__file__ == str(folder / "parcel" / "first.py")
    assert first.__spec__.name == first.__name__ == "parcel.first"
    assert first.__spec__.origin == first.__file__
    assert first.__spec__.has_location
    assert first.__package__ == package.__name__ == "parcel"
    assert package.__path__ == [str(folder / "parcel")]
    assert package.__spec__.submodule_search_locations == package.__path__
    assert inspect.getsource(first.value) == "def value():\n    return Box().x\n"
    assert pkgutil.get_data("parcel", "data.txt") == b"some data"
    assert (importlib.resources.files("parcel") / "data.txt").read_text() == "some data"
    assert [module.name for module in pkgutil.iter_modules(package.__path__)] == ["first", "inner"]
    namespace = {}
    exec("from parcel import *", namespace)
    assert set(namespace) == {"value", "__builtins__"}


def test_reload_and_run_as_a_script(folder, importer):
    file = folder / "parcel" / "script.py"
    file.write_text("def f(o):\n    return o.real\n")
    script = importlib.import_module("parcel.script")
    file.write_text("def f(o):\n    return o.real + 1  # changed\n")
    assert importlib.reload(script).f(1) == 2
    del sys.modules["parcel.script"]
    assert runpy.run_module("parcel.script")["f"](2) == 3


def test_executing_again_gives_fresh_state(folder, importer):
    (folder / "parcel" / "state.py").write_text("seen = []\ndef add(x):\n    seen.append(x)\n    return list(seen)\n")
    module = importlib.import_module("parcel.state")
    assert module.add(1) == [1]
    (folder / "parcel" / "state.py").unlink()
    module.__spec__.loader.exec_module(module)
    assert module.add(2) == [2]


def test_unwanted_modules_are_left_alone(folder):
    importer = Importer(lambda name, origin: name == "parcel.first" and origin.endswith("first.py"), HOOKS, {})
    importer.install()
    try:
        package = importlib.import_module("parcel")
    finally:
        importer.uninstall()
    assert "_p_r" in vars(package.first)
    assert "_p_r" not in vars(package.inner.second)
    assert "_p_r" not in vars(package)
    assert type(package.__spec__.loader).__name__ == "SourceFileLoader"


def test_what_is_not_python_source_is_reported(folder, monkeypatch):
    importer = Importer(lambda *_: True, HOOKS, {})
    importer.install()
    try:
        for name in ("_bisect", "itertools", "_opcode"):
            monkeypatch.delitem(sys.modules, name, raising=False)
            importlib.import_module(name)
            importlib.import_module(name)
        (folder / "spaces").mkdir()
        importlib.import_module("spaces")  # a namespace package has no code
    finally:
        importer.uninstall()
    assert importer.uncontrolled[:2] == ["_bisect", "itertools"]
    assert "spaces" not in importer.uncontrolled


def test_frozen_modules_are_rewritten_from_their_source(monkeypatch):
    monkeypatch.delitem(sys.modules, "genericpath")
    importer = Importer(lambda name, _: name == "genericpath", HOOKS, {})
    importer.install()
    try:
        module = importlib.import_module("genericpath")
    finally:
        importer.uninstall()
    assert module.samestat(os.stat(__file__), os.stat(__file__))
    assert importer.sites
    assert module.__file__.endswith("genericpath.py")


def test_two_importers_do_not_ask_each_other_for_ever(folder, importer):
    second = Importer(lambda name, _: name == "parcel.first", HOOKS, {})
    second.install()
    try:
        importlib.import_module("parcel")
    finally:
        second.uninstall()
    assert {site.module for site in second.sites.values()} <= {"parcel.first"}
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("parcel.nowhere")


def test_syntax_errors_reach_the_importing_code(folder, importer):
    (folder / "parcel" / "wrong.py").write_text("def f():\n    return ==\n")
    with pytest.raises(SyntaxError) as caught:
        importlib.import_module("parcel.wrong")
    assert (caught.value.lineno, caught.value.filename) == (2, str(folder / "parcel" / "wrong.py"))
    assert "parcel.wrong" not in sys.modules


def test_code_nested_too_deeply_is_imported_as_it_is(folder, importer, monkeypatch):
    monkeypatch.setattr("plait.run.importing.importer.compile_among", _too_deep)
    assert importlib.import_module("parcel.first").value() == 5
    assert importer.uncontrolled[0] == "parcel"
    assert importer.sites == {}


def _too_deep(*_args):
    raise RecursionError


def test_load_source_from_a_file(tmp_path):
    file = tmp_path / "some-file.py"
    file.write_bytes("# coding: latin-1\ndef f():\n    return '\u00fc'.strip()\n".encode("latin-1"))
    importer = Importer(lambda *_: False, HOOKS, {}, tmp_path / "cache")
    module = importer.load_source("loaded", file)
    try:
        assert module.f() == "ü"
        assert sys.modules["loaded"] is module
        assert module.__file__ == str(file)
        assert importer.sites
        assert list((tmp_path / "cache").iterdir())
    finally:
        del sys.modules["loaded"]


def test_load_source_of_a_package(tmp_path):
    folder = tmp_path / "anything"
    folder.mkdir()
    (folder / "__init__.py").write_text("from .part import f\n")
    (folder / "part.py").write_text("def f(o):\n    return o.real\n")
    importer = Importer(lambda name, _: name == "renamed.part", HOOKS, {})
    importer.install()
    try:
        assert importer.load_source("renamed", folder / "__init__.py").f(3) == 3
        assert {site.module for site in importer.sites.values()} == {"renamed.part"}
    finally:
        importer.uninstall()
        del sys.modules["renamed"], sys.modules["renamed.part"]


def test_load_source_from_text():
    importer = Importer(lambda *_: False, HOOKS, {})
    module = importer.load_source("texted", "# coding: latin-1\ndef f(d):\n    return d['\u00fc']\n")
    try:
        with pytest.raises(KeyError) as caught:
            module.f({})
        assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "return d['\u00fc']"
        assert inspect.getsource(module.f) == "def f(d):\n    return d['\u00fc']\n"
    finally:
        del sys.modules["texted"]


def test_load_source_leaves_no_half_loaded_module():
    importer = Importer(lambda *_: False, HOOKS, {})
    with pytest.raises(ZeroDivisionError):
        importer.load_source("halfway", "1 / 0")
    assert "halfway" not in sys.modules
    kept = importer.load_source("halfway", "x = 1")
    with pytest.raises(SyntaxError):
        importer.load_source("halfway", "x =")
    assert sys.modules.pop("halfway") is kept


def test_event_loops_keep_the_real_clock():
    """Also where the code under test is the first to import asyncio: outside of executions that clock stands still."""
    code = "import plait.run.importing.world, sys, time; assert sys.modules['asyncio.base_events'].time is time"
    subprocess.run([sys.executable, "-c", code], check=True)
