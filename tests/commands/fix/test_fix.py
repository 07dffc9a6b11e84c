"""`plait fix`, from a finding to a diff that holds: on small classes, with bounds in tests, not in seconds."""

import json
import subprocess
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest

from plait.cli.main import main
from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.commands.fix import command as fixing
from plait.commands.fix.command import FixOptions, fix, write_mend
from plait.commands.fix.copies import copied
from plait.commands.fix.owntests import files_about
from plait.commands.fix.proof import PROVEN, CheckRound, MendSetting, MendTrial, ProofLimits, Prover, same_fault
from plait.commands.fix.worker import InOrder, first_difference, without_locks
from plait.errors import UsageError
from plait.model.finding import AccessStep, Finding, Gap
from plait.model.reading import ResultFile, read_result
from plait.report.fix_text import compact_fix, fix_text
from plait.report.layout import as_text
from plait.subject.mend.candidates import Edit, Mend
from plait.subject.mend.clues import Clue, Clues
from plait.subject.name import Subject
from plait.subject.versions.version import Version
from result_schema import undescribed

QUICK = ProofLimits(None, 8, 0.0, compared=6, again_tests=8)
CLASSES = {
    "Guarded": """
        import threading

        class Guarded:
            def __init__(self):
                self._lock = threading.Lock()
                self.count = 0

            def add(self):
                count = self.count
                self.count = count + 1

            def read(self):
                with self._lock:
                    return self.count
    """,
    "Plain": """
        class Plain:
            def __init__(self):
                self.count = 0

            def add(self):
                self.count = self.count + 1

            def read(self):
                return self.count
    """,
    "Box": """
        from threading import Condition

        class Box:
            def __init__(self):
                self._changed = Condition()
                self.items = []

            def put(self):
                with self._changed:
                    self.items.append(1)
                    self._changed.notify_all()

            def take(self):
                with self._changed:
                    if not self.items:
                        self._changed.wait()
                    return self.items.pop()
    """,
    "Transfer": """
        from threading import Lock

        class Transfer:
            def __init__(self):
                self._from = Lock()
                self._to = Lock()
                self.moved = 0

            def there(self):
                with self._from:
                    with self._to:
                        self.moved += 1

            def back(self):
                with self._to:
                    with self._from:
                        self.moved -= 1
    """,
    "Half": """
        import threading

        class Half:
            def __init__(self):
                self._lock = threading.Lock()
                self.count = 0

            def add(self):
                count = self.count
                self.count = count + 1

            def reset(self):
                self.count = 0
    """,
    "Unreadable": """
        class Unreadable:
            def __init__(self):
                self.count = 0

            add = lambda self: setattr(self, "count", self.count + 1)
    """,
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The projects with their result files: a check of each, made when first asked for."""
    made = {}

    def project(name, tests=12):
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            (folder / "shop.py").write_text(textwrap.dedent(CLASSES[name]).lstrip("\n"), encoding="utf-8")
            result = check(CheckOptions(Subject("shop", name), project=folder, max_tests=tests))
            (folder / "result.json").write_text(json.dumps(result.as_json()), encoding="utf-8")
            made[name] = folder
        return made[name]

    return project


def mended(folder, finding=1, **words):
    file = folder / "result.json"
    result = read_result(file)
    asked = FixOptions(file, finding, project=folder, **{"limits": QUICK, **words})
    return fix(asked, result, result.findings[finding - 1])


def changed(result):
    return [line for line in result.more["diff"].splitlines()[2:] if line[:1] in "+-"]


def test_a_lost_update_beside_a_lock_is_mended_proven_and_written(found):
    folder = found("Guarded")
    before = (folder / "shop.py").read_text(encoding="utf-8")
    result = mended(folder)
    assert result.verdict == "mended"
    assert changed(result) == [
        "-        count = self.count", "-        self.count = count + 1",
        "+        with self._lock:", "+            count = self.count", "+            self.count = count + 1",
    ]  # fmt: skip
    evidence = result.more["evidence"]
    assert evidence["explored"]["claim"] == "all schedules"
    assert evidence["explored"]["schedules"] > 1
    assert evidence["compared"]["tests"] == 7
    assert evidence["checked"] | {"seconds": 0, "schedules": 0} == {
        "tests": 8, "schedules": 0, "verdict": "none", "seconds": 0, "as_before": []
    }  # fmt: skip
    again = evidence["checked_again"]
    assert (again["seeds"], again["threads"], again["as_before"]) == ([1, 0, 2], 2, [])
    assert again["tests"] == 24
    assert (evidence["behaviour"]["tests"] > 0, evidence["behaviour"]["new"]) == (True, 0)
    assert "none that name the class" in evidence["own_tests"]["reason"]
    assert undescribed(result.as_json()) == []
    assert (folder / "shop.py").read_text(encoding="utf-8") == before
    text = as_text(fix_text(result))
    assert "+        with self._lock:" in text
    assert "Nothing was written: --write applies it." in text
    short = compact_fix(result.as_json())
    assert short.startswith("verdict: mended\n")
    assert "\n+        with self._lock:\n" in short


def test_the_command_writes_on_request_and_then_there_is_nothing_to_mend(found, tmp_path, monkeypatch, capsys):
    folder = found("Guarded")
    copy = tmp_path / "project"
    copy.mkdir()
    for name in ("shop.py", "result.json"):
        (copy / name).write_bytes((folder / name).read_bytes())
    monkeypatch.chdir(copy)
    limits = ProofLimits(None, 5, 2.0, compared=3, again_tests=5)
    monkeypatch.setattr(fixing.ProofLimits, "of", lambda _budget, _max_tests: limits)
    words = ["fix", "result.json", "--max-tests", "5", "--workers", "1", "--json", "mend.json"]
    assert main([*words, "--write"]) == 0
    assert "Written to shop.py." in capsys.readouterr().out
    assert "        with self._lock:\n            count = self.count\n" in (copy / "shop.py").read_text("utf-8")
    cost = json.loads((copy / "mend.json").read_text("utf-8"))["evidence"]["cost"]
    assert (cost["ratio"] is None) == bool(cost["reason"])  # a busy machine has no figure, and says so
    assert main(words) == 2
    assert "does not show on version worktree as a violation: there is nothing to mend" in capsys.readouterr().err


def test_a_class_without_a_lock_gets_one_and_own_tests_have_a_say(found):
    """A lock in each instance would be smaller, but the project's tests pickle instances."""
    folder = found("Plain")
    (folder / "test_shop.py").write_text(
        "import pickle\n\nfrom shop import Plain\n\n\n"
        "def test_pickle():\n    assert pickle.loads(pickle.dumps(Plain())).read() == 0\n\n\n"
        "def test_wrong():\n    assert Plain().read() == 1\n",
        encoding="utf-8",
    )
    result = mended(folder)
    assert result.verdict == "mended"
    assert "+    _lock = threading.RLock()" in changed(result)
    assert "+        with self._lock:" in changed(result)
    own = result.more["evidence"]["own_tests"]
    assert (own["passed"], own["failed_before"], own["broken"]) == (1, 1, [])
    assert any("test_pickle fails" in each["reason"] for each in result.more["candidates"])
    proven = [each["title"] for each in result.more["candidates"] if each["verdict"] == "proven"]
    assert all("for all instances" in each for each in proven)


def test_a_wait_is_tested_again(found):
    result = mended(found("Box", tests=40))
    assert result.findings[0].exception == "IndexError"
    assert changed(result) == ["-            if not self.items:", "+            while not self.items:"]


def test_two_locks_get_one_order(found):
    result = mended(found("Transfer"))
    assert result.findings[0].kind == "deadlock"
    assert result.more["mend"].startswith("take `self._")
    lines = result.more["diff"]
    assert lines.count("\n+        with self._") == 1
    assert result.more["evidence"]["checked"]["verdict"] == "none"


def test_what_cannot_be_mended_is_said(found, monkeypatch, capsys):
    folder = found("Unreadable")
    monkeypatch.chdir(folder)
    assert main(["fix", "result.json", "--max-tests", "5", "--json", "none.json"]) == 1
    assert "there is no candidate for this finding in the source text" in capsys.readouterr().out
    data = json.loads((folder / "none.json").read_text("utf-8"))
    assert (data["verdict"], data["stats"]["candidates"], data["stats"]["proven"]) == ("none", 0, 0)
    assert undescribed(data) == []


def test_candidates_that_do_not_hold_have_a_reason_each(found, monkeypatch):
    """With nothing but edits that change what calls give, there is no mend."""
    wrong = "self.count = count + 1", "self.count = 0"
    smaller = "count = self.count\n        self.count = count + 1", "count = self.count\n        pass"

    def bad_mends(files, clues, owner):
        ((file, text),) = files.items()
        edits = [("a", wrong), ("b", smaller)]
        return [Mend("test", title, (Edit(file, text, text.replace(*edit)),)) for title, edit in edits]

    monkeypatch.setattr(fixing, "mends", bad_mends)
    result = mended(found("Guarded"))
    assert result.verdict == "none"
    reasons = [each["reason"] for each in result.more["candidates"]]
    assert all("gives something else than before, with one thread" in each for each in reasons), reasons
    assert "No mend: none of the candidates holds; 2 of 2" in as_text(fix_text(result))


TORN_ELSEWHERE = """
    import threading

    class Shelf:
        def __init__(self):
            self._lock = threading.Lock()
            self.count = 0
            self.other = 0

        def add(self):
            count = self.count
            self.count = count + 1

        def move(self):
            with self._lock:
                other = self.other
                self.other = other + 1
"""


@pytest.mark.parametrize("passed", [["_check"], ["_check", "_check_again"]], ids=["another check", "diff"])
def test_what_the_first_check_does_not_meet_is_met_by_the_second_look(tmp_path, monkeypatch, passed):
    """A candidate mends one method and tears another one apart; the stages before have seen nothing of it."""
    (tmp_path / "shop.py").write_text(textwrap.dedent(TORN_ELSEWHERE).lstrip(), encoding="utf-8")
    result = check(CheckOptions(Subject("shop", "Shelf"), project=tmp_path, max_tests=12))
    (tmp_path / "result.json").write_text(json.dumps(result.as_json()), encoding="utf-8")

    def bad_mends(files, clues, owner):
        text = files["shop.py"]
        body, other = "        count = self.count\n        self.count = count + 1\n", "            other = self.other\n"
        held = text.replace(body, "        with self._lock:\n" + textwrap.indent(body, "    "))
        torn = held.replace(other, "            pass\n").replace("            self.other = other + 1\n", "") + (
            "        other = self.other\n        self.other = other + 1\n"
        )
        return [Mend("test", "tears", (Edit("shop.py", text, torn),))]

    for name in passed:
        monkeypatch.setattr(Prover, name, lambda _self, _trial: True)
    monkeypatch.setattr(fixing, "mends", bad_mends)
    found_there = mended(tmp_path)
    assert found_there.verdict == "none"
    (tried,) = found_there.more["candidates"]
    assert tried["reason"].startswith("it brings a new fault: ")
    assert "move" in tried["reason"]
    assert not {"checked_again", "behaviour"} & set(tried["evidence"])


def test_the_second_look_has_other_seeds_and_three_threads_where_calls_wait():
    setting = MendSetting(Subject("a", "A"), "a:A", None, Finding("wrong-result", "", []), None, None, 7)
    prover = Prover(setting, QUICK)
    prover._unrelated = ("g",)
    assert prover.second_checks() == [CheckRound(8, 2, ("g",)), CheckRound(7), CheckRound(9)]
    setting.finding = Finding("hang", "", [])
    assert CheckRound(10, 3, ("g",)) in prover.second_checks()
    setting.finding = Finding("exception", "", [])
    prover._waits = True
    assert CheckRound(10, 3, ("g",)) in prover.second_checks()
    assert ProofLimits(None, 20, 0.0).again.max_tests == 100
    assert ProofLimits.of(300, None).again == ProofLimits(50.0, None, 20.0)


def test_tests_that_other_candidates_failed_come_before_a_check(found, monkeypatch):
    """A check of the first candidate meets the fault in another pair of calls: the second one is tried with it."""
    folder = found("Half")

    def same_edit_twice(files, clues, owner):
        text = files["shop.py"]
        body = "        count = self.count\n        self.count = count + 1\n"
        held = text.replace(body, "        with self._lock:\n" + textwrap.indent(body, "    "))
        return [Mend("test", name, (Edit("shop.py", text, f"{held}# {name}\n"),)) for name in ("one", "two")]

    monkeypatch.setattr(fixing, "mends", same_edit_twice)
    file = folder / "result.json"
    read = read_result(file)
    alone = next(each for each in read.findings if {call.method for call in each.test.calls} == {"add"})
    asked = FixOptions(
        file, alone.number, project=folder, limits=ProofLimits(None, 20, 0.0, compared=2, again_tests=20)
    )
    result = fix(asked, replace(read, findings=(alone,)), alone)
    assert result.verdict == "none"
    first, second = (each["reason"] for each in result.more["candidates"])
    assert first.startswith("a fresh check meets the same fault: ")
    assert second.startswith("another test shows the same fault: ")


def test_a_budget_that_ends_is_no_conclusion(found):
    result = mended(found("Guarded"), budget=0.0)
    assert (result.verdict, result.stats["tried"], result.stopped_by) == ("inconclusive", 0, "budget")
    assert "No conclusion: 0 of" in as_text(fix_text(result))
    assert compact_fix(result.as_json()).startswith("verdict: inconclusive")


@pytest.mark.parametrize(("words", "said"), [
    (["--finding", "7"], "has no finding 7"),
    (["--finding", "0"], "no whole number of 1"),
])  # fmt: skip
def test_refused_findings(found, words, said, monkeypatch, capsys):
    monkeypatch.chdir(found("Guarded"))
    assert main(["fix", "result.json", *words]) == 2
    assert said in capsys.readouterr().err


def test_refused_files(found, tmp_path, monkeypatch, capsys):
    folder = found("Guarded")
    monkeypatch.chdir(folder)
    data = json.loads((folder / "result.json").read_text("utf-8"))
    cases = {
        "holds no finding with a schedule: there is nothing to mend": data | {"findings": []},
        "--write changes files of the work tree": data | {"versions": {"at": "HEAD"}},
        "would have plait install": data | {"versions": {"at": "pypi:nothing==1.0"}},
    }
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "add", "shop.py"], check=True)
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"], check=True)
    for said, content in cases.items():
        (tmp_path / "other.json").write_text(json.dumps(content), encoding="utf-8")
        assert main(["fix", str(tmp_path / "other.json"), "--write", "--max-tests", "3"]) == 2
        assert said in capsys.readouterr().err
    data["findings"][0]["test"]["source"]["prefix"][0]["form"] = "x = __import__('os').getcwd()"
    (tmp_path / "other.json").write_text(json.dumps(data), encoding="utf-8")
    assert main(["fix", str(tmp_path / "other.json")]) == 2
    assert "add --trust" in capsys.readouterr().err


