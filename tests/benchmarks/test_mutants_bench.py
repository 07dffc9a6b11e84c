"""Planted bugs: the operators, what small tests say of mutants, and a table of a few of them."""

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def inside(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


def module(name):
    return importlib.import_module(f"benchmarks.mutants.{name}")


CLASS = """
import threading


class Box:
    def __init__(self):
        self.a = threading.RLock()
        self.b = threading.Lock()
        self.c = threading.Condition(self.a)
        self.d = threading.Condition(self.a)
        self.e = threading.Event()
        self.f = threading.Semaphore()
        self.g = []

    def method(self, key):
{}
"""

EXAMPLES = {
    "drop-with": ("with self.a:  # why\n    a = 1\n    b = 2", ["a = 1\nb = 2"]),
    "first-out": ("with self.a:\n    a = 1\n    b = 2\n    return b", ["a = 1\nwith self.a:\n    b = 2\n    return b"]),
    "last-out": ("with self.a:\n    a = 1\n    return a", ["with self.a:\n    a = 1\nreturn a"]),
    "split-with": ("with self.a:\n    a = 1\n    b = 2", ["with self.a:\n    a = 1\nwith self.a:\n    b = 2"]),
    "swap-locks": (
        "with self.a:\n    a = 1\n    with self.b:\n        b = 2\n    c = 3",
        ["with self.b:\n    a = 1\n    with self.a:\n        b = 2\n    c = 3"],
    ),
    "while-if": (
        "with self.a:\n    while not self.g:\n        self.c.wait()\n    self.d.wait_for(lambda: key)",
        [
            "with self.a:\n    if not self.g:\n        self.c.wait()\n    self.d.wait_for(lambda: key)",
            "with self.a:\n    while not self.g:\n        self.c.wait()\n    if not (key):\n        self.d.wait()",
        ],
    ),
    "drop-notify": ("self.c.notify()", ["pass"]),
    "notify-one": ("self.c.notify_all()", ["self.c.notify()"]),
    "wrong-condition": ("self.c.notify()", ["self.d.notify()"]),
    "notify-early": (
        "with self.a:\n    a = 1\n    self.g.append(a)\n    self.c.notify()\n    return a",
        ["with self.a:\n    a = 1\n    self.c.notify()\nself.g.append(a)\nreturn a"],
    ),
    "change-late": (
        "with self.a:\n    self.g.append(1)\n    self.c.notify()",
        ["with self.a:\n    self.c.notify()\nwith self.a:\n    self.g.append(1)"],
    ),
    "set-clear": ("self.e.set()", ["self.e.clear()"]),
    "new-lock": ("with self.a:\n    a = 1", ["with threading.RLock():\n    a = 1"]),
    "unchecked-init": (
        "if self.x is None:\n    with self.a:\n        if self.x is None:\n            self.x = 1",
        ["if self.x is None:\n    with self.a:\n        self.x = 1"],
    ),
    "publish-early": (
        "thing = Thing()\nthing.start()\nself._thing = thing", ["thing = Thing()\nself._thing = thing\nthing.start()"]
    ),
    "get-then-set": (
        "return self._table.setdefault(key, [])",
        ["found = self._table.get(key)\nif found is None:\n    found = []\n    self._table[key] = found\nreturn found"],
    ),
    "in-place": (
        "items = list(self.g)\nitems.append(key)\nself.g = items\nself._log = [*self._log, key]",
        [
            "items = self.g\nitems.append(key)\nself.g = items\nself._log = [*self._log, key]",
            "items = list(self.g)\nitems.append(key)\nself.g = items\nself._log.extend([key])",
        ],
    ),
    "no-snapshot": (
        "copy = self.g[:]\nfor item in copy:\n    pass\nfor item in list(self.g):\n    pass",
        [
            "copy = self.g\nfor item in copy:\n    pass\nfor item in list(self.g):\n    pass",
            "copy = self.g[:]\nfor item in copy:\n    pass\nfor item in self.g:\n    pass",
        ],
    ),
    "lost-release": (
        "with self.a:\n    a = 1\n    with self.f:\n        return a / key",
        ["self.a.acquire()\na = 1\nwith self.f:\n    outcome = a / key\nself.a.release()\nreturn outcome"],
    ),
    "lost-permit": (
        "self.f.acquire()\ntry:\n    a = 1 / key\nfinally:\n    self.f.release()",
        ["self.f.acquire()\na = 1 / key\nself.f.release()"],
    ),
}  # fmt: skip


def indented(text):
    return "\n".join(" " * 8 + line for line in text.splitlines())


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_operator_changes_what_it_says(name):
    operators = module("operators")
    body, expected = EXAMPLES[name]
    source = operators.Source(CLASS.format(indented(body)))
    found = [source.applied(edit) for edit in operators.OPERATORS[name][1](source)]
    assert sorted(found) == sorted(CLASS.format(indented(each)) for each in expected)


def test_an_rlock_becomes_a_lock_wherever_it_is_imported_from():
    operators = module("operators")
    text = "from threading import RLock\n\nclass A:\n    def __init__(self):\n        self.x = RLock()\n"
    source = operators.Source(text)
    (edit,) = operators.rlock_lock(source)
    assert "self.x = Lock()" in source.applied(edit)
    assert "import Lock, RLock" in source.applied(edit)
    assert {*EXAMPLES, "rlock-lock"} == set(operators.OPERATORS)


def test_every_operator_has_places_and_changes_nothing_else():
    mutants, operators = module("mutants"), module("operators")
    count = dict.fromkeys(operators.OPERATORS, 0)
    for mutant in mutants.planted():
        before, after = mutant.subject.source.splitlines(), mutant.text.splitlines()
        ast.parse(mutant.text)
        same = next(number for number, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1])
        ends = enumerate(zip(reversed(before), reversed(after), strict=False))
        rest = next(number for number, pair in ends if pair[0] != pair[1])
        assert mutant.operator == "rlock-lock" or len(before) - same - rest <= 45, mutant.name
        count[mutant.operator] += 1
    assert min(count.values()) >= 8, count
    assert len(list((ROOT / "benchmarks/mutants/subjects").glob("*.py"))) >= 20
    names = [mutant.name for mutant in mutants.planted(sample=3)]
    assert len(names) == len(set(names)) == 3 * len(count)


