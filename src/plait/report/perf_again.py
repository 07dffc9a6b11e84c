"""Repeats a measurement without plait: the last part of a generated script, whose first parts it uses."""

# ruff: noqa: PTH100, PTH118, PTH123 - as the other parts of the script, which run inside what is measured

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import subprocess
import tarfile
import tempfile
from typing import TYPE_CHECKING, Any

from plait.judge.performance.statistics import mean, undisturbed
from plait.judge.performance.verdict import Series, verdict, winner
from plait.run.native.machine import HEAVY, cpus
from plait.run.native.pair import SIDES, Job, Pair, Place, SideError

if TYPE_CHECKING:
    from collections.abc import Iterator

MEASUREMENT: dict[str, Any] = {}
"""Replaced in a script: versions, modules, tests and numbers of the measurement that is repeated."""


@contextlib.contextmanager
def version(told: dict[str, Any], folder: str | None) -> Iterator[str]:
    """Yield the folder that a version is imported from: the one given, the user's, or a commit's."""
    if folder is not None or told["commit"] is None:
        yield os.path.abspath(folder if folder is not None else told["folder"])
        return
    with tempfile.TemporaryDirectory(prefix="plait-version-") as tree:
        packed = subprocess.run(
            ["git", "-C", told["folder"], "archive", told["commit"]], stdout=subprocess.PIPE, check=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(tree)  # noqa: S202  # git's own archive of the user's repository
        yield os.path.join(tree, told["inside"])


def _repeat_measurement(places: dict[str, Place], script: str, rounds: int, threads: int) -> dict[str, Series]:
    """Return the times of every test, in fresh processes per round and in turns; says how busy the machine was."""
    found = {name: Series() for name in MEASUREMENT["tests"]}
    chosen = cpus(threads)
    busy: list[float] = []
    for number in range(rounds):
        for name, test in MEASUREMENT["tests"].items():
            job = Job(name, test["source"], threads, test["repeat"], test["repetitions"])
            try:
                with Pair(places, script, hash_seed=number, cpus=chosen) as pair:
                    times = pair.alternate(job, random.Random(number))
                    busy += pair.others
            except SideError as error:
                print(f"{name}: {error.side} version: {error}")
                continue
            found[name].add(*(undisturbed(times[side][MEASUREMENT["scope"]]) for side in SIDES))
        print(f"round {number + 1} of {rounds}", end="\r", flush=True)
    if busy and mean(busy) > HEAVY:
        print(f"the machine is too busy to trust the times: {mean(busy):.1f} others per CPU")
    return found


def measure_again() -> None:
    """Measure again and print each test's speed-up with its interval."""
    parser = argparse.ArgumentParser(description=f"Repeats a measurement of {MEASUREMENT['subject']} without plait.")
    parser.add_argument("--rounds", type=int, default=MEASUREMENT["rounds"], help="fresh pairs of processes")
    parser.add_argument("--threads", type=int, default=MEASUREMENT["threads"])
    parser.add_argument("--old", metavar="DIR", help="folder that the old version is imported from")
    parser.add_argument("--new", metavar="DIR", help="folder that the new version is imported from")
    parser.add_argument("--python", metavar="EXE", help="interpreter for both versions")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    with open(__file__, encoding="utf-8") as file:
        script = file.read()
    with contextlib.ExitStack() as stack:
        places = {}
        for side in SIDES:
            told = MEASUREMENT["versions"][side]
            root = stack.enter_context(version(told, getattr(given, side)))
            python = given.python or told["python"]
            places[side] = Place(
                root, tuple(MEASUREMENT["modules"]), tuple(told["extra"]), python, tuple(MEASUREMENT["allowed"])
            )
        found = _repeat_measurement(places, script, given.rounds, given.threads)
    winners = []
    for name, series in found.items():
        if len(series) < 2:
            winners.append("inconclusive")
            continue
        ratio = series.speedup(MEASUREMENT["confidence"])
        winners.append(winner(series, MEASUREMENT["delta"], MEASUREMENT["confidence"]))
        print(f"{name}: speed-up {ratio.mean:.3f} ({ratio.low:.3f} to {ratio.high:.3f}), winner: {winners[-1]}")
    print(f"verdict at {given.threads} threads: {verdict(winners)}")
