"""A result as one self-contained page: no network, works from disk, nothing of the code under test becomes markup.

All data is embedded as JSON and put into the page as text by the script, never as markup; the page's own policy lets
no other script or style run. Without the script the page still shows the verdict and the summaries.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from plait.model.finding import AccessStep, Finding
from plait.model.schedule import Schedule
from plait.report.diff_text import outcome_table
from plait.report.finding_text import title_of
from plait.report.interleaving import shown_steps
from plait.report.sarif import level_of
from plait.report.why import WHERE, why_sentences

_SCRIPTS = ("page_base.js", "page_plots.js", "page_steps.js", "page_index.js", "page.js")


def html(
    data: dict[str, Any], sentences: Sequence[str] = (), replay: str | None = None, limits: Sequence[str] = ()
) -> str:
    """Return the page of a result file's ``data``.

    ``sentences`` say what was done, ``replay`` is a command, ``limits`` are the words that bounded the run.
    """
    headline = sentences[0] if sentences else str(data["verdict"])
    shown = {
        **data, "findings": [_with_steps(each, data.get("sources", {})) for each in data["findings"]],
        "headline": headline, "statement": list(sentences[1:]), "replay": replay, "limits": list(limits),
    }  # fmt: skip
    for found in shown["findings"]:
        found["level"] = level_of(found, str(data["verdict"]))
        if "schedule" in found and data["command"] == "explore":
            token = Schedule.from_json(found["schedule"]).token
            test = found.get("node") or data["subject"]  # the schedule of one test makes no sense for another
            found["again"] = f"pytest {shlex.quote(test)} --plait --plait-replay {token}"
        if found.get("node"):
            found["title"] = f"{found['node']}: {found['title']}"
        if "outcomes" in found:  # in a review each finding has its own
            found["outcome_table"] = outcome_table(found)._asdict()
    if "outcomes" in data:
        shown["outcome_table"] = outcome_table(data)._asdict()
    style, script = _file("page.css"), "".join(map(_file, _SCRIPTS))
    lines = [f"{each['subject']}: {each['line']}" for each in data.get("classes", ())]
    lines += [f"{each['verdict']}: {each['name']}" for each in data.get("subjects", ())]
    lines += [finding["summary"] for finding in data["findings"]]
    summaries = "".join(f"<li>{escape(text)}</li>" for text in lines)
    parts = {
        "STYLE": style, "SCRIPT": script, "STYLE-HASH": _hash(style), "SCRIPT-HASH": _hash(script),
        "TITLE": escape(f"plait {data['command']} {data['subject']}"), "VERDICT": escape(headline),
        "SUMMARIES": summaries, "DATA": _embedded(shown),
    }  # fmt: skip
    page = _file("page.html")
    for name, value in parts.items():
        page = page.replace(f"<!--{name}-->", value)
    return page


def _file(name: str) -> str:
    return files("plait.report").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return what the page's policy calls a script or style by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _embedded(data: Any) -> str:
    """JSON that cannot end the element it stands in."""
    return json.dumps(data).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _with_steps(finding: dict[str, Any], sources: Mapping[str, Any]) -> dict[str, Any]:
    """Return a finding with the ``steps`` to show: whole lines of source, the conflicting accesses marked."""
    found = []
    rows, racing = ([AccessStep.from_json(row) for row in finding.get(name) or ()] for name in ("interleaving", "race"))
    for each in shown_steps(rows, racing):
        line = sources.get(each.step.file, {}).get("lines", {}).get(str(each.step.line), "").strip()
        found.append({**each.as_json(), "text": line or each.step.code})
    told = Finding.from_json(finding)
    return {
        **finding,
        "title": title_of(told),
        "steps": found,
        "why": [text for text, part in why_sentences(told) if part != WHERE],
    }
