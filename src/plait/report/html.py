"""A result as one self-contained page: no network, works from disk, nothing of the code under test becomes markup.

All data is embedded as JSON and put into the page as text by the script, never as markup. Without the script the page
still shows the verdict and the summaries.
"""

from __future__ import annotations

import json
import linecache
from html import escape
from importlib.resources import files
from typing import Any


def html(data: dict[str, Any]) -> str:
    """``data`` is a result file's content."""
    page = files("plait.report").joinpath("page.html").read_text(encoding="utf-8")
    title = f"plait {data['command']} {data['subject']}"
    summaries = "".join(f"<li>{escape(finding['summary'])}</li>" for finding in data["findings"])
    shown = {**data, "sources": _sources(data)}
    embedded = json.dumps(shown).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    parts = {"TITLE": escape(title), "VERDICT": escape(str(data["verdict"])), "SUMMARIES": summaries, "DATA": embedded}
    for name, value in parts.items():
        page = page.replace(f"<!--{name}-->", value)
    return page


def _sources(data: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The lines of source around every step, by file and line."""
    found: dict[str, dict[str, str]] = {}
    for finding in data["findings"]:
        for row in finding.get("interleaving", []):
            file, line = str(row["file"]), int(row["line"])
            lines = found.setdefault(file, {})
            for number in range(max(1, line - 6), line + 7):
                text = linecache.getline(file, number).rstrip("\n")
                if text:
                    lines[str(number)] = text
    return found
