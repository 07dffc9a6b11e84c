"""Subjects that are no shared object: constructors, class state, functions over module state, what decorators make."""

import textwrap

import pytest

from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.subject.name import Subject

SOURCE = """
    import threading
    import weakref

    hits = 0
    _table = weakref.WeakValueDictionary()

    class Single:
        _only = None
        _lock = threading.Lock()

        def __new__(cls):
            with cls._lock:
                if cls._only is None:
                    cls._only = super().__new__(cls)
            return cls._only

        def ping(self):
            return 1

    class Symbol:
        _lock = threading.Lock()

        def __new__(cls, name: str):
            with cls._lock:
                found = _table.get(name)
                if found is None:
                    found = _table[name] = super().__new__(cls)
                return found

        def text(self):
            return 'a'

    class Registry:
        known = 0
        _lock = threading.Lock()

        @classmethod
        def add(cls):
            with cls._lock:
                cls.known += 1

    _guard = threading.Lock()

    def bump():
        global hits
        with _guard:
            hits += 1

    def unrelated(n: int):
        return n + 1

    def once(func):
        done, result, lock = False, None, threading.Lock()

        def wrapper():
            nonlocal done, result
            with lock:
                if not done:
                    result = func()
                    done = True
                return result

        return wrapper

    def limited(maxsize: int = 2):
        def decorator(func):
            table, lock = {}, threading.Lock()

            def wrapper(*args):
                with lock:
                    if args not in table:
                        table[args] = func(*args)
                    return table[args]

            wrapper.clear = table.clear
            return wrapper

        return decorator
"""
BROKEN = {"with cls._lock:": "if True:", "with _guard:": "if True:", "with lock:": "if True:"}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(name, *, broken):
        source = textwrap.dedent(SOURCE)
        for lock, nothing in BROKEN.items() if broken else ():
            source = source.replace(lock, nothing)
        (tmp_path / "shop.py").write_text(source, encoding="utf-8")
        subject = Subject.parse(f"shop:{name}" if name else "shop", path=tmp_path)
        return check(CheckOptions(subject, project=tmp_path, max_tests=20, workers=1, streams=1))

    return run


@pytest.mark.parametrize("name", ["Single", "Symbol", "Registry", "bump", "once", "limited"])
def test_broken_is_found_and_sound_is_silent(run, name):
    broken = run(name, broken=True)
    assert broken.verdict == "violation"
    assert broken.findings[0].schedule is not None
    sound = run(name, broken=False)
    if name == "limited":  # its `clear` takes no lock, as everybody sees
        assert all(any(each.endswith("clear") for each in found.methods) for found in sound.findings)
    else:
        assert (sound.verdict, sound.findings) == ("none", [])


def test_a_function_meets_those_that_use_the_same_state(run):
    result = run("bump", broken=False)
    assert set(result.stats["methods"]) == {"bump"}
    whole = run("", broken=True)
    assert {"bump", "unrelated"} <= set(whole.stats["methods"])
    assert [each.methods for each in whole.findings if "bump" in str(each.methods)]
