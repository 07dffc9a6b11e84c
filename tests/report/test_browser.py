"""The HTML report in a real browser: from disk, by keyboard, in the dark, on a phone, and looked over by axe-core."""

import json
import os
import shutil
from pathlib import Path

import pytest
from report_samples import NASTY, STEPS, compared, harmful, spoken
from review_samples import whole

from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.report.check_text import check_statement
from plait.report.html import html
from plait.report.review import review_json, review_statement
from plait.subject.name import Subject

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
NAMES = ("chromium", "chromium-browser", "google-chrome")
SERIOUS = ("serious", "critical")
SPOKEN = spoken()
NAMES_OF_PAGES = (*SPOKEN, "review/findings")
FOUND = ("violation", "difference", "regression", "failure", "findings")


@pytest.fixture(scope="module")
def chromium():
    program = os.environ.get("PLAIT_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium here: install the package chromium, or name the program in PLAIT_CHROMIUM")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'plait[browser]'")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def show(chromium, tmp_path):
    """Opens a page from disk; at the end nothing may have been complained about, asked for or changed."""
    contexts, trouble = [], []

    def open_page(content, **options):
        file = tmp_path / f"page {len(contexts)}.html"
        file.write_text(content, encoding="utf-8", errors="replace")
        context = chromium.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("dialog", lambda dialog: trouble.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: request.url.startswith("file:") or trouble.append(f"request: {request.url}"))
        page.goto(file.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


def page_of(name):
    if name == "review/findings":
        return html(review_json(*whole()), review_statement(*whole()), "plait replay result.json")
    result, _text, sentences = SPOKEN[name]
    return html(result.as_json(), sentences, "plait replay result.json")


def overflow(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def colour(page, selector, what="color"):
    return page.eval_on_selector(selector, f"node => getComputedStyle(node).{what}")


def brightness(rgb):
    return sum(int(part) for part in rgb.removeprefix("rgb(").removesuffix(")").split(",")[:3])


def test_the_keyboard_steps_through_an_interleaving(show):
    page = show(page_of("diff/difference"))
    status, current = page.locator("[role=status]"), page.locator("[role=option][aria-selected=true]")
    assert status.inner_text().startswith("step 1 of 10: thread 1, read Account.balance: 8")  # not the look at the lock
    steps = page.locator("[role=listbox]")
    steps.focus()
    page.keyboard.press("Home")
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert status.inner_text() == "step 5 of 10: thread 2, write Account.balance: 0; holds Account._lock"
    assert "conflict" in current.inner_text()
    assert current.get_attribute("id") == steps.get_attribute("aria-activedescendant")
    assert page.locator(".source .here").inner_text().strip().startswith("29")
    held = page.get_by_role("group", name="Locks held").inner_text()
    assert "thread 1\tnone" in held
    assert "thread 2\tAccount._lock" in held
    assert page.get_by_role("group", name="Values").inner_text().split() == ["what", "value", "Account.balance", "0"]
    page.keyboard.press("ArrowLeft")
    assert status.inner_text().startswith("step 4 of 10")
    page.keyboard.press("End")
    assert status.inner_text().startswith("step 10 of 10: thread 1, release Account._lock")
    assert "thread 1\tnone" in page.get_by_role("group", name="Locks held").inner_text()
    assert page.get_by_role("button", name="step").is_disabled()
    page.keyboard.press("Home")
    assert status.inner_text().startswith("step 1 of 10")


def test_buttons_and_clicks_step_too(show):
    page = show(page_of("check/violation"))
    status = page.locator("[role=status]")
    page.get_by_role("button", name="step").click()
    assert status.inner_text().startswith("step 2 of")
    page.get_by_role("button", name="back").click()
    page.locator("[role=option]").nth(3).click()
    assert status.inner_text().startswith("step 4 of")
    page.keyboard.press("ArrowRight")
    assert status.inner_text().startswith("step 5 of")


def test_every_part_can_be_reached_by_the_tab_key(show):
    page = show(page_of("diff/difference"))
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.getAttribute('role') || document.activeElement.tagName"))
    assert {"listbox", "BUTTON", "SUMMARY", "group"} <= reached


def test_a_difference_shows_all_that_explains_it(show):
    page = show(page_of("diff/difference"))
    text = page.inner_text("main")
    for said in (
        "Behaviour that only one version can show", "can happen today: GIL and free-threaded builds",
        "confirmed on OS threads", "1 preemption",
        "Race: read Account.balance at line 27 (thread 1)",
        "is accessed under Account._lock at 2 of 3 places; not at account.py:27", "plait replay result.json",
        "pytest plait-out/test_account_withdraw_difference.py", "only the new version has audit",
    ):  # fmt: skip
        assert said in text
    outcomes = page.get_by_role("group", name="Outcomes of both versions")
    assert outcomes.locator("tbody tr").all_inner_texts() == ["-8\tnever\tyes", "0\tyes\tyes"]
    assert page.locator(".tag.race").count() == 2
    assert page.locator(".tag.changed").count() == 4  # lines, not accesses
    page.locator("[role=option]").nth(2).click()
    assert page.locator(".source .changed").count() == 2
    assert "with self._lock:" in page.locator(".source .gone").all_inner_texts()[-4]


def test_a_check_shows_its_coverage(show):
    page = show(page_of("check/violation"))
    matrix = page.get_by_role("group", name="Pairs of methods").locator("tbody tr")
    assert [line.split("\t") for line in matrix.all_inner_texts()] == [["deposit", "3", ""], ["withdraw", "○", "·"]]
    plot = page.get_by_role("img", name="Covered pairs over time: 1 of 3 after 3.1 s")
    assert plot.locator("polyline").count() == 1


def test_a_failing_test_says_how_to_run_its_schedule_again(show):
    page = show(page_of("explore/failure"))
    assert "pytest tests/test_account.py::test_two --plait --plait-replay e" in page.inner_text("main")
    assert "tests/test_account.py::test_two: raises" in page.inner_text("main")
    assert "only on free-threaded builds" in page.inner_text(".badges")


def test_a_measurement_shows_intervals_and_curves(show):
    page = show(page_of("perf/regression"))
    assert page.get_by_role("img", name="Speed-ups of the tests").locator("circle.slower").count() == 2
    curves = page.get_by_role("img", name="Calls per second").locator("polyline")
    assert curves.count() == 2
    assert page.get_by_role("img", name="Speed-up by number of threads").locator("circle").count() == 2
    rows = page.get_by_role("group", name="Scaling").locator("tbody tr").all_inner_texts()
    assert rows[1].split("\t")[:3] == ["8", "5 M", "1 M"]
    assert "41.0 %" in page.get_by_role("group", name="Locks").inner_text()
    assert "1 of 4 tests is <odd>" in page.inner_text("main")


def test_a_review_has_a_line_for_each_class_and_a_command_for_each_finding(show):
    page = show(page_of("review/findings"))
    rows = page.get_by_role("group", name="Classes").locator("tbody tr").all_inner_texts()
    assert [row.split("\t")[:2] for row in rows] == [
        ["finding", "account:Account"], ["finding", "cache:Cache"], ["clean", "shop:Stock"],
        ["inconclusive", "shop:Gate"],
    ]  # fmt: skip
    text = page.inner_text("main")
    assert "plait replay result.json --finding 1" in text
    assert "python plait-out/perf_cache_cache.py" in text


def many(count=30):
    """Return the page of a check with many findings, of four classes and three kinds."""
    _result, _text, sentences = SPOKEN["check/violation"]
    return html(data_of_many(count), sentences, "plait replay result.json")


def data_of_many(count=30):
    data = SPOKEN["check/violation"][0].as_json()
    (found,) = data["findings"]
    kinds = ("wrong-result", "deadlock", "performance")
    data["findings"] = [
        {**found, "subject": f"shop:Class{number % 4}", "kind": kinds[number % 3], "summary": f"No. {number + 1}"}
        for number in range(count)
    ]
    return data


def test_many_findings_have_an_index_with_filters(show):
    page = show(many())
    shown, rows = page.locator("#shown-findings"), page.locator(".index tbody tr:visible")
    assert (shown.inner_text(), rows.count(), page.locator("article:visible").count()) == ("30 of 30 findings", 30, 30)
    page.get_by_label("Class").select_option("shop:Class1")
    assert rows.count() == page.locator("article:visible").count() == 8
    page.get_by_label("Kind").select_option("deadlock")
    assert shown.inner_text() == "3 of 30 findings"
    page.get_by_label("Kind").select_option("")
    page.get_by_label("Severity").select_option("warning")
    assert {row.split("\t")[2] for row in rows.all_inner_texts()} == {"performance"}
    page.get_by_label("Severity").select_option("")
    page.get_by_label("Class").select_option("")
    page.get_by_label("Text").fill("No. 17")
    assert [row.split("\t")[-1] for row in rows.all_inner_texts()] == ["No. 17"]


def test_findings_that_one_change_mends_say_so_and_what_has_one_value_needs_no_filter(show):
    data = json.loads(json.dumps(SPOKEN["check/violation"][0].as_json()))
    places = ["shop.py: Shop.report", "shop.py: Shop.report", "shop.py: Shop.put"]
    data["findings"] = [{**data["findings"][0], "summary": f"No. {at}", "mend": mend} for at, mend in enumerate(places)]
    page = show(html(data, ["3 violations"], None, []))
    assert page.locator(".index th").all_inner_texts()[-1] == "to mend"
    assert [row.split("\t")[-1] for row in page.locator(".index tbody tr").all_inner_texts()] == places
    assert page.get_by_label("Kind").count() == page.get_by_label("Severity").count() == 0
    page.get_by_label("Text").fill("Shop.put")
    assert page.locator("#shown-findings").inner_text() == "1 of 3 findings"
    for each, mend in zip(data["findings"], "abc", strict=True):
        each["mend"] = mend
    page = show(html(data, ["3 violations"], None, []))
    assert "to mend" not in page.locator(".index th").all_inner_texts()


def audited():
    rows = {
        "get": {"called": 9, "returned": 9, "returned_together": 4},
        "put": {"called": 3, "returned": 2, "returned_together": 1},
    }
    contract = {
        "level": "externally synchronised", "methods": {"get": "atomic", "put": "externally synchronised"},
        "safe_pairs": [["get", "get"], ["get", "put"]], "unsafe_pairs": [["put", "put"]],
    }  # fmt: skip
    bad = {
        "name": "shop:Class1", "kind": "class", "file": "shop.py", "line": 3, "verdict": "unsafe", "reason": "",
        "claim": "locked", "contract": contract,
        "evidence": {"pairs": 3, "pairs_covered": 3, "schedules": 12345, "methods": rows},
        "suspected": [{"what": "put writes self.n without a lock", "line": 9}],
    }  # fmt: skip
    pure = {"level": "immutable", "methods": {}, "safe_pairs": [], "unsafe_pairs": []}
    good = {**bad, "name": "shop:double", "kind": "function", "verdict": "no_violation", "claim": "unsaid"}
    good |= {"suspected": [], "contract": pure}
    left = {
        **good,
        "name": "shop:Client",
        "kind": "class",
        "verdict": "not_judged",
        "reason": "cannot be built",
        "evidence": {},
    }
    return html(
        {**data_of_many(), "command": "audit", "verdict": "findings", "subjects": [bad, good, left], "module_state": []}
    )


@pytest.mark.parametrize("width", [400, 900, 1400])
def test_an_audit_has_a_table_and_a_section_for_each_class(show, width):
    page = show(audited(), viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    rows = page.locator("table.subjects tbody tr")
    assert rows.count() == 3
    page.get_by_label("Show only rows with").fill("immutable")
    assert (rows.count(), page.get_by_text("2 of 3 classes and functions").count()) == (2, 1)
    page.get_by_label("Show only rows with").fill("")
    page.locator("table.subjects a[href='#subject-1']").click()
    section = page.locator("#subject-1[open]")
    section.get_by_text("What each method promises").wait_for()
    assert "has locks of its own" in section.inner_text()
    assert section.locator(".matrix td.no").count() == 1
    assert section.locator(".matrix td.yes").count() == 2
    assert section.get_by_text("line 9: put writes self.n without a lock").count() == 1
    assert {link.get_attribute("href")[:9] for link in section.locator("li a").all()} == {"#finding-"}
    assert page.locator("#subject-3 table").count() == 0


def test_the_index_leads_to_a_finding_that_opens_at_the_conflict(show):
    page = show(many())
    assert page.locator("details.body[open]").count() == 1  # the others are folded
    page.locator(".index a[href='#finding-5']").first.click()
    article = page.locator("article").nth(4)
    article.locator("details.body[open]").wait_for()  # the browser tells of a new address some time after the click
    assert "conflict" in article.locator("[role=option][aria-selected=true]").inner_text()
    assert article.bounding_box()["y"] < 200


def test_findings_of_one_class_say_what_is_raised_and_wrap_long_values(show):
    data = json.loads(json.dumps(SPOKEN["check/violation"][0].as_json()))
    (wrong,) = data["findings"]
    raised = {
        **wrong, "kind": "exception", "exception": "KeyError", "summary": "Account: `x.take()` can raise KeyError",
        "raised": "KeyError: 'a', raised at account.py:3, in `Account.take`",
        "raised_at": {"message": "'a'", "file": "account.py", "line": 3},
    }  # fmt: skip
    wrong["interleaving"] = [{**step, "value": "b'" + "\\x00" * 40} for step in wrong["interleaving"]]
    data["findings"] = [wrong, raised]
    page = show(html(data, ["2 violations"], None, ["--max-tests", "7"]), viewport={"width": 400, "height": 800})
    assert (
        page.locator(".index tbody tr")
        .nth(1)
        .inner_text()
        .endswith("`x.take()` can raise KeyError: 'a'".replace("`", ""))
    )
    assert page.get_by_label("Class").count() == 0
    assert "--seed 0 --max-tests 7" in page.inner_text("main")
    for box in ("[role=listbox]", "article [role=status]", ".beside table"):
        assert page.eval_on_selector(box, "node => node.getBoundingClientRect().right") <= 400
    assert overflow(page) <= 0


def test_one_finding_needs_no_index(show):
    page = show(page_of("check/violation"))
    assert page.locator(".index").count() == 0
    assert page.locator("details.body").count() == 0


def test_test_command_and_settings_can_be_copied(show):
    page = show(page_of("check/violation"), permissions=["clipboard-read", "clipboard-write"])
    wanted = {
        "Copy the test": "x = Account()\nx.deposit(8)\n# thread 1\nx.withdraw(8)\n# thread 2\nx.withdraw(8)",
        "Copy Replay it": "plait replay result.json",
        "Copy A mend that is proven": "plait fix result.json",
        "Copy Command of this run": "plait check account:Account --seed 0",
    }
    for name, text in wanted.items():
        button = page.get_by_role("button", name=name, exact=True)
        button.click()
        page.wait_for_function("node => node.textContent === 'Copied'", arg=button.element_handle())
        assert page.evaluate("navigator.clipboard.readText()") == text
    page.get_by_role("button", name="Copy Accept it for now").click()
    assert 'fingerprint = "' in page.inner_text("main")


def test_an_index_fits_a_phone_and_pleases_axe(show):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for width, scheme in ((400, "light"), (900, "dark"), (1400, "light")):
        page = show(many(), viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
        assert overflow(page) <= 0
        found = [each for each in axe.run(page).response["violations"] if each["impact"] in SERIOUS]
        assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found] == []


@pytest.mark.parametrize("name", NAMES_OF_PAGES)
def test_pages_fit_a_phone(show, name):
    page = show(page_of(name), viewport={"width": 400, "height": 800})
    assert overflow(page) <= 0
    if page.locator("[role=listbox]").count():
        first = page.locator("[role=option]").first.bounding_box()
        assert first["width"] > 250  # threads below each other, not squeezed
        page.locator("[role=listbox]").press("End")
        assert overflow(page) <= 0


def test_colours_follow_the_system(show):
    light, dark = (show(page_of("diff/difference"), color_scheme=scheme) for scheme in ("light", "dark"))
    for selector in ("body", "[role=option][aria-selected=true] > div", "pre.source"):
        assert brightness(colour(light, selector, "backgroundColor")) > 500
        assert brightness(colour(dark, selector, "backgroundColor")) < 250
    assert brightness(colour(light, "body")) < 250 < 500 < brightness(colour(dark, "body"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [name for name in NAMES_OF_PAGES if name.partition("/")[2] in FOUND])
def test_axe_finds_nothing_serious(show, name, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = show(page_of(name), color_scheme=scheme, bypass_csp=True)
    found = [each for each in axe.run(page).response["violations"] if each["impact"] in SERIOUS]
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found] == []


def test_text_that_looks_like_markup_stays_text(show):
    result = harmful()
    page = show(html(result.as_json(), [NASTY, NASTY], NASTY))
    page.locator("[role=listbox]").press("End")
    assert page.evaluate("window.harmed") is None
    assert page.locator("img:not([role=img])").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("h2").first.inner_text().startswith("</script><script>window.harmed=1</script><img src=x")


def test_a_script_that_got_in_would_not_run(chromium, tmp_path):
    """Were the escaping broken one day, the page's policy would still stop it."""
    harm = "<script>window.harmed=1</script><img src=x onerror=window.harmed=1>"
    broken = html(compared().as_json()).replace("<noscript>", f"{harm}<noscript>")
    file = tmp_path / "broken.html"
    file.write_text(broken, encoding="utf-8")
    context = chromium.new_context()
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("[role=listbox]").count() == 1  # plait's own did run
    assert page.evaluate("window.harmed") is None
    context.close()


SUBJECT = '''
class Shelf:
    """Holds texts; nothing guards it."""

    def __init__(self):
        self.texts = {"<script>window.harmed=1</script>": "\\"'><img src=x onerror=window.harmed=1>"}
        self.last = "<script>window.harmed=1</script>"

    def take(self):
        if self.texts:
            key, text = self.texts.popitem()
            self.last = text
            return text
        return "</script><script>window.harmed=1</script>"

    def __repr__(self):
        return "</script><script>window.harmed=1</script>"
'''


@pytest.mark.slow
def test_the_values_of_a_real_subject_run_nothing(show, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("shelf.py").write_text(SUBJECT, encoding="utf-8")
    subject = Subject.parse("shelf:Shelf", path=tmp_path)
    result = check(CheckOptions(subject, project=tmp_path, max_tests=20, workers=1, streams=1))
    assert result.verdict == "violation"
    page = show(html(result.as_json(), check_statement(result)))
    for steps in page.locator("[role=listbox]").all():
        steps.press("End")
    assert page.evaluate("window.harmed") is None
    assert "<script>window.harmed=1</script>" in page.inner_text("main")
    assert page.locator("script").count() == 2


def test_without_scripts_the_verdict_and_the_findings_are_there(show):
    page = show(page_of("diff/difference"), java_script_enabled=False)
    assert "Behaviour that only one version can show" in page.inner_text("#verdict")
    assert "can leave balance -8" in page.inner_text("noscript")


def test_a_long_interleaving_stays_usable(show):
    result = compared()
    result.findings[0].interleaving = STEPS * 60
    page = show(html(result.as_json()))
    page.locator("[role=listbox]").press("End")
    last = page.locator("[role=option]").last.bounding_box()
    frame = page.locator(".lanes").bounding_box()
    assert frame["height"] < 700
    assert frame["y"] <= last["y"] < frame["y"] + frame["height"]
