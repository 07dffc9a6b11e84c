"""Every way to update something that threads share: real threads beside both models, DFS beside DPOR.

What real threads did is in ``seen.json``, by interpreter; ``python benchmarks/forms/real.py`` adds the one it runs on.
"""

from __future__ import annotations

import json
import platform
from collections import Counter
from typing import TYPE_CHECKING, Any

from benchmarks.forms.model import MAX_SCHEDULES, MODELS, answers
from benchmarks.forms.real import SEEN
from benchmarks.forms.reasons import MISSED, NEVER_SEEN

if TYPE_CHECKING:
    from collections.abc import Callable


def seen_by(model: str) -> dict[str, tuple[bool, int]]:
    """What real threads did on the build that a model is about: this interpreter with its GIL, or any without one."""
    version = ".".join(platform.python_version_tuple()[:2])
    found: dict[str, tuple[bool, int]] = {}
    for name, forms in json.loads(SEEN.read_text()).items():
        if name.endswith("t") if model == "free-threaded" else name.startswith(f"{version}.") and name[-1] != "t":
            found |= {form: (torn is True, tries) for form, (torn, tries) in forms.items() if torn != "crash"}
    return found


def run(progress: Callable[[str], None] = print, limit: int = MAX_SCHEDULES) -> dict[str, Any]:
    """Explore all forms and put what real threads did beside it."""
    rows = []
    for form, explored in answers(limit):
        for model in MODELS:
            dpor, dfs = explored[f"{model} dpor"], explored[f"{model} dfs"]
            real = seen_by(model).get(form.name)
            rows.append({
                "subject": form.name, "kind": form.kind, "model": model, "torn": dpor.torn,
                "real": None if real is None else real[0], "tries": None if real is None else real[1],
                "dpor": sorted(dpor.endings), "dfs": sorted(dfs.endings), "dpor executions": dpor.executions,
                "dfs executions": dfs.executions, "exhausted": dpor.exhausted, "dfs exhausted": dfs.exhausted,
                "verdict": verdict(form.name, dpor.torn, None if real is None else real[0]),
            })  # fmt: skip
        progress(f"{form.kind}: {form.name}")
    counts = Counter((row["model"], row["verdict"]) for row in rows)
    summary = {
        "forms": len(rows) // len(MODELS),
        **{f"{model}, {verdict}": number for (model, verdict), number in sorted(counts.items())},
        "DPOR differs from DFS": sum(map(differs, rows)),
        "DPOR at its end": sum(row["exhausted"] for row in rows),
        "DFS at its end": sum(row["dfs exhausted"] for row in rows),
    }
    return {"rows": rows, "summary": summary}


def differs(row: dict[str, Any]) -> bool:
    """Whether DPOR shows other endings than DFS, as far as that came."""
    dpor, dfs = set(row["dpor"]), set(row["dfs"])
    return dpor != dfs if row["dfs exhausted"] else not dfs <= dpor


def verdict(form: str, torn: bool, real: bool | None) -> str:  # noqa: FBT001 - two columns of a table
    """How the model's answer stands to what real threads did."""
    if real is None:
        return "not tried"
    if torn == real:
        return "torn by both" if torn else "torn by neither"
    if real:
        return "missed, explained" if form in MISSED else "missed"
    return "never seen, explained" if form in NEVER_SEEN else "never seen"


def show(result: dict[str, Any]) -> str:
    """The differences, then the totals."""
    lines = [
        f"{row['model']}: {row['subject']}: {row['verdict']}"
        for row in result["rows"]
        if row["verdict"] not in ("torn by both", "torn by neither", "not tried")
    ]
    lines += [f"{name:<40} {number:>8,}" for name, number in result["summary"].items()]
    return "\n".join(lines)
