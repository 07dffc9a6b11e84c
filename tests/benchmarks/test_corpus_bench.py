"""The corpus: its cases can be read, and a finding counts for a case only if it is that defect."""

import importlib
import json
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def cases():
    sys.path.insert(0, str(ROOT))
    yield importlib.import_module("benchmarks.corpus.cases")
    sys.path.remove(str(ROOT))


def finding(kind, *methods, exception=None):
    return {"kind": kind, "methods": list(methods), "exception": exception}


def test_every_case_names_a_subject_and_a_release(cases):
    every = cases.cases()
    assert {case.level for case in every} == {"class", "factory"}
    assert len(cases.cases("class")) == 21
    assert all(case.release(case.buggy) == f"pypi:{case.package}=={case.buggy}" for case in every)
    assert all(":" in case.subject for case in cases.cases("class"))


def test_configurations_are_about_one_subject_each(cases):
    subjects = {case.name: case.subject for case in cases.cases("factory", which="all")}
    for file in cases.CONFIG.glob("*.toml"):
        data = tomllib.loads(file.read_text())
        assert len(data["subject"]) == 1
        assert ("hook" in data) == file.with_suffix(".py").is_file()
        assert subjects[file.stem] in data["subject"]


def test_a_finding_must_fit_the_symptom(cases):
    by_name = {case.name: case for case in cases.cases()}
    inc = by_name["cachelib-simple-inc"]
    assert inc.shown_by(finding("wrong-result", "SimpleCache.inc"))
    assert not inc.shown_by(finding("wrong-result", "SimpleCache.inc", "SimpleCache.clear"))
    assert not inc.shown_by(finding("exception", "SimpleCache.inc", exception="KeyError"))
    prune = by_name["cachelib-simple-prune"]
    assert prune.shown_by(finding("exception", "SimpleCache.set", exception="RuntimeError"))
    assert not prune.shown_by(finding("wrong-result", "SimpleCache.set"))
    timer = by_name["limits-expiry-timer"]
    assert not timer.shown_by(finding("wrong-result", "MemoryStorage.incr"))
    lock = by_name["fasteners-rw-downgrade"]
    assert lock.shown_by(finding("deadlock", "ReaderWriterLock.write_lock+read_lock"))


def test_alternatives_of_triggers(cases):
    zict = next(case for case in cases.cases() if case.name == "zict-lru")
    assert set(zict.triggers) == {frozenset({"__setitem__"}), frozenset({"__setitem__", "get"})}


def test_held_out_cases_are_others_and_are_judged_alike(cases):
    held_out = {case.name: case for case in cases.cases(which="held-out")}
    assert not held_out.keys() & {case.name for case in cases.cases()}
    assert all(":" in case.subject for case in held_out.values())
    assert {case.group for case in held_out.values()} == {"held-out class", "held-out factory"}
    assert len(cases.cases(which="all")) == len(held_out) + len(cases.cases())
    iterate = held_out["oslo-config-iterate"]
    methods = ("ConfigOpts.register_opt", "ConfigOpts.reset")
    assert iterate.shown_by(finding("exception", *methods, exception="RuntimeError"))
    assert not iterate.shown_by(finding("exception", "ConfigOpts.__call__", exception="TypeError"))
    once = held_out["sqlparse-default-lexer"]
    assert once.shown_by(finding("wrong-result", "Lexer.get_default_instance"))


def test_without_settings_the_same_defects_are_asked_for_by_a_name_alone(cases):
    with_settings = {case.name: case for case in cases.cases("factory")}
    bare = {case.name: case for case in cases.bare_cases("bare")}
    assert bare.keys() >= with_settings.keys()
    assert all(case.config is None and case.level == "bare" and ":" in case.subject for case in bare.values())
    module = cases.bare_cases("module")
    assert [case.subject for case in module] == ["lazy_loader", "openfeature._event_support", "ua_parser"]
    assert json.loads(cases.BARE.read_text()).keys() <= {*bare, *(case.name for case in module)}
    assert bare["fsspec-instance-cache"].shown_by(finding("wrong-result", "AbstractFileSystem", "AbstractFileSystem"))
