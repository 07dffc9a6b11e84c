"""The same result for other readers: JUnit, SARIF, a page. Texts of the code under test stay texts."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import xmlschema
from report_samples import asked, checked, compared, explored, harmful, spoken

from plait.model.finding import Finding
from plait.model.result import Result
from plait.model.schedule import Schedule, Segment
from plait.model.test import Test
from plait.report.html import html
from plait.report.junit import junit
from plait.report.publish import write_all
from plait.report.sarif import sarif

SCHEMAS = Path(__file__).parents[1] / "schemas"
SPOKEN = spoken()
NASTY = "</script><script>alert('x')</script> \" ' & \x00 \ud800"


def result(findings=1):
    row = {
        "thread": 1, "file": "src/account.py", "line": 3, "function": "f", "code": f"self.x = {NASTY}",
        "access": "write Account.x", "value": NASTY, "locks": ["Account._lock"],
    }  # fmt: skip
    other = {**row, "thread": 2, "line": 7, "access": "read Account.x"}
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
        write_all(result.as_json(), asked(**outputs), "said", ["said"])
        return capsys.readouterr().out.splitlines()[-1]

    found, elsewhere = checked(), checked()
    found.more["root"] = "."
    assert last(found) == "Step by step: plait replay plait-out/test_account_withdraw_wrong_result.py --step"
    assert last(elsewhere) == last(checked(found=False)) == last(explored()) == "said"
    assert last(found, markdown=Path("-")) == "said"


def test_a_result_that_was_written_is_what_to_go_on_with(tmp_path, capsys):
    write_all(checked().as_json(), asked(json=tmp_path / "r.json"), "said", ["said"])
    assert capsys.readouterr().out.splitlines() == ["said", f"Step by step: plait replay {tmp_path / 'r.json'} --step"]


def test_an_improvement_is_no_failure():
    data = SPOKEN["perf/improvement"][0].as_json()
    assert 'failures="0"' in junit(data)
    assert json.loads(sarif(data))["runs"][0]["results"][0]["level"] == "note"


def test_sarif_names_files_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = compared().as_json()
    elsewhere = tmp_path.parent / "x"
    for root, uri in ((tmp_path / "a b", "a%20b/account.py"), (elsewhere, f"{elsewhere.as_uri()}/account.py")):
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