def test_a_file_that_has_changed_is_not_written(tmp_path):
    file = tmp_path / "shop.py"
    file.write_text("x = 1\n", encoding="utf-8")
    version = Version("worktree", tmp_path, "worktree")
    with pytest.raises(UsageError, match=r"shop\.py has changed since it was read"):
        write_mend(version, Mend("", "", (Edit("shop.py", "x = 2\n", "x = 3\n"),)))
    assert file.read_text("utf-8") == "x = 1\n"
    file.chmod(0o640)
    write_mend(version, Mend("", "", (Edit("shop.py", "x = 1\n", "x = 3\n"),)))
    assert file.read_text("utf-8") == "x = 3\n"
    assert file.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["shop.py"]


def test_files_outside_of_the_root_are_never_touched(tmp_path):
    """What is named by a worker, or by a file, may lead anywhere."""
    root = tmp_path / "project"
    root.mkdir()
    for name in ("project/shop.py", "other.py", "project/data.txt"):
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    (root / "link.py").symlink_to(tmp_path / "other.py")
    names = ("../other.py", "link.py", "data.txt", "missing.py", "\0", str(tmp_path / "other.py"), "shop.py")
    clues = Clues("exception", through=tuple(Clue(name, "f", 1) for name in names))
    version = Version("worktree", root, "worktree")
    assert list(fixing._texts(version, Subject("shop", "Shop"), clues)) == ["shop.py"]
    said = ResultFile("check", "shop:Shop", {}, (), 0, (), {})
    assert fixing.subject_place(replace(said, root=root / ".." / ".." / "etc"), tmp_path) == tmp_path
    assert fixing.subject_place(replace(said, root=root / ".." / "project"), tmp_path) == root.resolve()


