"""Whatever looks at a container is seen by the reduction: it finds the same results as brute force.

Each expression runs against a writer of the containers it names. Code that is not rewritten (C functions, other
modules) looks at its arguments as well, at containers inside of them, and at several of them at one moment.
"""

import re

import pytest

from plait.explore.dfs import Dfs
from plait.explore.dpor import Dpor
from plait.explore.runner import explore
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World

IMPORTS = """
import bisect, collections, copy, functools, heapq, io, itertools, json, operator, pprint, string
"""
HOLDER = """
class Holder:
    def __init__(self):
        self.l, self.d, self.s, self.c = [], {}, set(), collections.Counter()
        self.o, self.dq, self.ba = collections.OrderedDict(), collections.deque(), bytearray()

    def put_d(self):
        self.d[0] = 0

    def put_l(self):
        self.l.append(0)

    def put_s(self):
        self.s.add(0)

    def put_o(self):
        self.o[0] = 0

    def put_dq(self):
        self.dq.append(0)

    def put_c(self):
        self.c[0] += 1

    def put_ba(self):
        self.ba.append(65)

def match_it(items):
    match items:
        case []:
            return 0
        case [_]:
            return 1
    return 2
"""
ONE = """
"%s %r" % (1, self.d)
"%s" % self.l
"%(a)s" % {"a": self.l}
"{}".format(self.d)
"{x}".format(x=self.s)
"{x}".format_map({"x": self.l})
format(self.l)
f"{self.d}"
f"{self.d!r:>10}"
str(self.d)
repr(self.l)
ascii(self.l)
str([self.l])
repr({"k": self.d})
repr((self.l, 1))
f"{[self.d]}"
self.l == [0]
[self.l] == [[0]]
(self.l, 1) == ([0], 1)
{"k": self.l} == {"k": [0]}
self.l in [[0]]
[[0]].index(self.l) if self.l else -1
[[0]].count(self.l)
max([self.l, []])
sorted([[1], self.l])[0] == []
min(self.l, default=9)
bool(self.l)
not self.l
any(self.l) or len(self.l)
sum(self.l, 5) + len(self.l)
list(self.l)
tuple(self.d)
dict(self.d)
set(self.s)
frozenset(self.l)
list(self.d.items())
list(zip(self.l, self.l))
list(map(str, self.l))
list(filter(None.__eq__, self.l)) or len(self.l)
list(enumerate(self.l))
list(reversed(self.l))
sorted(self.s)
[*self.l]
{**self.d}
[*self.d.keys()]
copy.copy(self.d)
copy.deepcopy(self.l)
json.dumps(self.d)
json.dumps([self.l])
pprint.pformat(self.l)
",".join(map(str, self.l))
self.l + [1]
self.l * 2
[1] + self.l
self.d | {1: 1}
self.s | {5}
self.s & {0}
self.s < {0}
self.s == {0}
self.d == {0: 0}
self.d.keys() & {0}
self.d.keys() == {0}
0 in self.d.keys()
0 in self.d.values()
self.l[:]
self.l[0:1]
self.l.copy()
self.l.index(0) if self.l else -1
self.l.count(0)
operator.contains(self.l, 0)
operator.itemgetter(0)(self.d) if self.d else None
list(itertools.chain(self.l, self.l))
list(itertools.islice(self.l, 5))
bytes(self.ba)
self.ba.decode()
str(self.ba)
b"".join([self.ba])
list(self.dq)
str(self.dq)
collections.Counter(self.l)
self.c.most_common()
collections.deque(self.l)
next(iter(self.l), None)
next(iter(self.d), None)
len(self.l)
len(self.d)
self.l.__len__()
self.d.get(0)
dict.get(self.d, 0)
list.__len__(self.l)
hash(tuple(self.l))
match_it(self.l)
isinstance(self.l, list) and self.l.__eq__([0])
operator.eq(self.l, [0])
operator.length_hint(self.l)
all(x == 0 for x in self.l) and len(self.l)
string.Template("$x").substitute(x=self.l)
int.from_bytes(self.ba, "big")
dict(a=self.l)["a"] == [0]
dict.fromkeys(self.l)
type(self.l)(self.l)
self.l.__repr__()
vars(self)["l"] == [0]
self.__dict__["d"] == {0: 0}
getattr(self, "l") == [0]
bisect.bisect(self.l, 0)
heapq.nsmallest(1, self.l)
"".join([str(x) for x in self.l])
self.o == {0: 0}
list(self.o.values())
str(self.o)
"""
PAIR = """
class Pair:
    def __init__(self):
        self.l, self.m, self.d, self.e, self.s, self.t = [1], [2], {1: 1}, {2: 2}, {1}, {2}
        self.q = collections.deque([1])

    def put(self):
        self.m.append(3)
        self.l.append(4)

    def put2(self):
        self.e[3] = 3
        self.d[4] = 4

    def put3(self):
        self.t.add(3)
        self.s.add(4)

    def put4(self):
        self.l.append(4)
        self.m.append(3)
"""
TWO = """
put|self.l.extend(self.m)
put4|self.l.extend(self.m)
put|self.l + self.m
put4|self.l + self.m
put|self.l == self.m[:1] or self.l == [1] or self.m
put2|self.d.update(self.e)
put2|self.d | self.e
put2|{**self.d, **self.e}
put3|self.s.update(self.t)
put3|self.s | self.t
put3|self.s.union(self.t)
put|list(zip(self.l, self.m))
put4|list(zip(self.l, self.m))
put|[*self.l, *self.m]
put4|[*self.l, *self.m]
put|max(self.l, self.m)
put|"%s %s" % (self.l, self.m)
put4|"%s %s" % (self.l, self.m)
put|f"{self.l} {self.m}"
put|str((self.l, self.m))
put4|str((self.l, self.m))
put|self.l.__add__(self.m)
put|heapq.heappush(self.l, len(self.m))
put|self.q.extend(self.m)
put|[self.l, self.m] == [[1], [2]]
put4|[self.l, self.m] == [[1], [2]]
put|self.l.append(list(self.m))
put|sum(self.l) - sum(self.m)
"""


