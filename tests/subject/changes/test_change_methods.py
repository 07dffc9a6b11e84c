"""Which methods a change touches: golden answers for small pairs of versions."""

from textwrap import dedent

import pytest

from plait.errors import UsageError
from plait.subject.changes.change import analyse
from plait.subject.name import Subject
from plait.subject.versions.version import Version

BASE = '''
import threading
from helpers import clamp

LIMIT = 10
UNUSED = 1


def log(text):
    return text.upper()


def checked(function):
    def wrapper(self, *args):
        return function(self, *args)
    return wrapper


class Ring:
    def __init__(self, size):
        self.items = [None] * size

    def push(self, item):
        self.items.append(item)


class Root:
    def total(self):
        return self._sum()

    def _sum(self):
        return 0

    def touch(self):
        return 1


class Account(Root):
    STEP = 1
    OTHER = 2

    def __init__(self):
        self._lock = threading.Lock()
        self.balance = 0
        self._ring = Ring(3)

    def deposit(self, amount):
        """Put money in."""
        with self._lock:
            value = self.balance + amount
            self.balance = value
        return value

    def withdraw(self, amount):
        self._check(amount)
        self.balance -= amount

    def _check(self, amount):
        if amount > LIMIT:
            raise ValueError(log("too much"))

    @property
    def rich(self):
        return self.balance > LIMIT

    def boast(self):
        return "rich" if self.rich else "poor"

    def step(self):
        return self.STEP

    def limit(self, amount):
        return clamp(amount)

    @checked
    def guarded(self):
        return 1

    def touch(self):
        return super().touch() + 1

    def remember(self, item):
        self._ring.push(item)

    def delayed(self):
        def inner(x):
            return x + 1
        return inner

    def __len__(self):
        return 3

    def size(self):
        return len(self)
'''
HELPERS = {"helpers.py": "def clamp(x):\n    return _low(x)\n\n\ndef _low(x):\n    return max(x, 0)\n"}


