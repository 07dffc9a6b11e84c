"""One list of names per choice: what implements them has exactly these."""

import pytest

from plait.cli.main import COMMANDS, main, option_of, read_arguments
from plait.commands.diff.options import diff_options
from plait.explore.capp.partition import Prioritizer
from plait.explore.registry import AIMED, STRATEGIES, make_search
from plait.generate import registry
from plait.model import choices
from plait.subject.changes.impact import Impact


@pytest.mark.parametrize("name", choices.SEARCHES)
def test_every_search_can_be_made(name):
    assert make_search(name, None, 2, 0, None).name


def test_no_search_is_without_a_name():
    assert set(STRATEGIES) <= set(choices.SEARCHES)
    assert set(AIMED) <= set(choices.SEARCHES)
    assert set(choices.SCHEDULES) - {"native", "active"} <= set(STRATEGIES)
    assert set(choices.EXHAUSTIVE) <= set(STRATEGIES)


@pytest.mark.parametrize("name", choices.EXHAUSTIVE)
def test_the_searches_of_a_comparison_come_to_an_end(name):
    from plait.explore.runner import explore

    found = explore(lambda: [lambda: None, lambda: None], make_search(name, None, None, 0, None), max_executions=50)
    assert found.exhausted


def test_every_generator_can_be_made():
    assert tuple(registry._STRATEGIES) == choices.GENERATORS


@pytest.mark.parametrize("name", choices.HEURISTICS)
def test_every_heuristic_can_be_made(name):
    assert Prioritizer(name, Impact(())).name == name


@pytest.mark.parametrize("command", [name for name, each in COMMANDS.items() if "schedule" in each.options])
def test_what_is_offered_is_accepted(command):
    offered = {"explore": choices.SEARCHES, "diff": choices.EXHAUSTIVE}.get(command, choices.SCHEDULES)
    assert option_of(command, "schedule").choices == offered


def test_a_setting_for_check_does_not_disturb_a_comparison(tmp_path):
    (tmp_path / "plait.toml").write_text('schedule = "pos"\n')
    assert diff_options(read_arguments("diff", ["m:C"], tmp_path)).schedule == "dpor"
    assert diff_options(read_arguments("diff", ["m:C", "--schedule", "icb"], tmp_path)).schedule == "icb"


def test_a_comparison_by_samples_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["diff", "m:C", "--schedule", "pos"]) == 2
    assert "invalid choice: 'pos'" in capsys.readouterr().err
