"""What people read of a review, from one that is written down here."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import xmlschema
from report_samples import NASTY, asked, checked, compared, shape, without_version
from review_samples import account, cache, clean, result, touched, unusable, whole

from plait.cli.main import main
from plait.commands.review import command
from plait.judge.review import Brought
from plait.model.finding import AccessStep, Effect, Finding, Gap, Guard
from plait.report.html import html
from plait.report.junit import junit
from plait.report.layout import PIPED, as_text, piped_layout
from plait.report.review import (
    MARKER,
    effect,
    line,
    publish_review,
    review_json,
    review_markdown,
    review_statement,
    review_text,
)
from plait.report.sarif import sarif
from plait.report.why import why_sentences
from plait.subject.changes.locks import LockChange
from result_schema import undescribed

SCHEMAS = Path(__file__).parents[1] / "schemas"


@pytest.fixture(name="whole")
def whole_review():
    return whole()


def test_the_line_connects_both_sides():
    assert line(account()) == (
        "the lock narrowed in `withdraw` in this change makes `get` 2.0x faster at 8 threads and lets `withdraw` "
        "leave balance -8 (before: 0)"
    )
    assert line(cache()) == (
        "the lock widened in `load` in this change makes `load` 2.0x slower at 8 threads; no new behaviour under "
        "threads was found"
    )
    assert line(clean()) == (
        "no new behaviour under threads was found (3 tests compared, 40 tests of the new version, 2 existing tests "
        "explored, as fast as before at 8 threads)"
    )
    assert line(unusable()) == "no conclusion: shop:Gate cannot be built from its signature"


def test_without_locks_the_changed_methods_are_named():
    made = account()
    made.locks = []
    assert line(made).startswith("the change to `withdraw` makes ")
    made.touched = touched("account:Account", "a", "b", "c")
    assert line(made).startswith("the change to `a`, `b` and 1 more makes ")


def test_speed_says_nothing_about_safety():
    review = clean()
    for step in (review.diff, review.check, *review.explored):
        step.verdict, step.reason = "inconclusive", "calls always raised. Give values"
    assert (review.verdict, review.perf.verdict) == ("inconclusive", "none")
    assert line(review).startswith("no conclusion: diff: calls always raised. Give values; check: ")
    review.check.verdict = "none"
    assert review.verdict == "clean"
    assert "tests compared" not in line(review)
    assert len(review.untold) == 2


def test_what_only_the_old_version_could_do_is_no_finding():
    made = account()
    (finding,) = made.diff.findings
    finding.only_old, finding.only_new = finding.only_new, []
    made.check, made.perf = None, None
    assert (made.brought(), made.verdict) == ([], "clean")
    assert line(made).startswith("it rules out that `withdraw` can leave balance -8")


def test_what_was_there_before_is_no_finding():
    made = account()
    made.diff = None
    made.before = list(made.check.findings)
    assert made.brought() == []
    assert "there before the change: Account: two concurrent calls" in "\n".join(
        review_statement(result([made]), [made])
    )


def test_findings_with_one_cause_are_one_finding():
    made = account()
    (brought,) = made.brought()
    assert (brought.command, len(brought.also)) == ("diff", 1)
    other = made.check.findings[0]
    other.race = [replace(step, verb="write", place="Account.owner") for step in other.race]
    assert [each.command for each in made.brought()] == ["diff", "check"]


def test_each_effect_has_its_own_cause():
    made = account()
    made.locks.append(LockChange("widened", ("transfer",)))
    made.check.findings = [Finding("deadlock", "x", ["Account.transfer"], compared().findings[0].test)]
    assert line(made).endswith(
        "lets `withdraw` leave balance -8 (before: 0); the lock widened in `transfer` in this change lets two calls of "
        "`transfer` wait for each other for ever"
    )


def test_a_combination_of_results_is_said_with_the_words_of_another_finding():
    made = account()
    (finding,) = made.diff.findings
    finding.effect = Effect("", "it can happen together that `a` returns 1 and `b` returns 2")
    assert line(made).endswith("lets two calls of `withdraw` end as no order of them does")
    made.check = None
    assert line(made).endswith("lets two calls of `withdraw` give results together that they could not give before")


def found(kind, **more):
    methods = more.pop("methods", ["C.put", "C.get"])
    return Brought("check", Finding(kind, "x", methods, **more))


@pytest.mark.parametrize(("brought", "said"), [
    (found("deadlock", methods=["C.put"]), "lets two calls of `put` wait for each other for ever"),
    (found("exception", exception="KeyError"), "lets `put` and `get` raise KeyError"),
    (found("deadlock"), "lets `put` and `get` wait for each other for ever"),
    (found("wrong-result"), "lets `put` and `get` end as no order of them does"),
    (found("crash"), "makes the process crash"),
    (Brought("explore", Finding("exception", "test_x fails", [])), "makes an existing test fail: test_x fails"),
])  # fmt: skip
def test_deeds_in_words(brought, said):
    assert effect(brought) == said


def lost_update(last="write C.n", read="read C.n"):
    rows = [
        AccessStep(thread, "c.py", 1, "C.add", "", *access.split(" "))
        for thread, access in ((1, read), (2, "write C.n"), (1, last))
    ]
    return Brought("check", Finding("wrong-result", "x", ["C.add", "C.get"], interleaving=rows, race=rows[1:]))


def test_an_update_is_lost_if_it_is_overwritten_by_who_has_read_before():
    assert effect(lost_update()) == "lets `add` lose updates"
    assert "lose" not in effect(lost_update(last="read C.n"))
    assert "lose" not in effect(lost_update(read="read C.m"))


def test_the_terminal_report(whole, golden):
    text = as_text(review_text(*whole))
    golden("review/findings.txt", text)
    golden("review/clean.txt", as_text(review_text(result([clean()]), [clean()])))
    golden("review/nothing.txt", as_text(review_text(result([]), [])))


def test_the_comment(whole, golden):
    golden("review/findings.md", review_markdown(*whole))
    golden("review/clean.md", review_markdown(result([clean()]), [clean()]))


def test_the_result_for_programs(whole, golden):
    data = json.loads(json.dumps(review_json(*whole)))
    golden("review/findings.shape.json", json.dumps(shape(data), indent=1))
    golden("review/findings.junit.xml", without_version(junit(data)))
    golden("review/findings.sarif", without_version(sarif(data)))


def test_what_explains_a_finding_names_files_as_its_steps_do():
    """The page looks up the steps of a gap by file and line: with two names for one file it found no lock there."""
    made = account()
    (finding,) = made.diff.findings
    own = finding.interleaving[0]
    finding.gap = Gap(own.thread, own.own_file, own.function, 27, 29)
    finding.guard = Guard("Account.balance", "Account._lock", (f"{own.own_file}:27",), 2)
    (found,) = review_json(result([made]), [made])["findings"]
    assert {row["file"] for row in found["interleaving"]} == {found["gap"]["file"]} == {"src/account.py"}
    assert found["guard"]["unguarded"] == ["src/account.py:27"]
    assert why_sentences(Finding.from_json(found))[1:] == why_sentences(finding)[1:]


def test_nothing_of_the_code_under_test_becomes_markup_in_a_comment():
    made = account()
    (finding,) = made.diff.findings
    finding.summary = f"Account: {NASTY} ```"
    finding.interleaving = [replace(row, code=f"```\n<b>{NASTY}") for row in finding.interleaving]
    text = review_markdown(result([made]), [made])
    assert text.startswith(MARKER)
    fenced = re.sub(r"^(`{3,})[a-z]*\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert "<script" not in fenced
    assert "<img" not in fenced


def test_other_readers(whole):
    data = json.loads(json.dumps(review_json(*whole)))
    assert [each["verdict"] for each in data["classes"]] == ["finding", "finding", "clean", "inconclusive"]
    assert [each["subject"] for each in data["findings"]] == ["account:Account", "cache:Cache"]
    places = [each["locations"][0]["physicalLocation"] for each in json.loads(sarif(data))["runs"][0]["results"]]
    assert [each["artifactLocation"]["uri"] for each in places] == ["src/account.py", "cache.py"]
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.validators.validator_for(schema)(schema).validate(json.loads(sarif(data)))
    (suite,) = ET.fromstring(junit(data))
    assert suite.get("failures") == "2"
    assert [case.get("classname") for case in suite] == ["account:Account", "cache:Cache", "shop:Stock", "shop:Gate"]
    assert [[part.tag for part in case] for case in suite] == [["failure"], ["failure"], [], ["skipped"]]
    assert suite.get("skipped") == "1"
    xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").validate(ET.fromstring(junit(data)))
    assert data["findings"][1]["summary"].startswith("Cache: 1.45 times slower")
    page = html(data, review_statement(*whole))
    assert "the lock widened in `load` in this change" in page


def test_the_markdown_can_take_the_place_of_the_report(whole, capsys, tmp_path):
    publish_review(*whole, asked(markdown=tmp_path / "c.md"))
    assert (tmp_path / "c.md").read_text(encoding="utf-8").startswith(MARKER)
    assert "FOUND account:Account" in capsys.readouterr().out
    publish_review(*whole, asked(markdown=Path("-")))
    assert capsys.readouterr().out.startswith(MARKER)


@pytest.fixture
def reviewing(tmp_path, monkeypatch):
    """`plait review` of classes that are written down: its exit code, its result and its comment."""
    monkeypatch.chdir(tmp_path)

    def review(names, *words):
        classes = []
        for name in names:
            made = cache() if name == "Cache" else account()
            made.touched = touched(f"shop:{name}", "withdraw")
            classes.append(made)
        monkeypatch.setattr(command, "review", lambda *_: (result(classes), classes))
        code = main(["review", "--json", "r.json", "--markdown", "r.md", *words])
        data = json.loads(Path("r.json").read_text(encoding="utf-8"))
        assert undescribed(data) == []
        return code, data, Path("r.md").read_text(encoding="utf-8")

    return review


def test_a_project_with_an_accepted_baseline(reviewing, capsys):
    """Five findings are known: green; a sixth is red; one that has expired is red and named."""
    known = ["A", "B", "C", "D", "Cache"]
    assert reviewing(known)[0] == 1
    assert reviewing(known, "--update-baseline", "there before plait", "--expires", "2999-12-31")[0] == 0
    code, data, comment = reviewing(known)
    assert (code, data["verdict"], data["baseline"]["new"]) == (0, "findings", 0)
    assert {each["baseline"]["reason"] for each in data["findings"]} == {"there before plait"}
    assert len(data["findings"]) == 5
    assert "### plait: nothing new was found" in comment
    assert "In the baseline, known (until 2999-12-31): there before plait" in comment
    assert "known shop:A: " in capsys.readouterr().out
    code, data, comment = reviewing([*known, "E"])
    assert (code, data["baseline"]["new"] > 0) == (1, True)
    assert [each["subject"] for each in data["findings"] if "baseline" not in each] == ["shop:E"]
    assert "### plait: this change is not safe" in comment
    file = Path("plait-baseline.toml")
    entries = file.read_text(encoding="utf-8").split("[[finding]]")
    late = [each.replace("2999", "2001") if 'subject = "shop:B"' in each else each for each in entries]
    file.write_text("[[finding]]".join(late), encoding="utf-8")
    code, data, comment = reviewing(known)
    assert (code, len(data["baseline"]["expired"]) > 0) == (1, True)
    assert "accepted until 2001-12-31, which has passed" in comment
    code, data, _comment = reviewing(known[1:], "--update-baseline", "again")
    assert (code, data["baseline"]["gone"]) == (0, [])  # class A was not touched: nothing is known about it


def test_what_a_review_no_longer_finds_is_named(reviewing, monkeypatch):
    reviewing(["A"], "--update-baseline", "for now")
    made = clean()
    made.touched = touched("shop:A", "withdraw")
    monkeypatch.setattr(command, "review", lambda *_: (result([made]), [made]))
    assert main(["review", "--json", "r.json"]) == 0
    data = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert {each["subject"] for each in data["baseline"]["gone"]} == {"shop:A"}


def test_a_title_is_as_wide_as_a_page_where_sentences_are_not_wrapped():
    made = account()
    text = as_text(review_text(result([made]), [made], piped_layout()))
    assert max(len(line) for line in text.splitlines() if line.startswith("-- ")) == PIPED


def test_existing_tests_without_threads_need_no_word():
    made = clean()
    for step in made.explored:
        step.verdict, step.reason = "inconclusive", "the test starts no thread"
        step.more["tests"] = [{"test": "tests/test_shop.py::test_one", "ran": "one thread"}]
    assert made.untold == []
    for step in made.explored:
        step.more["tests"] = [{"test": "tests/test_shop.py::test_one", "ran": "not under control"}]
    assert [each.startswith("explore ") for each in made.untold] == [True] * len(made.explored)


def test_a_class_without_a_conclusion_is_told_beside_those_where_nothing_was_found():
    """ "nothing found" of two classes, of which one could not be judged, reads as a pass of both."""
    undecided = clean()
    undecided.diff = undecided.perf = None
    undecided.explored = []
    undecided.check = checked(found=False)
    undecided.check.verdict, undecided.check.reason = "inconclusive", "the time was over"
    classes = [clean(), undecided]
    assert "2 classes for several threads, nothing found, no conclusion about 1 of them" in "\n".join(
        review_statement(result(classes), classes)
    )
    assert "### plait: nothing found, no conclusion about 1 of 2 classes\n" in review_markdown(result(classes), classes)
    assert line(undecided) == "no conclusion: check: the time was over"
    alone = [clean()]
    assert "### plait: nothing found\n" in review_markdown(result(alone), alone)