def finding(kind, function, access, methods=("A.f",)):
    verb, _, place = access.partition(" ")
    step = AccessStep(1, "a.py", 1, function, "", verb, place, 1)
    return Finding(kind, "", list(methods), race=[step, step], gap=Gap(1, "a.py", function, 1, 2))


def test_one_cause_is_the_same_code_interrupted_over_the_same_attribute():
    one = finding("wrong-result", "A.f", "write A.x")
    assert same_fault(finding("exception", "A.f", "read A.x['k']", ("A.g",)), one, "a:A")
    assert not same_fault(finding("wrong-result", "A.g", "write A.x"), one, "a:A")
    assert not same_fault(finding("wrong-result", "A.f", "write A.y"), one, "a:A")
    assert same_fault(Finding("deadlock", "", ["A.f"]), Finding("deadlock", "b", ["A.f"]), "a:A")


def test_results_of_two_versions_are_compared_without_locks():
    held = ("m.A", ("state", ("_lock", ("primitive", "Lock", "free")), ("x", ("same", 2))))
    assert without_locks(held) == without_locks(("m.A", ("state", ("x", ("same", 1)))))
    assert without_locks(("m.A", ("state", ("x", 1)))) != without_locks(("m.A", ("state", ("x", 2))))
    before = InOrder({"(1, 2)": ["1", "2"]}, [])
    assert first_difference(before, before, ["f()", "g()"]) is None
    assert first_difference(before, InOrder({"(1, 2)": ["1", "3"]}), ["f()", "g()"]).startswith("g() gives")
    assert first_difference(before, InOrder({"(1, 2)": ["1", "3"]}, [1]), ["f()", "g()"]) is None
    assert "do not come to an end" in first_difference(before, InOrder({}), ["f()", "g()"])


