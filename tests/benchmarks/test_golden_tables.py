"""What `plait bench` prints, compared with golden files; the measuring alone is replaced, by figures made up here."""

import importlib
import json
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from plait.commands import bench
from plait.judge.performance.result import Comparison, Measured
from plait.judge.performance.verdict import Series
from plait.model.finding import Finding
from plait.model.test import Call, Test

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def inside(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))


def module(name):
    return importlib.import_module(f"benchmarks.{name}")


def engine(patch):
    table, catalogue = module("engine.bench"), module("engine.catalogue")
    subjects = [catalogue.subject("counter 2x1"), catalogue.subject("AB-BA"), catalogue.LONGEST]
    rates = {"plait-dpor": 9000.0, "plait-dfs": 8000.0, "frontrun-dpor": 45.0, "interleave-test-dfs": 200.0}

    def measured(tool, subject, seconds):
        if tool == "frontrun-dpor" and subject is catalogue.LONGEST:
            return {"trouble": f"no end within {4 * seconds + 30:.0f} s"}
        rate = rates[tool]
        return {
            "first_rate": rate, "steady_rate": 1.5 * rate, "cpu_rate": 1.1 * rate, "exhausted": bool(subject.classes),
            "to_failure": 2 if subject.fault else None, "executions": subject.classes or 50_000, "redundant": 0,
        }  # fmt: skip

    patch.setattr(table, "_measure", measured)
    memory = {"executions": 100_000, "before_kb": 30_000, "after_kb": 30_120}
    patch.setattr(table, "_process", lambda *_: memory)
    return {"subjects": subjects, "tools": list(rates)}


def condiff(patch):
    table = module("condiff.bench")

    def figures(bc, drt, found=True):
        return {
            "found": found, "drt": drt, "ct": 12, "bc": bc, "changed": 3, "pairs": 6, "inconclusive": 0,
            "revealing": "a test", "kept": found or None, "generate": 0.2, "filter": 0.3, "check": 0.5,
        }  # fmt: skip

    def measured(number, scenario, _seeds, seconds, *, baseline=True):
        few = 2 if scenario == "B" else 5
        found = {"condiff": [figures(few, 0.5), figures(few + 1, 0.75)]}
        found["baseline"] = [figures(9, 4.0), figures(11, seconds, found=False)] if baseline else []
        paper = table.PAPER[number, scenario]._asdict()
        return {"subject": number, "scenario": scenario, **table._row(found), "paper": paper}

    patch.setattr(table, "measure", measured)
    return {"scenarios": [("C1", name) for name in module("condiff.scenarios").SHARES]}


