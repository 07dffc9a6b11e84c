"""Random classes in two versions: what the filter of `plait diff` is held against brute force on.

A method is a list of statements, each a tuple. The second version is the first one with a few planted changes, of the
kinds that people make: a critical section split, dropped, narrowed or widened, locks in the other order, `while` made
`if`, a notification lost, an update taken apart, statements in another order. Some change nothing.
"""

import random
from dataclasses import dataclass

FIELDS = ("_a", "_b", "shown")
LOCKS = ("_lock", "_other", "_again")
METHODS = ("one", "two", "three")
TESTS = 20  # of a pair; some of them are the same

HEAD = """import threading

class Subject:
    def __init__(self):
        self._a, self._b, self.shown = 0, 0, 0
        self._items, self._list = {"k": 1}, [1]
        self._lock, self._other, self._again = threading.Lock(), threading.Lock(), threading.RLock()
        self._condition = threading.Condition()
        self._event, self._gate = threading.Event(), threading.Semaphore(1)
"""


@dataclass(frozen=True)
class Pair:
    """Two versions of a class, and tests for both: a prefix, and one call for each thread."""

    old: str
    new: str
    tests: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def make_pair(seed: int, *, threads: int = 2) -> Pair:
    """Return the pair of versions with this number."""
    rng = random.Random(seed)
    methods = {name: _method(rng) for name in METHODS}
    changed = dict(methods)
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(METHODS)
        changed[name] = _mutated(rng, changed[name])
    tests = {}
    for _ in range(TESTS):
        prefix = tuple(f"x.{rng.choice(METHODS)}()" for _ in range(rng.choice((0, 0, 1, 2))))
        tests[prefix, tuple(sorted(f"x.{rng.choice(METHODS)}()" for _ in range(threads)))] = None
    return Pair(_text(methods), _text(changed), tuple(tests))


# -- methods --------------------------------------------------------------------------------------------------------


def _method(rng):
    body = _body(rng, rng.randint(1, 3), 2)
    if rng.random() < 0.6:  # most methods of a class that is thought to be thread-safe
        body = [("with", rng.choice(("_lock", "_lock", "_lock", "_again", "_condition")), body)]
    return [*body, ("return",)]


def _body(rng, length, depth):
    return [_statement(rng, depth) for _ in range(length)]


def _statement(rng, depth):
    name = rng.choice(FIELDS)
    plain = [
        ("read", name), ("read", name), ("write", name, rng.randint(1, 2)), ("add", name), ("add", name),
        ("apart", name), ("copy", name, rng.choice(FIELDS)), ("put", rng.choice("kn")), ("get", rng.choice("kn")),
        ("size",), ("append",), ("pop",), ("set",), ("clear",), ("is_set",),
        ("notify", rng.choice(("notify", "notify_all"))),
    ]  # fmt: skip
    if depth and rng.random() < 0.45:
        inner = _body(rng, rng.randint(1, 2), depth - 1)
        return rng.choice((
            ("with", rng.choice(LOCKS), inner), ("with", "_lock", inner), ("if", name, rng.randint(0, 1), inner),
            ("gate", inner), ("try", rng.choice(LOCKS[:2]), inner), ("wait", name, "while", inner),
        ))  # fmt: skip
    return rng.choice(plain)


# -- changes --------------------------------------------------------------------------------------------------------


def _mutated(rng, body):
    """Return the body with one change, if it has a place for one of the kinds that are tried."""
    kinds = [_split, _drop_with, _narrow, _swap_locks, _weaken_wait, _lose, _apart, _reorder, _wrap, _guarded, _nothing]
    for _ in range(8):
        changed = rng.choice(kinds)(rng, body)
        if changed is not None:
            return changed
    return body


def _somewhere(rng, body, kinds, change):
    """Apply a change to a random statement of these kinds, however deep; None if there is none."""
    places = list(_places(body, kinds))
    if not places:
        return None
    return _replaced(body, rng.choice(places), change)


def _places(body, kinds, path=()):
    for number, each in enumerate(body):
        if each[0] in kinds:
            yield (*path, number)
        if isinstance(each[-1], list):
            yield from _places(each[-1], kinds, (*path, number))


def _replaced(body, path, change):
    number, *rest = path
    each = body[number]
    if rest:
        made = [(*each[:-1], _replaced(each[-1], rest, change))]
    else:
        made = change(each)
    return [*body[:number], *made, *body[number + 1 :]]


def _split(rng, body):
    def change(each):
        cut = rng.randint(1, max(1, len(each[-1]) - 1))
        return [("with", each[1], each[-1][:cut]), ("with", each[1], each[-1][cut:])] if each[-1][cut:] else [each]

    return _somewhere(rng, body, ("with",), change)


