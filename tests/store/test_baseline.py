"""Known findings do not fail a run; new and expired ones do, and what no longer occurs is named."""

import datetime as dt
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from plait.cli.main import main
from plait.errors import UsageError
from plait.model.finding import BaselineMark, Finding
from plait.model.fingerprint import fingerprint_of
from plait.store.baseline import Accepted, Baseline, Found
from result_schema import undescribed

TODAY = dt.date(2026, 6, 1)
NASTY = "a \"quoted\" \\ text\nwith\ttabs \x00 \x7f \u2028 é 🧵 ''' # ]"


def found(method, summary="said"):
    return Found(Finding("wrong-result", summary, [f"Stock.{method}"]), "shop:Stock", "check")


def accepted(*methods, expires=None):
    names = [found(method).fingerprint for method in methods]
    return {name: Accepted(name, "because", "shop:Stock", "check", "it", expires) for name in names}


def baseline(*methods, expires=None, file=Path("b.toml")):
    return Baseline(file, accepted(*methods, expires=expires), TODAY)


def test_known_new_and_gone():
    here = [found("put"), found("get")]
    marked = baseline("put", "drop").mark(here, looked_at=[("shop:Stock", "check")])
    assert (marked["known"], marked["new"], marked["expired"]) == (1, 1, [])
    assert [each["fingerprint"] for each in marked["gone"]] == [found("drop").fingerprint]
    assert here[0].finding.baseline == BaselineMark("known", "because")
    assert here[1].finding.baseline is None


def test_what_was_not_looked_at_is_not_gone():
    other = [("shop:Cart", "check"), ("shop:Stock", "diff")]
    assert baseline("put").mark([], looked_at=other)["gone"] == []
    seen = {found("put").fingerprint}
    assert baseline("put").mark([], looked_at=[("shop:Stock", "check")], seen=seen)["gone"] == []


@pytest.mark.parametrize(("day", "status"), [(-1, "expired"), (0, "known"), (1, "known")])
def test_an_entry_counts_until_its_last_day(day, status):
    here = [found("put")]
    expires = TODAY + dt.timedelta(days=day)
    known = baseline("put", expires=expires)
    marked = known.mark(here)
    assert here[0].finding.baseline.status == status
    assert (marked["new"], marked["expired"]) == ((1, [here[0].fingerprint]) if status == "expired" else (0, []))
    if status == "expired":
        (said,) = known.notes(marked)
        assert said == f"accepted until {expires}, which has passed: {here[0].fingerprint} it (because)"


def test_a_baseline_is_written_and_read(tmp_path):
    file = tmp_path / "b.toml"
    known = Baseline(file, accepted("gone"), TODAY)
    here = [found("put", NASTY), found("get")]
    assert known.update(here, list(accepted("gone")), NASTY, TODAY) == [each.fingerprint for each in here]
    again = Baseline.read(file)
    assert again.entries == known.entries
    assert {each.reason for each in again.entries.values()} == {NASTY}
    assert again.entries[here[0].fingerprint].expires == TODAY
    assert set(tomllib.loads(file.read_text(encoding="utf-8"))) == {"finding"}


def test_what_was_accepted_before_keeps_its_reason(tmp_path):
    known = baseline("put", file=tmp_path / "b.toml")
    assert known.update([found("put")], [], "another", None) == []
    assert known.entries[found("put").fingerprint].reason == "because"
    late = baseline("put", expires=TODAY - dt.timedelta(days=1), file=tmp_path / "b.toml")
    assert len(late.update([found("put")], [], "another", None)) == 1
    assert late.entries[found("put").fingerprint].reason == "another"


@pytest.mark.parametrize(("text", "said"), [
    ("x = 1\n", "it holds [[finding]] tables and nothing else"),
    ("[[finding]\n", "is no valid TOML"),
    ('[[finding]]\nfingerprint = "12"\n', "needs a fingerprint of 16 hexadecimal digits"),
    ('[[finding]]\nfingerprint = "0123456789abcdef"\nreason = " "\n', "needs a reason"),
    ('[[finding]]\nfingerprint = "0123456789abcdef"\nreason = 3\n', "must be a string"),
    ('[[finding]]\nfingerprint = "0123456789abcdef"\nreason = "x"\nuntil = "x"\n', "unknown key 'until'"),
    ('[[finding]]\nfingerprint = "0123456789abcdef"\nreason = "x"\nexpires = "soon"\n', "must be a day such as"),
    ("finding = 3\n", "is no baseline"), ("finding = [3]\n", "is no table"),
])  # fmt: skip
def test_what_is_no_baseline_is_refused_in_one_line(tmp_path, text, said):
    file = tmp_path / "b.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="b.toml") as caught:
        Baseline.read(file)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


