"""Twenty-four shapes of read-modify-write, and what two ways of running them say: real threads, and our model of them.

The model is `gil`, or `free-threaded` on a build without a GIL.

Run as a script it prints one JSON object per line: ``{"shape": name, "real": bool, "model": bool}``. True means that
the shape can be torn. Every shape is a class with ``step``; threads that call ``step`` must never leave fewer steps
counted than were made, and must not raise.
"""

import json
import sys
import sysconfig
import threading
import time
from pathlib import Path

SHAPES = """
class Base:
    def __init__(self):
        self.x = 0
    def count(self):
        return self.x
    def refill(self, n):
        pass

def plus_one(v):
    return v + 1

def nothing():
    return None

class Context:
    def __enter__(self):
        return self
    def __exit__(self, *exc):
        return None

class One:
    def __radd__(self, other):
        return other + 1

class Key:
    def __hash__(self):
        return 1
    def __eq__(self, other):
        return isinstance(other, Key)

class attribute_iadd(Base):
    def step(self):
        self.x += 1

class dict_iadd(Base):
    def __init__(self):
        self.d = {'k': 0}
    def count(self):
        return self.d['k']
    def step(self):
        self.d['k'] += 1

class list_iadd(Base):
    def __init__(self):
        self.l = [0]
    def count(self):
        return self.l[0]
    def step(self):
        self.l[0] += 1

class nested_attribute_iadd(Base):
    def __init__(self):
        self.o = Base()
    def count(self):
        return self.o.x
    def step(self):
        self.o.x += 1

counter = 0
class global_iadd(Base):
    def __init__(self):
        global counter
        counter = 0
    def count(self):
        return counter
    def step(self):
        global counter
        counter += 1

class two_statements(Base):
    def step(self):
        v = self.x
        self.x = v + 1

class arithmetic_between(Base):
    def step(self):
        v = self.x
        w = v * 2 + 1
        if w > 0:
            v = (w - 1) // 2
        self.x = v + 1

class try_between(Base):
    def step(self):
        v = self.x
        try:
            v = v + 1
        except ValueError:
            v = 0
        self.x = v

class format_between(Base):
    def step(self):
        v = self.x
        s = f"{v}"
        self.x = v + 1

class len_between(Base):
    def step(self):
        v = self.x
        len(())
        self.x = v + 1

class isinstance_between(Base):
    def step(self):
        v = self.x
        isinstance(v, int)
        self.x = v + 1

class contains_then_delete(Base):
    def __init__(self):
        self.d = {}
        self.x = 0
    def refill(self, n):
        self.d['k'] = 1
    def count(self):
        return None
    def step(self):
        d = self.d
        if 'k' in d:
            del d['k']
        d['k'] = 1

class truth_then_pop(Base):
    def __init__(self):
        self.items = [1]
    def count(self):
        return None
    def step(self):
        items = self.items
        if items:
            items.pop()
        items.append(1)

class python_call(Base):
    def step(self):
        self.x = plus_one(self.x)

class c_call(Base):
    def step(self):
        self.x = max(self.x, 0) + 1

class property_iadd(Base):
    @property
    def p(self):
        return self.x
    @p.setter
    def p(self, v):
        self.x = v
    def step(self):
        self.p += 1

class user_hash(Base):
    key = Key()
    def __init__(self):
        self.d = {self.key: 0}
    def count(self):
        return self.d[self.key]
    def step(self):
        self.d[self.key] += 1

class user_add(Base):
    one = One()
    def step(self):
        self.x = self.x + self.one

class for_between(Base):
    def step(self):
        v = self.x
        for _ in (1,):
            pass
        self.x = v + 1

class while_between(Base):
    def step(self):
        v = self.x
        n = 1
        while n:
            n -= 1
        self.x = v + 1

class with_between(Base):
    context = Context()
    def step(self):
        v = self.x
        with self.context:
            pass
        self.x = v + 1

class dict_get(Base):
    def __init__(self):
        self.d = {}
    def count(self):
        return self.d.get('k', 0)
    def step(self):
        self.d['k'] = self.d.get('k', 0) + 1

class call_between(Base):
    def step(self):
        v = self.x
        nothing()
        self.x = v + 1

class comprehension_between(Base):
    def step(self):
        v = self.x
        [0 for _ in ()]
        self.x = v + 1
"""

NAMES = [line.split()[1].partition("(")[0] for line in SHAPES.splitlines() if line.endswith("(Base):")]
THREADS, ROUNDS, PATIENCE = 4, 60_000, 8
LONG_PATIENCE = 100


def warm(kind):
    """Let the interpreter specialise the shape's code.

    The first calls of a function run general instructions, and behind a general call 3.11 may switch threads where it
    does not behind a special one such as that of `len`: of 1,500 fresh functions, 67 were torn in their first hundred
    calls, and none in the next 20,000. The model is about what stays (docs/limits.md).
    """
    subject = kind()
    for _ in range(200):
        subject.refill(1)
        subject.step()


def real(name, space, patience=PATIENCE):
    """Whether real threads, switched as often as possible, ever tear the shape."""
    warm(space[name])
    sys.setswitchinterval(1e-6)
    for _ in range(patience):
        subject = space[name]()
        subject.refill(1)
        errors = []
        start = threading.Barrier(THREADS)

        def body():
            step = subject.step
            start.wait()
            try:
                for _ in range(ROUNDS):
                    step()
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=body) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors or subject.count() not in (None, THREADS * ROUNDS):
            return True
        if patience == PATIENCE and time.monotonic() > real.deadline:
            break
    return False


def model(name, module):
    """Whether the interpreter's model has a schedule that tears the shape."""
    from plait.explore.dpor import Dpor
    from plait.run.engine import ENGINE

    ENGINE.gil = not sysconfig.get_config_var("Py_GIL_DISABLED")  # greenlet may have switched it on since
    search = Dpor()
    while (prefix := search.next_prefix()) is not None:
        made = []

        def prepare():
            subject = getattr(module, name)()
            subject.refill(1)
            made.append(subject)
            return [subject.step, subject.step]

        counts = []
        ENGINE.execute(
            prepare, prefix, search, free=search.free, backend="threads", finish=lambda: counts.append(made[0].count())
        )
        search.executed(ENGINE)
        if any(thread.error for thread in ENGINE.threads) or counts[0] not in (None, 2):
            return True
    assert search.exhausted
    return False


def main(folder):
    """All shapes, one line each."""
    sys.path.insert(0, folder)
    file = Path(folder) / "shapes_under_test.py"
    file.write_text(SHAPES)
    space = {}
    exec(compile(SHAPES, "shapes", "exec"), space)
    answers = {}
    for name in NAMES:
        real.deadline = time.monotonic() + 1.5
        answers[name] = real(name, space)
    sys.setswitchinterval(0.005)
    from plait.observe.places import PLACES
    from plait.run.importing.world import World

    world = World(PLACES, cache=Path(folder) / "cache")
    module = world.load("shapes_under_test", roots=[Path(folder)])
    world.snapshot()
    said = {name: model(name, module) for name in NAMES}
    for name in NAMES:
        # On a busy machine real threads seldom switch: what the model tears is looked for until it is seen.
        seen = answers[name] or (said[name] and real(name, space, LONG_PATIENCE))
        print(json.dumps({"shape": name, "real": seen, "model": said[name]}))


if __name__ == "__main__":
    main(sys.argv[1])
