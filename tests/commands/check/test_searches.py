"""How tests are executed: on OS threads as in the paper, or by any of the searches; and by any number of workers."""

from pathlib import Path

import pytest

from plait.commands.check import campaign
from plait.commands.check.command import CheckOptions, check
from plait.errors import UsageError
from plait.subject.name import Subject

HERE = Path(__file__).parent


def test_native(run):
    result = run("Slow", tests=60, order="native")
    finding = next(each for each in result.findings if each.exception == "KeyError")
    assert finding.methods == ["Slow.take"]
    assert finding.schedule is not None
    assert finding.test.as_lines()["suffixes"] == [["x.take()"], ["x.take()"]]
    assert result.stats["tests"] == result.stats["schedules"] <= 60
    assert any("not controlled" in note for note in result.notes)


def test_native_leaves_sound_classes_in_peace(run):
    result = run("LockedCounter", tests=60, order="native")
    assert result.findings == []
    assert result.stats["tests"] == 60
    assert result.stats["method_pairs"] == 3


def test_native_runs_the_code_as_it_is(run):
    assert run("Uncontrolled", tests=20, order="native").stats["tests"] == 20
    with pytest.raises(UsageError, match="somebody controls this"):
        run("Uncontrolled", tests=20)


def test_chunks_change_nothing(run, monkeypatch):
    whole = run("CheckedDict", tests=24)
    monkeypatch.setattr(campaign, "CHUNK_TESTS", 2)
    parted = run("CheckedDict", tests=24)
    assert parted.stats["schedules"] == whole.stats["schedules"]
    assert [each.summary for each in parted.findings] == [each.summary for each in whole.findings] != []


@pytest.mark.parametrize("order", ["random", "active"])
def test_another_search(run, order):
    result = run("CheckedDict", tests=30, order=order)
    assert any(finding.methods == ["CheckedDict.claim"] for finding in result.findings)


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_workers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def told(workers):
        asked = CheckOptions(
            Subject.parse("subjects:ForgottenLock", path=HERE), project=HERE, max_tests=60, workers=workers, seed=3
        )
        result = check(asked)
        shown = [(each.summary, each.test.as_lines(), each.schedule, each.preemptions) for each in result.findings]
        stats = {name: result.stats[name] for name in ("tests", "schedules", "method_pairs_covered")}
        return shown, stats

    assert told(1) == told(2)


@pytest.mark.parametrize("seed", range(3))
def test_methods_that_can_disturb_each_other_meet_first(run, seed):
    """One of 351 pairs is dangerous; twenty tests of CovCon alone would hardly reach it."""
    result = run("Crowded", tests=20, deeper=False, seed=seed)
    assert ["Crowded.give", "Crowded.take_all"] in [finding.methods for finding in result.findings]
    assert result.stats["method_pairs"] == 351
