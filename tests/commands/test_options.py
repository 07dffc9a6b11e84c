"""What commands are asked for: read from the command line in one place, handed on by name."""

import os
from dataclasses import fields
from pathlib import Path

import pytest

from plait.cli.main import read_arguments
from plait.commands.audit.command import AuditOptions, audit_options
from plait.commands.bisect.command import BisectOptions, bisect_options
from plait.commands.check.options import CheckOptions, check_options
from plait.commands.diff.options import DiffOptions, diff_options
from plait.commands.fix.command import FixOptions
from plait.commands.options import CommandOptions, SearchOptions
from plait.commands.perf.command import PerfOptions, perf_options
from plait.commands.review.command import ReviewOptions, review_options
from plait.subject.name import Subject

SHARED = ["--path", "lib", "--seed", "7", "--max-tests", "9", "--allow", "write"]
SEARCHED = ["--max-schedules", "50", "--workers", "3", "--model", "gil", "--threads", "4"]
COMMANDS = {
    "check": (check_options, ["m:C"]),
    "diff": (diff_options, ["m:C"]),
    "audit": (audit_options, ["m"]),
    "review": (review_options, []),
    "bisect": (bisect_options, ["m:C", "--good", "HEAD"]),
    "perf": (perf_options, ["m:C"]),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_the_shared_words_alike(command, tmp_path, monkeypatch):
    (tmp_path / "lib").mkdir()
    monkeypatch.chdir(tmp_path)
    made, words = COMMANDS[command]
    searches = command != "perf"
    asked = made(read_arguments(command, [*words, *SHARED, *(SEARCHED if searches else [])], tmp_path))
    assert (asked.project, asked.seed, asked.max_tests, asked.allow) == (Path("lib"), 7, 9, ("write",))
    if searches:
        assert (asked.max_schedules, asked.workers, asked.model, asked.threads) == (50, 3, "gil", 4)


@pytest.mark.parametrize(("command", "seconds"), [("review", 180.0), ("audit", 600.0)])
def test_limits_by_steps_take_the_place_of_the_default_clock(command, seconds, tmp_path):
    made, words = COMMANDS[command]
    assert made(read_arguments(command, words, tmp_path)).budget == seconds
    assert made(read_arguments(command, [*words, "--max-tests", "5"], tmp_path)).budget is None
    assert made(read_arguments(command, [*words, "--max-tests", "5", "--budget", "9s"], tmp_path)).budget == 9.0
    assert made(read_arguments(command, words, tmp_path)).workers == os.cpu_count()


def test_what_a_command_hands_on_is_what_both_share():
    asked = ReviewOptions(project=Path("lib"), seed=3, model="gil", max_schedules=8, store=Path("kept"), workers=5)
    to_check = CheckOptions(Subject("m", "C"), **asked.handed_on(CheckOptions, budget=2.0))
    assert (to_check.project, to_check.seed, to_check.model, to_check.store) == (Path("lib"), 3, "gil", Path("kept"))
    assert (to_check.max_schedules, to_check.budget, to_check.workers) == (8, 2.0, 5)
    assert "model" not in asked.handed_on(PerfOptions)  # `perf` has none
    assert PerfOptions("m:C", **asked.handed_on(PerfOptions, budget=1.0, max_tests=2)).seed == 3


def test_no_command_writes_a_shared_field_again_but_for_its_default():
    every = (CheckOptions, DiffOptions, ReviewOptions, AuditOptions, BisectOptions, FixOptions, PerfOptions)
    assert all(issubclass(each, CommandOptions) for each in every)
    shared = {each.name: each.default for each in fields(SearchOptions)}
    for kind in every:
        again = set(kind.__annotations__) & set(shared)
        own = {each.name: each.default for each in fields(kind)}
        assert [name for name in again if own[name] == shared[name]] == [], kind


def test_what_no_result_depends_on_is_no_part_of_its_key():
    one = CheckOptions(Subject("m", "C"), seed=1, workers=2, project=Path("a"), store=Path("b"))
    other = CheckOptions(Subject("m", "C"), seed=1, workers=9, project=Path("c"), fresh=True)
    assert one.as_key() == other.as_key()
    assert one.as_key() != CheckOptions(Subject("m", "C"), seed=2).as_key()
    assert DiffOptions(Subject("m", "C"), "a").as_key() != DiffOptions(Subject("m", "C"), "b").as_key()
