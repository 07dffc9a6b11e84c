"""The pages of the documentation: each can be reached, and what they link to is there."""

import json
import re
from pathlib import Path

import pytest

from plait.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
PAGE_IN_NAV = re.compile(r"^ +- (?:[^:\n]+: )?([\w-]+\.md)$", re.MULTILINE)
REFERENCE = re.compile(r"`((?:[a-z_]+/)*\w+\.py)(?::(\w+(?:\.\w+)*))?`")


def _links(page):
    return [target for target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))) if "://" not in target]


def _anchors(page):
    """The names that headings get: lower case, words joined by dashes, punctuation left out."""
    heads = re.findall(r"^#+ (.+)$", CODE.sub(lambda code: code[0].strip("`"), page.read_text(encoding="utf-8")), re.M)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", head).strip().lower()) for head in heads}


def _broken(page):
    """Links of a page that lead nowhere."""
    wrong = []
    for link in _links(page):
        target, _, anchor = link.partition("#")
        file = (page.parent / target).resolve() if target else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in _anchors(file)):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    assert _broken(page) == []


def test_the_check_sees_broken_links(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A: head\n[a](#a-head) [b](#gone) [c](gone.md) `[d](code.md)` [e](https://example.org/x)\n")
    assert _broken(page) == ["#gone", "gone.md"]


def test_every_page_is_in_the_navigation_once():
    listed = PAGE_IN_NAV.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2])
    assert sorted(listed) == [page.name for page in PAGES]


def test_the_list_for_language_models_leads_somewhere():
    text = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# plait\n\n> ")
    pages = re.findall(r"\]\(([\w-]+\.md)\)", text)
    assert len(pages) > 10
    assert [page for page in pages if not (ROOT / "docs" / page).is_file()] == []


def test_what_the_page_on_papers_names_exists():
    """Files below src/plait or tests, and the functions or classes in them."""
    page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    named = REFERENCE.findall(page)
    assert len(named) > 50
    for file, names in named:
        path = ROOT / file if file.startswith(("tests/", "benchmarks/")) else ROOT / "src" / "plait" / file
        assert path.is_file(), f"{file} is gone"
        text = path.read_text(encoding="utf-8")
        for name in names.split(".") if names else ():
            assert re.search(rf"^ *(?:def|class) {name}\b|^{name}\b.* = ", text, re.MULTILINE), f"{file} has no {name}"


PATH = re.compile(r"`((?:[a-z_]+/)+(?:[a-z_]+\.(?:py|md|json))?)`")
"""A file or a folder in a page; ``<name>`` stands for any."""


@pytest.mark.parametrize("page", ["life-of-a-check", "contributing", "decisions", "design"])
def test_the_files_that_a_page_names_exist(page):
    named = PATH.findall((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"))
    roots = (ROOT, ROOT / "src" / "plait")
    assert [name for name in named if not any((root / name).exists() for root in roots)] == []
    assert named or page == "design"


def test_a_task_needs_three_files_at_most():
    page = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    section = page.partition("## Where do I")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 10
    assert {row[1].strip(): len(re.findall(r"`[^`]+`", row[2])) for row in rows if row[2].count("`") > 6} == {}


@pytest.mark.slow
def test_the_tutorial_shows_what_plait_finds(tmp_path, monkeypatch, capsys):
    """The bug that the tutorial explains, with its command; in another run the findings may have other numbers."""
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    command = re.search(r"^plait (check .+--at pypi:(\S+) .+)$", page, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    code = main(command[1].split())
    said = capsys.readouterr()
    if code == 2 and said.err.startswith("plait: pypi:"):
        pytest.skip(f"no package index within reach: {said.err.strip()}")
    assert code == 1
    found = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["findings"]
    explained = re.search(r"^\[\d+/\d+\] (SimpleCache: with two calls of `dec`.+)$", page, re.MULTILINE)
    assert explained[1] in [finding["summary"] for finding in found]
    assert (tmp_path / "plait-out" / re.search(r"plait-out/(\w+\.py)", page)[1]).is_file()
    assert (tmp_path / "report.html").is_file()


SAID = (
    "atomic", "baseline", "conflict", "deadlock", "finding", "fingerprint", "free-threaded build", "GIL", "guard",
    "hang", "inconclusive", "interleaving", "lost update", "mend", "OS thread", "preemption", "race",
    "regression test", "schedule", "stand-in", "verdict", "violation",
)  # fmt: skip
"""Words that reports use without explaining them."""


def test_the_words_of_reports_are_in_the_glossary():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| ([^|]+?) \|", text, re.MULTILINE)[1:]
    assert [word for word in SAID if word not in words] == []
    terms = words[words.index("---") + 1 :] if "---" in words else words
    assert terms == sorted(terms, key=str.lower)
    assert len(terms) == len(set(terms))
