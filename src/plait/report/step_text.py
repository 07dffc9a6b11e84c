"""One step of an interleaving on a terminal: where every thread stands, the source, locks and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plait.report.steps import state
from plait.report.table import WIDTH

AROUND = 4  # lines of source above and below
MOST_VALUES = 12
KEYS = "keys: n or → forward, p or ← back, g first, G last, q quit"


def step_text(
    steps: Sequence[Mapping[str, Any]], at: int, sources: Mapping[str, Any], names: Mapping[int, str]
) -> list[str]:
    """The lines for step ``at``; ``names`` says what a thread does, ``sources`` is made by `sources.sources`."""
    step = steps[at]
    what = str(step["access"]) + (f": {step['value']}" if "value" in step else "")
    marks = [text for key, text in (("race", "CONFLICT"), ("changed", "changed line")) if step.get(key)]
    lines = [f"step {at + 1} of {len(steps)}: thread {step['thread']}, {what}{''.join(f'  [{m}]' for m in marks)}", ""]
    lines += _source(step, sources.get(str(step["file"]), {}).get("lines", {}))
    known = state(steps[: at + 1])
    lines += ["", "  threads"]
    for thread in sorted({each["thread"] for each in steps}):
        mark = ">" if thread == step["thread"] else " "
        held = ", ".join(known.holds.get(thread, ())) or "no lock"
        lines.append(f"  {mark} {thread} {names.get(thread, '')}  holds {held}; {_next(steps, at, thread)}")
    lines += ["", "  values"]
    seen = list(known.values.items())
    lines += [f"    {place} = {value}" for place, value in seen[-MOST_VALUES:]] or ["    none yet"]
    return [line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in lines]


def _source(step: Mapping[str, Any], lines: Mapping[str, str]) -> list[str]:
    shown = [number for number in sorted(map(int, lines)) if abs(number - step["line"]) <= AROUND]
    if not shown:
        return [f"  {Path(str(step['file'])).name}", f"  > {step['line']:5} {step['code']}"]
    text = [f"  {'>' if number == step['line'] else ' '} {number:5} {lines[str(number)]}" for number in shown]
    return [f"  {Path(str(step['file'])).name}", *text]


def _next(steps: Sequence[Mapping[str, Any]], at: int, thread: int) -> str:
    """What the thread does after this step, which is where it stands now."""
    following = next((each for each in steps[at + 1 :] if each["thread"] == thread), None)
    if following is None:
        return "takes no further step"
    return f"stands before line {following['line']}: {following['access']}"
