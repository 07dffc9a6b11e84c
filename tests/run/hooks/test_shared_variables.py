"""Variables that one thread assigns and another reads: which are shared, and that the search shows both orders."""

import ast
import itertools
import sys
import textwrap

import pytest

from plait.explore.dpor import Dpor
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World
from plait.run.rewrite.scope import NameSurvey

_numbers = itertools.count()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(PLACES, cache=tmp_path_factory.mktemp("code"))


@pytest.fixture
def results(world):
    """What ``main`` of a module can return, over all schedules; modules before it are loaded first."""
    before = ENGINE.modules

    def explore(source, **earlier):
        for name, text in earlier.items():
            world.importer.load_source(name, textwrap.dedent(text))
        with world.entered():
            module = world.importer.load_source(f"variables_{next(_numbers)}", textwrap.dedent(source))
        world.snapshot()
        search, found = Dpor(), set()

        def main():
            found.add(repr(module.main()))

        while (prefix := search.next_prefix()) is not None:
            ENGINE.execute(lambda: [main], prefix, search, free=search.free)
            search.executed(ENGINE)
        assert search.exhausted
        return found

    yield explore
    ENGINE.modules = before


def test_the_enclosing_function_assigns_what_a_thread_reads(results):
    source = """
    import threading

    def main():
        seen, ready = [], False
        worker = threading.Thread(target=lambda: seen.append(ready))
        worker.start()
        ready = True
        worker.join()
        return seen
    """
    assert results(source) == {"[False]", "[True]"}


def test_a_loop_binds_its_variable_again(results):
    source = """
    import threading

    def main():
        seen, workers = [], []
        for number in range(2):
            def work():
                seen.append(number)
            workers.append(threading.Thread(target=work))
            workers[-1].start()
        for worker in workers:
            worker.join()
        return sorted(seen)
    """
    assert results(source) == {"[0, 1]", "[1, 1]"}


def test_a_caught_exception_is_a_variable_for_a_while(results):
    source = """
    import threading

    def main():
        seen = []

        def look():
            try:
                seen.append(type(error).__name__)
            except NameError:
                seen.append("unbound")

        worker = threading.Thread(target=look)
        try:
            worker.start()
            raise ValueError
        except ValueError as error:
            str(error)
        worker.join()
        return seen
    """
    assert results(source) == {"['unbound']", "['ValueError']", "['NoneType']"}


@pytest.mark.parametrize("later", [False, True], ids=["the reader is loaded afterwards", "the reader is loaded first"])
def test_another_module_assigns_a_global(world, results, later, tmp_path, monkeypatch):
    settings = """
    level = 0

    def twice():
        return [level, level]
    """
    source = """
    import settings_elsewhere as settings
    import threading

    def assign():
        settings.level += 1

    def main():
        settings.level = 0
        worker = threading.Thread(target=assign)
        worker.start()
        seen = settings.twice()
        worker.join()
        return seen
    """
    monkeypatch.delitem(sys.modules, "settings_elsewhere", raising=False)
    if later:
        assert results(source, settings_elsewhere=settings) == {"[0, 0]", "[0, 1]", "[1, 1]"}
        return
    (tmp_path / "settings_elsewhere.py").write_text(textwrap.dedent(settings))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(world.importer, "wanted", lambda name, _origin: name == "settings_elsewhere")
    assert results(source) == {"[0, 0]", "[0, 1]", "[1, 1]"}


SHARED = {
    "assigned after a call that may start it": "def f():\n v = 0\n def g(): return v\n start(g)\n v = 1",
    "assigned from what is given the function": "def f():\n v = start(lambda: v)",
    "a loop's variable": "def f():\n for v in range(3): start(lambda: v)",
    "assigned first in a loop": "def f():\n while True:\n  v = 1\n  start(lambda: v)",
    "deleted": "def f(v):\n start(lambda: v)\n del v",
    "augmented": "def f(v):\n start(lambda: v)\n v += 1",
    "bound by with": "def f():\n start(lambda: v)\n with a as v: pass",
    "bound by import": "def f():\n start(lambda: v)\n import v",
    "bound by a pattern": "def f():\n start(lambda: v)\n match a:\n  case [v]: pass",
    "bound by a walrus": "def f():\n start(lambda: v)\n return [(v := each) for each in a]",
    "a function defined later": "def f():\n start(lambda: v())\n def v(): pass",
    "a method reads it": "def f():\n class C:\n  def m(self): return v\n start(C)\n v = 1",
    "a generator kept": "def f():\n v = 0\n g = (v for _ in a)\n start(g)\n v = 1",
    "two levels down": "def f():\n v = 0\n def g():\n  return lambda: v\n start(g)\n v = 1",
    "its own decorator may run it": "def f():\n @start\n def v(): v()",
}
ALONE = {
    "assigned before": "def f():\n v = 0\n v = 1\n start(lambda: v)",
    "nothing could start it": "def f():\n def g(): return v()\n def v(): return g()\n return g",
    "nobody else reads it": "def f():\n v = 0\n start(a)\n v = 1",
    "a comprehension reads it": "def f():\n for v in a:\n  b = [v for _ in a]",
    "consumed at once": "def f():\n for v in a:\n  b = any(v for _ in a)",
    "recursive": "def f():\n def v(): v()\n start(v)",
    "wrapped": "def f(a):\n @wraps(a)\n def v(): v.n += 1\n return v",
    "another variable of the same name": "def f():\n v = 0\n start(lambda v: v)\n v = 1",
    "its tokens would be seen": "def f():\n v = 0\n start(lambda: v)\n v = eval(*a)",
}


@pytest.mark.parametrize(("source", "expected"), [
    *(pytest.param(source, {"v"}, id=name) for name, source in SHARED.items()),
    *(pytest.param(source, set(), id=name) for name, source in ALONE.items()),
])  # fmt: skip
def test_which_variables_of_a_function_are_shared(source, expected):
    function = NameSurvey(ast.parse(source)).module.children[0]
    assert function.shared == expected
