"""Tasks for a worker without a subject: small modules are loaded from their text as often as a test likes."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import replace
from pathlib import Path

from plait.explore.dfs import Dfs
from plait.judge.difference.behaviour import explore_outcomes
from plait.judge.difference.outcome import View
from plait.judge.difference.serial import Observer
from plait.model.test import Test
from plait.observe.footprint import footprints_conflict
from plait.observe.places import PLACES
from plait.run.testbed import Testbed
from plait.subject.versions.version import Version
from plait.workers import state

DEMO = Path(__file__).parents[1] / "benchmarks" / "demo"
_numbers = itertools.count()


def version(name, folder):
    """A version that is a folder."""
    return Version(name, folder, "folder", tree=folder, project=folder, origin=folder)


def call(task, args, named):
    """One task with named arguments (a function of `conftest` cannot be pickled: several modules have that name).

    What it returns is of any type, which an answer is not: the task of a test may be believed, so it is pickled.
    """
    return pickle.dumps(task(*args, **named))


def _loaded(source, prefix, suffixes):
    """The test over a fresh module with this text; its classes are imported by a star."""
    world = state.world()
    name = f"lab_{next(_numbers)}"
    world.importer.load_source(name, source)
    world.snapshot()
    return Test.from_lines([f"from {name} import *"], prefix, suffixes), name


def outcomes(source, prefix, suffixes, exits="no", brute_force=False, limit=20_000, public=()):
    """All outcomes, whether they are all, and how many executions they took."""
    world = state.world()
    with world.entered():
        test, _name = _loaded(source, prefix, suffixes)
        search = Dfs() if brute_force else None
        found = explore_outcomes(Testbed(test, PLACES), View(frozenset(public), exits), limit=limit, search=search)
    return set(found.outcomes), found.exhausted, found.executions


def observed(source, prefix, suffixes):
    """What `Observer.observe` sees; statements are lines of the source."""
    world = state.world()
    with world.entered():
        test, name = _loaded(source, prefix, suffixes)
        observer = Observer(View(), lambda file: "source" if file == f"<{name}>" else file)
        return observer.observe(test)


def touched(source, prefix, calls):
    """What each call touches alone, and which pairs of them conflict."""
    world = state.world()
    with world.entered():
        every, name = _loaded(source, prefix, [[call] for call in calls])
        observer = Observer(View(), lambda file: "source" if file == f"<{name}>" else file)
        found = [observer.observe_alone(replace(every, suffixes=(suffix,)))[1] for suffix in every.suffixes]
    footprints = [each.footprint for each in found]
    return found, {
        (one, other): footprints_conflict(footprints[one], footprints[other])
        for one in range(len(calls))
        for other in range(one, len(calls))
    }