def covcon(patch):
    table = module("covcon.bench")

    def measured(row, strategy, setting, seed, seconds):
        if strategy == "naive" and setting == "native":
            return {"found": None, "tests": 0, "seconds": seconds, "trouble": "no end"}
        tests = {"random": 40, "published": 30, "covcon": 10, "naive": 90}[strategy] + seed
        coverage = [[number / 10, number, number * row.pairs // 40] for number in range(0, 40, 4)]
        return {
            "found": row.symptom, "tests": tests, "executions": 3 * tests, "seconds": tests / 20, "pairs": row.pairs,
            "coverage": coverage, "breakdown": {"generate": 0.1, "execute": 0.6, "coverage": 0.3},
        }  # fmt: skip

    def checked(row, *, runs, seconds):
        return {
            "subject": row.name, "module": row.module, "strategy": "covcon", "setting": "check", "found": runs,
            "runs": runs, "kinds": [row.symptom], "tests": 12, "tests_at_random": 48, "pairs": row.pairs,
            "seconds": seconds / 20, "silent_when_sound": True, "sound_pairs": row.pairs, "calls_median": 1,
            "preemptions_median": 1, "droppable": 0, "reproducers": 2,
            "reproductions": 20, "fail_on_faulty": [20, 20], "pass_on_sound": [20, 20], "trouble": None,
        }  # fmt: skip

    patch.setattr(table, "_measure", measured)
    patch.setattr(table.command, "measured", checked)
    return {"only": [row.module for row in table.ROWS[:2]], "settings": ("controlled", "native", "check"), "runs": 2}


def capp(patch):
    table = module("capp.bench")

    def measured(fault, searches, seeds, _seconds):
        rows = []
        for search in searches:
            for place, heuristic in enumerate((table.BASIC, *table.HEURISTICS)):
                for seed in seeds:
                    cost = 1000 // (1 + place) + 7 * (seed or 0)
                    rows.append({
                        "search": search, "heuristic": heuristic, "schedules": cost, "transitions": 9 * cost,
                        "found": search != "dpor" or place % 5 != 4, "kind": fault.error, "points": 11, "seconds": 0.5,
                    })  # fmt: skip
        return rows

    patch.setattr(table, "_measured", measured)
    return {"faults": table.FAULTS[:1], "searches": ("icb", "stateful", "dpor"), "runs": 4}


def atg(patch):
    table = module("atg.bench")
    gains = dict(zip(table.APPROACHES, (1.0, 1.02, 1.05, 1.1), strict=True))

    def measured(subject, _setting, what, threshold, runs):
        if what == "feasible":
            return [{"exposed": 58, "possible": 60, "tests": 20, "attempts": 75, "aimed": 60, "infeasible": 0}]
        rows = []
        for approach, gain in gains.items():
            for number in range(runs):
                counts = {"iroots": (10 + 2 * threshold + number) * gain, "profiles": 12.0, "discovered": 30}
                counts |= {"active_tests": round(20 / gain**8), "orchestrated": 9, "seconds": 2.0 / gain}
                wrong = "deadlock" if subject in table.MUTANTS and (number or approach != "mrt") else None
                rows.append({"approach": approach, "executions": 90, **counts, "trouble": wrong})
        return rows

    def compared(case, strategy, _seconds):
        found = strategy == "covcon" or case.name < "c"
        first = {"covcon": 40}.get(strategy, 120 if found else None)
        return {"found": found, "any": found, "executions_to_first": first}

    patch.setattr(table, "_measure", measured)
    patch.setattr(module("atg.corpus"), "compare", compared)
    few = module("atg.corpus").chosen()[:4]
    patch.setattr(module("atg.corpus"), "chosen", lambda: few)
    optimistic = next(each.number for each in table.STRUCTURES if each.cls == "OptimisticList")
    only = [optimistic, table.MUTANTS[0].number]
    return {"only": only, "settings": ("native",), "parts": (*table.PARTS, "corpus"), "runs": 2}


def speedgun(patch):
    table = module("speedgun.bench")
    call = Call("get", "{receiver}.get({args})", "x")
    test = Test((), (Call("C", "C()", result="x"),), ((call,), (call,)))
    ratios = {"improvement": 0.6, "regression": 1.7, "none": 1.0}

    def measured(pair, seed, _seconds, _heavy, *, threads=8, curve=None):
        found = Comparison(pair.subject, "old", "new", seed, threads=threads)
        if pair.expected == "none" and seed == 1:
            found.reason = "the machine is too busy"
            return found
        each = Measured("test 1", test, "", 1, 1, 1, 0.01)
        times = [0.01 * (1 + number / 1000) for number in range(6)]
        each.whole = each.suffix = Series(times, [time * ratios[pair.expected] for time in reversed(times)])
        found.tests = [each]
        found.decide(each, 0.03, 6)
        found.verdict = {"new": "improvement", "old": "regression"}.get(each.winner, "none")
        return found

    patch.setattr(table, "measured", measured)
    patch.setattr(table, "PORTS", table.PORTS[:3])
    patch.setattr(table, "EFFECTS", table.EFFECTS[:2])
    patch.setattr(table, "SAME", 3)
    return {}


def corpus(patch):
    table, pairs = module("corpus.bench"), module("corpus.pairs")
    found = {
        "kind": "wrong-result", "methods": ["SimpleCache.inc"], "preemptions": 1,
        "summary": "SimpleCache: two calls of `inc` lose an update",
        "reachable": {"gil": True, "free-threaded": True},
    }  # fmt: skip

    def asked(words, seconds, _config=None, _max_tests=None):
        released = "0.14.0" in words[words.index("--at") + 1] if "--at" in words else "cachelib" in str(words)
        if not released and words[0] == "check":
            return {"trouble": f"no end within {seconds + 60:.0f} s", "seconds": seconds + 60}
        findings = [found] if released else []
        verdict = {"check": "violation", "diff": "difference"}[words[0]] if findings else "none"
        stats = {"tests": 120, "seconds_to_first": 2.5}
        return {"verdict": verdict, "findings": findings, "seconds": 12.5, "stats": stats, "stopped_by": "budget"}

    for each in (table, pairs):
        patch.setattr(each, "ask", asked)
        patch.setattr(each, "pin", lambda *_: None)
    every = json.loads((ROOT / "benchmarks" / "corpus" / "cases.json").read_text(encoding="utf-8"))["cases"]
    negative = next(each["id"] for each in every if each["role"] == "negative")
    return {"only": ["cachelib-simple-inc", "pyee-once", negative]}


def campaign(patch):
    table = module("campaign.bench")

    def measured(place, _runs, _progress):
        return {
            "subject": place.module, "tests": 100, "executions": 3000,
            "executions_per_s": {"free": 2100, "guard": 2050, "1 workers": 2000, "2 workers": 3700},
            "isolation_percent": 5.0, "guard_percent": 2.4, "two_workers": 1.85,
        }  # fmt: skip

    def ran(seconds):
        return table.again._Ran(wall_s=seconds + 0.3, cpu_s=seconds, result={})

    def changed(subject, _folder, command, _runs):
        methods, ratio = (44, 1.4) if subject.number == "C5" else (26, 3.4)
        first = ran(6.8)
        figures = table.again._ratios(f"{command}_again", [(first, ran(0.4))])
        figures |= table.again._ratios(f"{command}_after_change", [(first, ran(round(6.8 / ratio, 1)))])
        known = {f"{command}_tests": 1000, f"{command}_tests_known": 820}
        return {"changed_method": "put", "methods": methods, **known, **figures}

    patch.setattr(table, "_throughput", measured)
    patch.setattr(table.again, "repeated", lambda *_: table.again._ratios("second_run", [(ran(9.6), ran(0.4))]))
    patch.setattr(table.again, "changed", changed)
    grown = {"campaign_kb": 61_000, "campaign_kb_per_1000_tests": 12, "worker_kb": 41_000}
    patch.setattr(table.memory, "grown", lambda *_: {"tests": 4000, **grown, "worker_kb_per_1000_tests": -3})
    patch.setattr(table, "_store", lambda _: {"write_us": 60, "read_us": 20})
    patch.setattr(table.os, "getloadavg", lambda: (0.3, 0.2, 0.1))
    return {"dask": ()}


def monitors(patch):
    table = module("monitors.bench")

    def said(command, subject, *_words):
        sound = "sound" in subject
        return {
            "exit": 0 if sound or command == "diff" else 1, "verdict": "none" if sound else "violation",
            "kinds": [] if sound else ["hang"], "tests": 7, "schedules": 40, "seconds_to_first": None if sound else 1.5,
            "summaries": [],
        }  # fmt: skip

    patch.setattr(table, "command", said)
    return {"subject": "latch"}


def mutants(patch):
    table = module("mutants.bench")

    def said(found, **more):
        return {"found": found, "seconds": 1.5, "tests": 7, "schedules": 40, "said": "", **more}

    def measured(mutant, _limits, _entries):
        missed = mutant.operator == "drop-notify"
        return {
            "subject": mutant.subject.name, "operator": mutant.operator, "method": mutant.method, "line": mutant.line,
            "sequential": None, "unsound": "x = Latch(1) || x.wait() || x.open()", "concurrent": None, "reason": None,
            "small_tests": 90, "all_small_tests": True, "check": said(not missed),
            "diff": said(not missed, sequential=missed),
        }  # fmt: skip

    patch.setattr(table, "measured", measured)
    patch.setattr(table, "_base", lambda subject, _limits: {"subject": subject.name, **said(found=False)})
    patch.setattr(table.os, "cpu_count", lambda: 2)
    return {"operator": "while-if,drop-notify", "subject": "mutants/latch"}


def jacontebe(patch):
    table = module("jacontebe.bench")

    def said(fault, command, version, _limits):
        found = version == "faulty" and fault.name != "POOL-146"
        answer = {
            "found": found, "seconds": 1.5, "schedules": 40, "said": "a deadlock" if found else "",
            "verdict": {"check": "violation", "explore": "failure", "diff": "difference"}[command] if found else "none",
        }  # fmt: skip
        if command == "explore":
            return {**answer, "exhausted": False, "kind": "deadlock" if found else None}
        return {**answer, "tests": 7, **({"checks": 3, "sequential": not found} if command == "diff" else {})}

    patch.setattr(table, "said", said)
    return {"subject": "DBCP-65,POOL-146,POOL-149", "seconds": 5.0}


def gobench(patch):
    table = module("gobench.bench")

    def said(name, _file, version, search, _limits):
        found = version == "faulty" and (name, search) != ("etcd_6857", "random")
        return {
            "found": found, "seconds": 1.5, "schedules": 40, "said": "a deadlock" if found else "",
            "verdict": "failure" if found else "pass", "exhausted": False, "kind": "deadlock" if found else None,
        }  # fmt: skip

    patch.setattr(table, "said", said)
    return {"subject": "moby_4951,etcd_6857,grpc_3090", "seconds": 5.0}


def found(patch):
    table = module("found.bench")

    def said(defect, way, _limits):
        if way == "threads":
            return {"fails": True, "tries": 17, "said": "AssertionError: both hits were refused"}
        known = way == "explore"
        answer = {"found": known, "verdict": "failure" if known else "none", "said": "a hit is lost" if known else ""}
        return {**answer, **({"seconds": 1.5, "schedules": 6, "exhausted": False, "kind": "exception"} if known else
                             {"others": 2})}  # fmt: skip

    patch.setattr(table, "said", said)
    return {"subject": "limits_refused,reactivex_error"}


def suites(patch):
    table = module("suites.bench")
    rows = {
        "cachetools": {
            "tests": 128, "threaded": 6, "asked": 6, "controlled": 6, "on_os_threads": 0, "not_run": 0,
            "schedules": 60, "why": {}, "failed": {}, "explained": {}, "unexplained": [],
        },
        "pebble": {
            "tests": 68, "threaded": 67, "asked": 8, "controlled": 6, "on_os_threads": 2, "not_run": 0,
            "schedules": 44, "why": {"it uses other processes": 2}, "failed": {"a": "a deadlock", "b": "KeyError"},
            "explained": {"a": "the package's own race"}, "unexplained": ["b"],
        },
    }  # fmt: skip
    patch.setattr(table, "measured", lambda suite, _limits: rows[suite.name])
    return {"subject": "cachetools,pebble", "sample": 8}


def races(patch):
    table = module("races.bench")

    def said(_module, name, folder, _limits):
        found = folder.name == "faulty" and name != "Frame"
        return {
            "found": found, "seconds": 0.4, "tests": 3, "schedules": 40, "said": "two objects" if found else "",
            "verdict": "violation" if found else "none",
        }  # fmt: skip

    patch.setattr(table, "checked", said)
    return {"subject": "filetypes,frames,memo"}


def filter_(patch):
    table = module("filter.bench")
    total = {"tests": 570, "cannot meet": 124, "serializable": 134, "kept": 312, "kept and explored": 37}
    wrong = {"reason": "serializable", "seed": 5, "test": ["|", "x.one()", "x.two()"], "what": "in passing"}
    patch.setattr(table, "_examined", lambda _runs, _progress: (Counter(total), [wrong]))
    return {}


def forms(patch):
    table, model = module("forms.bench"), module("forms.model")
    first, second = module("forms.table").forms()[:2]
    lost, kept = model.Explored(frozenset({"1", "2"}), 4, True), model.Explored(frozenset({"2"}), 2, True)

    def answers(_limit):
        for form, (free, gil) in ((first, (lost, kept)), (second, (lost, lost))):
            yield form, {"free-threaded dpor": free, "free-threaded dfs": free, "gil dpor": gil, "gil dfs": gil}

    patch.setattr(table, "answers", answers)
    patch.setattr(table, "seen_by", lambda model: {first.name: (True, 1000), second.name: (model != "gil", 2000)})
    return {}


def fingerprints(patch):
    table = module("fingerprints.bench")

    def said(name, source, _tests, _seed):
        edited = source != table.SHOP
        return {"Counter": {"a", "b"}, "Cache": {"c", "d" if edited else "e"}}[name]

    patch.setattr(table, "_checked", said)
    return {"subject": "Counter,Cache", "sample": 2}


def screens(patch):
    table = module("screens.bench")
    names = ("shelf", "gone", "store")
    listed = [SimpleNamespace(package=name, subject="shop:Stock", buggy="1.0", release=str) for name in names]
    found = SimpleNamespace(findings=[finding("wrong-result", "Stock: `put` can lose an update")])

    def check(asked):
        if listed.pop(0).package == "gone":
            raise table.UsageError("gone==1.0 cannot be installed")
        return found

    patch.setattr(table, "releases", lambda: list(listed))
    patch.setattr(table, "check", check)
    return {}


def finding(kind, summary):
    """A finding without steps: what it lacks is told."""
    return Finding(kind, summary, ["Stock.put"], reachable={"gil": True})


def frames(patch):
    table = module("frames.bench")
    patch.setattr(table, "kinds", lambda: [int, str])
    patch.setattr(table, "_tried", lambda _kind, count, _first: [(number % 2 == 0, 0.001) for number in range(count)])
    return {"max_tests": 6}


def fix(patch):
    table = module("fix.bench")

    def rows(group, name, _cls, _text, seconds, seed, max_tests, most, progress):
        row = {"subject": name, "group": group, "finding": 1, "kind": "wrong-result", "summary": "lost",
               "candidates": 9, "tried": 2, "seconds": 12.5}  # fmt: skip
        held = {"mend": "hold `self._lock` in `add`", "diff": "--- a/x\n", "reasons": [], "family": "hold", "size": 1}
        if group == "port":
            return [{**row, "verdict": "mended", **held, "fresh": True, "fresh_says": "", "as_before": 0}]
        return [{**row, "verdict": "none", "mend": None, "diff": None, "reasons": ["add a lock: it still fails"]}]

    patch.setattr(table, "_class", rows)
    patch.setattr(table, "_release", lambda case, *rest: rows("port", case.package, "", "", *rest))
    patch.setattr(table, "releases", lambda: table.cases("class")[:1])
    patch.setattr(table, "ROWS", table.ROWS[:2])
    return {"sample": 1}


def product(patch):
    table = module("product.bench")

    def inside(source, _row, tests, _seed, kind):
        if kind == "parts":
            return {"parts": {"engine": 0.2, "judging": 0.1, "generation": 0.6, "orders": 0.1, "chunks": 0.001}}
        seconds = 0.1 if source == table.ROOT / "src" else 0.3
        work = {"tests": tests, "schedules": 5 * tests, "findings": []}
        return {**work, "cpu_s": seconds, "begin_s": 0.05, "engine_rate": 50_000.0}

    patch.setattr(table, "_inside", inside)
    patch.setattr(table, "_first", lambda source, what, _seed: {
        "first_s": None if what == "C2" else 0.8 if source == table.ROOT / "src" else 1.9, "cpu_s": 1.1,
    })  # fmt: skip
    patch.setattr(table.os, "getloadavg", lambda: (0.3, 0.2, 0.1))
    patch.setattr(table, "sources", lambda _beside: {"here": table.ROOT / "src", "beside": Path("other")})
    return {"subject": "as_map,day,C1,C2,demo", "runs": 2}


def sctbench(patch):
    table = module("sctbench.bench")
    figures = {"auto": 4, "dpor": None, "rff": 4.5}

    def measured(program, order):
        for search in order["searches"]:
            found = figures[search] is not None and not order.get("sound")
            yield {
                "search": search, "found": found, "schedules": figures[search] if found else None,
                "found_in": 19 if found else 0, "seeds": 20 if search == "rff" else 19, "most": 9 if found else None,
                "kinds": ["exception"] if found else [], "exhausted": search == "dpor", "seconds": 0.5,
            }  # fmt: skip

    patch.setattr(table, "_measured", lambda program, order: list(measured(program, order)))
    return {"subject": "account,reorder_10,din_phil2", "ask": ",".join(figures)}


def drive(patch):
    table = module("drive.bench")
    nothing = {**table._nothing(), "verdict": "not built", "seconds": 0.5}
    rows = {
        "store:Store": {
            "constructible": True, "verdict": "none", "methods": 4, "called": 4, "returned": 4, "pairs": 10,
            "overlapping": 9, "driven": True, "built": "Store()", "reason": "", "tests": 150, "seconds": 3.2,
        },
        "store:Line": {
            "constructible": True, "verdict": "inconclusive", "methods": 3, "called": 3, "returned": 2, "pairs": 6,
            "overlapping": 6, "driven": False, "built": "Line(0)", "tests": 150, "seconds": 4.0,
            "reason": "1 of 3 methods never returned: send (OSError: not connected)",
        },
        "store:Base": {**nothing, "constructible": False, "reason": "store:Base is abstract"},
        "store:Odd": {**nothing, "constructible": True, "reason": "store:Odd cannot be built from its signature"},
    }  # fmt: skip
    listed = [table.Package("store", "store", "1.0"), table.Package("gone", "gone", "2.0")]

    def classes(package):
        if package.name == "gone":
            raise table.UsageError("gone==2.0 cannot be installed")
        return [SimpleNamespace(name=name) for name in rows]

    patch.setattr(table, "packages", lambda _which="sample": listed)
    patch.setattr(table, "classes_of", classes)
    patch.setattr(table, "drive", lambda public, *_: dict(rows[public.name]))
    return {}


def contracts(patch):
    table = module("contracts.bench")
    said = {
        "store:Store": {
            "verdict": "unsafe",
            "reason": "",
            "methods": {"get": "atomic", "put": "externally synchronised", "size": "immutable", "close": table.UNKNOWN},
        },
        "store:Line": {"verdict": "not judged", "methods": {}, "reason": "store:Line cannot be built"},
    }
    labels = {"*": "atomic", "put": "externally synchronised"}
    listed = [{"subject": name, "where": "standard library", "labels": labels} for name in said]
    patch.setattr(table, "labelled", lambda: listed)
    patch.setattr(table, "_said", lambda entry, _limits: said[entry["subject"]])
    return {}


def audit(patch):
    table = module("audit.bench")
    open_ = {"no time": 4, "is abstract": 1}
    row = {
        "classes": 20, "functions": 10, "lines": 4_000, "unsafe": 6, "against_their_word": 2, "no_violation": 19,
        "not_judged": 5, "findings": 31, "shown": 6, "replayed": 6, "why_not": open_, "supported": "1 - Unstable",
        "not_judged_names": {}, "seconds": 320.0, "cpu_s": 610.4,
    }  # fmt: skip
    good = {**row, "unsafe": 1, "not_judged": 0, "no_violation": 29, "why_not": {}, "shown": 1, "replayed": 1}
    failed = {"trouble": "there is no such release", "seconds": 2.0, "cpu_s": 1.0}
    measured = {"cachetools": row, "click": good, "wrapt": failed}
    patch.setattr(table, "measured", lambda package, _limits: measured[package["name"]])
    return {"subject": ",".join(measured)}


def suspects(patch):
    table = module("suspects.bench")
    measured = {
        "boltons-lri-evict": {"subjects": 40, "rank": 3.5, "lines": 9_000, "seconds": 0.2},
        "boltons-lru-setdefault": {"subjects": 12, "rank": 7, "lines": 2_000, "seconds": 0.05},
    }
    patch.setattr(table, "measured", lambda case: measured[case["id"]])
    return {"subject": ",".join(measured)}


TABLES = {
    each.__name__.rstrip("_"): each
    for each in (
        engine,
        audit,
        contracts,
        suspects,
        condiff,
        covcon,
        capp,
        atg,
        speedgun,
        corpus,
        campaign,
        monitors,
        mutants,
        jacontebe,
        gobench,
        found,
        suites,
        races,
        filter_,
        forms,
        fingerprints,
        frames,
        fix,
        screens,
        product,
        sctbench,
        drive,
    )
}


def shape(value):
    """The fields of a result; of a list its first element stands for all."""
    if isinstance(value, dict):
        return {name: shape(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [shape(value[0])] if value else []
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


@pytest.mark.parametrize("name", TABLES)
def test_a_table_and_its_result_file(name, golden, monkeypatch):
    settings = {"runs": 1, **TABLES[name](monkeypatch), "progress": lambda _line: None}
    content, text = bench.measure_table(name, settings)
    golden(f"bench/{name}.txt", text)
    assert set(content) == {"schema", "bench", "python", "rows", "summary"}
    assert all("subject" in row for row in content["rows"])
    fields = {key: shape(value) for row in reversed(content["rows"]) for key, value in row.items()}
    golden(f"bench/{name}.rows.json", json.dumps(dict(sorted(fields.items())), indent=1))
    json.dumps(content)


def test_every_table_is_here():
    assert sorted(TABLES) == bench.tables()
    assert str(ROOT) in sys.path
