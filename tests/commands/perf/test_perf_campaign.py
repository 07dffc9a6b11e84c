"""Whole comparisons: the verdicts by given times (`recorded_times`), everything else with real ones.

What real times lead to is measured by ``plait bench speedgun``: it depends on the machine.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from plait.cli import main
from plait.commands.perf import command
from plait.commands.perf.command import CURVE, TESTS, PerfOptions, compare_speed, perf_options, run_perf
from plait.commands.perf.measure import MeasureRules
from plait.errors import UsageError
from plait.generate.perf import Limits
from recorded_times import call_by_call, half_the_work, one_lock_round_all, recorded
from result_schema import undescribed

EFFECTS = Path(__file__).parents[3] / "benchmarks" / "speedgun" / "effects"
QUICK = {
    "budget": 90.0, "max_tests": 2, "threads": 4, "curve": (1, 4), "limits": Limits(t_s=0.2),
    "rules": MeasureRules(m_min=3, m_max=6, t_s=0.2, sigma_acceptable=0.5, heavy=1e9),
}  # fmt: skip


def effect(name, **options):
    old, new = EFFECTS / name / "old", EFFECTS / name / "new"
    return PerfOptions(f"{name}:{name.title()}", f"dir:{old}", f"dir:{new}", project=new, **{**QUICK, **options})


def written(tmp_path, old, new):
    """Options for two versions of a class ``Thing`` in ``thing.py``."""
    for side, text in (("old", old), ("new", new)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "thing.py").write_text(text)
    old, new = tmp_path / "old", tmp_path / "new"
    return PerfOptions("thing:Thing", f"dir:{old}", f"dir:{new}", project=new, **QUICK)


@pytest.fixture(scope="module")
def loader(tmp_path_factory):
    with recorded(one_lock_round_all):
        return compare_speed(effect("loader", out=tmp_path_factory.mktemp("out")))


def test_a_lock_round_waiting_is_a_regression_under_contention(loader):
    assert loader.verdict == "regression"
    assert loader.exit_code == 1
    assert loader.nature == "contention"
    assert loader.focus == ["load"]
    assert all(measured.methods[0] == "load" for measured in loader.tests)
    # Four threads that slept side by side sleep one after another.
    assert loader.speedup == pytest.approx(0.25, abs=0.01)


def test_the_curve_tells_one_thread_from_many(loader):
    points = {each.threads: each for each in loader.curve}
    assert points[1].speedup.mean == pytest.approx(1.0, abs=0.01)
    assert points[4].speedup.mean == pytest.approx(0.25, abs=0.01)
    assert points[4].old_rate == pytest.approx(4 * points[1].old_rate, rel=0.01)


def test_the_lock_that_costs_the_time_is_named(loader):
    (lock,) = loader.locks
    assert lock.lock == "self._lock"
    assert lock.old_wait < lock.new_wait  # real ones: the lock is watched, the times of the test are given
    assert lock.old_per_call == pytest.approx(1.0, abs=0.05)
    assert str(lock).startswith("contention on `self._lock`: ")


def test_the_machine_and_the_interpreters_are_reported(loader):
    assert loader.machine["rounds"] >= 3
    assert loader.machine["interpreters"]["old"]["version"] == ".".join(map(str, sys.version_info[:3]))
    assert loader.machine["others_per_cpu"] == 0


def test_a_lock_less_is_an_improvement_that_one_thread_sees_too():
    with recorded(half_the_work):
        found = compare_speed(effect("settings"))
    assert found.verdict == "improvement"
    assert found.exit_code == 0
    assert found.nature == "sequential"
    assert found.speedup == pytest.approx(2.0, abs=0.05)


def test_equal_versions_do_not_differ():
    same = effect("loader", rules=MeasureRules(m_min=4, m_max=8))
    same.new = same.old
    with recorded(call_by_call):
        found = compare_speed(same)
    assert found.verdict == "none"
    assert found.focus == []
    assert found.machine["rounds"] == 4


def test_times_that_vary_too_much_decide_nothing():
    with recorded(call_by_call, noise=1.0):
        found = compare_speed(effect("loader", rules=MeasureRules(m_min=3, m_max=6)))
    assert found.verdict == "inconclusive"
    assert "vary" in found.reason
    assert found.machine["rounds"] == 6


def test_under_heavy_load_nothing_is_concluded():
    with recorded(one_lock_round_all, others=2.0):
        found = compare_speed(effect("loader", rules=MeasureRules(m_min=3, m_max=6)))
    assert found.verdict == "inconclusive"
    assert "too busy" in found.reason
    assert found.exit_code == 3
    assert found.as_result().findings == []
    assert found.machine["measurements"] == 0 < found.machine["measurements_discarded"]


def test_what_was_measured_before_an_interrupt_is_reported():
    with recorded(one_lock_round_all):
        found = compare_speed(effect("loader"), stop=lambda: True)
    assert found.stopped_by == "interrupt"
    assert found.verdict == "inconclusive"


def test_two_interpreters_are_a_comparison_of_one_version():
    options = effect("loader", pythons=(sys.executable, sys.executable))
    options.old = options.new
    with recorded(call_by_call):
        found = compare_speed(options)
    assert found.machine["interpreters"]["old"]["exe"] == sys.executable
    assert found.verdict == "none"


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """With real times, as few as it can be: what they say is the machine's affair, that there are any is plait's."""
    rules = MeasureRules(m_min=2, m_max=2, sigma_acceptable=1e9, heavy=1e9)
    given = {"max_tests": 1, "limits": Limits(t_s=0.05), "rules": rules, "out": tmp_path_factory.mktemp("out")}
    return compare_speed(effect("loader", **given))


@pytest.mark.slow
def test_real_times_are_measured(real):
    (test,) = real.tests
    assert (len(test.whole), len(test.suffix), len(test.means)) == (2, 2, 2)
    # Each call sleeps for half a millisecond, and no load makes a sleep shorter; under a lock, threads sleep in turn.
    calls = test.repeat * min(map(len, test.test.suffixes))
    assert min(test.whole.old) >= 0.0005 * calls * 0.25
    assert min(test.whole.new) >= 4 * 0.0005 * calls * 0.25
    assert real.verdict in ("regression", "none", "inconclusive")
    assert {each.threads for each in real.curve} <= {1, 4}
    assert real.machine["others_per_cpu"] is None or real.machine["others_per_cpu"] >= 0


@pytest.mark.slow
def test_the_script_measures_again_without_plait(real, tmp_path):
    done = subprocess.run(
        [sys.executable, "-I", "-S", real.script, "--rounds", "2"], capture_output=True, text=True, cwd=tmp_path,
        check=True,
    )  # fmt: skip
    assert "verdict at 4 threads: " in done.stdout


CALM = "class Thing:\n    def get(self):\n        return 1\n"
JEALOUS = """
import threading
import time


