"""What a class hands out belongs to what threads do with it: each thread uses its own, and none that is shared."""

import importlib
import json
import sys

from in_process import plait
from plait.generate.catalogue import build_catalogue
from plait.generate.registry import make_generator
from plait.judge.oracle.sequential import SequentialRunner
from plait.subject.interface.discovery import discover
from plait.subject.interface.results import with_results

POOL = """
import threading


class Pool:
    def __init__(self):
        self._lock = threading.Lock()
        self._busy = 0

    def connection(self):
        with self._lock:
            self._busy += 1
        made = Connection(self)
        return made

    def alone(self):
        return Plain(1)

    def again(self):
        return Pool()

    @property
    def busy(self):
        with self._lock:
            return self._busy

    def _back(self):
        BACK


class Connection:
    def __init__(self, pool):
        self._pool = pool
        self._open = True

    def execute(self, text: str):
        return text

    def _give_back(self):
        if self._open:
            self._open = False
            self._pool._back()

    def close(self):
        self._give_back()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Plain:
    def __init__(self, number):
        self.number = number

    def close(self):
        return self.number.real
"""
RACY = POOL.replace("BACK", "self._busy -= 1")
SOUND = POOL.replace("BACK", "with self._lock:\n            self._busy -= 1")
PER_THREAD = SOUND.replace("self._busy = 0\n", "self._busy = 0\n        self._own = threading.local()\n")
ONE = SOUND.replace("made = Connection(self)", "made = self._kept = getattr(self, '_kept', None) or Connection(self)")
WORDS = ("--max-tests", 60, "--workers", 1, "--json", "r.json", "--quiet")


def interface_of(source, folder, monkeypatch, name="results_pool"):
    (folder / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(str(folder))
    module = importlib.import_module(name)
    found = discover(module.Pool, name=f"{name}:Pool")
    more = with_results(found, module.Pool)
    sys.modules.pop(name)
    return found, more


def test_methods_of_a_result_that_use_what_it_was_made_of(tmp_path, monkeypatch):
    before, after = interface_of(SOUND, tmp_path, monkeypatch)
    more = {each.name: each for each in after.methods[len(before.methods) :]}
    assert set(more) == {"connection().with", "connection().close"}
    assert {each.of for each in more.values()} == {"connection"}
    assert more["connection().close"].form == "{receiver}.close({args})"


def test_what_is_bound_to_a_thread_has_none(tmp_path, monkeypatch):
    before, after = interface_of(PER_THREAD, tmp_path, monkeypatch)
    assert after == before


def found_in(folder, source):
    (folder / "pool.py").write_text(source)
    code = plait(folder, "check", "pool:Pool", *WORDS).returncode
    return code, json.loads((folder / "r.json").read_text())


def test_a_race_between_a_pool_and_its_connection(tmp_path):
    code, result = found_in(tmp_path, RACY)
    assert code == 1
    assert any("connection().close" in name for finding in result["findings"] for name in finding["methods"])


def test_the_sound_pool_is_silent_and_pairs_with_results_meet(tmp_path):
    code, result = found_in(tmp_path, SOUND)
    assert code == 0
    met = [row["methods"] for row in result["pairs"] if row["covered"]]
    assert any("connection().close" in pair and "busy" in pair for pair in met)


def made_for(folder, source):
    """Return the tests that are made for a class."""
    (folder / "handing.py").write_text(source)
    importlib.invalidate_caches()
    module = importlib.import_module("handing")
    interface = with_results(discover(module.Pool, name="handing:Pool"), module.Pool)
    catalogue = build_catalogue(module.Pool, interface)
    strategy = make_generator("covcon", catalogue, SequentialRunner(apart=True), seed=1, threads=2, deeper=True)
    made = [test for _ in range(60) if (test := strategy.next_test()) is not None]
    sys.modules.pop("handing")
    return made


def test_each_thread_has_a_result_of_its_own(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    both = 0
    for test in made_for(tmp_path, SOUND):
        one, other = users(test)
        assert not one & other
        assert one | other <= {call.result for call in test.prefix}
        both += bool(one and other)
    assert both


def test_one_object_for_all_is_nobodys_own(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    tests = made_for(tmp_path, ONE)
    assert tests
    assert not any(all(users(test)) for test in tests)


def users(test):
    """Return the results that each thread calls methods of."""
    return [{call.receiver for call in suffix if "()." in call.method} for suffix in test.suffixes]
