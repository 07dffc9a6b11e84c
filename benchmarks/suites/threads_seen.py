"""A plug-in for pytest that says of each test how many threads it starts, and that can leave out all other tests.

``--threads-seen FILE`` writes a line of JSON for each test, as soon as it has ended; ``--only-tests FILE`` keeps those
whose names the file lists. A test that runs longer than ``--test-seconds`` fails.
"""

from __future__ import annotations

import _thread
import json
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

STARTED = {"threads": 0}
STARTERS = (
    (threading, "_start_new_thread"), (threading, "_start_joinable_thread"),
    (_thread, "start_new_thread"), (_thread, "start_new"), (_thread, "start_joinable_thread"),
)  # fmt: skip


class TooLongError(BaseException):
    """The test was stopped."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption("--threads-seen", metavar="FILE")
    parser.addoption("--only-tests", metavar="FILE")
    parser.addoption("--test-seconds", type=float, default=0.0)


def pytest_configure(config: pytest.Config) -> None:
    """Count from now on, if that is wanted."""
    if config.getoption("--threads-seen"):
        for module, name in STARTERS:
            if hasattr(module, name):
                setattr(module, name, _counted(getattr(module, name)))


def _counted(start: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that starts a thread and counts it: not every Python has an audit event for that."""

    def counted(*args: Any, **named: Any) -> Any:
        STARTED["threads"] += 1
        return start(*args, **named)

    return counted


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that are listed."""
    file = config.getoption("--only-tests")
    if file:
        wanted = set(Path(file).read_text(encoding="utf-8").splitlines())
        left = [item for item in items if item.nodeid not in wanted]
        items[:] = [item for item in items if item.nodeid in wanted]
        config.hook.pytest_deselected(items=left)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Count the threads of one test, its function fixtures included, and tell."""
    target = item.config.getoption("--threads-seen")
    if not target:
        return (yield)
    before, began = STARTED["threads"], time.perf_counter()
    item.stash[_TOLD] = {"test": item.nodeid, "outcome": "passed"}
    result = yield
    told = item.stash[_TOLD]
    told.update(threads=STARTED["threads"] - before, seconds=round(time.perf_counter() - began, 3))
    with Path(target).open("a", encoding="utf-8") as file:
        print(json.dumps(told), file=file)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """End a test whose time is over."""
    seconds = item.config.getoption("--test-seconds")
    if not seconds or threading.current_thread() is not threading.main_thread():
        return (yield)
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        return (yield)
    except TooLongError:
        pytest.fail(f"longer than {seconds:g} s")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _stop(_number: int, _frame: Any) -> None:
    raise TooLongError


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Generator[None, Any, Any]:
    """Note what became of the test."""
    report = yield
    told = item.stash.get(_TOLD, None)
    if told is not None and report.outcome != "passed":
        told["outcome"] = report.outcome if report.when == "call" or report.skipped else "failed"
        told["why"] = str(call.excinfo.value)[:300] if call.excinfo else ""
    return report


_TOLD = pytest.StashKey[dict[str, Any]]()
