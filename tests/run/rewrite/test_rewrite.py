"""Each rewritten form: which hooks are called, in which order, with what; and that the result stays the same."""

import linecache
import re

import pytest

from plait.run.hooks.noop import HOOKS
from plait.run.importing.importer import Importer


class Named:
    """An object that shows up by its name in the events."""

    def __init__(self, name, **fields):
        self.__dict__.update(fields, _name=name)

    def __repr__(self):
        return self._name

    def take(self, *args, **keywords):
        return (*args, *keywords.values())

    def __call__(self, *args, **keywords):
        return self.take(*args, **keywords)


class Items(list):
    """A list that shows up by a name."""

    def __repr__(self):
        return "items"


def load(source, hooks=HOOKS, sites=None):
    name = "probe"
    module = Importer(lambda *_: False, hooks, {} if sites is None else sites).load_source(name, source)
    linecache.cache.pop(f"<{name}>")
    return module


def traced(source, *args):
    """The value of ``f(*args)``, and the hook calls on the way, as text: the place is shown by its kind and text."""
    events = []
    sites = {}

    def recording(name, hook):
        def record(*args, **keywords):
            shown = []
            for arg in args:
                site = sites.get(arg) if isinstance(arg, int) and arg > 1 << 20 else None
                shown.append(f"{site.kind} <{site.text}>" if site else re.sub("( at 0x| from )[^>]+", "", repr(arg)))
            if name not in ("_p_m", "_p_e"):  # markers: see test_rewrite_scopes
                events.append(f"{name[3:]}({', '.join(shown)})")
            return hook(*args, **keywords)

        return record

    module = load(source, {name: recording(name, hook) for name, hook in HOOKS.items()}, sites)
    return module.f(*args), events


def plain(source, *args):
    namespace = {}
    exec(source, namespace)
    return namespace["f"](*args)


def world():
    items = Items([3, 1, 2])
    return [
        Named("o", x=1, y=Named("y", x=5), d={"k": 1, "n": 2}, items=items, fun=Named("fun")), Items([3, 1, 2]), "k"
    ]  # fmt: skip


