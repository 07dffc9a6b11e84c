"""Executions accepted by single orders of whole calls: held to the judgement by all orders, on random classes."""

from random import Random

import pytest

from plait.judge.oracle import lazy, safety, specification
from plait.judge.oracle.examine import examine
from plait.judge.oracle.rules import Rules
from plait.judge.oracle.safety import Examination
from plait.model.test import Test
from plait.observe.places import PLACES

OPERATIONS = (
    "self.a = self.a + 1", "self.b = self.a", "self.a = k", "out.append(self.a)", "out.append(self.b)",
    "self.d[k] = self.a", "out.append(self.d.get(k))", "out.append(self.d[k])", "self.d.pop(k, None)",
    "self.l.append(k)", "out.append(len(self.l))", "out.append(self.l.pop())", "out.append(sorted(self.d))",
    "out.append(self.made())", "out.append(self.it.setdefault(k, Item()))", "self.wake.notify()",
    "out.append(self.wake.wait(1))",
)  # fmt: skip


def random_class(random):
    """Three methods of a few operations; parts of them, all or nothing is done under the lock."""
    lines = [
        "import threading", "class Item: pass", "class Shared:",
        "    def __init__(self):",
        "        self.a, self.b, self.d, self.l, self.it = 0, 0, {}, [], {}",
        "        self.lock = threading.RLock()",
        "        self.wake = threading.Condition(self.lock)",
        "    def made(self):",
        "        return self.it.get('one')",
    ]  # fmt: skip
    for name in "fgh":
        chosen = random.choices(OPERATIONS[:-2] if random.random() < 0.8 else OPERATIONS, k=random.randint(1, 4))
        first, last = sorted(random.choices(range(len(chosen) + 1), k=2))
        if random.random() < 0.35:
            first, last = 0, len(chosen)
        lines += [f"    def {name}(self, k=0):", "        out = []"]
        lines += [f"        {each}" for each in chosen[:first]]
        lines += ["        with self.lock:", "            pass"]
        lines += [f"            {each}" for each in chosen[first:last]]
        lines += [f"        {each}" for each in chosen[last:]]
        lines.append("        return out")
    return "\n".join(lines)


def random_suffixes(random):
    longest = random.choice((1, 2, 2))
    threads = random.choice((2, 2, 2, 3)) if longest == 1 else 2
    given = ("", "1", "'one'")
    return [
        [f"x.{random.choice('fgh')}({random.choice(given)})" for _ in range(random.randint(1, longest))]
        for _ in range(threads)
    ]


MOMENTS = """
class Made:
    count = 0
    def __init__(self):
        Made.count = Made.count + 1
    def __hash__(self):
        return 1
    def __eq__(self, other):
        return isinstance(other, Made)
"""
BLOCK = """
    def __enter__(self):
        with self.lock:
            self.a = self.a + 1
    def __exit__(self, *_):
        with self.lock:
            self.b = self.a
"""


def with_moments(random, suffixes):
    """The same calls, some of them with an argument that is made by code under test, or as a block."""
    calls = [["with x: pass" if random.random() < 0.2 else call for call in suffix] for suffix in suffixes]
    return [[call.replace("(1)", "(Made())").replace("('one')", "(Made())") for call in suffix] for suffix in calls]


def told(found):
    """All that an examination says."""
    return (
        found.executions, found.conflicts, found.exhausted, found.hangs, found.timed,
        [(each.kind, each.exception, each.calls, each.detail, each.probe, schedule)
         for each, schedule in found.violations],
    )  # fmt: skip


def examined(test, seed):
    """The outcome; or which error, if the set-up raises or waits."""
    probes = Test.from_lines([], [], [["x.f(2)"], ["x.made()"]]).calls
    try:
        return examine(Examination(test, PLACES, probes), seed=seed, systematic=60, sampled=10, further=6)
    except Exception as error:
        return type(error)


def compared(judged, monkeypatch, seed, source, suffixes, prefix):
    """What judging by single orders says, which must be what judging by all of them does; None if the set-up fails."""
    test = judged.prepared(source, prefix, *suffixes).bed.test
    quick = examined(test, seed)
    with monkeypatch.context() as patched:
        patched.setattr(lazy.LazyJudge, "begin", lambda _self: False)
        whole = examined(test, seed)
    if isinstance(quick, type) or isinstance(whole, type):
        assert quick is whole, (seed, quick, whole)
        return None
    assert told(quick) == told(whole), f"seed {seed}: {source}\n{suffixes}"
    return quick


