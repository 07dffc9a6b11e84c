"""Files are data: what would install, connect or run a program needs ``--trust``."""

import json

import pytest

from plait.cli.main import main, read_arguments
from plait.commands.trust import beyond_data, foreign_imports
from plait.errors import UsageError
from plait.model.test import Test
from plait.subject.versions.release import Release

SOURCE = """
class Counter:
    def __init__(self):
        self.n = 0
    def add(self):
        n = self.n
        self.n = n + 1
        return self.n
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with a result file, as plait has written it."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "counter.py").write_text(SOURCE)
    options = ["--path", str(folder), "--max-tests", "4", "--workers", "1", "--quiet"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["check", "counter:Counter", *options, "--json", str(folder / "result.json")]) == 1
    return folder


def changed(project, monkeypatch, tmp_path, change):
    """The result file with something changed in it."""
    data = json.loads((project / "result.json").read_text())
    change(data)
    file = tmp_path / "sent.json"
    file.write_text(json.dumps(data))
    monkeypatch.chdir(project)
    return str(file)


def test_what_plait_wrote_replays(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    assert main(["replay", "result.json", "--finding", "1"]) == 1
    assert "Replayed 10 of 10 times" in capsys.readouterr().out


def imports(line):
    def change(data):
        for finding in data["findings"]:
            finding["test"]["source"]["imports"].append(line)

    return change


def argument(text):
    def change(data):
        for finding in data["findings"]:
            finding["test"]["source"]["prefix"][0]["args"] = [text]

    return change


HOSTILE = {
    "import": (imports("import os"), "run 'import os'"),
    "statement": (imports("open('x', 'w')"), "run \"open('x', 'w')\""),
    "other package": (imports("import some_package"), "import some_package"),
    "invariant": (lambda data: data.update(rules={"invariant": "print(x)"}), "evaluate 'print(x)'"),
    "probe": (lambda data: data.update(probes=["exec('1')"]), "run \"exec('1')\""),
    "argument": (argument("__import__('os').system('true')"), "run \"x = Counter(__import__('os')"),
    "release": (lambda data: data.update(versions={"at": "pypi:no-such-thing==1.0"}), "install no-such-thing==1.0"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_asks_for_more_is_refused_in_one_line(name, project, monkeypatch, tmp_path, capsys):
    change, act = HOSTILE[name]
    file = changed(project, monkeypatch, tmp_path, change)
    assert main(["replay", file, "--finding", "1"]) == 2
    said = capsys.readouterr().err
    assert act in said
    assert said.endswith("add --trust if you trust whoever wrote it\n")
    assert said.count("\n") == 1


def test_trust_lets_it_run(project, monkeypatch, tmp_path, capsys):
    file = changed(project, monkeypatch, tmp_path, imports("import os"))
    assert main(["replay", file, "--finding", "1", "--trust"]) == 1
    assert "Replayed 10 of 10 times" in capsys.readouterr().out


def test_the_projects_own_invariant_is_trusted(project, monkeypatch, tmp_path, capsys):
    file = changed(project, monkeypatch, tmp_path, lambda data: data.update(rules={"invariant": "x.n >= 0"}))
    (project / "plait.toml").write_text("invariant = 'x.n >= 0'\n")
    try:
        assert main(["replay", file, "--finding", "1"]) == 1
    finally:
        (project / "plait.toml").unlink()
    assert "Replayed 10 of 10 times" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "calls", "found"),
    [
        (["from shop.stock import Stock", "import threading", "import decimal"], ["Stock(decimal.Decimal('1'))"], None),
        (["from plait.generate.callables import Recorder"], ["Stock(Recorder('f'), key=lambda v: v + 1)"], None),
        (["from shop.stock import Stock"], ["x[1] = [*range(3)]", "with x:\n    pass", "del x[1]", "x.signal()"], None),
        (["from shop.stock import Stock"], ["x.__enter__()", "len(x)", "for _ in x: pass"], None),
        (["from plait.subject.versions.release import pip_install"], [], 0),
        (["from logging import os"], [], 0), (["from .x import y"], [], 0), (["import re; print()"], [], 0),
        (["from shop import *"], [], 0), (["import socket"], [], 0),
        (["import logging"], ["logging.os.system('true')"], 1), ([], ["().__class__.__mro__"], 0),
        ([], ["x.f(getattr(x, 'y'))"], 0), ([], ["import os"], 0), ([], ["def f(): pass"], 0), ([], ["("], 0),
    ],
)  # fmt: skip
def test_data_and_programs(lines, calls, found):
    probes = [*lines, *calls]
    test = Test(tuple(lines), (), ())
    line = beyond_data(test, calls, ["shop"])
    assert line == (None if found is None else probes[found])


def test_imports_of_others_are_left_to_the_subject():
    test = Test(("from shop import Stock", "import numpy", "from attrs import define", "import re"), (), ())
    assert beyond_data(test, (), ["shop"]) is None
    assert foreign_imports(test, ["shop"]) == ("attrs", "numpy")


@pytest.mark.parametrize(
    ("setting", "act"),
    [
        ("old = 'pypi:nothing-of-the-kind==1.0'", "install nothing-of-the-kind==1.0"),
        ("cluster = 'tcp://10.0.0.1:8786'", "send the code to the cluster at tcp://10.0.0.1:8786"),
    ],
)  # fmt: skip
def test_settings_do_not_install_or_connect(setting, act, tmp_path):
    (tmp_path / "plait.toml").write_text(f"{setting}\n")
    with pytest.raises(UsageError, match="--trust") as error:
        read_arguments("diff", ["a:B"], tmp_path)
    assert act in str(error.value)
    key, _, value = setting.partition(" = ")
    given = read_arguments("diff", ["a:B", "--trust"], tmp_path)
    assert getattr(given, key) == value.strip("'")
    assert getattr(read_arguments("diff", ["a:B", f"--{key}", value.strip("'")], tmp_path), key) == value.strip("'")


def test_a_release_that_is_there_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    from plait.commands.releases import cache_root

    Release.parse("thing==1.0").folder(cache_root()).mkdir(parents=True)
    (tmp_path / "plait.toml").write_text("old = 'pypi:thing==1.0'\n")
    assert read_arguments("diff", ["a:B"], tmp_path).old == "pypi:thing==1.0"
