import itertools
import textwrap

import pytest

from plait.explore.runner import model
from plait.judge.oracle.examine import examine
from plait.judge.oracle.safety import Examination
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World

_numbers = itertools.count()


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    return World(PLACES, cache=tmp_path_factory.mktemp("code"))


@pytest.fixture
def judged(world, tmp_path, monkeypatch):
    """Examines a test over the classes of a source text: ``judged(source, prefix, *suffixes)``."""
    monkeypatch.chdir(tmp_path)
    before = ENGINE.modules

    def judge(source, prefix, *suffixes, probes=(), rules=None, **options):
        examination = prepared(source, prefix, *suffixes, probes=probes, rules=rules)
        return examine(examination, **options)

    def prepared(source, prefix, *suffixes, probes=(), rules=None):
        name = f"judged_{next(_numbers)}"
        world.importer.load_source(name, textwrap.dedent(source))
        world.snapshot()
        test = Test.from_lines([f"from {name} import *", "import time"], prefix, suffixes)
        return Examination(test, PLACES, [Test.from_lines([], [], [[line]]).calls[0] for line in probes], rules)

    judge.prepared = prepared
    with world.entered():
        yield judge
    ENGINE.modules = before


@pytest.fixture
def engine_rule():
    """Sets what executions depend on, as a context manager."""
    return model
