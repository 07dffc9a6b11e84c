"""The same result for other readers: JUnit, SARIF, a page. Texts of the code under test stay texts."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import xmlschema
from report_samples import asked, checked, compared, explored, harmful, spoken

from plait.model.finding import AccessStep, Finding, Gap, Guard
from plait.model.fingerprint import fingerprint_of
from plait.model.result import Result
from plait.model.schedule import Schedule, Segment
from plait.model.test import Test
from plait.report.html import html
from plait.report.junit import junit
from plait.report.layout import Span
from plait.report.publish import write_all
from plait.report.sarif import RULES, sarif
from plait.report.sources import name_from
from result_schema import PUBLISHED

SCHEMAS = Path(__file__).parents[1] / "schemas"
SPOKEN = spoken()
NASTY = "</script><script>alert('x')</script> \" ' & \x00 \ud800"


def result(findings=1):
    row = AccessStep(
        1, "src/account.py", 3, "f", f"self.x = {NASTY}", "write", "Account.x", value=NASTY, locks=("Account._lock",)
    )
    other = replace(row, thread=2, line=7, verb="read")
    test = Test.from_lines(["from account import Account"], ["x = Account()"], [["x.f(1)"], ["x.g()"]])
    made = [
        Finding(
            "wrong-result", f"lost {NASTY}", ["Account.f"], test, schedule=Schedule((Segment(1), Segment(2))),
            interleaving=[row, other], race=[row, other], reachable={"gil": False, "free-threaded": True},
        )
        for _ in range(findings)
    ]  # fmt: skip
    stats = {"tests": 3, "schedules": 9}
    return Result("check", "account:Account", "violation" if made else "none", findings=made, stats=stats).as_json()


def test_junit_has_a_failure_per_finding_and_is_well_formed():
    root = ET.fromstring(junit(result(2)).encode("utf-8", "replace"))
    (suite,) = root
    assert suite.get("failures") == "2"
    assert [case[0].get("type") for case in suite] == ["wrong-result", "wrong-result"]
    assert "alert('x')" in suite[0][0].text


def test_junit_of_a_pass_is_one_passed_case():
    (suite,) = ET.fromstring(junit(result(0)))
    assert (suite.get("tests"), suite.get("failures"), len(suite[0])) == ("1", "0", 0)


def test_sarif_points_at_the_racing_lines():
    log = json.loads(sarif(result()))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    (found,) = run["results"]
    assert run["tool"]["driver"]["rules"][found["ruleIndex"]]["id"] == found["ruleId"] == "wrong-result"
    assert found["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    assert found["relatedLocations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    assert [step["executionOrder"] for step in found["codeFlows"][0]["threadFlows"][0]["locations"]] == [1, 2]


@pytest.mark.parametrize("name", SPOKEN)
def test_sarif_keeps_its_schema(name):
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    log = json.loads(sarif(SPOKEN[name][0].as_json()))
    jsonschema.validators.validator_for(schema)(schema).validate(log)
    assert bool(log["runs"][0]["results"]) == bool(SPOKEN[name][0].findings)


def test_the_schema_of_sarif_refuses_what_is_wrong():
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    log = json.loads(sarif(result()))
    log["runs"][0]["results"][0]["level"] = "terrible"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, schema)


def test_harmful_texts_keep_the_schemas():
    data = harmful().as_json()
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(sarif(data)), schema)
    xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").validate(junit(data))


@pytest.mark.parametrize("name", SPOKEN)
def test_junit_keeps_its_schema(name):
    xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").validate(junit(SPOKEN[name][0].as_json()))


@pytest.mark.parametrize(("name", "why"), [
    ("perf/inconclusive", "the machine is too busy: on average 3.1 other processes wanted its 2 CPUs"),
    ("check/nothing", "no object could be made: Account.__init__ needs `bank`, for which there is no value"),
])  # fmt: skip
def test_what_came_to_no_conclusion_is_skipped_with_its_reason(name, why):
    (suite,) = ET.fromstring(junit(SPOKEN[name][0].as_json()))
    assert (suite.get("tests"), suite.get("skipped"), suite.get("failures")) == ("1", "1", "0")
    assert suite[0][0].get("message") == why


def test_a_report_says_how_to_go_on(capsys):
    def last(result, **outputs):
        write_all(result.as_json(), asked(**outputs), [[Span("said")]], ["said"])
        return capsys.readouterr().out.splitlines()[1:]

    found, elsewhere = checked(), checked()
    found.more["root"] = "."
    file = "plait-out/test_account_withdraw_wrong_result.py"
    assert last(found) == [f"Step by step: plait replay {file} --step", f"A mend that is proven: plait fix {file}"]
    assert last(elsewhere) == last(checked(found=False)) == last(explored()) == []
    assert last(found, markdown=Path("-")) == []


@pytest.mark.parametrize("form", ["html", "junit", "sarif", "badge"])
def test_what_goes_to_the_terminal_for_a_program_stands_alone(form, capsys):
    write_all(checked().as_json(), asked(**{form: Path("-")}), [[Span("said")]], ["said"])
    out = capsys.readouterr().out
    assert "said" not in out.splitlines()
    assert out.startswith("<" if form in ("html", "junit") else "{")
    if form in ("sarif", "badge"):
        json.loads(out)


def test_a_result_that_was_written_is_what_to_go_on_with(tmp_path, capsys):
    write_all(checked().as_json(), asked(json=tmp_path / "r.json"), [[Span("said")]], ["said"])
    file = tmp_path / "r.json"
    commands = [f"Step by step: plait replay {file} --step", f"A mend that is proven: plait fix {file}"]
    assert capsys.readouterr().out.splitlines() == ["said", *commands]


def test_an_improvement_is_no_failure():
    data = SPOKEN["perf/improvement"][0].as_json()
    assert 'failures="0"' in junit(data)
    assert json.loads(sarif(data))["runs"][0]["results"][0]["level"] == "note"


def test_sarif_names_files_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = compared().as_json()
    elsewhere = tmp_path.parent / "x"
    for root, uri in ((tmp_path / "a b", "a%20b/account.py"), (elsewhere, "account.py")):
        found = json.loads(sarif({**data, "root": str(root)}))["runs"][0]["results"][0]
        assert found["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri}


def test_sarif_says_when_a_line_is_of_the_old_version():
    data = json.loads(json.dumps(compared().as_json()))
    for row in (*data["findings"][0]["interleaving"], *data["findings"][0]["race"]):
        row.update(file="HEAD (0123456789):account.py", version="HEAD (0123456789)")
    place = json.loads(sarif(data))["runs"][0]["results"][0]["locations"][0]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "account.py"}
    assert place["message"]["text"] == "thread 1: read Account.balance (HEAD (0123456789))"


def test_the_page_runs_nothing_of_the_code_under_test():
    page = html(result())
    assert page.count("<script") == 2  # the data and plait's own
    embedded = re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1)
    assert "<" not in embedded
    assert json.loads(embedded)["findings"][0]["summary"] == f"lost {NASTY}"
    assert "alert('x')</script>" not in page


def test_the_page_loads_nothing_from_elsewhere():
    page = html(result())
    assert not re.search(r"(src|href)\s*=", page)
    addresses = set(re.findall(r"https?://[^\s\"']+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not a place
    assert "default-src 'none'" in page


def test_sarif_explains_its_rules_and_ranks_them():
    levels = {}
    for name in ("check/violation", "diff/difference", "perf/regression", "explore/failure"):
        log = json.loads(sarif(SPOKEN[name][0].as_json()))["runs"][0]
        for rule in log["tool"]["driver"]["rules"]:
            assert all((rule["help"]["text"], rule["help"]["markdown"], rule["fullDescription"]["text"]))
            page = rule["helpUri"].rpartition("/")[2]
            assert (SCHEMAS.parents[1] / "docs" / page).is_file()
        for found in log["results"]:
            levels[found["ruleId"]] = found["level"]
            assert log["tool"]["driver"]["rules"][found["ruleIndex"]]["defaultConfiguration"]["level"] == found["level"]
    assert levels == {"wrong-result": "error", "difference": "warning", "performance": "warning", "exception": "error"}
    assert set(RULES) == set(PUBLISHED["$defs"]["finding"]["properties"]["kind"]["enum"])


def test_what_a_change_has_mended_is_a_note():
    data = json.loads(json.dumps(compared().as_json()))
    data["findings"][0] |= {"only_old": data["findings"][0]["only_new"], "only_new": []}
    assert json.loads(sarif(data))["runs"][0]["results"][0]["level"] == "note"


def test_alerts_are_told_apart_by_fingerprints():
    data = checked().as_json()
    (found,) = json.loads(sarif(data))["runs"][0]["results"]
    name = data["findings"][0]["fingerprint"]
    assert found["partialFingerprints"] == {"plait/v1": name, "primaryLocationLineHash": f"{name}:1"}
    assert "suppressions" not in found


def accepted():
    """A check with two findings, of which the baseline knows one."""
    result = checked()
    other = checked().findings[0]
    other.kind, other.exception = "exception", "KeyError"
    result.findings.append(other)
    data = json.loads(json.dumps(result.as_json()))
    data["findings"][0]["baseline"] = {"status": "known", "reason": "one thread only", "expires": None}
    data["findings"][1]["baseline"] = {"status": "expired", "reason": "soon", "expires": "2020-01-01"}
    gone = {"file": "plait-baseline.toml", "known": 1, "new": 1, "expired": [], "gone": []}
    return {**data, "baseline": gone}


def test_what_is_known_is_suppressed_in_sarif():
    first, second = json.loads(sarif(accepted()))["runs"][0]["results"]
    assert first["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "one thread only"}]
    assert second["suppressions"] == []
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(sarif(accepted())), schema)


def test_what_is_known_is_skipped_in_junit():
    (suite,) = ET.fromstring(junit(accepted()))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "1", "1")
    assert suite[0][0].get("message") == "in the baseline: one thread only"
    assert suite[1][0].tag == "failure"
    xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").validate(junit(accepted()))


def test_junit_names_stay_when_others_come_and_go():
    both = accepted()
    names = [case.get("name") for case in ET.fromstring(junit(both))[0]]
    alone = {**both, "findings": both["findings"][1:]}
    assert [case.get("name") for case in ET.fromstring(junit(alone))[0]] == names[1:]
    assert names[1] == f"exception in withdraw [{both['findings'][1]['fingerprint']}]"
    twice = {**both, "findings": [both["findings"][1]] * 2}
    assert len({case.get("name") for case in ET.fromstring(junit(twice))[0]}) == 2


def test_a_finding_without_any_step_is_shown_at_its_class(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src" / "shop").mkdir(parents=True)
    (tmp_path / "src" / "shop" / "stock.py").touch()
    lost = Finding("crash", "Stock: `put` ends the process", ["Stock.put"])
    data = Result("check", "shop.stock:Stock", "violation", findings=[lost], stats={"tests": 1}).as_json()
    (found,) = json.loads(sarif({**data, "root": str(tmp_path / "src")}))["runs"][0]["results"]
    place = {"artifactLocation": {"uri": "src/shop/stock.py"}, "region": {"startLine": 1}}
    assert found["locations"] == [{"physicalLocation": place}]
    assert "locations" not in json.loads(sarif({**data, "subject": "nowhere:A"}))["runs"][0]["results"][0]


def test_files_are_named_from_where_the_class_is_imported(tmp_path):
    file = tmp_path / "shop.py"
    file.write_text("class Shop:\n    def add(self):\n        self.total = self.total + 1\n", encoding="utf-8")
    row = AccessStep(1, str(file), 3, "Shop.add", "self.total", "read", "x")
    foreign = replace(row, file=str(tmp_path.parent / "queue.py"))
    guard = Guard("Shop.total", "Shop._lock", (f"{file}:3",), 1)
    gap = Gap(1, str(file), "Shop.add", 3, 3)
    waiting = [f"thread 1 waits at {file}:3 `x` for Shop._lock"]
    found = Finding(
        "deadlock", "", ["Shop.add"], interleaving=[row, foreign], race=[row, foreign], guard=guard, gap=gap,
        waiting=waiting,
    )  # fmt: skip
    before = Finding.from_json(found.as_json())
    name_from(tmp_path, [found])
    assert str(tmp_path) not in json.dumps(found.as_json())
    assert replace(found.interleaving[0], code="") == replace(row, file="shop.py", code="")
    assert found.race[0].code == "self.total = self.total + 1"
    assert found.race[1] == foreign
    assert found.guard.unguarded == ("shop.py:3",)
    assert found.waiting == ["thread 1 waits at shop.py:3 `x` for Shop._lock"]
    assert fingerprint_of(found, "shop:Shop") == fingerprint_of(before, "shop:Shop")
