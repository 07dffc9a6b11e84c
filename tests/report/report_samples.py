"""Results of every command, written down: what the reports are made from in tests."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from plait import __version__
from plait.judge.performance.result import Comparison, Contention, Measured
from plait.judge.performance.verdict import Series, point
from plait.model.finding import AccessStep, Effect, Finding, Guard
from plait.model.result import Result
from plait.model.schedule import Schedule, Segment
from plait.model.test import Call, Test
from plait.report import check_text, diff_text, explore_text, perf
from plait.report.layout import Layout, fitted
from plait.report.sources import sources, steps_of_finding

DEMO = Path(__file__).parents[2] / "benchmarks" / "demo"
NASTY = "</script><script>window.harmed=1</script><img src=x onerror=window.harmed=1> \" ' & \x00 \ud800 `"


def shape(value):
    """The fields of a result and the types of their values; of a list its first element stands for all."""
    if isinstance(value, dict):
        # which layers confine code is a matter of the machine, and of what ran before in this process
        return {name: "dict" if name == "confinement" else shape(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [shape(value[0])] if value else []
    return type(value).__name__


def without_version(text):
    """The number of this plait changes with every release."""
    return text.replace(__version__, "N")


def row(thread, line, code, access, value=None, *, file="account.py", locks=(), **more):
    found = {"thread": thread, "file": file, "line": line, "function": "Account.withdraw", "code": code}
    found["access"] = access
    if value is not None:
        found["value"] = value
    if locks:
        found["locks"] = list(locks)
    return AccessStep.from_json({**found, **more})


LOCK = ("Account._lock",)
CHECKED = row(1, 27, "if self.balance >= amount:", "read Account.balance", "8")
WRITTEN = row(2, 29, "self.balance = self.balance - amount", "write Account.balance", "0", locks=LOCK)
STEPS = [
    CHECKED,
    row(1, 28, "with self._lock:", "read Account._lock", "<RLock>", changed=True),
    row(2, 27, "if self.balance >= amount:", "read Account.balance", "8"),
    row(2, 28, "with self._lock:", "acquire Account._lock", changed=True),
    row(2, 29, "self.balance = self.balance - amount", "read Account.balance", "8", locks=LOCK),
    WRITTEN,
    row(2, 28, "with self._lock:", "release Account._lock", locks=LOCK, changed=True),
    row(1, 28, "with self._lock:", "acquire Account._lock", changed=True),
    row(1, 29, "self.balance = self.balance - amount", "read Account.balance", "0", locks=LOCK),
    row(1, 29, "self.balance = self.balance - amount", "write Account.balance", "-8", locks=LOCK),
    row(1, 28, "with self._lock:", "release Account._lock", locks=LOCK, changed=True),
]
TEST = Test.from_lines(
    ["from account import Account"], ["x = Account()", "x.deposit(8)"], [["x.withdraw(8)"], ["x.withdraw(8)"]]
)
UNTIL = ("account", "Account.withdraw", "sync", "with self._lock:", 0)
SCHEDULE = Schedule((Segment(1, UNTIL), Segment(2), Segment(1)))
GUARD = Guard("Account.balance", "Account._lock", ("account.py:27",), 2)


def _finding(kind, summary, **more):
    given = {
        "test": TEST, "preemptions": 1, "schedule": SCHEDULE, "interleaving": STEPS, "race": [CHECKED, WRITTEN],
        "reachable": {"gil": True, "free-threaded": True}, "confirmed_on_threads": True, "guard": GUARD, **more,
    }  # fmt: skip
    return Finding(kind, summary, ["Account.withdraw"], **given)


def checked(found=True):
    finding = _finding(
        "wrong-result", "Account: two concurrent calls of `withdraw` can leave `x.balance` -8 instead of 0",
        expected=["returns None"], detail="no order of whole calls gives these results",
        reproducer="plait-out/test_account_withdraw_wrong_result.py", occurrences=3,
    )  # fmt: skip
    pairs = [
        {"methods": ["deposit", "deposit"], "tried": 4, "covered": 3},
        {"methods": ["deposit", "withdraw"], "tried": 2, "covered": 0},
        {"methods": ["withdraw", "withdraw"], "tried": 0, "covered": 0},
    ]
    stats = {"tests": 40, "schedules": 912, "executions_per_s": 310.5, "method_pairs": 3, "method_pairs_covered": 1,
             "tests_exhausted": 38}  # fmt: skip
    findings = [finding] if found else []
    return Result(
        "check", "account:Account", "violation" if found else "none", {"at": "worktree"}, findings=findings,
        stats=stats, elapsed_s=3.2, stopped_by="finding" if found else "budget",
        notes=["1 test is left out: it needs a file"],
        more={"pairs": pairs, "coverage_over_time": [(0.5, 0), (1.2, 1), (3.1, 1)],
              "sources": sources(steps_of_finding(findings), DEMO / "new")},
    )  # fmt: skip


def _outcome(balance):
    calls = {f"{number}: x.withdraw(8)": "returns None" for number in (1, 2)}
    return {"calls": calls, "status": "finished", "state": {"balance": str(balance)}}


_COUNTS = {"changed_methods": 2, "changed_pairs": 3, "tests_generated": 3, "tests_filtered": 1, "checks": 2,
           "schedules": 183}  # fmt: skip


def compared(verdict="difference"):
    findings, more = [], {"sequential": []}
    if verdict == "difference":
        finding = _finding(
            "difference", "Account: after the change `withdraw` can leave balance -8 (before: 0), when two calls of "
            "`withdraw` run at the same time", only_old=[], only_new=[_outcome(-8)],
            effect=Effect("`withdraw`", "leave balance -8", "before: 0"),
            detail="changed lines on the way: account.py:28",
            reproducer="plait-out/test_account_withdraw_difference.py",
        )  # fmt: skip
        findings = [finding]
        more["outcomes"] = {"old": [_outcome(0)], "new": [_outcome(-8), _outcome(0)]}
        more["outcomes_complete"] = {"old": True, "new": True}
        changed = {"account.py": {20, 28}}
        more["sources"] = sources(steps_of_finding(findings), DEMO / "new", before=DEMO / "old", changed=changed)
    if verdict == "sequential-difference":
        test = {"prefix": ["x = Account()"], "suffixes": [["x.withdraw(8)"]]}
        differs = {"test": test, "call": "x.withdraw(8)", "old": "returns None", "new": "raises ValueError"}
        more["sequential"] = [differs]
    return Result(
        "diff", "account:Account", verdict, {"old": "HEAD (0123456789)", "new": "worktree"}, findings=findings,
        stats=_COUNTS, elapsed_s=2.7, stopped_by="finding" if findings else "exhausted",
        notes=["only the new version has audit"], more=more,
    )  # fmt: skip


WOBBLE = (0.0, 0.01, -0.01, 0.005, -0.005, 0.0)


def series(old, new):
    return Series([old * (1 + each) for each in WOBBLE], [new * (1 - each) for each in WOBBLE])


def measured(name, ratio, *methods, winner="none", reason=None):
    calls = tuple(Call(method, "{receiver}." + method + "({args})", "x", ("'a'",)) for method in methods)
    test = Test(("from cache import Cache",), (Call("Cache", "Cache()", result="x"),), (calls, calls))
    found = Measured(name, test, "SUFFIXES = []\n", 10, 100, 20, 0.01, reason=reason, winner=winner)
    if reason is None:
        found.whole, found.suffix = series(0.01, 0.01 * ratio), series(0.008, 0.008 * ratio)
    else:
        found.usable = False
    return found


def comparison(verdict="regression"):
    """Two versions of a cache, measured."""
    made = Comparison("cache:Cache", "HEAD (0123456789)", "worktree", verdict=verdict, nature="contention")
    winner, first, second, after = {
        "improvement": ("new", 0.5, 0.6, 1e-7), "none": ("none", 1.01, 0.99, 2e-7),
    }.get(verdict, ("old", 2.0, 1.5, 1e-6))  # fmt: skip
    made.tests = [
        measured("test 1", first, "load", "get", winner=winner),
        measured("test 2", second, "load", winner=winner),
        measured("test 3", 1.01, "get"),
        measured("test 4", 1.0, "put", reason="exception with the old version: KeyError: 'a'", winner="inconclusive"),
    ]
    made.curve = [point(1, series(1e-6, 1.0e-6)), point(8, series(2e-7, after))]
    made.locks = [Contention("self._lock", 0.03, 0.41, 1.0, 1.0), Contention("self._other", 0.0, 0.0, 0.0, 1.0)]
    interpreter = {"implementation": "CPython", "version": "3.11.7", "gil": True}
    made.machine = {"interpreters": {"old": interpreter, "new": interpreter}}
    made.notes = ["1 of 4 tests is <odd>"]
    made.elapsed_s = 61.0
    made.script = "plait-out/perf_cache_cache.py"
    return made


def unclear():
    """A comparison on a machine that others kept busy."""
    made = comparison("inconclusive")
    made.tests = [measured("test 1", 1.0, "load", reason="only 2 of 6 rounds fit into the budget")]
    made.tests[0].winner = "inconclusive"
    made.reason = "the machine is too busy: on average 3.1 other processes wanted its 2 CPUs"
    made.curve, made.locks, made.nature = [], [], None
    return made


def unusable():
    """A check in which nothing could be run."""
    result = checked(found=False)
    result.stats = dict.fromkeys(result.stats, 0)
    result.notes = ["no object could be made: Account.__init__ needs `bank`, for which there is no value"]
    result.more = {"pairs": [], "coverage_over_time": [], "sources": {}}
    return result


_COMMITS = [
    {"name": f"{number}" * 40, "subject": subject, "author": "Ada", "date": f"2026-01-0{number}T10:00:00+00:00"}
    for number, subject in enumerate(("A bank", "Withdraw without waiting", "Broken", "Names"), 1)
]


def bisected(verdict="found"):
    """What `plait bisect` ends with."""
    versions = {"good": "v1.0 (1111111111)", "bad": "HEAD (4444444444)"}
    result = Result("bisect", "account:Account", verdict, versions, elapsed_s=21.0, stopped_by="finding")
    result.stats = {"commits": 3, "commits_tried": 0, "commits_skipped": 0}
    if verdict == "inconclusive":
        result.notes = ["behaviour does not differ, and speed cannot be told: the machine is too busy"]
    if verdict not in ("found", "ambiguous"):
        return result
    found, broken = verdict == "found", {**_COMMITS[2], "answer": "?", "why": "account cannot be imported"}
    result.findings = compared().findings if found else comparison().as_result().findings
    result.more = {
        "kind": "behaviour" if found else "speed", "commit": _COMMITS[1] if found else None,
        "suspects": [_COMMITS[1]] if found else _COMMITS[1:3],
        "log": [broken, {**_COMMITS[1], "answer": "bad", "why": ""}],
    }  # fmt: skip
    result.stats |= {"commits_tried": 2, "commits_skipped": 1}
    return result


def explored(failed=True):
    finding = Finding(
        "exception", "raises AssertionError in thread 1", ["test_two"], exception="AssertionError", preemptions=1,
        schedule=SCHEDULE, interleaving=STEPS, reachable={"gil": False, "free-threaded": True},
        confirmed_on_threads=True, detail="assert -8 >= 0", node="tests/test_account.py::test_two",
    )  # fmt: skip
    stats = {"tests": 2, "schedules": 41, "transitions": 530, "impacted_points": 7, "preemption_bound": 2,
             "exhausted": not failed, "search": "delay", "threads": 2}  # fmt: skip
    versions = {"old": "HEAD (0123456789)", "new": "worktree"}
    text = 'raises AssertionError (with 1 preemption)\nReplay it: give explore the argument replay="eNq="'
    told = {
        "head": "raises AssertionError (with 1 preemption)", "details": [], "rows": [], "names": {}, "ends": {},
        "facts": ["Found after 41 executions (delay, 0.10 s)"], "token": "eNq=",
    }  # fmt: skip
    return Result(
        "explore", "tests/test_account.py", "failure" if failed else "pass", versions, stats=stats, elapsed_s=1.4,
        findings=[finding] if failed else [], stopped_by="finding" if failed else "exhausted",
        notes=["test_three starts no thread"], stories=[told] * failed,
        more={"stories": [text] * failed, "failed": ["tests/test_account.py::test_two"] * failed},
    )  # fmt: skip


def harmful():
    """A result in which everything that may come from the code under test looks like markup."""
    bad = row(1, 27, NASTY, f"read Account.{NASTY}", NASTY, file=f"{NASTY}.py", locks=(NASTY,))
    finding = _finding(
        "exception", NASTY, exception=NASTY, interleaving=[bad, replace(bad, thread=2)], race=[bad, bad],
        test=Test((), (Call("f", NASTY.replace("{", "")),), ((Call("f", NASTY),), (Call("f", NASTY),))),
        guard=Guard(NASTY, NASTY, (NASTY,), 1), detail=NASTY, expected=[NASTY],
        waiting=[NASTY], reproducer=NASTY,
    )  # fmt: skip
    result = checked()
    result.findings, result.notes, result.subject = [finding], [NASTY], NASTY
    result.more["pairs"] = [{"methods": [NASTY, NASTY], "tried": 1, "covered": 1}]
    result.more["sources"] = {f"{NASTY}.py": {"lines": {"27": NASTY}, "removed": {"27": [NASTY]}}}
    odd = {"calls": {f"1: {NASTY}": NASTY}, "status": "", "state": {NASTY: NASTY}}
    result.more["outcomes"] = {"old": [_outcome(0)], "new": [odd]}
    result.stats[NASTY] = NASTY
    return result


def spoken():
    """Every command and verdict: the result, the text for the terminal, and the sentences on what was done."""
    found = {}
    checks = {"violation": checked(), "none": checked(found=False), "nothing": unusable()}
    for name, result in ((f"check/{verdict}", result) for verdict, result in checks.items()):
        found[name] = (result, check_text.check_text(result), check_text.check_statement(result))
    for verdict in ("difference", "sequential-difference", "none"):
        result = compared(verdict)
        found[f"diff/{verdict}"] = (result, diff_text.diff_text(result), diff_text.diff_statement(result))
    for verdict in ("regression", "improvement", "none", "inconclusive"):
        measurement = unclear() if verdict == "inconclusive" else comparison(verdict)
        found[f"perf/{verdict}"] = (
            measurement.as_result(),
            fitted(perf.perf_text(measurement), Layout()),
            perf.perf_statement(measurement),
        )
    for name, result in (("explore/failure", explored()), ("explore/pass", explored(failed=False))):
        found[name] = (result, explore_text.explore_text(result), explore_text.explore_statement(result))
    return found


def asked(**outputs):
    """Options that ask for some outputs."""
    return argparse.Namespace(**{"json": None, "html": None, "junit": None, "sarif": None, "path": Path(), **outputs})


if __name__ == "__main__":  # write all pages into a folder, to be looked at
    from plait.report.html import html

    for name, (result, _text, sentences) in spoken().items():
        file = Path(sys.argv[1]) / f"{name.replace('/', '-')}.html"
        file.write_text(html(result.as_json(), sentences, "plait replay result.json"), encoding="utf-8")
