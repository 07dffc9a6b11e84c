"""Statement matching, changed lines and line maps."""

import ast
import random
from itertools import combinations
from textwrap import dedent

from plait.subject.changes.change import analyse
from plait.subject.changes.matching import _common, align, line_map, match_statements, span
from plait.subject.name import Subject
from plait.subject.versions.version import Version

# ConDiff, Fig. 2, in Python: a synchronizing decorator is replaced by smaller blocks.
OLD_ACCOUNT = """\
class Account:
    def __init__(self):
        self.balance = 0

    @synchronized
    def deposit(self, amount):
        if amount <= 0:
            return
        self.balance = self.balance + amount

    @synchronized
    def withdraw(self, amount):
        if amount <= 0:
            return
        if self.balance >= amount:
            self.balance = self.balance - amount
"""
NEW_ACCOUNT = """\
class Account:
    def __init__(self):
        self.balance = 0

    def deposit(self, amount):
        if amount <= 0:
            return
        with self.lock:
            self.balance = self.balance + amount

    def withdraw(self, amount):
        if amount <= 0:
            return
        if self.balance >= amount:
            with self.lock:
                self.balance = self.balance - amount
"""


def function(text):
    return ast.parse(dedent(text)).body[0]


def pairs(old, new):
    return [(span(a)[0], span(b)[0]) for a, b in match_statements(function(old), function(new))]


def account(tmp_path, old, new):
    for name, text in (("old", old), ("new", new)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "account.py").write_text(text)
    versions = (Version(name, tmp_path / name, "folder") for name in ("old", "new"))
    return analyse(Subject("account", "Account"), *versions)


def test_figure_2(tmp_path):
    change = account(tmp_path, OLD_ACCOUNT, NEW_ACCOUNT)
    assert change.changed_methods == change.direct_methods == {"deposit", "withdraw"}
    assert change.changed_pairs(["withdraw", "deposit"]) == [
        ("withdraw", "withdraw"), ("withdraw", "deposit"), ("deposit", "deposit"),
    ]  # fmt: skip
    # Only the decorated `def` lines are gone, only the plain ones and the `with` lines are new.
    assert change.changed_lines("old") == {"account.py": {5, 6, 11, 12}}
    assert change.changed_lines("new") == {"account.py": {5, 8, 11, 15}}
    lines = {old: new for (_, old), (_, new) in change.line_map("old").items()}
    assert lines == {1: 1, 2: 2, 3: 3, 7: 6, 8: 7, 9: 9, 13: 12, 14: 13, 15: 14, 16: 16}
    assert {new: old for old, new in lines.items()} == {n: o for (_, n), (_, o) in change.line_map("new").items()}
    assert {(s.function, s.kind) for s in change.new_statements} == {
        ("Account.deposit", "added"), ("Account.withdraw", "added"),
    }  # fmt: skip


def test_everything_matches_after_a_local_is_renamed():
    old = "def f(a):\n    x = a + 1\n    for i in range(x):\n        x += i\n    return x\n"
    new = "def f(a):\n    # better\n    sum_ = a + 1\n\n    for n in range(sum_):\n        sum_ += n\n    return sum_\n"
    assert pairs(old, new) == [(1, 1), (2, 3), (3, 5), (4, 6), (5, 7)]


def test_moved_statements_match_and_are_marked():
    old = function("def f(self):\n    self.a = 1\n    self.b = 2\n    self.c = 3\n    return self.a\n")
    new = function("def f(self):\n    self.b = 2\n    self.c = 3\n    self.a = 1\n    return self.a\n")
    found = align(old, new)
    assert [(a.lineno, b.lineno) for a, b in found.moved] == [(2, 4)]
    assert not found.removed
    assert not found.added
    assert line_map(old, new) == {1: 1, 2: 4, 3: 2, 4: 3, 5: 5}


def test_handlers_cases_and_multi_line_headers_match():
    old = """
    def f(x, y):
        try:
            g(x)
        except (KeyError, ValueError) as error:
            h(error)
        match x:
            case [1, y]:
                g(y)
            case {"a": 1, **rest}:
                h(rest)
        if (x and
                y):
            g(y)
    """
    new = old.replace("g(x)", "g(x, 1)").replace("x and\n                y", "x and y")
    lines = line_map(function(old), function(new))
    assert set(range(2, 15)) - set(lines) == {4}
    assert lines[12] == lines[13] == 12
    assert lines[14] == 13


def test_lines_inside_a_broken_expression_follow_the_expression():
    old = function("def f(a):\n    return g(\n        a.x,\n        a.y,\n    )\n")
    new = function("def f(a):\n    return g(a.x,\n             a.y)\n")
    assert line_map(old, new) == {1: 1, 2: 2, 3: 2, 4: 3}
    assert line_map(new, old)[3] == 4


def test_spans_are_headers():
    node = function("@a\n@b(\n 1)\ndef f(\n x,\n y=2,\n):\n while (x\n   > y):\n  g(x,\n   y)\n")
    assert [span(each) for each in (node, node.body[0], node.body[0].body[0])] == [(1, 6), (8, 9), (10, 11)]


def test_longest_common_subsequence_against_brute_force():
    rng = random.Random(1)
    for _ in range(300):
        a = [rng.choice("abc") for _ in range(rng.randrange(8))]
        b = [rng.choice("abc") for _ in range(rng.randrange(8))]
        found = _common(a, b)
        assert all(a[i] == b[j] for i, j in found)
        assert all(x[0] < y[0] and x[1] < y[1] for x, y in zip(found, found[1:]))
        subsequences = {tuple(c) for n in range(len(b) + 1) for c in combinations(b, n)}
        best = max(n for n in range(len(a) + 1) for c in combinations(a, n) if tuple(c) in subsequences)
        assert len(found) == best


def test_very_long_functions_are_compared_fast():
    body = "".join(f"    a{n} = {n}\n" for n in range(3000))
    texts = (f"def f():\n    {first}()\n{body}    {last}()\n" for first, last in ("xy", "zw"))
    found = align(*map(function, texts))
    assert len(found.kept) == 3001
    assert (len(found.removed), len(found.added)) == (2, 2)


def test_class_and_module_statements_are_compared_too(tmp_path):
    old = "LIMIT = 1\nOTHER = 2\nclass Account:\n    STEP = 1\n    x: int\n    def get(self):\n        return LIMIT\n"
    new = old.replace("LIMIT = 1", "LIMIT = 2").replace("x: int", "x: float")
    change = account(tmp_path, old, new)
    assert change.changed_lines("new") == {"account.py": {1, 5}}
    assert [statement.function for statement in change.new_statements] == ["", "Account"]
    assert change.old_to_new["account.py", 2] == ("account.py", 2)


def test_a_removed_function_counts_with_all_its_lines(tmp_path):
    old = "class Account:\n    def a(self):\n        return 1\n    def b(self):\n        if 1:\n            return 2\n"
    change = account(tmp_path, old, old.replace("    def b", "    def c"))
    assert change.changed_lines("old") == {"account.py": {4, 5, 6}}
    assert {statement.kind for statement in change.old_statements} == {"removed"}
    assert ("account.py", 4) not in change.old_to_new
