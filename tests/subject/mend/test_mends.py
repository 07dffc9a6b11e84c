"""Mends as text: a class and what a finding says of it in, the changed lines out."""

import ast
import textwrap

import pytest

from plait.errors import UsageError
from plait.subject.mend.candidates import mends
from plait.subject.mend.clues import Clue, Clues
from plait.subject.mend.text import SourceText, decoded, diff_size, unified

FILE = "shop.py"


def offered(source, clues, owner="Shop"):
    return mends({FILE: textwrap.dedent(source)}, clues, owner)


def clues(source, *marks, kind="wrong-result", entries=(), attributes=(), locks=()):
    """The lines with these texts race; the first and the last of them are a gap in the function of the first."""
    lines = textwrap.dedent(source).splitlines()
    numbers = [next(at for at, line in enumerate(lines, 1) if mark in line) for mark in marks]
    spots = [Clue(FILE, function_at(textwrap.dedent(source), number), number) for number in numbers]
    inside = [each for each in spots if each.function == spots[0].function]
    gap = (inside[0], inside[-1]) if spots else ()
    return Clues(kind, tuple(entries), tuple(spots), gap, tuple(spots), tuple(attributes), tuple(locks))


def function_at(source, line):
    found = ""
    for owner in ast.parse(source).body:
        for node in (owner, *getattr(owner, "body", ())):
            if isinstance(node, ast.FunctionDef) and node.lineno <= line <= node.end_lineno:
                found = node.name if owner is node else f"{owner.name}.{node.name}"
    return found


def change(mend):
    """The added and removed lines."""
    return [line for line in mend.diff.splitlines()[2:] if line[:1] in "+-"]


def one(found, title):
    chosen = [each for each in found if title in each.title]
    assert chosen, [each.title for each in found]
    return chosen[0]


LOCKED = '''
    import threading


    class Shop:
        """Sells."""

        def __init__(self):
            self._lock = threading.Lock()
            self.stock = 0

        def deliver(self, count):
            """Take in."""
            # what is there
            stock = self.stock
            self.stock = stock + count

        def sell(self):
            with self._lock:
                self.stock -= 1
'''


def test_the_lock_that_is_there_is_held_over_the_gap_comments_included():
    found = offered(LOCKED, clues(LOCKED, "stock = self.stock", "= stock + count", attributes=["stock"]))
    first = found[0]
    assert first.family == "hold"
    assert change(first) == [
        "-        # what is there",
        "-        stock = self.stock",
        "-        self.stock = stock + count",
        "+        with self._lock:",
        "+            # what is there",
        "+            stock = self.stock",
        "+            self.stock = stock + count",
    ]
    assert first.size == (1, 7)
    assert [each.size for each in found] == sorted(each.size for each in found)


SPLIT = '''
    import threading


    class Shop:
        def __init__(self):
            self._lock = threading.Lock()
            self.stock = 0

        def deliver(self, count):
            with self._lock:
                stock = self.stock  # now
            text = """
    as it is
            """
            with self._lock:
                self.stock = stock + count
            return text
'''


def test_blocks_that_are_torn_apart_are_merged_and_strings_stay_as_they_are():
    found = offered(SPLIT, clues(SPLIT, "stock = self.stock", "= stock + count", attributes=["stock"]))
    merged = one(found, "part of `deliver`")
    assert change(merged) == [
        '-        text = """',
        '+            text = """',
        "-        with self._lock:",
    ]
    assert 'text = """\nas it is\n        """\n' in merged.edits[0].after


BARE = '''
    """A shop."""

    from __future__ import annotations

    import json
    from zlib import crc32


    class Shop:
        def __init__(self, name):
            self.name = name
            self.stock = 0

        def deliver(self, count):
            self.stock = self.stock + count

        def count(self):
            return self.stock

        def label(self):
            return self.name
'''


