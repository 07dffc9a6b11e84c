"""What CPython's documentation of thread safety calls not atomic, as programs: one per line of it, for two threads.

Each line of `PROGRAMS` has a title, what is shared, what the two threads do, and what is looked at in the end. The
outcome of a run is what the threads returned or raised, and that look. The model's outcomes are those of all schedules.
Real threads are run by this file as a script, on any interpreter, without plait: ``python3.13t tests/run/tearing.py``
adds what it saw to `tearing.json` beside it, which is what tests hold the model to. Programs that have been tried often
enough are left out.

`OrderedDict` is not among them: CPython's documentation says nothing of it, and 3.13 without the GIL breaks it (keys
get lost from its order while two threads store).
"""

import argparse
import json
import os
import sys
import sysconfig
import threading
from pathlib import Path

DATA = Path(__file__).with_suffix(".json")

# The title is the line of the documentation, the heading its section there.
PROGRAMS = """
# list
item in lst | s.l = [1, 2] | return 2 in s.l | s.l[0] = 2; s.l[1] = 1 | s.l
lst.index(item) | s.l = [1, 2, 3] | return s.l.index(3) | s.l.pop(0) | s.l
lst.count(item) | s.l = [1, 2] | return s.l.count(1) | s.l.reverse() | s.l
lst.insert(idx, item) | s.l = [1, 2, 3] | s.l.insert(0, 9) | return s.l[1], s.l[0] | s.l
lst.insert, and len(lst) | s.l = [1, 2, 3] | s.l.insert(0, 9) | return len(s.l), s.l[0] | s.l
lst.insert, and lst.append | s.l = [1, 2, 3] | s.l.insert(0, 9) | s.l.append(4) | s.l
lst.pop(idx) | s.l = [1, 2, 3] | s.l.pop(0) | return s.l[0], len(s.l) | s.l
lst.pop(idx), and lst[:] | s.l = [1, 2, 3] | s.l.pop(0) | return s.l[:] | s.l
del lst[idx] | s.l = [1, 2, 3] | del s.l[0] | return s.l[0], s.l[1] | s.l
lst *= x | s.l = [1, 2] | s.l *= 2 | return len(s.l), s.l[0] | s.l
lst.sort() | s.l = [3, 1, 2] | s.l.sort() | return len(s.l) | s.l
lst.sort(), and lst.append | s.l = [3, 1, 2] | s.l.sort() | s.l.append(0) | s.l
lst.sort(key=f) | s.l = [3, 1, 2] | s.l.sort(key=lambda x: x) | s.l.append(0) | s.l
lst.remove(item) | s.l = [Eq(1), Eq(2)] | s.l.remove(Eq(2)) | s.l.insert(0, Eq(3)) | [x.v for x in s.l]
lst.extend(list) | s.l = []; s.m = [1, 2] | s.l.extend(s.m) | s.m.append(3); s.l.append(4) | s.l
lst.extend(iterable) | s.l = []; s.m = [1, 2] | s.l.extend(map(int, s.m)) | s.m.append(3); s.m[0] = 5 | s.l
lst.extend(generator) | s.l = []; s.m = [1, 2] | s.l.extend(x for x in s.m) | s.l.append(4) | s.l
lst += iterable | s.l = []; s.m = {1: 1, 2: 2} | s.l += map(int, s.m) | s.m[3] = 3 | s.l
lst[i:j] = list | s.l = [1, 1]; s.m = [2, 2] | s.l[:] = s.m | return s.l[1], s.l[0] | s.l
lst[i:j] = iterable | s.l = []; s.m = {1: 1, 2: 2} | s.l[:] = map(int, s.m) | s.m[3] = 3 | s.l
a, b = lst | s.l = [1, 2] | a, b = s.l; return a, b | s.l[0] = 5; s.l[1] = 6 | s.l
a, b = lst, and lst.pop | s.l = [1, 2] | a, b = s.l; return a, b | s.l.pop() | s.l
lst[i] = lst[i] + 1 | s.l = [0] | s.l[0] = s.l[0] + 1 | s.l[0] = s.l[0] + 1 | s.l
if lst: lst.pop() | s.l = [1] | if s.l: s.l.pop() | if s.l: s.l.pop() | s.l
for item in lst | s.l = [1, 2] | return [x for x in s.l] | s.l.insert(0, 0) | s.l
sum(lst) | s.l = [1, 2] | return sum(s.l) | s.l[0] = 5; s.l[1] = 6 | s.l
lst.copy() | s.l = [1, 2] | return s.l.copy() | s.l[0] = 5; s.l[1] = 6 | s.l
lst1 + lst2 | s.l = [1]; s.m = [2] | return s.l + s.m | s.l[0] = 5; s.m[0] = 6 | s.l
# dict
d.update(iterable) | s.d = {}; s.m = [(1, 1), (2, 2)] | s.d.update(s.m) | s.m[0] = (3, 3); s.m[1] = (4, 4) | s.d
d.update, and len(d) | s.d = {}; s.m = [(1, 1), (2, 2)] | s.d.update(s.m) | return len(s.d), 2 in s.d | s.d
d.update, and d[key] = v | s.d = {}; s.m = [(1, 1), (2, 2)] | s.d.update(s.m) | s.d[3] = 3 | s.d
d.update(other_dict) | s.d = {}; s.m = {1: 1, 2: 2} | s.d.update(s.m) | s.m[1] = 3; s.m[2] = 4 | s.d
d |= iterable | s.d = {}; s.m = [(1, 1), (2, 2)] | s.d |= s.m | s.m[0] = (3, 3); s.m[1] = (4, 4) | s.d
dict.fromkeys(iterable) | s.m = [1, 2] | return dict.fromkeys(s.m) | s.m[0] = 3; s.m[1] = 4 | s.m
dict(iterable) | s.m = [(1, 1), (2, 2)] | return dict(s.m) | s.m[0] = (3, 3); s.m[1] = (4, 4) | s.m
d[key], where __eq__ runs | s.d = {Eq(1): 1} | s.d[Eq(2)] = 2 | s.d[Eq(2)] = 3 | [(k.v, v) for k, v in s.d.items()]
d == other, likewise | s.d = {1: Eq(1)}; s.m = {1: Eq(1)} | return s.d == s.m | s.m[2] = 2 | len(s.m)
d[key] = d[key] + 1 | s.d = {1: 0} | s.d[1] = s.d[1] + 1 | s.d[1] = s.d[1] + 1 | s.d
if key in d: del d[key] | s.d = {1: 0} | if 1 in s.d: del s.d[1] | if 1 in s.d: del s.d[1] | s.d
for key, value in d.items() | s.d = {1: 1, 2: 2} | return [k for k, v in s.d.items()] | s.d[3] = 3 | s.d
list(d.items()) | s.d = {1: 1, 2: 2} | return list(s.d.items()) | s.d[3] = 3 | s.d
tuple(d) | s.d = {1: 1, 2: 2} | return tuple(s.d) | s.d[3] = 3 | s.d
# set
elem in s | s.s = {1} | return 2 in s.s, 1 in s.s | s.s.update([2]); s.s.discard(1) | s.s
s.update(iterable) | s.s = set(); s.m = [1, 2] | s.s.update(s.m) | s.m[0] = 3; s.m[1] = 4 | s.s
s.update, and len(s) | s.s = set(); s.m = [1, 2] | s.s.update(s.m) | return len(s.s), len(s.s) | s.s
s.update(other_set) | s.s = set(); s.m = {1} | s.s.update(s.m) | s.m.add(2); s.m.discard(1) | s.s
s.union(iterable) | s.s = {0}; s.m = [1, 2] | return s.s.union(s.m) | s.m[0] = 3; s.m[1] = 4 | s.s
s.update(set, set) | s.s = set(); s.m = {1}; s.n = {2} | s.s.update(s.m, s.n) | s.m.add(3); s.n.add(4) | s.s
s.intersection(iterable) | s.s = {0, 1, 2}; s.m = [1, 2] | return s.s.intersection(s.m) | s.m[0] = 0; s.m[1] = 0 | s.m
s.difference(iterable) | s.s = {0, 1, 2}; s.m = [1, 2] | return s.s.difference(s.m) | s.m[0] = 0; s.m[1] = 0 | s.m
s ^ set(iterable) | s.s = {0}; s.m = [1, 2] | return s.s ^ set(s.m) | s.m[0] = 3; s.m[1] = 4 | s.m
s.issuperset(iterable) | s.s = {0, 1}; s.m = [1, 2] | return s.s.issuperset(s.m) | s.m[1] = 0; s.m[0] = 2 | s.m
s.isdisjoint(iterable) | s.s = {0}; s.m = [0, 1] | return s.s.isdisjoint(s.m) | s.m[1] = 0; s.m[0] = 1 | s.m
s.difference_update(iterable) | s.s = {0, 1}; s.m = [1, 2] | s.s.difference_update(s.m) | s.m[0] = 0; s.m[1] = 0 | s.s
s.intersection_update(iterable) | s.s = {0, 1}; s.m = [1, 2] | s.s.intersection_update(s.m) | s.m[0] = 0 | s.s
s.symmetric_difference_update(iterable) | s.s = {0}; s.m = [1, 2] | change(s.s, s.m) | s.m[0] = 3; s.m[1] = 4 | s.s
s.difference_update, and len(s) | s.s = {0, 1, 2}; s.m = [1, 2] | s.s.difference_update(s.m) | return len(s.s) | s.s
s.difference_update, and elem in s | s.s = {1, 2}; s.m = {1, 2} | s.s.difference_update(s.m) | return both(s.s) | s.s
s.update(set), and elem in s | s.s = {0}; s.m = {1, 2} | s.s.update(s.m) | return both(s.s) | s.s
s -= set, and elem in s | s.s = {1, 2}; s.m = {1, 2} | s.s -= s.m | return both(s.s) | s.s
s OR= set, and elem in s | s.s = {0}; s.m = {1, 2} | s.s OR= s.m | return both(s.s) | s.s
if elem in s: s.remove | s.s = {1} | if 1 in s.s: s.s.remove(1) | if 1 in s.s: s.s.remove(1) | s.s
for elem in s | s.s = {1, 2} | return [x for x in s.s] | s.s.add(3) | s.s
# bytearray
if x in ba: ba.remove(x) | s.b = bytearray(b"a") | if 97 in s.b: s.b.remove(97) | if 97 in s.b: s.b.remove(97) | s.b
for byte in ba | s.b = bytearray(b"ab") | return [x for x in s.b] | s.b.append(99) | s.b
ba.extend(iterable) | s.b = bytearray(); s.m = [1, 2] | s.b.extend(s.m) | s.m[0] = 3; s.m[1] = 4 | s.b
ba + other | s.b = bytearray(b"aa") | return s.b + b"c" | s.b[0] = 98; s.b[1] = 99 | s.b
ba + other, and ba.append | s.b = bytearray(b"ab") | return s.b + b"c" | s.b.append(100) | s.b
ba == other | s.b = bytearray(b"aa") | return s.b == b"ac" | s.b[0] = 98; s.b[1] = 99 | s.b
ba < other | s.b = bytearray(b"ba"); s.c = bytearray(b"ab") | return s.b < s.c | s.b[0] = 97; s.b[1] = 99 | s.b
# iterators
a shared list iterator | s.i = iter([1, 2, 3]) | return next(s.i) | return next(s.i) | 0
map over a dict | s.d = {1: 1, 2: 2} | return list(map(int, s.d)) | s.d[3] = 3 | s.d
zip of two lists | s.l = [1]; s.m = [1] | return list(zip(s.l, s.m)) | s.l[0] = 2; s.m[0] = 2 | s.l
chain kept in a variable | s.d = {1: 1, 2: 2}; s.c = itertools.chain(s.d) | return [x for x in s.c] | s.d[3] = 3 | s.d
# deque
deque.extend(iterable) | s.q = deque(); s.m = [1, 2] | s.q.extend(s.m) | s.m[0] = 3; s.q.append(4) | s.q
for item in deque | s.q = deque([1, 2]) | return [x for x in s.q] | s.q.append(3) | s.q
# defaultdict
defaultdict, with a factory | s.f = defaultdict(Eq.made) | return s.f[1].v | return s.f[1].v | len(s.f)
"""

