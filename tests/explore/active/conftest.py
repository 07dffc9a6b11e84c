import sys
import textwrap
from pathlib import Path

import pytest

from plait.observe.iroots import sight
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World
from plait.run.testbed import Testbed

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    return World(PLACES, cache=tmp_path_factory.mktemp("code"))


@pytest.fixture
def load(world, tmp_path, monkeypatch):
    """Loads a module rewritten, from source text or from a file; executions start from its state."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    loaded = []
    before = ENGINE.modules

    def load_it(source, name="subject"):
        if isinstance(source, Path):
            file, name = source, source.stem
        else:
            file = tmp_path / f"{name}.py"
            file.write_text(textwrap.dedent(source), encoding="utf-8")
        module = world.load(name, file=file, roots=[ROOT, tmp_path])
        world.snapshot()
        loaded.append(name)
        return module

    with world.entered():
        yield load_it
    ENGINE.modules = before
    for name in loaded:
        sys.modules.pop(name, None)


class Run:
    """Executes one test again and again."""

    def __init__(self, test):
        self.test = test
        self.bed = Testbed(test, PLACES)
        self.executions = 0

    def __call__(self, strategy, predict=True):
        found = []
        self.executions += 1
        ENGINE.execute(
            self.bed.prepare,
            strategy.next_prefix() or (),
            strategy,
            free=strategy.free,
            finish=lambda: found.append(sight(ENGINE, self.bed, predict=predict)),
        )
        strategy.executed(ENGINE)
        return found[0]


@pytest.fixture
def run_of():
    return Run