def test_a_new_lock_comes_with_its_import_and_the_line_that_makes_it():
    found = offered(BARE, clues(BARE, "self.stock + count", entries=["Shop.deliver"], attributes=["stock"]))
    assert change(found[0]) == [
        "+import threading",
        "+        self._lock = threading.Lock()",
        "-        self.stock = self.stock + count",
        "+        with self._lock:",
        "+            self.stock = self.stock + count",
    ]
    assert "import json\nimport threading\nfrom zlib" in found[0].edits[0].after
    both = one(found, "`deliver`, `count`")
    assert "return self.name" not in "".join(change(both))  # it has nothing to do with it
    shared = one(found, "for all instances")
    assert "    _lock = threading.RLock()\n\n    def __init__" in shared.edits[0].after


def test_methods_that_call_each_other_get_a_lock_that_can_be_taken_again():
    source = BARE + "\n        def deliver_two(self):\n            self.deliver(1)\n            self.deliver(1)\n"
    found = offered(source, clues(source, "self.stock + count", entries=["Shop.deliver_two"], attributes=["stock"]))
    whole = one(found, "`deliver`, `deliver_two`")
    assert "self._lock = threading.RLock()" in whole.edits[0].after


def test_a_static_method_takes_the_lock_of_the_class():
    source = """
        class Shop:
            seen = []

            @staticmethod
            def visit(name):
                Shop.seen.append(name)
                return len(Shop.seen)
    """
    found = offered(source, clues(source, "append(name)", "return len", entries=["Shop.visit"], attributes=["seen"]))
    assert "    _lock = threading.RLock()\n    seen = []" in found[0].edits[0].after
    assert "        with Shop._lock:\n            Shop.seen.append" in found[0].edits[0].after


def test_a_function_of_a_module_takes_a_lock_of_the_module():
    source = """
        TOTAL = 0


        def add(count):
            global TOTAL
            TOTAL = TOTAL + count
    """
    found = offered(source, clues(source, "TOTAL + count", entries=["add"], attributes=["TOTAL"]), "")
    assert "TOTAL = 0\n_lock = threading.Lock()\n\n\ndef add" in found[0].edits[0].after
    assert "    with _lock:\n        TOTAL = TOTAL + count" in found[0].edits[0].after


def test_slots_and_a_method_on_one_line():
    source = """
        class Shop:
            __slots__ = ("stock",)

            def __init__(self):
                self.stock = 0

            def deliver(self): self.stock += 1
    """
    found = offered(source, clues(source, "self.stock += 1", entries=["Shop.deliver"], attributes=["stock"]))
    assert '__slots__ = ("stock", "_lock",)' in found[0].edits[0].after
    assert "    def deliver(self):\n        with self._lock:\n            self.stock += 1\n" in found[0].edits[0].after


WAITING = """
    from threading import Condition


    class Shop:
        def __init__(self):
            self._changed = Condition()
            self._closed = Condition()
            self.stock = 0

        def deliver(self):
            with self._changed:
                self.stock += 1
                self._changed.notify()

        def restock(self):
            with self._changed:
                self.stock = 9

        def take(self):
            with self._changed:
                if self.stock == 0:
                    self._changed.wait()
                self.stock -= 1

        def close(self):
            with self._closed:
                self._closed.notify_all()
"""


@pytest.mark.parametrize(("title", "lines"), [
    ("`while` for `if`", ["-            if self.stock == 0:", "+            while self.stock == 0:"]),
    ("`notify_all` for `notify`",
     ["-            self._changed.notify()", "+            self._changed.notify_all()"]),
    ("has changed, in `restock`", ["+            self._changed.notify_all()"]),
    ("notify `_changed`, not `_closed`",
     ["-            self._closed.notify_all()", "+            self._changed.notify_all()"]),
])  # fmt: skip
def test_waiting_and_waking(title, lines):
    found = offered(WAITING, clues(WAITING, "self._changed.wait()", kind="deadlock"))
    assert change(one(found, title)) == lines


def test_what_an_exception_would_leave_taken_is_given_back():
    source = """
        import threading


        class Shop:
            def __init__(self):
                self._lock = threading.Lock()

            def sell(self, price):
                self._lock.acquire()
                cost = 1 / price  # may raise
                self._lock.release()
                return cost
    """
    found = offered(source, clues(source, "acquire()", kind="deadlock", entries=["Shop.sell"]))
    mended = one(found, "give back")
    assert (
        "        with self._lock:\n            cost = 1 / price  # may raise\n        return cost"
        in mended.edits[0].after
    )
    assert "release" not in mended.edits[0].after