@pytest.mark.parametrize(("part", "observed"), [(0, 0), (1, 2), (2, 0), (3, 0)])
def test_the_verdict_is_that_of_all_orders(judged, monkeypatch, part, observed):
    monkeypatch.setattr(lazy, "OBSERVED", observed)  # 0: whatever is whole by its trace is not looked at
    accepted = rejected = 0
    for seed in range(part * 40, part * 40 + 40):
        random = Random(seed)
        source, suffixes = random_class(random), random_suffixes(random)
        prefix = ["x = Shared()", *random.choices(["x.f()", "x.g(1)", "x.h()"], k=random.randint(0, 1))]
        quick = compared(judged, monkeypatch, seed, source, suffixes, prefix)
        if quick is not None:
            accepted += quick.violation is None and quick.conflicts
            rejected += quick.violation is not None
    assert accepted > 0 < rejected  # or the comparison says little


def test_it_is_with_calls_of_several_moments_too(judged, monkeypatch):
    monkeypatch.setattr(lazy, "OBSERVED", 0)
    accepted = rejected = 0
    for seed in range(60):
        random = Random(seed)
        source = MOMENTS + random_class(random) + BLOCK
        suffixes = with_moments(random, random_suffixes(random))
        quick = compared(judged, monkeypatch, seed, source, suffixes, ["x = Shared()"])
        if quick is not None:
            accepted += quick.lazy is not None and quick.conflicts
            rejected += quick.violation is not None
    assert accepted > 5 < rejected


LOCKED = """
    import threading

    class Counter:
        def __init__(self):
            self.count = 0
            self._lock = threading.Lock()

        def add(self):
            with self._lock:
                self.count = self.count + 1
                return self.count

        def get(self):
            with self._lock:
                return self.count
"""


def test_a_class_that_is_right_needs_few_orders(judged, monkeypatch):
    monkeypatch.setattr(safety, "specify", lambda *_: pytest.fail("all orders were run"))
    examination = judged.prepared(LOCKED, ["x = Counter()"], ["x.get()", "x.get()"], ["x.get()", "x.get()"])
    judge = lazy.LazyJudge(examination)
    assert judge.begin()
    found = examine(examination)
    assert found.exhausted
    assert found.executions == 6
    assert len(found.lazy._orders) <= 3  # of six, for all executions
    assert examination.undetermined == set()


def test_what_is_whole_by_its_trace_is_seldom_observed(judged, monkeypatch):
    observed = []
    monkeypatch.setattr(lazy, "observe", lambda *given: observed.append(1) or specification.observe(*given))
    found = examine(judged.prepared(LOCKED, ["x = Counter()"], ["x.add()"] * 3, ["x.add()", "x.get()"]))
    assert found.exhausted
    assert found.executions == 10
    assert len(observed) <= 6  # two executions, and the orders they were compared with


HIDDEN = """
    import io
    import threading

    class Log:
        def __init__(self):
            self._text = io.StringIO("0")
            self._lock = threading.Lock()

        def add(self):
            text = self._text
            number = int(text.getvalue())
            with self._lock:
                pass
            text.seek(0)
            text.write(str(number + 1))
            return number
"""


def test_what_passes_unseen_is_found_all_the_same(judged):
    """The calls share nothing but the lock as far as the trace shows: each execution is whole by it."""
    found = examine(judged.prepared(HIDDEN, ["x = Log()"], ["x.add()"], ["x.add()"]))
    assert found.violation is not None


@pytest.mark.parametrize(
    ("suffixes", "rules"),
    [
        ([["x.add()"] * 6, ["x.add()"] * 6], None),  # too many orders for a specification
        ([["x.add()"], ["x.get()"]], Rules(nondeterministic=("get",))),
        ([["with x._lock, x._lock: pass"], ["x.get()"]], None),
    ],
)
def test_what_needs_all_orders_gets_them(judged, suffixes, rules):
    examination = judged.prepared(LOCKED, ["x = Counter()"], *suffixes, rules=rules)
    assert not lazy.LazyJudge(examination).begin()