HEAD = """
import itertools
from collections import OrderedDict, defaultdict, deque

class Shared:
    pass

class Eq:
    def __init__(self, v):
        self.v = v
    def __eq__(self, other):
        return self.v == getattr(other, "v", None)
    def __hash__(self):
        return 1
    @staticmethod
    def made():
        return Eq(0)

def both(given):
    return 1 in given, 2 in given

def change(given, other):
    given.symmetric_difference_update(other)
"""


def programs():
    """Section, title, and the source of a module with ``make``, ``one``, ``two`` and ``look``, for each program."""
    section = ""
    for line in PROGRAMS.strip().splitlines():
        if line.startswith("# "):
            section = line[2:]
            continue
        title, shared, one, two, look = (part.strip() for part in line.replace(" |= ", " OR= ").split("|"))
        title, one = title.replace(" OR= ", " |= "), one.replace(" OR= ", " |= ")
        body = "def make():\n    s = Shared()\n    " + shared + "\n    return s\n"
        for name, text in (("one", one), ("two", two)):
            body += f"def {name}(s):\n    {text}\n"
        yield section, title, f"{HEAD}\n{body}def look(s):\n    return {look}\n"


def outcome_of(results, look):
    """What one run showed, as text."""
    return " ".join([*map(_shown, results), "->", _shown(look)])