ORDERS = """
    import threading


    class Shop:
        def __init__(self):
            self._front = threading.Lock()
            self._back = threading.Lock()
            self.stock = 0

        def deliver(self):
            with self._front:
                with self._back:
                    self.stock += 1

        def sell(self):
            with self._back:
                print("sold")
                with self._front:
                    self.stock -= 1

        def both(self):
            with self._back, self._front:
                return self.stock
"""


@pytest.mark.parametrize(("title", "text"), [
    ("take `self._back` before `self._front` in `deliver`",
     "        with self._back:\n            with self._front:\n                self.stock += 1"),
    ("take `self._front` before `self._back` in `sell`",
     '        with self._front, self._back:\n            print("sold")\n            self.stock -= 1'),
    ("take `self._front` before `self._back` in `both`", "        with self._front, self._back:\n            return"),
    ("make `_back` the same lock as `_front`",
     "self._front = threading.RLock()\n        self._back = self._front\n"),
])  # fmt: skip
def test_one_order_for_two_locks(title, text):
    found = offered(ORDERS, clues(ORDERS, "self.stock += 1", kind="deadlock", locks=["_front", "_back"]))
    assert text in one(found, title).edits[0].after


def test_the_same_lock_of_two_objects():
    source = """
        from threading import Lock


        class Shop:
            def __init__(self):
                self._lock = Lock()
                self.stock = 0

            def move(self, other):
                with self._lock:
                    with other._lock:
                        other.stock += 1
    """
    found = offered(source, clues(source, "other.stock", kind="deadlock", locks=["_lock"]))
    by_identity = one(found, "identities")
    assert "        first, second = sorted((self, other), key=id)\n" in by_identity.edits[0].after
    assert "        with first._lock, second._lock:\n            other.stock += 1" in by_identity.edits[0].after
    shared = one(found, "one `_lock` for all instances")
    assert "from threading import Lock, RLock" in shared.edits[0].after
    assert "    _lock = RLock()\n\n    def __init__(self):\n        self.stock = 0" in shared.edits[0].after
    assert "self._lock = RLock()" in one(found, "may take again").edits[0].after


ATOMIC = """
    class Shop:
        def __init__(self):
            self.prices = {}
            self._names = []
            self._ready = False
            self._value = None

        def price(self, key):
            if key not in self.prices:
                self.prices[key] = len(key)
            return self.prices[key]

        def forget(self, key):
            if key in self.prices:
                del self.prices[key]

        def total(self):
            return sum(price for _, price in self.prices.items())

        def fill(self, value):
            self._ready = True
            self._value = value

        def name(self):
            if self._names is not None and self._names[0]:
                return self._names[0]
"""


@pytest.mark.parametrize(("marks", "attribute", "title", "lines"), [
    (["if key not in"], "prices", "`setdefault`", [
        "-        if key not in self.prices:", "-            self.prices[key] = len(key)",
        "-        return self.prices[key]", "+        return self.prices.setdefault(key, len(key))"]),
    (["if key in"], "prices", "`pop`", [
        "-        if key in self.prices:", "-            del self.prices[key]", "+        self.prices.pop(key, None)"]),
    (["self.prices.items()"], "prices", "`list(self.prices.items())`", [
        "-        return sum(price for _, price in self.prices.items())",
        "+        return sum(price for _, price in list(self.prices.items()))"]),
    (["self._ready = True"], "_ready", "publish `self._ready` last", [
        "-        self._value = value", "+        self._value = value"]),  # above the other one
    (["return self._names"], "_names", "read `_names` once", [
        "-        if self._names is not None and self._names[0]:", "-            return self._names[0]",
        "+        names = self._names", "+        if names is not None and names[0]:", "+            return names[0]"]),
])  # fmt: skip
def test_one_operation_for_two(marks, attribute, title, lines):
    found = offered(ATOMIC, clues(ATOMIC, *marks, attributes=[attribute]))
    assert sorted(change(one(found, title))) == sorted(lines)


