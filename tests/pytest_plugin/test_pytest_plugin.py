"""The plug-in, in pytest runs of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest

COUNTER = """
import pytest

class Counter:
    def __init__(self):
        self.n = 0

    def increment(self):
        self.n += 1
"""


@pytest.fixture
def project(pytester):
    pytester.makeini("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")
    return pytester


def run(project, *args):
    return project.runpytest_subprocess("-p", "no:cacheprovider", *args)


def test_the_fixture_explores(project):
    project.makepyfile(
        COUNTER
        + """
def test_counter(plait):
    plait(Counter, [Counter.increment, Counter.increment], lambda counter: counter.n == 2)

def test_one_thread(plait):
    assert plait(Counter, [Counter.increment]).passed
"""
    )
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*InterleavingError: the check failed*", "*thread 1: increment*", "*give explore the argument replay*"]
    )


def test_the_marker_gives_defaults(project):
    project.makepyfile(
        COUNTER
        + """
pytestmark = pytest.mark.plait(strategy="dfs", setup=Counter)

@pytest.mark.plait(max_executions=3)
def test_defaults(plait):
    assert plait.options == {"strategy": "dfs", "setup": Counter, "max_executions": 3}
    verdict = plait(threads=[Counter.increment] * 3)
    assert verdict.strategy == "dfs"
    assert verdict.executions == 3

def test_arguments_win(plait):
    assert plait(dict, [dict.clear], strategy="icb").strategy == "icb"
"""
    )
    run(project).assert_outcomes(passed=2)


def test_a_marked_test_is_the_check(project):
    project.makepyfile(
        COUNTER
        + """
@pytest.fixture
def expected():
    return 2

@pytest.mark.plait(setup=Counter, threads=[Counter.increment] * 2)
def test_torn(state, expected):
    assert state.n == expected

@pytest.mark.plait(setup=Counter, threads=[Counter.increment])
def test_whole(state):
    assert state.n == 1

@pytest.mark.plait(threads=[lambda: None])
def test_without_a_state():
    pass

@pytest.mark.plait(setup=Counter, threads=[Counter.increment] * 2)
class TestMethods:
    def test_torn_too(self, state):
        assert state.n == 2
"""
    )
    result = run(project, "-v")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*::test_whole PASSED*", "*the check failed: assert 1 == 2*"])


def test_pytest_still_explains_the_assertions_of_other_tests(project):
    project.makepyfile(
        COUNTER
        + """
def test_first(plait):
    plait(Counter, [Counter.increment])

def helper(value):
    assert value == 2

def test_second():
    helper(3)
"""
    )
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*assert 3 == 2*"])


def test_real_threads_stay_real_for_other_tests(project):
    project.makepyfile(
        shop="""
import threading

class Shop:
    def __init__(self):
        self.lock = threading.Lock()
        self.sold = 0

    def sell(self):
        with self.lock:
            self.sold += 1
            return threading.get_ident()
""",
        test_shop="""
import threading
from concurrent.futures import ThreadPoolExecutor
from shop import Shop

def test_explored(plait):
    assert plait(Shop, [Shop.sell, Shop.sell], lambda shop: shop.sold == 2).exhausted

def test_real():
    shop = Shop()
    with ThreadPoolExecutor(2) as pool:
        idents = {pool.submit(shop.sell).result() for _ in range(20)}
    assert shop.sold == 20
    assert threading.get_ident() not in idents
    assert type(shop.lock) is type(threading.Lock())
""",
    )
    run(project, "-p", "no:randomly").assert_outcomes(passed=2)


def test_positional_marker_arguments_are_refused(project):
    project.makepyfile("""
import pytest

@pytest.mark.plait("dfs")
def test_wrong(plait):
    pass
""")
    result = run(project)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*takes keyword arguments only*"])


def test_the_marker_is_documented(project):
    run(project, "--markers").stdout.fnmatch_lines(["*plait(setup, threads, *"])


def test_the_plugin_alone_imports_nothing(project):
    project.makepyfile("""
import sys

def test_light():
    heavy = [name for name in sys.modules if name == "greenlet" or name.startswith("plait.")]
    assert heavy == ["plait.pytest_plugin"]
""")
    run(project).assert_outcomes(passed=1)


def test_parallel_workers(project):
    pytest.importorskip("xdist")
    project.makepyfile(
        COUNTER
        + """
@pytest.mark.parametrize("number", range(6))
def test_counter(plait, number):
    verdict = plait(Counter, [Counter.increment] * 2, lambda counter: counter.n == 2, raise_on_failure=False)
    assert verdict.kind == "wrong-result"
    assert verdict.confirmed_on_threads
"""
    )
    run(project, "-n", "2").assert_outcomes(passed=6)


def test_without_pytest_the_api_works(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        COUNTER.replace("import pytest", "from plait import explore_threads")
        + """
verdict = explore_threads(Counter, [Counter.increment] * 2, lambda c: c.n == 2, raise_on_failure=False)
print(verdict.kind, verdict.left)
"""
    )
    result = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["wrong-result", "[]"]
