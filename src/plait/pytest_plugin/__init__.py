"""Hand-written tests under plain pytest.

The fixture ``plait`` explores with the defaults that the marker of the test, its class or its module gives::

    @pytest.mark.plait(max_seconds=5)
    def test_no_overdraft(plait):
        plait(setup=Account, threads=[...], check=...)

With ``threads`` the marker says it all, and the test function is the check of the final state::

    @pytest.mark.plait(setup=Account, threads=[lambda a: a.deposit(1), lambda a: a.deposit(2)])
    def test_deposits_add_up(state):
        assert state.balance == 3

Nothing of plait but this file is imported before the first such test runs.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from plait.judge.handwritten.verdict import Verdict

STATE = "state"  # the parameter of a test function that is itself the check
_HIDDEN: Any = getattr(pytest, "HIDDEN_PARAM", "threads")  # older versions of pytest have to show something


_OPTIONS = {
    "old": "the version before the change, such as HEAD~1: preempt in changed code first",
    "capp": "change-aware order of schedules (default: LOA), or none",
    "schedule": "the search: auto (default), delay, icb, dfs, bfs, stateful, dpor, pos, surw, rff...",
    "bound": "the most preemptions of delay and icb (default: 2)",
    "schedules": "the most schedules for each test (default: 50)",
    "seconds": "the most seconds for each test (default: 60)",
    "seed": "the same seed gives the same schedules (default: 0)",
    "model": "where threads may switch: gil, free-threaded or both (default)",
    "thread-exceptions": "a thread that dies of an exception: fail (default) or allow",
    "leftover-threads": "threads, no daemons, that wait for ever when the test is over: fail (default) or allow",
    "replay": "run one schedule, the token of an earlier failure",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--plait`` and its options; each also has a line in the configuration file (``plait_old = HEAD``)."""
    group = parser.getgroup("plait", "schedules of multithreaded tests")
    group.addoption("--plait", action="store_true", help="run every test that starts threads under many schedules")
    for name, text in _OPTIONS.items():
        group.addoption(f"--plait-{name}", metavar=name.upper(), help=text)
        parser.addini(f"plait_{name.replace('-', '_')}", text)
    group.addoption("--plait-impact", metavar="FILE", help="the impacted code points, instead of --plait-old")
    group.addoption("--plait-allow", metavar="LIST", help="stop tests that do more: write, network, subprocess")
    group.addoption("--plait-budget", metavar="SECONDS", help="the most seconds for all tests together")
    group.addoption("--plait-result", metavar="FILE", help="write what was explored as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and get ready to explore if that is wanted."""
    if config.getoption("plait"):
        from plait.pytest_plugin.explore import Explorer  # noqa: PLC0415 - costs nothing until it is used

        config.pluginmanager.register(Explorer(config), "plait-explore")
    config.addinivalue_line(
        "markers",
        "plait(setup, threads, **options): defaults for the plait fixture; with threads=, the test function checks the "
        "final state of every interleaving of these threads",
    )


def _options(node: Any) -> dict[str, Any]:
    """Return what the markers say, the nearest one last."""
    options: dict[str, Any] = {}
    for marker in reversed(list(node.iter_markers("plait"))):
        if marker.args:
            raise pytest.UsageError(f"{node.nodeid}: the plait marker takes keyword arguments only")
        options.update(marker.kwargs)
    return options


class Plait:
    """The value of the fixture: call it like `plait.explore_threads`; the marker gives defaults for every argument."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options

    def __call__(self, *args: Any, **named: Any) -> Verdict:
        """Explore; raise `plait.InterleavingError` if some interleaving fails."""
        __tracebackhide__ = True
        from plait.scenario import explore_threads  # noqa: PLC0415 - costs nothing until it is used

        names = [name for name in list(inspect.signature(explore_threads).parameters)[: len(args)] if name]
        return explore_threads(**{"setup": None, **self.options, **dict(zip(names, args, strict=True)), **named})


@pytest.fixture
def plait(request: pytest.FixtureRequest) -> Plait:
    """Explore the interleavings of hand-written threads; see `plait.explore_threads`."""
    return Plait({name: value for name, value in _options(request.node).items() if name != "threads"})


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise the state: it is no fixture, it comes from the marker's set-up."""
    if STATE in metafunc.fixturenames and _marked_threads(metafunc.definition):
        metafunc.parametrize(STATE, [pytest.param(None, id=_HIDDEN)])


def _marked_threads(node: Any) -> bool:
    return any("threads" in marker.kwargs for marker in node.iter_markers("plait"))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Return a marked test with threads: explore them, and call the test function on each final state."""
    if not _marked_threads(pyfuncitem):
        return None
    __tracebackhide__ = True
    options = _options(pyfuncitem)
    function = pyfuncitem.obj
    from plait.subject.interface.signature import signature_of  # noqa: PLC0415 - costs nothing until it is used

    names = [name for name in signature_of(function).parameters if name in pyfuncitem.funcargs]
    given = {name: pyfuncitem.funcargs[name] for name in names if name != STATE}

    def check(state: Any) -> None:
        function(**given, **({STATE: state} if STATE in names else {}))

    Plait(options)(check=check)
    return True