TAKING = """
    class Shop:
        def __init__(self):
            self.prices = {}
            self._free = []
            self._waiting = []

        def end(self, key):
            if key in self.prices:
                return self.prices.pop(key)
            return None

        def price(self, key):
            if key not in self.prices:
                return 0
            return self.prices[key]

        def must(self, key):
            if key not in self.prices:
                raise LookupError(key)
            return self.prices.pop(key)

        def take(self):
            if self._free:
                return self._free.pop()

        def next(self):
            if not self._waiting:
                raise IndexError("nobody waits")
            return self._waiting.pop(0)

        def made(self, key):
            if key in self.prices:
                return self.prices[key]
            return len(self.prices)

        def first(self, key):
            if key in self.prices:
                return self.prices[key]
            self.prices = {}
"""


@pytest.mark.parametrize(("mark", "attribute", "title", "lines"), [
    ("return self.prices.pop(key)", "prices", "one `pop` with a default in `end`", [
        "-        if key in self.prices:", "-            return self.prices.pop(key)", "-        return None",
        "+        return self.prices.pop(key, None)"]),
    ("return 0", "prices", "one `get` with a default in `price`", [
        "-        if key not in self.prices:", "-            return 0", "-        return self.prices[key]",
        "+        return self.prices.get(key, 0)"]),
    ("raise LookupError", "prices", "take first and catch the KeyError in `must`", [
        "-        if key not in self.prices:", "-            raise LookupError(key)",
        "-        return self.prices.pop(key)", "+        try:", "+            return self.prices.pop(key)",
        "+        except KeyError:", "+            raise LookupError(key) from None"]),
    ("return self._free.pop()", "_free", "take first and catch the IndexError in `take`", [
        "-        if self._free:", "+        try:", "+        except IndexError:", "+            return None"]),
    ("raise IndexError", "_waiting", "take first and catch the IndexError in `next`", [
        "-        if not self._waiting:", '-            raise IndexError("nobody waits")',
        "-        return self._waiting.pop(0)", "+        try:", "+            return self._waiting.pop(0)",
        "+        except IndexError:", '+            raise IndexError("nobody waits") from None']),
])  # fmt: skip
def test_what_is_taken_is_not_looked_for_first(mark, attribute, title, lines):
    found = offered(TAKING, clues(TAKING, mark, attributes=[attribute]))
    assert sorted(change(one(found, title))) == sorted(lines)


@pytest.mark.parametrize("mark", ["return len(self.prices)", "self.prices = {}"])
def test_what_happens_otherwise_is_neither_computed_early_nor_left_out(mark):
    """A default is made whether it is needed or not; and another statement is no way out of the function."""
    found = offered(TAKING, clues(TAKING, mark, attributes=["prices"]))
    assert found
    assert not [each.title for each in found if "default" in each.title or "catch" in each.title]


def test_a_value_is_computed_in_a_local_name_and_stored_once():
    source = """
        class Shop:
            def __init__(self):
                self._hash = 0

            def hash(self):
                if self._hash == 0:
                    self._hash = 17
                    self._hash = 37 * self._hash + 1
                return self._hash
    """
    found = offered(source, clues(source, "37 * self._hash", attributes=["_hash"]))
    stored = one(found, "store `self._hash` once").edits[0].after
    assert "current_hash = 17\n            current_hash = 37 * current_hash + 1\n" in stored
    assert "            self._hash = current_hash\n        return self._hash" in stored
    # 37 * self._hash is read below: the first assignment must not move behind it
    assert not [each for each in found if "publish `self._hash` last" in each.title]


def test_the_second_check_of_a_lazy_attribute():
    source = """
        import threading


        class Shop:
            def __init__(self):
                self._lock = threading.Lock()
                self._till = None

            def till(self):
                if self._till is None:
                    with self._lock:
                        self._till = object()
                return self._till
    """
    found = offered(source, clues(source, "self._till = object()", attributes=["_till"]))
    again = one(found, "test again under the lock")
    block = "with self._lock:\n                if self._till is None:\n                    self._till = object()"
    assert block in again.edits[0].after


def test_generators_and_constructors_are_not_put_under_a_lock():
    source = """
        class Shop:
            def __init__(self):
                self.stock = [1]

            def walk(self):
                yield from self.stock
    """
    found = offered(source, clues(source, "yield from", entries=["Shop.walk", "Shop.__init__"], attributes=["stock"]))
    assert not [each for each in found if each.family in ("hold", "add lock")]


