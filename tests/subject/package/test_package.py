"""What the source of a package says: its public names, and where threads may go wrong."""

import ast
import textwrap
from pathlib import Path

import pytest

from plait.subject.package.facts import module_facts, whole_class
from plait.subject.package.suspects import changes_after_import, class_suspects, module_suspects
from plait.subject.source import Module


def facts(source):
    text = textwrap.dedent(source)
    return module_facts(Module("shop", "shop.py", ast.parse(text), False, True, text.encode()))


def kinds(source, name="Stock"):
    found = facts(source)
    return [each.what for each in class_suspects("shop", found.classes[name])]


LOCKED = """
    import threading

    class Stock:
        def __init__(self):
            self._lock = threading.Lock()
            self.total = 0
            self.items = {}

        def add(self, n):
            with self._lock:
                self.total += n

        def get(self):
            with self._lock:
                return self.total
"""


def test_a_class_under_one_lock_is_not_suspect():
    assert kinds(LOCKED) == []


def test_an_access_beside_the_lock():
    (said,) = kinds(LOCKED.replace("with self._lock:\n                return", "if True:\n                return"))
    assert said == "get touches self.total without self._lock, which others hold"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("self.total += 1", "run reads and changes self.total in steps, without a lock"),
        ("self.items[1] = 2", "run reads and changes self.items in steps, without a lock"),
        ("self.items[1][2] = 2", "run reads and changes self.items in steps, without a lock"),
        ("self.items[1].append(2)", "run reads and changes self.items in steps, without a lock"),
        ("if self.total: self.total = 0", "run tests self.total and acts on it later, without a lock"),
        ("self.total = 2", "run writes self.total without a lock"),
    ],
)
def test_what_one_method_does_without_a_lock(body, said):
    assert said in kinds(f"{LOCKED.partition('def add')[0]}def run(self):\n            {body}\n")


def test_iteration_over_what_another_method_changes():
    head = LOCKED.partition("def add")[0]
    both = f"{head}def put(self, k): self.items[k] = 1\n        def all(self): return list(self.items)\n"
    assert "all iterates over self.items, which put changes" in kinds(both)


def test_a_helper_that_is_only_called_under_the_lock_is_locked():
    helper = LOCKED.replace("self.total += n", "self._add(n)") + "\n        def _add(self, n): self.total += n\n"
    assert kinds(helper) == []
    public = helper.replace("_add", "extend")  # anybody may call it
    assert any("extend touches self.total without self._lock" in each for each in kinds(public))


def test_a_helper_of_the_constructor_is_set_up():
    source = LOCKED.replace("self.total = 0", "self._start()") + "\n        def _start(self): self.total = 0\n"
    assert kinds(source) == []


def test_two_locks_in_two_orders():
    source = """
        class Stock:
            def one(self):
                with self.a_lock, self.b_lock:
                    pass

            def two(self):
                with self.b_lock:
                    with self.a_lock:
                        pass
    """
    (said,) = kinds(source)
    assert said == "two takes self.b_lock, then self.a_lock; one takes them the other way round"


def test_a_wait_without_a_loop():
    source = """
        class Stock:
            def take(self):
                with self.cond:
                    if not self.items:
                        self.cond.wait()
    """
    assert any("take waits for a condition without a loop" in each for each in kinds(source))
    assert kinds(source.replace("if not", "while not")) == []


def test_state_of_a_module_and_of_a_class():
    found = facts("""
        import threading
        CACHE = {}
        DEFAULT = None
        CONSTANT = 3
        lock = threading.Lock()

        def put(key):
            CACHE[key] = CONSTANT

        def default():
            global DEFAULT
            with lock:
                if DEFAULT is None:
                    DEFAULT = object()

        def shadowed(CACHE):
            CACHE[1] = 2

        class Registry:
            known = []

            @classmethod
            def add(cls, each):
                cls.known.append(each)
    """)
    rows = {row["name"]: (row["by"], row["locked"]) for row in changes_after_import(found)}
    assert rows == {
        "CACHE": (["put"], False), "DEFAULT": (["default"], True), "Registry.known": (["Registry.add"], False),
    }  # fmt: skip
    assert [each.what for each in module_suspects(found)] == [
        "put reads and changes CACHE in steps, without a lock",
        "add reads and changes cls.known in steps, without a lock",
    ]


def test_every_module_of_plait_can_be_read():
    """Whatever the grammar has; and nothing of it is imported."""
    root = Path(__file__).parents[3] / "src" / "plait"
    for file in sorted(root.rglob("*.py")):
        text = file.read_bytes()
        module_facts(Module(file.stem, file.name, ast.parse(text), False, True, text))


def test_what_is_changed_of_other_modules_and_classes_is_suspect():
    found = facts("""
        import requests

        class Mocker:
            def start(self):
                requests.Session = self

            def stop(self):
                return requests.get

        def install(name):
            requests.adapters[name] = 1
            Mocker.installed = name
    """)
    assert [each.what for each in class_suspects("shop", found.classes["Mocker"])] == [
        "start writes requests.Session without a lock"
    ]
    said = {each.what for each in module_suspects(found)}
    assert "install reads and changes requests.adapters in steps, without a lock" in said
    assert "install writes Mocker.installed without a lock" in said


def test_a_class_has_the_locks_and_methods_of_its_bases():
    found = facts(LOCKED + "\n    class Shelf(Stock):\n        def get(self):\n            return 1\n")
    whole = whole_class({"shop": found}, "shop", "Shelf")
    assert whole.locks == {"self._lock"}
    assert set(whole.functions) == {"__init__", "add", "get"}
    assert not whole.functions["get"].uses
    assert found.classes["Shelf"].locks == set()
    assert whole_class({"shop": found}, "shop", "Nobody") is None


def test_the_larger_of_two_numbers_is_no_walk():
    source = """
        class Stock:
            def top(self):
                return max(0, self.n)

            def last(self):
                return max(self.rows)
    """
    walked = {use.state for _, use in facts(source).classes["Stock"].later_uses() if use.walked}
    assert walked == {"self.rows"}