def _shown(value):
    if isinstance(value, BaseException):
        return type(value).__name__
    return repr(sorted(value)) if isinstance(value, set) else repr(value)


def call(function, shared):
    """What a thread's part returned or raised."""
    try:
        return function(shared)
    except Exception as error:
        return error


def real_outcomes(source, tries):
    """How often real threads showed what: two of them meet before every try."""
    space = {}
    exec(compile(source, "<program>", "exec"), space)  # noqa: S102 - the programs above
    shared = [space["make"]() for _ in range(tries)]
    ready, results = [-1, -1], [[None] * tries, [None] * tries]
    patience = getattr(os, "sched_yield", lambda: None)  # the other one may wait for a processor

    def run(number, function):
        mine = results[number]
        other = 1 - number
        for at, state in enumerate(shared):
            ready[number] = at
            while ready[other] < at:
                patience()
            for _ in range((at >> 3 * number) & 7):  # now one is ahead, now the other
                pass
            mine[at] = call(function, state)

    threads = [threading.Thread(target=run, args=(n, space[name])) for n, name in enumerate(("one", "two"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen = {}
    for state, *both in zip(shared, *results, strict=True):
        shown = outcome_of(both, space["look"](state))
        seen[shown] = seen.get(shown, 0) + 1
    return seen


def interpreter():
    """The name under which this interpreter's results are kept."""
    version = ".".join(map(str, sys.version_info[:2]))
    return version + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")


def main():
    """Run the programs on real threads, and add what was seen to the data file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=100_000)
    parser.add_argument("--out", type=Path, default=DATA)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    sys.setswitchinterval(1e-6)
    known = json.loads(options.out.read_text()) if options.out.exists() else {}
    mine = known.setdefault(interpreter(), {"version": sys.version, "tries": {}, "seen": {}})
    for section, title, source in programs():
        name = f"{section}: {title}"
        if options.only and options.only not in name:
            continue
        left, seen = options.tries - mine["tries"].get(name, 0), mine["seen"].setdefault(name, {})
        if left <= 0:
            continue
        mine["tries"][name] = options.tries
        while left > 0:
            part = min(left, 5_000)
            for shown, times in real_outcomes(source, part).items():
                seen[shown] = seen.get(shown, 0) + times
            left -= part
        print(name, seen, flush=True)
        options.out.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