class Thing:
    def __init__(self):
        self._inside = 0

    def get(self):
        self._inside += 1
        time.sleep(0.001)
        if self._inside > 1:
            raise RuntimeError("not alone")
        self._inside -= 1
"""


def test_a_method_that_fails_with_one_version_is_no_evidence(tmp_path):
    found = compare_speed(written(tmp_path, CALM.replace("return 1", "raise KeyError('k')"), CALM))
    assert (found.verdict, found.exit_code) == ("inconclusive", 3)
    assert found.reason.startswith("no performance test works on both versions: x.get() with the old version: KeyError")
    assert "values = { ... } under [tool.plait]" in found.reason
    assert undescribed(found.as_result().as_json()) == []
    counted = found.as_result().stats["methods"]["get"]
    assert counted["called"] > counted["returned"] == 0


def test_a_method_that_fails_among_threads_gives_no_test(tmp_path):
    found = compare_speed(written(tmp_path, JEALOUS, CALM))
    assert (found.verdict, found.tests) == ("inconclusive", [])
    assert "with the old version: RuntimeError: not alone" in found.reason


def test_a_version_that_cannot_be_imported(tmp_path):
    with pytest.raises(UsageError, match="cannot be measured: RuntimeError: broken"):
        compare_speed(written(tmp_path, "raise RuntimeError('broken')\n" + CALM, CALM))
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(UsageError, match="thing:Thing cannot be imported: RuntimeError: broken"):
        compare_speed(written(other, CALM, "raise RuntimeError('broken')\n" + CALM))


def test_a_version_without_the_class(tmp_path):
    with pytest.raises(UsageError, match="Thing"):
        compare_speed(written(tmp_path, CALM, CALM.replace("Thing", "Another")))


def test_an_interpreter_that_is_not_there(tmp_path):
    options = written(tmp_path, CALM, CALM.replace("1", "2"))
    options.pythons = ("/nowhere/python",)
    with pytest.raises(UsageError, match="there is no program '/nowhere/python'"):
        compare_speed(options)
    broken = tmp_path / "python"
    broken.write_text("no program")
    broken.chmod(0o755)
    options.pythons = (str(broken),)
    with pytest.raises(UsageError, match="cannot be measured: .* cannot be started"):
        compare_speed(options)


# -- the command --------------------------------------------------------------------------------------------------


def namespace(*arguments, **given):
    options = main.read_arguments("perf", ["thing:Thing", *arguments], Path("nowhere"))
    for key, value in given.items():
        setattr(options, key, value)
    return options


def test_options_have_defaults():
    asked = perf_options(namespace())
    assert (asked.budget, asked.threads, asked.max_tests, asked.curve, asked.scope) == (120.0, 8, TESTS, CURVE, "whole")
    assert asked.rules == MeasureRules()


def test_options_are_read():
    asked = perf_options(
        namespace("--python", "a", "--python", "b", "--curve", "8,1", "--delta", "10", "--scope", "suffix")
    )
    assert asked.pythons == ("a", "b")
    assert asked.curve == (1, 8)
    assert asked.rules.delta == pytest.approx(0.1)
    assert asked.scope == "suffix"


@pytest.mark.parametrize(
    "arguments", [("--delta", "much"), ("--delta", "0"), ("--curve", "1,two"), ("--python", "a") * 3]
)
def test_options_that_make_no_sense(arguments):
    with pytest.raises(UsageError, match="--"):
        perf_options(namespace(*arguments))


def test_the_command_writes_the_result(tmp_path, monkeypatch, capsys):
    options = written(tmp_path, CALM.replace("return 1", "return 2"), CALM)
    monkeypatch.chdir(tmp_path)
    given = namespace(
        "--curve", "1", "--quiet", old=options.old, new=options.new, path=options.project, budget=40.0, threads=2,
        max_tests=2, json=tmp_path / "r.json",
    )  # fmt: skip
    with recorded(half_the_work):
        code = run_perf(given)
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["command"] == "perf"
    assert data["stats"]["threads"] == 2
    assert (code, data["verdict"]) == (0, "improvement")
    assert "improvement" in capsys.readouterr().out
    assert Path(data["script"]).exists()


def test_an_error_of_our_own_costs_no_verdict(tmp_path, monkeypatch):
    """Each stage behind the verdict fails in turn: none of them takes it back."""

    def on_purpose(*_args, **_named):
        raise IndexError("on purpose")

    for stage in ("_scale", "_contend", "_note_means"):
        monkeypatch.setattr(command._PerfCampaign, stage, on_purpose)
    monkeypatch.setattr(command, "write_script", on_purpose)
    with recorded(one_lock_round_all):
        found = compare_speed(effect("loader", out=tmp_path))
    assert (found.verdict, found.exit_code) == ("regression", 1)
    notes = [note for note in found.notes if note.startswith("[plait bug]")]
    assert {note.removeprefix("[plait bug] ").partition(":")[0] for note in notes} == {
        "summing up", "measuring other numbers of threads", "watching locks", "writing the script",
    }  # fmt: skip
