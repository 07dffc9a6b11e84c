"""Impacted code points, step by step (CAPP, section 3.1)."""

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from plait.subject.changes.impact import Icp, Impact, class_of, named_function
from plait.subject.changes.impact_analysis import collect, module_name, python_files
from plait.subject.changes.impact_lines import impacted_lines, regions

CAPP = Path(__file__).resolve().parents[3] / "benchmarks" / "capp"


def lines(old, new):
    return sorted(impacted_lines(None if old is None else ast.parse(dedent(old)), ast.parse(dedent(new))))


@pytest.fixture
def impact(tmp_path):
    def of(old, new, name="shop"):
        for version, text in (("old", old), ("new", new)):
            (tmp_path / version).mkdir()
            (tmp_path / version / f"{name}.py").write_text(dedent(text), encoding="utf-8")
        return collect(tmp_path / "old", tmp_path / "new")

    return of


# -- the diff


def test_formatting_and_comments_are_no_change():
    assert lines("def f(a):\n    return a + 1\n", "# new\ndef f(a):\n    return (\n        a + 1)  # one more\n") == []


def test_added_and_changed_statements():
    old = "def f(a):\n    b = a\n    return b\n"
    assert lines(old, "def f(a):\n    b = a + 1\n    print(b)\n    return b\n") == [2, 3]


def test_a_removal_shows_where_the_statement_stood():
    old = "def f(a):\n    one(a)\n    two(a)\n    check(a)\n    three(a)\n    four(a)\n"
    assert lines(old, old.replace("    check(a)\n", "")) == [3, 4]
    assert lines(old, old.replace("    four(a)\n", "")) == [5]
    assert lines(old, old.replace("    check(a)\n", "    examine(a)\n")) == [4]


def test_a_new_file_is_new_in_all_its_statements():
    assert lines(None, "x = 1\ndef f():\n    return x\n") == [1, 2, 3]


# -- step one: regions of synchronisation


GUARDED = """
def f(self):
    before()
    with self.lock:
        a()
        b()
    after()
"""


def test_a_change_inside_a_with_block_takes_the_whole_block():
    assert lines(GUARDED, GUARDED.replace("b()", "c()")) == [4, 5, 6]


def test_a_change_outside_of_the_block_leaves_it_alone():
    assert lines(GUARDED, GUARDED.replace("after()", "later()")) == [7]


def test_a_removed_lock_takes_what_it_guarded():
    unguarded = "\ndef f(self):\n    before()\n    a()\n    b()\n    after()\n"
    assert lines(GUARDED, unguarded) == [4, 5]
    assert lines(unguarded, GUARDED) == [4, 5, 6]


def test_a_block_that_ends_earlier_is_changed():
    shorter = GUARDED.replace("        b()", "    b()")
    assert lines(GUARDED, shorter) == [4, 5, 6]


def test_acquire_and_release_make_a_region():
    old = """
    def f(self):
        self.lock.acquire()
        try:
            a()
        finally:
            self.lock.release()
        b()
    """
    assert lines(old, old.replace("a()", "c()")) == [3, 4, 5, 7]


def test_a_decorator_that_locks_takes_the_method():
    old = "class A:\n    def f(self):\n        a()\n        b()\n"
    new = "class A:\n    @synchronized\n    def f(self):\n        a()\n        b()\n"
    assert lines(old, new) == [2, 3, 4, 5]


def test_what_counts_as_a_lock():
    text = """
    with open(name) as file:
        a()
    with lock_for(name):
        b()
    with self.changed:
        c()
    """
    assert list(regions(ast.parse(dedent(text)))) == [(4, 5), (6, 7)]


# -- step two: methods and classes


def test_methods_and_classes_are_filled_in(impact):
    old = """
    class Shop:
        class Shelf:
            def put(self):
                pass
        def sell(self):
            key = lambda item: item.price
            def inner():
                pass
    def helper():
        pass
    """
    new = old.replace("pass", "work()").replace("item.price", "item.name")
    points = impact(old, new).points
    assert {point for point in points if point.line is not None} == {
        Icp("shop:Shop.Shelf", "Shop.Shelf.put", 5, None),
        Icp("shop:Shop", "Shop.sell", 7, None),
        Icp("shop:Shop", "Shop.sell.<locals>.<lambda>", 7, None),
        Icp("shop:Shop", "Shop.sell.<locals>.inner", 9, None),
        Icp("shop", "helper", 11, None),
    }


@pytest.mark.parametrize(("function", "cls"), [
    ("f", ""), ("A.f", "A"), ("A.B.f", "A.B"), ("f.<locals>.A.g", "f.<locals>.A"), ("A.f.<locals>.g", "A"),
    ("A.f.<locals>.<lambda>", "A"), ("f.<locals>.<lambda>", ""),
])  # fmt: skip
def test_the_class_of_a_function(function, cls):
    assert class_of(function) == cls


def test_comprehensions_belong_to_their_function():
    assert named_function("A.f.<locals>.<listcomp>") == "A.f"
    assert named_function("A.f.<locals>.<genexpr>.<locals>.<listcomp>") == "A.f"
    assert named_function("A.f.<locals>.<lambda>") == "A.f.<locals>.<lambda>"