ROWS = {
    "load of an attribute": ("return o.x", ["r(o, 'x', read <o.x>)"]),
    "load of a chain": ("return o.y.x", ["r(o, 'y', read <o.y>)", "r(y, 'x', read <o.y.x>)"]),
    "store of an attribute": (
        "o.z = o.x\nreturn o.z",
        ["r(o, 'x', read <o.x>)", "w(o, 'z', write <o.z>)", "r(o, 'z', read <o.z>)"],
    ),
    "deletion of an attribute": ("del o.x\nreturn 0", ["d(o, 'x', delete <o.x>)"]),
    "augmented attribute": (
        "o.x += 4\nreturn 0",
        ["r(o, 'x', read <o.x>)", "w(o, 'x', write <o.x>)"],
    ),
    "augmented attribute of an attribute": (
        "o.y.x += k0\nreturn o.y.x",
        ["r(o, 'y', read <o.y>)", "r(y, 'x', read <o.y.x>)", "o(7, operator <k0>)", "ia(7, 5, operator <o.y.x += k0>)",
         "w(y, 'x', write <o.y.x>)", "r(o, 'y', read <o.y>)", "r(y, 'x', read <o.y.x>)"],
    ),
    "augmented subscript": (
        "items[k0 - 7] += 1\nreturn items[0]",
        ["rk(items, 0, read <items[k0 - 7]>)", "wk(items, 0, write <items[k0 - 7]>)", "rk(items, 0, read <items[0]>)"],
    ),
    "augmented local": (
        "k0 -= len(items)\nk0 += o.x\nreturn k0",
        ["z(items, read <len(items)>)", "r(o, 'x', read <o.x>)", "o(1, operator <o.x>)",
         "ia(1, 4, operator <k0 += o.x>)"],
    ),
    "load of a subscript": ("return items[1]", ["rk(items, 1, read <items[1]>)"]),
    "load of a subscript of an attribute": (
        "return o.d[k]",
        ["r(o, 'd', read <o.d>)", "rk({'k': 1, 'n': 2}, 'k', read <o.d[k]>)"],
    ),
    "slices": (
        "return items[1:], items[::2], items[:2]",
        ["rk(items, slice(1, None, None), read <items[1:]>)", "rk(items, slice(None, None, 2), read <items[::2]>)",
         "rk(items, slice(None, 2, None), read <items[:2]>)"],
    ),
    "store and deletion of a subscript": (
        "items[0] = 9\ndel items[1:]\nreturn list(items)",
        ["wk(items, 0, write <items[0]>)", "dk(items, slice(1, None, None), delete <items[1:]>)",
         "nf(<class 'list'>, call <list(items)>)"],
    ),
    "method call": (
        "return o.take(k, 2, items)",
        ["c(o, 'take', call <o.take(k, 2, items)>, 'k', 2, items)"],
    ),
    "method call with arguments to evaluate": (
        "return o.y.take(o.x, k, o.x)",
        ["r(o, 'y', read <o.y>)", "r(o, 'x', read <o.x>)", "r(o, 'x', read <o.x>)",
         "c(y, 'take', call <o.y.take(o.x, k, o.x)>, 1, 'k', 1)"],
    ),
    "method call without arguments": ("return o.take()", ["c0(o, 'take', call <o.take()>)"]),
    "method call with keywords only": ("return o.take(a=k)", ["ck(o, 'take', call <o.take(a=k)>, 'k')"]),
    "method call with a keyword that does nothing": (
        "return o.take(k, a=1)", ["c(o, 'take', call <o.take(k, a=1)>, 'k')"],
    ),
    "method call with a keyword to evaluate": (
        "return o.take(k, a=o.x)",
        ["r(o, 'x', read <o.x>)", "ck(o, 'take', call <o.take(k, a=o.x)>, 1)"],
    ),
    "method call with a star": (
        "return o.take(k, *items)",
        ["c0(o, 'take', call <o.take(k, *items)>)", "o(items, iterate <items>)"],
    ),
    "method call with something after a star": (
        "return o.take(*items, k)",
        ["o(items, iterate <items>)", "ck(o, 'take', call <o.take(*items, k)>, 'k')"],
    ),
    "function call": ("return g(k, 2)", ["f(g, call <g(k, 2)>, 'k', 2)"]),
    "function call without arguments": ("return g()", ["f0(g, call <g()>)"]),
    "function call with keywords": ("return g(a=k)", ["fk(g, call <g(a=k)>, 'k')"]),
    "function call with stars": (
        "return g(*items, **{'a': 1})",
        ["o(items, iterate <items>)", "fk(g, call <g(*items, **{'a': 1})>, {'a': 1})"],
    ),
    "call of a call's result": (
        "return (o.y or g)(k)",
        ["r(o, 'y', read <o.y>)", "z(y, test <o.y>)", "f(y, call <(o.y or g)(k)>, 'k')"],
    ),
    "len, isinstance and type": (
        "return len(items), isinstance(items, list), type(items)", ["z(items, read <len(items)>)"],
    ),
    "walkers": (
        "return min(items, default=0), sorted(items, key=abs)",
        ["nf(<built-in function min>, call <min(items, default=0)>)",
         "nf(<built-in function sorted>, call <sorted(items, key=abs)>)"],
    ),
    "methods in several steps": (
        "return items.index(1), o.d.update(n=k0), items.sort()",
        ["nm(items, 'index', call <items.index(1)>)", "r(o, 'd', read <o.d>)",
         "nm({'k': 1, 'n': 2}, 'update', call <o.d.update(n=k0)>)", "nm(items, 'sort', call <items.sort()>)"],
    ),
    "heap": (
        "heappush(items, 5)\nreturn heappop(items)",
        ["ow(items, write <heappush(items, 5)>)",
         "l(<built-in function heappush>, call <heappush(items, 5)>, items, 5)",
         "ow(items, write <heappop(items)>)", "l(<built-in function heappop>, call <heappop(items)>, items)"],
    ),
    "heap with arguments to evaluate": (
        "heapq.heappush(items, o.x)\nreturn items",
        ["r(o, 'x', read <o.x>)", "ow(items, write <heapq.heappush(items, o.x)>)",
         "c(<module 'heapq'>, 'heappush', call <heapq.heappush(items, o.x)>, items, 1)"],
    ),
    "fields by name": (
        "setattr(o, k, 7)\nx = getattr(o, k), getattr(o, 'no', 3), hasattr(o, k)\ndelattr(o, k)\nreturn x",
        ["sa(o, 'k', write <setattr(o, k, 7)>, 7)", "ga(o, 'k', read <getattr(o, k)>, 'k')",
         "ga(o, 'no', read <getattr(o, 'no', 3)>, 3)", "ga(o, 'k', read <hasattr(o, k)>, 'k')",
         "da(o, 'k', delete <delattr(o, k)>, 'k')"],
    ),
    "membership": (
        "return k in o.d, o.x not in items, k in ('k', 'l')",
        ["r(o, 'd', read <o.d>)", "in({'k': 1, 'n': 2}, 'k', member <k in o.d>, True)", "r(o, 'x', read <o.x>)",
         "in(items, 1, member <o.x not in items>, True)"],
    ),
    "truth tests": (
        "while not items: pass\nreturn 1 if k and k0 else 2",
        ["z(items, test <items>)", "z('k', test <k>)", "z(7, test <k0>)"],
    ),
    "loops": (
        "for i in items:\n  pass\nreturn [j for j in items if j]",
        ["it(items, iterate <items>)", "it(items, iterate <items>)", *(f"z({j}, test <j>)" for j in (3, 1, 2))],
    ),
    "a loop over enumerate": (
        "for i, j in enumerate(items): k = j\nreturn k",
        ["it(items, iterate <items>)", "f(<class 'enumerate'>, call <enumerate(items)>, items)"],
    ),
    "unpacking": (
        "a, *b = items\nc, d = k0, k\nreturn [a, *b]", ["un(items, iterate <items>)", "o([1, 2], iterate <b>)"],
    ),
    "operators": (
        "return items + [4], k0 - 1, k0 * k0, k == k0, k == 'k', items is k",
        ["o(items, operator <items>)", "oo(7, 7, operator <k0>)", "oo('k', 7, operator <k0>)"],
    ),
    "formatting": ("return f'{items!r} {k0:{3}}'", ["o(items, read <items>)", "o(7, read <k0>)"]),
    "a comprehension performs": (
        "return [(i.d[k], i.y.take(k), i.take(i.x, 2), g(i.x, k), i.x in i.items) for i in (o,)]",
        ["r(o, 'd', read <i.d>)", "xk({'k': 1, 'n': 2}, 'k', read <i.d[k]>)", "r(o, 'y', read <i.y>)",
         "xc(y, 'take', call <i.y.take(k)>, 'k')", "r(o, 'x', read <i.x>)",
         "xf(<bound method Named.take of o>, call <i.take(i.x, 2)>, 1, 2)", "r(o, 'x', read <i.x>)",
         "xf(g, call <g(i.x, k)>, 1, 'k')", "r(o, 'x', read <i.x>)", "r(o, 'items', read <i.items>)",
         "xin(1, items, member <i.x in i.items>)"],
    ),
    "a lambda keeps": (
        "return (lambda i: i.y.take(k))(o)",
        ["f(<function f.<locals>.<lambda>>, call <(lambda i: i.y.take(k))(o)>, o)", "r(o, 'y', read <i.y>)",
         "c(y, 'take', call <i.y.take(k)>, 'k')"],
    ),
    "class patterns": (
        "match o:\n  case Named(x=1, y=v): return v",
        ["r(o, 'x', match <case x=1>)", "r(o, 'y', match <case y=v>)"],
    ),
    "nested patterns": (
        "match o:\n  case Named(x=1, y=Named(x=5)): return 1\nmatch items:\n  case [a, *_]: return a",
        ["mt(o, ('x', 'y'), match <o>)"],
    ),
    "patterns that look at no part": ("match k:\n  case 'k' | None: return 1\n  case str(x): return x", []),
    "what a with statement evaluates": (
        "with o.lock as o.x: return o.x",
        ["r(o, 'lock', read <o.lock>)", "w(o, 'x', write <o.x>)", "r(o, 'x', read <o.x>)"],
    ),
}  # fmt: skip
PREAMBLE = "import heapq\nfrom heapq import heappush, heappop\n"


class Lock:
    def __enter__(self):
        return "held"

    def __exit__(self, *_problem):
        return False


@pytest.mark.parametrize("row", ROWS)
def test_form(row):
    body, expected = ROWS[row]
    indented = "\n ".join(body.splitlines())
    source = f"{PREAMBLE}def f(o, items, k, k0, g, Named):\n {indented}\n"

    def arguments():
        o, items, k = world()
        o.lock = Lock()
        return o, items, k, 7, Named("g"), Named

    value, events = traced(source, *arguments())
    assert repr(value) == repr(plain(source, *arguments()))
    assert events == expected
