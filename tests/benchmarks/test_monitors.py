"""The monitors: their faults can be planted, and each class works alone."""

import importlib
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def faults(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.monitors.faults")


def test_every_fault_is_a_change_of_one_place_that_compiles(faults):
    assert len({fault.name for fault in faults.FAULTS}) == len(faults.FAULTS)
    for fault in faults.FAULTS:
        compile(fault.source(), fault.name, "exec")
    assert {fault.kind for fault in faults.FAULTS} == set(faults.KINDS)
    assert {fault.monitor for fault in faults.FAULTS} == set(faults.CLASSES)


def test_every_sound_monitor_has_its_class(faults):
    assert {file.stem for file in faults.SOUND.glob("*.py")} == set(faults.CLASSES)
    for module, name in faults.CLASSES.items():
        spec = importlib.util.spec_from_file_location(f"sound_{module}", faults.SOUND / f"{module}.py")
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        assert isinstance(getattr(loaded, name)(), getattr(loaded, name))