# -- step three: fields of impacted lines


def test_fields_of_impacted_lines(impact):
    old = """
    import threading
    limit = 3
    class Shop:
        def sell(self, other: "Shop", thing):
            pass
    """
    new = old.replace("pass", "self.sold = other.stock + thing.price + limit + threading.active_count()")
    assert impact(old, new).fields == {("Shop", "sold"), ("Shop", "stock"), (None, "price"), ("shop", "limit")}


def test_fields_of_unchanged_lines_are_not_impacted(impact):
    old = "class Shop:\n    def sell(self):\n        self.a = 1\n        self.b = 2\n"
    assert impact(old, old.replace("b = 2", "b = 3")).fields == {("Shop", "b")}


# -- step four: fields of directly called methods


def test_fields_of_directly_called_methods(impact):
    old = """
    class Stock:
        def __init__(self):
            self.items = []
            self.other = 0
        def take(self):
            self.note()
            return self.items.pop()
        def note(self):
            self.other = 1
        @property
        def free(self):
            return self.room
    class Shop:
        def __init__(self):
            self.stock = Stock()
        def sell(self):
            pass
    """
    new = old.replace("pass", "self.stock.take() if self.stock.free else None")
    assert impact(old, new).fields == {("Shop", "stock"), ("Stock", "items"), ("Stock", "room")}


def test_an_unknown_receiver_may_be_of_any_class(impact):
    old = """
    class Stock:
        def take(self):
            return self.items
    def sell(stock):
        pass
    """
    assert impact(old, old.replace("pass", "stock.take()")).fields == {("Stock", "items")}


# -- Mina: Figures 1 to 3


MINA = """
class Node:
    def __init__(self, item):
        self.item = item
        self.next = None

class ConcurrentLinkedQueue:
    def __init__(self):
        self.head = None
        self.tail = None
        self.count = 0

    def is_empty(self):
        return self.head is None

    def poll(self):
        node = self.head
        if node is None:
            return None
        self.head = node.next
        if self.head is None:
            self.tail = None
        return node.item

    def offer(self, item):
        self.count = self.count + 1

class ProtocolCodecFilter:
    def __init__(self):
        self.queue = ConcurrentLinkedQueue()

    def filter_write(self, next_filter, message):
        buffer_queue = self.queue
        while True:
            encoded = buffer_queue.poll()
            if encoded is None:
                break
            next_filter.write(encoded)
"""
FAULTY = MINA.replace("while True:", "while not buffer_queue.is_empty():").replace(
    "            if encoded is None:\n                break\n", ""
)


def test_mina_head_and_tail_of_the_queue_are_found(impact):
    found = impact(MINA, FAULTY, "mina")
    assert {point for point in found.points if point.field in ("head", "tail")} == {
        Icp("mina:ConcurrentLinkedQueue", None, None, "head"),
        Icp("mina:ConcurrentLinkedQueue", None, None, "tail"),
    }
    assert {name for _file, name in found.methods} == {"ProtocolCodecFilter.filter_write"}
    assert {name for _file, name in found.classes} == {"ProtocolCodecFilter"}
    assert "count" not in {field for _cls, field in found.fields}


# -- whole folders


def test_only_files_that_differ_are_looked_at(tmp_path):
    for version, number in (("old", 1), ("new", 2)):
        for name, text in {
            "pack/__init__.py": "", "pack/a.py": "def f():\n    return 1\n",
            "pack/b.py": f"def g():\n    return {number}\n",
            ".hidden/c.py": f"x = {number}\n", "build/d.py": f"x = {number}\n",
        }.items():  # fmt: skip
            file = tmp_path / version / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    found = collect(tmp_path / "old", tmp_path / "new")
    assert found.points == {Icp("pack.b", "g", 2, None)}
    assert found.lines == {(str(tmp_path / "new" / "pack" / "b.py"), 2)}
    assert module_name(tmp_path / "new" / "pack" / "b.py") == ("pack.b", tmp_path / "new")


def test_a_file_that_cannot_be_read_is_a_note(tmp_path):
    for version, text in (("old", "x = 1\n"), ("new", "x = = 1\n")):
        (tmp_path / version).mkdir()
        (tmp_path / version / "a.py").write_text(text)
    found = collect(tmp_path / "old", tmp_path / "new")
    assert (len(found), len(found.notes)) == (0, 1)


def test_no_change_no_points(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    assert collect(tmp_path, tmp_path) == Impact()


@pytest.mark.parametrize("folder", sorted(path.name for path in CAPP.iterdir() if (path / "old").is_dir()))
def test_every_port_has_points_of_all_four_kinds(folder):
    found = collect(CAPP / folder / "old", CAPP / folder / "new")
    assert all((found.points, found.lines, found.methods, found.classes, found.fields))


def test_what_plait_writes_is_no_change(tmp_path):
    (tmp_path / "plait-out").mkdir()
    (tmp_path / "plait-out" / "test_x.py").write_text("a = 1\n", encoding="utf-8")
    (tmp_path / "shop.py").write_text("a = 1\n", encoding="utf-8")
    assert list(python_files(tmp_path)) == [Path("shop.py")]
