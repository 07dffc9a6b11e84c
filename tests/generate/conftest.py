import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sequential import Runner

from plait.generate.catalogue import build_catalogue
from plait.generate.registry import make_generator
from plait.subject.interface.discovery import discover


@pytest.fixture
def catalogue_of():
    """Builds the catalogue of a class that is importable by its own name."""

    def build(cls, **options):
        return build_catalogue(cls, discover(cls, name=f"{cls.__module__}:{cls.__qualname__}"), **options)

    return build


@pytest.fixture
def strategy_of(catalogue_of):
    """Builds a strategy for a class."""

    def build(cls, name="covcon", *, runner=None, seed=0, threads=2, repeat=False, **options):
        catalogue = catalogue_of(cls, **options)
        return make_generator(name, catalogue, runner or Runner(), seed=seed, threads=threads, repeat=repeat)

    return build