def _drop_with(rng, body):
    return _somewhere(rng, body, ("with", "gate"), lambda each: each[-1])


def _narrow(rng, body):
    def change(each):
        first, last = each[-1][:1], each[-1][1:]
        if rng.random() < 0.5:
            first, last = each[-1][:-1], each[-1][-1:]
            return [("with", each[1], first), *last] if first else [each]
        return [*first, ("with", each[1], last)] if last else [each]

    return _somewhere(rng, body, ("with",), change)


def _swap_locks(rng, body):
    def change(each):
        inner = next((part for part in each[-1] if part[0] == "with"), None)
        if inner is None:
            return [("with", rng.choice(LOCKS), each[-1])]
        rest = [("with", each[1], inner[-1]) if part is inner else part for part in each[-1]]
        return [("with", inner[1], rest)]

    return _somewhere(rng, body, ("with",), change)


def _weaken_wait(rng, body):
    return _somewhere(rng, body, ("wait",), lambda each: [(each[0], each[1], "if", each[-1])])


def _lose(rng, body):
    def change(each):
        return [("notify", "notify")] if each == ("notify", "notify_all") and rng.random() < 0.5 else []

    return _somewhere(rng, body, ("notify", "set", "clear", "put", "write"), change)


def _apart(rng, body):
    return _somewhere(rng, body, ("add", "apart"), lambda each: [("apart" if each[0] == "add" else "add", each[1])])


def _reorder(rng, body):
    if len(body) < 3 and isinstance(body[0][-1], list):
        return [(*body[0][:-1], body[0][-1][::-1]), *body[1:]]
    moved = body[:-1]
    rng.shuffle(moved)
    return [*moved, body[-1]]


def _wrap(rng, body):
    return [("with", rng.choice(LOCKS), body[:-1]), body[-1]]


def _guarded(rng, body):
    """A guard that whole calls may never need."""
    return [("if", rng.choice(FIELDS), rng.randint(0, 2), body[:-1]), body[-1]]


def _nothing(rng, body):
    return [("local", rng.randint(0, 9)), *body]


# -- text -----------------------------------------------------------------------------------------------------------


def _text(methods):
    lines = [HEAD]
    for name, body in methods.items():
        lines += [f"    def {name}(self):", "        seen = None", *_lines(body, 2), ""]
    return "\n".join(lines)


def _lines(body, depth):
    pad = "    " * depth
    if not body:
        return [f"{pad}pass"]
    return [line for each in body for line in _written(each, pad, depth)]


def _written(each, pad, depth):
    kind = each[0]
    inner = _lines(each[-1], depth + 1) if isinstance(each[-1], list) else []
    name = each[1] if len(each) > 1 else ""
    if kind == "with":
        return [f"{pad}with self.{name}:", *inner]
    if kind == "gate":
        return [f"{pad}with self._gate:", *inner]
    if kind == "if":
        return [f"{pad}if self.{name} == {each[2]}:", *inner]
    if kind == "try":
        return [
            f"{pad}if self.{name}.acquire(blocking=False):", f"{pad}    try:", *_lines(each[-1], depth + 2),
            f"{pad}    finally:", f"{pad}        self.{name}.release()",
        ]  # fmt: skip
    if kind == "wait":
        waiting = [f"{pad}    {each[2]} not self.{name}:", f"{pad}        self._condition.wait()"]
        return [f"{pad}with self._condition:", *waiting, *inner]
    if kind == "notify":
        return [f"{pad}with self._condition:", f"{pad}    self._condition.{name}()"]
    if kind == "apart":
        return [f"{pad}value = self.{name}", f"{pad}self.{name} = value + 1"]
    return [pad + text for text in _PLAIN[kind](*each[1:]).split("\n")]


_PLAIN = {
    "read": lambda name: f"seen = (seen, self.{name})",
    "write": lambda name, value: f"self.{name} = {value}",
    "add": lambda name: f"self.{name} += 1",
    "copy": lambda name, other: f"self.{name} = self.{other}",
    "put": lambda key: f"self._items[{key!r}] = seen is None",
    "get": lambda key: f"seen = (seen, self._items.get({key!r}))",
    "size": lambda: "seen = (seen, len(self._items))",
    "append": lambda: "self._list.append(len(self._list))",
    "pop": lambda: "seen = (seen, self._list.pop() if self._list else None)",
    "set": lambda: "self._event.set()",
    "clear": lambda: "self._event.clear()",
    "is_set": lambda: "seen = (seen, self._event.is_set())",
    "local": lambda value: f"unused = {value}",
    "return": lambda: "return seen",
}
