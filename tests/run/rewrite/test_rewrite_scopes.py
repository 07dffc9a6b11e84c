"""Variables, markers, temporaries and everything around a function body that must stay as it was."""

import ast
import asyncio
import gc
import inspect
import sys
import traceback

import pytest

from plait.run.hooks.noop import HOOKS
from plait.run.importing.importer import Importer
from plait.run.rewrite import rewrite


def load(source, hooks=HOOKS, sites=None):
    return Importer(lambda *_: False, hooks, {} if sites is None else sites).load_source("probe", source)


def events_of(source, *wanted):
    """The names and the second argument of the wanted hooks, as ``f`` calls them; and its value."""
    seen = []

    def recording(name):
        def record(*args, **keywords):
            seen.append((name[3:], *args[1:2]))
            return HOOKS[name](*args, **keywords)

        return record

    module = load(source, {**HOOKS, **{name: recording(name) for name in wanted}})
    return module.f(), seen


def test_globals_that_functions_assign_are_announced():
    source = """
counter = limit = 0
def bump(by):
    global counter
    counter += by
    counter = counter + limit
def drop():
    global counter
    del counter
def f():
    bump(2)
    result = [counter for _ in 'x'], limit
    drop()
    return result
"""
    value, seen = events_of(source, "_p_rg", "_p_wg")
    assert value == ([2], 0)
    assert seen == [(hook, "counter") for hook in ("rg", "wg", "rg", "wg", "rg", "wg")]


def test_a_global_is_announced_after_its_value_was_evaluated():
    source = """
order = []
def note(x):
    order.append(x)
    return x
def f():
    global a, b, c, d
    a = note(1)
    b, (c, *d) = note([2, (3, 4)])
    for a in note([5]): note(a)
    with open(__file__) if False else Manager() as b: note(b)
    import math as c
    from math import pi as d
    (a := note(6))
    return a, b, c.__name__, int(d)
class Manager:
    def __enter__(self): return note('in')
    def __exit__(self, *_): return False
"""
    announced = []
    sites = {}
    module = load(source, {**HOOKS, "_p_wg": lambda _m, name, _s: announced.append((name, len(module.order)))}, sites)
    assert module.f() == (6, "in", "math", 3)
    assert announced == [
        ("a", 1), ("b", 2), ("c", 2), ("d", 2), ("a", 3), ("b", 5), ("c", 6), ("d", 6), ("a", 7),
    ]  # fmt: skip
    assert {site.text for site in sites.values() if site.kind == "global"} == {"a", "b", "c", "d"}


def test_closure_cells_have_one_identity_per_call_of_their_owner():
    source = """
def make(start):
    count = start
    same = start
    def bump():
        nonlocal count
        count += same
        return count
    def read():
        return [count for _ in '1']
    return bump, read, count
def f():
    bump, read, first = make(1)
    other, _, _ = make(10)
    bump(); bump(); other()
    return first, read(), other()
"""
    tokens = []

    def cell_hook(token, name, _site):
        assert name == "count"
        tokens.append(token)
        return True

    module = load(source, {**HOOKS, "_p_rc": cell_hook, "_p_wc": cell_hook})
    assert module.f() == (1, [3], 30)
    first, other = dict.fromkeys(tokens)
    assert [token is first for token in tokens] == [
        *[True, True], *[False, False],  # made: written, read
        *[True] * 6, *[False] * 3,  # bumped: read, written, read
        True, *[False] * 3,
    ]  # fmt: skip
    assert first is not other


def test_names_inside_classes_are_passed_mangled():
    source = """
def f():
    class Box:
        def __init__(self):
            self.__x = 1
            __count = 0
            def bump():
                nonlocal __count
                global __total
                __count += 1
                __total = __count
                return __total
            self.bump = bump
        def go(self):
            self.__x += 1
            del self.__x
            self.bump()
            return self.__call()
        def __call(self):
            return sorted(vars(self))
    return Box().go()
"""
    value, seen = events_of(source, "_p_r", "_p_w", "_p_d", "_p_c0", "_p_rc", "_p_wc", "_p_wg")
    assert value == ["bump"]
    assert {name for _, name in seen} == {
        "_Box__x", "_Box__count", "_Box__total", "bump", "_Box__call", "go",
    }  # fmt: skip


def test_markers_stand_at_entries_and_where_loops_jump_back():
    source = """
def f():
    for i in range(3):
        if i == 1:
            continue
    while i:
        i -= 1
    else:
        i = (lambda: 5)()
    for _ in range(9):
        break
    return i
"""
    value, seen = events_of(source, "_p_m")
    assert value == 5
    # entry, three times back in the first loop, twice in the second (before 3.14 a test that fails jumps nowhere), the
    # lambda's entry
    assert len(seen) == 1 + 3 + (2 if sys.version_info >= (3, 14) else 1) + 1


def test_coroutines_and_asynchronous_loops():
    source = """
import asyncio
class A:
    async def __aenter__(self): return [1, 2]
    async def __aexit__(self, *_): return False
async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i
async def f():
    out = [i async for i in ticks(3) if i]
    async for i in ticks(2):
        out.append(i)
    async with A() as a:
        out.extend(await asyncio.gather(*[asyncio.sleep(0, x) for x in a]))
    return out
"""
    assert asyncio.run(load(source).f()) == [1, 2, 0, 1, 1, 2]


def test_temporaries_are_dropped_with_the_statement():
    source = """
import weakref
class Thing:
    def give(self, *args): return self
def f():
    alive = []
    def look(*_): return True
    def make():
        thing = Thing()
        alive.append(weakref.ref(thing))
        return thing
    def check(): assert [ref() for ref in alive] == [None] * len(alive)
    make().give(make(), 1)
    check()
    if look(make(), 1):
        check()
    while look(make(), 1) and len(alive) < 5:
        check()
    check()
    for _ in (make().give(1) and 'ab'):
        check()
    try:
        look(make(), nothing)
    except NameError:
        check()
    match make().give(2):
        case Thing(give=3): pass
    check()
    x = [look(make(), 1), make().give(4) and 1]
    del x[make().give(5) and 0]
    check()
    with open(make().give(6) and __import__('os').devnull):
        check()
    return len(alive) > 10
"""
    gc.disable()
    try:
        assert load(source).f()
    finally:
        gc.enable()


def test_tracebacks_point_at_the_original_lines():
    source = "def f():\n    x = [1]\n    return (x\n        .append(\n            x.pop(5)))\n"
    module = load(source)
    with pytest.raises(IndexError) as caught:
        module.f()
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.lineno, last.line, last.name) == (5, "x.pop(5)))", "f")
    assert inspect.getsource(module.f) == source


def test_outside_of_functions_nothing_changes():
    source = (
        "import os\nx = os.sep[0]\ny = [i for i in x if i in x]\nclass C(object):\n    z = os.sep.join(x)\n    del z\n"
    )
    tree, sites = rewrite(source, "m", "m.py")
    assert ast.unparse(tree) == ast.unparse(ast.parse(source))
    assert sites == []


def test_lambdas_outside_of_functions_are_functions():
    tree, sites = rewrite("class C:\n    key = [lambda o: o.x]\n", "m", "m.py")
    assert [(site.function, site.text) for site in sites] == [("C.<lambda>", "o.x")]
    assert "_p_r(o, 'x'" in ast.unparse(tree)


def test_a_name_needs_no_temporary():
    tree, _ = rewrite("def f(o, a, c):\n    o.m(a, 1, c[a])\n    o.x += 1\n    return a in c\n", "m", "m.py")
    text = ast.unparse(tree)
    assert ":=" not in text
    assert "_p_t2" not in text