def version(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return Version(folder.name, folder, "folder")


def compare(tmp_path, old, new, subject="account:Account"):
    old = {"account.py": old} if isinstance(old, str) else old
    new = {"account.py": new} if isinstance(new, str) else new
    return analyse(Subject.parse(subject), version(tmp_path / "old", old), version(tmp_path / "new", new))


def edited(tmp_path, before, after, files=()):
    assert before in BASE
    new = BASE.replace(before, after)
    return compare(tmp_path, {"account.py": BASE, **HELPERS}, {"account.py": new, **HELPERS, **dict(files)})


GOLDEN = {
    "nothing": ("LIMIT = 10", "LIMIT = 10", set(), set()),
    "comment": ("        self._check(amount)\n", "        # why\n        self._check(amount)  # here\n", set(), set()),
    "docstring": ('"""Put money in."""', '"""Put in."""', set(), set()),
    "docstring removed": ('        """Put money in."""\n', "", set(), set()),
    "re-format": ("value = self.balance + amount", "value = (\n  self.balance\n  + amount)", set(), set()),
    "local renamed": (
        "            value = self.balance + amount\n            self.balance = value\n        return value",
        "            total = self.balance + amount\n            self.balance = total\n        return total",
        set(), set(),
    ),
    "annotations": ("def withdraw(self, amount):", "def withdraw(self, amount: int) -> None:", set(), set()),
    "annotated local": ("value = self.balance + amount", "value: int = self.balance + amount", set(), set()),
    "unused constant": ("UNUSED = 1", "UNUSED = 2", set(), set()),
    "unused attribute": ("OTHER = 2", "OTHER = 3", set(), set()),
    "body": ("self.balance -= amount", "self.balance = self.balance - amount", {"withdraw"}, {"withdraw"}),
    "lock dropped": (
        "        with self._lock:\n            value = self.balance + amount\n            self.balance = value\n",
        "        value = self.balance + amount\n        self.balance = value\n",
        {"deposit"}, {"deposit"},
    ),
    "order": (
        "        self._check(amount)\n        self.balance -= amount",
        "        self.balance -= amount\n        self._check(amount)",
        {"withdraw"}, {"withdraw"},
    ),
    "parameter renamed": ("def step(self):", "def step(self, by=1):", {"step"}, {"step"}),
    "default": ("def deposit(self, amount):", "def deposit(self, amount=1):", {"deposit"}, {"deposit"}),
    "decorator added": ("    def step(self):", "    @checked\n    def step(self):", {"step"}, {"step"}),
    "decorator's body": ("return function(self, *args)", "return function(self, *args) or 0", set(), {"guarded"}),
    "private helper": ("if amount > LIMIT:", "if amount >= LIMIT:", set(), {"withdraw"}),
    "module function": ("return text.upper()", "return text", set(), {"withdraw"}),
    "module constant": ("LIMIT = 10", "LIMIT = 11", set(), {"withdraw", "rich", "boast"}),
    "class attribute": ("STEP = 1", "STEP = 2", set(), {"step"}),
    "property": ("return self.balance > LIMIT", "return self.balance >= LIMIT", {"rich"}, {"rich", "boast"}),
    "nested function": ("return x + 1", "return x + 2", {"delayed"}, {"delayed"}),
    "hook of a base": ("        return 0\n", "        return 7\n", set(), {"total"}),
    "super": ("    def touch(self):\n        return 1\n", "    def touch(self):\n        return 2\n", set(), {"touch"}),
    "protocol": ("return 3", "return 4", {"__len__"}, {"__len__", "size"}),
    "helper object": ("self.items.append(item)", "self.items[0] = item", set(), {"remember"}),
    "lock replaced": ("threading.Lock()", "threading.RLock()", {"__init__"}, {"__init__", "deposit"}),
    "helper's constructor": ("[None] * size", "[None] * (size + 1)", set(), {"__init__", "remember"}),
    "import replaced": ("import threading\n", "import dummy_threading as threading\n", set(), {"__init__", "deposit"}),
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(tmp_path, name):
    before, after, direct, changed = GOLDEN[name]
    change = edited(tmp_path, before, after)
    assert change.direct_methods == direct
    assert change.changed_methods == changed
    assert not change.added_methods
    assert not change.removed_methods
    assert change.is_empty == (not changed)


def test_helper_module_changes_reach_through_two_calls(tmp_path):
    files = {"helpers.py": HELPERS["helpers.py"].replace("max(x, 0)", "max(x, 1)")}
    change = edited(tmp_path, "LIMIT = 10", "LIMIT = 10", files)
    assert change.changed_methods == {"limit"}
    assert change.reasons["limit"] == ("account:Account.limit", "helpers:clamp", "helpers:_low")
    assert change.changed_functions == ("helpers:_low",)


def test_added_and_removed_methods_are_no_changed_ones(tmp_path):
    change = edited(tmp_path, "    def step(self):", "    def stride(self):")
    assert (change.added_methods, change.removed_methods) == ({"stride"}, {"step"})
    assert change.changed_methods == set()
    assert change.added_functions == ("account:Account.stride",)
    assert change.removed_functions == ("account:Account.step",)


def test_a_new_override_changes_an_inherited_method(tmp_path):
    change = edited(tmp_path, "    def step(self):", "    def _sum(self):\n        return 1\n\n    def step(self):")
    assert change.changed_methods == {"total"}


def test_a_base_class_exchanged_changes_every_method(tmp_path):
    change = edited(tmp_path, "class Account(Root):", "class Account(Ring, Root):")
    assert change.changed_methods == change.common_methods
    assert change.added_methods == {"push"}


def test_a_base_only_for_type_checkers_changes_nothing(tmp_path):
    old = "class Account:\n    def get(self):\n        return 1\n"
    new = "from typing import Generic\nclass Account(Generic[int], object):\n    def get(self):\n        return 1\n"
    assert compare(tmp_path, old, new).is_empty


def test_class_decorator(tmp_path):
    old = "def mark(c):\n    return c\n\n@mark\nclass Account:\n    def get(self):\n        return 1\n"
    assert compare(tmp_path, old, old.replace("return c", "return (c)")).is_empty
    assert compare(tmp_path, old, old.replace("    return c", "    c.x = 1\n    return c")).changed_methods == {"get"}


BY_TYPE = """
from functools import singledispatch, singledispatchmethod

@singledispatch
def size(value):
    return 0

@size.register(list)
def _(value):
    return len(value)

class Account:
    @singledispatchmethod
    def put(self, value):
        return 0

    @put.register
    def _(self, value: int):
        return 1

    def put_one(self):
        return self.put(1)

    def measure(self, value):
        return size(value)

    def get(self):
        return 2
"""


@pytest.mark.parametrize(
    ("before", "after", "touched"),
    [("return 1", "return 3", {"put", "put_one"}), ("return len(value)", "return len(value) + 1", {"measure"})],
)
def test_functions_for_a_type_belong_to_the_one_that_they_are_registered_with(tmp_path, before, after, touched):
    change = compare(tmp_path, {"account.py": BY_TYPE}, {"account.py": BY_TYPE.replace(before, after)})
    assert change.changed_methods == touched


SINGLE = """
import threading

class Single(type):
    _lock = threading.Lock()
    _made = {}

    def __call__(cls, *args):
        with Single._lock:
            if cls not in Single._made:
                Single._made[cls] = super().__call__(*args)
            return Single._made[cls]

class Base(metaclass=Single):
    def get(self):
        return 1

class Account(Base):
    def __new__(cls):
        return super().__new__(cls)
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [("with Single._lock:", "if True:"), ("return super().__new__(cls)", "return object.__new__(cls)")],
)
def test_what_makes_an_object_is_touched_by_the_change_of_what_it_calls(tmp_path, before, after):
    change = compare(tmp_path, {"account.py": SINGLE}, {"account.py": SINGLE.replace(before, after)})
    assert change.touches("Account")
    assert not change.touches("get")
    assert change.changed_pairs(["get", "Account"]) == [("get", "Account"), ("Account", "Account")]


def test_what_makes_an_object_is_not_touched_by_other_changes(tmp_path):
    change = compare(tmp_path, {"account.py": SINGLE}, {"account.py": SINGLE.replace("return 1", "return 2")})
    assert change.touches("get")
    assert not change.touches("Account")


def test_a_function_moved_to_another_file_is_the_same_function(tmp_path):
    old = {"account.py": "def clean(x):\n    return x\n\nclass Account:\n    def get(self):\n        return clean(1)\n"}
    new = {
        "account.py": "from tools import clean\n\nclass Account:\n    def get(self):\n        return clean(1)\n",
        "tools.py": "# moved\ndef clean(x):\n    return x\n",
    }
    change = compare(tmp_path, old, new)
    assert change.is_empty
    assert change.added_functions == change.removed_functions == ()
    assert change.old_to_new["account.py", 2] == ("tools.py", 3)
    assert change.new_to_old["tools.py", 3] == ("account.py", 2)


def test_package_with_relative_imports_re_exports_and_stars(tmp_path):
    old = {
        "pkg/__init__.py": "from .core import Account\n",
        "pkg/core.py": "from . import base, deep\nfrom .names import *\n\nclass Account(base.Base):\n"
        "    def get(self):\n        return limit()\n    def deep(self):\n        return deep.inner.f()\n",
        "pkg/base.py": "class Base:\n    def put(self):\n        return self.get()\n    def alone(self): return 1\n",
        "pkg/names.py": "def limit():\n    return 1\n",
        "pkg/deep/__init__.py": "from . import inner\n",
        "pkg/deep/inner.py": "from ..names import limit as g\n\ndef f():\n    return g()\n",
        "pkg/unrelated.py": "X = 1\n",
    }  # fmt: skip
    new = {**old, "pkg/names.py": "def limit():\n    return 2\n", "pkg/unrelated.py": "def new():\n    return 1\n"}
    change = compare(tmp_path, old, new, "pkg:Account")
    assert change.changed_methods == {"get", "put", "deep"}
    assert change.added_functions == ()
    assert {statement.file for statement in change.new_statements} == {"pkg/names.py"}


def test_methods_of_library_bases_call_what_the_class_overrides(tmp_path):
    old = """
    import queue
    from collections.abc import MutableMapping

    class Account(queue.Queue):
        def _put(self, item):
            self.queue.append(item)

    class Map(MutableMapping):
        def __getitem__(self, k): return self.d[k]
        def __setitem__(self, k, v): self.d[k] = v
        def __delitem__(self, k): del self.d[k]
        def __iter__(self): return iter(self.d)
        def __len__(self): return len(self.d)
    """
    new = old.replace("self.queue.append(item)", "self.queue.appendleft(item)")
    assert compare(tmp_path, old, new).changed_methods == {"put", "put_nowait"}
    new = old.replace("self.d[k] = v", "self.d.update({k: v})")
    assert compare(tmp_path, old, new, "account:Map").changed_methods == {"__setitem__", "setdefault", "update"}


def test_property_setters_and_functions_in_branches(tmp_path):
    old = """
    import sys
    class Account:
        @property
        def size(self):
            return self._size
        @size.setter
        def size(self, value):
            self._size = value
        if sys.platform == "win32":
            def where(self): return "w"
        else:
            def where(self): return "l"
        names = property(lambda self: self.size)
        __call__ = where
    """
    change = compare(tmp_path, old, old.replace("self._size = value", "self._size = value + 1"))
    assert change.direct_methods == {"size"}
    assert change.changed_methods == {"size", "names"}
    assert compare(tmp_path, old, old.replace('"l"', '"m"')).changed_methods == {"where", "__call__"}


def test_dataclass_fields_are_code(tmp_path):
    old = """
    from dataclasses import dataclass
    @dataclass
    class Account:
        x: int = 0
        def get(self) -> int:
            return self.x
    """
    assert compare(tmp_path, old, old.replace("-> int", "-> float")).is_empty
    assert compare(tmp_path, old, old.replace("x: int = 0", "x: int = 1")).changed_methods == {"get"}


def test_receivers_of_unknown_class_are_found_by_name(tmp_path):
    old = """
    class Store:
        def fetch_all(self): return 1
        def get(self): return 1
    class Account:
        def __init__(self, store, cache: "Store | None"):
            self.store = store
            self.cache = cache
        def all(self): return self.store.fetch_all()
        def one(self): return self.store.get()
        def cached(self): return self.cache.get()
    """
    new = old.replace("fetch_all(self): return 1", "fetch_all(self): return 2")
    assert compare(tmp_path, old, new).changed_methods == {"all"}
    # `get` of something unknown is taken for that of a dictionary, of an annotated parameter it is found.
    new = old.replace("get(self): return 1", "get(self): return 2")
    assert compare(tmp_path, old, new).changed_methods == {"cached"}


def test_what_is_called_without_being_known_may_be_any_callable_object(tmp_path):
    old = """
    def helper(): return 1
    class Once:
        def __call__(self): return 1
    class Account:
        def __init__(self): self.makers = {}
        def make(self, name):
            maker = self.makers.get(name)
            return maker()
        def help(self): return helper()
    """
    new = old.replace("__call__(self): return 1", "__call__(self): return 2")
    assert compare(tmp_path, old, new).changed_methods == {"make"}


def test_operators_and_protocols_on_the_receiver(tmp_path):
    old = """
    class Account:
        def __getitem__(self, k): return 1
        def __contains__(self, k): return True
        def __enter__(self): return self
        def __exit__(self, *a): return None
        def __iter__(self): return iter([1])
        def item(self): return self[1]
        def has(self): return 1 in self
        def locked(self):
            with self:
                return 1
        def each(self): return [x for x in self]
        def named(self): return getattr(self, "item")()
    """
    expected = {
        "self, k): return 1": {"__getitem__", "item", "named"},
        "return True": {"__contains__", "has"},
        "return self\n": {"__enter__", "locked"},
        "iter([1])": {"__iter__", "has", "each"},
    }
    for text, methods in expected.items():
        changed = text.replace("1)", "2)").replace("[1]", "[2]").replace("return 1", "return 2")
        changed = changed if changed != text else text.replace("return ", "return 0 or ")
        assert compare(tmp_path, old, old.replace(text, changed)).changed_methods == methods, text


def test_a_module_is_a_subject_too(tmp_path):
    change = compare(tmp_path, BASE, BASE.replace("text.upper()", "text"), "account")
    assert change.changed_methods == {"log"}
    assert change.common_methods == {"log", "checked"}


def test_changed_pairs_follow_the_formula(tmp_path):
    change = edited(tmp_path, "LIMIT = 10", "LIMIT = 11")
    methods = sorted(change.common_methods - {"__init__"})
    n, c = len(methods), len(change.changed_methods)
    pairs = change.changed_pairs(methods)
    assert len(pairs) == c * n - c * (c - 1) // 2
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    assert all(set(pair) & change.changed_methods for pair in pairs)
    assert change.changed_pairs(["Account.step", "Account.rich"]) == [
        ("Account.step", "Account.rich"),
        ("Account.rich", "Account.rich"),
    ]


def test_pairs_know_the_names_of_an_interface(tmp_path):
    old = """
    class Account:
        @property
        def size(self): return 1
        def __enter__(self): return self
        def __exit__(self, *a): return None
        def read(self): return 1
        def write(self): return 2
    def describe(account): return account.read()
    """
    names = ["size", "size.setter", "with", "read", "write", "read+write", "describe"]
    for text, expected in {
        "size(self): return 1": {"size", "size.setter"},
        "read(self): return 1": {"read", "read+write", "describe"},
        "return self": {"with"},
        "return None": {"with"},
    }.items():
        change = compare(tmp_path, old, old.replace(text, text.replace("return", "return 0 or")))
        assert {name for name in names if change.touches(name)} == expected
        assert change.changed_pairs(names) == [
            (a, b) for n, a in enumerate(names) for b in names[n:] if {a, b} & expected
        ]


def test_unusable_subjects_are_told_in_one_line(tmp_path):
    with pytest.raises(UsageError, match=r"version new: .* has no class 'Account'; did you mean 'Accounts'\?"):
        compare(tmp_path, "class Account: pass", "class Accounts: pass")
    with pytest.raises(UsageError, match=r"^version new: account cannot be read by .*account\.py line 1") as error:
        compare(tmp_path, "class Account: pass", "print 'python 2'")
    assert "\n" not in str(error.value)
    with pytest.raises(UsageError, match="no source file of module 'nowhere'"):
        compare(tmp_path, "", "", "nowhere:X")
