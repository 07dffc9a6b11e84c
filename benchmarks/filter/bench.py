"""The filter of `plait diff` against brute force: of the tests that it discards, none may differ.

Random pairs of versions (`programs`) are observed one call after another, as `plait diff` does; then every test that is
discarded is explored to the end on both versions, in both models, and so are some that are kept. There are two ways to
be discarded: calls that touch nothing together (footprints of single calls), and tests that are proven to have no
interleaving but the orders of whole calls.
"""

import itertools
from collections import Counter
from collections.abc import Callable

from benchmarks.filter.programs import make_pair
from plait.explore.dfs import Dfs
from plait.judge.difference.behaviour import explore_outcomes, passing_difference
from plait.judge.difference.outcome import View
from plait.judge.difference.sequential import same
from plait.judge.difference.serial import Observer
from plait.model.test import Test
from plait.observe.footprint import footprints_conflict
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed
from plait.workers import state
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec

RUNS = 2500  # pairs of versions
BATCH = 10
FRESH = 40  # pairs after which processes are new: the state of all modules they have loaded is put back each time
LIMIT = 3000  # executions of one version of one test
KEPT = 16  # one of this many tests that are kept is explored: random versions do differ
KEPT_LIMIT = 300  # executions of that
BRUTE = 10  # one of this many tests that are discarded is explored depth-first, too
BRUTE_LIMIT = 400  # executions of that
APART, SERIAL = "cannot meet", "serializable"  # why a test is discarded
_numbers = itertools.count()


def run(runs: int = RUNS, progress: Callable[[str], None] = lambda _line: None):
    """Examine pairs of versions 1 to ``runs``, every fourth of them with three threads."""
    total, wrong = _examined(runs, progress)
    rows = []
    for reason in (APART, SERIAL):
        found = [each for each in wrong if each["reason"] == reason]
        rows.append({"subject": reason, "discarded": total[reason], "different": len(found), "examples": found[:5]})
    summary = {
        "pairs_of_versions": runs, "tests": total["tests"], "discarded": sum(row["discarded"] for row in rows),
        "different_among_discarded": len(wrong), "kept": total["kept"], "kept_and_explored": total["kept and explored"],
        "different_among_these": total["different"], "not_exhausted": total["unfinished"],
        "explored_depth_first_too": total["brute"],
    }  # fmt: skip
    return {"rows": rows, "summary": summary}


def _examined(runs, progress):
    total: Counter[str] = Counter()
    wrong: list[dict] = []
    for first in range(1, runs + 1, FRESH):
        seeds = range(first, min(first + FRESH, runs + 1))
        with Workers(WorkerSpec(), count=2) as workers:
            batches = [tuple(seeds[start : start + BATCH]) for start in range(0, len(seeds), BATCH)]
            asked = [workers.submit(examine, batch, timeout=1200) for batch in batches]
            for each in asked:
                counted, found = each.result().value
                total.update(counted)
                wrong += found
        progress(f"{seeds[-1]} pairs: {total[APART] + total[SERIAL]} discarded, {len(wrong)} of them different")
    return total, wrong


def examine(seeds, limit=LIMIT):
    """In a worker: what became of the tests of these pairs, and discarded tests that differ all the same."""
    counted: Counter[str] = Counter()
    wrong = []
    for seed in seeds:
        threads = 3 if seed % 4 == 0 else 2
        pair = make_pair(seed, threads=threads)
        world = state.world()
        with world.entered():
            names = []
            for source in (pair.old, pair.new):
                names.append(f"pair_{next(_numbers)}")
                world.importer.load_source(names[-1], source)
            world.snapshot()
            for prefix, suffixes in pair.tests:
                tests = [_test(name, prefix, suffixes) for name in names]
                reason = discarded(tests)
                if reason == "unusable":
                    continue
                counted["tests"] += 1
                counted[reason or "kept"] += 1
                if reason is None and counted["kept"] % KEPT:
                    continue
                counted["kept and explored"] += reason is None
                verdict = _explored(tests, KEPT_LIMIT if reason is None else limit)
                if reason is not None and not sum(counted[each] for each in (APART, SERIAL)) % BRUTE:
                    verdict = verdict or _brute_force(tests)
                    counted["brute"] += 1
                if verdict is None:
                    counted["unfinished"] += 1
                elif verdict and reason is None:
                    counted["different"] += 1
                elif verdict:
                    wrong.append({"reason": reason, "seed": seed, "test": [*prefix, "|", *suffixes], "what": verdict})
    return dict(counted), wrong


def _test(name, prefix, suffixes):
    return Test.from_lines([f"from {name} import Subject"], ["x = Subject()", *prefix], [[call] for call in suffixes])


def discarded(tests):
    """Why the filter discards a test, given on both versions; None if it keeps it."""
    observers = [Observer(View(), str) for _ in tests]
    alone = []
    for observer, test in zip(observers, tests, strict=True):
        single = [Test(test.imports, test.prefix, (suffix,)) for suffix in test.suffixes]
        alone.append([observer.observe_alone(each) for each in single])
    if any(seen.beginning.failed for side in alone for seen, _touched in side):
        return "unusable"
    if not all(same(old, new) for (old, _), (new, _) in zip(*alone, strict=True)):
        return "unusable"
    if not any(
        footprints_conflict(one[1].footprint, other[1].footprint)
        for side in alone
        for one, other in itertools.combinations(side, 2)
    ):
        return APART
    old, new = (observer.observe(test) for observer, test in zip(observers, tests, strict=True))
    return SERIAL if old.serializable and new.serializable and same(old, new) else None


def _explored(tests, limit):
    """How two versions of a test differ, "" if they do not; None if that took more than ``limit`` executions."""
    for gil in (False, True):
        old, new = (_outcomes(test, limit, gil, "no") for test in tests)
        if not (old.exhausted and new.exhausted):
            return None
        if set(old.outcomes) != set(new.outcomes):
            return f"outcomes, gil={gil}: {set(old.outcomes) ^ set(new.outcomes)}"
    old, new = (_outcomes(test, limit, False, "after") for test in tests)
    if not (old.exhausted and new.exhausted):
        return None
    return "in passing" if passing_difference(old, new) else ""


def _brute_force(tests):
    """Whether depth-first search, as far as it comes, finds outcomes that the other version does not have."""
    for test, other in (tests, tests[::-1]):
        found = _outcomes(test, BRUTE_LIMIT, False, "no", Dfs())
        known = _outcomes(other, LIMIT, False, "no")
        if known.exhausted and not set(found.outcomes) <= set(known.outcomes):
            return "depth-first search has other outcomes"
    return ""


def _outcomes(test, limit, gil, exits, search=None):
    ENGINE.gil = gil
    try:
        return explore_outcomes(Testbed(test, PLACES), View(exits=exits), limit=limit, search=search)
    finally:
        ENGINE.gil = False


def show(result):
    """The table as text."""
    lines = [f"{'discarded because':20} {'tests':>9} {'different':>10}"]
    lines += [f"{row['subject']:20} {row['discarded']:>9,} {row['different']:>10,}" for row in result["rows"]]
    facts = [f"{name.replace('_', ' ')}: {value:,}" for name, value in result["summary"].items()]
    return "\n".join([*lines, "", *facts])