@pytest.mark.parametrize("source", ["def broken(:", "", "x = 1\r"])
def test_what_cannot_be_read_has_no_mends(source):
    assert mends({FILE: source}, Clues("wrong-result"), "Shop") == []


def test_line_ends_tabs_and_encodings_stay():
    source = "class Shop:\r\n\tdef __init__(self):\r\n\t\tself.é = 'é'\r\n\r\n\tdef f(self):\r\n"
    source += "\t\tself.é = self.é + 'é'\r\n"
    spot = Clue(FILE, "Shop.f", 6)
    found = mends({FILE: source}, Clues("wrong-result", ("Shop.f",), (spot, spot), attributes=("é",)), "Shop")
    first = one(found, "held in").edits[0].after
    assert first.count("\n") == first.count("\r\n")
    assert "\tdef f(self):\r\n\t\twith self._lock:\r\n\t\t\tself.é = self.é + 'é'\r\n" in first
    assert decoded("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "x")[1] == "iso-8859-1"
    with pytest.raises(UsageError, match="cannot be read"):
        decoded(b"\xff\xff", "x")


def test_size_and_diff():
    assert diff_size("a\nb\n", "a\n  b\n") == (0, 2)
    assert diff_size("a\n", "a\nb\n") == (1, 1)
    assert unified("x.py", "a\n", "b").splitlines()[-2:] == ["+b", "\\ No newline at end of file"]
    edit = SourceText("x = 1\n")
    assert edit.result() is None  # nothing has changed
    edit.insert_before(1, "if")
    assert edit.result() is None  # no Python


PARTS = """
    class Till:
        def __init__(self):
            self.coins = 0

        def add(self):
            self.coins = self.coins + 1

        def empty(self):
            self.coins = 0


    class Shop:
        def __init__(self):
            self.till = Till()

        def sell(self):
            self.till.add()

        def close(self):
            self.till.empty()

        def name(self):
            return "shop"
"""


def test_a_new_lock_binds_everybody_who_changes_what_is_raced_for():
    """A lock that `sell` takes alone keeps nobody out of the till who comes through `close`."""
    found = offered(PARTS, clues(PARTS, "self.coins + 1", entries=["Shop.sell"], attributes=["coins"]))
    held = [[name for name in ("add", "empty", "sell", "close", "name") if f"`{name}`" in each.title] for each in found]
    assert ["sell", "close"] in held
    assert ["sell"] not in held
    assert ["add"] not in held


MIXED = """
    import threading
    from collections.abc import MutableMapping


    class Shop(MutableMapping):
        def __init__(self):
            self._lock = threading.Lock()
            self.stock = {}

        def __getitem__(self, key):
            return self.stock[key]

        def __setitem__(self, key, value):
            with self._lock:
                self.stock[key] = value

        def __delitem__(self, key):
            del self.stock[key]

        def __iter__(self):
            return iter(list(self.stock))

        def __len__(self):
            return len(self.stock)
"""


def test_an_inherited_method_that_is_torn_apart_is_overridden():
    """`popitem` of `MutableMapping` takes a key and removes it in two steps; no line of the module does."""
    found = offered(MIXED, clues(MIXED, "del self.stock", entries=["Shop.popitem"], attributes=["stock"]))
    lines = change(one(found, "override `popitem`, to hold it there"))
    assert lines[-4:] == [
        "+", "+    def popitem(self, *args, **kwargs):", "+        with self._lock:",
        "+            return super().popitem(*args, **kwargs)",
    ]  # fmt: skip
    assert "+        self._lock = threading.RLock()" in lines
    every = one(found, "`setdefault`")
    assert every.diff.count("return super().") == len(("pop", "popitem", "clear", "update", "setdefault"))
    assert "def keys" not in every.diff


def test_without_a_base_class_nothing_is_overridden():
    plain = MIXED.replace("(MutableMapping)", "")
    found = offered(plain, clues(plain, "del self.stock", entries=["Shop.popitem"], attributes=["stock"]))
    assert not any("override" in each.title for each in found)