def _writer(line):
    """The method that writes the one container this expression looks at; a wrong one would make no difference."""
    (name,) = set(re.findall(r'(?:self\.|vars\(self\)\["|__dict__\["|self, ")(ba|dq|[cdlos])\b', line))
    return f"put_{name}"


CASES = [("Holder", _writer(line), line) for line in ONE.strip().splitlines()] + [
    ("Pair", *line.split("|", 1)) for line in TWO.strip().splitlines()
]


@pytest.fixture(scope="module")
def world():
    return World(PLACES)


@pytest.mark.parametrize("gil", [False, True], ids=["free-threaded", "gil"])
def test_the_reduction_sees_what_an_expression_looks_at(world, gil, monkeypatch):
    monkeypatch.setattr(ENGINE, "gil", gil)
    looks = "".join(f"\nlook{n} = lambda self: {line}" for n, (_kind, _put, line) in enumerate(CASES))
    module = world.importer.load_source(f"looking_{gil}".lower(), IMPORTS + HOLDER + PAIR + looks)
    world.snapshot()
    wrong = []
    with world.entered():
        for number, (kind, put, line) in enumerate(CASES):
            look = getattr(module, f"look{number}")
            every, reduced = (_results(getattr(module, kind), look, put, search) for search in (Dfs(), Dpor()))
            if len(every) == 1:
                wrong.append((line, "the writer makes no difference"))
            if not every <= reduced:
                wrong.append((line, every - reduced))
    assert not wrong, wrong


def _results(kind, look, put, search):
    """What the expression gives, and what is left of the containers, over all schedules."""
    here, seen = {}, set()

    def body():
        try:
            here["result"] = str(look(here["holder"]))
        except Exception as error:
            here["result"] = repr(error)

    def prepare():
        here["holder"] = holder = kind()
        return [body, getattr(holder, put)]

    done = explore(
        prepare, search, max_executions=5_000,
        check=lambda _engine: seen.add((here["result"], str(vars(here["holder"])))),
    )  # fmt: skip
    assert done.exhausted
    return seen