def test_what_is_known_belongs_to_the_mutants_that_are_there():
    mutants = module("mutants")
    there = {mutant.name: mutant for mutant in mutants.planted()}
    for name, entry in mutants.known().items():
        assert entry["digest"] == there[name].digest, f"{name} has changed: python -m benchmarks.mutants.mutants"
        assert entry["tests"] or entry.get("reason"), name


def judged(subject, operator, method):
    mutants = module("mutants")
    mutant = next(each for each in mutants.planted([operator], [subject]) if each.method == method)
    return mutants.judged(mutant, {})


def test_small_tests_tell_mutants_from_their_originals():
    lost = judged("mutants/counter", "drop-with", "increment")
    assert lost["unsound"].endswith("|| x.increment() || x.increment()")
    assert "sequential" not in lost
    same = judged("mutants/counter", "drop-with", "value")  # to read one number takes no lock
    assert same["complete"]
    assert same["tests"] > 50
    assert not {"sequential", "unsound", "concurrent"} & set(same)
    held = judged("mutants/counter", "lost-release", "increment")  # the second call waits, with one thread too
    assert "sequential" in held


def test_a_table_of_a_few_mutants_and_its_continuation(tmp_path):
    kept = tmp_path / "kept.jsonl"
    command = [
        sys.executable, "-m", "plait", "bench", "mutants", "--operator", "drop-with,split-with", "--subject",
        "mutants/statistics", "--sample", "1", "--max-tests", "40", "--resume", str(kept), "--json",
        str(tmp_path / "result.json"),
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "result.json").read_text())
    rows = {row["operator"]: row for row in result["rows"]}
    for row in rows.values():
        assert row["planted"] == row["distinguishable"] == row["unsound"] == row["check_found"] == 1, done.stdout
    assert rows["drop-with"]["diff_found"] == 1
    assert result["summary"]["bases_silent"] == result["summary"]["bases"] == 1
    before = kept.read_text()
    assert len(before.splitlines()) == 3
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert again.stdout == done.stdout
    assert kept.read_text() == before


def test_an_unknown_operator_is_named():
    from plait.errors import UsageError

    with pytest.raises(UsageError, match=r"no operator 'drop-it'; there are drop-with"):
        module("bench").run(operator="drop-it")
    with pytest.raises(UsageError, match="no mutant"):
        module("bench").run(subject="nowhere")
