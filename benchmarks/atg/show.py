"""The study's tables and figures as text: ours first, the paper's in brackets."""

from __future__ import annotations

from typing import Any

from benchmarks.atg.study import APPROACHES, AVERAGES, MEASURED, SWEEP

TITLES = {
    "saturation": "Tables 2-5: until saturation", "first-bug": "Table 7: until the first bug",
    "sound": "the nine structures, judged", "sweep": "Table 8: OptimisticList, by threshold N",
    "feasible": "active testing against exhaustive exploration",
    "corpus": "real releases: covcon and sd-atg",
}  # fmt: skip
WIDTH = 40


def line(row: dict[str, Any]) -> str:
    """One row."""
    if row["part"] == "feasible":
        return (
            f"{row['subject']:26}{row['exposed']} of {row['possible']} feasible instances exposed in {row['tests']} "
            f"tests, {row['attempts'] / max(1, row['aimed']):.2f} attempts each"
        )
    if row["part"] == "corpus":
        first = row.get("executions_to_first")
        said = "found" if row["found"] else "something else found" if row["any"] else "nothing found"
        cost = row.get("trouble", "") if first is None else f"first finding after {first} executions"
        return f"{row['subject']:30}{row['approach']:8}{said:22}{cost}"
    head = f"{row['subject']:26}{row['setting']:11}{row['approach']:11}"
    if row["part"] == "sweep":
        head += f"N={row['threshold']:<3}"
    paper = row.get("paper", {})
    parts = [_beside(row, paper, name) for name in ("iroots", "profiles", "active_tests", "seconds")]
    if row["part"] in ("first-bug", "sound"):
        parts[0] = f"{row['found']} of {row['runs']} wrong" + (f" ({', '.join(row['shows'])})" if row["shows"] else "")
    return head + "  ".join(parts)


def _beside(row: dict[str, Any], paper: dict[str, Any], name: str) -> str:
    digits = 2 if name == "seconds" else 1
    spread = "" if name == "seconds" else f" ±{row[f'{name}_sd']:.1f}"
    printed = f" [{paper[name]}]" if name in paper else ""
    unit = {"active_tests": "tests", "seconds": "s"}.get(name, name)
    return f"{row[name]:.{digits}f}{spread}{printed} {unit}"


def show(result: dict[str, Any]) -> str:
    """All tables, then the figures, then what they come to."""
    lines: list[str] = []
    rows = result["rows"]
    for part, title in TITLES.items():
        mine = [row for row in rows if row["part"] == part]
        if mine:
            lines += ["", f"{title} (the paper's figures in brackets)" if "paper" in mine[0] else title]
            lines += [line(row) for row in mine]
    for setting in dict.fromkeys(row["setting"] for row in rows):
        mine = [row for row in rows if row["setting"] == setting]
        lines += _figure(mine, "Figure 4: instances exposed", "iroots", 0)
        lines += _figure(mine, "Figure 5: time", "seconds", 1)
    lines += _sums(result["summary"])
    return "\n".join(lines).strip()


def _figure(rows: list[dict[str, Any]], title: str, name: str, column: int) -> list[str]:
    """Bars, ours beside the paper's, each to the scale of its own largest."""
    swept = [row for row in rows if row["part"] == "sweep"]
    if not swept:
        return []
    optimistic = swept[0]["subject"]
    swept += [row for row in rows if row["part"] == "saturation" and row["subject"] == optimistic]
    swept.sort(key=lambda row: (row["threshold"], MEASURED.index(row["approach"])))
    most = max(row[name] for row in swept) or 1.0
    printed = max(entry[column] for entries in SWEEP.values() for entry in entries)
    lines = ["", f"{title} by threshold N, {swept[0]['setting']} (ours # | the paper's =)"]
    for row in swept:
        ours = "#" * round(WIDTH * row[name] / most)
        bar = f"N={row['threshold']:<3}{row['approach']:11}{row[name]:8.2f} {ours:{WIDTH}} |"
        if row["approach"] in APPROACHES:
            theirs = SWEEP[row["threshold"]][APPROACHES.index(row["approach"])][column]
            bar += f" {theirs:6.1f} {'=' * round(WIDTH * theirs / printed)}"
        lines.append(bar)
    return lines


def _sums(summary: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for setting, entry in summary.items():
        if not isinstance(entry, dict) or setting in ("feasible", "corpus"):
            continue
        for table, printed in (("averages", "saturation"), ("first_bug", "first-bug")):
            for approach, average in entry.get(table, {}).items():
                if approach == "mrt":
                    continue
                theirs = AVERAGES[printed].get(approach, {})
                said = ", ".join(
                    f"{_unit(name)} {share:+.1%}" + (f" [{theirs[name]:+.1%}]" if name in theirs else "")
                    for name, share in average["to_mrt"].items()
                    if name in ("iroots", "profiles", "active_tests", "seconds")
                    and not (table == "first_bug" and name == "iroots")
                )
                lines.append(f"{setting}, {printed}: {approach} compared with mrt: {said}")
        if "per_iroot" in entry:
            said = "; ".join(
                f"{name} {each['profiles_and_tests']:.2f} runs, {1000 * each['seconds']:.1f} ms"
                for name, each in entry["per_iroot"].items()
            )
            lines.append(f"{setting}, Table 6, for each instance: {said}")
        if "always_found" in entry:
            said = ", ".join(f"{name} {count}" for name, count in entry["always_found"].items())
            lines.append(f"{setting}: of {entry['mutants']} mutants found in every run: {said}")
        if "false_alarms" in entry:
            lines.append(f"{setting}: {entry['false_alarms']} alarms on sound structures")
    for strategy, each in summary.get("corpus", {}).items():
        lines.append(
            f"real releases: {strategy} found {each['found']} of {each['cases']}; where both found something, the "
            f"median of executions to the first finding is {each['median_executions_to_first']}"
        )
    if "feasible" in summary:
        each = summary["feasible"]
        lines.append(
            f"active testing exposes {each['share']:.1%} of {each['possible']} feasible instances with "
            f"{each['attempts_each']} attempts each"
        )
    return ["", *lines] if lines else []


def _unit(name: str) -> str:
    return {"active_tests": "tests", "seconds": "time"}.get(name, name)
