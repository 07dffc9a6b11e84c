"""For all tests: golden files, the order of files, and an end to each file's code under test.

What people read is compared with a golden file, which is written anew with ``--update-golden``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from plait.run.engine import ENGINE

GOLDEN = Path(__file__).parent / "golden"
pytest_plugins = ["pytester", "lab_fixture"]


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write tests/golden anew")


def pytest_configure():
    """Forget the width of whoever runs the tests, which xdist hands to its workers: golden files have their own."""
    os.environ.pop("COLUMNS", None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """Put back the model that a test leaves in the engine of this process: which test runs next is a matter of time."""
    gil = ENGINE.gil
    try:
        return (yield)
    finally:
        ENGINE.gil = gil


def pytest_collection_modifyitems(items):
    """Put files with slow tests to the front of each half, for two workers that start with one half each.

    Whoever is ready first takes tests from the end of the other's half: quick ones, and seldom a part of a file whose
    set-up is long. A file stays together.
    """
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    slow = [tests for tests in files.values() if any(map(is_slow, tests))]
    quick = [tests for tests in files.values() if not any(map(is_slow, tests))]
    first, second = slow[::2], slow[1::2]
    missing = len(items) // 2 - sum(map(len, first))
    while quick and missing > 0:
        missing -= len(quick[0])
        first.append(quick.pop(0))
    items[:] = [item for tests in [*first, *second, *quick] for item in tests]


def is_slow(item):
    return item.get_closest_marker("slow") is not None


@pytest.fixture(scope="module", autouse=True)
def _forget_code_under_test():
    """Forget the rewritten modules that this file loaded.

    A snapshot covers every rewritten module of the process, and the engine puts it back behind each execution: what
    other files have left would make all executions slower.
    """
    before = set(sys.modules)
    yield
    for name in [name for name in sys.modules if name not in before]:
        loader = getattr(getattr(sys.modules[name], "__spec__", None), "loader", None)
        if type(loader).__name__ == "RewritingLoader":
            del sys.modules[name]
    engine = sys.modules.get("plait.run.engine")
    if engine is not None:
        engine.ENGINE.modules = None


@pytest.fixture
def golden(request):
    """Compares a text with ``tests/golden/<name>``."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        text = text.rstrip("\n") + "\n"
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path.name} is missing: run pytest --update-golden and read what it wrote"
        assert text == path.read_text(encoding="utf-8")

    return compare