RACY = """
class Counter:
    def __init__(self):
        self.value = 0

    def add(self):
        self.value = self.value + 1
"""
MORE = """
class Other(Counter):
    def twice(self):
        self.value = self.value * 2
"""
WORDS = ["--max-tests", "8", "--workers", "1", "--json", "r.json", "--quiet"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("counter.py").write_text(RACY, encoding="utf-8")

    def check(*words, name="Counter"):
        code = main(["check", f"counter:{name}", *WORDS, *words])
        data = json.loads(Path("r.json").read_text(encoding="utf-8"))
        assert undescribed(data) == []
        return code, data

    return check


def test_a_check_with_a_baseline(project, capsys):
    code, data = project()
    assert (code, "baseline" in data) == (1, False)
    code, data = project("--update-baseline", "one thread at a time", "--expires", "2999-01-01")
    assert code == 0
    assert data["baseline"]["known"] == len(data["findings"]) > 0
    assert data["verdict"] == "violation"  # the class is as it was: it is only accepted
    code, data = project()
    assert (code, data["baseline"]["new"]) == (0, 0)
    assert data["findings"][0]["baseline"]["reason"] == "one thread at a time"
    assert "known (plait-baseline.toml), none new" in capsys.readouterr().out
    Path("counter.py").write_text("# a comment\n\n\n" + RACY.replace("self.value + 1", "1 + self.value"))
    assert project()[0] == 0
    Path("counter.py").write_text(RACY + MORE, encoding="utf-8")
    code, data = project(name="Other")
    assert code == 1
    assert data["baseline"]["new"] > 0
    text = Path("plait-baseline.toml").read_text(encoding="utf-8")
    Path("plait-baseline.toml").write_text(text.replace("2999-01-01", "2020-01-01"), encoding="utf-8")
    code, data = project()
    assert (code, data["findings"][0]["baseline"]["status"]) == (1, "expired")
    assert "which has passed" in capsys.readouterr().out


def test_what_is_mended_is_named_and_removed(project, capsys):
    assert project("--update-baseline", "later", "--baseline", "mine.toml")[0] == 0
    Path("counter.py").write_text(
        "import threading\n" + RACY.replace("self.value = 0", "self.value = 0\n        self._lock = threading.Lock()")
        .replace("        self.value = self.value + 1", "        with self._lock:\n            self.value += 1"),
        encoding="utf-8",
    )  # fmt: skip
    code, data = project("--baseline", "mine.toml")
    assert (code, data["findings"]) == (0, [])
    assert len(data["baseline"]["gone"]) == 1
    assert "in mine.toml, but not found any more" in capsys.readouterr().out
    project("--baseline", "mine.toml", "--update-baseline", "later")
    assert Baseline.read(Path("mine.toml")).entries == {}


@pytest.mark.parametrize(("words", "said"), [
    (["--baseline", "none.toml"], "there is no baseline none.toml"),
    (["--update-baseline", " "], "--update-baseline needs a reason"),
    (["--expires", "2030-01-01"], "give both"),
    (["--update-baseline", "x", "--expires", "soon"], "must be a day such as"),
])  # fmt: skip
def test_wrong_words_cost_no_run(project, capsys, words, said):
    assert main(["check", "counter:Counter", *words]) == 2
    assert said in capsys.readouterr().err
    assert not Path(".plait").exists()


def test_a_receipt_does_not_hide_the_baseline(project):
    """The same words twice, then a baseline appears: the answer that was kept no longer counts."""
    words = [sys.executable, "-m", "plait", "check", "counter:Counter", *WORDS]
    codes = [subprocess.run(words, check=False, capture_output=True).returncode for _ in range(3)]
    assert codes == [1, 1, 1]
    data = json.loads(Path("r.json").read_text(encoding="utf-8"))
    finding = Finding.from_json(data["findings"][0])
    name = fingerprint_of(finding, "counter:Counter")
    assert name == data["findings"][0]["fingerprint"]
    entries = {each["fingerprint"]: Accepted(each["fingerprint"], "fine") for each in data["findings"]}
    Path("plait-baseline.toml").write_text("\n".join(each.as_toml() for each in entries.values()), encoding="utf-8")
    assert [subprocess.run(words, check=False, capture_output=True).returncode for _ in range(2)] == [0, 0]
    Path("plait-baseline.toml").unlink()
    assert subprocess.run(words, check=False, capture_output=True).returncode == 1
