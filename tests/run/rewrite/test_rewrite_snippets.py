"""Functions that use the corners of the language: rewritten they give what the originals give."""

import dataclasses

import pytest

from plait.run.hooks.dynamic import generate
from plait.run.hooks.noop import HOOKS
from plait.run.importing.importer import Importer

SNIPPETS = {
    "docstring and signature": """
def f(a: int.real = 1, /, b: "x" = 2, *, c=(lambda: 3)()) -> missing.too if False else int:
    'the doc'
    x: not_evaluated.at.all
    y: neither.is_this = 5
    return f.__doc__, y, f.__defaults__, f.__kwdefaults__, f.__code__.co_argcount, f.__annotations__
""",
    "future annotations": """
from __future__ import annotations
import dataclasses
@dataclasses.dataclass
class D:
    x: nothing.known = 3
def f():
    return D().x, D.__annotations__
""",
    "super": """
class A:
    def m(self, x=0): return ('A', x)
    @property
    def p(self): return 7
class B(A):
    def m(self, x=0): return super().m(x + 1), super().m(), super().p, super(B, self).m(x=4), __class__.__name__
def f(): return B().m(1)
""",
    "locals": """
def f(a=1):
    b = [a]
    b.append(len(b) + max(b[0], a))
    b[0] += a
    return sorted(locals()), sorted(vars()), dir(), eval('a + len(b)')
""",
    "locals in a closure": """
def f(a=1):
    def g():
        nonlocal a
        a += 1
        return sorted(locals())
    return g(), a
""",
    "debug": """
def f():
    if __debug__: return 1
    return not __debug__ and 2
""",
    "keywords with the hooks' parameter names": """
def g(*args, **kw): return args, kw
class C:
    def m(self, *args, **kw): return args, kw
def f():
    c = [C()]
    return [(g(i.m(1), 2, f=1, site=2, o=3, name=4, args=5), i.m(g(0), f=1, site=2, o=3, name=4)) for i in c]
""",
    "generators": """
def g(n):
    got = []
    for i in range(n):
        x = yield i
        got.append((i, x))
    return got
def outer():
    result = yield from g(2)
    yield result
def f():
    it = outer()
    return next(it), it.send('a'), it.send('b'), list(x + y for x in range(2) for y in g(x + 1))
""",
    "walrus and comprehension variables": """
def f():
    data = [1, 2, 3]
    found = any((last := x) > 1 for x in data)
    x = 'outer'
    squares = {x: y for x in data if (y := x * x) % 2}
    return found, last, x, y, squares, [x for x in data if x in data]
""",
    "lambda defaults and nested lambdas": """
def f():
    k = {'a': [1, 2]}
    counts = (lambda a=k['a'], *r, s=len(k), **kw: [a.count(i) + s for i in r])(*[[3, 3]], 3, 4)
    return counts, sorted(k, key=lambda n: k[n])
""",
    "private heappush": """
def heappush(h, x): return h, x
def len(x): return 'mine'
def f():
    items = []
    return heappush(items, len(items)), len('abc')
""",
    "targets": """
class O: pass
def f():
    o = O(); c = [0, 0, 0, 0]; out = []
    o.a, (c[0], *o.rest), c[1:3] = 1, (2, 3, 4), [5, 6]
    for o.i in range(3): pass
    for c[3], o.j in [(7, 8)]: pass
    [out.append(o.k) for o.k in 'xy']
    o.x = c[0] = o.y = 9
    del o.x, (c[0], o.i)
    with open(__import__('os').devnull) as o.file: pass
    return sorted(vars(o)), c, out, o.file.closed
""",
    "order of evaluation": """
log = []
def t(x):
    log.append(x)
    return x
class C(dict):
    def __getattr__(self, n): log.append('get ' + n); return 1
    def __setattr__(self, n, v): log.append(('set', n, v))
    def __getitem__(self, k): log.append(('item', k)); return 2
    def __setitem__(self, k, v): log.append(('store', k, v))
def f():
    c = C()
    def n(x): t(x); return c
    n('a').x = t('b')
    n('c')[t('d')] = t('e')
    n('f').x += t(1)
    n('g')[t('h')] += t(2)
    n('i')[t('j'):t('k')] -= t(3)
    c.x, n('l')[t('m')] = t((4, 5))
    t(6) in n('n') ; t(7) < t(8) in n('o')
    print(t(''), t(''), sep=t(''), end=t(''))
    return log
""",
    "string building stays in place": """
def f():
    s = ''
    for i in range(3):
        s += str(i) + ','
    return s
""",
    "match": """
class P:
    __match_args__ = ('x', 'y')
    def __init__(self, **kw): self.__dict__.update(kw)
    @property
    def z(self): return self.missing
class V: one = 1
def what(s):
    match s:
        case P(x=None, y=True): return 'singletons'
        case P(x=V.one, y=a) as whole if a: return 'value', a, whole is s
        case P(z=_): return 'never: the property raises AttributeError'
        case P(x=1, y=b): return 'guard failed', b
        case P(x=[a, *rest]): return 'nested', a, rest
        case P(x=1.5) | P(y=c): return 'either'
        case P(u, w): return 'positional', u, w
        case {'k': v, **rest}: return v, rest
        case int(n) | str(n): return n
        case [] | (): return 'empty'
    return 'nothing'
""".replace(" | P(y=c)", " | P(x=2.5)")
    + """
def f():
    return [what(s) for s in (
        P(x=None, y=True), P(x=1, y=2), P(x=1, y=0), P(x=[1, 2, 3]), P(x=2.5), P(x=3, y=4), P(), {'k': 1, 'l': 2},
        5, 's', [], 1.0)]
""",
    "a failed pattern binds nothing": """
class P:
    x = 1
    y = 2
def f():
    a = b = 'old'
    match P():
        case P(x=a, y=3): pass
        case P(x=b, nope=_): pass
    return a, b
""",
    "global statement and class body": """
count = 0
def f():
    global count, Thing, helper
    class Thing:
        level = count
        names = [n for n in ('a', 'b') if n]
        def get(self, default=level): return self.level, default
        key = staticmethod(lambda self: self.level + 1)
    def helper(): return Thing
    count = 3
    return Thing().get(), Thing.names, Thing.key(Thing), helper().__qualname__, helper.__qualname__
""",
    "try": """
def f():
    out = []
    for i in range(4):
        try:
            try:
                out.append([1, 2][i] + (None if i == 1 else 0))
            except IndexError as e:
                out.append(type(e).__name__)
                continue
            finally:
                out.append('f')
        except TypeError:
            break
        else:
            out.append('else')
    else:
        out.append('no break')
    return out
""",
    "exception groups": """
def f():
    out = []
    try:
        raise ExceptionGroup('g', [ValueError(1), KeyError(2)])
    except* ValueError as e:
        out.append(e.exceptions[0].args)
    except* KeyError as e:
        out.append(len(e.exceptions))
    return out
""",
}


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_a_rewritten_function_gives_what_the_original_gives(snippet, capsys):
    source = SNIPPETS[snippet]
    namespace = {"__name__": "probe", "__file__": "probe"}
    exec(compile(source, "probe", "exec", dont_inherit=True), namespace)
    sites = {}
    assert repr(Importer(lambda *_: False, HOOKS, sites).load_source("probe", source).f()) == repr(namespace["f"]())
    assert sites or snippet == "debug"
    assert capsys.readouterr().out == ""


def test_methods_made_from_text_need_the_hooks_of_their_module(monkeypatch):
    """A module that was rewritten with fewer hooks than texts need gets methods as they are."""
    monkeypatch.setitem(vars(dataclasses), "exec", generate)
    source = SNIPPETS["future annotations"]
    assert Importer(lambda *_: False, HOOKS, {}).load_source("probe", source).f()[0] == 3