def test_orders_that_depend_on_who_is_woken_are_compared_by_what_they_give():
    before = InOrder({"(0,)": ["1", "2"]})
    woken = InOrder({"(0, 0)": ["2", "1"], "(0, 1)": ["1", "2"]})
    assert first_difference(before, woken, ["f()", "g()"]) is None
    assert "do not come to an end" in first_difference(before, InOrder({"(0, 0)": ["2", "1"]}), ["f()", "g()"])


def test_two_files_are_written_both_or_not_at_all(tmp_path):
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    version = Version("worktree", tmp_path, "worktree")
    stale = Mend("", "", (Edit("one.py", "x = 1\n", "x = 3\n"), Edit("two.py", "x = 2\n", "x = 3\n")))
    with pytest.raises(UsageError, match=r"two\.py has changed since it was read"):
        write_mend(version, stale)
    assert [each.read_text("utf-8") for each in sorted(tmp_path.iterdir())] == ["x = 1\n"] * 2
    write_mend(version, Mend("", "", (Edit("one.py", "x = 1\n", "x = 3\n"), Edit("two.py", "x = 1\n", "x = 4\n"))))
    assert [each.read_text("utf-8") for each in sorted(tmp_path.iterdir())] == ["x = 3\n", "x = 4\n"]


BASE = """class Base:
    def __init__(self, start=0):
        self.start = start

    def get(self, key):
        raise NotImplementedError

    def count(self, key):
        value = (self.get(key) or self.start) + 1
        self.set(key, value)
        return value
"""
DERIVED = """from base import Base


class Store(Base):
    def __init__(self):
        Base.__init__(self)
        self._data = {"a": 5, 0: 5}

    def get(self, key):
        return self._data.get(key)

    def set(self, key, value):
        self._data[key] = value

    def drop(self, key):
        return self._data.pop(key, None)
"""


