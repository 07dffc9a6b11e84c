"""What is found in small classes, how it is told, and that sound ones are left in peace."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from in_process import plait
from plait.judge.oracle.rules import Rules
from plait.report.finding_text import finding_lines
from plait.report.layout import Layout, as_text
from plait.report.reproducer import reproducer_text, write_reproducer

HERE = Path(__file__).parent


def only(result):
    assert len(result.findings) == 1, [finding.summary for finding in result.findings]
    return result.findings[0]


def test_a_lost_update_is_told_as_such(run):
    result = run("Counter", tests=20)
    lost = next(finding for finding in result.findings if finding.methods == ["Counter.inc"])
    assert lost.summary == (
        "Counter: two concurrent calls of `inc` can lose an update: afterwards `x.value` is 1 instead of 2"
    )
    assert lost.kind == "wrong-result"
    assert lost.preemptions == 1
    assert lost.confirmed_on_threads is True
    assert lost.reachable == {"gil": False, "free-threaded": True}
    assert lost.test.as_lines() == {"prefix": ["x = Counter()"], "suffixes": [["x.inc()"], ["x.inc()"]]}


def told(finding):
    return as_text(finding_lines(finding, Layout(unwrapped=True))).splitlines()


def test_a_method_is_shown_rather_than_one_that_calls_it(run):
    finding = only(run("Wrapped", tests=30))
    assert (finding.methods, finding.through, finding.siblings) == (["Wrapped.put"], [], [["Wrapped.append"]])
    assert "  The same shows in tests of `append`." in told(finding)


def test_methods_that_race_in_the_same_helpers_are_two_faults(run):
    less, more = sorted(run("Shared", tests=60).findings, key=lambda finding: finding.methods)
    assert (less.methods, less.gap.function) == (["Shared.less"], "Shared.less")
    assert (more.methods, more.gap.function) == (["Shared.more"], "Shared.more")
    assert less.race[0].function == more.race[0].function == "Shared._write"


def test_the_gap_is_in_the_method_that_calls_the_locked_ones(run):
    finding = only(run("Table", tests=60))
    lines = (HERE / "subjects.py").read_text().splitlines()
    first = 1 + lines.index("        amount = self.get(key)")
    assert finding.methods == ["Table.more"]
    assert finding.gap.as_json() == {
        "thread": 1, "file": "subjects.py", "function": "Table.more", "line": first, "end": first + 1
    }  # fmt: skip
    lines = f"lines {first} and {first + 1} of subjects.py, in `Table.more`"
    under = "must run under `Table._lock` as a whole: each access takes it for itself"
    assert f"  Not atomic: {lines}, {under} (thread 1 is interrupted there)." in told(finding)
    assert {step.access.split("[")[0] for step in finding.race} == {"read Table._amounts", "insert Table._amounts"}


def test_what_a_table_holds_is_looked_up_with_the_keys_of_the_test(run):
    finding = only(run("Table", tests=60))
    assert finding.summary.startswith("Table: two concurrent calls of `more` can lose an update: afterwards `x.get(")
    assert len(finding.test.calls) == 2
    key = finding.test.calls[0].args[0]
    assert f"x.get({key})" in reproducer_text(finding, "subjects:Table", None, ["x.get(...)"])


def test_a_locked_counter_is_silent(run):
    result = run("LockedCounter", tests=40)
    assert result.verdict == "none"
    assert result.findings == []
    assert result.stats["method_pairs_covered"] == result.stats["method_pairs"] > 0


def test_the_missing_lock_is_named(run):
    result = run("ForgottenLock", tests=120)
    finding = next(
        each for each in result.findings if each.exception == "KeyError" and "ForgottenLock.clear" in each.methods
    )
    line = 1 + (HERE / "subjects.py").read_text().splitlines().index("        if key in self._items:")
    where = f"lines {line} and {line + 1} of subjects.py, in `ForgottenLock.take`"
    said = f"  Not atomic: {where}, must run under `ForgottenLock._lock`, as the other access does"
    assert any(each.startswith(said) for each in told(finding))
    assert finding.race is not None
    for each in result.findings:
        assert each.guard is not None
        assert (each.guard.field, each.guard.lock) == ("ForgottenLock._items", "ForgottenLock._lock")
        assert any(place.endswith((f"subjects.py:{line}", f":{line + 1}")) for place in each.guard.unguarded)


def test_two_objects_that_lock_each_other(run):
    finding = next(each for each in run("Transfer", tests=80).findings if each.kind == "deadlock")
    assert finding.methods == ["Transfer.move"]
    assert len(finding.waiting) == 2
    for thread, line in enumerate(finding.waiting, 1):
        assert line.startswith(f"thread {thread} holds Transfer._lock (since subjects.py:")
        assert line.endswith(f", which thread {3 - thread} holds")


def test_a_call_that_waits_for_itself(run):
    finding = only(run("OwnLock", tests=20))
    assert finding.summary == "OwnLock: `x.outer()` waits for ever for a lock that it holds itself"
    assert finding.preemptions == 0


@pytest.mark.parametrize(("subject", "method"), [("JoinsUnderLock", "stop"), ("ShutsDownUnderLock", "close")])
def test_a_call_that_waits_for_a_thread_which_waits_for_its_lock(run, subject, method):
    """One order of whole calls is stuck in the same way, and yet it is a fault."""
    finding = only(run(subject, tests=10))
    text = f"`x.{method}()` can wait for ever for a thread of the class that waits for a lock which it holds"
    assert finding.summary == f"{subject}: {text}"
    assert finding.methods == [f"{subject}.{method}"]
    assert finding.reachable["gil"]
    assert any("the end of thread" in line for line in finding.waiting)


@pytest.mark.parametrize(
    "subject", ["JoinsOutside", "ShutsDownOutside", "WaitsForInput", "HandsLockOut", "SignalsByLock"]
)
def test_calls_that_wait_for_threads_and_signals(run, subject):
    assert run(subject, tests=10).findings == []


def test_a_call_that_keeps_the_lock_when_it_raises(run):
    finding = only(run("KeepsLockOnError", tests=20))
    assert "when it raises" in finding.summary
    assert "KeepsLockOnError.put_all" in finding.methods
    assert run("ReleasesOnError", tests=20).findings == []


def test_two_objects_where_one_was_expected(run):
    finding = only(run("Once", tests=10))
    assert "different objects" in finding.summary
    assert finding.methods == ["Once.part"]


def test_a_fault_that_needs_three_methods(run):
    found = [each for each in run("ThreeSteps", tests=330).findings if each.exception == "IndexError"]
    assert found
    assert set(found[0].methods) == {"ThreeSteps.last", "ThreeSteps.empty", "ThreeSteps.trim"}


def test_results_that_differ_by_themselves_are_named_and_not_compared(run):
    result = run("Dice", tests=30)
    assert result.findings == []
    assert any("roll" in note and "differ from run to run" in note for note in result.notes)


def test_an_invariant_is_checked_after_every_execution(run):
    rules = Rules(invariant="x.left == x.right")
    finding = next(each for each in run("Pair", tests=40, rules=rules).findings if "invariant" in each.summary)
    assert finding.kind == "wrong-result"


def test_a_method_whose_results_the_user_excuses(run):
    kinds = {each.summary for each in run("Once", tests=10, rules=Rules(nondeterministic=("part",))).findings}
    assert kinds == set()


def test_entering_and_leaving_are_two_calls(run):
    assert run("Gate", tests=60).findings == []


def test_check_then_act_in_a_dict(run):
    summaries = [each.summary for each in run("CheckedDict", tests=150).findings]
    assert any("`claim`" in each for each in summaries), summaries


def test_no_call_and_no_preemption_can_be_dropped(run):
    """Minimality: each finding of these classes is at a local minimum by construction of its class."""
    for name, tests in (("Counter", 20), ("Transfer", 80), ("ThreeSteps", 330)):
        for finding in run(name, tests=tests).findings:
            assert finding.preemptions <= 1
            assert all(len(suffix) <= 2 for suffix in finding.test.suffixes)


def test_the_same_limits_give_the_same_findings_whatever_the_workers(run):
    def told(**options):
        result = run("ForgottenLock", tests=40, again=True, **options)
        return [(each.summary, each.test.as_lines(), each.schedule.token) for each in result.findings], result.stats[
            "tests"
        ]

    assert told() == told()


def test_a_gil_model_searches_only_what_the_gil_allows(run):
    assert run("Counter", tests=20, model="gil").findings == []


@pytest.mark.slow
def test_reproducers_fail_on_the_fault_and_pass_without_it(run, tmp_path):
    result = run("Counter", tests=20)
    folder = tmp_path / "out"
    for finding in result.findings:
        file = write_reproducer(finding, result.subject, folder, HERE, result.more["probes"], result.more["rules"])
        failing = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert failing.returncode == 1, failing.stdout + failing.stderr
        assert "lose an update" in failing.stdout or "at the same time" in failing.stdout
        sound = folder / f"sound_{file.name}"
        sound.write_text(file.read_text().replace("Counter", "LockedCounter"))
        passing = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(sound)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert passing.returncode == 0, passing.stdout + passing.stderr


def test_the_result_is_plain_data(run):
    data = json.loads(json.dumps(run("Counter", tests=20).as_json()))
    finding = data["findings"][0]
    for field in (
        "kind",
        "summary",
        "methods",
        "test",
        "preemptions",
        "schedule",
        "interleaving",
        "reachable",
        "confirmed_on_threads",
    ):
        assert field in finding
    free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    assert ("seen_in_parallel" in finding) == free_threaded, "builds with a GIL claim nothing"
    if free_threaded:
        tried = finding["seen_in_parallel"]
        assert tried["tries"] > 0, tried
        assert "free-threaded" in tried["build"]
    for field in (
        "tests",
        "schedules",
        "executions_per_s",
        "method_pairs",
        "method_pairs_covered",
        "iroots_discovered",
        "iroots_exposed",
        "profiles",
        "active_tests",
    ):
        assert field in data["stats"]
    assert {"methods", "tried", "covered"} == set(data["pairs"][0])
    covered = [count for _seconds, count in data["coverage_over_time"]]
    assert covered
    assert covered == sorted(covered)
    assert covered[-1] == data["stats"]["method_pairs_covered"]


def test_what_a_class_inherits_from_the_standard_library_is_seen_from_the_first_test_on(run):
    result = run("Inherited", tests=40)
    assert result.stats["method_pairs_covered"] > 20
    assert result.findings


def test_a_call_that_exits_raises_and_ends_nothing_else(run):
    result = run("Exiting", tests=30)
    assert result.stats["tests"] == 30
    assert {tuple(finding.methods) for finding in result.findings} == {("Exiting.run",)}


def test_a_set_up_that_fails_later_is_noted_and_claims_nothing(run):
    result = run("Worn", tests=60)
    assert any("did not do the same again" in note for note in result.notes)


def test_a_method_that_polls_for_ever_alone_is_one_that_waits(run):
    result = run("Poller", tests=30)
    assert result.findings == []
    assert not any("left out" in note for note in result.notes)
    assert result.stats["method_pairs_covered"] > 0


def test_the_one_call_that_waits_is_named(run):
    finding = next(each for each in run("Emptied", tests=80).findings if each.kind == "deadlock")
    assert finding.summary.startswith("Emptied: with ")
    assert finding.summary.endswith("at the same time, `x.drain()` can wait for ever")


def test_what_a_call_does_while_it_waits_for_others_is_no_fault(run):
    assert run("Staffed", tests=60).findings == []


def test_threads_of_the_constructor_do_not_shift_those_of_the_test(run):
    result = run("WithWorker", tests=60)
    found = {(each.kind, tuple(each.methods)) for each in result.findings}
    assert {("wrong-result", ("WithWorker.inc",)), ("deadlock", ("WithWorker.both",))} <= found
    assert {("inc", "inc"), ("inc", "nested")} <= {
        tuple(row["methods"]) for row in result.more["pairs"] if row["covered"]
    }  # fmt: skip


def test_a_look_at_a_broken_structure_has_an_end(run):
    """The call that shows the final state goes round for ever."""
    result = run("Ring", tests=5)
    summary = "Ring: after two calls of `use` at the same time, `x.names()` does not end instead of ['a', 'b']"
    assert summary in [finding.summary for finding in result.findings]
    assert not result.more.get("lost")


def test_a_class_that_its_package_hands_on_is_read_where_it_stands(tmp_path):
    """Its module says what it claims, and promises; and its file can be named although the package imports it."""
    package = tmp_path / "store"
    package.mkdir()
    (package / "__init__.py").write_text("from .stock import Stock\n")
    (package / "parts.py").write_text("START = 0\n")
    (package / "stock.py").write_text(
        '"""Stock that web workers share."""\nimport threading\nfrom .parts import START\n\n\nclass Stock:\n'
        '    """Thread-safe.\n\n    Thread safety: atomic\n    """\n\n    def __init__(self):\n'
        "        self.value = START\n\n    def put(self):\n        self.value = self.value + 1\n"
    )
    for name in ("store:Stock", "store/stock.py:Stock", "store/__init__.py:Stock"):
        done = plait(tmp_path, "check", name, "--max-tests", 6, "--workers", 1, "--json", "r.json", "--quiet")
        assert done.returncode == 1, done.stderr
        assert "does not claim" not in done.stdout
        data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
        assert data["contract"]["source"] == "docstring", name
