"""Findings on CovCon's classes are local minima: nothing can be dropped, and no schedule is cheaper."""

import sys
from pathlib import Path
from statistics import median

import pytest

from plait.commands.check.worker.stream import Stream, StreamOptions
from plait.generate.catalogue import build_catalogue
from plait.judge.minimise.tests import fewest_preemptions, smaller, stated_values
from plait.judge.oracle.examine import examine
from plait.judge.oracle.safety import Examination
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import find_in
from plait.subject.interface.discovery import discover

FAULTY = Path(__file__).parents[3] / "benchmarks" / "covcon" / "faulty"


def findings(world, module, name, tests):
    loaded = world.load(module, roots=[FAULTY])
    world.snapshot()
    owner = find_in(loaded, name)
    interface = discover(owner, name=f"{module}:{name}")
    stream = Stream.begin(StreamOptions(name, streams=1), interface, build_catalogue(owner, interface))
    return stream.run(tests, float("inf"), lambda _test: None).findings, stream


@pytest.mark.slow
@pytest.mark.parametrize(("module", "name", "tests"), [("as_map", "AsMap", 12), ("int_range", "IntRange", 30)])
def test_nothing_can_be_dropped(world, monkeypatch, module, name, tests):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = ENGINE.modules
    with world.entered():
        found, stream = findings(world, module, name, tests)
        assert found
        for finding in found:
            cause = (finding.kind, finding.exception)

            def same(violation, cause=cause):
                return violation.cause == cause

            stated = stated_values(Examination(finding.test, PLACES, stream.probes, stream.options.rules))
            for candidate in smaller(finding.test, stated):
                examination = Examination(candidate, PLACES, stream.probes, stream.options.rules)
                shown = examine(examination, systematic=400, sampled=20, wanted=same).violation
                assert shown is None, (finding.test.as_lines(), candidate.as_lines())
            if finding.preemptions:
                again = Examination(finding.test, PLACES, stream.probes, stream.options.rules)
                assert fewest_preemptions(again, same, finding.preemptions - 1) is None
    ENGINE.modules = before
    assert median(len(suffix) for finding in found for suffix in finding.test.suffixes) <= 2
    assert median(finding.preemptions for finding in found) <= 2