def test_a_class_shares_a_lock_with_its_base_class_in_another_file(tmp_path, monkeypatch):
    """What the base class tears apart is changed by methods of the derived one: no lock of one file keeps both out."""
    (tmp_path / "base.py").write_text(BASE, encoding="utf-8")
    (tmp_path / "store.py").write_text(DERIVED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    main(["check", "store:Store", "--max-tests", "20", "--workers", "1", "--quiet", "--json", "r.json"])
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    told = data["findings"][0]
    count = {"method": "count", "form": "{receiver}.count({args})", "receiver": "x", "args": ["'a'"], "kwargs": [],
             "result": None}  # fmt: skip
    drop = {**count, "method": "drop", "form": "{receiver}.drop({args})"}
    told["kind"], told["methods"] = "wrong-result", ["Store.count", "Store.drop"]
    told["test"]["source"] |= {"prefix": told["test"]["source"]["prefix"][:1], "suffixes": [[count], [drop]]}
    told["schedule"]["segments"] = []  # any schedule that shows it will do
    (tmp_path / "r.json").write_text(json.dumps({**data, "findings": [told]}), encoding="utf-8")
    read = read_result(tmp_path / "r.json")
    (torn,) = read.findings
    limits = ProofLimits(None, 20, 0.0, compared=5, again_tests=20)
    asked = FixOptions(tmp_path / "r.json", torn.number, project=tmp_path, limits=limits)
    result = fix(asked, read, torn)
    assert result.verdict == "mended", [each["reason"] for each in result.more["candidates"]]
    assert sorted(result.more["files"]) == ["base.py", "store.py"]
    diff = result.more["diff"]
    assert diff.count("+        with self._lock:") >= 2
    assert "RLock()" in diff.partition("b/base.py")[2]
    assert undescribed(result.as_json()) == []


TWICE = """import threading


class Twice:
    def __init__(self):
        self._lock = threading.Lock()
        self.value = 0

    def put(self, number):
        with self._lock:
            return self.get(number)

    def get(self, number):
        with self._lock:
            return self.value

    def move(self):
        value = self.value
        self.value = value + 1
        return value
"""


def test_what_blocks_before_any_thread_is_no_fault_of_the_mend(tmp_path, monkeypatch):
    """Tests that begin with the call that waits for ever get further with the mend, and may show the next fault."""
    (tmp_path / "twice.py").write_text(TWICE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    main(["check", "twice:Twice", "--max-tests", "40", "--workers", "1", "--quiet", "--json", "r.json"])
    read = read_result(tmp_path / "r.json")
    stuck = next(each for each in read.findings if each.kind == "deadlock")
    limits = ProofLimits(None, 40, 0.0, compared=5, again_tests=40)
    result = fix(FixOptions(tmp_path / "r.json", stuck.number, project=tmp_path, limits=limits), read, stuck)
    assert not any("plait bug" in each["reason"] for each in result.more["candidates"])
    assert (result.verdict, "RLock()" in result.more.get("diff", "")) == ("mended", True)


INSIDE = """import threading


class Gauge:
    def __init__(self):
        self._lock = threading.Lock()
        self._level = 0

    def rise(self):
        with self._lock:
            self._level = self._level + 1

    def level(self):
        with self._lock:
            return self._level
"""


def test_a_difference_that_only_the_state_shows_is_mended(tmp_path, monkeypatch):
    """A result of `plait diff` names no calls that read the state, and `fix` said that there was nothing to mend."""
    torn = "        level = self._level\n        with self._lock:\n            self._level = level + 1"
    whole = "        with self._lock:\n            self._level = self._level + 1"
    for folder, text in (("old", INSIDE), ("new", INSIDE.replace(whole, torn))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "gauge.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    versions = ("--old", "dir:old", "--new", "dir:new")
    main(["diff", "gauge:Gauge", *versions, "--max-tests", "30", "--workers", "1", "--quiet", "--json", "r.json"])
    read = read_result(tmp_path / "r.json")
    assert {call.method for call in read.findings[0].test.calls} == {"rise"}
    result = fix(FixOptions(tmp_path / "r.json", 1, project=tmp_path, limits=QUICK), read, read.findings[0])
    assert result.verdict == "mended"


MAPPING = """from collections.abc import MutableMapping


class Table(MutableMapping):
    def __init__(self):
        self._data = {"a": 1}

    def __getitem__(self, key):
        return self._data[key]

    def __setitem__(self, key, value):
        self._data[key] = value

    def __delitem__(self, key):
        del self._data[key]

    def __iter__(self):
        return iter(list(self._data))

    def __len__(self):
        return len(self._data)
"""


def test_what_a_mixin_tears_apart_is_overridden(tmp_path, monkeypatch):
    """No line of the file is to be held: `pop` of `MutableMapping` looks up and deletes.

    Few methods are left, so that the tests reach `pop` whatever they are drawn from, which differs between Pythons.
    """
    (tmp_path / "table.py").write_text(MAPPING, encoding="utf-8")
    others = ["__contains__", "__eq__", "clear", "get", "items", "keys", "setdefault", "update", "values"]
    (tmp_path / "plait.toml").write_text(f'[subject."table:Table"]\nexclude = {others}\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    main(["check", "table:Table", "--max-tests", "40", "--workers", "1", "--quiet", "--json", "r.json"])
    read = read_result(tmp_path / "r.json")
    torn = next(each for each in read.findings if {call.method for call in each.test.calls} <= {"pop", "popitem"})
    limits = ProofLimits(None, 20, 0.0, compared=5, again_tests=20)
    result = fix(FixOptions(tmp_path / "r.json", torn.number, project=tmp_path, limits=limits), read, torn)
    assert result.verdict == "mended", [each["reason"] for each in result.more["candidates"]]
    assert "return super().pop" in result.more["diff"]


def test_the_diff_of_a_src_layout_applies_at_the_top_of_the_project(tmp_path):
    (tmp_path / "src" / "shop").mkdir(parents=True)
    project = Version("worktree", tmp_path / "src", "worktree")
    assert fixing._way_to(project, tmp_path) == "src"
    assert fixing._way_to(Version("worktree", tmp_path, "worktree"), tmp_path) == ""
    assert fixing._way_to(Version("pypi:shop==1", tmp_path / "src", "release"), tmp_path) == ""
    mend = Mend("", "", (Edit("shop/a.py", "x = 1\n", "x = 2\n"),))
    (tmp_path / "src" / "shop" / "a.py").write_text("x = 1\n")
    done = subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=mend.diff_below("src").encode(), check=False)
    assert done.returncode == 0
    assert (tmp_path / "src" / "shop" / "a.py").read_text() == "x = 2\n"


def test_the_tests_of_a_src_layout_are_beside_it(tmp_path):
    """`--path src` names the folder of the modules: the project is around it, and so are its tests."""
    (tmp_path / "src" / "shop").mkdir(parents=True)
    (tmp_path / "tests").mkdir()
    (tmp_path / "src" / "shop" / "__init__.py").write_text("class Cart: pass\n")
    (tmp_path / "tests" / "test_cart.py").write_text("from shop import Cart\n")
    (tmp_path / "pyproject.toml").touch()
    version = Version("worktree", tmp_path / "src", "worktree", tree=tmp_path, project=tmp_path / "src")
    with copied(version) as (copy,):
        assert [file.name for file in files_about(Subject.parse("shop:Cart"), copy.base)] == ["test_cart.py"]
        assert copy.version.root == copy.base / "src"
    with copied(replace(version, tree=tmp_path / "src")) as (copy,):  # nothing above the tree is copied
        assert copy.base.name == "src"


class Told:
    """A prover that knows what becomes of each candidate."""

    def __init__(self, left):
        self.left, self.tried = left, []

    def prepare(self):
        pass

    def prove(self, mend):
        self.tried.append(mend.title)
        others = ["another finding"] * self.left[mend.title]
        return MendTrial(mend, PROVEN, evidence={"checked": {"as_before": others}})

    def measure(self, trial):
        self.measured = trial.mend.title


def sized(title, lines):
    return Mend("test", title, (Edit("shop.py", "", "".join(f"{title} {number}\n" for number in range(lines))),))


@pytest.mark.parametrize(("left", "tried", "chosen"), [
    ({"a": 0, "b": 0, "c": 0}, "a", "a"),
    ({"a": 2, "b": 0, "c": 0}, "ab", "b"),
    ({"a": 2, "b": 2, "c": 0}, "ab", "a"),
])  # fmt: skip
def test_a_few_more_lines_may_mend_other_findings_as_well(left, tried, chosen):
    candidates = [sized("a", 1), sized("b", 1 + fixing.HARDLY_LARGER), sized("c", 2 + fixing.HARDLY_LARGER)]
    prover = Told(left)
    trials, stopped = fixing._search(prover, candidates, fixing.FixOptions(Path("r.json")), time.monotonic(), None)
    assert ("".join(prover.tried), prover.measured, stopped) == (tried, chosen, "finding")
    assert fixing._holds(trials).mend.title == chosen
