"""Where the static pass ranks the defects of the corpus, and how many lines of source it reads in a second.

A package's subjects are its classes, and the functions of each module together: what `plait audit` tests one by one,
the most suspect first. A defect is ranked by the subject that it stands in: the class of the case if it has a method
that triggers it, else the best in its file that does. The first of a package is at the top, however few there are.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.commands.releases import cache_root
from plait.errors import UsageError
from plait.subject.package.facts import module_facts
from plait.subject.package.listing import list_package
from plait.subject.package.suspects import class_suspects, module_suspects
from plait.subject.versions.version import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.subject.package.listing import Listing

CASES = Path(__file__).parent.parent / "corpus" / "cases.json"
TOP, GOAL = 0.2, 0.85  # of the subjects, and of the cases that are among them
LINES = 100_000  # in ten seconds


def run(*, subject: str | None = None, progress: Callable[[str], None] = lambda _line: None) -> dict[str, Any]:
    """Read the faulty release of each case; a row per case."""
    rows = []
    missing: dict[str, str] = {}
    for case in json.loads(CASES.read_text(encoding="utf-8"))["cases"]:
        if case["role"] != "bug" or (subject and case["id"] not in subject.split(",")):
            continue
        try:
            rows.append({"subject": case["id"], "level": case["level"], **measured(case)})
        except UsageError as error:
            missing[case["id"]] = str(error)
            continue
        progress(line_of(rows[-1]))
    return {"rows": rows, "summary": {**summary(rows), "missing": missing}}


def measured(case: dict[str, Any]) -> dict[str, Any]:
    """Return the rank of one case among the subjects of its package."""
    release = f"pypi:{case['package']}=={case['buggy_version']}"
    with resolve(release, project=Path.cwd(), cache=cache_root()) as version:
        begun = time.process_time()
        listing = list_package(case["class_path"].partition(".")[0].partition(" ")[0], version)
        scores = scored(listing)
        spent = time.process_time() - begun
    files = {module.name: module.file for module in listing.modules}
    near = [key for key in scores if files[key[0]].endswith(case["target_file"])]
    named = [key for key in near if _is_named(key, case)]
    ways = ([key for key in keys if _triggers(scores[key][1], case)] for keys in (named, near))
    own = next(filter(None, ways), named)
    values = [score for score, _ in scores.values()]
    best = max((scores[key][0] for key in own), default=None)
    above = sum(each > best for each in values) if best is not None else None
    ties = sum(each == best for each in values)
    lines = sum(module.text.count(b"\n") for module in listing.modules)
    rank = None if above is None else above + (ties + 1) / 2
    return {"subjects": len(values), "rank": rank, "lines": lines, "seconds": round(spent, 2)}


def scored(listing: Listing) -> dict[tuple[str, str], tuple[float, frozenset[str]]]:
    """Return the score of each subject, with the names of its functions."""
    found = {}
    for module in listing.modules:
        facts = module_facts(module)
        top = sum(each.score for each in module_suspects(facts))
        found[module.name, ""] = (top, frozenset(facts.functions))
        for qualname, known in facts.classes.items():
            score = sum(each.score for each in class_suspects(module.name, known))
            found[module.name, qualname] = (score, frozenset(known.functions))
    return found


def _is_named(key: tuple[str, str], case: dict[str, Any]) -> bool:
    named = re.findall(r"\w+", case["class_path"])
    return key[1].rpartition(".")[2] in named if key[1] else case["level"] == "module"


def _triggers(functions: frozenset[str], case: dict[str, Any]) -> bool:
    return not functions.isdisjoint(re.findall(r"\w+", " ".join(case["trigger_methods"])))


def is_at_the_top(row: dict[str, Any]) -> bool:
    """Return whether a case is among the first fifth of the subjects, or their first."""
    return row["rank"] is not None and (row["rank"] <= TOP * row["subjects"] or row["rank"] <= 1)


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the totals."""
    seconds, lines = sum(row["seconds"] for row in rows), sum(row["lines"] for row in rows)
    return {
        "cases": len(rows), "at_the_top": sum(map(is_at_the_top, rows)), "goal": GOAL, "lines": lines,
        "seconds": round(seconds, 2), "lines_in_ten_seconds": round(10 * lines / seconds) if seconds else 0,
    }  # fmt: skip


def line_of(row: dict[str, Any]) -> str:
    """Return one case as a line."""
    rank = "not among them" if row["rank"] is None else f"{row['rank']:g} of {row['subjects']}"
    top = "top" if is_at_the_top(row) else ""
    return f"{row['subject']:<32}{rank:>16} {top:<5}{row['lines']:>8} lines{row['seconds']:>7.2f} s"


def show(result: dict[str, Any]) -> str:
    """Return the table as text."""
    totals = result["summary"]
    rate = totals["at_the_top"] / max(1, totals["cases"])
    lines = [line_of(row) for row in result["rows"]]
    lines += [f"{name}: not to be had: {reason}" for name, reason in totals["missing"].items()]
    return "\n".join([
        *lines, "",
        f"in the top {TOP:.0%}: {totals['at_the_top']} of {totals['cases']} ({rate:.0%}; goal {GOAL:.0%})",
        f"{totals['lines']} lines in {totals['seconds']} s of CPU, {totals['lines_in_ten_seconds']} in 10 s ({LINES})",
    ])  # fmt: skip
