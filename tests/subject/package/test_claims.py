"""What a class says about threads: its docstring and those of its bases, its locks, the docstring of its module."""

import ast

import pytest

from plait.subject.package.claims import DENIED, LOCKED, PROMISED, UNSAID, claim_in, claim_of
from plait.subject.package.facts import module_facts, whole_class
from plait.subject.source import Module

BASE = '''
class Store:
    """A thread-safe store."""

class Plain:
    """Keeps things."""
'''
SHOP = '''
import threading
from base import Plain, Store

class Heir(Store):
    """Keeps more."""

class Guarded(Plain):
    def __init__(self):
        self._lock = threading.Lock()

class Borrowed(Plain):
    def __init__(self, lock):
        self.guard = lock

    def put(self, item):
        with self.guard_lock:
            self.item = item

class Open(Plain):
    """Not thread-safe: callers hold a lock."""

    def __init__(self):
        self._lock = threading.Lock()

class Silent(Plain):
    pass
'''


def module(name, text):
    return Module(name, f"{name}.py", ast.parse(text), False, True, text.encode())


def claims(names, shop=SHOP):
    modules = {"base": module("base", BASE), "shop": module("shop", shop)}
    facts = {name: module_facts(each) for name, each in modules.items()}
    return [claim_of(modules["shop"], name, whole_class(facts, "shop", name), modules) for name in names]


def test_docstrings_come_before_locks_and_locks_before_silence():
    names = ["Heir", "Guarded", "Borrowed", "Open", "Silent"]
    assert claims(names) == [PROMISED, LOCKED, LOCKED, DENIED, UNSAID]


def test_a_module_speaks_for_the_classes_that_say_nothing():
    text = '"""Stores. None of these is safe for use by several threads."""\n' + SHOP
    assert claims(["Silent", "Heir", "Guarded"], text) == [DENIED, PROMISED, LOCKED]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A thread-safe counter.", PROMISED), ("Threadsafe LRU cache", PROMISED), ("It is thread safe.", PROMISED),
        ("May be shared between many threads.", PROMISED), ("Can be safely used by multiple threads.", PROMISED),
        ("It is safe to call this from any thread.", PROMISED), ("Safe for use by several threads.", PROMISED),
        ("This class is not thread-safe.", DENIED), ("Instances aren't thread safe", DENIED),
        ("It is NOT safe to share one between threads.", DENIED), ("A thread-unsafe queue.", DENIED),
        ("Non-thread-safe on purpose.", DENIED), ("Cannot be shared by several threads", None),
        ("Starts a thread for each request.", None), ("A safe place.", None), ("", None),
    ],
)  # fmt: skip
def test_words_for_and_against(text, said):
    assert claim_in(text) == said
