"""Text that is run by ``eval`` and ``exec`` has points, behaves as it did, and sees no names of the rewriter."""

import itertools
import textwrap
from functools import partial

import pytest

from plait.explore.dpor import Dpor
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World

_numbers = itertools.count()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(PLACES, cache=tmp_path_factory.mktemp("code"))


@pytest.fixture
def explore(world):
    """What two threads that call functions of a module may leave behind, over all schedules."""
    before = ENGINE.modules

    def endings(source, *names):
        module = world.importer.load_source(f"texts_{next(_numbers)}", textwrap.dedent(source))
        world.snapshot()
        search, found = Dpor(), set()

        def prepare():
            module.begin()
            return [partial(getattr(module, name)) for name in names]

        def finish():
            errors = [repr(thread.error) for thread in ENGINE.threads if thread.error is not None]
            found.add(repr(errors or module.end()))

        while (prefix := search.next_prefix()) is not None:
            ENGINE.execute(prepare, prefix, search, free=search.free, finish=finish)
            search.executed(ENGINE)
        assert search.exhausted
        return found

    yield endings
    ENGINE.modules = before


COUNTER = """
class Counter:
    pass
c = Counter()
space = {}
def begin():
    c.x = 0
    space.clear()
    space.update(c=c, n=0)
def end(): return c.x + space["n"]
def add(): RUN
"""


@pytest.mark.parametrize("run", [
    'exec("c.x += 1", space)',
    'exec("c.x = c.x + 1", space)',
    'exec("n += 1", space)',
    'exec("n = n + 1", {}, space)',
    'exec("for _ in [1]:\\n    n += 1", space)',
    'exec("def f(c):\\n    c.x += 1\\nf(c)", space)',
    'exec("global_ = [c]\\nglobal_[0].x += 1", dict(space))',
    'c.x = eval("c.x + 1", space)',
    'c.x = eval("c.x") + 1',
    'eval("setattr(c, \'x\', c.x + 1)")',
    'exec("c.x += 1")',
])  # fmt: skip
def test_an_update_in_a_text_can_be_lost(explore, run):
    assert explore(COUNTER.replace("RUN", run), "add", "add") == {"1", "2"}


def test_a_text_behaves_as_it_did(explore):
    source = """
    seen = []
    def begin(): seen.clear()
    def end(): return seen
    def look():
        own, space = 1, {}
        seen.append(sorted(locals()))
        seen.append(sorted(vars()))
        seen.append(dir())
        exec("made = own + 1; other = [made] * 2", {"own": own}, space)
        seen.append(dict(space))
        seen.append(eval("own + 1"))
        seen.append(eval(" 1 + 1"))
        seen.append(sorted(eval("locals()")))
        try:
            eval("1 +")
        except SyntaxError as error:
            seen.append(error.msg)
        try:
            exec("own += missing", {"own": 1})
        except NameError as error:
            seen.append(str(error))
        few = {"__builtins__": {"len": len}}
        seen.append(eval("len('ab')", few))
        exec("global g; g = 3", few)
        seen.append(few["g"])
        exec("a = [1]; b = a; a += [2]; a[0] += 1", space)
        seen.append((space["a"], space["b"]))
        return (lambda: own)()
    """
    names = "['own', 'space']"
    assert explore(source, "look") == {
        f"[{names}, {names}, {names}, {{'made': 2, 'other': [2, 2]}}, 2, 2, {names}, 'invalid syntax', "
        "\"name 'missing' is not defined\", 2, 3, ([2, 2], [2, 2])]"
    }


def test_the_methods_of_a_dataclass_have_points(explore):
    source = """
    from dataclasses import dataclass

    @dataclass
    class Point:
        x: int = 0
        y: int = 0

    point, same = Point(), []
    def begin():
        point.__init__()
        same.clear()
    def end(): return same
    def compare(): same.append(point == Point(0, 1))
    def move():
        point.x = 1
        point.y = 1
        point.x = 0
    """
    assert explore(source, "compare", "move") == {"[False]", "[True]"}


def test_every_way_to_set_a_slot_has_a_point(explore):
    source = """
    import operator
    from functools import partial

    class Counter:
        __slots__ = ("x",)
    c = Counter()
    def begin(): c.x = 0
    def end(): return c.x
    def by_hand(): Counter.x.__set__(c, Counter.x.__get__(c) + 1)
    def by_helpers(): list(map(partial(setattr, c), ["x"], [operator.attrgetter("x")(c) + 1]))
    """
    assert explore(source, "by_hand", "by_helpers") == {"1", "2"}
